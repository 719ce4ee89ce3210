//! Stores of every released format are read as ever.

mod support;

use rusqlite::Connection;
use staleness_core::ids::{
    AgentId, ClientId, Level, OpId, ProjectId, Scope, ServerKey, SessionId, SourceId, ToolKey,
    ToolName,
};
use staleness_core::journal::{Action, JournalEntry, Revision, Subject};
use staleness_core::outcome::{Mark, Outcome};
use staleness_core::project::{Project, Told};
use staleness_core::source::{Source, SourceState};
use staleness_core::store::View;
use staleness_core::tool::{
    Failing, Health, Hold, Holding, Presence, PresenceCause, Ring, RingEntry, Tool, ToolKind,
};
use support::*;

const LATE: i64 = 1_800_000_000_000;
const REASON: &str = "3 of the last 5 uses failed";

fn project() -> ProjectId {
    ProjectId::new("00112233445566ff").unwrap()
}

fn session() -> SessionId {
    SessionId::new("session").unwrap()
}

fn op() -> OpId {
    OpId::new("op").unwrap()
}

fn source(project: Option<ProjectId>, client: &str, level: Level) -> SourceId {
    SourceId { project, client: client.into(), level, part: "mcp".into() }
}

fn the_project() -> Project {
    Project {
        id: project(),
        root: "/home/a/p".into(),
        first_seen_at: at(1),
        last_seen_at: at(LATE),
        config_digest: 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f,
        told: Told { revision: Revision(2), session: Some(session()), from: Revision(1) },
    }
}

fn the_sources() -> [Source; 2] {
    [
        Source {
            id: source(None, "claude-code", Level::User),
            path: "/home/a/.claude.json".into(),
            state: SourceState::Read,
            found: 2,
            digest: u128::MAX,
            readings: 5,
            last_read_at: Some(at(LATE)),
            last_scan_at: at(LATE + 1),
        },
        Source {
            id: source(Some(project()), "claude-code", Level::Local),
            path: String::new(),
            state: SourceState::Missing,
            found: 0,
            digest: 0,
            readings: u64::MAX,
            last_read_at: None,
            last_scan_at: at(LATE + 1),
        },
    ]
}

fn the_tools() -> [Tool; 2] {
    let ring = RingEntry { mark: Mark::Failure, at: at(10), op: (1 << 63) + 1 };
    [
        Tool {
            key: key("mcp__s__t"),
            kind: ToolKind::McpTool,
            server: Some(ServerKey::new("s").unwrap()),
            plugin: Some(ToolName::new("plug").unwrap()),
            description: Some("It does.".into()),
            holdings: vec![Holding {
                source: source(None, "c", Level::User),
                held: true,
                disabled: false,
            }],
            presence: Presence::new(PresenceCause::Configured, at(10)),
            health: Health {
                failing: Some(Failing { since: at(20), cause: REASON.into() }),
                demotions: 1,
                last_demoted_at: Some(at(20)),
                window: 3,
            },
            hold: Hold::None,
            ring: Ring::from_entries([ring]),
            uses: 3,
            discovered_at: at(5),
            last_used_at: Some(at(20)),
            updated_at: at(21),
        },
        Tool {
            key: ToolKey::project(project(), ToolName::new("Bash").unwrap()),
            kind: ToolKind::Builtin,
            server: None,
            plugin: None,
            description: None,
            holdings: Vec::new(),
            presence: Presence { cause: PresenceCause::Used, since: at(-5), revived: true },
            health: Health::default(),
            hold: Hold::Pinned,
            ring: Ring::default(),
            uses: u64::MAX,
            discovered_at: at(-5),
            last_used_at: None,
            updated_at: at(-5),
        },
    ]
}

fn the_outcome() -> Outcome {
    Outcome {
        seq: 7,
        op: op(),
        tool: key("mcp__s__t"),
        server: Some(ServerKey::new("s").unwrap()),
        credits: vec![key("/")],
        mark: Mark::Failure,
        at: at(20),
        project: project(),
        session: Some(session()),
        agent: Some(AgentId::new("agent").unwrap()),
        client: Some(ClientId::new("claude-code").unwrap()),
        duration_ms: Some(u64::MAX),
    }
}

fn the_entry() -> JournalEntry {
    JournalEntry {
        revision: Revision(3),
        index: 0,
        at: at(20),
        subject: Subject::tool(&ToolKey {
            scope: Scope::Global,
            name: ToolName::new("mcp__s__t").unwrap(),
        }),
        action: Action::Failing,
        from: Some("active".into()),
        to: Some("demoted".into()),
        cause: REASON.into(),
        note: Some("a note".into()),
        session: Some(session()),
        actor: Some(AgentId::new("agent").unwrap()),
        op: Some(op()),
    }
}

fn rows<K, R: Clone>(rows: &std::collections::BTreeMap<K, R>) -> Vec<R> {
    rows.values().cloned().collect()
}

fn is_the_fixture(view: &View) {
    assert_eq!(view.revision, Revision(3));
    assert_eq!(rows(&view.projects), [the_project()]);
    assert_eq!(rows(&view.sources), the_sources());
    assert_eq!(rows(&view.tools), the_tools());
    assert_eq!(rows(&view.outcomes), [the_outcome()]);
    assert_eq!(rows(&view.journal), [the_entry()]);
}

#[test]
fn format_1() {
    let (_folder, path) = fresh();
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch(include_str!("fixtures/format-1.sql")).unwrap();
    conn.close().unwrap();
    let store = open(&path);
    check(&store).unwrap();
    is_the_fixture(&everything(&store).unwrap());
    // The numbers go on behind the floor, which is 40.
    let commit = transact(&store, use_tool("later", 9)).unwrap();
    assert_eq!(commit.changes.outcomes[0].seq, 41);
    drop(store);
    let store = open(&path);
    check(&store).unwrap();
    assert_eq!(everything(&store).unwrap().outcomes.len(), 2);
}
