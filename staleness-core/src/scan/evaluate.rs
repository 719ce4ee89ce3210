//! Evaluating a scan: presence as a state, computed anew from what every source says.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::providers::{Provider, Providers};
use super::{Found, Scan, SourceReading};
use crate::ids::{Level, Scope, ServerKey, SourceId, ToolKey};
use crate::journal::{Action, JournalEntry, Revision, Subject};
use crate::names;
use crate::store::Draft;
use crate::tool::{Holding, Presence, PresenceCause, Tool, ToolKind};

/// What a tool's own sources say of it.
enum Own {
    Present,
    Absent(PresenceCause),
    /// Not proven either way: it stays as it is.
    Keep,
}

/// A scan, arranged for evaluation.
pub(super) struct Evaluation<'s> {
    scan: &'s Scan,
    readings: HashMap<&'s SourceId, (&'s SourceReading, BTreeMap<&'s str, &'s Found>)>,
    gone: BTreeSet<SourceId>,
}

impl<'s> Evaluation<'s> {
    pub(super) fn new(scan: &'s Scan, gone: BTreeSet<SourceId>) -> Self {
        let readings = scan
            .sources
            .iter()
            .map(|reading| {
                let found = reading.found.iter().map(|found| (found.name.as_str(), found));
                (&reading.id, (reading, found.collect()))
            })
            .collect();
        Self { scan, readings, gone }
    }

    /// The keys of everything that the scan found, in no particular order.
    pub(super) fn found_keys(&self) -> impl Iterator<Item = ToolKey> {
        self.scan.sources.iter().flat_map(|reading| {
            let scope = reading.id.scope();
            let key =
                move |found: &Found| ToolKey { scope: scope.clone(), name: found.name.clone() };
            reading.found.iter().map(key)
        })
    }

    /// Enters what was found and settles what follows.
    pub(super) fn carry_out(&self, draft: &mut Draft<'_>) {
        self.list(draft);
        self.settle(draft);
    }

    /// Enters what the sources list: new tools, and who holds which.
    fn list(&self, draft: &mut Draft<'_>) {
        let mut order: Vec<&SourceReading> = self.scan.sources.iter().collect();
        order.sort_by(|a, b| a.id.cmp(&b.id));
        let mut described = BTreeSet::new();
        for reading in order {
            let scope = reading.id.scope();
            for found in &reading.found {
                let key = ToolKey { scope: scope.clone(), name: found.name.clone() };
                if draft.tool(&key).is_none() {
                    draft.put_tool(self.new_tool(&key, found));
                }
                // Where several sources list it, the first in the order of sources describes it; the
                // others fill in what it leaves out.
                let describes = described.insert(key.clone());
                draft.edit_tool(&key, |tool| list_one(tool, reading, found, describes));
            }
        }
    }

    fn new_tool(&self, key: &ToolKey, found: &Found) -> Tool {
        let cause =
            if found.disabled { PresenceCause::Disabled } else { PresenceCause::Configured };
        Tool::new(key.clone(), found.kind, cause, self.scan.at)
    }

    /// Brings the presence of every tool in the draft to what the sources say, entries of servers
    /// first, since their tools follow them.
    fn settle(&self, draft: &mut Draft<'_>) {
        let (entries, others): (Vec<ToolKey>, Vec<ToolKey>) =
            draft.tool_keys().into_iter().filter(|key| self.concerns(&key.scope)).partition(
                |key| draft.tool(key).is_some_and(|tool| tool.kind == ToolKind::McpServer),
            );
        let none = Providers::default();
        for key in &entries {
            self.settle_one(draft, key, &none);
        }
        let providers = Providers::of(draft.tools());
        for key in &others {
            adopt(draft, key, &providers);
            self.settle_one(draft, key, &providers);
        }
    }

    fn concerns(&self, scope: &Scope) -> bool {
        scope.project().is_none_or(|id| *id == self.scan.project.id)
    }

    fn settle_one(&self, draft: &mut Draft<'_>, key: &ToolKey, providers: &Providers) {
        let Some(tool) = draft.tool(key) else { return };
        let mut holdings = tool.holdings.clone();
        for holding in &mut holdings {
            if self.denies(&holding.source, key.name.as_str()) {
                holding.held = false;
            }
        }
        let own = self.own(&holdings);
        if holdings.iter().any(|holding| holding.held) {
            holdings.retain(|holding| holding.held);
        }
        let target = target(providers, tool, &own);
        let is_new = !draft.view().tools.contains_key(key);
        if tool.holdings != holdings {
            draft.edit_tool(key, |tool| tool.holdings = holdings);
        }
        if is_new {
            self.journal(draft, key, Action::Added, None, target);
        }
        self.move_to(draft, key, target, is_new);
    }

    /// Whether a source is known to list the tool no longer.
    fn denies(&self, source: &SourceId, name: &str) -> bool {
        self.gone.contains(source)
            || self
                .readings
                .get(source)
                .is_some_and(|(reading, found)| reading.covers() && !found.contains_key(name))
    }

    fn own(&self, holdings: &[Holding]) -> Own {
        if holdings.is_empty() {
            return Own::Keep;
        }
        if holdings.iter().any(|holding| holding.held && !holding.disabled) {
            return Own::Present;
        }
        if holdings.iter().any(|holding| holding.held) {
            return Own::Absent(PresenceCause::Disabled);
        }
        let unproven = holdings.iter().any(|holding| {
            self.readings.get(&holding.source).is_some_and(|(reading, _)| !reading.covers())
        });
        if unproven {
            Own::Keep
        } else if holdings.iter().all(|holding| holding.source.level == Level::Live) {
            Own::Absent(PresenceCause::NotListed)
        } else {
            Own::Absent(PresenceCause::RemovedFromConfig)
        }
    }

    fn move_to(
        &self,
        draft: &mut Draft<'_>,
        key: &ToolKey,
        target: Option<PresenceCause>,
        is_new: bool,
    ) {
        let at = self.scan.at;
        let Some(tool) = draft.tool(key) else { return };
        let before = tool.status();
        let was_present = tool.presence.is_present();
        let Some(cause) = target.filter(|cause| *cause != tool.presence.cause) else {
            if tool.presence.revived {
                draft.edit_tool(key, |tool| tool.presence.revived = false);
            }
            return;
        };
        draft.edit_tool(key, |tool| {
            let since = if was_present == cause.is_present() { tool.presence.since } else { at };
            tool.presence = Presence::new(cause, since);
        });
        if is_new || was_present == cause.is_present() {
            return;
        }
        let action = if cause.is_present() { Action::Present } else { Action::Absent };
        self.journal(draft, key, action, Some(before.as_str()), Some(cause));
    }

    fn journal(
        &self,
        draft: &mut Draft<'_>,
        key: &ToolKey,
        action: Action,
        from: Option<&str>,
        cause: Option<PresenceCause>,
    ) {
        let Some(tool) = draft.tool(key) else { return };
        let present = cause.unwrap_or(tool.presence.cause);
        let to = crate::tool::status_of(tool.hold, tool.health.is_failing(), present.is_present());
        let entry = JournalEntry {
            revision: Revision(0),
            index: 0,
            at: self.scan.at,
            subject: Subject::tool(key),
            action,
            from: from.map(Into::into),
            to: Some(to.as_str().into()),
            cause: present.as_str().into(),
            note: None,
            session: self.scan.session.clone(),
            actor: None,
            op: None,
        };
        draft.append_journal(entry);
    }
}

/// Where the presence of a tool must go; `None`: it stays.
fn target(providers: &Providers, tool: &Tool, own: &Own) -> Option<PresenceCause> {
    let now = tool.presence.cause;
    let provider = match &tool.server {
        Some(server) if tool.kind == ToolKind::McpTool => providers.state(&tool.key.scope, server),
        _ => Provider::Unknown,
    };
    let lost = provider.lost();
    match (own, lost) {
        (Own::Absent(cause), _) => Some(*cause),
        (Own::Present, Some(lost)) => Some(lost),
        (Own::Present, None) => Some(PresenceCause::Configured),
        (Own::Keep, Some(lost)) if now.is_present() || now.is_cascade() => Some(lost),
        (Own::Keep, None) if now.is_cascade() && provider == Provider::Present => {
            Some(PresenceCause::ServerReturned)
        }
        (Own::Keep, _) => None,
    }
}

/// Finds the server of a tool whose source did not tell it, or whose server was only guessed from
/// its name when it was used: the longest known server that fits the name, else the shortest guess.
fn adopt(draft: &mut Draft<'_>, key: &ToolKey, providers: &Providers) {
    let Some(tool) = draft.tool(key).filter(|tool| tool.kind == ToolKind::McpTool) else { return };
    let known = |server: &ServerKey| providers.state(&key.scope, server) != Provider::Unknown;
    if let Some(server) = &tool.server
        && (tool.is_configured() || known(server))
    {
        return;
    }
    let mut possible = names::possible_servers(key.name.as_str());
    let server = possible.iter().rposition(known).unwrap_or(0);
    if server < possible.len() {
        let server = possible.swap_remove(server);
        draft.edit_tool(key, |tool| tool.server = Some(server));
    }
}

fn list_one(tool: &mut Tool, reading: &SourceReading, found: &Found, describes: bool) {
    tool.server = found.server.clone().or(tool.server.take());
    if describes {
        tool.kind = found.kind;
        tool.plugin.clone_from(&found.plugin);
        tool.description.clone_from(&found.description);
    } else if tool.description.is_none() {
        tool.description.clone_from(&found.description);
    }
    let holding = Holding { source: reading.id.clone(), held: true, disabled: found.disabled };
    match tool.holdings.iter_mut().find(|held| held.source == reading.id) {
        Some(known) => *known = holding,
        None => {
            tool.holdings.push(holding);
            tool.holdings.sort();
        }
    }
}
