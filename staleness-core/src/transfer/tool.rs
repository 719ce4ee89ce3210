//! Export lines of tools.

use serde::{Deserialize, Serialize};

use super::place::SourceIdPart;
use super::word::{self, Version, constant};
use crate::ids::{ClientId, ProjectId, Scope, ServerKey, ToolKey, ToolName};
use crate::outcome::Mark;
use crate::time::Timestamp;
use crate::tool::{
    Failing, Health, Hold, Listing, ListingState, Presence, Ring, RingEntry, Tool, ToolKind,
};

constant!(Kind = "tool");

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolLine {
    kind: Kind,
    version: Version,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<ProjectId>,
    name: ToolName,
    tool_kind: ToolKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<ServerKey>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<ToolName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    listings: Vec<ListingPart>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    used_by: Vec<ClientId>,
    presence: Presence,
    health: HealthPart,
    hold: Hold,
    ring: Vec<RingPart>,
    uses: u64,
    discovered_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Timestamp>,
    updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    defined_chars: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListingPart {
    source: SourceIdPart,
    state: ListingState,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HealthPart {
    #[serde(skip_serializing_if = "Option::is_none")]
    failing: Option<Failing>,
    demotions: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_demoted_at: Option<Timestamp>,
    window: u8,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RingPart {
    #[serde(with = "word")]
    mark: Mark,
    at: Timestamp,
    #[serde(with = "word")]
    op: u64,
}

impl From<&Tool> for ToolLine {
    fn from(row: &Tool) -> Self {
        let listings = row
            .listings
            .iter()
            .map(|each| ListingPart { source: (&each.source).into(), state: each.state });
        let ring = row.ring.entries();
        Self {
            kind: Kind,
            version: Version,
            project: row.key.scope.project().cloned(),
            name: row.key.name.clone(),
            tool_kind: row.kind,
            server: row.server.clone(),
            plugin: row.plugin.clone(),
            description: row.description.clone(),
            listings: listings.collect(),
            used_by: row.used_by.clone(),
            presence: row.presence,
            health: HealthPart {
                failing: row.health.failing.clone(),
                demotions: row.health.demotions,
                last_demoted_at: row.health.last_demoted_at,
                window: row.health.window,
            },
            hold: row.hold,
            ring: ring.map(|each| RingPart { mark: each.mark, at: each.at, op: each.op }).collect(),
            uses: row.uses,
            discovered_at: row.discovered_at,
            last_used_at: row.last_used_at,
            updated_at: row.updated_at,
            defined_chars: row.defined_chars,
        }
    }
}

impl TryFrom<ToolLine> for Tool {
    type Error = String;

    /// Rejects what no record contains: a ring, window or description that is too long, or a duplicate source.
    fn try_from(line: ToolLine) -> Result<Self, String> {
        if line.ring.len() > Ring::CAPACITY || usize::from(line.health.window) > Ring::CAPACITY {
            return Err(format!("more than {} outcomes", Ring::CAPACITY));
        }
        if line.used_by.len() > Self::MAX_CLIENTS || !line.used_by.is_sorted_by(|a, b| a < b) {
            return Err("too many clients, or clients out of order".into());
        }
        let long = |text: &String| text.chars().nth(Self::MAX_DESCRIPTION_CHARS).is_some();
        if line.description.as_ref().is_some_and(long) {
            return Err(format!("a description over {} characters", Self::MAX_DESCRIPTION_CHARS));
        }
        let mut listings: Vec<Listing> = Vec::with_capacity(line.listings.len());
        for ListingPart { source, state } in line.listings {
            let listing = Listing { source: source.into(), state };
            if listings.iter().any(|known| known.source == listing.source) {
                return Err(format!("the source {} appears twice", listing.source));
            }
            listings.push(listing);
        }
        let ring =
            line.ring.iter().map(|each| RingEntry { mark: each.mark, at: each.at, op: each.op });
        let HealthPart { failing, demotions, last_demoted_at, window } = line.health;
        Ok(Self {
            key: ToolKey {
                scope: line.project.map_or(Scope::Global, Scope::Project),
                name: line.name,
            },
            kind: line.tool_kind,
            server: line.server,
            plugin: line.plugin,
            description: line.description,
            listings,
            used_by: line.used_by,
            presence: line.presence,
            health: Health { failing, demotions, last_demoted_at, window },
            hold: line.hold,
            ring: Ring::from_entries(ring),
            uses: line.uses,
            discovered_at: line.discovered_at,
            last_used_at: line.last_used_at,
            updated_at: line.updated_at,
            defined_chars: line.defined_chars,
        })
    }
}
