//! Recognises documents of earlier versions by their folders.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The version number for a name that means the newest version, such as `latest`.
const NEWEST: u32 = u32::MAX;

/// Returns the documents of earlier versions. A document is earlier if its folder is beside one of a later version. A
/// document of the last of several versions is earlier if an unversioned folder beside it has the same page. A folder
/// such as `v1` counts as a version only if it shares a page with a folder beside it.
pub(super) fn earlier<'k>(keys: impl Iterator<Item = &'k String> + Clone) -> Vec<String> {
    let versioned =
        || keys.clone().flat_map(|key| places(key)).filter(|at| numbers(at.1).is_some());
    let mut copies: HashMap<(&str, &str), usize> = HashMap::new();
    for (parent, _, page) in versioned().filter(|at| !is_of_folder(at.2)) {
        *copies.entry((parent, page)).or_default() += 1;
    }
    // A folder called `v1` may also have another purpose.
    let is_bare =
        |folder: &str| !folder.contains('.') && folder.ends_with(|c: char| c.is_ascii_digit());
    let is_version =
        |at: &(&str, &str, &str)| !is_bare(at.1) || copies.get(&(at.0, at.2)) > Some(&1);
    let mut known: BTreeMap<&str, BTreeSet<Vec<u32>>> = BTreeMap::new();
    for (parent, folder, _) in versioned().filter(is_version) {
        known.entry(parent).or_default().extend(numbers(folder));
    }
    let is_plain = |(parent, folder, page): &(&str, &str, &str)| {
        known.get(parent).is_some_and(|versions| versions.len() > 1)
            && numbers(folder).is_none()
            && !is_of_folder(page)
    };
    let plain: HashSet<(&str, &str)> = keys
        .clone()
        .flat_map(|key| places(key))
        .filter(is_plain)
        .map(|(parent, _, page)| (parent, page))
        .collect();
    let is_earlier = |(parent, folder, page): (&str, &str, &str)| {
        numbers(folder).is_some_and(|version| {
            let versions = known.get(parent).filter(|all| all.contains(&version));
            versions.is_some_and(|all| {
                all.last() > Some(&version)
                    || version[0] != NEWEST && !is_bare(folder) && plain.contains(&(parent, page))
            })
        })
    };
    keys.filter(|key| places(key).any(is_earlier)).cloned().collect()
}

/// Returns each folder above a document: its parent, its name, and the path of the document within it.
fn places(key: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    key.match_indices('/').map(|(end, _)| {
        let (parent, name) = key[..end].rsplit_once('/').unwrap_or(("", &key[..end]));
        (parent, name, &key[end + 1..])
    })
}

/// Returns true for a page that any folder may have, such as an index.
fn is_of_folder(page: &str) -> bool {
    let stem = page.split('.').next().unwrap_or(page);
    ["agents", "claude", "gemini", "index", "readme", "skill"]
        .iter()
        .any(|name| stem.eq_ignore_ascii_case(name))
}

/// Returns the numbers of a version name such as `1.x`, `v2.0`, `version-3.1`, `v4` or `latest`.
fn numbers(name: &str) -> Option<Vec<u32>> {
    const LATEST: [&str; 6] = ["canary", "current", "latest", "main", "next", "stable"];
    if LATEST.contains(&name) {
        return Some(vec![NEWEST]);
    }
    let text = name.strip_prefix("version-").unwrap_or(name);
    let text = text.strip_prefix('v').unwrap_or(text);
    let numbers: Option<Vec<u32>> =
        text.strip_suffix(".x").unwrap_or(text).split('.').map(|part| part.parse().ok()).collect();
    numbers.filter(|_| text.contains('.') || text.len() < name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn earlier_of(keys: &str) -> String {
        let mut keys: Vec<String> = keys.split(' ').map(str::to_owned).collect();
        keys.sort();
        earlier(keys.iter()).join(" ")
    }

    #[test]
    fn of_versions_side_by_side_the_last_counts_unless_its_page_has_none() {
        for (keys, expected) in [
            ("d/v1.2/a.md d/v1.10/a.md", "d/v1.2/a.md"),
            ("d/v1.2/a.md d/latest/a.md d/edge/a.md", "d/v1.2/a.md"),
            ("d/v1.2/a.md d/v1.3/a.md d/edge/a.md", "d/v1.2/a.md d/v1.3/a.md"),
            ("v1.2/x/a.md v1.3/x/a.md v1.3/b.md next-one/x/a.md", "v1.2/x/a.md v1.3/x/a.md"),
            ("d/v1.2/README.md d/v1.3/README.md d/x/README.md", "d/v1.2/README.md"),
            ("d/v1.3/a.md d/edge/a.md", ""),
            ("d/v1/a.md d/v2/a.md d/v10/a.md d/v2/b.md", "d/v1/a.md d/v2/a.md d/v2/b.md"),
            ("d/version-1/a.md d/latest/a.md", "d/version-1/a.md"),
            ("d/v1/a.md d/v2/b.md d/1/a.md d/2/a.md", ""),
            ("d/v1.2/a.md d/latest/b.md d/v1/c.md d/edge/c.md", "d/v1.2/a.md"),
            ("d/v1/README.md d/v1/index.md d/v2/README.md d/v2/index.md", ""),
            ("d/v1/a.md d/v2/a.md d/v2/index.md d/guide/index.md", "d/v1/a.md"),
            ("d/v1/a.md d/v2/a.md d/linux/a.md", "d/v1/a.md"),
            ("s/v1/AGENTS.md s/v1/a.md s/v2/AGENTS.md s/v2/b.md", ""),
        ] {
            assert_eq!(earlier_of(keys), expected, "{keys}");
        }
    }
}
