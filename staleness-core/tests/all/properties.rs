//! Properties that hold after any history.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::*;
use proptest::prelude::*;
use staleness_core::ids::{Scope, ServerKey, ToolKey, ToolName};
use staleness_core::journal::Revision;
use staleness_core::scan::{Found, ProjectRef, SourceReading};
use staleness_core::source::SourceState;
use staleness_core::store::Decision;
use staleness_core::tool::{DemotionRule, Hold, ToolKind};
use staleness_core::{Policy, Wait};

const CASES: u32 = 48;

/// Returns a configuration with this number of cases, or with that of `PROPTEST_CASES`, which `.ci/thorough` sets.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    config
}

/// The things that a source lists: one bit for each, and one for its being switched off.
type Listing = (u8, u8);

/// One thing that happens to a registry.
#[derive(Clone, Debug)]
enum Event {
    Scan { elsewhere: bool, states: [u8; 3], listings: [Listing; 3] },
    Use { elsewhere: bool, name: usize, letters: usize },
    Hold { name: usize, hold: usize },
    Forget { name: usize },
}

const USED: [&str; 8] =
    ["mcp__a__x", "mcp__a__b__x", "mcp__c_d__x", "/go", "/stop", "skill", "Bash", "loose"];
const LETTERS: [&str; 6] = ["S", "F", "I", "FFF", "FSF", "SS"];

fn thing(at: usize) -> Found {
    match at {
        0 => server("a"),
        1 => server("a__b"),
        2 => server("c d"),
        3 => server("c_d"),
        4 => command("/go"),
        5 => command("/stop"),
        6 => skill("skill"),
        _ => server_tool("a", "x"),
    }
}

fn listed((bits, off_bits): Listing) -> Vec<Found> {
    (0..8)
        .filter(|at| bits >> at & 1 == 1)
        .map(|at| if off_bits >> at & 1 == 1 { off(thing(at)) } else { thing(at) })
        .collect()
}

fn sources_of(project: &ProjectRef, states: [u8; 3], listings: [Listing; 3]) -> Vec<SourceReading> {
    [user("one"), user("two"), own(project, "one")]
        .into_iter()
        .zip(states)
        .zip(listings)
        .map(|((id, state), listing)| {
            let state = SourceState::ALL[usize::from(state) % 4];
            let lists = matches!(state, SourceState::Read | SourceState::Partial);
            reading(id, state, if lists { listed(listing) } else { Vec::new() })
        })
        .collect()
}

fn elsewhere() -> ProjectRef {
    ProjectRef::of_root("/elsewhere")
}

fn happen(world: &World, event: &Event) {
    let there = |away: bool| if away { elsewhere() } else { world.project.clone() };
    match *event {
        Event::Scan { elsewhere, states, listings } => {
            let project = there(elsewhere);
            world.scan_in(&project, sources_of(&project, states, listings));
        }
        Event::Use { elsewhere, name, letters } => {
            world.uses_in(&there(elsewhere), USED[name], LETTERS[letters]);
        }
        Event::Hold { name, hold } => {
            let _ =
                world.registry.tools().set_hold(world.by_hand(USED[name]), Hold::ALL[hold]).wait();
        }
        Event::Forget { name } => {
            let _ = world.registry.tools().forget(world.by_hand(USED[name])).wait();
        }
    }
}

fn listings() -> impl Strategy<Value = [Listing; 3]> {
    // Switched off is the exception.
    let one = (any::<u8>(), (any::<u8>(), any::<u8>()).prop_map(|(a, b)| a & b));
    [one.clone(), one.clone(), one]
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let scan = (any::<bool>(), any::<[u8; 3]>(), listings())
        .prop_map(|(elsewhere, states, listings)| Event::Scan { elsewhere, states, listings });
    let uses = (any::<bool>(), 0..USED.len(), 0..LETTERS.len())
        .prop_map(|(elsewhere, name, letters)| Event::Use { elsewhere, name, letters });
    let hold = (0..USED.len(), 0usize..4).prop_map(|(name, hold)| Event::Hold { name, hold });
    let forget = (0..USED.len()).prop_map(|name| Event::Forget { name });
    proptest::collection::vec(prop_oneof![4 => scan, 6 => uses, 2 => hold, 1 => forget], 0..24)
}

proptest! {
    #![proptest_config(config(CASES))]

    /// Scanning twice is scanning once: nothing but the notes on sources and project changes.
    #[test]
    fn scanning_twice_is_scanning_once(
        events in events(),
        states in any::<[u8; 3]>(),
        listings in listings(),
    ) {
        let world = World::default();
        events.iter().for_each(|event| happen(&world, event));
        let sources = || sources_of(&world.project, states, listings);
        world.scan(sources());
        let before = world.everything();
        let report = world.scan(sources());
        prop_assert!(report.added.is_empty() && report.stale.is_empty());
        prop_assert!(report.restored.is_empty());
        let changes = world.last_commit().changes;
        prop_assert!(changes.tools.is_empty() && changes.journal.is_empty());
        prop_assert_eq!(world.everything().tools, before.tools);
    }

    /// A scan that reads only the tools that it concerns does what one that saw all of them does.
    #[test]
    fn a_scan_that_reads_little_does_the_same(
        events in events(),
        states in any::<[u8; 3]>(),
        listings in listings(),
    ) {
        let world = World::default();
        events.iter().for_each(|event| happen(&world, event));
        world.pass(1_000);
        let scan = world.scan_of(&world.project, sources_of(&world.project, states, listings));
        let mut all = world.everything();
        all.revision = world.registry.admin().revision().wait().unwrap();
        let sees = |scope: &Scope| scope.project().is_none_or(|id| *id == world.project.id);
        all.sources.retain(|id, _| sees(&id.scope()));
        all.tools.retain(|key, _| sees(&key.scope));
        // Beyond the looks at which it would still ask for more.
        all.looks = 3;
        world.registry.tools().apply_scan(scan).wait().unwrap();
        let saw_all = world.last_step().decide(&all);
        let mut did = world.last_commit().changes;
        for entry in &mut did.journal {
            (entry.revision, entry.index) = (Revision(0), 0);
        }
        prop_assert_eq!(saw_all, Ok(Decision::Write(did)));
    }

    /// Pruning the journal changes nothing of what is there, nothing that explains it, and nothing that an agent
    /// has still to be told; and twice is once.
    #[test]
    fn pruning_the_journal_takes_nothing_that_anybody_needs(
        past in [events(), events(), events()],
        told in any::<bool>(),
        at in 0..3_usize,
    ) {
        let mut policy = Policy::default();
        policy.journal.keep_days = 0;
        let world = World::with(policy);
        let mut times = Vec::new();
        for (turn, events) in past.iter().enumerate() {
            events.iter().for_each(|event| happen(&world, event));
            times.push(world.now());
            if told && turn == 1 {
                world.told(&world.project, "s1");
            }
        }
        let look = || {
            let mut all = world.everything();
            let (journal, _) = (std::mem::take(&mut all.journal), std::mem::take(&mut all.floor));
            let newest: BTreeMap<_, _> = journal
                .values()
                .filter(|entry| entry.subject.tool_key().is_none_or(|key| all.tools.contains_key(&key)))
                .map(|entry| ((entry.subject.clone(), entry.action), entry.clone()))
                .collect();
            let (_, delta) = world.looked(&world.project, &session("s2"));
            let delta = told.then_some((delta.items, delta.tools, delta.failing, delta.pruned_until));
            (world.everything().tools, all.projects, newest, delta)
        };
        look();
        let before = look();
        let total = world.everything().journal.len() as u64;
        let removed = world.registry.admin().prune_journal(times[at], false, &mut || true).wait().unwrap();
        world.registry.admin().check().wait().unwrap();
        prop_assert_eq!(look(), before);
        let after = world.everything();
        prop_assert_eq!(after.journal.len() as u64 + removed, total);
        prop_assert!(removed == 0 || after.floor.at <= times[at]);
        prop_assert_eq!(world.registry.admin().prune_journal(times[at], false, &mut || true).wait().unwrap(), 0);
    }

    /// After any scans of sources that could be read, what is configured and there is what the
    /// last scan of each scope listed and had switched on.
    #[test]
    fn diff_then_apply_is_the_target(
        scans in proptest::collection::vec((any::<bool>(), listings()), 1..12),
    ) {
        let world = World::default();
        let mut expected: BTreeMap<_, BTreeSet<ToolKey>> = BTreeMap::new();
        for (away, listings) in scans {
            let project = if away { elsewhere() } else { world.project.clone() };
            let sources = sources_of(&project, [0; 3], listings);
            for reading in &sources {
                expected.insert(reading.id.scope(), BTreeSet::new());
            }
            for reading in &sources {
                let scope = reading.id.scope();
                // A server's tool also needs its server: see `cascades_follow_the_servers`.
                let on = reading.found.iter().filter(|found| found.state == staleness_core::tool::ListingState::Configured && found.name.as_str() != "mcp__a__x");
                let keys = on.map(|found| ToolKey { scope: scope.clone(), name: found.name.clone() });
                expected.get_mut(&scope).unwrap().extend(keys);
            }
            world.scan_in(&project, sources);
        }
        let target: BTreeSet<ToolKey> = expected.into_values().flatten().collect();
        let there: BTreeSet<ToolKey> = world.everything().tools.into_values()
            .filter(|tool| tool.presence.is_present() && tool.key.name.as_str() != "mcp__a__x")
            .map(|tool| tool.key)
            .collect();
        prop_assert_eq!(there, target);
    }

    /// After the scan of a project, a tool of a known server is there only if an entry that may
    /// provide it is.
    #[test]
    fn cascades_follow_the_servers(
        events in events(),
        states in any::<[u8; 3]>(),
        listings in listings(),
    ) {
        let world = World::default();
        events.iter().for_each(|event| happen(&world, event));
        world.scan(sources_of(&world.project, states, listings));
        let tools = world.everything().tools;
        let mine = project_scope(&world.project);
        let here = |tool: &&staleness_core::tool::Tool| {
            tool.key.scope.project().is_none() || tool.key.scope == mine
        };
        for tool in tools.values().filter(here) {
            let name = tool.key.name.as_str();
            if !name.starts_with("mcp__") || name.ends_with("__*") {
                continue;
            }
            let entries: Vec<bool> = tools.values()
                .filter(|entry| entry.key.name.as_str().ends_with("__*"))
                .filter(|entry| entry.server == tool.server)
                .filter(|entry| {
                    entry.key.scope == tool.key.scope || entry.key.scope.project().is_none()
                })
                .map(|entry| entry.presence.is_present())
                .collect();
            if !entries.is_empty() && !entries.contains(&true) {
                prop_assert!(tool.presence.is_absent(), "{:?} without a server", tool.key);
            }
            if entries.contains(&true) {
                prop_assert!(!tool.presence.cause.is_cascade(), "{:?} with a server", tool.key);
            }
        }
    }

    /// The order in which sources and their findings come is of no matter.
    #[test]
    fn the_order_of_sources_is_irrelevant(
        events in events(),
        states in any::<[u8; 3]>(),
        listings in listings(),
        turn in 0usize..3,
    ) {
        let mut worlds = [World::default(), World::default()];
        for (at, world) in worlds.iter_mut().enumerate() {
            events.iter().for_each(|event| happen(world, event));
            let mut sources = sources_of(&world.project, states, listings);
            if at == 1 {
                sources.rotate_left(turn);
                sources.iter_mut().for_each(|reading| reading.found.reverse());
            }
            world.scan(sources);
        }
        prop_assert_eq!(worlds[0].everything(), worlds[1].everything());
    }

    /// The journal tells every change of status, without a gap.
    #[test]
    fn replaying_the_journal_gives_the_status(events in events()) {
        let world = World::default();
        events.iter().for_each(|event| happen(&world, event));
        let all = world.everything();
        let mut replayed: BTreeMap<ToolKey, Option<String>> = BTreeMap::new();
        for entry in all.journal.values() {
            let key = entry.subject.tool_key().unwrap();
            let before = replayed.get(&key).cloned().flatten();
            prop_assert_eq!(&before, &entry.from, "{:?}", entry);
            replayed.insert(key, entry.to.clone());
        }
        replayed.retain(|_, status| status.is_some());
        let stored: BTreeMap<ToolKey, Option<String>> = all.tools.into_values()
            .map(|tool| (tool.key.clone(), Some(tool.status().as_str().to_owned())))
            .collect();
        prop_assert_eq!(replayed, stored);
    }

    /// Recording everything again changes nothing.
    #[test]
    fn recording_again_changes_nothing(picks in proptest::collection::vec((0..USED.len(), 0usize..3), 1..30)) {
        let world = World::default();
        world.scan(vec![read(user("one"), listed((0xff, 0)))]);
        let uses: Vec<_> = picks.iter()
            .map(|(name, mark)| world.a_use(USED[*name], outcome(['S', 'F', 'I'][*mark])))
            .collect();
        for used in &uses {
            world.registry.tools().record(used.clone()).wait().unwrap();
        }
        let before = world.everything();
        let reports = world.registry.tools().record_all(uses.clone()).wait().unwrap();
        prop_assert!(reports.iter().all(|report| report.duplicate));
        prop_assert!(world.last_commit().changes.is_empty());
        prop_assert_eq!(world.everything(), before);
    }

    /// One batch is the same as one use after the other.
    #[test]
    fn a_batch_is_the_same_as_its_uses_in_turn(picks in proptest::collection::vec((0..USED.len(), 0usize..3), 1..30)) {
        let worlds = [World::default(), World::default()];
        for (at, world) in worlds.iter().enumerate() {
            world.scan(vec![read(user("one"), listed((0xff, 0)))]);
            let uses: Vec<_> = picks.iter()
                .map(|(name, mark)| world.a_use(USED[*name], outcome(['S', 'F', 'I'][*mark])))
                .collect();
            if at == 0 {
                world.registry.tools().record_all(uses).wait().unwrap();
            } else {
                uses.into_iter().for_each(|used| drop(world.registry.tools().record(used).wait().unwrap()));
            }
        }
        let [batch, turn] = worlds.map(|world| world.everything());
        prop_assert_eq!(batch.tools, turn.tools);
        prop_assert_eq!(batch.outcomes, turn.outcomes);
        prop_assert_eq!(batch.journal.len(), turn.journal.len());
    }

    /// The status is what a second, simpler telling of the rules says.
    #[test]
    fn the_status_agrees_with_an_oracle(
        marks in proptest::collection::vec(0usize..4, 0..80),
        k in 1u8..=5,
        more in 0u8..=4,
        restarts in any::<bool>(),
    ) {
        let n = k + more;
        let mut policy = Policy::default();
        policy.tools.rule = DemotionRule::KOfN { k, n };
        policy.tools.window_restarts_on_restore = restarts;
        let world = World::with(policy);
        world.uses("x", "I");
        let (mut counted, mut demoted) = (Vec::new(), false);
        for mark in marks {
            match mark {
                3 => {
                    world.hold("x", Hold::None);
                    if demoted && restarts {
                        counted.clear();
                    }
                    demoted = false;
                }
                mark => {
                    world.uses("x", ["S", "F", "I"][mark]);
                    if mark == 2 {
                        continue;
                    }
                    counted.push(mark == 1);
                    if mark == 0 {
                        if demoted && restarts {
                            counted.clear();
                        }
                        demoted = false;
                    } else {
                        let failures = counted.iter().rev().take(usize::from(n));
                        demoted |= failures.filter(|failed| **failed).count() >= usize::from(k);
                    }
                }
            }
            prop_assert_eq!(world.status("x").as_str() == "demoted", demoted);
        }
    }
}

proptest! {
    #![proptest_config(config(512))]

    /// Whatever a name holds, taking it apart does not panic, and what comes out fits the name.
    #[test]
    fn names_of_any_text_are_taken_apart(text in "(mcp__)?([a-b_é* .\u{1f680}-]|__){0,12}|\\PC{0,40}") {
        let _ = (ToolKind::of_name(&text), ToolName::of_server(&text), ToolName::spellings(&text));
        let _ = ToolName::new(&text).map(|name| name.is_server_entry());
        for key in ServerKey::owners_of(&text) {
            let _ = key.tool_part(&text);
        }
    }

    /// A tool named after its server, as clients rewrite it, can be led back to it.
    #[test]
    fn a_servers_tool_leads_back_to_it(server in "[a-z][a-z .@/]{0,8}[a-z]", tool in "[a-z][a-z_]{0,8}[a-z]") {
        let found = Found::server_tool(&server, &tool).unwrap();
        let key: ServerKey = ServerKey::of(&server).unwrap();
        let name = found.name.as_str();
        prop_assert!(ServerKey::owners_of(name).contains(&key));
        prop_assert_eq!(key.tool_part(name), Some(tool.as_str()));
        prop_assert_eq!(Found::server(&server).unwrap().server, Some(key));
    }
}
