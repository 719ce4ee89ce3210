//! The table of tools. It has a column per field, because a listing reads thousands of rows.

use super::blobs::{listings_from_bytes, listings_to_bytes, ring_from_bytes, ring_to_bytes};
use super::rows::{of_scope, scope};
use super::{Bad, Cell, Cells, Condition, Kind, Record, Table};
use crate::ids::{Scope, ServerKey, ToolKey};
use crate::store::ToolFilter;
use crate::tool::{
    Failing, Health, Hold, Presence, PresenceCause, Status, Tool, ToolKind, ToolSummary,
};

columns! {
    "tools": Tool, key 2, |row|
    [
        scope scope = row.key.scope;
        name id = row.key.name;
        kind parsed(ToolKind::from_word) = row.kind.as_str();
        server maybe_id = row.server;
        configured copy = Cell::int(row.is_configured());
        demoted copy = Cell::int(row.status() == Status::Demoted);
        revived flag = row.presence.revived;
    ]
    [
        plugin maybe_id = row.plugin;
        description maybe_string = row.description;
        listings blob(listings_from_bytes) = listings_to_bytes(&row.listings);
        used_by list = row.used_by;
        cause parsed(PresenceCause::from_word) = row.presence.cause.as_str();
        cause_since time = row.presence.since;
        failing_since maybe_time = row.health.failing.as_ref().map(|failing| failing.since);
        failing_cause maybe_id = row.health.failing.as_ref().map(|failing| &failing.cause);
        demotions small = row.health.demotions;
        last_demoted_at maybe_time = row.health.last_demoted_at;
        counted small = row.health.window;
        hold parsed(Hold::from_word) = row.hold.as_str();
        ring blob(ring_from_bytes) = ring_to_bytes(&row.ring);
        uses bits = row.uses;
        discovered_at time = row.discovered_at;
        last_used_at maybe_time = row.last_used_at;
        updated_at time = row.updated_at;
        defined_chars maybe_bits = row.defined_chars.map(u64::from);
    ]
    {
        let failing = match (failing_since, failing_cause) {
            (Some(since), Some(cause)) => Some(Failing { since, cause }),
            (None, None) => None,
            _ => return Err(Bad("failing_cause")),
        };
        let chars = defined_chars.map(u32::try_from).transpose();
        Self {
            key: ToolKey { scope, name },
            presence: Presence { cause, since: cause_since, revived },
            health: Health { failing, demotions, last_demoted_at, window: counted },
            defined_chars: chars.map_err(|_| Bad("defined_chars"))?,
            kind, server, plugin, description, listings, used_by, hold, ring, uses, discovered_at,
            last_used_at, updated_at,
        }
    }
}

impl Table for Tool {
    fn of_key(key: &ToolKey) -> Vec<Cell<'_>> {
        vec![scope(&key.scope), Cell::text(key.name.as_str())]
    }

    fn condition(filter: &ToolFilter) -> Condition<'_> {
        match filter {
            ToolFilter::Scope(scope) => of_scope(scope),
            ToolFilter::Configured(of) => Condition::by_index(
                "tools_configured",
                "scope = $2 AND configured = 1",
                [scope(of)],
            ),
            ToolFilter::Entries(of, server) => {
                served("scope = $2 AND server = $3 AND kind = 'mcp_server'", of, server)
            }
            ToolFilter::Server(of, server) => served("scope = $2 AND server = $3", of, server),
            ToolFilter::Demoted(of) => {
                Condition::by_index("tools_demoted", "scope = $2 AND demoted = 1", [scope(of)])
            }
            ToolFilter::Revived(of) => {
                Condition::by_index("tools_revived", "scope = $2 AND revived = 1", [scope(of)])
            }
            ToolFilter::Key(_) | ToolFilter::All => Condition::ALL,
        }
    }
}

fn served<'f>(sql: &'static str, of: &'f Scope, server: &'f ServerKey) -> Condition<'f> {
    Condition::by_index("tools_server", sql, [scope(of), Cell::text(server.as_str())])
}

impl ToolSummary {
    /// The columns of tools that a summary needs.
    pub const COLUMNS: &[&str] = &[
        "name",
        "kind",
        "server",
        "plugin",
        "description",
        "listings",
        "used_by",
        "hold",
        "cause",
        "failing_since",
        "ring",
        "uses",
    ];

    /// Reads a summary.
    ///
    /// # Errors
    /// [`Bad`] with the name of the unreadable column.
    pub fn read(cells: &[Cell<'_>]) -> Result<Self, Bad> {
        let mut cells = Cells::new(Self::COLUMNS, cells);
        let mut summary = Self {
            name: cells.id()?,
            kind: cells.parsed(ToolKind::from_word)?,
            server: cells.maybe_id()?,
            plugin: cells.maybe_id()?,
            description: cells.maybe_string()?,
            listings: cells.blob(listings_from_bytes)?,
            used_by: cells.list()?,
            hold: cells.parsed(Hold::from_word)?,
            present: cells.parsed(PresenceCause::from_word)?.is_present(),
            failing: cells.maybe_time()?.is_some(),
            failed_only: false,
        };
        // The ring is decoded only for the minority of tools that have no listings.
        if summary.listings.is_empty() {
            let ring = cells.blob(ring_from_bytes)?;
            summary.failed_only = ring.proves_failure(cells.bits()?);
        }
        Ok(summary)
    }
}
