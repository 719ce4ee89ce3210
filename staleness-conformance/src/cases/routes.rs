//! Routes and vectors: filters return exactly their rows, and concurrent learning loses nothing.

use std::sync::Arc;

use staleness_core::registry::{FindTools, Indexes, Learn};
use staleness_core::route::{Confidence, Route, RouteKey, RouteVector};
use staleness_core::scan::ProjectRef;
use staleness_core::store::{Change, RouteFilter, Selection, VectorFilter};
use staleness_core::tool::{Hold, PresenceCause, Tool};
use staleness_core::{Policy, Registry, Wait};

use crate::case::Case;
use crate::context::{Context, act, everything, found, keys, see};
use crate::rows::{
    at, embedded, failing, global, model, name, op, project_id, route, route_key, suggestions, tool,
};
use crate::steps::Write;
use crate::support::learn;

pub(super) const CASES: &[Case] = &[
    Case::new("routes::filters_find_only_their_own", by_filter),
    Case::new("routes::what_a_search_reads_moves_the_generation", generation),
    Case::new("routes::a_kept_index_finds_what_another_handle_writes", kept_index).persistent(),
    Case::new("routes::vectors_are_found_by_their_model", by_model),
    Case::new("routes::vectors_are_found_wherever_they_lie", scattered),
    Case::new("routes::counted_by_project", counted),
    Case::new("routes::a_route_moves_without_its_vector", moves_alone),
    Case::new("routes::learning_reads_changes_and_writes_in_one_commit", learning),
    Case::new("routes::pruning_removes_routes_with_their_vectors", pruning),
];

/// Filters routes and vectors by tool, and by id across tools.
fn by_filter(context: &mut Context) {
    let mut all = Vec::new();
    for project in ["p", "pX", "p_"] {
        for of in ["a", "b_", "bX"] {
            all.extend([1, u128::MAX].map(|id| route_key(project, of, id)));
        }
    }
    all.sort();
    let vectors = all.iter().map(|key| embedded(key.clone(), "m"));
    act(context.store(), Write::new().puts(all.iter().cloned().map(route)).puts(vectors));
    let p = || project_id("p_");
    let expected = |tool: &str, id: u128| -> Vec<RouteKey> {
        let is_one =
            |key: &&RouteKey| key.project == p() && (key.tool == name(tool) || key.id.0 == id);
        all.iter().filter(is_one).cloned().collect()
    };
    let of_tool = |of: &str| {
        let routes = keys(context, RouteFilter::Tool(p(), name(of)));
        (routes, keys(context, VectorFilter::Tool(p(), name(of))))
    };
    assert_eq!(of_tool("b_"), (expected("b_", 0), expected("b_", 0)));
    assert_eq!(of_tool("b%"), (Vec::new(), Vec::new()));
    let with_id = keys(context, RouteFilter::Id(p(), route_key("p", "a", u128::MAX).id));
    assert_eq!(with_id, expected("none", u128::MAX));
}

fn by_model(context: &mut Context) {
    let of = |id: u128, by: &str| embedded(route_key("p", "t", id), by);
    let other = embedded(route_key("q", "t", 1), "m");
    let rows = [of(3, "m"), of(1, "m_"), of(2, "m"), of(4, "mX"), other];
    act(context.store(), Write::new().puts(rows));
    let p = || project_id("p");
    let found = |filter| found(context, filter);
    assert_eq!(found(VectorFilter::Model(p(), model("m"))), [of(2, "m"), of(3, "m")]);
    assert_eq!(found(VectorFilter::First(p(), model("m"))), [of(2, "m")]);
    assert_eq!(found(VectorFilter::Model(p(), model("m_"))), [of(1, "m_")]);
    assert_eq!(found(VectorFilter::Model(p(), model("m%"))), []);
    assert_eq!(found(VectorFilter::First(p(), model("none"))), []);
    // Each row is returned once, even if several filters match it.
    let all = Selection::new()
        .peek(VectorFilter::Project(p()))
        .peek(VectorFilter::Model(p(), model("m")))
        .peek(VectorFilter::Key(of(2, "m").key));
    assert_eq!(see(context.store(), all).vectors.len(), 4);
    // After another model has recomputed a vector, it belongs to that model.
    act(context.store(), Write::new().put(of(2, "m_")));
    assert_eq!(found(VectorFilter::Model(p(), model("m"))), [of(3, "m")]);
    assert_eq!(found(VectorFilter::Model(p(), model("m_"))).len(), 2);
}

/// Changes of search data of tools and routes raise the generation; other changes do not.
fn generation(context: &mut Context) {
    let read = |context: &Context| see(context.store(), Selection::new().generation()).generation;
    let mut last = read(context);
    assert!(last.is_some());
    assert_eq!(see(context.store(), Selection::new()).generation, None);
    let mut after = |moves: bool, what: &str, write: Write| {
        act(context.store(), write);
        let now = read(context);
        assert_eq!(now > last, moves, "{what}: {last:?}, {now:?}");
        last = now;
    };
    let (mut known, mut taught) = (tool(global("t")), route(route_key("p", "t", 1)));
    after(true, "a tool", Write::new().put(known.clone()));
    known.uses += 1;
    known.last_used_at = Some(at(5));
    after(false, "a use", Write::new().put(known.clone()));
    known.description = Some("sends mail".into());
    after(true, "its words", Write::new().put(known.clone()));
    known.hold = Hold::Ignored;
    after(true, "a hold", Write::new().put(known.clone()));
    known.presence.cause = PresenceCause::RemovedFromConfig;
    after(true, "its presence", Write::new().put(known.clone()));
    let known = failing(known);
    after(true, "its health", Write::new().put(known.clone()));
    after(true, "a route", Write::new().put(taught.clone()));
    taught.uses += 1;
    taught.last_used_at = at(9);
    after(false, "a use of a route", Write::new().put(taught.clone()));
    taught.confidence = Confidence::ZERO;
    after(true, "its confidence", Write::new().put(taught.clone()));
    after(false, "a vector", Write::new().put(embedded(taught.key.clone(), "m")));
    after(false, "suggestions", Write::new().put(suggestions("p", "s")));
    after(true, "a route less", Write::new().delete::<Route>(taught.key));
    after(true, "a tool less", Write::new().delete::<Tool>(known.key));
}

/// Two handles each cache an index. After a write through either, the other's next query sees it.
fn kept_index(context: &mut Context) {
    let registries = [Arc::clone(context.store()), context.another()]
        .map(|store| Registry::new(store, Policy::default()).keeping(Indexes::new()));
    let project = ProjectRef::of_root("/p");
    let assert_found = |handle: usize, words: &str, is_found: bool| {
        let (tools, find) = (registries[handle].tools(), FindTools::by_words(words, 5));
        let suggested = tools.suggest(&project, find.clone(), at(5)).wait();
        let discovered = tools.discover(&project, find, at(5)).wait();
        for found in [suggested, discovered] {
            let found = found.expect("an answer").tools;
            let tools: Vec<_> = found.into_iter().map(|one| one.tool.key).collect();
            let expected = if is_found { vec![global("t")] } else { Vec::new() };
            assert_eq!(tools, expected, "{words} by handle {handle}");
        }
    };
    for (turn, writer) in [0, 1, 1, 0].into_iter().enumerate() {
        let (described, learned) = (format!("described{turn}"), format!("learned{turn}"));
        let assert_both = |words: &str, is_found| {
            for handle in [1 - writer, writer] {
                assert_found(handle, words, is_found);
            }
        };
        assert_both(&described, false);
        let row = Tool { description: Some(described.clone()), ..tool(global("t")) };
        act(registries[writer].store(), Write::new().put(row));
        assert_both(&described, true);
        assert_both(&learned, false);
        let lesson = Learn::new(op(&learned), learned.clone(), name("t"), at(5));
        learn(&registries[writer], &project, lesson);
        assert_both(&learned, true);
        act(registries[writer].store(), Write::new().delete::<Tool>(global("t")));
        assert_both(&described, false);
        assert_both(&learned, false);
    }
}

/// Rows written alternately, in one step, and far apart.
fn scattered(context: &mut Context) {
    let of = |project: &str, id: u128| embedded(route_key(project, "t", id), "m");
    let put = |rows: &[(&str, u128)]| {
        act(context.store(), Write::new().puts(rows.iter().map(|(project, id)| of(project, *id))));
    };
    let many: Vec<_> = (10..40).map(|id| ("q", id)).collect();
    put(&[("far", 1), ("turns", 1), ("q", 1), ("turns", 2), ("q", 2), ("turns", 3)]);
    put(&many);
    put(&[("far", 2)]);
    for (project, count) in [("far", 2), ("turns", 3), ("q", 32), ("none", 0)] {
        let by_project = found(context, VectorFilter::Project(project_id(project)));
        assert_eq!(by_project.len(), count, "{project}");
        assert!(by_project.iter().all(|row| row.key.project == project_id(project)));
        let by_model = VectorFilter::Model(project_id(project), model("m"));
        assert_eq!(found(context, by_model), by_project);
        let other = VectorFilter::Model(project_id(project), model("other"));
        assert_eq!(found(context, other), []);
    }
}

fn counted(context: &mut Context) {
    let count = |project: &str| {
        let selection = Selection::new().count_routes(project_id(project));
        see(context.store(), selection).route_count
    };
    assert_eq!(count("p_"), Some(0));
    for (project, of) in [("p_", "a"), ("p_", "b"), ("pX", "a")] {
        act(context.store(), Write::new().put(route(route_key(project, of, 1))));
    }
    assert_eq!((count("p_"), count("pX"), count("p%")), (Some(2), Some(1), Some(0)));
    assert_eq!(see(context.store(), Selection::new()).route_count, None);
}

fn moves_alone(context: &mut Context) {
    let key = route_key("p", "t", 1);
    let vector = embedded(key.clone(), "m");
    act(context.store(), Write::new().put(route(key.clone())).put(vector.clone()));
    let moved = Route { uses: 9, last_used_at: at(9), ..route(key.clone()) };
    act(context.store(), Write::new().put(moved.clone()));
    let seen = everything(context.store());
    assert_eq!((seen.routes.get(&key), seen.vectors.get(&key)), (Some(&moved), Some(&vector)));
}

fn learning(context: &mut Context) {
    act(context.store(), Write::new().put(tool(global("x"))));
    let registry = Registry::new(Arc::clone(context.store()), Policy::default());
    let project = ProjectRef::of_root("/p");
    let learns = |of: &str, signal: f64, numbers: &[f64]| {
        let vector = Some((model("m"), numbers.to_vec()));
        let query = format!("query {numbers:?}");
        let lesson = Learn { signal, vector, ..Learn::new(op(of), query, name("x"), at(5)) };
        learn(&registry, &project, lesson)
    };
    let first = learns("a", 1.0, &[1.0, 0.0]);
    let again = learns("b", 0.0, &[1.0, 0.0]);
    assert_eq!((again.confidence.get(), again.uses), (0.8, 2));
    assert_eq!(learns("b", 0.0, &[1.0, 0.0]), again, "the same op twice");
    assert_eq!(learns("c", 1.0, &[1.0, 0.01]).key, first.key, "it means the same");
    assert_ne!(learns("d", 1.0, &[0.0, 1.0]).key, first.key);
    assert_eq!(everything(context.store()).vectors.len(), 2);
}

fn pruning(context: &mut Context) {
    let store = context.store();
    let mut write = Write::new().put(crate::rows::project("p"));
    // This takes more than one commit to remove.
    for id in 0..2_100_u128 {
        let key = route_key("p", "t", id);
        let weak = id % 2 == 0;
        let confidence = if weak { Confidence::ZERO } else { Confidence::ONE };
        let row = Route { confidence, model: Some(model("m")), ..route(key.clone()) };
        write = write.put(row).put(embedded(key, "m"));
    }
    act(store, write);
    let registry = Registry::new(Arc::clone(store), Policy::default());
    let report = registry.routes().prune_all(at(0), false).wait().expect("pruned");
    assert_eq!((report.removed.len(), report.kept), (1_050, 1_050));
    let seen = everything(store);
    assert_eq!((seen.routes.len(), seen.vectors.len()), (1_050, 1_050));
    assert!(seen.routes.keys().all(|key| key.id.0 % 2 == 1));
    let again = registry.routes().prune_all(at(0), false).wait().expect("pruned");
    assert_eq!((again.removed.len(), again.kept), (0, 1_050));
    // A removal also counts as a change.
    let left = seen.routes.into_keys().next().expect("one is left");
    let commit = act(store, Write::new().delete::<Route>(left.clone()).delete::<RouteVector>(left));
    assert!(matches!(commit.changes.routes[..], [Change::Delete(_)]));
}
