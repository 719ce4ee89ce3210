//! Tools, and the four indexes over them.

use redb::{ReadableTable, Table, TableDefinition};
use staleness_core::ids::{Scope, ServerKey, ToolKey, ToolName};
use staleness_core::store::{Change, StoreError, ToolFilter, View};
use staleness_core::tool::{Status, Tool, ToolKind};

use super::{Collection, Lazy, get, keep_all, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{TOOL_KINDS, decode_tool, encode_tool, id, number};
use crate::session::Tx;
use crate::tables::{TOOLS, TOOLS_CONFIGURED, TOOLS_DEMOTED, TOOLS_REVIVED, TOOLS_SERVER, ToolRef};

/// The collection.
#[derive(Debug)]
pub(crate) struct Tools;

impl Collection for Tools {
    type Key = ToolRef;
    type Row = Tool;
    const TABLE: TableDefinition<'static, ToolRef, &'static [u8]> = TOOLS;

    fn read(key: (&str, &str), value: &[u8]) -> Result<Tool, StoreError> {
        tool_key(key)
            .and_then(|key| decode_tool(key, value))
            .map_err(|bad| corrupt("tools", format_args!("{key:?}"), bad))
    }

    fn keep(row: Tool, view: &mut View) {
        view.tools.insert(row.key.clone(), row);
    }
}

fn tool_key((scope, name): (&str, &str)) -> Result<ToolKey, Bad> {
    Ok(ToolKey {
        scope: id(scope, Scope::from_key, "scope")?,
        name: id(name, ToolName::new, "name")?,
    })
}

fn words(key: &ToolKey) -> (&str, &str) {
    (key.scope.as_key(), key.name.as_str())
}

/// Adds what the filter names to the view.
pub(crate) fn load(tx: &Tx, filter: &ToolFilter, view: &mut View) -> Result<(), StoreError> {
    let tools = || table(tx, TOOLS);
    match filter {
        ToolFilter::Key(key) => {
            if let Some(row) = get::<Tools>(&tools()?, words(key))? {
                Tools::keep(row, view);
            }
            Ok(())
        }
        ToolFilter::Scope(scope) => {
            let scope = scope.as_key();
            for entry in tools()?.range((scope, "")..).map_err(from_storage)? {
                let (key, value) = entry.map_err(from_storage)?;
                if key.value().0 != scope {
                    break;
                }
                Tools::keep(Tools::read(key.value(), value.value())?, view);
            }
            Ok(())
        }
        ToolFilter::Configured(scope) => by_index(tx, TOOLS_CONFIGURED, scope, view),
        ToolFilter::Demoted(scope) => by_index(tx, TOOLS_DEMOTED, scope, view),
        ToolFilter::Revived(scope) => by_index(tx, TOOLS_REVIVED, scope, view),
        ToolFilter::Entries(scope, server) => {
            let kind = number(&TOOL_KINDS, &ToolKind::McpServer)?;
            by_server(tx, scope, server, Some(kind), view)
        }
        ToolFilter::Server(scope, server) => by_server(tx, scope, server, None, view),
        ToolFilter::All => keep_all::<Tools>(tx, view),
        _ => Err(StoreError::Unsupported("this filter of tools")),
    }
}

fn by_index(
    tx: &Tx,
    index: TableDefinition<'_, ToolRef, ()>,
    scope: &Scope,
    view: &mut View,
) -> Result<(), StoreError> {
    let scope = scope.as_key();
    let (tools, index) = (table(tx, TOOLS)?, table(tx, index)?);
    for entry in index.range((scope, "")..).map_err(from_storage)? {
        let (key, _) = entry.map_err(from_storage)?;
        if key.value().0 != scope {
            break;
        }
        keep_indexed(&tools, key.value(), view)?;
    }
    Ok(())
}

fn by_server(
    tx: &Tx,
    scope: &Scope,
    server: &ServerKey,
    kind: Option<u8>,
    view: &mut View,
) -> Result<(), StoreError> {
    let (scope, server) = (scope.as_key(), server.as_str());
    let (tools, index) = (table(tx, TOOLS)?, table(tx, TOOLS_SERVER)?);
    for entry in index.range((scope, server, "")..).map_err(from_storage)? {
        let (key, found) = entry.map_err(from_storage)?;
        let (its_scope, its_server, name) = key.value();
        if (its_scope, its_server) != (scope, server) {
            break;
        }
        if kind.is_none_or(|kind| kind == found.value()) {
            keep_indexed(&tools, (scope, name), view)?;
        }
    }
    Ok(())
}

fn keep_indexed(
    tools: &Table<'_, ToolRef, &'static [u8]>,
    key: (&str, &str),
    view: &mut View,
) -> Result<(), StoreError> {
    match get::<Tools>(tools, key)? {
        Some(row) => Tools::keep(row, view),
        None => return Err(corrupt("tools", format_args!("{key:?}"), Bad("the row"))),
    }
    Ok(())
}

/// What the indexes say of a tool.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Server and kind.
    pub(crate) server: Option<(ServerKey, u8)>,
    pub(crate) configured: bool,
    pub(crate) demoted: bool,
    pub(crate) revived: bool,
}

impl Marks {
    pub(crate) fn of(tool: &Tool) -> Result<Self, StoreError> {
        let kind = number(&TOOL_KINDS, &tool.kind)?;
        Ok(Self {
            server: tool.server.clone().map(|server| (server, kind)),
            configured: tool.is_configured(),
            demoted: tool.status() == Status::Demoted,
            revived: tool.presence.revived,
        })
    }
}

/// The indexes, opened when they change.
struct Indexes<'t> {
    tx: &'t Tx,
    server: Option<Table<'t, (&'static str, &'static str, &'static str), u8>>,
    configured: Lazy<'t, ToolRef>,
    demoted: Lazy<'t, ToolRef>,
    revived: Lazy<'t, ToolRef>,
}

impl<'t> Indexes<'t> {
    const fn new(tx: &'t Tx) -> Self {
        Self {
            tx,
            server: None,
            configured: Lazy::new(tx, TOOLS_CONFIGURED),
            demoted: Lazy::new(tx, TOOLS_DEMOTED),
            revived: Lazy::new(tx, TOOLS_REVIVED),
        }
    }

    fn change(&mut self, key: &ToolKey, before: &Marks, after: &Marks) -> Result<(), StoreError> {
        let words = words(key);
        self.configured.set(words, before.configured, after.configured)?;
        self.demoted.set(words, before.demoted, after.demoted)?;
        self.revived.set(words, before.revived, after.revived)?;
        if before.server == after.server {
            return Ok(());
        }
        let index = match &mut self.server {
            Some(index) => index,
            none => none.insert(table(self.tx, TOOLS_SERVER)?),
        };
        if let Some((server, _)) = &before.server {
            index.remove((words.0, server.as_str(), words.1)).map_err(from_storage)?;
        }
        if let Some((server, kind)) = &after.server {
            index.insert((words.0, server.as_str(), words.1), kind).map_err(from_storage)?;
        }
        Ok(())
    }
}

/// Writes the changes, and of the indexes what really changes.
pub(crate) fn apply(tx: &Tx, changes: &[Change<Tool, ToolKey>]) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut tools = table(tx, TOOLS)?;
    let mut indexes = Indexes::new(tx);
    for change in changes {
        let (key, after, old) = match change {
            Change::Put(row) => {
                let value = encode_tool(row)?;
                let old = tools.insert(words(&row.key), value.as_slice());
                (&row.key, Marks::of(row)?, old.map_err(from_storage)?)
            }
            Change::Delete(key) => {
                (key, Marks::default(), tools.remove(words(key)).map_err(from_storage)?)
            }
            _ => return Err(StoreError::Unsupported("this change of a tool")),
        };
        let before = match old {
            Some(old) => Marks::of(&Tools::read(words(key), old.value())?)?,
            None => Marks::default(),
        };
        indexes.change(key, &before, &after)?;
    }
    Ok(())
}
