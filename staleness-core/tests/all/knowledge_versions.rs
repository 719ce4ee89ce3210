//! Versions: what is read as one, and how far one is behind another.

use crate::items::context;
use proptest::prelude::*;
use staleness_core::knowledge::{Distance, Version};

fn distance(written_for: &str, now: &str) -> Option<Distance> {
    context().at_version(Some(now)).behind(written_for)
}

#[test]
fn versions_are_read_as_people_write_them() {
    let versions = "1|1.2|1.2.3|v1.2|V2.4.0-rc1|2.4.0-rc.1+build.5|3.0rc1|1.2.3.4| 2.0 |\
                    release 3.1|release-3.1|my-tool-v1.2|app/v2.0.1|pkg@1.2.3|1.2-SNAPSHOT|\
                    version 2|=1.2|00.01|1.2.3+é";
    for text in versions.split('|') {
        assert!(Version::parse(text).is_some(), "{text}");
    }
}

#[test]
fn what_is_no_version_is_unknown() {
    let others = "| |latest|1.x|next|main|v|1..2|.1|1.2.3.4.5|1.2 and 1.3|99999999999999999999999|\
                  1.2; rm -rf|\u{661}.\u{662}|1.2\n3";
    for text in others.split('|').chain([&*"x".repeat(200)]) {
        assert_eq!(Version::parse(text), None, "{text}");
        assert_eq!(distance(text, "9.9.9"), None);
        assert_eq!(distance("0.0.1", text), None);
    }
}

#[test]
fn only_behind_counts_and_how_far() {
    for (written_for, now, expected) in [
        ("2.4.0", "2.6.1", Some(Distance::Minor)),
        ("2.4.0", "3.0.0", Some(Distance::Major)),
        ("2.4.0", "2.4.1", Some(Distance::Patch)),
        ("2.4", "2.4.0", None),
        ("v2.4", "2.4.9", Some(Distance::Patch)),
        ("2.4.0", "2.4.0", None),
        ("2.7.0", "2.6.1", None),
        ("3.0.0", "2.6.1", None),
        ("2.6.1-rc1", "2.6.1", Some(Distance::Patch)),
        ("2.6.1", "2.6.1-rc1", None),
        ("2.6.1-rc1", "2.6.1-rc2", None),
        ("2.6.1+a", "2.6.1+b", None),
        ("1.9", "1.10", Some(Distance::Minor)),
        ("0.1.0", "0.2.0", Some(Distance::Minor)),
        ("tool-v1.0", "2.0.0", Some(Distance::Major)),
    ] {
        assert_eq!(distance(written_for, now), expected, "{written_for} and {now}");
    }
    assert_eq!(context().behind("0.1"), None, "without a project's version nothing is behind");
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_fail(text in "\\PC{0,20}|[v0-9.+-]{0,20}") {
        let _ = Version::parse(&text);
    }

    #[test]
    fn numbers_alone_are_read_as_numbers_with_a_name(text in "[0-9]{1,3}([.][0-9]{0,3}){0,5}|[0-9.]{0,30}") {
        prop_assert_eq!(Version::parse(&text), Version::parse(&format!("v{text}")));
    }

    #[test]
    fn of_two_versions_at_most_one_is_behind(
        a in (0_u8..4, 0_u8..4, 0_u8..4), b in (0_u8..4, 0_u8..4, 0_u8..4)
    ) {
        let text = |(x, y, z)| format!("{x}.{y}.{z}");
        let (there, back) = (distance(&text(a), &text(b)), distance(&text(b), &text(a)));
        prop_assert_eq!(there.is_some(), a < b);
        prop_assert_eq!(back.is_some(), b < a);
    }
}
