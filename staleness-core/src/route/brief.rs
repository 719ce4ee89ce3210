//! What a search needs of a route.

use std::fmt;

use super::{Confidence, Route, RouteId};
use crate::ids::check_id;

/// A learned query without what happened to it, for whoever looks at every route of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteBrief<'a> {
    /// Its identity.
    pub id: RouteId,
    /// The tool, by the name under which it is called.
    pub tool: &'a str,
    /// The query as it was first given.
    pub query: &'a str,
    /// How sure it is.
    pub confidence: Confidence,
}

impl<'a> From<&'a Route> for RouteBrief<'a> {
    fn from(route: &'a Route) -> Self {
        Self {
            id: route.key.id,
            tool: route.key.tool.as_str(),
            query: &route.query,
            confidence: route.confidence,
        }
    }
}

/// The routes of one project in brief, in the order of tools and ids. Their texts lie in one piece of
/// memory.
#[derive(Clone, Default, PartialEq)]
pub struct RouteBriefs {
    texts: String,
    rows: Vec<Row>,
}

/// A brief whose texts, tool and query, lie one behind the other, up to the next row's.
#[derive(Clone, Copy, PartialEq)]
struct Row {
    id: RouteId,
    start: usize,
    confidence: Confidence,
    tool: u16,
}

impl RouteBriefs {
    /// Adds a route, which comes behind those that are there.
    ///
    /// # Errors
    /// `tool`: it breaks the rules of [`check_id`].
    pub fn push(&mut self, brief: RouteBrief<'_>) -> Result<(), &'static str> {
        check_id(brief.tool).map_err(|_| "tool")?;
        self.add(brief);
        Ok(())
    }

    /// Adds a route to a tool whose name is known to be valid.
    fn add(&mut self, brief: RouteBrief<'_>) {
        let (id, confidence) = (brief.id, brief.confidence);
        // At most `MAX_ID_BYTES`.
        let tool = brief.tool.len() as u16;
        self.rows.push(Row { id, start: self.texts.len(), confidence, tool });
        self.texts.push_str(brief.tool);
        self.texts.push_str(brief.query);
    }

    /// The routes.
    pub fn iter(&self) -> impl Iterator<Item = RouteBrief<'_>> + Clone {
        let next = self.rows.iter().skip(1).map(|row| row.start).chain([self.texts.len()]);
        self.rows.iter().zip(next).map(|(row, end)| {
            let (tool, query) = self.texts[row.start..end].split_at(row.tool.into());
            RouteBrief { id: row.id, tool, query, confidence: row.confidence }
        })
    }

    /// How many routes there are.
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

impl<'a> FromIterator<&'a Route> for RouteBriefs {
    fn from_iter<I: IntoIterator<Item = &'a Route>>(routes: I) -> Self {
        let mut all = Self::default();
        routes.into_iter().for_each(|route| all.add(route.into()));
        all
    }
}

impl fmt::Debug for RouteBriefs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
