//! Identifiers of routes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::ids::{ProjectId, ToolName, stable_hash_of};

/// The id of a route: a 128-bit hash of the tool's exact name and the folded query, written as 32 hexadecimal digits.
/// The probability that two different pairs collide is about 2⁻¹²⁸ times the number of pairs. Code that writes a route
/// therefore also compares tool and query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteId(pub u128);

impl RouteId {
    /// Returns the id for a tool and a query folded by [`Route::fold`](crate::route::Route::fold).
    pub fn of(tool: &ToolName, folded: &str) -> Self {
        // Names contain no control characters, so the separator makes the text unambiguous.
        Self(stable_hash_of([tool.as_str(), "\u{1f}", folded]))
    }

    /// Returns the bytes in big-endian order, which sort like the ids.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// The inverse of [`RouteId::to_bytes`]. `None` unless there are exactly 16 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(|bytes| Self(u128::from_be_bytes(bytes)))
    }
}

impl fmt::Display for RouteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for RouteId {
    type Err = ();

    /// Parses exactly 32 lower-case hexadecimal digits.
    fn from_str(text: &str) -> Result<Self, ()> {
        let written = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() != 32 || !text.bytes().all(written) {
            return Err(());
        }
        u128::from_str_radix(text, 16).map(Self).map_err(drop)
    }
}

impl Serialize for RouteId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RouteId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(|()| de::Error::custom("not the id of a route"))
    }
}

/// The identity of a route: its project, its tool and its id. The id depends on the tool too; the separate field keeps
/// the routes of one tool together in storage.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RouteKey {
    /// The project in which the route was learned.
    pub project: ProjectId,
    /// The name of the tool.
    pub tool: ToolName,
    /// The id of the route.
    pub id: RouteId,
}

impl RouteKey {
    /// Returns the key for a tool and a folded query in a project.
    pub fn of(project: &ProjectId, tool: &ToolName, folded: &str) -> Self {
        Self { project: project.clone(), tool: tool.clone(), id: RouteId::of(tool, folded) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_stable_and_tells_tool_and_query_apart() {
        let tool = |name: &str| ToolName::new(name).expect("a name");
        let id = RouteId::of(&tool("mcp__github__search"), "open issues");
        assert_eq!(id.to_string(), "a9dc51d037f7fdeff8b126198cb64112");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(RouteId::from_bytes(&id.to_bytes()), Some(id));
        assert_ne!(RouteId::of(&tool("ab"), "c"), RouteId::of(&tool("a"), "bc"));
        assert_ne!(id, RouteId::of(&tool("mcp__github__search"), "open issue"));
        for text in ["", "0", "G0000000000000000000000000000000", &"A".repeat(32)] {
            assert_eq!(text.parse::<RouteId>(), Err(()), "{text}");
        }
    }
}
