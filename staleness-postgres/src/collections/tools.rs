//! Tools.

use staleness_core::ids::{Scope, ServerKey, ToolKey, ToolName};
use staleness_core::store::{
    StoreError, ToolFilter, holdings_from_bytes, holdings_to_bytes, ring_from_bytes, ring_to_bytes,
};
use staleness_core::tool::{
    Failing, Health, Hold, Presence, PresenceCause, Status, Tool, ToolKind, ToolSummary,
};

use tokio_postgres::Row;

use crate::cells::{Bad, Cells, corrupt};
use crate::table::{Table, Where, with};
use crate::values::{Arg, Batch, Statement};

impl Table for Tool {
    const TABLE: &'static str = "tools";
    const COLUMNS: &'static str = "scope, name, kind, server, plugin, description, holdings, cause, \
        cause_since, revived, failing_since, failing_cause, demotions, last_demoted_at, counted, \
        hold, demoted, ring, uses, discovered_at, last_used_at, updated_at";
    const KEY: usize = 2;
    const ORDER: &'static str = "scope, name";

    fn condition(filter: &ToolFilter) -> Where {
        let of = |sql, scope: &Scope| Where::new(sql, vec![Arg::text(scope.as_key())]);
        let served = |sql, scope: &Scope, server: &ServerKey| {
            Where::new(sql, vec![Arg::text(scope.as_key()), Arg::text(server.as_str())])
        };
        match filter {
            ToolFilter::Scope(scope) => of("scope = $2", scope),
            ToolFilter::Configured(scope) => of("scope = $2 AND holdings <> ''", scope),
            ToolFilter::Entries(scope, server) => {
                served("scope = $2 AND server = $3 AND kind = 'mcp_server'", scope, server)
            }
            ToolFilter::Server(scope, server) => {
                served("scope = $2 AND server = $3", scope, server)
            }
            ToolFilter::Demoted(scope) => of("scope = $2 AND demoted = 1", scope),
            ToolFilter::Revived(scope) => of("scope = $2 AND revived = 1", scope),
            ToolFilter::Key(_) | ToolFilter::All => Where::new("", Vec::new()),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Self, Bad> {
        let key = ToolKey { scope: cells.scope("scope")?, name: cells.id("name")? };
        let kind = cells.parsed("kind", ToolKind::from_word)?;
        let server = cells.maybe_id("server")?;
        let plugin = cells.maybe_id("plugin")?;
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
            window: cells.small("counted")?,
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
            uses: cells.bits("uses")?,
            discovered_at: cells.time("discovered_at")?,
            last_used_at: cells.maybe_time("last_used_at")?,
            updated_at: cells.time("updated_at")?,
        };
        // A filter that trusts the column must not contradict one that looks at the row.
        if demoted == is_demoted(&tool) { Ok(tool) } else { Err(Bad("demoted")) }
    }

    fn put_key(key: &ToolKey, batch: &mut Batch) {
        batch.text(key.scope.as_key());
        batch.text(key.name.as_str());
    }

    fn put(&self, batch: &mut Batch) {
        let failing = self.health.failing.as_ref();
        batch.text(self.kind.as_str());
        batch.maybe_text(self.server.as_ref().map(ServerKey::as_str));
        batch.maybe_text(self.plugin.as_ref().map(ToolName::as_str));
        batch.maybe_text(self.description.as_deref());
        batch.blob(holdings_to_bytes(&self.holdings));
        batch.text(self.presence.cause.as_str());
        batch.time(self.presence.since);
        batch.flag(self.presence.revived);
        batch.maybe_time(failing.map(|failing| failing.since));
        batch.maybe_text(failing.map(|failing| failing.cause.as_str()));
        batch.int(self.health.demotions);
        batch.maybe_time(self.health.last_demoted_at);
        batch.int(self.health.window);
        batch.text(self.hold.as_str());
        batch.flag(is_demoted(self));
        batch.blob(ring_to_bytes(&self.ring));
        batch.bits(self.uses);
        batch.time(self.discovered_at);
        batch.maybe_time(self.last_used_at);
        batch.time(self.updated_at);
    }
}

fn is_demoted(tool: &Tool) -> bool {
    tool.status() == Status::Demoted
}

/// Selects summaries of the tools of a scope.
pub(crate) fn summaries(workspace: &str, scope: &Scope) -> Statement {
    Statement {
        sql: "SELECT name, kind, server, plugin, description, hold, cause, failing_since \
              FROM staleness.tools WHERE workspace = $1 AND scope = $2"
            .into(),
        args: with(workspace, vec![Arg::text(scope.as_key())]),
    }
}

/// Reads what [`summaries`] selects.
pub(crate) fn summary(row: &Row) -> Result<ToolSummary, StoreError> {
    let mut cells = Cells::new(row);
    let mut read = || {
        Ok(ToolSummary {
            name: cells.id("name")?,
            kind: cells.parsed("kind", ToolKind::from_word)?,
            server: cells.maybe_id("server")?,
            plugin: cells.maybe_id("plugin")?,
            description: cells.maybe_string("description")?,
            hold: cells.parsed("hold", Hold::from_word)?,
            present: cells.parsed("cause", PresenceCause::from_word)?.is_present(),
            failing: cells.maybe_int("failing_since")?.is_some(),
        })
    };
    read().map_err(|bad| corrupt("tools", row, 1, bad))
}
