//! The floor of the redb store: the same rows in one transaction, with the lock and quick repair. A redb file
//! belongs to one process at a time, so it is opened for each transaction.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bincode::config::{Configuration, standard};
use redb::{Database, Durability, Error, ReadableTable, TableDefinition};
use serde::{Deserialize, Serialize};
use staleness::Timestamp;
use staleness::ids::{OpId, ProjectId};
use staleness_core::outcome::{Mark, Outcome};
use staleness_core::project::Project;
use staleness_core::tool::Tool;
use staleness_lock::FileLock;

use super::RawUse;

type Key = (&'static str, &'static str, &'static str);

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("staleness");
const PROJECTS: TableDefinition<'_, Key, &[u8]> = TableDefinition::new("projects");
const TOOLS: TableDefinition<'_, Key, &[u8]> = TableDefinition::new("tools");
const MARKS: TableDefinition<'_, Key, ()> = TableDefinition::new("tools_index");
const OUTCOMES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("outcomes");
const IDENTITIES: TableDefinition<'_, (u64, u64), ()> = TableDefinition::new("outcomes_identity");
const COUNTED: TableDefinition<'_, (&str, u64), ()> = TableDefinition::new("outcomes_counted");
const SERVED: TableDefinition<'_, (i64, u64), (&str, &str)> =
    TableDefinition::new("outcomes_served");

const CODEC: Configuration = standard();

/// A redb store created by our backend.
#[derive(Debug)]
pub struct RawRedb {
    path: PathBuf,
    lock: FileLock,
}

impl RawRedb {
    /// Returns a store that is opened for each transaction.
    pub fn new(path: &Path) -> Self {
        Self { path: path.into(), lock: FileLock::new(format!("{}.lock", path.display())) }
    }

    /// Records a use in one transaction.
    pub fn record(&self, used: &RawUse) {
        let turn = self.lock.acquire(Duration::from_secs(5)).expect("the lock");
        let db = staleness_redb::database(&self.path).expect("the store opens");
        transact(&db, used).expect("the use is recorded");
        drop(db);
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
        let row = projects.get((each.scope.as_str(), "", ""))?.expect("the project is known");
        std::hint::black_box(decode::<Project>(row.value()));
        let marks = tx.open_table(MARKS)?;
        let entry = format!("entry {}", each.server);
        for scope in [each.scope.as_str(), ""] {
            let key = (scope, entry.as_str(), "");
            let found = marks.range(key..)?.next();
            std::hint::black_box(found.is_some());
            let known = (each.identity.cast_unsigned(), 0)..=(each.identity as u64, u64::MAX);
            assert!(identities.range(known)?.next().is_none(), "the use is new");
        }
        assert!(tools.get(("", each.tool.as_str(), ""))?.is_none(), "it is the project's own");
        let key = (each.scope.as_str(), each.tool.as_str(), "");
        let row = tools.get(key)?.expect("the tool is known");
        let mut tool: Tool = decode(row.value());
        drop(row);
        let at = Timestamp::from_millis(each.at);
        tool.note_use(Mark::Success, at, each.identity.cast_unsigned(), 5);
        tool.updated_at = at;
        tools.insert(key, encode(b't', &tool).as_slice())?;
        let outcome = Outcome {
            seq,
            op: OpId::new(&each.op).expect("an op"),
            tool: tool.key,
            server: tool.server,
            credits: Vec::new(),
            mark: Mark::Success,
            at,
            project: ProjectId::new(&each.scope).expect("a project"),
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

/// Decodes a record after its kind and version.
fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> T {
    bincode::serde::borrow_decode_from_slice(&bytes[2..], CODEC).expect("a record").0
}

fn encode<T: Serialize>(kind: u8, body: &T) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(256);
    bytes.extend([kind, 2]);
    bincode::serde::encode_into_std_write(body, &mut bytes, CODEC).expect("a record");
    bytes
}
