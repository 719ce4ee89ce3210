//! A way out if bincode is abandoned: `wincode` with variable-length integers reads and writes the same
//! bytes, with structs that share nothing with ours. The format would not need to change.

use wincode::config::Configuration;
use wincode::{SchemaRead, SchemaWrite};

use super::*;

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Project {
    id: String,
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
    id: (Option<String>, String, u8, String),
    path: String,
    state: u8,
    found: u32,
    digest: u128,
    readings: u64,
    last_read_at: Option<i64>,
    last_scan_at: i64,
    error: Option<String>,
}

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Listing {
    project: Option<String>,
    client: String,
    level: u8,
    part: String,
    state: u8,
}

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Tool {
    key: (String, String),
    kind: u8,
    server: Option<String>,
    plugin: Option<String>,
    description: Option<String>,
    listings: Vec<Listing>,
    used_by: Vec<String>,
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
    defined_chars: Option<u32>,
}

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Outcome {
    seq: u64,
    op: String,
    tool: (String, String),
    server: Option<String>,
    credits: Vec<(String, String)>,
    mark: u8,
    at: i64,
    project: String,
    session: Option<String>,
    agent: Option<String>,
    client: Option<String>,
    duration_ms: Option<u64>,
}

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Entry {
    revision: u64,
    index: u32,
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
    clients: Vec<String>,
}

#[derive(Debug, PartialEq, SchemaRead, SchemaWrite)]
struct Item {
    key: (String, String),
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
    citations: String,
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
    key: (String, String),
    loaded: bool,
    checked_at: i64,
    head: Option<String>,
    digest: u128,
    blocks: u32,
    found: String,
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
    assert_eq!(there_and_back!(Project, encode(&the_project()).unwrap()).told, 250);
    assert_eq!(there_and_back!(Source, encode(&the_source()).unwrap()).found, 70_000);
    assert_eq!(there_and_back!(Tool, encode(&the_tool()).unwrap()).ring, [(3, 5, 300)]);
    assert_eq!(there_and_back!(Outcome, encode(&the_outcome()).unwrap()).duration_ms, Some(1_000));
    assert_eq!(there_and_back!(Entry, encode(&the_entry()).unwrap()).note.as_deref(), Some("n"));
    assert_eq!(there_and_back!(Item, encode(&the_item()).unwrap()).recalls_since_edit, 11);
    assert_eq!(there_and_back!(Document, encode(&the_document()).unwrap()).blocks, 70_000);
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
        there_and_back!(Project, encode(&project).unwrap());
        there_and_back!(Source, encode(&source).unwrap());
        there_and_back!(Tool, encode(&tool).unwrap());
        there_and_back!(Outcome, encode(&outcome).unwrap());
        there_and_back!(Entry, encode(&entry).unwrap());
        there_and_back!(Item, encode(&item).unwrap());
        there_and_back!(Document, encode(&document).unwrap());
    }
}
