//! Tools, and the five indexes over them.

use redb::{ReadableTable, Table, TableDefinition, Value};
use staleness_core::ids::{Scope, ServerKey, ToolKey, ToolName};
use staleness_core::store::{Change, StoreError, ToolFilter, View};
use staleness_core::tool::{Status, Tool, ToolBriefs, ToolKind};

use super::{Collection, Once, get, keep_all_of, table};
use crate::codec::{Bad, corrupt};
use crate::error::from_storage;
use crate::records::{TOOL_KINDS, decode_tool, encode_tool, id, number, tool_brief};
use crate::session::Tx;
use crate::tables::{
    ServerRef, TOOLS, TOOLS_CONFIGURED, TOOLS_DEMOTED, TOOLS_ENTRIES, TOOLS_REVIVED, TOOLS_SERVER,
    ToolRef,
};

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

/// Adds the tools of a scope in brief.
pub(crate) fn briefs(tx: &Tx, scope: &Scope, view: &mut View) -> Result<(), StoreError> {
    let all = view.briefs.entry(scope.clone()).or_default();
    *all = ToolBriefs::default();
    let scope = scope.as_key();
    for entry in table(tx, TOOLS)?.range((scope, "")..).map_err(from_storage)? {
        let (key, value) = entry.map_err(from_storage)?;
        if key.value().0 != scope {
            break;
        }
        let (_, name) = key.value();
        tool_brief(name, value.value())
            .and_then(|brief| all.push(brief).map_err(Bad))
            .map_err(|bad| corrupt("tools", format_args!("{:?}", key.value()), bad))?;
    }
    Ok(())
}

/// Adds what the filters name to the view.
pub(crate) fn load<'f>(
    tx: &Tx,
    filters: impl Iterator<Item = &'f ToolFilter>,
    view: &mut View,
) -> Result<(), StoreError> {
    let mut tools = Once::new(tx, TOOLS);
    let mut entries = Once::new(tx, TOOLS_ENTRIES);
    for filter in filters {
        match filter {
            // The tools of a batch are few, and each is named again and again.
            ToolFilter::Key(key) if view.tools.contains_key(key) => {}
            ToolFilter::Key(key) => {
                if let Some(row) = get::<Tools>(tools.open()?, words(key))? {
                    Tools::keep(row, view);
                }
            }
            ToolFilter::Scope(scope) => {
                let scope = scope.as_key();
                for entry in tools.open()?.range((scope, "")..).map_err(from_storage)? {
                    let (key, value) = entry.map_err(from_storage)?;
                    if key.value().0 != scope {
                        break;
                    }
                    Tools::keep(Tools::read(key.value(), value.value())?, view);
                }
            }
            ToolFilter::Configured(scope) => {
                by_index(tx, TOOLS_CONFIGURED, scope, &mut tools, view)?
            }
            ToolFilter::Demoted(scope) => by_index(tx, TOOLS_DEMOTED, scope, &mut tools, view)?,
            ToolFilter::Revived(scope) => by_index(tx, TOOLS_REVIVED, scope, &mut tools, view)?,
            ToolFilter::Entries(scope, server) => {
                by_server(entries.open()?, scope, server, &mut tools, view)?;
            }
            ToolFilter::Server(scope, server) => {
                by_server(&table(tx, TOOLS_SERVER)?, scope, server, &mut tools, view)?;
            }
            ToolFilter::All => keep_all_of::<Tools>(tools.open()?, view)?,
        }
    }
    Ok(())
}

type OnceTools<'t> = Once<'t, ToolRef, &'static [u8]>;

fn by_index(
    tx: &Tx,
    index: TableDefinition<'_, ToolRef, ()>,
    scope: &Scope,
    tools: &mut OnceTools<'_>,
    view: &mut View,
) -> Result<(), StoreError> {
    let (scope, index) = (scope.as_key(), table(tx, index)?);
    for entry in index.range((scope, "")..).map_err(from_storage)? {
        let (key, _) = entry.map_err(from_storage)?;
        if key.value().0 != scope {
            break;
        }
        keep_indexed(tools, key.value(), view)?;
    }
    Ok(())
}

fn by_server<V: Value + 'static>(
    index: &Table<'_, ServerRef, V>,
    scope: &Scope,
    server: &ServerKey,
    tools: &mut OnceTools<'_>,
    view: &mut View,
) -> Result<(), StoreError> {
    let (scope, server) = (scope.as_key(), server.as_str());
    for entry in index.range((scope, server, "")..).map_err(from_storage)? {
        let (key, _) = entry.map_err(from_storage)?;
        let (its_scope, its_server, name) = key.value();
        if (its_scope, its_server) != (scope, server) {
            break;
        }
        keep_indexed(tools, (scope, name), view)?;
    }
    Ok(())
}

fn keep_indexed(
    tools: &mut OnceTools<'_>,
    key: (&str, &str),
    view: &mut View,
) -> Result<(), StoreError> {
    match get::<Tools>(tools.open()?, key)? {
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
    /// Whether it is the entry of its server.
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
struct Indexes<'t> {
    server: Once<'t, ServerRef, u8>,
    entries: Once<'t, ServerRef, ()>,
    configured: Once<'t, ToolRef, ()>,
    demoted: Once<'t, ToolRef, ()>,
    revived: Once<'t, ToolRef, ()>,
}

impl<'t> Indexes<'t> {
    const fn new(tx: &'t Tx) -> Self {
        Self {
            server: Once::new(tx, TOOLS_SERVER),
            entries: Once::new(tx, TOOLS_ENTRIES),
            configured: Once::new(tx, TOOLS_CONFIGURED),
            demoted: Once::new(tx, TOOLS_DEMOTED),
            revived: Once::new(tx, TOOLS_REVIVED),
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
        };
        let before = match old {
            Some(old) => Marks::of(&Tools::read(words(key), old.value())?)?,
            None => Marks::default(),
        };
        indexes.change(key, &before, &after)?;
    }
    Ok(())
}
