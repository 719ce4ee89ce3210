//! The index that a long-lived process keeps: whatever another handle changes, its answers are those of an
//! index made anew.

use std::sync::Arc;

use crate::common::*;
use proptest::prelude::*;
use staleness_core::ids::ModelId;
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::{FindRoutes, FindTools, Indexes, Learn};
use staleness_core::route::{Route, RouteKey};
use staleness_core::scan::ProjectRef;
use staleness_core::store::{Pick, Selection, ToolFilter};
use staleness_core::tool::{Hold, ToolKind};
use staleness_core::{Policy, Registry, Timestamp, Wait};

const TOOLS: [&str; 6] = [
    "review",
    "mcp__hub__search_issues",
    "mcp__hub__merge",
    "mcp__mail__send",
    "mcp__mail__*",
    "/ship",
];
const TEXTS: [Option<&str>; 4] =
    [None, Some("Search issues and pulls"), Some("Send a mail"), Some("Merge what was reviewed")];
const QUERIES: [&str; 5] =
    ["search open issues", "send it by mail", "ship what was merged", "review", "zanzibar"];
const ROOTS: [&str; 2] = ["/p", "/q"];

/// A change that another handle makes.
#[derive(Clone, Debug)]
enum Deed {
    /// The tools of a source are these, each with a text or none.
    Scan(usize, Vec<Option<usize>>),
    Learn(usize, usize, usize, f64, Option<[i8; 2]>),
    ForgetRoute(usize, usize, usize),
    Use(usize, usize, bool),
    Hold(usize, Hold),
    ForgetTool(usize),
    Prune(usize, i64),
    ForgetProject(usize),
}

fn deed() -> impl Strategy<Value = Deed> {
    let (root, tool, query) = (0..ROOTS.len(), 0..TOOLS.len(), 0..QUERIES.len());
    let texts = prop::collection::vec(prop::option::of(0..TEXTS.len()), TOOLS.len());
    let signal = prop::sample::select(vec![1.0, 0.75, 0.3, 0.0]);
    let vector = prop::option::of([-2_i8..3, 1_i8..3]);
    prop_oneof![
        3 => (root.clone(), texts).prop_map(|(root, texts)| Deed::Scan(root, texts)),
        6 => (root.clone(), tool.clone(), query.clone(), signal, vector)
            .prop_map(|(root, tool, query, signal, v)| Deed::Learn(root, tool, query, signal, v)),
        1 => (root.clone(), tool.clone(), query)
            .prop_map(|(root, tool, query)| Deed::ForgetRoute(root, tool, query)),
        2 => (root.clone(), tool.clone(), any::<bool>())
            .prop_map(|(root, tool, works)| Deed::Use(root, tool, works)),
        1 => (tool.clone(), prop::sample::select(Hold::ALL.to_vec()))
            .prop_map(|(tool, hold)| Deed::Hold(tool, hold)),
        1 => tool.prop_map(Deed::ForgetTool),
        1 => (root.clone(), prop::sample::select(vec![0, 31]))
            .prop_map(|(root, days)| Deed::Prune(root, days)),
        1 => root.prop_map(Deed::ForgetProject),
    ]
}

/// Does it; what is refused changes nothing.
fn carry_out(world: &World, deed: &Deed) {
    let project = |root: usize| ProjectRef::of_root(ROOTS[root]);
    let registry = &world.registry;
    world.pass(1_000);
    match deed {
        Deed::Scan(root, texts) => {
            let listed = TOOLS.iter().zip(texts).filter_map(|(name, text)| {
                let kind =
                    if name.starts_with("mcp__") { ToolKind::McpTool } else { ToolKind::Skill };
                Some(found(name, kind).described(TEXTS[(*text)?]))
            });
            let source = if *root == 0 { user("all") } else { own(&project(*root), "own") };
            world.scan_in(&project(*root), vec![read(source, listed.collect())]);
        }
        Deed::Learn(root, tool, query, signal, vector) => {
            let numbers = |vector: &[i8; 2]| vector.map(f64::from).to_vec();
            let vector =
                vector.as_ref().map(|vector| (ModelId::new("m").unwrap(), numbers(vector)));
            let learn =
                Learn::new(world.op(), QUERIES[*query], tool_name(TOOLS[*tool]), world.now());
            let learn = Learn { signal: *signal, vector, ..learn };
            drop(registry.routes().learn(&project(*root), learn).wait());
        }
        Deed::ForgetRoute(root, tool, query) => {
            let (project, folded) = (project(*root).id, Route::fold(QUERIES[*query]));
            let key = RouteKey::of(&project, &tool_name(TOOLS[*tool]), &folded);
            drop(registry.routes().forget(&project, key.id, world.now()).wait());
        }
        Deed::Use(root, tool, works) => {
            let kind = if *works { OutcomeKind::Success } else { OutcomeKind::Failure };
            let mut used = world.a_use(TOOLS[*tool], kind);
            used.project = project(*root);
            registry.tools().record(used).wait().unwrap();
        }
        Deed::Hold(tool, hold) => {
            drop(registry.tools().set_hold(world.by_hand(TOOLS[*tool]), *hold).wait())
        }
        Deed::ForgetTool(tool) => drop(registry.tools().forget(world.by_hand(TOOLS[*tool])).wait()),
        Deed::Prune(root, days) => {
            world.pass(days * Timestamp::DAY);
            registry.routes().prune(&project(*root).id, world.now(), false).wait().unwrap();
        }
        Deed::ForgetProject(root) => {
            drop(
                registry.admin().forget_project(project(*root).id, world.op(), world.now()).wait(),
            );
        }
    }
}

/// Everything that is found, in every project, with and without a vector.
fn answers(registry: &Registry, now: Timestamp) -> String {
    let mut all = String::new();
    for root in ROOTS {
        let project = ProjectRef::of_root(root);
        for query in QUERIES {
            for vector in [None, Some((ModelId::new("m").unwrap(), vec![1.0, 2.0]))] {
                let find = FindTools { vector: vector.clone(), ..FindTools::by_words(query, 9) };
                let suggested =
                    registry.tools().suggest(&project, find.clone(), now).wait().unwrap();
                let discovered = registry.tools().discover(&project, find, now).wait().unwrap();
                let find = FindRoutes { query: query.into(), vector, limit: 9 };
                let routes = registry.routes().find(&project, find, now).wait().unwrap();
                all.push_str(&format!("{suggested:?}\n{discovered:?}\n{routes:?}\n"));
            }
        }
    }
    all
}

/// A registry in the same store that keeps its indexes.
fn keeping(world: &World, indexes: &Indexes) -> Registry {
    let store = Arc::new(world.spy.clone());
    Registry::new(store, Policy::default()).keeping(indexes.clone())
}

proptest! {
    #![proptest_config(crate::properties::config(16))]
    #[test]
    fn after_any_change_by_another_handle_answers_are_those_of_a_fresh_index(
        deeds in prop::collection::vec(deed(), 1..14),
    ) {
        let world = World::default();
        let indexes = Indexes::new();
        for deed in &deeds {
            carry_out(&world, deed);
            // Made anew for each question, as a server does; what is kept is the index.
            let kept = keeping(&world, &indexes);
            let fresh = keeping(&world, &Indexes::new());
            prop_assert_eq!(
                answers(&kept, world.now()),
                answers(&fresh, world.now()),
                "after {:?}", deed
            );
        }
    }
}

#[test]
fn an_open_registry_reads_every_tool_again_only_when_a_search_would_read_something_else() {
    let world = World::default();
    let tools = |texts: &[&str]| -> Vec<_> {
        let name = |at: usize| format!("tool-{at}");
        texts.iter().enumerate().map(|(at, text)| skill(&name(at)).described(Some(text))).collect()
    };
    let scan = |texts: &[&str]| world.scan(vec![read(user("shelf"), tools(texts))]);
    scan(&["Sends a mail", "Merges a branch", "Reads a page"]);
    // The names of what is found, and how often all tools of a scope were looked at for it.
    let ask = |query: &str| {
        world.spy.views.lock().unwrap().clear();
        let found = world.discover(query, 5);
        let names: Vec<String> = found.into_iter().map(|each| each.tool.key.name.into()).collect();
        let views = world.spy.views.lock().unwrap().clone();
        let whole = |pick: &Pick<ToolFilter>| matches!(pick.filter, ToolFilter::Scope(_));
        let looks = |view: &Selection| {
            view.summaries.len() + view.tools.iter().filter(|pick| whole(pick)).count()
        };
        (names, views.iter().map(looks).sum::<usize>())
    };
    let mail = vec!["tool-0".to_owned()];
    assert_eq!(ask("mail"), (mail.clone(), 2));
    assert_eq!(ask("mail"), (mail.clone(), 0));
    world.uses("tool-0", "SSFS");
    assert_eq!(ask("mail"), (mail.clone(), 0), "a use moves counters alone");
    scan(&["Sends a mail", "Merges a branch and mails it", "Reads a page"]);
    assert_eq!(ask("mail"), (vec!["tool-0".to_owned(), "tool-1".to_owned()], 2));
    world.registry.tools().set_hold(world.by_hand("tool-1"), Hold::Ignored).wait().unwrap();
    assert_eq!(ask("mail"), (mail.clone(), 2));
    let learn = Learn::new(world.op(), "night shift", tool_name("tool-2"), world.now());
    world.registry.routes().learn(&world.project, learn).wait().unwrap();
    assert_eq!(ask("night shift"), (vec!["tool-2".to_owned()], 2));
    assert_eq!(ask("mail"), (mail, 0));
}
