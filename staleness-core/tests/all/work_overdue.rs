//! Overdue work is found without reading the rest, and is what reading everything would find.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::ids::{AgentId, ProjectId, Scope, WorkId, WorkKey};
use staleness_core::journal::{Action, JournalEntry, Subject};
use staleness_core::registry::{Resume, ResumeFrom};
use staleness_core::report::{Delta, WorkReport};
use staleness_core::scan::ProjectRef;
use staleness_core::store::{
    Decision, Draft, Refusal, RegistryStore, Selection, Step, View, WorkFilter,
};
use staleness_core::work::{
    NoteType, Warning, Work, WorkKind, WorkOverride, WorkPolicy, WorkStatus,
};
use staleness_core::{MemoryStore, Policy, Registry, Timestamp, Wait};

fn at(day: i64, millis: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + day * Timestamp::DAY + millis)
}

fn project() -> ProjectRef {
    let root = "/work/shop";
    ProjectRef { id: ProjectId::of_root(root), root: root.into() }
}

/// Writes items down, and tells the journal of some.
#[derive(Debug)]
struct Fill {
    work: Vec<Work>,
    told: Vec<bool>,
}

impl Step for Fill {
    fn selection(&self) -> Selection {
        Selection::new().lock(WorkFilter::All)
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, at(0, 0));
        for work in &self.work {
            draft.put(work.clone());
        }
        for (work, _) in self.work.iter().zip(&self.told).filter(|(_, told)| **told) {
            let (now, subject) = (at(0, 0), Subject::work(&work.key));
            draft.append_journal(JournalEntry::new(now, subject, Action::Added, "by_hand"));
        }
        Ok(Decision::Write(draft.finish()))
    }
}

fn filled(work: &[Work], told: &[bool], policy: WorkPolicy) -> Registry {
    let store = MemoryStore::new();
    let fill = Fill { work: work.to_vec(), told: told.to_vec() };
    pollster::block_on(store.transact(Arc::new(fill))).unwrap();
    Registry::new(Arc::new(store), Policy { work: policy, ..Policy::default() })
}

/// The open work that the project sees, as reading everything shows it.
fn seen(work: &[Work]) -> BTreeMap<&WorkId, &Work> {
    let mut seen = BTreeMap::new();
    for scope in [Scope::Global, Scope::Project(project().id)] {
        let open = work.iter().filter(|each| each.key.scope == scope && each.status.is_open());
        seen.extend(open.map(|each| (&each.key.id, each)));
    }
    seen
}

fn rules(policy: &WorkPolicy, work: &Work) -> WorkPolicy {
    policy.rules(work.kind, project().caller(work.author.as_deref())).into_owned()
}

fn expected(work: &[Work], policy: &WorkPolicy, now: Timestamp) -> Vec<Warning> {
    let seen: Vec<&Work> = seen(work).into_values().collect();
    Warning::all(seen.iter().copied(), now, |work| rules(policy, work))
}

fn expected_reports(work: &[Work], policy: &WorkPolicy, now: Timestamp) -> Vec<WorkReport> {
    let mut fresh = BTreeMap::new();
    for (id, each) in seen(work) {
        let rules = rules(policy, each);
        let lasting = each.kind == WorkKind::Decision || each.note != NoteType::Observation;
        let recent = now.days_since(each.updated_at) < i64::from(rules.observation_days);
        if each.flag(now, &rules).is_none() && (recent || !lasting) {
            for other in &each.refs {
                fresh.entry(other.as_str()).or_insert(id);
            }
        }
    }
    let judged = |each: &Work| {
        let softened_by = fresh.get(each.key.id.as_str()).copied();
        WorkReport::new(each.clone(), each.judge(now, &rules(policy, each), softened_by))
    };
    work.iter().map(judged).collect()
}

fn warnings(registry: &Registry, from: ResumeFrom, now: Timestamp) -> (Vec<Warning>, usize) {
    let resume = Resume { from, ..Resume::new(AgentId::new("agent").unwrap()) };
    let delta = registry.sessions().resume(&project(), resume, now).wait().unwrap();
    (delta.warnings.into_iter().take(Delta::TOP_WARNINGS).collect(), delta.overdue)
}

#[test]
fn what_a_project_replaced_softens_nothing_that_a_session_is_told_of() {
    let of = |scope, id: &str, kind, day| {
        Work::new(WorkKey { scope, id: WorkId::new(id).unwrap() }, kind, "text", at(day, 0))
    };
    let plan = of(Scope::Global, "old", WorkKind::Plan, 0);
    let overdue = Work { status: WorkStatus::InProgress, ..plan };
    let decision = of(Scope::Global, "new", WorkKind::Decision, 40);
    let refers = Work { refs: ["old".into()].into(), ..decision };
    let own = of(Scope::Project(project().id), "new", WorkKind::Decision, 40);
    for (work, softened_by) in
        [(vec![overdue.clone(), refers.clone()], Some("new")), (vec![overdue, refers, own], None)]
    {
        let registry = filled(&work, &[false; 3], WorkPolicy::default());
        for from in [ResumeFrom::Time(at(39, 0)), ResumeFrom::Digest] {
            let (warnings, _) = warnings(&registry, from.clone(), at(41, 0));
            assert_eq!(
                warnings[0].softened_by.as_ref().map(WorkId::as_str),
                softened_by,
                "{from:?}"
            );
        }
    }
}

const IDS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];
const AUTHORS: [&str; 3] = ["ada", "bob", "eve"];

fn moment() -> impl Strategy<Value = Timestamp> {
    let days = prop_oneof![8 => -3..14_i64, 1 => Just(-400_000_i64), 1 => Just(400_000)];
    (days, -1..=1_i64).prop_map(|(day, millis)| at(day, millis))
}

fn item() -> impl Strategy<Value = Work> {
    let other = Scope::Project(ProjectId::of_root("/work/other"));
    let scopes = vec![Scope::Global, Scope::Project(project().id), other];
    let key = (select(scopes), select(&IDS[..]))
        .prop_map(|(scope, id)| WorkKey { scope, id: WorkId::new(id).unwrap() });
    let sort = (select(&WorkKind::ALL[..]), any::<prop::sample::Index>(), any::<bool>());
    let note = prop_oneof![3 => Just(NoteType::Observation), 1 => select(&NoteType::ALL[..])];
    let refs = prop::collection::btree_set(select(&IDS[..]), 0..3);
    let when = (moment(), moment(), weighted(0.5, moment()));
    (key, sort, note, weighted(0.5, select(&AUTHORS[..])), refs, when).prop_map(
        |(key, (kind, status, generated), note, author, refs, when)| Work {
            status: *status.get(kind.states()),
            note,
            generated,
            author: author.map(Into::into),
            refs: refs.into_iter().map(Into::into).collect(),
            created_at: when.0,
            updated_at: when.1,
            expires_at: when.2,
            ..Work::new(key, kind, "text", at(0, 0))
        },
    )
}

fn days() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0..9_u32, 1 => Just(u32::MAX)]
}

fn override_of() -> impl Strategy<Value = WorkOverride> {
    let maybe = || weighted(0.3, days());
    (maybe(), maybe(), maybe(), maybe(), maybe(), maybe()).prop_map(|each| WorkOverride {
        in_progress_days: each.0,
        waiting_days: each.1,
        handoff_days: each.2,
        candidate_days: each.3,
        generated_candidate_days: each.4,
        observation_days: each.5,
        ..WorkOverride::default()
    })
}

fn policy() -> impl Strategy<Value = WorkPolicy> {
    let kinds = prop::collection::btree_map(select(&WorkKind::ALL[..]), override_of(), 0..4);
    let projects = select(vec!["/work/shop".to_owned(), project().id.to_string(), "/x".into()]);
    let projects = prop::collection::btree_map(projects, override_of(), 0..2);
    let agents = select(&AUTHORS[..]).prop_map(String::from);
    let agents = prop::collection::btree_map(agents, override_of(), 0..3);
    (override_of(), kinds, projects, agents).prop_map(|(base, kind, project, agent)| {
        let mut policy = WorkPolicy { kind, project, agent, ..WorkPolicy::default() };
        base.apply(&mut policy);
        policy
    })
}

/// Items of distinct keys, and whether the journal is told of each.
fn items() -> impl Strategy<Value = (Vec<Work>, Vec<bool>)> {
    let items = prop::collection::vec(item(), 0..40).prop_map(|all| {
        let all: BTreeMap<WorkKey, Work> = all.into_iter().map(|w| (w.key.clone(), w)).collect();
        all.into_values().collect()
    });
    (items, prop::collection::vec(any::<bool>(), 40))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 512, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_overdue_is_what_reading_everything_finds(
        (work, told) in items(), policy in policy(), now in moment(),
    ) {
        let registry = filled(&work, &told, policy.clone());
        let all = expected(&work, &policy, now);
        prop_assert_eq!(&registry.work().stale(&project(), now).wait().unwrap(), &all);
        let reports = registry.work().reports(&project(), work.clone(), now).wait().unwrap();
        prop_assert_eq!(reports, expected_reports(&work, &policy, now));
        let count = all.len();
        let top = (all.into_iter().take(Delta::TOP_WARNINGS).collect(), count);
        for from in [ResumeFrom::Time(Timestamp::MIN), ResumeFrom::Digest, ResumeFrom::Cursor] {
            prop_assert_eq!(&warnings(&registry, from, now), &top);
        }
    }
}
