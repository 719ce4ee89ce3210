//! The step that applies a scan, used by `scan` and at every session start.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::evaluate::Evaluation;
use super::providers::Providers;
use super::{Scan, SourceReading};
use crate::definition::DefinitionPolicy;
use crate::ids::{ProjectId, Scope, ServerKey, SourceId, stable_hash};
use crate::journal::Subject;
use crate::policy::Policy;
use crate::project::Project;
use crate::source::{Source, SourceState};
use crate::store::{
    Decision, Draft, Durability, JournalFilter, ProjectFilter, Refusal, Selection, SourceFilter,
    Step, ToolFilter, View,
};
use crate::tool::Tool;

/// The maximum number of journal entries to read about a tool that awaited approval or trust.
const HISTORY: u32 = 32;

// There are up to three reads. The first reads the project, its visible sources and the few tools that a use made
// present. The second reads the configured tools, but only if the digest of all sources has changed or such a tool
// exists. The third reads the rows that depend on these: listed tools that may be known from use, and the tools of
// servers that appeared or disappeared. An unchanged scan therefore reads and writes one row per source, and a small
// change reads little, however many tools there are.
impl Scan {
    pub(super) fn scopes(&self) -> [Scope; 2] {
        [Scope::Global, Scope::Project(self.project.id.clone())]
    }

    /// Refuses an older reading: another scan with different content was applied after this one read the files.
    fn refuse_older(&self, view: &View) -> Result<(), Refusal> {
        let under = |id: &SourceId| self.read_under.get(id).copied();
        let moved_on = |known: &Source| known.readings > under(&known.id).unwrap_or(0);
        let superseded = |id: &SourceId| Err(Refusal::Superseded { source: id.to_string() });
        for reading in &self.sources {
            let newer = match view.sources.get(&reading.id) {
                Some(known) => moved_on(known) && known.digest != reading.digest(),
                // The source was known when the files were read, but the index of its client no longer lists it.
                None => under(&reading.id).is_some(),
            };
            if newer {
                return superseded(&reading.id);
            }
        }
        match self.gone(view).iter().find(|id| view.sources.get(id).is_some_and(moved_on)) {
            Some(id) => superseded(id),
            None => Ok(()),
        }
    }

    /// Updates the rows of all sources that exist or existed, and removes those that are gone.
    fn note_sources(&self, draft: &mut Draft<'_>) {
        for reading in &self.sources {
            let known = draft.get::<Source>(&reading.id).cloned();
            if known.is_none() && reading.state == SourceState::Missing {
                continue;
            }
            draft.put(self.noted(reading, known));
        }
        for id in self.gone(draft.view()) {
            draft.delete::<Source>(&id);
        }
    }

    fn noted(&self, reading: &SourceReading, known: Option<Source>) -> Source {
        let read = !matches!(reading.state, SourceState::Missing | SourceState::Failed);
        Source {
            id: reading.id.clone(),
            path: reading.path.clone(),
            state: reading.state,
            found: u32::try_from(reading.listed().count()).unwrap_or(u32::MAX),
            digest: reading.digest(),
            readings: known.as_ref().map_or(0, |known| known.readings).saturating_add(1),
            last_read_at: known
                .as_ref()
                .and_then(|known| known.last_read_at)
                .max(read.then_some(self.at)),
            last_scan_at: known.map_or(self.at, |known| known.last_scan_at.max(self.at)),
            error: reading
                .error
                .as_ref()
                .map(|error| error.chars().take(Source::MAX_ERROR_CHARS).collect()),
        }
    }

    /// Returns the known sources that the index of their client no longer lists.
    fn gone(&self, view: &View) -> BTreeSet<SourceId> {
        let brought: BTreeSet<&SourceId> = self.sources.iter().map(|reading| &reading.id).collect();
        view.sources
            .keys()
            .filter(|id| !brought.contains(id))
            .filter(|id| self.indexes.iter().any(|index| index.lists(id)))
            .cloned()
            .collect()
    }

    /// Selects the affected tools that are not configured.
    ///
    /// Every scan updates the tools in the global scope together with their servers, so only servers that just changed
    /// matter there. The project's own tools also depend on global servers, which scans of other projects may have
    /// changed, so all known servers matter. A new server may own tools that were assigned to a server with a shorter
    /// name.
    fn concerned(&self, seen: &View, draft: &Draft<'_>) -> Selection {
        let [global, project] = self.scopes();
        let old = Providers::of(seen.tools.values());
        let new = Providers::of(draft.tools());
        let mut servers = BTreeSet::new();
        for server in new.servers() {
            if old.state(&global, server) != new.state(&global, server) {
                servers.extend(shorter(server).map(|part| (global.clone(), part)));
                servers.insert((global.clone(), server.clone()));
            }
            servers.extend(shorter(server).map(|part| (project.clone(), part)));
            servers.insert((project.clone(), server.clone()));
        }
        let mut more = Selection::new();
        for (scope, server) in servers {
            more = more.lock(ToolFilter::Server(scope, server));
        }
        // These tools were just approved or trusted, perhaps not for the first time.
        let waited = |tool: &&Tool| tool.listings.iter().any(|each| each.state.waits());
        let moved = |tool: &&Tool| draft.get::<Tool>(&tool.key).is_some_and(|now| now != *tool);
        for tool in seen.tools.values().filter(waited).filter(moved) {
            let subject = Subject::tool(&tool.key);
            more = more.journal(JournalFilter::Subject { subject, limit: HISTORY });
        }
        // These tools are listed now and may be known from use.
        for tool in draft.new_tools() {
            more = more.lock(ToolFilter::Key(tool.key.clone()));
        }
        more
    }

    /// Updates the project's row. Changes up to the first scan count as already reported.
    fn note_project(&self, draft: &mut Draft<'_>, config_digest: u128) {
        let (project, at) = (&self.project, self.at);
        let known = draft.get::<Project>(&project.id).cloned().unwrap_or_else(|| Project {
            id: project.id.clone(),
            root: project.root.clone(),
            first_seen_at: at,
            last_seen_at: at,
            config_digest: 0,
            told: draft.view().revision,
        });
        let told = if known.config_digest == 0 { draft.revision_after() } else { known.told };
        draft.put(Project {
            root: project.root.clone(),
            last_seen_at: known.last_seen_at.max(at),
            config_digest,
            told,
            ..known
        });
    }
}

/// Returns the servers to which a tool of this server may have been assigned while this server was unknown.
fn shorter(server: &ServerKey) -> impl Iterator<Item = ServerKey> {
    ServerKey::owners_of(&format!("mcp__{server}__x")).into_iter().filter({
        let server = server.clone();
        move |part| *part != server
    })
}

/// Returns one digest of all sources that a project sees, regardless of their order, and of the policy for definitions.
fn combined_digest<'a>(
    sources: impl Iterator<Item = &'a Source>,
    policy: &DefinitionPolicy,
) -> u128 {
    let mut lines: Vec<String> = sources
        .map(|source| {
            format!("{}\u{1f}{}\u{1f}{:x}", source.id, source.id.scope().as_key(), source.digest)
        })
        .collect();
    if *policy != DefinitionPolicy::default() {
        lines.push(format!("{policy:?}"));
    }
    lines.sort_unstable();
    stable_hash(lines.join("\u{1e}").as_bytes())
}

#[derive(Debug)]
pub(crate) struct ApplyScan {
    pub scan: Scan,
    pub policy: Arc<Policy>,
}

impl ApplyScan {
    pub(crate) fn new(scan: Scan, policy: &Arc<Policy>) -> Self {
        Self { scan: scan.name_instructions(), policy: Arc::clone(policy) }
    }
}

impl Step for ApplyScan {
    fn selection(&self) -> Selection {
        let [global, project] = self.scan.scopes();
        Selection::new()
            .lock(ProjectFilter::Id(self.scan.project.id.clone()))
            .lock(SourceFilter::Scope(global.clone()))
            .lock(SourceFilter::Scope(project.clone()))
            .lock(ToolFilter::Revived(global))
            .lock(ToolFilter::Revived(project))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let scan = &self.scan;
        scan.refuse_older(view)?;
        let mut draft = Draft::new(view, scan.at);
        scan.note_sources(&mut draft);
        let policy = &self.policy.definitions;
        let before = combined_digest(view.sources.values(), policy);
        let after = combined_digest(draft.sources(), policy);
        let known = view.projects.get(&scan.project.id);
        let unchanged = before == after
            && known.is_some_and(|known| known.config_digest == after)
            && !view.tools.values().any(|tool| tool.presence.revived);
        if !unchanged {
            if view.looks <= 1 {
                let [global, project] = scan.scopes();
                let configured = Selection::new()
                    .lock(ToolFilter::Configured(global))
                    .lock(ToolFilter::Configured(project));
                return Ok(Decision::Need(scan.select_definitions(configured)));
            }
            let defined = scan.define(&mut draft, policy);
            let evaluation = Evaluation::new(scan, scan.gone(view), defined.states);
            evaluation.carry_out(&mut draft);
            scan.journal_changes(&mut draft, defined.changes);
            if view.looks == 2 {
                let more = scan.concerned(view, &draft);
                if more != Selection::new() {
                    return Ok(Decision::Need(more));
                }
            }
        }
        scan.note_project(&mut draft, after);
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

/// Selects the sources whose readings a scan of `project` would replace.
pub(crate) fn readings_of(project: &ProjectId) -> Selection {
    Selection::new().peek_both(project, SourceFilter::Scope)
}
