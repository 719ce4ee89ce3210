//! Costs: the tokens that tools, skills and instruction files add to each client's session, and which of them are
//! unused.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;
use staleness::ids::{Scope, ServerKey, ToolKey};
use staleness::tool::ToolKind;
use staleness::{Registry, Wait};
use staleness_core::report::ToolCost;
use staleness_docs::disk::read_bytes;
use staleness_sources::clients::names_only;

use crate::documents::session_files;
use crate::error::ServiceError;
use crate::settings::Settings;

/// The largest instruction file whose cost is estimated, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The costs of the tools and instruction files that the requesting client loads, or that all clients load if the
/// client is unknown.
#[derive(Debug, Serialize)]
pub struct Costs {
    /// The method of the estimates.
    pub method: &'static str,
    /// Unused tools by client, highest cost first.
    pub unused: Vec<ToolCost>,
    /// Instruction files, by client and path.
    pub instructions: Vec<InstructionCost>,
    /// The totals by client.
    pub clients: BTreeMap<String, ClientCost>,
    /// Servers, skills, commands and agents that are used, or whose use is unknown.
    #[serde(skip)]
    pub others: Vec<ToolCost>,
}

/// An instruction file that a client loads when a session starts.
#[derive(Debug, Serialize)]
pub struct InstructionCost {
    /// The client.
    pub client: String,
    /// The file's path, relative to the project, or to the home folder if it begins with `~/`.
    pub path: String,
    /// Estimated tokens; `None` if the file cannot be read, or is larger than 4 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// The costs of a session of a client.
#[derive(Debug, Default, Serialize)]
pub struct ClientCost {
    /// True if any use by the client is known. Without one, nothing counts as unused.
    pub is_watched: bool,
    /// The number of MCP servers.
    pub servers: usize,
    /// The number of skills, commands and agents.
    pub skills: usize,
    /// The number of instruction files.
    pub instructions: usize,
    /// Estimated tokens of all of them; `None` if no cost is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Estimated tokens of unused tools; `None` if none of their costs, or no use by the client, is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unused_tokens: Option<u64>,
    /// The number of servers, skills and files whose cost is not fully known. The totals omit unknown costs.
    pub unknown: usize,
}

/// Returns the costs. A tool is unused after `days` days, by default the policy's number.
///
/// # Errors
/// Errors of the store.
pub fn costs(
    settings: &Settings,
    registry: &Registry,
    days: Option<u32>,
) -> Result<Costs, ServiceError> {
    let all = registry.tools().costs(&settings.project, days, names_only, settings.now).wait()?;
    let asking = settings.client.iter().map(ToString::to_string);
    let names: BTreeSet<String> =
        all.iter().map(|each| each.client.clone()).chain(asking).collect();
    let mut clients: BTreeMap<String, ClientCost> = BTreeMap::new();
    let server = |each: &ToolCost| {
        let name = each.server.as_deref().filter(|_| each.kind == ToolKind::McpServer);
        Some((each.client.clone(), ServerKey::of(name?)?))
    };
    let is_own = |each: &&ToolCost| each.key.scope != Scope::Global;
    let own: BTreeSet<_> = all.iter().filter(is_own).filter_map(server).collect();
    for each in &all {
        let client = clients.entry(each.client.clone()).or_default();
        client.is_watched |= each.idle_days.is_some();
        // If the user and the project have an entry with the same name, the client loads the project's.
        if !is_own(&each) && server(each).is_some_and(|server| own.contains(&server)) {
            continue;
        }
        if each.unused {
            client.unused_tokens = sum(client.unused_tokens, each.tokens);
        }
        match each.kind {
            // The cost of a tool is part of its server's cost.
            ToolKind::McpTool => continue,
            ToolKind::McpServer => client.servers += 1,
            _ => client.skills += 1,
        }
        let is_partial = each.unknown_tools.is_some_and(|unknown| unknown > 0);
        client.add(each.tokens, is_partial);
    }
    let mut instructions = Vec::new();
    for name in names {
        let client = clients.entry(name.clone()).or_default();
        for (path, file) in session_files(settings, &name) {
            let tokens = tokens_of(&file);
            client.instructions += 1;
            client.add(tokens, false);
            instructions.push(InstructionCost { client: name.clone(), path, tokens });
        }
    }
    for (name, client) in &mut clients {
        let has_unused = all.iter().any(|each| each.unused && each.client == *name);
        let none = client.is_watched && !has_unused;
        client.unused_tokens = client.unused_tokens.or(none.then_some(0));
    }
    let (mut unused, mut others): (Vec<_>, Vec<_>) = all.into_iter().partition(|each| each.unused);
    for list in [&mut unused, &mut others] {
        list.sort_by(|one, other| {
            let dear = |each: &ToolCost| Reverse((each.tokens, each.loaded_tokens));
            (&one.client, dear(one)).cmp(&(&other.client, dear(other)))
        });
    }
    Ok(Costs { method: ToolCost::METHOD, unused, instructions, clients, others })
}

impl Costs {
    /// Returns the costs of a tool by client.
    pub fn of(&self, key: &ToolKey) -> impl Iterator<Item = &ToolCost> {
        self.unused.iter().chain(&self.others).filter(move |each| each.key == *key)
    }
}

impl ClientCost {
    fn add(&mut self, tokens: Option<u64>, is_partial: bool) {
        self.tokens = sum(self.tokens, tokens);
        self.unknown += usize::from(tokens.is_none() || is_partial);
    }
}

/// Adds two numbers, either of which may be unknown. `None` only if both are.
fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.zip(other).map(|(one, other)| one + other).or(one).or(other)
}

/// Estimates the tokens of a file; `None` if it cannot be read or is too large.
fn tokens_of(path: &Path) -> Option<u64> {
    let (bytes, _) = path.is_file().then(|| read_bytes(path, MAX_BYTES).ok()?)??;
    Some(ToolCost::estimate(String::from_utf8_lossy(&bytes).chars().count()))
}
