//! Finds the most similar of several names.

/// The longest name to compare, in bytes.
const MAX_BYTES: usize = 80;

/// Returns the most similar candidate that differs from the name in only a few characters, or in case and separators.
/// Ties go to the first in alphabetical order.
pub(super) fn nearest<'c>(name: &str, all: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let plain = folded(name);
    let most = (plain.len() / 4).clamp(1, 3);
    if plain.len() < 3 || name.len() > MAX_BYTES {
        return None;
    }
    let near = all.filter(|other| other.len() <= MAX_BYTES && *other != name).filter_map(|other| {
        let folded = folded(other);
        if folded.len().abs_diff(plain.len()) > most {
            return None;
        }
        let distance = strsim::generic_levenshtein(&plain, &folded);
        (distance <= most).then_some((distance, other))
    });
    near.min().map(|(_, other)| other)
}

fn folded(name: &str) -> Vec<u8> {
    let plain = name.bytes().filter(|byte| !matches!(byte, b'_' | b'-'));
    plain.map(|byte| byte.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_near_by_its_spelling() {
        let all = ["drain_queue", "drain", "--fail-on", "Router", "get_user"];
        for (name, near) in [
            ("drain_queues", Some("drain_queue")),
            ("getUser", Some("get_user")),
            ("--fail-in", Some("--fail-on")),
            ("Ruoter", None),
            ("Routers", Some("Router")),
            ("unlike_anything", None),
            ("ab", None),
        ] {
            assert_eq!(nearest(name, all.into_iter()), near, "{name}");
        }
    }
}
