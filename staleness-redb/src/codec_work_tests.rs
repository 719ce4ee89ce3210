//! The bytes of work items, sessions and cursors.

use staleness_core::ids::{WorkId, WorkKey};
use staleness_core::session::{Cursor, CursorKey, Session, SessionKey};
use staleness_core::work::{NoteType, Work, WorkKind, WorkStatus, WorkStep};
use wincode::config::Configuration;

use super::*;

fn the_work() -> Work {
    let key = WorkKey { scope: Scope::Global, id: WorkId::new("w").unwrap() };
    Work {
        status: WorkStatus::Closed,
        before: Some(WorkStatus::Open),
        author: Some("a".into()),
        from: Some("f".into()),
        note: NoteType::SessionEnd,
        generated: true,
        updated_at: at(-1),
        expires_at: Some(at(300)),
        refs: ["r".into()].into(),
        steps: vec![WorkStep { text: "s".into(), at: at(4) }],
        ..Work::new(key, WorkKind::Handoff, "é", at(1))
    }
}

fn the_session() -> Session {
    Session {
        key: SessionKey { project: project_id(), id: SessionId::new("s").unwrap() },
        agent: AgentId::new("a").unwrap(),
        started_at: at(1),
        ended_at: Some(at(2)),
        from_revision: Revision(250),
        first_contact: true,
    }
}

fn the_cursor() -> Cursor {
    Cursor {
        key: CursorKey { project: project_id(), agent: AgentId::new("a").unwrap() },
        revision: Revision(251),
        session: Some(SessionId::new("s").unwrap()),
        moved_at: at(3),
    }
}

const WORK: &str = "77010903010702c3a9010161010166000201020101fb580201017201017308";
const SESSION: &str = "65010161020104fa01";
const CURSOR: &str = "6301fbfb0001017306";

#[test]
fn version_1_has_these_bytes_and_is_read_as_ever() {
    assert_eq!(shown(&encode_work(&the_work()).unwrap()), WORK);
    assert_eq!(shown(&encode_session(&the_session()).unwrap()), SESSION);
    assert_eq!(shown(&encode_cursor(&the_cursor()).unwrap()), CURSOR);
    assert_eq!(decode_work(the_work().key, &bytes(WORK)), Ok(the_work()));
    assert_eq!(decode_session(the_session().key, &bytes(SESSION)), Ok(the_session()));
    assert_eq!(decode_cursor(the_cursor().key, &bytes(CURSOR)), Ok(the_cursor()));
}

/// As another program would read them, by structs that share nothing with ours.
#[test]
fn another_reader_reads_the_same() {
    type Steps = Vec<(String, i64)>;
    #[derive(Debug, PartialEq, wincode::SchemaRead, wincode::SchemaWrite)]
    struct Plan {
        words: (u8, u8, Option<u8>),
        texts: (String, Option<String>, Option<String>, Option<String>),
        sort: (u8, bool),
        times: (i64, i64, Option<i64>),
        lists: (Vec<String>, Steps),
    }
    let config = Configuration::default().with_varint_encoding();
    let read: Plan = wincode::config::deserialize(&bytes(WORK)[2..], config).unwrap();
    assert_eq!(read.words, (9, 3, Some(7)));
    assert_eq!(read.times, (1, -1, Some(300)));
    assert_eq!(read.lists, (vec!["r".into()], vec![("s".into(), 4)]));
}

#[test]
fn numbers_of_words_cover_every_word() {
    assert!(WorkKind::ALL.iter().all(|word| number(&WORK_KINDS, word).is_ok()));
    assert!(WorkStatus::ALL.iter().all(|word| number(&WORK_STATES, word).is_ok()));
    assert!(NoteType::ALL.iter().all(|word| number(&NOTES, word).is_ok()));
}

/// A text and fields to the limits that the registry has for them.
#[test]
fn the_largest_work_item_fits() {
    let row = Work {
        text: "x".repeat(Work::MAX_TEXT_BYTES),
        steps: (0..1_000).map(|_| WorkStep { text: "x".repeat(500), at: at(i64::MAX) }).collect(),
        ..the_work()
    };
    row.check().unwrap();
    let bytes = encode_work(&row).unwrap();
    assert_eq!(decode_work(row.key.clone(), &bytes), Ok(row));
}

#[test]
fn hostile_lengths_and_unknown_words_are_errors() {
    let (work, session, cursor) = (bytes(WORK), bytes(SESSION), bytes(CURSOR));
    let huge = [0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    for (sound, kind) in [(&work, 0), (&session, 1), (&cursor, 2)] {
        for place in 2..sound.len() {
            let hostile = [&sound[..place], &huge, &sound[place..]].concat();
            assert!(match kind {
                0 => decode_work(the_work().key, &hostile).is_err(),
                1 => decode_session(the_session().key, &hostile).is_err(),
                _ => decode_cursor(the_cursor().key, &hostile).is_err(),
            });
        }
    }
    let mut odd = work;
    odd[2] = 15;
    assert_eq!(decode_work(the_work().key, &odd), Err(Bad("status")));
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn work_items_come_back(row in arbitrary::work(Reach::Wide)) {
        let bytes = encode_work(&row).unwrap();
        prop_assert_eq!(decode_work(row.key.clone(), &bytes), Ok(row));
    }

    #[test]
    fn sessions_and_cursors_come_back(
        session in arbitrary::session(Reach::Wide),
        cursor in arbitrary::cursor(Reach::Wide),
    ) {
        let bytes = encode_session(&session).unwrap();
        prop_assert_eq!(decode_session(session.key.clone(), &bytes), Ok(session));
        let bytes = encode_cursor(&cursor).unwrap();
        prop_assert_eq!(decode_cursor(cursor.key.clone(), &bytes), Ok(cursor));
    }

    #[test]
    fn any_bytes_are_an_error_or_a_record(
        kind in prop::sample::select(vec![b'w', b'e', b'c']),
        body in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let bytes = [&[kind, 1], body.as_slice()].concat();
        let again = match kind {
            b'w' => decode_work(the_work().key, &bytes).map(|row| encode_work(&row)),
            b'e' => decode_session(the_session().key, &bytes).map(|row| encode_session(&row)),
            _ => decode_cursor(the_cursor().key, &bytes).map(|row| encode_cursor(&row)),
        };
        if let Ok(again) = again {
            prop_assert!(again.unwrap().len() <= bytes.len());
        }
    }
}
