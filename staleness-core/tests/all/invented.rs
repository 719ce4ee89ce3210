//! Names that a model invented: no source lists them, and they never worked.

use proptest::prelude::*;
use staleness_core::ids::ClientId;
use staleness_core::registry::{FindTools, ToolListing};
use staleness_core::tool::Hold;
use staleness_core::{Timestamp, Wait};

use crate::common::*;

const NAMES: [(&str, bool); 6] = [
    ("frobnicate", true),
    ("mcp__nobody__frobnicate", true),
    ("mcp__hub__frobnicate", false),
    ("MCP:frobnicate", false),
    ("/frobnicate", false),
    ("Bash", false),
];

fn listed(world: &World, invented: bool) -> Vec<String> {
    let wanted = ToolListing { invented, ..ToolListing::default() };
    let listed = world.registry.tools().list(&world.project, wanted, world.now()).wait().unwrap();
    let wanted = listed.into_iter().filter(|tool| tool.is_invented() == invented);
    wanted.map(|tool| tool.key.name.into()).collect()
}

/// Records a failure of Codex.
pub(crate) fn fails(world: &World, name: &str) {
    world.pass(Timestamp::SECOND);
    let mut used = world.a_use(name, outcome('F'));
    used.client = Some(ClientId::new("codex").unwrap());
    world.registry.tools().record(used).wait().unwrap();
}

/// The names that are suggested, found, ranked or told.
fn answered(world: &World, name: &str) -> Vec<String> {
    let (tools, project, now) = (world.registry.tools(), &world.project, world.now());
    let words = FindTools::by_words(name, 9);
    let mut found = tools.suggest(project, FindTools::ranked(9), now).wait().unwrap().tools;
    found.extend(tools.suggest(project, words.clone(), now).wait().unwrap().tools);
    found.extend(tools.discover(project, words, now).wait().unwrap().tools);
    let ranked = tools.rank(project, 9, now).wait().unwrap();
    let (_, told) = world.looked(project, &session("s"));
    let found = found.into_iter().map(|each| String::from(each.tool.key.name));
    found
        .chain(ranked.into_iter().map(|each| each.tool.key.name.into()))
        .chain(told.tools.into_iter().map(|each| each.name.into()))
        .chain(told.failing.into_iter().map(|each| each.name.into()))
        .chain(tools.similar(project, name).wait().unwrap().0.into_iter().map(String::from))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// A name is invented while nothing but failures tells of it; one success, or a source that lists it or its server,
    /// makes it a tool with the outcomes that it had.
    #[test]
    fn a_name_is_invented_while_nothing_but_failures_tells_of_it(
        letters in "[FIU]{1,40}|[FIUS]{1,6}|S[FIU]{32,40}",
        (name, is_doubtful) in prop::sample::select(NAMES.to_vec()),
        by_client in any::<bool>(),
        by_scan in any::<bool>(),
    ) {
        let world = World::default();
        let world = if by_client { world.seen_by("client") } else { world };
        // With one server, `MCP:frobnicate` would be a tool of that.
        world.scan(vec![read(user("mcp"), vec![server("hub"), server("hub2")])]);
        for letter in letters.chars() {
            let mut used = world.a_use(name, outcome(letter));
            used.client = Some(ClientId::new("client").unwrap());
            world.registry.tools().record(used).wait().unwrap();
        }
        let invented = is_doubtful && letters.contains('F') && !letters.contains('S');
        let name = name.to_owned();
        prop_assert_eq!(listed(&world, true).contains(&name), invented);
        prop_assert_eq!(listed(&world, false).contains(&name), !invented);
        let report = world.report(&name);
        prop_assert_eq!(report.presence.cause.as_str() == "invented", invented);
        if invented {
            prop_assert!(!answered(&world, &name).contains(&name));
        }
        if by_scan {
            let found = if name.starts_with("mcp__") { server("nobody") } else { skill(&name) };
            world.scan(vec![read(user("mcp"), vec![server("hub"), server("hub2"), found])]);
            let known = world.report(&name);
            prop_assert_eq!((known.outcomes, known.presence.is_present()), (report.outcomes, true));
        } else {
            world.uses(&name, "S");
        }
        prop_assert!(listed(&world, false).contains(&name) && listed(&world, true).is_empty());
    }
}

#[test]
fn an_invented_name_is_forgotten_a_month_after_its_last_use() {
    let world = World::default();
    world.scan(vec![read(user("mcp"), vec![server("hub")])]);
    let kept = ["mcp__hub__broken", "/broken", "Bash", "pinned", "late"];
    for name in kept.iter().chain(&["frobnicate", "mcp__nobody__x"]) {
        fails(&world, name);
    }
    world.hold("pinned", Hold::Pinned);
    let prune =
        |dry| world.registry.admin().prune_names(world.now(), dry, &mut || true).wait().unwrap().0;
    world.pass(30 * Timestamp::DAY - Timestamp::MINUTE);
    assert_eq!(prune(false), 0);
    fails(&world, "late");
    world.pass(Timestamp::MINUTE);
    assert_eq!((prune(true), prune(true), prune(false), prune(false)), (2, 2, 2, 0));
    let left = world.everything();
    let names: Vec<&str> = left.tools.keys().map(|key| key.name.as_str()).collect();
    assert!(kept.iter().all(|name| names.contains(name)) && names.len() == kept.len() + 1);
    assert_eq!(left.outcomes.len(), kept.len() + 1);
    assert_eq!(world.history("frobnicate"), ["added - active used", "forgotten active - invented"]);
}
