//! What happens to work items and sessions. Their values are drawn by the generators of the conformance
//! suite, over few keys.

use proptest::strategy::BoxedStrategy;
use staleness_conformance::arbitrary::{self, Reach};
use staleness_core::ids::{AgentId, ProjectId, Scope, SessionId, WorkKey};
use staleness_core::registry::{Act, Resume, ResumeFrom, ToldWork, WorkListing, WorkPatch};
use staleness_core::scan::ProjectRef;
use staleness_core::work::Work;
use staleness_core::{BlockingRegistry, Timestamp};

use super::life::{json, said};
use crate::seeded::value;

thread_local! {
    static WORK: BoxedStrategy<Work> = arbitrary::work(Reach::Pool);
}

/// What happens.
#[derive(Clone, Copy, Debug)]
pub(super) enum WorkHappening {
    Add,
    Set,
    Step,
    Touch,
    Reopen,
    Resolve,
    Import,
    Begin,
    End,
    Resume,
}

impl WorkHappening {
    pub(super) const ALL: [Self; 10] = [
        Self::Add,
        Self::Set,
        Self::Step,
        Self::Touch,
        Self::Reopen,
        Self::Resolve,
        Self::Import,
        Self::Begin,
        Self::End,
        Self::Resume,
    ];
}

/// Something that happens, with the seeds of what it happens to.
#[derive(Clone, Debug)]
pub(crate) struct WorkDeed {
    pub(super) what: WorkHappening,
    pub(super) project: ProjectRef,
    pub(super) act: Act,
    pub(super) session: Option<SessionId>,
    pub(super) at: Timestamp,
    pub(super) seeds: (u32, u32),
}

impl WorkDeed {
    /// Does it, and what the registry reports of it.
    pub(super) fn carry_out(&self, registry: &BlockingRegistry) -> String {
        let (work, other) = (self.work(self.seeds.0), self.work(self.seeds.1));
        let (key, act, at) = (work.key.clone(), self.act.clone(), self.at);
        let project = &self.project.id;
        let id = self.session.clone().unwrap_or_else(|| SessionId::new("s").expect("an id"));
        match self.what {
            WorkHappening::Add => said(registry.add_work(work, act)),
            WorkHappening::Set => {
                let patch = WorkPatch {
                    status: (self.seeds.0.is_multiple_of(2)).then_some(other.status),
                    text: Some(other.text),
                    expires_at: Some(other.expires_at),
                    to: Some(other.to),
                    refs: Some(other.refs),
                };
                said(registry.set_work(key, patch, act))
            }
            WorkHappening::Step => said(registry.step_work(key, other.text, act)),
            WorkHappening::Touch => said(registry.touch_work(key, at)),
            WorkHappening::Reopen => said(registry.reopen_work(key, act)),
            WorkHappening::Resolve => json(registry.resolve_work(&self.project, key, act)),
            WorkHappening::Import => {
                let tells = self.seeds.1.is_multiple_of(2);
                let told = |work| ToldWork { work, tells_status: tells, tells_note: !tells };
                let dry_run = self.seeds.0.is_multiple_of(5);
                said(registry.import_work(vec![told(work), told(other)], &act, dry_run))
            }
            WorkHappening::Begin => said(registry.start_session(project, &agent(), &id, at)),
            WorkHappening::End => said(registry.end_session(project, &id, at)),
            WorkHappening::Resume => {
                let from = match self.seeds.0 % 6 {
                    0 => ResumeFrom::Session(id),
                    1 => ResumeFrom::Time(at.minus_days(1)),
                    2 => ResumeFrom::Digest,
                    _ => ResumeFrom::Cursor,
                };
                let session = self.session.clone();
                let peek = self.seeds.1.is_multiple_of(4);
                let resume = Resume { session, from, peek, ..Resume::new(agent()) };
                let delta = registry.resume(&self.project, resume.clone(), at);
                let moved = delta
                    .as_ref()
                    .ok()
                    .map(|delta| said(registry.mark_resumed(project, &resume, delta, at)));
                format!("{} {moved:?}", json(delta))
            }
        }
    }

    fn work(&self, seed: u32) -> Work {
        let mut work = WORK.with(|work| value(work, seed));
        let scope = match work.key.scope {
            Scope::Global => Scope::Global,
            Scope::Project(_) => Scope::Project(self.project.id.clone()),
        };
        work.key = WorkKey { scope, id: work.key.id };
        work
    }
}

/// Who is told.
pub(super) fn agent() -> AgentId {
    AgentId::new("agent").expect("a name")
}

/// What a caller can ask for in a project.
pub(super) fn look(registry: &BlockingRegistry, project: &ProjectRef, now: Timestamp) -> String {
    let id: &ProjectId = &project.id;
    let all = registry.work_items(id, WorkListing::default());
    let told = all.and_then(|all| registry.work_reports(project, all, now));
    [
        json(told),
        json(registry.stale_report(project, now)),
        json(registry.resume(project, Resume::new(agent()), now)),
        said(registry.sessions(id)),
    ]
    .join("\n")
}
