//! The reader of URLs, opened to the fuzz targets. No part of the API: it may change or go with any
//! release.

use staleness_core::store::StoreError;

use crate::url::{self, Target};

/// The parts of a URL.
#[derive(Clone, PartialEq, Eq)]
pub struct Said {
    /// The password of the URL, or else of the environment.
    pub password: Option<Vec<u8>>,
    /// The workspace.
    pub workspace: String,
    /// All of it as it is shown to whoever looks for a fault.
    pub shown: String,
}

impl std::fmt::Debug for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

/// Takes a URL apart, and connects to nobody.
///
/// # Errors
/// Returns the texts in which a URL is shown.
pub fn said(url: &str) -> Result<Said, StoreError> {
    let target = url::parse(url)?;
    let shown = format!("{target:?}");
    let Target { config, workspace, .. } = target;
    Ok(Said { password: config.get_password().map(<[u8]>::to_vec), workspace, shown })
}
