//! Events about work items and sessions.

use std::collections::BTreeSet;

use proptest::strategy::BoxedStrategy;
use staleness_core::ids::{WorkId, WorkKey};
use staleness_core::registry::{Resume, ResumeFrom, ScopeChoice, WorkPatch};
use staleness_core::transfer::Record;
use staleness_core::work::{NoteType, Work, WorkKind};
use staleness_core::{Timestamp, Wait};

use super::draw::Draw;
use super::{Event, said, verb};
use crate::arbitrary::{self, Reach};

const IDS: [&str; 6] = ["plan", "a_b", "a%b", "\u{1f680}", "it's", "-x"];

thread_local! {
    static WORK: BoxedStrategy<Work> = arbitrary::work(Reach::Pool);
}

impl Draw<'_> {
    fn work_id(&mut self) -> WorkId {
        WorkId::new(self.mostly_first(&IDS)).expect("an id")
    }

    fn work_key(&mut self) -> WorkKey {
        self.again(|made| &made.work).unwrap_or_else(|| self.new_work_key())
    }

    fn new_work_key(&mut self) -> WorkKey {
        WorkKey { scope: self.scope(), id: self.work_id() }
    }

    /// Returns a work item with arbitrary fields. Most are as old as the event, have a valid state, and refer to
    /// others.
    fn work(&mut self, at: Timestamp) -> Work {
        let any = WORK.with(|work| self.any(work));
        let key = self.new_work_key();
        if self.below(4) == 3 {
            return Work { key, ..any };
        }
        let text = self.one_of(&["Do it.\nThen rest.", "\"quoted\"", "\u{202e}x"]);
        let mut ids = || self.some(3, |draw| draw.one_of(&IDS).to_owned()).into_iter().collect();
        let (refs, after): (BTreeSet<String>, BTreeSet<String>) = (ids(), ids());
        Work {
            status: self.one_of(any.kind.states()),
            author: any.author,
            to: self.perhaps(|_| "agent".to_owned()),
            note: if any.kind == WorkKind::Note { any.note } else { NoteType::default() },
            generated: any.generated,
            by_person: any.by_person,
            expires_at: self.one_of(&[None, Some(at), Some(at.minus_days(-9))]),
            refs,
            after: if self.below(4) == 0 { after } else { BTreeSet::new() },
            ..Work::new(key, any.kind, text, at)
        }
    }

    fn work_patch(&mut self, at: Timestamp) -> WorkPatch {
        let other = self.work(at);
        let fields = self.below(128);
        WorkPatch {
            status: (fields & 1 == 1).then_some(other.status),
            text: (fields & 2 == 2).then_some(other.text),
            by_person: fields & 32 == 32,
            expires_at: (fields & 4 == 4).then_some(other.expires_at),
            to: (fields & 8 == 8).then_some(other.to),
            refs: (fields & 16 == 16).then_some(other.refs),
            after: (fields & 64 == 64).then_some(other.after),
        }
    }

    fn resumed(&mut self, at: Timestamp) -> Resume {
        let from = match self.below(6) {
            0 => ResumeFrom::Session(self.session()),
            1 => ResumeFrom::Time(at.minus_days(1)),
            2 => ResumeFrom::Digest,
            _ => ResumeFrom::Cursor,
        };
        let session = self.perhaps(Self::session);
        let (agent, peek) = (self.agent(), self.below(4) == 3);
        let cleared = self.below(8) == 0;
        Resume { agent, session, from, peek, cleared, known: (!cleared).then(BTreeSet::new) }
    }

    pub(super) fn work_event(&mut self, at: Timestamp) -> Event {
        match self.below(20) {
            0..5 => {
                let work = self.work(at);
                self.workload.made.work.push(work.key.clone());
                verb!(work().add(work = work, act = self.act(at)))
            }
            5..8 => verb!(work().set(
                key = self.work_key(),
                patch = self.work_patch(at),
                act = self.act(at)
            )),
            8 => verb!(work().step(
                key = self.work_key(),
                text = self.work(at).text,
                act = self.act(at)
            )),
            9 => verb!(work().touch(key = self.work_key(), at = at)),
            10 => verb!(work().reopen(key = self.work_key(), act = self.act(at))),
            11 | 12 => verb!(work().resolve(
                &project = self.project(),
                key = self.work_key(),
                act = self.act(at)
            )),
            13 => {
                let rows = self.some(3, |draw| draw.work(at));
                let rows = rows.into_iter().filter(|row| row.check().is_ok());
                let rows = rows.map(|row| Record::Work(Box::new(row))).collect();
                self.imported("work.import", rows, at)
            }
            14..17 => verb!(work().claim(
                &project = self.project(),
                key = self.work_key(),
                until = self.perhaps(|_| at.plus_millis(Timestamp::HOUR)),
                act = self.act(at)
            )),
            17 => verb!(work().release(key = self.work_key(), act = self.act(at))),
            18 => Event::new("work.ready", self.project().id, move |registry, project| {
                said(registry.work().ready(&project, None, at).wait())
            }),
            _ => Event::new("work.get", (self.project().id, self.work_id()), |registry, it| {
                said(registry.work().get(&it.0, &it.1, ScopeChoice::Either).wait())
            }),
        }
    }

    pub(super) fn session_event(&mut self, at: Timestamp) -> Event {
        match self.below(8) {
            0..2 => {
                let begun = (self.new_session_key(), self.agent());
                self.workload.made.sessions.push(begun.0.clone());
                Event::new("sessions.start", begun, move |registry, (key, agent)| {
                    said(registry.sessions().start(&key.project, &agent, &key.id, at).wait())
                })
            }
            2 | 3 => Event::new("sessions.end", self.session_key(), move |registry, key| {
                said(registry.sessions().end(&key.project, &key.id, at).wait())
            }),
            5 => verb!(sessions().renew_claims(&key = self.session_key(), at = at)),
            4 => {
                Event::new("admin.prune_sessions", self.below(3) == 2, move |registry, dry_run| {
                    said(registry.admin().prune_sessions(at, dry_run, &mut || true).wait())
                })
            }
            _ => {
                let told = (self.project(), self.resumed(at), self.maybe(), self.below(4) < 3);
                Event::new(
                    "sessions.resume",
                    told,
                    move |registry, (project, resume, starts, marks)| {
                        let id = &project.id;
                        let begun = resume
                            .session
                            .as_ref()
                            .filter(|_| starts)
                            .map(|session| {
                                registry.sessions().start(id, &resume.agent, session, at).wait()
                            })
                            .map(said);
                        let delta = registry.sessions().resume(&project, resume.clone(), at).wait();
                        let marked = delta.as_ref().ok().filter(|_| marks);
                        let marked = marked.map(|delta| {
                            said(registry.sessions().mark_resumed(id, &resume, delta, at).wait())
                        });
                        format!("{begun:?} {} {marked:?}", said(delta))
                    },
                )
            }
        }
    }
}
