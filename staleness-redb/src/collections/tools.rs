//! Tools, and the five indexes over them.

use redb::{ReadableTable, TableDefinition, Value};
use staleness_core::ids::{Scope, ServerKey, ToolKey, ToolName};
use staleness_core::store::{StoreError, ToolFilter, View};
use staleness_core::tool::{Status, Tool, ToolKind, ToolSummary};

use super::rows::{Indexes, Rows, Stored, Words, keep_indexed, range};
use super::{Collection, Once, table};
use crate::codec::Bad;
use crate::error::from_storage;
use crate::records::{TOOL_KINDS, decode_tool, encode_tool, id, number};
use crate::tables::{
    ServerRef, TOOLS, TOOLS_CONFIGURED, TOOLS_DEMOTED, TOOLS_ENTRIES, TOOLS_REVIVED, TOOLS_SERVER,
    ToolRef, Tx,
};

impl Stored for Tool {
    type Words = ToolRef;
    type Indexes<'t> = ToolIndexes<'t>;
    const ROWS: TableDefinition<'static, ToolRef, &'static [u8]> = TOOLS;

    fn words(key: &ToolKey) -> Result<Words<'_, Self>, StoreError> {
        Ok((key.scope.as_key(), key.name.as_str()))
    }

    fn decode(&(scope, name): &Words<'_, Self>, value: &[u8]) -> Result<Self, Bad> {
        let scope = id(scope, Scope::from_key, "scope")?;
        decode_tool(ToolKey { scope, name: id(name, ToolName::new, "name")? }, value)
    }

    fn encode(&self) -> Result<Vec<u8>, StoreError> {
        encode_tool(self)
    }

    fn find(
        tx: &Tx,
        rows: &Rows<'_, Self>,
        filter: &ToolFilter,
        view: &mut View,
    ) -> Result<(), StoreError> {
        match filter {
            ToolFilter::Scope(scope) => {
                let first = scope.as_key();
                range::<Self>(rows, (first, ""), |key| key.0 == first, view)
            }
            ToolFilter::Configured(scope) => by_index(tx, TOOLS_CONFIGURED, scope, rows, view),
            ToolFilter::Demoted(scope) => by_index(tx, TOOLS_DEMOTED, scope, rows, view),
            ToolFilter::Revived(scope) => by_index(tx, TOOLS_REVIVED, scope, rows, view),
            ToolFilter::Entries(scope, server) => {
                by_server(tx, TOOLS_ENTRIES, (scope, server), rows, view)
            }
            ToolFilter::Server(scope, server) => {
                by_server(tx, TOOLS_SERVER, (scope, server), rows, view)
            }
            ToolFilter::Key(_) | ToolFilter::All => Ok(()),
        }
    }
}

/// Adds summaries of the tools of a scope.
pub(crate) fn summaries(tx: &Tx, scope: &Scope, view: &mut View) -> Result<(), StoreError> {
    let (key, mut all) = (scope.as_key(), Vec::new());
    for entry in table(tx, TOOLS)?.range((key, "")..).map_err(from_storage)? {
        let (found, value) = entry.map_err(from_storage)?;
        if found.value().0 != key {
            break;
        }
        all.push(ToolSummary::from(&<Tool as Collection>::read(&found.value(), value.value())?));
    }
    view.summaries.insert(scope.clone(), all);
    Ok(())
}

fn by_index(
    tx: &Tx,
    index: TableDefinition<'_, ToolRef, ()>,
    scope: &Scope,
    rows: &Rows<'_, Tool>,
    view: &mut View,
) -> Result<(), StoreError> {
    let scope = scope.as_key();
    for entry in table(tx, index)?.range((scope, "")..).map_err(from_storage)? {
        let (key, _) = entry.map_err(from_storage)?;
        if key.value().0 != scope {
            break;
        }
        keep_indexed::<Tool>(rows, &key.value(), view)?;
    }
    Ok(())
}

fn by_server<V: Value + 'static>(
    tx: &Tx,
    index: TableDefinition<'_, ServerRef, V>,
    (scope, server): (&Scope, &ServerKey),
    rows: &Rows<'_, Tool>,
    view: &mut View,
) -> Result<(), StoreError> {
    let (scope, server) = (scope.as_key(), server.as_str());
    for entry in table(tx, index)?.range((scope, server, "")..).map_err(from_storage)? {
        let (key, _) = entry.map_err(from_storage)?;
        let (its_scope, its_server, name) = key.value();
        if (its_scope, its_server) != (scope, server) {
            break;
        }
        keep_indexed::<Tool>(rows, &(scope, name), view)?;
    }
    Ok(())
}

/// What the indexes say of a tool.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Server and kind.
    pub(crate) server: Option<(ServerKey, u8)>,
    /// True if it is the entry of its server.
    pub(crate) entry: bool,
    pub(crate) configured: bool,
    pub(crate) demoted: bool,
    pub(crate) revived: bool,
}

impl Marks {
    pub(crate) fn of(tool: &Tool) -> Result<Self, StoreError> {
        let kind = number(&TOOL_KINDS, &tool.kind)?;
        Ok(Self {
            server: tool.server.clone().map(|server| (server, kind)),
            entry: tool.kind == ToolKind::McpServer && tool.server.is_some(),
            configured: tool.is_configured(),
            demoted: tool.status() == Status::Demoted,
            revived: tool.presence.revived,
        })
    }
}

/// The indexes, opened when they change.
pub(crate) struct ToolIndexes<'t> {
    server: Once<'t, ServerRef, u8>,
    entries: Once<'t, ServerRef, ()>,
    configured: Once<'t, ToolRef, ()>,
    demoted: Once<'t, ToolRef, ()>,
    revived: Once<'t, ToolRef, ()>,
}

impl<'t> Indexes<'t, Tool> for ToolIndexes<'t> {
    fn new(tx: &'t Tx) -> Self {
        Self {
            server: Once::new(tx, TOOLS_SERVER),
            entries: Once::new(tx, TOOLS_ENTRIES),
            configured: Once::new(tx, TOOLS_CONFIGURED),
            demoted: Once::new(tx, TOOLS_DEMOTED),
            revived: Once::new(tx, TOOLS_REVIVED),
        }
    }

    fn change(&mut self, old: Option<&Tool>, new: Option<&Tool>) -> Result<(), StoreError> {
        let marks = |row: Option<&Tool>| row.map_or_else(|| Ok(Marks::default()), Marks::of);
        let (before, after) = (marks(old)?, marks(new)?);
        let Some(key) = new.or(old).map(|row| &row.key) else { return Ok(()) };
        let words = (key.scope.as_key(), key.name.as_str());
        self.configured.set(words, before.configured, after.configured)?;
        self.demoted.set(words, before.demoted, after.demoted)?;
        self.revived.set(words, before.revived, after.revived)?;
        if before.server == after.server {
            return Ok(());
        }
        let index = self.server.open()?;
        if let Some((server, _)) = &before.server {
            let key = (words.0, server.as_str(), words.1);
            index.remove(key).map_err(from_storage)?;
            self.entries.set(key, before.entry, false)?;
        }
        if let Some((server, kind)) = &after.server {
            let key = (words.0, server.as_str(), words.1);
            index.insert(key, kind).map_err(from_storage)?;
            self.entries.set(key, false, after.entry)?;
        }
        Ok(())
    }
}
