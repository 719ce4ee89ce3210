//! Work items, sessions and cursors in exports and imports.

use std::ops::ControlFlow;
use std::sync::Arc;

use staleness_core::store::{Selection, View};
use staleness_core::transfer::{Checker, Record};
use staleness_core::{MemoryStore, Policy, Registry, Wait};

const PROJECT: &str = r#"{"kind":"project","row":{"id":"p","root":"/work/p","first_seen_at":"2026-01-01T00:00:00Z","last_seen_at":"2026-01-02T00:00:00Z","config_digest":"000000000000000000000000000000ab","told":0}}"#;
const WORK: &str = r#"{"kind":"work","row":{"key":{"scope":"p","id":"w"},"kind":"plan","status":"dropped","before":"blocked","text":"a\nb","author":"me","from":"f","to":"t","note":"observation","generated":true,"by_person":false,"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-03T00:00:00Z","expires_at":"2026-02-01T00:00:00Z","refs":["x","y"],"after":[],"claim":null,"steps":[{"text":"begun","at":"2026-01-02T00:00:00Z"}]}}"#;
const SESSION: &str = r#"{"kind":"session","row":{"key":{"project":"p","id":"s1"},"agent":"a","started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T01:00:00Z","from_revision":1,"first_contact":true,"told_at":null}}"#;
const CURSOR: &str = r#"{"kind":"cursor","row":{"key":{"project":"p","agent":"a"},"revision":1,"session":"s1","moved_at":"2026-01-01T00:30:00Z"}}"#;
const ADDED: &str = r#"{"kind":"journal","row":{"revision":1,"index":0,"at":"2026-01-01T00:00:00Z","subject":{"kind":"work","scope":"p","id":"w"},"action":"added","from":null,"to":"todo","cause":"by_hand","note":null,"session":null,"actor":null,"op":"o1","clients":[]}}"#;
const MOVED: &str = r#"{"kind":"journal","row":{"revision":2,"index":0,"at":"2026-01-03T00:00:00Z","subject":{"kind":"work","scope":"p","id":"w"},"action":"resolved","from":"blocked","to":"dropped","cause":"by_hand","note":null,"session":null,"actor":null,"op":"o2","clients":[]}}"#;

/// The format of version 1, written down: a change here is a change of the format.
const ALL: [&str; 7] = [Record::HEADER, PROJECT, WORK, SESSION, CURSOR, ADDED, MOVED];

fn registry() -> Registry {
    Registry::new(Arc::new(MemoryStore::new()), Policy::default())
}

/// Imports lines; how many work items, sessions and cursors were written.
fn import(registry: &Registry, lines: &[&str]) -> (u64, u64, u64) {
    let mut checker = Checker::new();
    let mut records = Vec::new();
    for line in lines {
        records.extend(checker.line(line).unwrap());
    }
    checker.finish().unwrap();
    let (projects, others): (Vec<Record>, Vec<Record>) =
        records.into_iter().partition(|row| matches!(row, Record::Project(_)));
    let mut importer = registry.admin().importer(false).wait().unwrap();
    for record in others.into_iter().chain(projects) {
        importer.put(record).wait().unwrap();
    }
    let new = importer.finish().wait().unwrap().imported;
    (new.work, new.sessions, new.cursors)
}

fn export(registry: &Registry) -> Vec<String> {
    let mut bytes = Vec::new();
    let mut visit = |page: View| {
        page.append_lines(&mut bytes);
        ControlFlow::Continue(())
    };
    registry.admin().pages(&Selection::records(), &mut visit).wait().unwrap();
    let text = String::from_utf8(bytes).unwrap();
    [Record::HEADER].into_iter().chain(text.lines()).map(str::to_owned).collect()
}

#[test]
fn work_sessions_and_cursors_are_read_and_written_as_they_are() {
    let registry = registry();
    assert_eq!(import(&registry, &ALL), (1, 1, 1));
    assert_eq!(export(&registry), ALL);
    assert_eq!(import(&registry, &ALL), (0, 0, 0), "importing twice is importing once");
    assert_eq!(export(&registry), ALL);
}

#[test]
fn of_a_work_item_the_record_stays_that_was_active_last() {
    let registry = registry();
    import(&registry, &ALL);
    let older = WORK.replace("2026-01-03", "2026-01-02").replace("a\\nb", "older");
    let newer = WORK.replace("2026-01-03", "2026-01-04").replace("a\\nb", "newer");
    assert_eq!(import(&registry, &[Record::HEADER, PROJECT, &older]), (0, 0, 0));
    assert_eq!(import(&registry, &[Record::HEADER, PROJECT, &newer]), (1, 0, 0));
    assert!(export(&registry)[2].contains("newer"));
}

#[test]
fn an_import_takes_no_open_item_from_its_holder() {
    let line = |day: &str, claim: &str| {
        WORK.replace(r#""status":"dropped","before":"blocked""#, r#""status":"todo","before":null"#)
            .replace("2026-01-03", day)
            .replace(r#""claim":null"#, &format!(r#""claim":{claim}"#))
    };
    let claim_of = |session: &str, until: &str| {
        let at = r#""at":"2026-01-03T00:00:00Z""#;
        format!(r#"{{"agent":"a","session":"{session}",{at},"until":"{until}T00:00:00Z"}}"#)
    };
    let claim = |until: &str| claim_of("s1", until);
    let registry = registry();
    let held = line("2026-01-03", &claim("2026-01-05"));
    import(&registry, &[Record::HEADER, PROJECT, &held]);
    import(&registry, &[Record::HEADER, PROJECT, &line("2026-01-04", "null")]);
    let of_another = line("2026-01-04", &claim_of("s2", "2026-01-20"));
    import(
        &registry,
        &[Record::HEADER, PROJECT, &of_another.replace("04T00:00:00Z", "04T00:00:01Z")],
    );
    let kept = export(&registry).remove(2);
    assert!(!kept.contains("s2"), "{kept}");
    assert!(kept.contains("2026-01-04") && kept.contains("2026-01-05T00:00:00Z"), "{kept}");
    let ended = line("2026-01-06", "null").replace("\"todo\"", "\"done\"");
    import(&registry, &[Record::HEADER, PROJECT, &ended]);
    assert!(!export(&registry).remove(2).contains("until"), "an end ends a claim");

    let long = line("2026-01-03", &claim("2026-02-05"));
    let mut checker = Checker::new();
    for line in [Record::HEADER, PROJECT] {
        checker.line(line).unwrap();
    }
    let why = checker.line(&long).unwrap_err().to_string();
    assert!(why.contains("a claim lasts at most 30 days"), "{why}");
}
