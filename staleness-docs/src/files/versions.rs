//! Recognises documents of earlier versions by the folders that they lie in.

use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The number of the version that goes on.
const NEWEST: u32 = u32::MAX;

/// Returns the documents of earlier versions: those in a folder beside one of a later version, and, of the last of
/// several versions, those that a folder beside it has without a version.
pub(super) fn earlier<'k>(keys: impl Iterator<Item = &'k String> + Clone) -> Vec<String> {
    let mut known: BTreeMap<&str, BTreeSet<Vec<u32>>> = BTreeMap::new();
    for (parent, folder, _) in keys.clone().flat_map(|key| places(key)) {
        if let Some(version) = numbers(folder) {
            known.entry(parent).or_default().insert(version);
        }
    }
    let is_plain = |(parent, folder, page): &(&str, &str, &str)| {
        known.get(parent).is_some_and(|versions| versions.len() > 1)
            && numbers(folder).is_none()
            && !page.eq_ignore_ascii_case("readme.md")
    };
    let plain: HashSet<(&str, &str)> = keys
        .clone()
        .flat_map(|key| places(key))
        .filter(is_plain)
        .map(|(parent, _, page)| (parent, page))
        .collect();
    let is_earlier = |(parent, folder, page): (&str, &str, &str)| {
        numbers(folder).is_some_and(|version| {
            known[parent].last() > Some(&version)
                || version[0] != NEWEST && plain.contains(&(parent, page))
        })
    };
    keys.filter(|key| places(key).any(is_earlier)).cloned().collect()
}

/// Returns each folder above a document: the folder that it lies in, its name, and the path below it.
fn places(key: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    key.match_indices('/').map(|(end, _)| {
        let (parent, name) = key[..end].rsplit_once('/').unwrap_or(("", &key[..end]));
        (parent, name, &key[end + 1..])
    })
}

/// Returns the numbers of a version such as `1.x`, `v2.0`, `version-3.1` or `latest`.
fn numbers(name: &str) -> Option<Vec<u32>> {
    const LATEST: [&str; 6] = ["canary", "current", "latest", "main", "next", "stable"];
    if LATEST.contains(&name) {
        return Some(vec![NEWEST]);
    }
    let text = name.strip_prefix("version-").unwrap_or(name);
    let text = text.strip_prefix('v').unwrap_or(text);
    let numbers: Option<Vec<u32>> =
        text.strip_suffix(".x").unwrap_or(text).split('.').map(|part| part.parse().ok()).collect();
    numbers.filter(|_| text.contains('.'))
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
            ("d/v1/a.md d/v2/a.md", ""),
        ] {
            assert_eq!(earlier_of(keys), expected, "{keys}");
        }
    }
}
