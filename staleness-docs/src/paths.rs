//! Paths of the project, with `/` as separator.

/// Error for a path that leads out of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaves;

/// Returns the folder of a path. Empty for the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Resolves a path against `folder`, which is relative to the project's root and empty for the root itself.
pub(crate) fn resolve(folder: &str, path: &str) -> Result<String, Leaves> {
    let mut parts: Vec<&str> = Vec::new();
    let base = if path.starts_with('/') { "" } else { folder };
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or(Leaves)?;
            }
            // A Windows drive or an alternate data stream.
            part if part.contains([':', '\\']) => return Err(Leaves),
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

/// Returns the possible meanings of a path that may start at `folder` or at the project's root.
pub(crate) fn either(folder: &str, path: &str) -> Vec<String> {
    let mut all: Vec<String> =
        [folder, ""].into_iter().filter_map(|folder| resolve(folder, path).ok()).collect();
    all.retain(|path| !path.is_empty());
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leaves_the_project_is_not_followed() {
        assert_eq!(resolve("docs", "../src/./a.rs"), Ok("src/a.rs".into()));
        assert_eq!(resolve("docs", "/src/a.rs"), Ok("src/a.rs".into()));
        assert_eq!(resolve("docs", "../../etc/passwd"), Err(Leaves));
        assert_eq!(resolve("", "..\\x"), Err(Leaves));
        assert_eq!(resolve("", "/../x"), Err(Leaves));
    }
}
