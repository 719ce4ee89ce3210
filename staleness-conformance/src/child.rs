use crate::backend::Backend;
use std::ffi::OsString;
pub(crate) const WORD: &str = "staleness-conformance-child";
pub(crate) fn play(_: &dyn Backend, _: &[OsString]) {}
