//! What a search needs of a tool.

use std::fmt;

use super::{Hold, Status, Tool, ToolKind, status_of};
use crate::ids::{ServerKey, ToolName, check_id};

/// A tool without what happened to it: its words, and what its status follows from. A tenth of the
/// record, for whoever looks at every tool of a scope to find a few.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolBrief<'a> {
    /// Its name; the scope is that of the list.
    pub name: &'a str,
    /// What sort of thing it is.
    pub kind: ToolKind,
    /// The MCP server that it is, or belongs to.
    pub server: Option<&'a str>,
    /// The plugin that provides it.
    pub plugin: Option<&'a str>,
    /// What it says of itself.
    pub description: Option<&'a str>,
    /// What a person decided about it.
    pub hold: Hold,
    /// Whether it is there: see [`super::Presence::is_present`].
    pub present: bool,
    /// Whether it is failing: see [`super::Health::is_failing`].
    pub failing: bool,
}

impl ToolBrief<'_> {
    /// Its status: that of its [`Tool`].
    #[must_use]
    pub fn status(&self) -> Status {
        status_of(self.hold, self.failing, self.present)
    }
}

impl<'a> From<&'a Tool> for ToolBrief<'a> {
    fn from(tool: &'a Tool) -> Self {
        Self {
            name: tool.key.name.as_str(),
            kind: tool.kind,
            server: tool.server.as_ref().map(ServerKey::as_str),
            plugin: tool.plugin.as_ref().map(ToolName::as_str),
            description: tool.description.as_deref(),
            hold: tool.hold,
            present: tool.presence.is_present(),
            failing: tool.health.is_failing(),
        }
    }
}

/// The tools of one scope in brief, in no order that means anything. Their texts lie in one piece of
/// memory: ten thousand tools are two allocations, not forty thousand.
#[derive(Clone, Default)]
pub struct ToolBriefs {
    texts: String,
    rows: Vec<Row>,
}

/// A brief whose texts lie one behind the other, up to the next row's.
#[derive(Clone, Copy)]
struct Row {
    start: usize,
    /// The lengths of name, server and plugin: 0 for none, since no identifier is empty.
    lengths: [u16; 3],
    described: bool,
    kind: ToolKind,
    hold: Hold,
    present: bool,
    failing: bool,
}

impl ToolBriefs {
    /// Adds a tool.
    ///
    /// # Errors
    /// The name of the field that breaks the rules of [`check_id`].
    pub fn push(&mut self, brief: ToolBrief<'_>) -> Result<(), &'static str> {
        check_id(brief.name).map_err(|_| "name")?;
        brief.server.map_or(Ok(()), check_id).map_err(|_| "server")?;
        brief.plugin.map_or(Ok(()), check_id).map_err(|_| "plugin")?;
        self.add(brief);
        Ok(())
    }

    /// Adds a tool whose identifiers are known to be valid.
    fn add(&mut self, brief: ToolBrief<'_>) {
        let start = self.texts.len();
        let ids = [brief.name, brief.server.unwrap_or(""), brief.plugin.unwrap_or("")];
        ids.iter().for_each(|text| self.texts.push_str(text));
        self.texts.push_str(brief.description.unwrap_or(""));
        self.rows.push(Row {
            start,
            // At most `MAX_ID_BYTES`.
            lengths: ids.map(|text| text.len() as u16),
            described: brief.description.is_some(),
            kind: brief.kind,
            hold: brief.hold,
            present: brief.present,
            failing: brief.failing,
        });
    }

    /// The tools.
    pub fn iter(&self) -> impl Iterator<Item = ToolBrief<'_>> + Clone {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// The tool at a place.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<ToolBrief<'_>> {
        let row = self.rows.get(at)?;
        let end = self.rows.get(at + 1).map_or(self.texts.len(), |next| next.start);
        let mut rest = &self.texts[row.start..end];
        let [name, server, plugin] = row.lengths.map(|length| {
            let (text, behind) = rest.split_at(length.into());
            rest = behind;
            Some(text).filter(|text| !text.is_empty())
        });
        Some(ToolBrief {
            name: name?,
            kind: row.kind,
            server,
            plugin,
            description: row.described.then_some(rest),
            hold: row.hold,
            present: row.present,
            failing: row.failing,
        })
    }

    /// How many tools there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl<'a> Extend<&'a Tool> for ToolBriefs {
    fn extend<I: IntoIterator<Item = &'a Tool>>(&mut self, tools: I) {
        tools.into_iter().for_each(|tool| self.add(tool.into()));
    }
}

impl<'a> FromIterator<&'a Tool> for ToolBriefs {
    fn from_iter<I: IntoIterator<Item = &'a Tool>>(tools: I) -> Self {
        let mut all = Self::default();
        all.extend(tools);
        all
    }
}

impl fmt::Debug for ToolBriefs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for ToolBriefs {
    /// Whether they hold the same tools, in whatever order.
    fn eq(&self, other: &Self) -> bool {
        fn sorted(all: &ToolBriefs) -> Vec<ToolBrief<'_>> {
            let mut all: Vec<_> = all.iter().collect();
            all.sort_unstable_by_key(|brief| brief.name);
            all
        }
        sorted(self) == sorted(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(name: &str) -> ToolBrief<'_> {
        ToolBrief {
            name,
            kind: ToolKind::McpTool,
            server: None,
            plugin: None,
            description: None,
            hold: Hold::None,
            present: true,
            failing: false,
        }
    }

    #[test]
    fn a_brief_is_read_as_it_was_added() {
        let all = [
            ToolBrief { server: Some("s"), description: Some(""), ..brief("a") },
            ToolBrief { plugin: Some("p@q"), failing: true, ..brief("b") },
            ToolBrief {
                server: Some("s"),
                plugin: Some("p"),
                description: Some("x y"),
                ..brief("c")
            },
        ];
        let mut briefs = ToolBriefs::default();
        all.iter().for_each(|brief| briefs.push(*brief).unwrap());
        assert!(briefs.iter().eq(all));
        assert_eq!((briefs.len(), briefs.get(3)), (3, None));
        let mut turned = ToolBriefs::default();
        all.iter().rev().for_each(|brief| turned.push(*brief).unwrap());
        assert_eq!(briefs, turned);
        assert_ne!(briefs, ToolBriefs::default());
    }

    #[test]
    fn what_no_tool_can_be_called_is_refused_by_field() {
        let mut briefs = ToolBriefs::default();
        assert_eq!(briefs.push(brief("")), Err("name"));
        assert_eq!(briefs.push(ToolBrief { server: Some(" "), ..brief("a") }), Err("server"));
        assert_eq!(briefs.push(ToolBrief { plugin: Some("\n"), ..brief("a") }), Err("plugin"));
        assert!(briefs.is_empty());
    }
}
