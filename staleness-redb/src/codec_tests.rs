//! Bytes that are kept for ever, bytes that mean nothing, and another reader of the same bytes.

use proptest::prelude::*;
use proptest::test_runner::Config;
use staleness_conformance::arbitrary::{self, Reach};
use staleness_core::ids::{
    AgentId, ClientId, DocumentKey, ItemId, ItemKey, Level, OpId, ProjectId, Scope, ServerKey,
    SessionId, SourceId, ToolKey, ToolName,
};
use staleness_core::journal::{Action, JournalEntry, Revision, Subject, SubjectKind};
use staleness_core::knowledge::{
    Block, Citation, Contradiction, Document, Fact, Item, ItemKind, Lines,
};
use staleness_core::outcome::{Mark, Outcome};
use staleness_core::project::{Project, Told};
use staleness_core::source::{Source, SourceState};
use staleness_core::time::Timestamp;
use staleness_core::tool::{
    Failing, Health, Hold, Holding, Presence, PresenceCause, Ring, RingEntry, Tool, ToolKind,
};

use super::*;
use crate::records::*;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn project_id() -> ProjectId {
    ProjectId::new("p").unwrap()
}

fn source_id() -> SourceId {
    SourceId {
        project: Some(project_id()),
        client: "c".into(),
        level: Level::Live,
        part: "mcp".into(),
    }
}

fn key(name: &str) -> ToolKey {
    ToolKey::project(project_id(), ToolName::new(name).unwrap())
}

fn the_project() -> Project {
    Project {
        id: project_id(),
        root: "/r".into(),
        first_seen_at: at(1),
        last_seen_at: at(-1),
        config_digest: u128::MAX,
        told: Told {
            revision: Revision(250),
            session: Some(SessionId::new("s").unwrap()),
            from: Revision(251),
        },
    }
}

fn the_source() -> Source {
    Source {
        id: source_id(),
        path: "/c".into(),
        state: SourceState::Partial,
        found: 70_000,
        digest: 5,
        readings: u64::MAX,
        last_read_at: None,
        last_scan_at: at(2),
    }
}

fn the_tool() -> Tool {
    Tool {
        key: key("t"),
        kind: ToolKind::McpTool,
        server: Some(ServerKey::new("srv").unwrap()),
        plugin: None,
        description: Some("é".into()),
        holdings: vec![Holding { source: source_id(), held: true, disabled: false }],
        presence: Presence { cause: PresenceCause::NotListed, since: at(3), revived: true },
        health: Health {
            failing: Some(Failing { since: at(4), cause: "why".into() }),
            demotions: 2,
            last_demoted_at: Some(at(4)),
            window: 3,
        },
        hold: Hold::Ignored,
        ring: Ring::from_entries([RingEntry { mark: Mark::Offline, at: at(5), op: 300 }]),
        uses: 9,
        discovered_at: at(6),
        last_used_at: Some(at(7)),
        updated_at: at(8),
    }
}

fn the_outcome() -> Outcome {
    Outcome {
        seq: 7,
        op: OpId::new("op").unwrap(),
        tool: key("t"),
        server: Some(ServerKey::new("srv").unwrap()),
        credits: vec![ToolKey::global(ToolName::new("g").unwrap()), key("k")],
        mark: Mark::Failure,
        at: at(1_700_000_000_000),
        project: project_id(),
        session: None,
        agent: Some(AgentId::new("a").unwrap()),
        client: Some(ClientId::new("c").unwrap()),
        duration_ms: Some(1_000),
    }
}

fn the_entry() -> JournalEntry {
    JournalEntry {
        revision: Revision(1),
        index: 0,
        at: at(1),
        subject: Subject { kind: SubjectKind::Project, scope: Scope::Global, id: "x".into() },
        action: Action::Forgotten,
        from: Some("active".into()),
        to: None,
        cause: "why".into(),
        note: Some("n".into()),
        session: None,
        actor: Some(AgentId::new("human").unwrap()),
        op: Some(OpId::new("op").unwrap()),
    }
}

fn item_key() -> ItemKey {
    ItemKey { scope: Scope::Global, id: ItemId::new("i").unwrap() }
}

fn the_item() -> Item {
    let ids = |text: &str| [ItemId::new(text).unwrap()].into();
    Item {
        keywords: ["w".into()].into(),
        path: Some("m".into()),
        updated_at: at(2),
        version_context: Some("1.2".into()),
        evergreen: true,
        due: Some(at(3)),
        expires_at: Some(at(4)),
        verified_at: Some(at(5)),
        verified_commit: Some("c0".into()),
        verifications: 6,
        citations: [
            Citation::of_path("a"),
            Citation {
                lines: Some(Lines { first: 7, last: 300 }),
                symbol: Some("f".into()),
                digest: Some("d0".into()),
                ..Citation::of_path("b")
            },
        ]
        .into(),
        supersedes: ids("j"),
        superseded_by: ids("k"),
        related: ids("l"),
        contradicted: Some(Contradiction { by: "x".into(), reason: "y".into(), at: at(8) }),
        done_at: Some(at(9)),
        recalls: 10,
        recalls_since_edit: 11,
        recalled_at: Some(at(12)),
        recall_op: Some(OpId::new("op").unwrap()),
        ..Item::new(item_key(), ItemKind::Todo, "é", at(1))
    }
}

fn document_key() -> DocumentKey {
    DocumentKey { project: project_id(), path: "a.md".into() }
}

fn the_document() -> Document {
    let block = Block {
        line: 3,
        last_line: 4,
        title: "t".into(),
        digest: 5,
        anchored_at: None,
        anchor: None,
        evidence: vec![Fact::RelatedStale { id: "i".into() }.into()],
    };
    Document {
        key: document_key(),
        loaded: true,
        checked_at: at(1),
        head: Some("h".into()),
        digest: 2,
        blocks: 70_000,
        found: vec![block],
    }
}

/// A record's bytes, as hexadecimal digits and texts.
fn shown(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

const PROJECT: &str = "7001\
    022f720201feffffffffffffffffffffffffffffffff\
    fa010173fbfb00";
const SOURCE: &str = "7301\
    022f6302fc7011010005fdffffffffffffffff0004";
const TOOL: &str = "7401020103737276000102c3a901010170016303036d63700100070601010803776879020108030301030afb2c01090c010e10";
const OUTCOME: &str =
    "6f01fd00d0ca9f1703000001026f70017001740103737276020001670170016b01700001016101016301fbe803";
const ITEM: &str = "6b010202c3a901017701016d02040103312e320101060108010a0102633006020161\
    00000001620107fb2c010101660102643001016a01016b01016c01017801791001120a0b011801026f70";
const DOCUMENT: &str = "64010102010168\
    02fc701101000160\
    5b7b226c696e65223a332c226c6173745f6c696e65223a342c227469746c65223a2274222c22646967657374223a352c\
    2265766964656e6365223a5b7b2266616374223a2272656c617465645f7374616c65222c226964223a2269227d5d7d5d";
const ENTRY: &str = "6a010201000178090106616374697665000377687901016e00010568756d616e01026f70";

#[test]
fn version_1_of_every_record_has_these_bytes() {
    assert_eq!(shown(&encode_project(&the_project()).unwrap()), PROJECT);
    assert_eq!(shown(&encode_source(&the_source()).unwrap()), SOURCE);
    assert_eq!(shown(&encode_tool(&the_tool()).unwrap()), TOOL);
    assert_eq!(shown(&encode_outcome(&the_outcome()).unwrap()), OUTCOME);
    assert_eq!(shown(&encode_entry(&the_entry()).unwrap()), ENTRY);
    assert_eq!(shown(&encode_item(&the_item()).unwrap()), ITEM);
    assert_eq!(shown(&encode_document(&the_document()).unwrap()), DOCUMENT);
}

/// The bytes of hexadecimal digits.
fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2)
        .map(|place| u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).unwrap())
        .collect()
}

#[test]
fn these_bytes_are_read_as_ever() {
    assert_eq!(decode_project(project_id(), &bytes(PROJECT)), Ok(the_project()));
    assert_eq!(decode_source(source_id(), &bytes(SOURCE)), Ok(the_source()));
    assert_eq!(decode_tool(key("t"), &bytes(TOOL)), Ok(the_tool()));
    assert_eq!(decode_outcome(7, &bytes(OUTCOME)), Ok(the_outcome()));
    assert_eq!(outcome_time(&bytes(OUTCOME)), Ok(the_outcome().at));
    assert_eq!(decode_entry(Revision(1), 0, &bytes(ENTRY)), Ok(the_entry()));
    assert_eq!(decode_item(item_key(), &bytes(ITEM)), Ok(the_item()));
    assert_eq!(decode_document(document_key(), &bytes(DOCUMENT)), Ok(the_document()));
}

#[test]
fn numbers_of_words_cover_every_word() {
    assert!(Level::ALL.iter().all(|word| number(&LEVELS, word).is_ok()));
    assert!(ToolKind::ALL.iter().all(|word| number(&TOOL_KINDS, word).is_ok()));
    assert!(PresenceCause::ALL.iter().all(|word| number(&CAUSES, word).is_ok()));
    assert!(Hold::ALL.iter().all(|word| number(&HOLDS, word).is_ok()));
    assert!(Mark::ALL.iter().all(|word| number(&MARKS, word).is_ok()));
    assert!(SourceState::ALL.iter().all(|word| number(&STATES, word).is_ok()));
    assert!(SubjectKind::ALL.iter().all(|word| number(&SUBJECTS, word).is_ok()));
    assert!(ItemKind::ALL.iter().all(|word| number(&ITEM_KINDS, word).is_ok()));
    assert!(Action::ALL.iter().all(|word| number(&ACTIONS, word).is_ok()));
}

#[test]
fn another_kind_version_or_length_is_refused() {
    let sound = bytes(PROJECT);
    let read = |bytes: &[u8]| decode_project(project_id(), bytes).unwrap_err();
    let with = |place: usize, byte: u8| {
        let mut bytes = sound.clone();
        bytes[place] = byte;
        bytes
    };
    assert_eq!(read(&with(0, b's')), Bad("kind"));
    assert_eq!(read(&with(1, 2)), Bad("version"));
    assert_eq!(read(&with(1, 0)), Bad("version"));
    assert_eq!(read(&[sound.as_slice(), &[0]].concat()), Bad("length"));
    for length in 2..sound.len() {
        assert_eq!(read(&sound[..length]), Bad("body"), "{length}");
    }
    assert_eq!(read(&[]), Bad("kind"));
    assert_eq!(read(b"p"), Bad("kind"));
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn projects_come_back(row in arbitrary::project(Reach::Wide)) {
        let bytes = encode_project(&row).unwrap();
        prop_assert_eq!(decode_project(row.id.clone(), &bytes), Ok(row));
    }

    #[test]
    fn sources_come_back(row in arbitrary::source(Reach::Wide)) {
        let bytes = encode_source(&row).unwrap();
        prop_assert_eq!(decode_source(row.id.clone(), &bytes), Ok(row));
    }

    #[test]
    fn tools_come_back(row in arbitrary::tool(Reach::Wide)) {
        let bytes = encode_tool(&row).unwrap();
        prop_assert_eq!(decode_tool(row.key.clone(), &bytes), Ok(row));
    }

    #[test]
    fn outcomes_come_back(row in arbitrary::outcome(Reach::Wide)) {
        let bytes = encode_outcome(&row).unwrap();
        prop_assert_eq!(outcome_time(&bytes), Ok(row.at));
        prop_assert_eq!(decode_outcome(row.seq, &bytes), Ok(row));
    }

    #[test]
    fn items_come_back(row in arbitrary::item(Reach::Wide)) {
        let bytes = encode_item(&row).unwrap();
        prop_assert_eq!(decode_item(row.key.clone(), &bytes), Ok(row));
    }

    #[test]
    fn documents_come_back(row in arbitrary::document(Reach::Wide)) {
        let bytes = encode_document(&row).unwrap();
        prop_assert_eq!(decode_document(row.key.clone(), &bytes), Ok(row));
    }

    #[test]
    fn entries_come_back(row in arbitrary::journal_entry(Reach::Wide)) {
        let bytes = encode_entry(&row).unwrap();
        prop_assert_eq!(decode_entry(row.revision, row.index, &bytes), Ok(row));
    }

    /// Whatever is read at all is written as the same bytes again.
    #[test]
    fn any_bytes_are_an_error_or_a_record(
        kind in prop::sample::select(vec![b'p', b's', b't', b'o', b'j', b'k', b'd', b'x']),
        version in 0..3_u8,
        body in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let bytes = [&[kind, version], body.as_slice()].concat();
        let _ = outcome_time(&bytes);
        let again = match kind {
            b'p' => decode_project(project_id(), &bytes).map(|row| encode_project(&row)),
            b's' => decode_source(source_id(), &bytes).map(|row| encode_source(&row)),
            b't' => decode_tool(key("t"), &bytes).map(|row| encode_tool(&row)),
            b'o' => decode_outcome(7, &bytes).map(|row| encode_outcome(&row)),
            b'k' => decode_item(item_key(), &bytes).map(|row| encode_item(&row)),
            b'd' => decode_document(document_key(), &bytes).map(|row| encode_document(&row)),
            _ => decode_entry(Revision(1), 0, &bytes).map(|row| encode_entry(&row)),
        };
        if let Ok(again) = again {
            // A number may come in more bytes than it needs; then the record is shorter again.
            prop_assert!(again.unwrap().len() <= bytes.len());
        }
    }

    /// A flipped bit or a cut in a sound record is an error or another record.
    #[test]
    fn damaged_records_are_errors_at_most(
        row in arbitrary::tool(Reach::Wide),
        place in any::<prop::sample::Index>(),
        bit in 0..8_u8,
        cut in any::<bool>(),
    ) {
        let mut bytes = encode_tool(&row).unwrap();
        let place = place.index(bytes.len());
        if cut { bytes.truncate(place) } else { bytes[place] ^= 1 << bit }
        let _ = decode_tool(row.key, &bytes);
    }
}

#[path = "codec_limit_tests.rs"]
mod limits;

#[path = "codec_route_tests.rs"]
mod routes;

#[path = "codec_work_tests.rs"]
mod work;

#[path = "wincode_tests.rs"]
mod another_reader;
