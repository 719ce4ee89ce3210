//! Tools.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{Scope, ServerKey, ToolKey, ToolName};
use staleness_core::store::{
    StoreError, ToolFilter, View, holdings_from_bytes, holdings_to_bytes, ring_from_bytes,
    ring_to_bytes,
};
use staleness_core::tool::{
    Failing, Health, Hold, Presence, PresenceCause, Status, Tool, ToolKind, ToolSummary,
};

use super::table::{Statements, Table, Visit, of_first, rows};
use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::error::from_sqlite;
use crate::transaction::Transaction;

// The `+` changes no value: SQLite notes five names for a bare column, and one for anything else.
macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT +scope, +name, +id, +kind, +server, +plugin, +description, +holdings, +cause, \
             +cause_since, +revived, +failing_since, +failing_cause, +demotions, \
             +last_demoted_at, +window, +hold, +demoted, +ring, +uses, +discovered_at, \
             +last_used_at, +updated_at FROM tools",
            $tail
        )
    };
}

// Each filter names its index: without statistics the planner would have to guess, and a guess
// that reads 10,000 tools to find one demoted is not visible in any test of results.
const BY_ID: &str = select!(" WHERE id = ?1");
const BY_SCOPE: &str = select!(" WHERE scope = ?1");
const OF_SERVER: &str = select!(" INDEXED BY tools_server WHERE scope = ?1 AND server = ?2");
const DEMOTED: &str = select!(" INDEXED BY tools_demoted WHERE scope = ?1 AND demoted = 1");
const CONFIGURED: &str =
    select!(" INDEXED BY tools_configured WHERE scope = ?1 AND holdings <> x''");
const REVIVED: &str = select!(" INDEXED BY tools_revived WHERE scope = ?1 AND revived = 1");
const ALL: &str = select!(" ORDER BY scope, name");

// In the order in which they lie in the file: the `+` keeps the index out of it, by which each would be looked up.
const SUMMARIES: &str = "SELECT +name, +kind, +server, +plugin, +description, +hold, +cause, \
    failing_since IS NOT NULL FROM tools WHERE +scope = ?1";

// What a use looks for is found by short statements and read by one: in a process that records one
// use, preparing a statement with every column is the dearest thing that it does.
const ID_OF_KEY: &str = "SELECT id FROM tools WHERE scope = ?1 AND name = ?2";
const IDS_OF_ENTRIES: &str = "SELECT id FROM tools INDEXED BY tools_server \
    WHERE scope = ?1 AND server = ?2 AND kind = 'mcp_server'";

/// Writes what a use changes. It leaves out the columns of every index but the partial ones of
/// `demoted` and `revived`, so that only the page of the row itself is written.
const UPDATE: &str = "UPDATE tools SET cause = ?3, cause_since = ?4, revived = ?5, \
    failing_since = ?6, failing_cause = ?7, demotions = ?8, last_demoted_at = ?9, window = ?10, \
    hold = ?11, demoted = ?12, ring = ?13, uses = ?14, last_used_at = ?15, updated_at = ?16 \
    WHERE scope = ?1 AND name = ?2";
const PUT: &str = "INSERT INTO tools(scope, name, cause, cause_since, revived, failing_since, \
    failing_cause, demotions, last_demoted_at, window, hold, demoted, ring, uses, last_used_at, \
    updated_at, kind, server, plugin, description, holdings, discovered_at) \
    VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, \
    ?20, ?21, ?22) \
    ON CONFLICT(scope, name) DO UPDATE SET cause = ?3, cause_since = ?4, revived = ?5, \
    failing_since = ?6, failing_cause = ?7, demotions = ?8, last_demoted_at = ?9, window = ?10, \
    hold = ?11, demoted = ?12, ring = ?13, uses = ?14, last_used_at = ?15, updated_at = ?16, \
    kind = ?17, server = ?18, plugin = ?19, description = ?20, holdings = ?21, \
    discovered_at = ?22";
const DELETE: &str = "DELETE FROM tools WHERE scope = ?1 AND name = ?2";

static SQL: Statements = Statements {
    table: "tools",
    key: 2,
    by_key: ID_OF_KEY,
    by_first: BY_SCOPE,
    all: ALL,
    put: PUT,
    delete: DELETE,
};

impl Table for Tool {
    type Columns<'k> = (&'k str, &'k str);

    fn sql() -> &'static Statements {
        &SQL
    }

    fn columns(key: &ToolKey) -> Self::Columns<'_> {
        (key.scope.as_key(), key.name.as_str())
    }

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        let key =
            ToolKey { scope: cells.scope("scope")?, name: cells.parsed("name", ToolName::new)? };
        cells.int("id")?;
        let kind = cells.parsed("kind", ToolKind::from_word)?;
        let server = cells.maybe_parsed("server", ServerKey::new)?;
        let plugin = cells.maybe_parsed("plugin", ToolName::new)?;
        let description = cells.maybe_string("description")?;
        let holdings = holdings_from_bytes(cells.blob("holdings")?).ok_or(Bad("holdings"))?;
        let presence = Presence {
            cause: cells.parsed("cause", PresenceCause::from_word)?,
            since: cells.time("cause_since")?,
            revived: cells.flag("revived")?,
        };
        let failing_since = cells.maybe_time("failing_since")?;
        let failing_cause = cells.maybe_string("failing_cause")?;
        let health = Health {
            failing: match (failing_since, failing_cause) {
                (Some(since), Some(cause)) => Some(Failing { since, cause }),
                (None, None) => None,
                _ => return Err(Bad("failing_cause")),
            },
            demotions: cells.small("demotions")?,
            last_demoted_at: cells.maybe_time("last_demoted_at")?,
            window: cells.small("window")?,
        };
        let hold = cells.parsed("hold", Hold::from_word)?;
        let demoted = cells.flag("demoted")?;
        let tool = Self {
            key,
            kind,
            server,
            plugin,
            description,
            holdings,
            presence,
            health,
            hold,
            ring: ring_from_bytes(cells.blob("ring")?).ok_or(Bad("ring"))?,
            uses: cells.int("uses")?.cast_unsigned(),
            discovered_at: cells.time("discovered_at")?,
            last_used_at: cells.maybe_time("last_used_at")?,
            updated_at: cells.time("updated_at")?,
        };
        // A filter that trusts the column must not contradict one that looks at the row.
        if demoted == is_demoted(&tool) { Ok(tool) } else { Err(Bad("demoted")) }
    }

    fn put(&self, tx: &Transaction<'_>, seen: &View) -> Result<(), StoreError> {
        let before = seen.tools.get(&self.key);
        if before.is_some_and(|before| same_but_for_use(before, self)) && update(tx, self)? {
            return Ok(());
        }
        put(tx, self)
    }

    fn get(tx: &Transaction<'_>, key: &ToolKey, visit: Visit<'_, Self>) -> Result<(), StoreError> {
        found(tx, ID_OF_KEY, Self::columns(key), visit)
    }

    fn find(
        tx: &Transaction<'_>,
        filter: &ToolFilter,
        visit: Visit<'_, Self>,
    ) -> Result<(), StoreError> {
        match filter {
            ToolFilter::Scope(scope) => of_first(tx, scope.as_key(), visit),
            ToolFilter::Configured(scope) => rows(tx, CONFIGURED, (scope.as_key(),), visit),
            ToolFilter::Entries(scope, server) => {
                found(tx, IDS_OF_ENTRIES, (scope.as_key(), server.as_str()), visit)
            }
            ToolFilter::Server(scope, server) => {
                rows(tx, OF_SERVER, (scope.as_key(), server.as_str()), visit)
            }
            ToolFilter::Demoted(scope) => rows(tx, DEMOTED, (scope.as_key(),), visit),
            ToolFilter::Revived(scope) => rows(tx, REVIVED, (scope.as_key(),), visit),
            ToolFilter::Key(_) | ToolFilter::All => Ok(()),
        }
    }
}

/// Adds summaries of the tools of a scope.
pub(crate) fn summaries(
    tx: &Transaction<'_>,
    scope: &Scope,
    view: &mut View,
) -> Result<(), StoreError> {
    let (key, mut all) = (scope.as_key(), Vec::new());
    each(tx, SUMMARIES, (key,), |row| {
        all.push(summary(row).map_err(|bad| {
            let name = row.get::<_, String>(0).unwrap_or_default();
            corrupt("tools", format_args!("{:?}", (key, name)), bad)
        })?);
        Ok(ControlFlow::Continue(()))
    })?;
    view.summaries.insert(scope.clone(), all);
    Ok(())
}

fn summary(row: &Row<'_>) -> Result<ToolSummary, Bad> {
    let mut cells = Cells::new(row);
    Ok(ToolSummary {
        name: cells.parsed("name", ToolName::new)?,
        kind: cells.parsed("kind", ToolKind::from_word)?,
        server: cells.maybe_parsed("server", ServerKey::new)?,
        plugin: cells.maybe_parsed("plugin", ToolName::new)?,
        description: cells.maybe_string("description")?,
        hold: cells.parsed("hold", Hold::from_word)?,
        present: cells.parsed("cause", PresenceCause::from_word)?.is_present(),
        failing: cells.flag("failing_since")?,
    })
}

/// The rows whose ids `sql` finds.
fn found<P: rusqlite::Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    visit: Visit<'_, Tool>,
) -> Result<(), StoreError> {
    let mut ids = Vec::new();
    each(tx, sql, params, |row| {
        ids.push(row.get::<_, i64>(0).map_err(from_sqlite)?);
        Ok(ControlFlow::Continue(()))
    })?;
    for id in ids {
        let mut is_there = false;
        rows(tx, BY_ID, (id,), &mut |tool: Tool| {
            is_there = true;
            visit(tool)
        })?;
        if !is_there {
            return Err(StoreError::Corrupt(format!(
                "tools {id}: an index names it, and it is not there"
            )));
        }
    }
    Ok(())
}

fn is_demoted(tool: &Tool) -> bool {
    tool.status() == Status::Demoted
}

/// Returns true if two rows differ at most in the columns of [`UPDATE`].
fn same_but_for_use(one: &Tool, other: &Tool) -> bool {
    one.kind == other.kind
        && one.server == other.server
        && one.plugin == other.plugin
        && one.description == other.description
        && one.holdings == other.holdings
        && one.discovered_at == other.discovered_at
}

fn update(tx: &Transaction<'_>, row: &Tool) -> Result<bool, StoreError> {
    let (scope, name) = Tool::columns(&row.key);
    let failing = row.health.failing.as_ref();
    let changed = execute(
        tx,
        UPDATE,
        (
            scope,
            name,
            row.presence.cause.as_str(),
            row.presence.since.as_millis(),
            row.presence.revived,
            failing.map(|failing| failing.since.as_millis()),
            failing.map(|failing| &failing.cause),
            row.health.demotions,
            row.health.last_demoted_at.map(|at| at.as_millis()),
            row.health.window,
            row.hold.as_str(),
            is_demoted(row),
            ring_to_bytes(&row.ring),
            row.uses.cast_signed(),
            row.last_used_at.map(|at| at.as_millis()),
            row.updated_at.as_millis(),
        ),
    )?;
    Ok(changed == 1)
}

fn put(tx: &Transaction<'_>, row: &Tool) -> Result<(), StoreError> {
    let (scope, name) = Tool::columns(&row.key);
    let failing = row.health.failing.as_ref();
    let params = rusqlite::params![
        scope,
        name,
        row.presence.cause.as_str(),
        row.presence.since.as_millis(),
        row.presence.revived,
        failing.map(|failing| failing.since.as_millis()),
        failing.map(|failing| &failing.cause),
        row.health.demotions,
        row.health.last_demoted_at.map(|at| at.as_millis()),
        row.health.window,
        row.hold.as_str(),
        is_demoted(row),
        ring_to_bytes(&row.ring),
        row.uses.cast_signed(),
        row.last_used_at.map(|at| at.as_millis()),
        row.updated_at.as_millis(),
        row.kind.as_str(),
        row.server.as_ref().map(ServerKey::as_str),
        row.plugin.as_ref().map(ToolName::as_str),
        row.description,
        holdings_to_bytes(&row.holdings),
        row.discovered_at.as_millis(),
    ];
    execute(tx, PUT, params).map(drop)
}
