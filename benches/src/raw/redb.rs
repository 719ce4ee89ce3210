//! The floor of the redb store: the same rows in one transaction, behind the lock and with quick repair. As a
//! redb file has one process at a time, it is opened for each transaction, or once.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bincode::config::{Configuration, standard};
use redb::{Database, Durability, Error, ReadableTable, TableDefinition};
use serde::{Deserialize, Serialize};
use staleness_lock::FileLock;

use super::{RawUse, push};

type Key = (&'static str, &'static str);

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("staleness");
const PROJECTS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("projects");
const TOOLS: TableDefinition<'_, Key, &[u8]> = TableDefinition::new("tools");
const ENTRIES: TableDefinition<'_, (&str, &str, &str), ()> = TableDefinition::new("tools_entries");
const OUTCOMES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("outcomes");
const IDENTITIES: TableDefinition<'_, (u64, u64), ()> = TableDefinition::new("outcomes_identity");
const COUNTED: TableDefinition<'_, (&str, u64), ()> = TableDefinition::new("outcomes_counted");
const SERVED: TableDefinition<'_, (i64, u64), (&str, &str)> =
    TableDefinition::new("outcomes_served");

const CODEC: Configuration = standard();

/// A tool's row as it is stored.
#[derive(Debug, Serialize, Deserialize)]
struct RawTool<S> {
    kind: u8,
    server: Option<S>,
    plugin: Option<S>,
    description: Option<S>,
    holdings: Vec<(Option<S>, S, u8, S, bool, bool)>,
    cause: u8,
    cause_since: i64,
    revived: bool,
    failing: Option<(i64, S)>,
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

/// An outcome's row as it is stored.
#[derive(Debug, Serialize)]
struct RawOutcome<'a> {
    at: i64,
    mark: u8,
    op: &'a str,
    scope: &'a str,
    tool: &'a str,
    server: Option<&'a str>,
    credits: Vec<(&'a str, &'a str)>,
    project: &'a str,
    session: Option<&'a str>,
    agent: Option<&'a str>,
    client: Option<&'a str>,
    duration_ms: Option<u64>,
}

/// A project's row as it is stored.
type RawProject = (String, i64, i64, u128, u64, Option<String>, u64);

/// A store.
#[derive(Debug)]
pub struct RawRedb {
    path: PathBuf,
    lock: FileLock,
    open: Option<Database>,
}

impl RawRedb {
    /// Returns a store that our backend made, to be opened for each transaction.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        let lock = FileLock::new(format!("{}.lock", path.display()));
        Self { path: path.into(), lock, open: None }
    }

    /// Returns the same with the database opened once for all transactions.
    ///
    /// # Panics
    /// When redb reports an error.
    #[must_use]
    pub fn opened(path: &Path) -> Self {
        let db = staleness_redb::database(path).expect("the store opens");
        Self { open: Some(db), ..Self::new(path) }
    }

    /// Records a use in one transaction.
    ///
    /// # Panics
    /// When redb reports an error.
    pub fn record(&self, used: &RawUse) {
        let turn = self.lock.acquire(Duration::from_secs(5)).expect("the lock");
        let recorded = match &self.open {
            Some(db) => transact(db, used),
            None => {
                let db = staleness_redb::database(&self.path).expect("the store opens");
                transact(&db, used)
            }
        };
        recorded.expect("the use is recorded");
        drop(turn);
    }
}

fn transact(db: &Database, each: &RawUse) -> Result<(), Error> {
    let mut tx = db.begin_write()?;
    tx.set_durability(Durability::Immediate)?;
    tx.set_quick_repair(true);
    {
        let meta = tx.open_table(META)?;
        for name in ["magic", "format", "revision", "last_seq"] {
            std::hint::black_box(meta.get(name)?.map(|value| value.value()));
        }
        let mut tools = tx.open_table(TOOLS)?;
        let mut outcomes = tx.open_table(OUTCOMES)?;
        let mut identities = tx.open_table(IDENTITIES)?;
        let mut counted = tx.open_table(COUNTED)?;
        let mut served = tx.open_table(SERVED)?;
        let seq = outcomes.last()?.map_or(0, |(seq, _)| seq.value()) + 1;
        let projects = tx.open_table(PROJECTS)?;
        let row = projects.get(each.scope.as_str())?.expect("the project is known");
        std::hint::black_box(decode::<RawProject>(row.value()));
        let entries = tx.open_table(ENTRIES)?;
        for scope in [each.scope.as_str(), ""] {
            let key = (scope, each.server.as_str(), "");
            let found = entries.range(key..)?.next();
            std::hint::black_box(found.is_some());
            let known = (each.identity.cast_unsigned(), 0)..=(each.identity as u64, u64::MAX);
            assert!(identities.range(known)?.next().is_none(), "the use is new");
        }
        assert!(tools.get(("", each.tool.as_str()))?.is_none(), "it is the project's own");
        let key = (each.scope.as_str(), each.tool.as_str());
        let row = tools.get(key)?.expect("the tool is known");
        let mut tool: RawTool<String> = decode(row.value());
        drop(row);
        push(&mut tool.ring, (0, each.at, each.identity.cast_unsigned()));
        tool.uses += 1;
        tool.last_used_at = Some(each.at);
        tool.updated_at = each.at;
        tools.insert(key, encode(b't', &tool).as_slice())?;
        let outcome = RawOutcome {
            at: each.at,
            mark: 0,
            op: &each.op,
            scope: &each.scope,
            tool: &each.tool,
            server: Some(&each.server),
            credits: Vec::new(),
            project: &each.scope,
            session: None,
            agent: None,
            client: None,
            duration_ms: None,
        };
        outcomes.insert(seq, encode(b'o', &outcome).as_slice())?;
        identities.insert((each.identity.cast_unsigned(), seq), ())?;
        counted.insert((each.scope.as_str(), seq), ())?;
        served.insert((each.at, seq), (each.scope.as_str(), each.server.as_str()))?;
    }
    tx.commit()?;
    Ok(())
}

/// Reads what stands behind kind and version.
fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> T {
    bincode::serde::borrow_decode_from_slice(&bytes[2..], CODEC).expect("a record").0
}

fn encode<T: Serialize>(kind: u8, body: &T) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(256);
    bytes.extend([kind, 1]);
    bincode::serde::encode_into_std_write(body, &mut bytes, CODEC).expect("a record");
    bytes
}
