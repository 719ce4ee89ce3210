//! The floor of the SQLite store: `rusqlite`, cached statements, one row updated, one appended.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Params, Result, Row, params_from_iter};
use staleness_core::project::Project;
use staleness_lock::FileLock;

use super::RawUse;

const META: &str = "SELECT format, revision, \
    max(last_seq, ifnull((SELECT max(seq) FROM outcomes), 0)) FROM meta";
const PROJECT: &str = "SELECT value FROM projects WHERE id = ?1";
macro_rules! tools {
    ($tail:literal) => {
        concat!(
            "SELECT rowid, scope, name, kind, server, plugin, description, listings, cause, \
             cause_since, revived, failing_since, failing_cause, demotions, last_demoted_at, \
             counted, hold, demoted, ring, uses, discovered_at, last_used_at, updated_at, defined_chars \
             FROM tools",
            $tail
        )
    };
}
const TOOL: &str = tools!(" WHERE scope = ?1 AND name = ?2");
const ENTRIES: &str =
    tools!(" INDEXED BY tools_server WHERE scope = ?1 AND server = ?2 AND kind = 'mcp_server'");
const KNOWN: &str = "SELECT seq FROM outcomes INDEXED BY outcomes_identity WHERE identity = ?1";
const UPDATE: &str = "UPDATE tools SET cause = ?3, cause_since = ?4, revived = ?5, \
    failing_since = ?6, failing_cause = ?7, demotions = ?8, last_demoted_at = ?9, counted = ?10, \
    hold = ?11, demoted = ?12, ring = ?13, uses = ?14, last_used_at = ?15, updated_at = ?16 \
    WHERE scope = ?1 AND name = ?2";
const APPEND: &str = "INSERT INTO outcomes(seq, identity, op, scope, tool, server, credits, mark, \
    at, project, session, agent, client, duration_ms) \
    VALUES(?1, ?2, ?3, ?4, ?5, ?6, x'', 'S', ?7, ?4, NULL, NULL, NULL, NULL)";

/// An open SQLite store.
#[derive(Debug)]
pub struct RawSqlite {
    conn: Connection,
    lock: FileLock,
    log: PathBuf,
    commits: u64,
}

/// The values of a row.
pub type Cells = Vec<Value>;

/// Returns all columns of all rows that a statement reads.
///
/// # Errors
/// Errors of SQLite.
pub fn rows(conn: &Connection, sql: &str, params: impl Params) -> Result<Vec<Cells>> {
    let mut statement = conn.prepare_cached(sql)?;
    let width = statement.column_count();
    let cells = |row: &Row<'_>| (0..width).map(|at| row.get(at)).collect();
    statement.query_map(params, cells)?.collect()
}

/// Connects to a store created by our backend, in the same way.
///
/// # Errors
/// Errors of SQLite.
pub fn connect(path: impl AsRef<Path>) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(Duration::from_secs(5))?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(conn)
}

impl RawSqlite {
    /// Opens a store created by our backend.
    pub fn open(path: &Path) -> Self {
        let conn = connect(path).expect("the store opens");
        conn.execute_batch("PRAGMA synchronous = NORMAL").expect("a setting");
        conn.set_prepared_statement_cache_capacity(64);
        let beside = |suffix: &str| PathBuf::from(format!("{}{suffix}", path.display()));
        let lock = FileLock::new(beside(".lock"));
        Self { conn, lock, log: beside("-wal"), commits: 0 }
    }

    /// Records a use in one transaction.
    pub fn record(&mut self, used: &RawUse) {
        let turn = self.lock.acquire(Duration::from_secs(5)).expect("the lock");
        self.transact(used).expect("the use is recorded");
        self.commits += 1;
        // A short-lived process leaves 64 frames in the log, a long-lived one 1,000.
        let most = if self.commits <= 64 { 64 } else { 1_000 };
        let frames = fs::metadata(&self.log).map_or(0, |log| log.len().saturating_sub(32) / 4_120);
        if frames >= most {
            let trim = "PRAGMA wal_checkpoint(TRUNCATE)";
            self.conn.query_row(trim, (), |_| Ok(())).expect("the log is trimmed");
        }
        drop(turn);
    }

    fn transact(&self, used: &RawUse) -> Result<()> {
        let run = |sql: &str| self.conn.prepare_cached(sql)?.execute(());
        run("BEGIN IMMEDIATE")?;
        let (_, _, last): (i64, i64, i64) = self
            .conn
            .prepare_cached(META)?
            .query_row((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        self.record_one(used, last + 1)?;
        run("COMMIT")?;
        Ok(())
    }

    fn record_one(&self, each: &RawUse, seq: i64) -> Result<()> {
        let scopes = [each.scope.as_str(), ""];
        self.conn.prepare_cached(PROJECT)?.query_row((&each.scope,), |row| {
            let project: Option<Project> = serde_json::from_str(row.get_ref(0)?.as_str()?).ok();
            std::hint::black_box(project);
            Ok(())
        })?;
        let tool = rows(&self.conn, TOOL, (&each.scope, &each.tool))?.pop();
        std::hint::black_box(rows(&self.conn, TOOL, ("", &each.tool))?);
        for scope in scopes {
            std::hint::black_box(rows(&self.conn, ENTRIES, (scope, &each.server))?);
        }
        for (number, _) in scopes.iter().enumerate() {
            let mut statement = self.conn.prepare_cached(KNOWN)?;
            let identity = each.identity.wrapping_add(number as i64);
            assert!(statement.query((identity,))?.next()?.is_none(), "the use is new");
        }
        let mut tool = tool.expect("the tool is known");
        let mut entry = [b'S'; 17];
        entry[1..9].copy_from_slice(&each.at.to_le_bytes());
        entry[9..].copy_from_slice(&each.identity.to_le_bytes());
        if let [Value::Blob(ring), Value::Integer(uses)] = &mut tool[18..20] {
            // A ring has 32 entries after its version.
            if ring.len() > 32 * 17 {
                ring.drain(1..18);
            }
            ring.extend(entry);
            *uses += 1;
        }
        tool[21..].fill(Value::Integer(each.at));
        let written = [1, 2].into_iter().chain(8..20).chain(21..23).map(|at| &tool[at]);
        self.conn.prepare_cached(UPDATE)?.execute(params_from_iter(written))?;
        self.conn.prepare_cached(APPEND)?.execute((
            seq,
            each.identity,
            &each.op,
            &each.scope,
            &each.tool,
            &each.server,
            each.at,
        ))?;
        Ok(())
    }
}
