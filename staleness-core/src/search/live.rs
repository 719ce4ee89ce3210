//! An index that a long-lived process keeps from question to question.

use std::collections::HashMap;

use super::index::SearchIndex;
use super::text::{Learned, ToolText};
use crate::ids::{ServerKey, ToolName};
use crate::route::{Route, RouteId};
use crate::tool::Tool;

/// A [`SearchIndex`] that is shown what is there before each question, and takes up the difference.
///
/// Whoever changed it, and in whatever way, the answer is that of an index made anew: nothing is assumed to
/// be as it was, and nothing has to be told to it. What did not change costs one comparison.
///
/// Memory: that of the index, and the descriptions and queries once more.
#[derive(Clone, Debug, Default)]
pub struct LiveIndex {
    index: SearchIndex,
    tools: HashMap<ToolName, Kept<Words>>,
    routes: HashMap<RouteId, Kept<Learned>>,
    turn: u64,
}

/// What was taken up, and when it was there last.
#[derive(Clone, Debug)]
struct Kept<T> {
    what: T,
    turn: u64,
}

/// What the words of a tool come from, beside its name.
#[derive(Clone, Debug)]
struct Words {
    server: Option<ServerKey>,
    plugin: Option<ToolName>,
    description: Option<String>,
}

impl Words {
    fn of(tool: &Tool) -> Self {
        let (server, plugin) = (tool.server.clone(), tool.plugin.clone());
        Self { server, plugin, description: tool.description.clone() }
    }

    fn are_of(&self, tool: &Tool) -> bool {
        (&self.server, &self.plugin, &self.description)
            == (&tool.server, &tool.plugin, &tool.description)
    }
}

fn is_of(learned: &Learned, route: &Route) -> bool {
    (&learned.tool, &learned.query, learned.confidence)
        == (&route.key.tool, &route.query, route.confidence)
}

impl LiveIndex {
    /// An index of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The index as of what it was shown last.
    #[must_use]
    pub const fn index(&self) -> &SearchIndex {
        &self.index
    }

    /// Makes it the index of these tools, each name once, and of these routes of one project. Returns how
    /// many of either it took up or dropped.
    pub fn follow<'a>(
        &mut self,
        tools: impl IntoIterator<Item = &'a Tool>,
        routes: impl IntoIterator<Item = &'a Route>,
    ) -> usize {
        self.turn += 1;
        let (turn, mut changes) = (self.turn, 0);
        for tool in tools {
            let name = &tool.key.name;
            match self.tools.get_mut(name) {
                Some(kept) if kept.what.are_of(tool) => kept.turn = turn,
                _ => {
                    self.index.put_tool(&ToolText::from(tool));
                    self.tools.insert(name.clone(), Kept { what: Words::of(tool), turn });
                    changes += 1;
                }
            }
        }
        let index = &mut self.index;
        changes += drop_gone(&mut self.tools, turn, |name| index.remove_tool(name));
        for route in routes {
            match self.routes.get_mut(&route.key.id) {
                Some(kept) if is_of(&kept.what, route) => kept.turn = turn,
                _ => {
                    let what = Learned::from(route);
                    index.put_route(&what);
                    self.routes.insert(route.key.id, Kept { what, turn });
                    changes += 1;
                }
            }
        }
        changes + drop_gone(&mut self.routes, turn, |id| index.remove_route(*id))
    }
}

/// Drops what was not there this time; how many.
fn drop_gone<K, T>(
    kept: &mut HashMap<K, Kept<T>>,
    turn: u64,
    mut gone: impl FnMut(&K) -> bool,
) -> usize {
    let before = kept.len();
    kept.retain(|key, each| {
        let stays = each.turn == turn;
        if !stays {
            gone(key);
        }
        stays
    });
    before - kept.len()
}
