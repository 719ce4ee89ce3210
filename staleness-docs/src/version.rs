//! Finds the version that a project declares.

use std::path::Path;

use crate::disk::Fence;
use crate::manifest;

/// The largest file to read, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;
const MAX_VERSION: usize = 64;

/// Returns the version declared in `Cargo.toml`, `package.json`, `pyproject.toml` or `VERSION`, in this order. A check
/// of documents also considers tags.
pub fn declared_version(root: &Path) -> Option<String> {
    let fence = Fence::of([root]);
    let field = |name: &str, keys: &[&str]| manifest::field(&fence, root, name, keys);
    let file = || fence.read_small(&root.join("VERSION"), MAX_BYTES);
    let found = [
        field("Cargo.toml", &["package version", "workspace package version"]),
        field("package.json", &["version"]),
        field("pyproject.toml", &["project version", "tool poetry version"]),
        file().and_then(|text| text.lines().next().map(str::to_owned)),
    ];
    found.into_iter().flatten().find_map(|version| {
        let version = version.trim();
        let version = version.strip_prefix('v').unwrap_or(version);
        is_version(version).then(|| version.to_owned())
    })
}

/// Returns true if a text can be a version: it is short and begins with a digit.
fn is_version(text: &str) -> bool {
    text.len() <= MAX_VERSION
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_' | '!'))
}

/// Parses a version for ordering. All pre-releases come before all releases.
pub(crate) fn semver(text: &str) -> Option<(bool, [u64; 3], String)> {
    let text = text.strip_prefix('v').unwrap_or(text);
    if !is_version(text) {
        return None;
    }
    let text = text.split('+').next()?;
    let (numbers, preview) = text.split_once('-').unwrap_or((text, ""));
    let mut parts = numbers.split('.').map(|part| part.parse().ok());
    let version = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then(|| (preview.is_empty(), version, preview.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn of(files: &[(&str, &str)]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        declared_version(folder.path())
    }

    #[test]
    fn the_first_file_that_declares_a_version_wins() {
        let npm = ("package.json", "\u{feff}{\"version\": \"v1.4.0\"}");
        let version = |text: &str| Some(text.to_owned());
        assert_eq!(of(&[("Cargo.toml", "[package]\nversion = \"2.0.1\""), npm]), version("2.0.1"));
        let member =
            "[package]\nversion.workspace = true\n[workspace.package]\nversion = \"3.1.0\"";
        assert_eq!(of(&[("Cargo.toml", member)]), version("3.1.0"));
        assert_eq!(of(&[("Cargo.toml", "[workspace]\nmembers = []"), npm]), version("1.4.0"));
        assert_eq!(of(&[("pyproject.toml", "[project]\nversion = \"0.9\"")]), version("0.9"));
        assert_eq!(of(&[("pyproject.toml", "[tool.poetry]\nversion = \"1.1\"")]), version("1.1"));
        assert_eq!(of(&[("VERSION", "v5.6.7\nnotes")]), version("5.6.7"));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn what_is_no_version_is_not_one() {
        assert_eq!(of(&[("Cargo.toml", "[package\nversion"), ("VERSION", "\u{1b}[31m1.0")]), None);
        assert_eq!(of(&[("package.json", "{\"version\": {}}"), ("VERSION", "")]), None);
        assert_eq!(of(&[("VERSION", &"1".repeat(65))]), None);
        assert_eq!(of(&[("package.json", &"[".repeat(100_000))]), None);
    }

    #[test]
    fn versions_have_an_order_and_previews_come_first() {
        let mut tags = ["v1.10.0", "1.9.3", "v2.0.0-rc1", "v1.2", "x1.0.0", "1.2.3.4"];
        tags.sort_by_key(|tag| semver(tag));
        assert_eq!(tags[4..], ["1.9.3", "v1.10.0"]);
        assert_eq!(semver("v1.2"), None);
    }
}
