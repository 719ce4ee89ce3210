//! Exposes the URL parser to the fuzz targets. Not part of the public API.

use staleness_core::store::StoreError;

use crate::url::{self, Target};

/// The parts of a URL.
#[derive(Clone, PartialEq, Eq)]
pub struct Said {
    /// The password from the URL or the environment.
    pub password: Option<Vec<u8>>,
    /// The name of the workspace.
    pub workspace: String,
    /// The URL as shown in errors and debug output.
    pub shown: String,
}

impl std::fmt::Debug for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

/// Parses a URL without connecting.
///
/// # Errors
/// If the URL is invalid.
pub fn said(url: &str) -> Result<Said, StoreError> {
    let target = url::parse(url)?;
    let shown = format!("{target:?}");
    let Target { config, workspace, .. } = target;
    Ok(Said { password: config.get_password().map(<[u8]>::to_vec), workspace, shown })
}
