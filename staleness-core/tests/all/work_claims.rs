//! Claims on work: who gets one, what renews it, and what waits for what.

use crate::common::teaching::*;
use crate::common::*;
use staleness_core::ids::{AgentId, OpId, Scope, SessionId, WorkId, WorkKey};
use staleness_core::journal::{Action, JournalEntry, Subject};
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::{Act, Use, WorkPatch};
use staleness_core::session::SessionKey;
use staleness_core::store::{Conflict, Refusal};
use staleness_core::time::Timestamp;
use staleness_core::transfer::Record;
use staleness_core::work::{Overdue, Work, WorkKind, WorkStatus};
use staleness_core::{RegistryError, Wait};

fn minute(minutes: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000).plus_millis(minutes * Timestamp::MINUTE)
}

fn key(world: &World, id: &str) -> WorkKey {
    WorkKey { scope: Scope::Project(world.project.id.clone()), id: WorkId::new(id).unwrap() }
}

fn act(who: (&str, &str), minutes: i64) -> Act {
    let op = OpId::new(format!("{who:?} at {minutes} by {:?}", std::thread::current().id()));
    Act {
        actor: Some(AgentId::new(who.0).unwrap()),
        session: Some(SessionId::new(who.1).unwrap()),
        ..Act::new(op.unwrap(), minute(minutes))
    }
}

const ANA: (&str, &str) = ("ana", "s-ana");
const BEN: (&str, &str) = ("ben", "s-ben");

fn session(world: &World, who: (&str, &str)) -> SessionKey {
    SessionKey { project: world.project.id.clone(), id: SessionId::new(who.1).unwrap() }
}

fn add(world: &World, kind: WorkKind, id: &str, after: &[&str]) -> Result<Work, RegistryError> {
    let after = after.iter().map(ToString::to_string).collect();
    let work = Work { after, ..Work::new(key(world, id), kind, format!("{id}."), minute(0)) };
    world.registry.work().add(work, Act::new(OpId::new(id).unwrap(), minute(0))).wait()
}

fn claim(world: &World, who: (&str, &str), minutes: i64) -> Result<Work, RegistryError> {
    let (key, act) = (key(world, "p"), act(who, minutes));
    world.registry.work().claim(&world.project, key, None, act).wait()
}

/// A tool event of a session.
fn used(world: &World, who: (&str, &str), minutes: i64) -> Vec<Work> {
    let op = OpId::new(format!("use {who:?} {minutes}")).unwrap();
    let used = Use {
        session: Some(session(world, who).id),
        ..Use::new(op, tool("Bash"), OutcomeKind::Success, minute(minutes), world.project.clone())
    };
    let lost = world.registry.tools().record_quietly(used).wait().unwrap().1;
    lost.into_iter().map(|lost| lost.work).collect()
}

fn until(world: &World) -> Option<Timestamp> {
    let all = world.registry.work().list(&world.project.id, Default::default()).wait().unwrap();
    all.into_iter().find(|work| work.key == key(world, "p"))?.claim.map(|claim| claim.until)
}

fn journal(world: &World) -> Vec<JournalEntry> {
    let subject = Subject::work(&key(world, "p"));
    world.registry.admin().journal_of(subject, 99).wait().unwrap()
}

fn refused<T: std::fmt::Debug>(result: Result<T, RegistryError>) -> String {
    match result.unwrap_err() {
        RegistryError::Rejected(why) => why.to_string(),
        other => panic!("{other:?}"),
    }
}

fn claimable() -> World {
    let world = world();
    add(&world, WorkKind::Plan, "p", &[]).unwrap();
    world
}

#[test]
fn one_session_holds_an_item_and_renews_its_claim() {
    let world = claimable();
    let claimed = claim(&world, ANA, 0).unwrap();
    assert_eq!(claimed.claim.unwrap().until, minute(30), "as long as the policy says");
    let why = refused(claim(&world, BEN, 29));
    assert!(why.contains("\"ana\" in session \"s-ana\" until") && why.contains("wait"), "{why}");
    let why = refused(claim(&world, ("ana", "another"), 29));
    assert!(why.contains("release it if that session is over"), "{why}");
    claim(&world, ANA, 29).unwrap();
    assert_eq!(until(&world), Some(minute(59)));
    let claims = journal(&world).into_iter().filter(|entry| entry.action == Action::Claimed);
    assert_eq!(claims.count(), 1, "a renewal is no change");
}

#[test]
fn claiming_again_never_shortens_a_claim() {
    let world = claimable();
    let claim = |minutes: i64, until: i64| {
        let (key, until) = (key(&world, "p"), Some(minute(until)));
        world.registry.work().claim(&world.project, key, until, act(ANA, minutes)).wait().unwrap()
    };
    claim(10, 90);
    for (minutes, until) in [(20, 30), (0, 5)] {
        let claim = claim(minutes, until).claim.unwrap();
        assert_eq!((claim.at, claim.until), (minute(20), minute(90)));
        assert!(refused(self::claim(&world, BEN, 89)).contains("\"ana\""));
    }
}

#[test]
fn a_claim_without_a_session_is_renewed_by_nobody() {
    let world = claimable();
    let claim = |minutes: i64| {
        let act = Act { session: None, ..act(ANA, minutes) };
        world.registry.work().claim(&world.project, key(&world, "p"), None, act).wait()
    };
    claim(0).unwrap();
    assert!(refused(claim(1)).contains("claimed by \"ana\" until"));
    claim(30).unwrap();
}

#[test]
fn claiming_and_releasing_keep_a_text_that_a_person_typed() {
    let world = claimable();
    let patch = WorkPatch { text: Some("Typed.".into()), by_person: true, ..WorkPatch::default() };
    let person = Act { actor: None, ..act(BEN, 0) };
    world.registry.work().set(key(&world, "p"), patch, person).wait().unwrap();
    assert!(claim(&world, ANA, 1).unwrap().by_person);
    let work = world.registry.work();
    assert!(work.release(key(&world, "p"), act(ANA, 2)).wait().unwrap().by_person);
    assert!(work.step(key(&world, "p"), "x".into(), act(ANA, 3)).wait().unwrap().by_person);
    let patch = WorkPatch { text: Some("Changed.".into()), ..WorkPatch::default() };
    assert!(!work.set(key(&world, "p"), patch, act(ANA, 4)).wait().unwrap().by_person);
}

#[test]
fn any_event_of_the_session_renews_its_claims() {
    let world = claimable();
    claim(&world, ANA, 0).unwrap();
    assert_eq!(used(&world, ANA, 20), []);
    let revision = world.registry.admin().revision().wait().unwrap();
    assert_eq!(until(&world), Some(minute(50)));
    used(&world, BEN, 45);
    assert_eq!(until(&world), Some(minute(50)), "another session renews nothing");
    let sessions = world.registry.sessions();
    assert_eq!(sessions.renew_claims(&session(&world, ANA), minute(40)).wait().unwrap(), []);
    assert_eq!(until(&world), Some(minute(70)));
    used(&world, ANA, 30);
    assert_eq!(until(&world), Some(minute(70)), "an event that is told late");
    assert_eq!(world.registry.admin().revision().wait().unwrap(), revision, "not journalled");
}

#[test]
fn a_session_that_ends_and_goes_on_renews_its_claims_again() {
    let world = claimable();
    claim(&world, ANA, 0).unwrap();
    let sessions = world.registry.sessions();
    sessions.forget_suggestions(session(&world, ANA), minute(5)).wait().unwrap();
    used(&world, ANA, 20);
    assert_eq!(until(&world), Some(minute(50)));
}

#[test]
fn a_claim_that_ended_is_overdue_until_somebody_claims_or_releases_the_item() {
    let world = claimable();
    claim(&world, ANA, 0).unwrap();
    let flags = |minutes: i64| -> Vec<Overdue> {
        let stale = world.registry.work().stale(&world.project, minute(minutes)).wait().unwrap();
        stale.into_iter().map(|each| each.flag.overdue).collect()
    };
    assert_eq!(flags(29), []);
    assert_eq!(flags(30), [Overdue::Abandoned]);
    assert_eq!(flags(30 + 60 * 24 * 40), [Overdue::Abandoned]);
    claim(&world, BEN, 31).unwrap();
    assert_eq!(flags(31), []);
    let last = journal(&world).into_iter().max_by_key(|entry| entry.revision).unwrap();
    assert_eq!((last.action, last.actor.unwrap().as_str()), (Action::Claimed, "ben"));
    let left = format!("abandoned by \"ana\" in session \"s-ana\" at {}", minute(30));
    assert_eq!(last.cause, left);
    let release =
        |who, minutes| world.registry.work().release(key(&world, "p"), act(who, minutes)).wait();
    release(ANA, 62).unwrap();
    assert_eq!(flags(62), []);
    assert!(refused(release(ANA, 63)).contains("nobody has claimed"));
}

#[test]
fn a_late_session_revives_its_claim_only_if_nobody_took_over_and_is_told() {
    let world = claimable();
    claim(&world, ANA, 0).unwrap();
    assert_eq!(used(&world, ANA, 40), []);
    assert_eq!(until(&world), Some(minute(70)), "nobody was there in between");
    claim(&world, BEN, 80).unwrap();
    for minutes in [81, 82] {
        let lost = used(&world, ANA, minutes);
        assert_eq!(lost[0].claim.as_ref().unwrap().agent.as_str(), "ben", "until it was told");
    }
    assert_eq!(until(&world), Some(minute(110)));
    assert_eq!(used(&world, ANA, 111).len(), 1, "also when the other claim has ended");
    assert!(refused(claim(&world, ANA, 83)).contains("\"ben\""));
    let sessions = world.registry.sessions();
    sessions.forget_lost_claims(&session(&world, ANA), vec![], minute(83)).wait().unwrap();
    assert_eq!(used(&world, ANA, 83).len(), 1, "it was told of others");
    let told = vec![key(&world, "p")];
    sessions.forget_lost_claims(&session(&world, ANA), told, minute(83)).wait().unwrap();
    assert_eq!(used(&world, ANA, 84), []);
    assert_eq!(used(&world, BEN, 85), []);
    assert_eq!(until(&world), Some(minute(115)));
}

/// Bug: a session renewed the claim that took its item over, if no hook reports the session of that.
#[test]
fn a_session_is_told_that_a_connection_took_its_item_over() {
    let world = claimable();
    let start = |who| {
        let agent = AgentId::new("ana").unwrap();
        let (project, id) = (&world.project.id, session(&world, who).id);
        world.registry.sessions().start(project, &agent, &id, minute(0)).wait().unwrap();
    };
    let (other, connection, next) = (("ana", "s-2"), ("ana", "mcp-1"), ("ana", "mcp-2"));
    start(ANA);
    claim(&world, ANA, 0).unwrap();
    start(other);
    claim(&world, connection, 30).unwrap();
    for renews in [40, 50] {
        assert_eq!(used(&world, other, renews), []);
        assert_eq!(until(&world), Some(minute(renews + 30)), "whichever session it is");
        assert_eq!(used(&world, ANA, renews + 5).len(), 1);
        assert_eq!(until(&world), Some(minute(renews + 30)), "not by who lost it");
        claim(&world, connection, renews + 5).unwrap();
    }
    let told = vec![key(&world, "p")];
    let (sessions, own) = (world.registry.sessions(), session(&world, ANA));
    sessions.forget_lost_claims(&own, told, minute(56)).wait().unwrap();
    assert_eq!(used(&world, ANA, 57), [], "it was told");
    claim(&world, next, 90).unwrap();
    assert_eq!(used(&world, other, 95), []);
    assert_eq!(until(&world), Some(minute(125)));
}

/// Bug: a session of another project that claimed a global item counted as one that no hook reports.
#[test]
fn a_global_item_is_lost_to_a_session_of_the_agent_in_another_project() {
    let world = claimable();
    let global = WorkKey { scope: Scope::Global, id: WorkId::new("g").unwrap() };
    let work = Work::new(global.clone(), WorkKind::Plan, "g.", minute(0));
    world.registry.work().add(work, act(BEN, 0)).wait().unwrap();
    let agent = AgentId::new("ana").unwrap();
    let id = session(&world, ANA).id;
    world.registry.sessions().start(&world.project.id, &agent, &id, minute(0)).wait().unwrap();
    for (who, at) in [(ANA, 0), (("ana", "of another project"), 31)] {
        let claim = world.registry.work().claim(&world.project, global.clone(), None, act(who, at));
        claim.wait().unwrap();
    }
    let lost = used(&world, ANA, 40);
    let until = lost.iter().map(|work| work.claim.as_ref().unwrap().until).collect::<Vec<_>>();
    assert_eq!(until, [minute(61)]);
}

#[test]
fn only_open_tasks_are_claimed_and_an_end_ends_the_claim() {
    let world = claimable();
    add(&world, WorkKind::Trap, "t", &[]).unwrap();
    let trap = world.registry.work().claim(&world.project, key(&world, "t"), None, act(ANA, 0));
    assert!(refused(trap.wait()).contains("claim a plan or handoff"));
    let nobody = Act { actor: None, ..act(ANA, 0) };
    let nobody = world.registry.work().claim(&world.project, key(&world, "p"), None, nobody);
    assert!(refused(nobody.wait()).contains("named agent"));
    for late in [0, 31 * 24 * 60] {
        let end = Some(minute(late));
        let long = world.registry.work().claim(&world.project, key(&world, "p"), end, act(ANA, 0));
        assert!(refused(long.wait()).contains("30 days"));
    }
    claim(&world, ANA, 0).unwrap();
    let done = WorkPatch { status: Some(WorkStatus::Done), ..WorkPatch::default() };
    world.registry.work().set(key(&world, "p"), done, act(BEN, 1)).wait().unwrap();
    assert_eq!(until(&world), None);
    assert!(refused(claim(&world, ANA, 2)).contains("reopen it first"));
    world.registry.work().reopen(key(&world, "p"), act(ANA, 3)).wait().unwrap();
    claim(&world, BEN, 4).unwrap();
    match claim(&world, ANA, 5) {
        Err(RegistryError::Rejected(Refusal::Conflict(Conflict::Claimed { agent, .. }))) => {
            assert_eq!(agent, BEN.0);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(used(&world, ANA, 5).len(), 1, "the claim from before is lost too");
}

#[test]
fn a_claim_is_released_by_its_agent_or_a_person() {
    let world = claimable();
    let release = |act| world.registry.work().release(key(&world, "p"), act).wait();
    claim(&world, ANA, 0).unwrap();
    assert!(refused(release(act(BEN, 1))).contains("only that agent or a person"));
    release(act(("ana", "another"), 2)).unwrap();
    claim(&world, ANA, 3).unwrap();
    release(Act { actor: None, ..act(BEN, 4) }).unwrap();
    let released = journal(&world).into_iter().filter(|entry| entry.action == Action::Released);
    assert_eq!(released.count(), 2);
}

#[test]
fn a_session_claims_a_bounded_number_of_items() {
    let world = claimable();
    let claim = |number: usize| {
        let id = format!("p{number}");
        add(&world, WorkKind::Plan, &id, &[]).unwrap();
        let act = Act { op: OpId::new(format!("claim {id}")).unwrap(), ..act(ANA, 0) };
        world.registry.work().claim(&world.project, key(&world, &id), None, act).wait()
    };
    (0..32).for_each(|number| drop(claim(number).unwrap()));
    assert!(refused(claim(32)).contains("at most 32"));
    // What has ended or was released counts no more, before any other event.
    let done = WorkPatch { status: Some(WorkStatus::Done), ..WorkPatch::default() };
    world.registry.work().set(key(&world, "p0"), done, act(ANA, 1)).wait().unwrap();
    world.registry.work().release(key(&world, "p1"), act(ANA, 2)).wait().unwrap();
    (33..35).for_each(|number| drop(claim(number).unwrap()));
    assert!(refused(claim(35)).contains("at most 32"));
    assert_eq!(used(&world, ANA, 10), []);
}

#[test]
fn an_id_to_wait_for_means_the_items_own_scope_first() {
    let world = claimable();
    let add = |scope: Scope, id: &str, after: &[&str], minutes: i64| {
        let key = WorkKey { scope, id: WorkId::new(id).unwrap() };
        let after = after.iter().map(ToString::to_string).collect();
        let work = Work { after, ..Work::new(key.clone(), WorkKind::Plan, "x", minute(minutes)) };
        world.registry.work().add(work, act(ANA, minutes)).wait().unwrap();
        key
    };
    let own = Scope::Project(world.project.id.clone());
    let ready = || -> Vec<String> {
        let ready = world.registry.work().ready(&world.project.id, None, minute(9)).wait();
        ready.unwrap().into_iter().map(|work| work.key.id.to_string()).collect()
    };
    add(Scope::Global, "x", &[], 1);
    let mine = add(own.clone(), "x", &[], 2);
    add(Scope::Global, "global", &["x"], 3);
    add(own, "waits", &["x"], 4);
    let patch = |status| WorkPatch { status: Some(status), ..WorkPatch::default() };
    world.registry.work().set(mine, patch(WorkStatus::Done), act(ANA, 5)).wait().unwrap();
    assert_eq!(ready(), ["p", "x", "waits"], "the project's is done, the other is open");
}

#[test]
fn what_is_ready_is_open_free_and_waits_for_nothing() {
    let world = claimable();
    let ready = |agent: Option<&str>, minutes: i64| -> Vec<String> {
        let agent = agent.map(|name| AgentId::new(name).unwrap());
        let ready = world.registry.work().ready(&world.project.id, agent.as_ref(), minute(minutes));
        ready.wait().unwrap().into_iter().map(|work| work.key.id.to_string()).collect()
    };
    add(&world, WorkKind::Plan, "after p", &["p"]).unwrap();
    add(&world, WorkKind::Trap, "trap", &[]).unwrap();
    let hand = Work {
        to: Some("ben".into()),
        ..Work::new(key(&world, "h"), WorkKind::Handoff, "h", minute(1))
    };
    world.registry.work().add(hand, act(ANA, 1)).wait().unwrap();
    assert_eq!(ready(None, 1), ["p", "h"]);
    assert_eq!(ready(Some("ana"), 1), ["p"]);
    claim(&world, ANA, 2).unwrap();
    assert_eq!(ready(Some("ben"), 31), ["h"]);
    assert_eq!(ready(Some("ben"), 32), ["p", "h"], "what was abandoned can be begun");
    let done = WorkPatch { status: Some(WorkStatus::Done), ..WorkPatch::default() };
    world.registry.work().set(key(&world, "p"), done, act(ANA, 33)).wait().unwrap();
    assert_eq!(ready(None, 33), ["after p", "h"]);
    let blocked = WorkPatch { status: Some(WorkStatus::Blocked), ..WorkPatch::default() };
    world.registry.work().set(key(&world, "after p"), blocked, act(ANA, 34)).wait().unwrap();
    assert_eq!(ready(None, 34), ["h"]);
    let plan = Work {
        to: Some("zoe".into()),
        ..Work::new(key(&world, "z"), WorkKind::Plan, "z", minute(35))
    };
    world.registry.work().add(plan, act(ANA, 35)).wait().unwrap();
    assert_eq!(ready(Some("zoe"), 35), ["z"]);
    assert_eq!(ready(Some("ben"), 35), ["h"]);
}

#[test]
fn nothing_waits_for_itself_or_for_what_never_ends() {
    let world = claimable();
    let after = |of: &str, after: &str, minutes: i64| {
        let after = Some([after.to_owned()].into());
        let patch = WorkPatch { after, ..WorkPatch::default() };
        world.registry.work().set(key(&world, of), patch, act(ANA, minutes)).wait()
    };
    add(&world, WorkKind::Decision, "d", &[]).unwrap();
    assert!(refused(add(&world, WorkKind::Plan, "x", &["d"])).contains("never ends"));
    let unknown = add(&world, WorkKind::Plan, "x", &["gone"]).unwrap_err();
    assert!(
        matches!(unknown, RegistryError::Rejected(Refusal::Unknown { id, .. }) if id == "gone")
    );
    add(&world, WorkKind::Plan, "q", &["p"]).unwrap();
    add(&world, WorkKind::Plan, "r", &["q"]).unwrap();
    assert!(refused(after("p", "r", 1)).contains("would wait for itself"));
    assert!(refused(after("p", "p", 2)).contains("would wait for itself"));
    // What has ended waits for nothing; to reopen it must not close the circle.
    let done = WorkPatch { status: Some(WorkStatus::Done), ..WorkPatch::default() };
    world.registry.work().set(key(&world, "q"), done, act(ANA, 3)).wait().unwrap();
    after("p", "r", 4).unwrap();
    let reopened = world.registry.work().reopen(key(&world, "q"), act(ANA, 5)).wait();
    assert!(refused(reopened).contains("would wait for itself"));
}

/// Bug: a merge of two registries made items wait for each other.
#[test]
fn an_import_brings_no_circle() {
    let (world, other) = (claimable(), claimable());
    add(&world, WorkKind::Plan, "q", &["p"]).unwrap();
    let mut importer = world.registry.admin().importer(false).wait().unwrap();
    add(&other, WorkKind::Plan, "q", &[]).unwrap();
    let later = Work {
        after: ["q".to_owned()].into(),
        updated_at: minute(1),
        ..Work::new(key(&other, "p"), WorkKind::Plan, "p.", minute(0))
    };
    importer.put(Record::Work(Box::new(later))).wait().unwrap();
    assert_eq!(importer.finish().wait().unwrap().untied, 1);
    let ready = world.registry.work().ready(&world.project.id, None, minute(2)).wait().unwrap();
    assert_eq!(ready.into_iter().map(|work| work.key.id.to_string()).collect::<Vec<_>>(), ["p"]);
}

/// Bug: an import of many items that wait for many others took hours.
#[test]
fn an_import_unties_long_and_wide_circles_at_once() {
    let (world, other) = (claimable(), claimable());
    let mut importer = world.registry.admin().importer(false).wait().unwrap();
    const LENGTH: usize = 3_000;
    let id = |number: usize| format!("w{}", number % LENGTH);
    for number in 0..LENGTH {
        let mut work = Work::new(key(&other, &id(number)), WorkKind::Plan, "w.", minute(1));
        work.after = [id(number + 1)].into();
        if number == LENGTH - 1 {
            work.after.extend((0..LENGTH).map(id));
        }
        importer.put(Record::Work(Box::new(work))).wait().unwrap();
    }
    // The last one waits for all others, for the next one, and for itself.
    assert_eq!(importer.finish().wait().unwrap().untied, LENGTH as u64);
}
