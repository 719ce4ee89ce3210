//! Temporal words: what is one, and what only looks like one.

use proptest::prelude::*;
use staleness_core::knowledge::{Evidence, Fact, Marker};

fn words(text: &str) -> Vec<&str> {
    Marker::all(text).into_iter().map(|marker| &text[marker.span]).collect()
}

#[track_caller]
fn marked(sort: &str, marked: &str) {
    let (start, end) = (marked.find('«').unwrap(), marked.find('»').unwrap() - '«'.len_utf8());
    let text = marked.replace(['«', '»'], "");
    let found = Marker::all(&text);
    let one = found.iter().find(|marker| marker.span == (start..end));
    assert_eq!(one.map(|marker| format!("{:?}", marker.sort)).as_deref(), Some(sort), "{marked}");
}

#[track_caller]
fn none_found(cases: &[&str]) {
    for text in cases {
        assert_eq!(words(text), Vec::<&str>::new(), "{text}");
    }
}

/// The file has one text a line, with the marker in `«»`, below the sort of its markers.
#[test]
fn markers_of_each_sort_are_found() {
    let sections = include_str!("../markers.txt").split("# ").skip(1);
    for section in sections {
        let (sort, texts) = section.split_once('\n').unwrap();
        texts.lines().filter(|text| !text.is_empty()).for_each(|text| marked(sort, text));
    }
    marked("Plan", "It «will\nbe» rewritten in Rust.");
    marked("Date", "Shipped by «Q4»\r\nand sold");
}

#[test]
fn trap_may_march_and_numbers_are_no_dates() {
    none_found(&[
        "This may fail. May be absent. May I ask?",
        "They march on. March on Rome. The March of progress.",
        "port 2024, error 2019, 2024 bytes, $2024, 2024%",
        "Listens on 2024.",
        "up to 2048 items, in 2000 steps, by 2048 bytes, of 2024 entries",
        "in 2024 bytes",
        "the 2024 edition",
        "Copyright 2024 by all of us",
        "localhost:2024 and 127.0.0.1 and 10.0.0.1:2024",
        "See Q1 and Q2 of the questions.",
        "Alice, June and April wrote it; August too",
        "the year, a month, every quarter",
        "1,2024 and 2024-2025-2026 and 20241 and 2024-13-01",
        "sept, octet, decimal, Marching, Mayor, Junes, Janet, Febs",
    ]);
}

#[test]
fn trap_numbers_with_dots_are_not_all_versions() {
    none_found(&[
        "It takes 1.5 seconds, or 99.9% of 3.14",
        "127.0.0.1 and 192.168.1.254",
        "see section 1.2.3 and Figure 2.1",
        "1.2.3 How to begin",
        "under the Apache License, Version 2.0",
        "Contributor Covenant, version 2.1",
        "file-1.2.3.tar.gz and lib.so.1.2.3",
        "v2 of the protocol, 1.2.3.4.5, 100000.2.3",
        "between 1.5 and 2.5",
    ]);
}

#[test]
fn trap_a_version_that_tells_when_something_came_does_not_pass() {
    none_found(&[
        "Since 1.7.0 it waits. Since version 1.7 it waits.",
        "Works since 1.2.",
        "Added in v1.4.2, removed in version 2.0, and fixed in 2.4.0-rc1.",
        "before 1.2.3, until v1.2.3, older than 1.2.3",
        "stabilized in Rust 1.56",
    ]);
}

#[test]
fn trap_words_of_running_programs_are_not_temporal() {
    none_found(&[
        "the current directory, the current user and the current thread",
        "prints the current time of the current processes",
        "The file will be created, and the error will be returned.",
        "The file will be removed. It will be removed in the end, and an entry will be added to it.",
        "It will be removed in 30 seconds, later by the pass, and will be removed in the following cases.",
        "A row will be added in the next step, in the release notes, in the version block, in 2 places.",
        "A line will be added in front of it; it will be removed in place. Then it will be removed",
        "We now create a file. At this point we now have a list, and we now need to sort it.",
        "The currently selected item",
        "Now run the tests. Now, open the file.",
        "You can now open it. Let's now see.",
        "Keep this document current.",
        "tomorrow at the latest",
        "the latest value and the latest events",
        "a to-do list, a todo application, Todos",
        "unplanned, nowhere, known, snow, lately, concurrent, currency, unknown_now",
        "now() and date.now and --latest and image:latest and /latest and now-or-never",
        "you will bees",
    ]);
}

#[test]
fn trap_markers_in_urls_do_not_count() {
    none_found(&[
        "https://example.com/v1.2.3/latest/2024-05-17",
        "see <https://example.com/a?since=1.2.3&now> there",
        "http://example.com/current/1.2.3,now",
        "www.example.com/v1.2.3",
    ]);
    assert_eq!(words("now https://example.com/v1.2.3 v1.2.3"), ["now", "v1.2.3"]);
}

#[test]
fn trap_markers_in_code_do_not_count() {
    let told = |body: &str| -> Vec<String> {
        let word = |fact| match fact {
            Fact::TemporalMarker { word } => word,
            other => panic!("{other:?}"),
        };
        Evidence::of_markers(body).into_iter().map(|each| word(each.fact)).collect()
    };
    assert!(told("call `v1.2.3` and ``now ` now`` and\n```\nTODO latest\n```\n").is_empty());
    assert_eq!(told("it's `now` now"), ["now"]);
    assert_eq!(told("a ` alone is text now"), ["now"]);
    assert_eq!(told("``` never closed ` now ` TODO"), ["TODO"]);
    assert_eq!(told("now, and now, and Now it's now"), ["now"], "each spelling once");
    let many: String = (0..100).map(|n| format!("v1.{n} ")).collect();
    assert_eq!(told(&many).len(), 16);
}

#[test]
fn neighbours_in_other_scripts_are_read_as_letters() {
    none_found(&["\u{e9}now", "now\u{e9}", "\u{438}now"]);
    assert_eq!(words("\u{201c}now\u{201d} \u{2014} latest\u{2026}"), ["now", "latest"]);
}

/// The paragraphs of this project's own documentation stand for ordinary prose.
#[test]
fn trap_ordinary_paragraphs_are_not_temporal() {
    let text = include_str!("../../../ARCHITECTURE.md");
    let paragraphs: Vec<&str> = text.split("\n\n").filter(|each| !each.contains("```")).collect();
    let temporal = paragraphs.iter().filter(|each| !Evidence::of_markers(each).is_empty()).count();
    assert!(temporal * 10 < paragraphs.len(), "{temporal} of {}", paragraphs.len());
}

proptest! {
    #[test]
    fn spans_are_in_order_within_the_text_and_do_not_overlap(
        text in "([ -~é“\n]{0,6}(now|TODO|will be|v1.2|2024|March|Q3|current|https://|1.2.3)?){0,12}"
    ) {
        let mut after = 0;
        for marker in Marker::all(&text) {
            prop_assert!(marker.span.start >= after && marker.span.end > marker.span.start);
            prop_assert!(text.get(marker.span.clone()).is_some());
            after = marker.span.end;
        }
        let _ = Evidence::of_markers(&text);
    }

    #[test]
    fn pieces_of_a_text_are_read_as_if_each_stood_alone(
        pieces in prop::collection::vec(("[*_`|~\\n]|<b>|\\]\\(y\\) ", "([ a-z.(é“]{0,3}(now|TODO|will be|Rust 1.2|v1.2|2024|March 3|Q3 2026|current|https://|1.2.3|0.5|this year)?){0,4}"), 0..8),
        from in 0_usize..8,
    ) {
        let mut text = String::new();
        let mut prose = Vec::new();
        for (markup, piece) in &pieces {
            text.push_str(markup);
            prose.push(text.len()..text.len() + piece.len());
            text.push_str(piece);
        }
        let first = prose.get(from).map_or(text.len(), |piece| piece.start);
        let alone: Vec<_> = prose
            .iter()
            .skip(from)
            .flat_map(|piece| {
                let found = Marker::all(&text[piece.clone()]).into_iter();
                found.map(|marker| (piece.start + marker.span.start..piece.start + marker.span.end, marker.sort))
            })
            .collect();
        // A part may be asked for again.
        for _ in 0..2 {
            let mut together = Vec::new();
            let mut asked = 0;
            let prose_at = |at: usize| {
                assert!(at >= asked, "in order");
                asked = at;
                prose.iter().find(|piece| piece.end > at).cloned()
            };
            Marker::among(&text, first..text.len(), prose_at, |marker| {
                together.push((marker.span, marker.sort));
            });
            prop_assert_eq!(&together, &alone);
        }
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,60}") {
        let _ = Marker::all(&text);
        let _ = Evidence::of_markers(&text);
    }
}
