//! Stores of every released format are read as ever.

use std::path::Path;

use crate::support::*;
use rusqlite::Connection;
use staleness_core::ids::{
    AgentId, ClientId, DocumentKey, ItemId, ItemKey, Level, OpId, ProjectId, Scope, ServerKey,
    SessionId, SourceId, ToolKey, ToolName,
};
use staleness_core::journal::{Action, JournalEntry, Revision, Subject};
use staleness_core::knowledge::{
    Block, Citation, Cited, Contradiction, Document, Evidence, Fact, Item, ItemKind, Lines,
};
use staleness_core::outcome::{Mark, Outcome};
use staleness_core::project::{Project, Told};
use staleness_core::source::{Source, SourceState};
use staleness_core::store::View;
use staleness_core::tool::{
    Failing, Health, Hold, Holding, Presence, PresenceCause, Ring, RingEntry, Tool, ToolKind,
};

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

fn the_items() -> [Item; 2] {
    let id = |text: &str| ItemId::new(text).unwrap();
    let key = |scope: Scope| ItemKey { scope, id: id("deploy") };
    [
        Item {
            key: key(Scope::Global),
            kind: ItemKind::Todo,
            body: "Run the migration\nbefore \"deploying\".".into(),
            keywords: ["database".into(), "it's".into()].into(),
            path: Some("docs/deploy.md".into()),
            added_at: at(-5),
            updated_at: at(LATE),
            version_context: Some("2.4.0".into()),
            evergreen: true,
            due: Some(at(LATE + 1)),
            expires_at: Some(at(LATE + 2)),
            verified_at: Some(at(LATE + 3)),
            verified_commit: Some("c0ffee".into()),
            verifications: 4,
            citations: [
                Citation::of_path("a.rs"),
                Citation {
                    lines: Some(Lines { first: 1, last: 42 }),
                    symbol: Some("run".into()),
                    digest: Some("0f".into()),
                    ..Citation::of_path("b.rs")
                },
            ]
            .into(),
            supersedes: [id("older")].into(),
            superseded_by: [id("newer")].into(),
            related: [id("other")].into(),
            contradicted: Some(Contradiction {
                by: "agent".into(),
                reason: "it is not".into(),
                at: at(20),
            }),
            done_at: Some(at(20)),
            recalls: u64::MAX,
            recalls_since_edit: 3,
            recalled_at: Some(at(21)),
            recall_op: Some(op()),
        },
        Item::new(key(Scope::Project(project())), ItemKind::Preference, "", at(5)),
    ]
}

fn the_documents() -> [Document; 2] {
    let missing = Fact::SourceMissing {
        citation: Citation {
            lines: Some(Lines { first: 1, last: 2 }),
            ..Citation::of_path("a.rs")
        },
        gone: Cited::Lines,
        renamed_to: None,
        commit: Some("c0ffee".into()),
    };
    let marker = Evidence {
        fact: Fact::TemporalMarker { word: "soon".into() },
        line: Some(4),
        column: Some(2),
    };
    let block = Block {
        line: 3,
        last_line: 4,
        title: "Run it".into(),
        digest: u64::MAX,
        anchored_at: Some(at(20)),
        anchor: Some("c0ffee".into()),
        evidence: vec![marker, missing.into()],
    };
    [
        Document {
            key: DocumentKey { project: project(), path: "AGENTS.md".into() },
            loaded: true,
            checked_at: at(20),
            head: Some("c0ffee".into()),
            digest: the_project().config_digest,
            blocks: 12,
            found: vec![block],
        },
        Document {
            key: DocumentKey { project: project(), path: "README.md".into() },
            loaded: false,
            checked_at: at(20),
            head: None,
            digest: 0,
            blocks: 0,
            found: Vec::new(),
        },
    ]
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

fn make(path: &Path, scripts: &[&str]) -> Connection {
    let conn = Connection::open(path).unwrap();
    for script in scripts {
        conn.execute_batch(script).unwrap();
    }
    conn
}

const FORMAT_1: &str = include_str!("fixtures/format-1.sql");
const FORMAT_2: &str = include_str!("fixtures/format-2.sql");
const FORMAT_3: &str = include_str!("fixtures/format-3.sql");
const FORMAT_4: &str = include_str!("fixtures/format-4.sql");
const FORMAT_5: &str = include_str!("fixtures/format-5.sql");

fn format_of(path: &Path) -> (i64, i64) {
    let conn = Connection::open(path).unwrap();
    let one = |sql: &str| conn.query_row(sql, (), |row| row.get(0)).unwrap();
    (one("PRAGMA user_version"), one("SELECT format FROM meta"))
}

#[test]
fn format_2() {
    let (_folder, path) = fresh();
    make(&path, &[FORMAT_1, FORMAT_2]).close().unwrap();
    let store = open(&path);
    check(&store).unwrap();
    let seen = everything(&store).unwrap();
    is_the_fixture(&seen);
    assert_eq!(rows(&seen.knowledge), the_items());
    assert_eq!(rows(&seen.documents), the_documents());
}

/// What raises a format makes the tables that the fixture of the next one holds.
#[test]
fn a_raised_store_and_a_new_one_have_the_same_tables() {
    let schema = |path: &Path| -> Vec<String> {
        let conn = Connection::open(path).unwrap();
        let mut statement =
            conn.prepare("SELECT ifnull(sql, name) FROM sqlite_schema ORDER BY name").unwrap();
        let rows = statement.query_map((), |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    };
    let (_folder, new) = fresh();
    drop(open(&new));
    let all = [FORMAT_1, FORMAT_2, FORMAT_3, FORMAT_4, FORMAT_5];
    for count in 1..=all.len() {
        let scripts = &all[..count];
        let (_folder, path) = fresh();
        make(&path, scripts).close().unwrap();
        drop(open(&path));
        assert_eq!(schema(&path), schema(&new));
        assert_eq!(format_of(&path), (5, 5));
    }
}

/// A process that dies while it raises a store leaves it as it was.
#[test]
fn a_migration_that_is_cut_off_leaves_the_older_store() {
    let (_folder, path) = fresh();
    make(&path, &[FORMAT_1, "PRAGMA journal_mode = WAL"]).close().unwrap();
    let dying = Connection::open(&path).unwrap();
    // Pages go to the log as soon as they are written, long before the commit.
    dying.execute_batch("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE").unwrap();
    dying.execute_batch(FORMAT_2).unwrap();
    dying.execute_batch(FORMAT_3).unwrap();
    dying.execute_batch(FORMAT_4).unwrap();
    dying.execute_batch(FORMAT_5).unwrap();
    let (_other, copy) = fresh();
    for suffix in ["", "-wal"] {
        let with = |path: &Path| format!("{}{suffix}", path.display());
        std::fs::copy(with(&path), with(&copy)).unwrap();
    }
    drop(dying);
    for path in [path, copy] {
        let store = open(&path);
        check(&store).unwrap();
        let seen = everything(&store).unwrap();
        is_the_fixture(&seen);
        assert!(seen.knowledge.is_empty() && seen.documents.is_empty() && seen.work.is_empty());
        drop(store);
        assert_eq!(format_of(&path), (5, 5));
    }
}

#[test]
fn format_1() {
    let (_folder, path) = fresh();
    make(&path, &[FORMAT_1]).close().unwrap();
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
