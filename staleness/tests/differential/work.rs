//! What happens to work items and sessions in a life.

use std::collections::BTreeSet;

use staleness::ids::{AgentId, ProjectId, Scope, SessionId, WorkId, WorkKey};
use staleness::registry::{Act, Resume, ResumeFrom, ScopeChoice, ToldWork, WorkListing, WorkPatch};
use staleness::scan::ProjectRef;
use staleness::work::{NoteType, Work, WorkKind, WorkStatus, WorkStep};
use staleness::{BlockingRegistry, Timestamp};

use crate::life::{Life, json, said};

const IDS: [&str; 6] = ["plan", "a_b", "a%b", "\u{1f680}", "it's", "-x"];
const AGENTS: [&str; 3] = ["agent", "codex", "a%"];

/// Something that somebody does with work items or sessions.
#[derive(Clone, Debug)]
pub(crate) enum WorkEvent {
    Add(Box<Work>, Act),
    Set(WorkKey, WorkPatch, Act),
    Step(WorkKey, String, Act),
    Touch(WorkKey, Timestamp),
    Reopen(WorkKey, Act),
    Resolve(ProjectRef, WorkKey, Act),
    Import(Vec<ToldWork>, Act, bool),
    Begin(ProjectId, AgentId, SessionId, Timestamp),
    End(ProjectId, SessionId, Timestamp),
    Resume(ProjectRef, Box<Resume>, bool, Timestamp),
    Ask(ProjectRef, WorkId, Timestamp),
}

impl Life {
    fn work_id(&mut self) -> WorkId {
        WorkId::new(self.one_of(&IDS)).unwrap()
    }

    fn work_key(&mut self) -> WorkKey {
        let scope = match self.below(3) {
            0 => Scope::Global,
            _ => Scope::Project(self.project().id),
        };
        WorkKey { scope, id: self.work_id() }
    }

    fn agent(&mut self) -> AgentId {
        AgentId::new(self.one_of(&AGENTS)).unwrap()
    }

    fn named(&mut self) -> SessionId {
        SessionId::new(self.one_of(&["s1", "s2", "w%"])).unwrap()
    }

    fn refs(&mut self) -> BTreeSet<String> {
        (0..self.below(3)).map(|_| self.one_of(&IDS).to_owned()).collect()
    }

    fn deed(&mut self, at: Timestamp) -> Act {
        Act {
            actor: self
                .one_of(&[None, Some("agent"), Some("codex")])
                .map(|name| AgentId::new(name).unwrap()),
            ..Act::new(self.op(), at)
        }
    }

    fn work(&mut self, at: Timestamp) -> Work {
        let kind = self.one_of(&WorkKind::ALL);
        let text = self.one_of(&["Do it.\nThen rest.", "\"quoted\"", "\u{202e}x"]);
        Work {
            status: self.one_of(kind.states()),
            author: self.one_of(&[None, Some("codex".to_owned())]),
            to: self.one_of(&[None, Some("agent".to_owned())]),
            note: if kind == WorkKind::Note {
                self.one_of(&NoteType::ALL)
            } else {
                NoteType::default()
            },
            generated: self.below(2) == 0,
            expires_at: self.one_of(&[None, Some(at), Some(at.minus_days(-9))]),
            refs: self.refs(),
            ..Work::new(self.work_key(), kind, text, at)
        }
    }

    fn told(&mut self, at: Timestamp) -> ToldWork {
        let mut work = self.work(at);
        if self.below(2) == 0 {
            work.steps.push(WorkStep { text: "did it".into(), at });
        }
        ToldWork { work, tells_status: self.below(2) == 0, tells_note: self.below(2) == 0 }
    }

    pub(crate) fn work_event(&mut self, at: Timestamp) -> WorkEvent {
        match self.below(20) {
            0..5 => WorkEvent::Add(Box::new(self.work(at)), self.deed(at)),
            5..8 => {
                let patch = WorkPatch {
                    status: self.one_of(&[
                        None,
                        Some(WorkStatus::Done),
                        Some(WorkStatus::InProgress),
                    ]),
                    text: self.one_of(&[None, Some("Do that.".to_owned())]),
                    expires_at: self.one_of(&[None, Some(None), Some(Some(at))]),
                    refs: (self.below(2) == 0).then(|| self.refs()),
                    ..WorkPatch::default()
                };
                WorkEvent::Set(self.work_key(), patch, self.deed(at))
            }
            8 => WorkEvent::Step(self.work_key(), "a step".into(), self.deed(at)),
            9 => WorkEvent::Touch(self.work_key(), at),
            10 => WorkEvent::Reopen(self.work_key(), self.deed(at)),
            11 | 12 => WorkEvent::Resolve(self.project(), self.work_key(), self.deed(at)),
            13 => {
                let rows = (0..=self.below(3)).map(|_| self.told(at)).collect();
                WorkEvent::Import(rows, self.deed(at), self.below(3) == 0)
            }
            14 => WorkEvent::Begin(self.project().id, self.agent(), self.named(), at),
            15 => WorkEvent::End(self.project().id, self.named(), at),
            16 | 17 => {
                let from = match self.below(5) {
                    0 => ResumeFrom::Session(self.named()),
                    1 => ResumeFrom::Time(at.minus_days(1)),
                    2 => ResumeFrom::Digest,
                    _ => ResumeFrom::Cursor,
                };
                let session = if self.below(2) == 0 { Some(self.named()) } else { None };
                let resume =
                    Resume { agent: self.agent(), session, from, peek: self.below(4) == 0 };
                WorkEvent::Resume(self.project(), Box::new(resume), self.below(4) > 0, at)
            }
            _ => WorkEvent::Ask(self.project(), self.work_id(), at),
        }
    }
}

impl WorkEvent {
    /// Does it, and what the registry reports of it.
    pub(crate) fn carry_out(&self, registry: &BlockingRegistry) -> String {
        match self.clone() {
            Self::Add(work, act) => said(registry.add_work(*work, act)),
            Self::Set(key, patch, act) => said(registry.set_work(key, patch, act)),
            Self::Step(key, text, act) => said(registry.step_work(key, text, act)),
            Self::Touch(key, at) => said(registry.touch_work(key, at)),
            Self::Reopen(key, act) => said(registry.reopen_work(key, act)),
            Self::Resolve(project, key, act) => json(registry.resolve_work(&project, key, act)),
            Self::Import(rows, act, dry_run) => said(registry.import_work(rows, &act, dry_run)),
            Self::Begin(project, agent, id, at) => {
                said(registry.start_session(&project, &agent, &id, at))
            }
            Self::End(project, id, at) => said(registry.end_session(&project, &id, at)),
            Self::Resume(project, resume, read, at) => {
                let delta = registry.resume(&project, (*resume).clone(), at);
                let moved = delta
                    .as_ref()
                    .ok()
                    .filter(|_| read)
                    .map(|delta| said(registry.mark_resumed(&project.id, &resume, delta, at)));
                format!("{} {moved:?}", json(delta))
            }
            Self::Ask(project, id, at) => {
                let all = registry.work_items(&project.id, WorkListing::default()).unwrap();
                [
                    said(registry.work_item(&project.id, &id, ScopeChoice::Either)),
                    said(registry.nearest_work(&project.id, id.as_str())),
                    json(registry.work_reports(&project, all, at)),
                    json(registry.stale_report(&project, at)),
                ]
                .join("\n")
            }
        }
    }
}
