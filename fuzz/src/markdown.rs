//! Fuzzes the reading of Markdown documents and the editing of front matter.
//!
//! Input: the document as text. After a `\u{1e}` comes a document that it may import as `@b.md`, and after
//! another one a source file, `src/a.rs`.

use std::ops::Range;

use staleness_core::knowledge::Marker;
use staleness_core::time::Timestamp;
use staleness_docs::fuzzing::{Read, imports, read};
use staleness_docs::git::LazyRepo;
use staleness_docs::{Change, CheckOptions, Field, FieldValue, set_fields};

use crate::{checked, one_line, peak, put};

/// 2026-10-01, in milliseconds.
const DAY: i64 = 1_790_812_800_000;
/// A time on another day, in milliseconds.
const MOMENT: i64 = 1_790_912_345_000;
/// Maximum size to which an input is stretched, in bytes.
const STRETCHED: usize = 64 * 1024;
/// Maximum memory per byte of a long text. The parser alone uses up to 144 bytes while its list of nodes
/// grows: a node of 48 bytes for each character with a possible meaning.
const MOST: usize = 160;

/// Reads the text in all ways in which documents are read.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let main = text.split('\u{1e}').next().unwrap_or_default();
    judge(main);
    edits(main);
    whole(text);
    // Quadratic run time shows up as a timeout.
    if !main.is_empty() && data.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)) % 32 == 0 {
        let long = main.repeat(STRETCHED / main.len() + 1);
        let (_, most) = peak::measured(|| read(&long));
        assert!(most < MOST * long.len() + (1 << 20), "{most} bytes in use for {}", long.len());
        let _ = set_fields(&long, &[(Field::Verified, Some(time(DAY)))]);
    }
}

fn inside(text: &str, place: &Range<usize>) {
    assert!(place.start <= place.end && text.get(place.clone()).is_some(), "{place:?} is no text");
}

fn judge(text: &str) {
    let found = read(text);
    assert_eq!(read(text), found, "the same twice");
    let mut after = 0;
    for marker in Marker::all(text) {
        inside(text, &marker.span);
        assert!(marker.span.start >= after && !marker.span.is_empty(), "in order, and apart");
        after = marker.span.end;
    }
    let Ok(found) = found else { return };
    places(text, &found);
    assert!(imports(text, found.body).iter().all(|path| text.contains(path)));
}

fn places(text: &str, found: &Read) {
    assert!(text.is_char_boundary(found.body));
    inside(text, &found.titled);
    let mut from = found.body;
    for block in &found.blocks {
        inside(text, &block.range);
        assert!(block.range.start >= from, "blocks stand behind each other");
        from = block.range.start;
        for (at, name, verbatim) in &block.names {
            assert!(block.range.contains(at), "a name stands in its block");
            assert!(!name.is_empty());
            if *verbatim {
                assert_eq!(text.get(*at..at + name.len()), Some(name.as_str()), "{at}");
            }
        }
        for mark in &block.marks {
            inside(text, mark);
            assert!(block.range.start <= mark.start && mark.end <= block.range.end);
            assert!(!text[mark.clone()].trim().is_empty());
        }
    }
    let names: usize = found.blocks.iter().map(|block| block.names.len() + block.marks.len()).sum();
    assert!(names <= text.len(), "{names} names in {} bytes", text.len());
    for (at, why) in &found.faults {
        assert!(text.is_char_boundary(*at));
        one_line(why);
    }
    for (line, why) in &found.front_faults {
        assert!(*line as usize <= 1 + text.lines().count());
        one_line(why);
    }
}

const fn time(millis: i64) -> FieldValue {
    FieldValue::Time(Timestamp::from_millis(millis))
}

/// Sets fields one by one, and all at once. An accepted edit must have its effect.
fn edits(text: &str) {
    let words = FieldValue::Words(vec!["b c".into(), "a".into()]);
    let changes: [Change; 8] = [
        (Field::Verified, Some(time(DAY))),
        (Field::Verified, Some(time(MOMENT))),
        (Field::Verified, None),
        (Field::Evergreen, Some(FieldValue::Flag(true))),
        (Field::Id, Some(FieldValue::Text("it's \"new\": #1".into()))),
        (Field::VersionContext, Some(FieldValue::Text("2.0".into()))),
        (Field::Keywords, Some(words)),
        (Field::Keywords, None),
    ];
    let mut all = text.to_owned();
    for change in &changes {
        if let Some(edited) = edit(text, change) {
            assert_eq!(edit(&edited, change).as_deref(), Some(&*edited), "the same once more");
        }
        if let Some(edited) = edit(&all, change) {
            all = edited;
        }
    }
}

fn edit(text: &str, change: &Change) -> Option<String> {
    let before = read(text);
    let edited = match set_fields(text, std::slice::from_ref(change)) {
        Ok(edited) => edited,
        Err(error) => {
            one_line(&error.to_string());
            return None;
        }
    };
    let before = before.expect("what cannot be read is not edited");
    let after = read(&edited).expect("what was written can be read");
    if before.body > 0 {
        assert_eq!(edited[after.body..], text[before.body..], "the body stays");
    } else {
        let body = text.trim_start_matches('\u{feff}');
        assert!(edited.ends_with(body), "the body stays");
        // An empty line separates the text from new front matter.
        let gap = edited.len() - body.len() - after.body;
        assert!(edited == text || after.body > 0 && gap <= 2);
    }
    // At most one line differs.
    let (old, new): (Vec<_>, Vec<_>) =
        (text.split_inclusive('\n').collect(), edited.split_inclusive('\n').collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let front = old.iter().zip(&new).take_while(same).count();
    let back = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    assert!(before.body == 0 || front + back + 1 >= old.len().max(new.len()), "{edited:?}");
    let mut wanted = before.front;
    match change {
        (Field::Verified, Some(FieldValue::Time(at))) => {
            let day = at.as_millis() - at.as_millis().rem_euclid(86_400_000);
            let found = after.front.verified.map(Timestamp::as_millis);
            assert!(found == Some(at.as_millis()) || found == Some(day), "{found:?}");
            wanted.verified = after.front.verified;
        }
        (Field::Verified, _) => wanted.verified = None,
        (Field::Evergreen, _) => wanted.evergreen = true,
        (Field::Id, Some(FieldValue::Text(id))) => wanted.id = Some(id.clone()),
        (Field::VersionContext, Some(FieldValue::Text(version))) => {
            wanted.version_context = Some(version.clone());
        }
        (Field::Keywords, Some(FieldValue::Words(words))) => {
            wanted.keywords = words.iter().cloned().collect();
        }
        (Field::Keywords, _) => wanted.keywords.clear(),
        _ => unreachable!("no such change is made"),
    }
    assert_eq!(after.front, wanted, "what was set, and nothing else: {edited:?}");
    Some(edited)
}

thread_local! {
    static FOLDER: tempfile::TempDir = tempfile::tempdir().expect("a temporary folder");
}

/// Checks a project of up to three files without git.
fn whole(text: &str) {
    let folder = FOLDER.with(|folder| folder.path().to_owned());
    let names = ["AGENTS.md", "b.md", "src/a.rs"];
    let mut parts = text.splitn(names.len(), '\u{1e}');
    for name in names {
        put(&folder, name, parts.next().unwrap_or("fn known() {}\n"));
    }
    let options = CheckOptions::new(Timestamp::from_millis(MOMENT));
    let report = checked(&folder, LazyRepo::default, &options);
    report.skipped.iter().for_each(|each| one_line(&each.reason));
    for document in &report.documents {
        assert!(document.found.len() <= document.blocks as usize);
        for block in &document.found {
            assert!(block.line >= 1 && block.line <= block.last_line);
            one_line(&block.title);
            assert!(block.title.chars().count() <= 80);
            assert!(!block.evidence.is_empty());
        }
    }
}
