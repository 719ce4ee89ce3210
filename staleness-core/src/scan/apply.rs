//! Applying a scan: the step behind `scan` and every session start.

use std::collections::BTreeSet;

use super::evaluate::{Evaluation, Providers};
use super::{Scan, SourceReading};
use crate::ids::{ProjectId, Scope, ServerKey, SourceId, stable_hash};
use crate::project::{Project, Told};
use crate::source::{Source, SourceState};
use crate::store::{
    Decision, Draft, Durability, ProjectFilter, Refusal, Selection, SourceFilter, Step, ToolFilter,
    View,
};

/// Applies a scan.
///
/// The first look reads the project, its visible sources and the few tools that a use brought back.
/// Only when the digest over all sources has changed, or there are such tools, are the configured
/// tools read, and then those of the servers concerned: a scan in which nothing changed writes one
/// row per source, however many tools there are.
#[derive(Debug)]
pub struct ApplyScan {
    /// What was read.
    pub scan: Scan,
}

impl ApplyScan {
    fn scopes(&self) -> [Scope; 2] {
        [Scope::Global, Scope::Project(self.scan.project.id.clone())]
    }

    /// An older reading must not overwrite a newer one: refuse when another scan was applied since
    /// the files were read and saw something else.
    fn refuse_older(&self, view: &View) -> Result<(), Refusal> {
        for reading in &self.scan.sources {
            let Some(known) = view.sources.get(&reading.id) else {
                continue;
            };
            let under = self.scan.read_under.get(&reading.id).copied().unwrap_or(0);
            if known.readings > under && known.digest != reading.digest() {
                return Err(Refusal::Superseded { source: reading.id.to_string() });
            }
        }
        Ok(())
    }

    /// Notes every source that is there, or was.
    fn note_sources(&self, draft: &mut Draft<'_>) {
        for reading in &self.scan.sources {
            let known = draft.source(&reading.id).cloned();
            if known.is_none() && reading.state == SourceState::Missing {
                continue;
            }
            draft.put_source(self.noted(reading, known));
        }
        for id in self.gone(draft.view()) {
            draft.delete_source(&id);
        }
    }

    fn noted(&self, reading: &SourceReading, known: Option<Source>) -> Source {
        let read = matches!(reading.state, SourceState::Read | SourceState::Partial);
        Source {
            id: reading.id.clone(),
            path: reading.path.clone(),
            state: reading.state,
            found: u32::try_from(reading.found.len()).unwrap_or(u32::MAX),
            digest: reading.digest(),
            readings: known.as_ref().map_or(0, |known| known.readings) + 1,
            last_read_at: if read {
                Some(self.scan.at)
            } else {
                known.and_then(|known| known.last_read_at)
            },
            last_scan_at: self.scan.at,
        }
    }

    /// Known sources that their client's own index no longer lists.
    fn gone(&self, view: &View) -> BTreeSet<SourceId> {
        let brought: BTreeSet<&SourceId> =
            self.scan.sources.iter().map(|reading| &reading.id).collect();
        view.sources
            .keys()
            .filter(|id| !brought.contains(id))
            .filter(|id| self.scan.indexes.iter().any(|index| index.lists(id)))
            .cloned()
            .collect()
    }

    fn project(&self, view: &View, config_digest: u128) -> Project {
        let at = self.scan.at;
        match view.projects.get(&self.scan.project.id) {
            Some(known) => Project {
                root: self.scan.project.root.clone(),
                last_seen_at: known.last_seen_at.max(at),
                config_digest,
                ..known.clone()
            },
            None => Project {
                id: self.scan.project.id.clone(),
                root: self.scan.project.root.clone(),
                first_seen_at: at,
                last_seen_at: at,
                config_digest,
                told: Told { revision: view.revision, from: view.revision, session: None },
            },
        }
    }

    /// The servers whose individual tools must be looked at: in the global scope those whose
    /// provider changed, in the project's scope all that are known, since another project's scan
    /// may have changed the global ones.
    fn servers_concerned(&self, before: &View, after: &Draft<'_>) -> Vec<(Scope, ServerKey)> {
        let [global, project] = self.scopes();
        let old = Providers::of(before.tools.values());
        let new = Providers::of(after.tools());
        let servers: BTreeSet<&ServerKey> = new.servers().collect();
        let mut concerned = Vec::new();
        for server in servers {
            if old.state(&global, server) != new.state(&global, server) {
                concerned.push((global.clone(), server.clone()));
            }
            concerned.push((project.clone(), server.clone()));
        }
        concerned
    }
}

/// One digest over all sources that a project sees.
fn combined_digest<'a>(sources: impl Iterator<Item = &'a Source>) -> u128 {
    let lines: Vec<String> = sources
        .map(|source| {
            format!("{}\u{1f}{}\u{1f}{:x}", source.id, source.id.scope().as_key(), source.digest)
        })
        .collect();
    stable_hash(lines.join("\u{1e}").as_bytes())
}

impl Step for ApplyScan {
    fn selection(&self) -> Selection {
        let [global, project] = self.scopes();
        Selection::new()
            .lock_projects(ProjectFilter::Id(self.scan.project.id.clone()))
            .lock_sources(SourceFilter::Scope(global.clone()))
            .lock_sources(SourceFilter::Scope(project.clone()))
            .lock_tools(ToolFilter::Revived(global))
            .lock_tools(ToolFilter::Revived(project))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        self.refuse_older(view)?;
        let mut draft = Draft::new(view, self.scan.at);
        self.note_sources(&mut draft);
        let digest = combined_digest(
            view.sources
                .keys()
                .chain(self.scan.sources.iter().map(|reading| &reading.id))
                .collect::<BTreeSet<_>>()
                .into_iter()
                .filter_map(|id| draft.source(id)),
        );
        draft.put_project(self.project(view, digest));
        let known = view.projects.get(&self.scan.project.id);
        let unchanged = known.is_some_and(|known| known.config_digest == digest)
            && !view.tools.values().any(|tool| tool.presence.revived);
        if view.looks <= 1 && unchanged {
            return Ok(Decision::Write(draft.finish()));
        }
        let [global, project] = self.scopes();
        if view.looks <= 1 {
            return Ok(Decision::Need(
                Selection::new()
                    .lock_tools(ToolFilter::Configured(global))
                    .lock_tools(ToolFilter::Configured(project)),
            ));
        }
        let gone = self.gone(view);
        let evaluation = Evaluation::new(&self.scan, gone);
        evaluation.list(&mut draft);
        if view.looks == 2 {
            evaluation.settle(&mut draft);
            let mut more = Selection::new();
            for (scope, server) in self.servers_concerned(view, &draft) {
                more = more.lock_tools(ToolFilter::Server(scope, server));
            }
            // Tools that are found for the first time by a source may be known from use.
            for key in evaluation.found_keys() {
                if !view.tools.contains_key(&key) {
                    more = more.lock_tools(ToolFilter::Key(key));
                }
            }
            if more != Selection::new() {
                return Ok(Decision::Need(more));
            }
        } else {
            evaluation.settle(&mut draft);
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

/// A query for the numbers of the readings that a scan of `project` would replace.
#[must_use]
pub fn readings_of(project: &ProjectId) -> Selection {
    Selection::new()
        .peek_sources(SourceFilter::Scope(Scope::Global))
        .peek_sources(SourceFilter::Scope(Scope::Project(project.clone())))
}
