//! The exit: `wincode` with variable-length integers reads and writes the same bytes, by structs that
//! share nothing with ours. The day bincode cannot be kept, the format need not change.

use wincode::config::Configuration;
use wincode::{SchemaRead, SchemaWrite};

use super::*;

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Project {
    root: String,
    first_seen_at: i64,
    last_seen_at: i64,
    config_digest: u128,
    told: u64,
    told_session: Option<String>,
    told_from: u64,
}

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Source {
    path: String,
    state: u8,
    found: u32,
    digest: u128,
    readings: u64,
    last_read_at: Option<i64>,
    last_scan_at: i64,
}

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Holding {
    project: Option<String>,
    client: String,
    level: u8,
    part: String,
    held: bool,
    disabled: bool,
}

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Tool {
    kind: u8,
    server: Option<String>,
    plugin: Option<String>,
    description: Option<String>,
    holdings: Vec<Holding>,
    cause: u8,
    cause_since: i64,
    revived: bool,
    failing: Option<(i64, String)>,
    demotions: u32,
    last_demoted_at: Option<i64>,
    window: u8,
    hold: u8,
    ring: Vec<(u8, i64, u64)>,
    uses: u64,
    discovered_at: i64,
    last_used_at: Option<i64>,
    updated_at: i64,
}

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Outcome {
    at: i64,
    mark: u8,
    op: String,
    scope: String,
    tool: String,
    server: Option<String>,
    credits: Vec<(String, String)>,
    project: String,
    session: Option<String>,
    agent: Option<String>,
    client: Option<String>,
    duration_ms: Option<u64>,
}

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Entry {
    at: i64,
    kind: u8,
    scope: String,
    subject: String,
    action: u8,
    before: Option<String>,
    after: Option<String>,
    cause: String,
    note: Option<String>,
    session: Option<String>,
    actor: Option<String>,
    op: Option<String>,
}

/// Path, first and last line, symbol, digest.
type Citation = (String, Option<(u32, u32)>, Option<String>, Option<String>);

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Item {
    kind: u8,
    body: String,
    keywords: Vec<String>,
    path: Option<String>,
    added_at: i64,
    updated_at: i64,
    version_context: Option<String>,
    evergreen: bool,
    due: Option<i64>,
    expires_at: Option<i64>,
    verified_at: Option<i64>,
    verified_commit: Option<String>,
    verifications: u32,
    citations: Vec<Citation>,
    supersedes: Vec<String>,
    superseded_by: Vec<String>,
    related: Vec<String>,
    contradicted: Option<(String, String, i64)>,
    done_at: Option<i64>,
    recalls: u64,
    recalls_since_edit: u64,
    recalled_at: Option<i64>,
    recall_op: Option<String>,
}

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Document {
    loaded: bool,
    checked_at: i64,
    head: Option<String>,
    digest: u128,
    blocks: u32,
    found: Option<String>,
}

macro_rules! there_and_back {
    ($record:ty, $bytes:expr) => {{
        let config = Configuration::default().with_varint_encoding();
        let read: $record =
            wincode::config::deserialize_exact(&$bytes[2..], config).expect("the same format");
        let written = wincode::config::serialize(&read, config).expect("the same format");
        assert_eq!(shown(&written), shown(&$bytes[2..]));
        read
    }};
}

#[test]
fn reads_and_writes_the_golden_bytes() {
    assert_eq!(there_and_back!(Project, bytes(PROJECT)).told, 250);
    assert_eq!(there_and_back!(Source, bytes(SOURCE)).found, 70_000);
    assert_eq!(there_and_back!(Tool, bytes(TOOL)).ring, [(3, 5, 300)]);
    assert_eq!(there_and_back!(Outcome, bytes(OUTCOME)).duration_ms, Some(1_000));
    assert_eq!(there_and_back!(Entry, bytes(ENTRY)).note.as_deref(), Some("n"));
    assert_eq!(there_and_back!(Item, bytes(ITEM)).recalls_since_edit, 11);
    assert_eq!(there_and_back!(Document, bytes(DOCUMENT)).blocks, 70_000);
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn reads_and_writes_any_record(
        project in arbitrary::project(Reach::Wide),
        source in arbitrary::source(Reach::Wide),
        tool in arbitrary::tool(Reach::Wide),
        outcome in arbitrary::outcome(Reach::Wide),
        entry in arbitrary::journal_entry(Reach::Wide),
        item in arbitrary::item(Reach::Wide),
        document in arbitrary::document(Reach::Wide),
    ) {
        there_and_back!(Project, encode_project(&project).unwrap());
        there_and_back!(Source, encode_source(&source).unwrap());
        there_and_back!(Tool, encode_tool(&tool).unwrap());
        there_and_back!(Outcome, encode_outcome(&outcome).unwrap());
        there_and_back!(Entry, encode_entry(&entry).unwrap());
        there_and_back!(Item, encode_item(&item).unwrap());
        there_and_back!(Document, encode_document(&document).unwrap());
    }
}
