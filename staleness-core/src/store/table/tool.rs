//! The table of tools. It has a column per field, because a listing reads thousands of rows.

use super::rows::{of_scope, scope};
use super::{Bad, Cell, Cells, Condition, Record, Table};
use crate::ids::{Scope, ServerKey, ToolKey};
use crate::store::{
    ToolFilter, listings_from_bytes, listings_to_bytes, ring_from_bytes, ring_to_bytes,
};
use crate::tool::{
    Failing, Health, Hold, Presence, PresenceCause, Status, Tool, ToolKind, ToolSummary,
};

impl Record for Tool {
    const TABLE: &'static str = "tools";
    const COLUMNS: &'static [&'static str] = &[
        "scope",
        "name",
        "kind",
        "server",
        "configured",
        "demoted",
        "revived",
        "plugin",
        "description",
        "listings",
        "used_by",
        "cause",
        "cause_since",
        "failing_since",
        "failing_cause",
        "demotions",
        "last_demoted_at",
        "counted",
        "hold",
        "ring",
        "uses",
        "discovered_at",
        "last_used_at",
        "updated_at",
        "defined_chars",
    ];
    const KEY: usize = 2;
    const INDEXED: usize = 7;

    fn indexed(&self) -> Vec<Cell<'_>> {
        let mut cells = Vec::with_capacity(Self::COLUMNS.len());
        cells.extend([
            scope(&self.key.scope),
            Cell::text(self.key.name.as_str()),
            Cell::text(self.kind.as_str()),
            Cell::maybe_text(self.server.as_ref().map(|server| server.as_str())),
            Cell::int(self.is_configured()),
            Cell::int(self.status() == Status::Demoted),
            Cell::int(self.presence.revived),
        ]);
        cells
    }

    fn others<'c>(&'c self, cells: &mut Vec<Cell<'c>>) {
        let failing = self.health.failing.as_ref();
        cells.extend([
            Cell::maybe_text(self.plugin.as_ref().map(|plugin| plugin.as_str())),
            Cell::maybe_text(self.description.as_deref()),
            Cell::blob(listings_to_bytes(&self.listings)),
            Cell::packed(&self.used_by),
            Cell::text(self.presence.cause.as_str()),
            Cell::time(self.presence.since),
            Cell::maybe_time(failing.map(|failing| failing.since)),
            Cell::maybe_text(failing.map(|failing| failing.cause.as_str())),
            Cell::int(self.health.demotions),
            Cell::maybe_time(self.health.last_demoted_at),
            Cell::int(self.health.window),
            Cell::text(self.hold.as_str()),
            Cell::blob(ring_to_bytes(&self.ring)),
            Cell::bits(self.uses),
            Cell::time(self.discovered_at),
            Cell::maybe_time(self.last_used_at),
            Cell::time(self.updated_at),
            Cell::Int(self.defined_chars.map(i64::from)),
        ]);
    }

    fn parse(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        let key = ToolKey { scope: cells.scope()?, name: cells.id()? };
        let kind = cells.parsed(ToolKind::from_word)?;
        let server = cells.maybe_id()?;
        cells.skip(2);
        let revived = cells.flag()?;
        let plugin = cells.maybe_id()?;
        let description = cells.maybe_string()?;
        let listings = cells.blob(listings_from_bytes)?;
        let used_by = cells.list()?;
        let cause = cells.parsed(PresenceCause::from_word)?;
        let presence = Presence { cause, since: cells.time()?, revived };
        let failing = match (cells.maybe_time()?, cells.maybe_string()?) {
            (Some(since), Some(cause)) => Some(Failing { since, cause }),
            (None, None) => None,
            _ => return Err(Bad("failing_cause")),
        };
        let health = Health {
            failing,
            demotions: cells.small()?,
            last_demoted_at: cells.maybe_time()?,
            window: cells.small()?,
        };
        Ok(Self {
            key,
            kind,
            server,
            plugin,
            description,
            listings,
            used_by,
            presence,
            health,
            hold: cells.parsed(Hold::from_word)?,
            ring: cells.blob(ring_from_bytes)?,
            uses: cells.bits()?,
            discovered_at: cells.time()?,
            last_used_at: cells.maybe_time()?,
            updated_at: cells.time()?,
            defined_chars: match cells.maybe_bits()? {
                None => None,
                Some(chars) => Some(u32::try_from(chars).map_err(|_| Bad("defined_chars"))?),
            },
        })
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
        // For tools with listings, which are the majority, the ring is not decoded.
        if summary.listings.is_empty() {
            let ring = cells.blob(ring_from_bytes)?;
            summary.failed_only = ring.proves_failure(cells.bits()?);
        }
        Ok(summary)
    }
}
