//! Golden bytes that must never change, invalid bytes, and a second reader of the same bytes.

use proptest::prelude::*;
use proptest::test_runner::Config;
use staleness_conformance::arbitrary::{self, Reach};
use staleness_core::definition::{ChangeClass, Definition, DefinitionVersion, Finding, Part};
use staleness_core::ids::{
    AgentId, ClientId, DocumentKey, ItemId, ItemKey, Level, ModelId, OpId, ProjectId, Scope,
    ServerKey, SessionId, SourceId, ToolKey, ToolName, WorkId, WorkKey,
};
use staleness_core::journal::{Action, JournalEntry, Revision, Subject, SubjectKind};
use staleness_core::knowledge::{
    Block, Citation, Contradiction, Document, Fact, Gap, Item, ItemKind, Lines,
};
use staleness_core::outcome::{Mark, Outcome};
use staleness_core::project::Project;
use staleness_core::route::{
    Confidence, Precision, Prompted, Route, RouteId, RouteKey, RouteVector, Suggestions, Vector,
};
use staleness_core::session::{Cursor, CursorKey, OpenCall, Session, SessionKey};
use staleness_core::source::{Source, SourceState};
use staleness_core::time::Timestamp;
use staleness_core::tool::{
    Failing, Health, Hold, Listing, ListingState, Presence, PresenceCause, Ring, RingEntry, Tool,
    ToolKind,
};
use staleness_core::work::{Claim, NoteType, Work, WorkKind, WorkStatus, WorkStep};

use super::*;

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
        told: Revision(250),
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
        error: Some("e".into()),
    }
}

fn the_tool() -> Tool {
    Tool {
        key: key("t"),
        kind: ToolKind::McpTool,
        server: Some(ServerKey::new("srv").unwrap()),
        plugin: None,
        description: Some("é".into()),
        listings: vec![Listing { source: source_id(), state: ListingState::Configured }],
        used_by: vec![ClientId::new("c").unwrap()],
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
        defined_chars: Some(300),
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
        clients: vec![ClientId::new("c").unwrap()],
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
        gaps: vec![Gap::NoGit],
        blocks: 70_000,
        found: vec![block],
    }
}

fn route_key() -> RouteKey {
    RouteKey { project: project_id(), tool: ToolName::new("t").unwrap(), id: RouteId(1) }
}

fn the_route() -> Route {
    Route {
        key: route_key(),
        query: "q".into(),
        confidence: Confidence::new(0.95).unwrap(),
        uses: 251,
        created_at: at(-1),
        last_used_at: at(1),
        model: Some(ModelId::new("m").unwrap()),
        ops: vec![2, 3],
    }
}

fn the_vector() -> RouteVector {
    let vector = Vector::new(&[3.0, -4.0], Precision::F32).unwrap();
    RouteVector { key: route_key(), model: ModelId::new("m").unwrap(), vector }
}

fn the_definition() -> Definition {
    let part = Part { digest: "d".into(), text: "t".into(), chars: None };
    let found = [Finding::Hidden, Finding::Address("h".into(), "w".into())];
    Definition {
        key: ToolKey::global(ToolName::new("n").unwrap()),
        pinned_at: at(0),
        current: DefinitionVersion {
            description: Some(part),
            found: found.into(),
            ..DefinitionVersion::default()
        },
        since: at(1),
        previous: None,
        pending: Some(ChangeClass::Narrowed),
        changes: 7,
        journalled: Some((ChangeClass::Wording, at(1))),
    }
}

fn the_suggestions() -> Suggestions {
    let key = SessionKey { project: project_id(), id: SessionId::new("s").unwrap() };
    let prompt = Prompted { at: at(0), query: None, tools: Vec::new(), taught: Vec::new() };
    let turn = Some(OpId::new("t").unwrap());
    let call = OpenCall {
        op: OpId::new("o").unwrap(),
        tool: ToolName::new("n").unwrap(),
        turn,
        needs_permission: false,
        at: at(1),
    };
    Suggestions {
        key,
        made: 2,
        prompts: vec![prompt],
        calls: vec![call],
        claims: vec![(work_key(), at(2))],
    }
}

fn work_key() -> WorkKey {
    WorkKey { scope: Scope::Global, id: WorkId::new("w").unwrap() }
}

fn the_work() -> Work {
    let claim = Claim {
        agent: AgentId::new("a").unwrap(),
        session: Some(SessionId::new("s").unwrap()),
        at: at(5),
        until: at(6),
    };
    Work {
        status: WorkStatus::Closed,
        before: Some(WorkStatus::Open),
        author: Some("a".into()),
        from: Some("f".into()),
        note: NoteType::SessionEnd,
        generated: true,
        by_person: true,
        updated_at: at(-1),
        expires_at: Some(at(300)),
        refs: ["r".into()].into(),
        after: ["b".into()].into(),
        claim: Some(claim),
        steps: vec![WorkStep { text: "s".into(), at: at(4) }],
        ..Work::new(work_key(), WorkKind::Handoff, "é", at(1))
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
        told_at: Some(at(5)),
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

/// Formats bytes as hex digits and text.
fn shown(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses hex digits.
fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2)
        .map(|place| u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).unwrap())
        .collect()
}

/// Calls a macro with one record of each kind and its bytes in version 2.
macro_rules! golden {
    ($each:ident) => {
        $each!(Project, the_project(), "70020170022f720201fefffffffffffffffffffffffffffffffffa");
        $each!(
            Source,
            the_source(),
            "7302010170016303036d6370022f6302fc7011010005fdffffffffffffffff0004010165"
        );
        $each!(
            Tool,
            the_tool(),
            "740201700174020103737276000102c3a901010170016303036d6370000101630b0601010803\
            776879020108030301030afb2c01090c010e1001fb2c01"
        );
        $each!(
            Outcome,
            the_outcome(),
            "6f0207026f70017001740103737276020001670170016b01fd00d0ca9f17030000017000\
            01016101016301fbe803"
        );
        $each!(
            JournalEntry,
            the_entry(),
            "6a0201000201000178090106616374697665000377687901016e00010568756d616e0102\
            6f70010163"
        );
        $each!(
            Item,
            the_item(),
            "6b020001690202c3a901017701016d02040103312e320101060108010a0102633006555b\
            7b2270617468223a2261227d2c7b2270617468223a2262222c226c696e6573223a7b2266\
            69727374223a372c226c617374223a3330307d2c2273796d626f6c223a2266222c226469\
            67657374223a226430227d5d01016a01016b01016c01017801791001120a0b011801026f\
            70"
        );
        $each!(
            Document,
            the_document(),
            "6402017004612e6d640102010168020106fc70110100605b7b226c696e65223a332c226c6173\
            745f6c696e65223a342c227469746c65223a2274222c22646967657374223a352c226576\
            6964656e6365223a5b7b2266616374223a2272656c617465645f7374616c65222c226964\
            223a2269227d5d7d5d"
        );
        $each!(
            Work,
            the_work(),
            "77020001770309010702c3a901016101016600020101020101fb58020101720101620101610\
            101730a0c01017308"
        );
        $each!(Session, the_session(), "6502017001730161020104fa01010a");
        $each!(Cursor, the_cursor(), "630201700161fbfb0001017306");
        $each!(
            Route,
            the_route(),
            "720201700174203030303030303030303030303030303030303030303030303030303030\
            3030310171fc80d99f38fbfb00010201016d020203"
        );
        $each!(
            RouteVector,
            the_vector(),
            "760201700174203030303030303030303030303030303030303030303030303030303030\
            303031016d00089a99193fcdcc4cbf"
        );
        $each!(
            Definition,
            the_definition(),
            "690200016e00527b226465736372697074696f6e223a7b22646967657374223a226422\
            2c2274657874223a2274227d2c22666f756e64223a5b2268696464656e222c7b226164\
            6472657373223a5b2268222c2277225d7d5d7d02046e756c6c010207265b22776f7264\
            696e67222c22313937302d30312d30315430303a30303a30302e3030315a225d"
        );
        $each!(
            Suggestions,
            the_suggestions(),
            "670201700173021f5b7b226174223a22313937302d30312d30315430303a30303a30305a\
            227d5d425b7b226f70223a226f222c22746f6f6c223a226e222c227475726e223a227422\
            2c226174223a22313937302d30312d30315430303a30303a30302e3030315a227d5d0100017704"
        );
    };
}

#[test]
fn version_2_of_every_record_has_these_bytes_and_is_read_as_ever() {
    macro_rules! same {
        ($type:ty, $record:expr, $bytes:literal) => {
            assert_eq!(shown(&encode(&$record).unwrap()), $bytes);
            assert_eq!(decode::<$type>(&bytes($bytes)), Ok($record));
        };
    }
    golden!(same);
}

/// A new kind of record needs a new format.
#[test]
fn format_14_has_these_kinds_of_records() {
    let mut kinds = Vec::new();
    macro_rules! kind {
        ($type:ty, $record:expr, $bytes:literal) => {
            kinds.push(char::from(<$type as Coded>::KIND))
        };
    }
    golden!(kind);
    macro_rules! each {
        ($($rows:ident: $row:ty,)*) => {
            $(assert!(kinds.contains(&char::from(<$row as Coded>::KIND)), stringify!($rows));)*
        };
    }
    staleness_core::collections!(each);
    assert_eq!(
        (crate::collections::stored::FORMAT, String::from_iter(kinds)),
        (14, "pstojkdwecrvig".into())
    );
}

/// Claims lengths of gigabytes and more wherever a length is stored.
#[test]
fn a_hostile_length_a_cut_and_an_odd_byte_are_errors_at_most() {
    let huge: [&[u8]; 3] = [
        &[0xfc, 0xff, 0xff, 0xff, 0x7f],
        &[0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
        &[0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    ];
    macro_rules! hostile {
        ($type:ty, $record:expr, $bytes:literal) => {
            let (read, sound) = (decode::<$type>, bytes($bytes));
            assert_eq!(read(&sound), Ok($record));
            for place in 0..sound.len() {
                for length in huge {
                    let _ = read(&[&sound[..place], length, &sound[place..]].concat());
                }
                let mut odd = sound.clone();
                for bit in 0..8 {
                    odd[place] ^= 1 << bit;
                    let _ = read(&odd);
                }
                let what = if place < 2 { "kind" } else { "body" };
                assert_eq!(read(&sound[..place]), Err(Bad(what)), "{place}");
            }
            assert_eq!(read(&[sound.as_slice(), &[0]].concat()), Err(Bad("length")));
            for version in [0, 1, 3] {
                let other = [&[sound[0], version], &sound[2..]].concat();
                assert_eq!(read(&other), Err(Bad("version")));
            }
            assert_eq!(read(&[b"x", &sound[1..]].concat()), Err(Bad("kind")));
        };
    }
    golden!(hostile);
}

#[path = "codec_any_tests.rs"]
mod any_records;

#[path = "codec_limit_tests.rs"]
mod limits;
