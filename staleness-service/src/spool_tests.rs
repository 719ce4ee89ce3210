//! Tests of the spool, over stores in memory and in files.

use staleness::Wait;
use staleness::ids::{OpId, ToolName};
use staleness::outcome::OutcomeKind;
use staleness::registry::ToolListing;

use super::*;

fn project() -> ProjectRef {
    ProjectRef::of_root("/p")
}

fn happened(session: &SessionId, at: Timestamp, event: SessionEvent) -> Entry {
    Entry::Session { project: project(), session: session.clone(), at, event }
}

fn used(number: i64) -> Entry {
    let op = OpId::new(format!("op-{number}")).unwrap();
    let tool = ToolName::new("mcp__a__b").unwrap();
    let kind = if number % 2 == 0 { OutcomeKind::Success } else { OutcomeKind::Failure };
    Entry::Used(Box::new(Use::new(op, tool, kind, Timestamp::from_millis(number), project())))
}

fn place() -> (tempfile::TempDir, Spool, Registry) {
    let folder = tempfile::tempdir().unwrap();
    let url = StoreUrl::Sqlite(folder.path().join("registry.db"));
    let spool = Spool::of(&url).unwrap();
    (folder, spool, staleness::open("memory:").unwrap())
}

fn outcomes(registry: &Registry) -> String {
    let listing = ToolListing::default();
    let mut tools =
        registry.tools().list(&project(), listing, Timestamp::from_millis(9)).wait().unwrap();
    tools.pop().map(|tool| tool.outcomes).unwrap_or_default()
}

#[test]
fn entries_are_recorded_in_order_once_and_leave_nothing() {
    let (_folder, spool, registry) = place();
    for number in [1, 3, 4, 5, 8] {
        spool.add(&used(number)).unwrap();
    }
    // Simulates a process that was killed between recording the first entry and deleting it.
    used(1).record(&registry).unwrap();
    spool.drain(&mut |_| registry.clone(), &mut || true).unwrap();
    assert_eq!(outcomes(&registry), "FFSFS");
    assert!(!spool.folder().exists());
}

#[test]
fn what_does_not_fit_into_the_time_waits_in_its_order() {
    let (_folder, spool, registry) = place();
    for number in [2, 3, 5] {
        spool.add(&used(number)).unwrap();
    }
    let mut left = 2;
    let mut more = || {
        left -= 1;
        left >= 0
    };
    spool.drain(&mut |_| registry.clone(), &mut more).unwrap();
    assert_eq!((outcomes(&registry).as_str(), spool.waiting().unwrap().entries), ("SF", 1));
    spool.drain(&mut |_| registry.clone(), &mut || true).unwrap();
    assert_eq!((outcomes(&registry).as_str(), spool.waiting().unwrap().entries), ("SFF", 0));
}

#[test]
fn sessions_that_could_not_be_recorded_in_time_are_recorded_later() {
    let (_folder, spool, registry) = place();
    let (agent, session) = (AgentId::new("codex").unwrap(), SessionId::new("s1").unwrap());
    let at = Timestamp::from_millis(1);
    let started = happened(&session, at, SessionEvent::Started(agent));
    spool.add(&started).unwrap();
    let ended = Timestamp::from_millis(2);
    spool.add(&happened(&session, ended, SessionEvent::Ended)).unwrap();
    // This session was never started.
    let unknown = SessionId::new("s2").unwrap();
    spool.add(&happened(&unknown, ended, SessionEvent::Ended)).unwrap();
    spool.drain(&mut |_| registry.clone(), &mut || true).unwrap();
    let sessions = registry.sessions().list(&project().id).wait().unwrap();
    assert_eq!(sessions.len(), 1);
    assert_eq!((sessions[0].started_at, sessions[0].ended_at), (at, Some(ended)));
    assert_eq!(spool.waiting().unwrap(), Waiting::default());
}

#[test]
fn a_session_whose_end_another_process_recorded_is_not_opened_again() {
    let (_folder, spool, registry) = place();
    let (agent, session) = (AgentId::new("codex").unwrap(), SessionId::new("s1").unwrap());
    let at = Timestamp::from_millis(1);
    let started = happened(&session, at, SessionEvent::Started(agent));
    let ended = happened(&session, Timestamp::from_millis(2), SessionEvent::Ended);
    started.clone().record(&registry).unwrap();
    ended.record(&registry).unwrap();
    spool.add(&started).unwrap();
    spool.drain(&mut |_| registry.clone(), &mut || true).unwrap();
    assert!(registry.sessions().list(&project().id).wait().unwrap()[0].ended_at.is_some());
}

#[test]
fn a_damaged_entry_is_set_aside_and_stops_no_other() {
    let (_folder, spool, registry) = place();
    spool.add(&used(2)).unwrap();
    fs::write(spool.folder().join("0000000000000000-x.json"), "{\"used\":").unwrap();
    fs::write(spool.folder().join("0000000000000001-y.partial"), "{\"us").unwrap();
    spool.drain(&mut |_| registry.clone(), &mut || true).unwrap();
    assert_eq!(outcomes(&registry), "S");
    assert_eq!(spool.waiting().unwrap(), Waiting { refused: 1, ..Waiting::default() });
    assert!(!spool.has_entries());
    // The partial file left by a killed process is gone.
    assert_eq!(fs::read_dir(spool.folder()).unwrap().count(), 1);
}

#[test]
fn an_entry_that_another_process_is_writing_stays() {
    let (_folder, spool, registry) = place();
    spool.add(&used(2)).unwrap();
    let name = format!("{:016}-00000000-x{PARTIAL}", clock::now().as_millis());
    fs::write(spool.folder().join(&name), "{\"us").unwrap();
    spool.drain(&mut |_| registry.clone(), &mut || true).unwrap();
    assert_eq!((outcomes(&registry).as_str(), spool.names().unwrap()), ("S", vec![name]));
    assert_eq!(spool.waiting().unwrap(), Waiting::default());
}

#[test]
fn a_full_spool_refuses_what_comes_and_what_was_refused_takes_no_room() {
    let (folder, spool, registry) = place();
    let empty = folder.path().join("empty");
    fs::write(&empty, "").unwrap();
    spool.add(&used(0)).unwrap();
    let fill = |ending: &str| {
        for number in 1..MAX_ENTRIES {
            fs::hard_link(&empty, spool.folder().join(format!("{number}{ending}"))).unwrap();
        }
    };
    fill(REFUSED);
    spool.add(&used(2)).unwrap();
    fill(ENTRY);
    assert_eq!(spool.add(&used(4)).unwrap_err().kind(), io::ErrorKind::QuotaExceeded);
    spool.drain(&mut |_| registry.clone(), &mut || true).unwrap();
    assert_eq!(outcomes(&registry), "SS");
    let lost = MAX_ENTRIES as u64 - 2;
    assert_eq!(spool.waiting().unwrap(), Waiting { entries: 0, refused: MAX_ENTRIES, lost });
}

#[cfg(unix)]
#[test]
fn a_spool_that_others_may_write_to_or_that_is_a_link_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, spool, registry) = place();
    spool.add(&used(2)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let entry = fs::read_dir(spool.folder()).unwrap().next().unwrap().unwrap().path();
    assert_eq!((mode(spool.folder()), mode(&entry)), (0o700, 0o600));
    fs::set_permissions(spool.folder(), fs::Permissions::from_mode(0o770)).unwrap();
    spool.drain(&mut |_| registry.clone(), &mut || true).unwrap();
    assert_eq!(outcomes(&registry), "");
    assert_eq!(spool.add(&used(3)).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(spool.folder(), &elsewhere).unwrap();
    fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o700)).unwrap();
    std::os::unix::fs::symlink(&elsewhere, spool.folder()).unwrap();
    spool.drain(&mut |_| registry.clone(), &mut || true).unwrap();
    assert_eq!(outcomes(&registry), "");
    assert!(spool.add(&used(3)).is_err());
}

#[test]
fn a_call_whose_beginning_is_recorded_twice_does_not_fail_after_its_end() {
    let (_folder, spool, registry) = place();
    let session = SessionId::new("s").unwrap();
    let turn = OpId::new("turn").unwrap();
    let began = |number: i64| {
        let op = OpId::new(format!("op-{number}")).unwrap();
        let tool = ToolName::new("mcp__a__b").unwrap();
        let at = Timestamp::from_millis(number);
        let call = OpenCall { op, tool, turn: Some(turn.clone()), needs_permission: false, at };
        happened(&session, at, SessionEvent::CallBegan(call))
    };
    let Entry::Used(mut ended) = used(2) else { unreachable!() };
    ended.session = Some(session.clone());
    let over = Entry::TurnEnded(TurnEnd {
        project: project(),
        session: session.clone(),
        turn: Some(turn.clone()),
        client: None,
        interrupted: false,
        at: Timestamp::from_millis(5),
    });
    for entry in [&began(2), &began(4), &Entry::Used(ended), &began(2), &over, &over] {
        spool.add(entry).unwrap();
    }
    spool.drain(&mut |_| registry.clone(), &mut || true).unwrap();
    assert_eq!(
        (outcomes(&registry).as_str(), spool.waiting().unwrap()),
        ("SF", Waiting::default())
    );
}
