//! Events about tools and projects.

use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::{Act, ByHand, ScopeChoice, Use};
use staleness_core::scan::Scan;
use staleness_core::tool::{Hold, ToolKind};
use staleness_core::{Timestamp, Wait};

use super::draw::{Draw, agent};
use super::scans::SERVERS;
use super::{Event, said, verb};

impl Draw<'_> {
    fn used(&mut self, at: Timestamp) -> Use {
        let kind = self.one_of(&[
            OutcomeKind::Failure,
            OutcomeKind::Failure,
            OutcomeKind::Success,
            OutcomeKind::Interrupted,
        ]);
        let mut used = Use::new(self.op(), self.tool(), kind, at, self.project());
        let more = self.below(64);
        used.session = (more & 1 == 1).then(|| self.session());
        used.agent = (more & 2 == 2).then(agent);
        used.duration_ms = (more & 4 == 4).then(|| 20 * self.below(256) as u64);
        used.server = (more & 8 == 8).then(|| self.one_of(&SERVERS).to_owned());
        if more & 16 == 16 {
            used.mentions = self.some(2, Self::tool);
        }
        used.kind = (more & 32 == 32).then_some(ToolKind::Builtin);
        used
    }

    fn by_hand(&mut self, at: Timestamp) -> ByHand {
        ByHand {
            act: Act { actor: None, ..self.act(at) },
            name: self.tool(),
            scope: self.one_of(&[ScopeChoice::Either, ScopeChoice::Global, ScopeChoice::Project]),
            project: self.project(),
        }
    }

    pub(super) fn tool_event(&mut self, at: Timestamp) -> Event {
        match self.below(20) {
            0..4 => Event::new("tools.apply_scan", self.scan(at), |registry, scan| {
                let read = registry.tools().readings(&scan.project.id).wait();
                said(read.and_then(|read_under| {
                    registry.tools().apply_scan(Scan { read_under, ..scan }).wait()
                }))
            }),
            4 => Event::new("tools.preview_scan", self.scan(at), |registry, scan| {
                let read = registry.tools().readings(&scan.project.id).wait();
                let preview = read.and_then(|read_under| {
                    registry.tools().preview_scan(Scan { read_under, ..scan }).wait()
                });
                said(preview.map(|(report, _)| report))
            }),
            // A reading older than one that was already applied.
            5 => Event::new("tools.apply_scan late", self.scan(at), |registry, scan| {
                said(registry.tools().apply_scan(scan).wait())
            }),
            6..13 => verb!(tools().record_all(uses = self.some(4, |draw| draw.used(at)))),
            13 => verb!(tools().record_quietly(used = self.used(at))),
            14 | 15 => {
                verb!(tools().set_hold(by_hand = self.by_hand(at), hold = self.one_of(&Hold::ALL)))
            }
            16 => verb!(tools().forget(by_hand = self.by_hand(at))),
            17 if self.below(8) == 7 => {
                verb!(admin().forget_project_and_knowledge(
                    id = self.project().id,
                    op = self.op(),
                    at = at
                ))
            }
            17 if self.below(7) == 6 => {
                verb!(admin().forget_project(id = self.project().id, op = self.op(), at = at))
            }
            17 => {
                let left = (self.project().id, self.op(), self.below(3) == 2);
                Event::new("admin.prune_project", left, move |registry, (id, op, dry_run)| {
                    let left = said(registry.admin().projects_left(at).wait());
                    let gone = registry.admin().prune_project(id, op, at, dry_run).wait();
                    [left, said(gone)].join("\n")
                })
            }
            18 => {
                Event::new("admin.prune_journal", self.below(3) == 2, move |registry, dry_run| {
                    said(registry.admin().prune_journal(at, dry_run, &mut || true).wait())
                })
            }
            _ => verb!(admin().prune_outcomes(at = at, dry_run = self.below(3) == 2)),
        }
    }
}
