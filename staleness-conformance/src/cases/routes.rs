//! Routes, vectors and suggestions: what is put comes back, each filter finds exactly its rows, and
//! learning from many places loses nothing.

use std::sync::Arc;

use staleness_core::registry::Learn;
use staleness_core::route::{
    Confidence, MAX_DIMENSIONS, MAX_OPS, Precision, Prompted, Route, RouteVector, SuggestedTool,
    Suggestions, Vector,
};
use staleness_core::scan::ProjectRef;
use staleness_core::store::{Change, RouteFilter, Selection, SuggestionFilter, VectorFilter, View};
use staleness_core::time::Timestamp;
use staleness_core::tool::{Hold, PresenceCause};
use staleness_core::{Policy, Registry, Wait};

use crate::arbitrary::{self, Reach};
use crate::case::Case;
use crate::context::{Context, act, everything, see};
use crate::model::each;
use crate::rows::{
    AWKWARD, at, embedded, failing, global, model, name, op, project_id, route, route_key,
    suggestions, tool,
};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("routes::extremes_round_trip", extremes_round_trip),
    Case::new("routes::any_route_vector_and_suggestion_round_trip", any),
    Case::new("routes::keys_find_one_of_many_like_it", by_key),
    Case::new("routes::filters_find_only_their_own", by_filter),
    Case::new("routes::what_a_search_reads_moves_the_generation", generation),
    Case::new("routes::vectors_are_found_by_their_model", by_model),
    Case::new("routes::vectors_are_found_wherever_they_lie", scattered),
    Case::new("routes::counted_by_project", counted),
    Case::new("routes::delete_removes_one", delete),
    Case::new("routes::a_route_moves_without_its_vector", moves_alone),
    Case::new("routes::learning_reads_changes_and_writes_in_one_commit", learning),
    Case::new("routes::pruning_removes_routes_with_their_vectors", pruning),
];

fn routes(context: &Context, filter: RouteFilter) -> Vec<Route> {
    see(context.store(), Selection::new().peek(filter)).routes.into_values().collect()
}

fn vectors(view: &View) -> Vec<RouteVector> {
    view.vectors.values().cloned().collect()
}

fn vectors_of(context: &Context, filter: VectorFilter) -> Vec<RouteVector> {
    vectors(&see(context.store(), Selection::new().peek(filter)))
}

fn suggested(context: &Context, filter: SuggestionFilter) -> Vec<Suggestions> {
    let view = see(context.store(), Selection::new().peek(filter));
    view.suggestions.into_values().collect()
}

#[track_caller]
fn assert_stored(context: &Context, row: &Route, vector: &RouteVector, made: &Suggestions) {
    act(
        context.store(),
        Write::new().route(row.clone()).route_vector(vector.clone()).suggestions(made.clone()),
    );
    let found = routes(context, RouteFilter::Key(row.key.clone()));
    assert_eq!(found, std::slice::from_ref(row));
    let found = vectors_of(context, VectorFilter::Key(vector.key.clone()));
    assert_eq!(found, std::slice::from_ref(vector));
    let found = suggested(context, SuggestionFilter::Key(made.key.clone()));
    assert_eq!(found, std::slice::from_ref(made));
}

fn extremes_round_trip(context: &mut Context) {
    let key = route_key("p", "\u{1f680}", u128::MAX);
    let most = Route {
        query: "\u{1f680}".repeat(1_024),
        confidence: Confidence::ONE,
        uses: u64::MAX,
        created_at: Timestamp::MIN,
        last_used_at: Timestamp::MAX,
        model: Some(model("a'b")),
        ops: vec![u64::MAX; MAX_OPS],
        ..route(key.clone())
    };
    let numbers: Vec<f64> = (0..MAX_DIMENSIONS).map(|n| (n as f64).sin() + 2.0).collect();
    let vector = |precision| Vector::new(&numbers, precision).expect("a direction");
    let prompt = Prompted {
        at: Timestamp::MAX,
        query: Some("\u{1f680}".repeat(256)),
        tools: vec![SuggestedTool { tool: name("a\"b"), route: Some(key.id) }; 8],
        taught: vec![name("a\\b"); 4],
    };
    let mut made = suggestions("p", "\u{1f680}");
    (made.made, made.prompts) = (u32::MAX, vec![prompt; 4]);
    for precision in Precision::ALL {
        let wide = RouteVector { vector: vector(precision), ..embedded(key.clone(), "a'b") };
        assert_stored(context, &most, &wide, &made);
    }
    // And back to the least, which is the key with an id of zeros, and no more.
    let least = Route { confidence: Confidence::ZERO, uses: 0, ..route(key.clone()) };
    assert_stored(context, &least, &embedded(key, "m"), &suggestions("p", "\u{1f680}"));
}

fn any(context: &mut Context) {
    let all = (
        arbitrary::route(Reach::Wide),
        arbitrary::route_vector(Reach::Wide),
        arbitrary::suggestions(Reach::Wide),
    );
    each(&all, |(route, vector, made)| assert_stored(context, &route, &vector, &made));
}

fn by_key(context: &mut Context) {
    let all = || AWKWARD.iter().flat_map(|text| ["p", "q"].map(|project| (project, *text)));
    for (project, text) in all() {
        for id in [0, 1] {
            let key = route_key(project, text, id);
            let vector = embedded(key.clone(), text.trim());
            act(context.store(), Write::new().route(route(key)).route_vector(vector));
        }
    }
    for (project, text) in all() {
        let key = route_key(project, text, 1);
        assert_eq!(routes(context, RouteFilter::Key(key.clone())), [route(key.clone())]);
        let vector = embedded(key.clone(), text.trim());
        assert_eq!(vectors_of(context, VectorFilter::Key(key)), [vector]);
    }
    let other = route_key("p", "a_b", 2);
    assert_eq!(routes(context, RouteFilter::Key(other.clone())), []);
    assert_eq!(vectors_of(context, VectorFilter::Key(other)), []);
}

fn by_filter(context: &mut Context) {
    let mut all = Vec::new();
    for project in ["p", "pX", "p_"] {
        for of in ["a", "b_", "bX"] {
            for id in [1, u128::MAX] {
                let key = route_key(project, of, id);
                let vector = embedded(key.clone(), "m");
                act(context.store(), Write::new().route(route(key.clone())).route_vector(vector));
                all.push(key);
            }
        }
        act(context.store(), Write::new().suggestions(suggestions(project, "s")));
    }
    all.sort();
    let keys = |rows: Vec<Route>| -> Vec<_> { rows.into_iter().map(|row| row.key).collect() };
    let p = || project_id("p_");
    let expected = |wanted: &dyn Fn(&staleness_core::route::RouteKey) -> bool| -> Vec<_> {
        all.iter().filter(|key| wanted(key)).cloned().collect()
    };
    let found = keys(routes(context, RouteFilter::Project(p())));
    assert_eq!(found, expected(&|key| key.project == p()));
    let found = keys(routes(context, RouteFilter::Tool(p(), name("b_"))));
    assert_eq!(found, expected(&|key| key.project == p() && key.tool == name("b_")));
    let id = route_key("p", "a", u128::MAX).id;
    let found = keys(routes(context, RouteFilter::Id(p(), id)));
    assert_eq!(found, expected(&|key| key.project == p() && key.id == id));
    assert_eq!(keys(routes(context, RouteFilter::All)), all);
    assert_eq!(keys(routes(context, RouteFilter::Project(project_id("p%")))), []);
    let found = vectors_of(context, VectorFilter::Project(p()));
    let found: Vec<_> = found.into_iter().map(|row| row.key).collect();
    assert_eq!(found, expected(&|key| key.project == p()));
    let found = vectors_of(context, VectorFilter::Tool(p(), name("b_")));
    let found: Vec<_> = found.into_iter().map(|row| row.key).collect();
    assert_eq!(found, expected(&|key| key.project == p() && key.tool == name("b_")));
    assert_eq!(vectors_of(context, VectorFilter::Tool(p(), name("b%"))), []);
    assert_eq!(vectors_of(context, VectorFilter::All).len(), all.len());
    let of = |project: &str| suggested(context, SuggestionFilter::Project(project_id(project)));
    assert_eq!(of("p_"), [suggestions("p_", "s")]);
    assert_eq!(of("p%"), []);
    assert_eq!(suggested(context, SuggestionFilter::All).len(), 3);
}

fn by_model(context: &mut Context) {
    let of = |id: u128, by: &str| embedded(route_key("p", "t", id), by);
    for row in [of(3, "m"), of(1, "m_"), of(2, "m"), of(4, "mX")] {
        act(context.store(), Write::new().route_vector(row));
    }
    act(context.store(), Write::new().route_vector(embedded(route_key("q", "t", 1), "m")));
    let p = || project_id("p");
    let found = |filter| vectors_of(context, filter);
    assert_eq!(found(VectorFilter::Model(p(), model("m"))), [of(2, "m"), of(3, "m")]);
    assert_eq!(found(VectorFilter::First(p(), model("m"))), [of(2, "m")]);
    assert_eq!(found(VectorFilter::Model(p(), model("m_"))), [of(1, "m_")]);
    assert_eq!(found(VectorFilter::Model(p(), model("m%"))), []);
    assert_eq!(found(VectorFilter::First(p(), model("none"))), []);
    // Each once, however many filters name it.
    let all = Selection::new()
        .peek(VectorFilter::Project(p()))
        .peek(VectorFilter::Model(p(), model("m")))
        .peek(VectorFilter::Key(of(2, "m").key));
    assert_eq!(see(context.store(), all).vectors.len(), 4);
    // Made anew by another model, it is that model's.
    act(context.store(), Write::new().route_vector(of(2, "m_")));
    assert_eq!(vectors_of(context, VectorFilter::Model(p(), model("m"))), [of(3, "m")]);
    assert_eq!(vectors_of(context, VectorFilter::Model(p(), model("m_"))).len(), 2);
}

/// Whatever changes what a search reads of tools and routes raises the generation, and nothing else does.
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
    after(true, "a tool", Write::new().tool(known.clone()));
    known.uses += 1;
    known.last_used_at = Some(at(5));
    after(false, "a use", Write::new().tool(known.clone()));
    known.description = Some("sends mail".into());
    after(true, "its words", Write::new().tool(known.clone()));
    known.hold = Hold::Ignored;
    after(true, "a hold", Write::new().tool(known.clone()));
    known.presence.cause = PresenceCause::RemovedFromConfig;
    after(true, "its presence", Write::new().tool(known.clone()));
    let known = failing(known);
    after(true, "its health", Write::new().tool(known.clone()));
    after(true, "a route", Write::new().route(taught.clone()));
    taught.uses += 1;
    taught.last_used_at = at(9);
    after(false, "a use of a route", Write::new().route(taught.clone()));
    taught.confidence = Confidence::ZERO;
    after(true, "its confidence", Write::new().route(taught.clone()));
    after(false, "a vector", Write::new().route_vector(embedded(taught.key.clone(), "m")));
    after(false, "suggestions", Write::new().suggestions(suggestions("p", "s")));
    after(true, "a route less", Write::new().no_route(taught.key));
    after(true, "a tool less", Write::new().no_tool(known.key));
}

/// Written in turns, in one go, and far apart.
fn scattered(context: &mut Context) {
    let of = |project: &str, id: u128| embedded(route_key(project, "t", id), "m");
    let put = |rows: &[(&str, u128)]| {
        let add = |write: Write, (project, id): &(&str, u128)| write.route_vector(of(project, *id));
        act(context.store(), rows.iter().fold(Write::new(), add));
    };
    let many: Vec<_> = (10..40).map(|id| ("q", id)).collect();
    put(&[("far", 1), ("turns", 1), ("q", 1), ("turns", 2), ("q", 2), ("turns", 3)]);
    put(&many);
    put(&[("far", 2)]);
    for (project, count) in [("far", 2), ("turns", 3), ("q", 32), ("none", 0)] {
        let by_project = vectors_of(context, VectorFilter::Project(project_id(project)));
        assert_eq!(by_project.len(), count, "{project}");
        assert!(by_project.iter().all(|row| row.key.project == project_id(project)));
        let by_model = VectorFilter::Model(project_id(project), model("m"));
        assert_eq!(vectors_of(context, by_model), by_project);
        let other = VectorFilter::Model(project_id(project), model("other"));
        assert_eq!(vectors_of(context, other), []);
    }
}

fn counted(context: &mut Context) {
    let count = |project: &str| {
        let selection = Selection::new().count_routes(project_id(project));
        see(context.store(), selection).route_count
    };
    assert_eq!(count("p_"), Some(0));
    for (project, of) in [("p_", "a"), ("p_", "b"), ("pX", "a")] {
        act(context.store(), Write::new().route(route(route_key(project, of, 1))));
    }
    assert_eq!((count("p_"), count("pX"), count("p%")), (Some(2), Some(1), Some(0)));
    assert_eq!(see(context.store(), Selection::new()).route_count, None);
}

fn delete(context: &mut Context) {
    let (one, two) = (route_key("p", "t", 1), route_key("p", "t", 2));
    for key in [&one, &two] {
        let vector = embedded(key.clone(), "m");
        act(context.store(), Write::new().route(route(key.clone())).route_vector(vector));
    }
    let both = Write::new().suggestions(suggestions("p", "s")).suggestions(suggestions("p", "t"));
    act(context.store(), both);
    let gone = Write::new()
        .no_route(one.clone())
        .no_vector(one.clone())
        .no_suggestions(suggestions("p", "s").key);
    act(context.store(), gone.clone());
    act(context.store(), gone);
    let seen = everything(context.store());
    assert_eq!(seen.routes.keys().collect::<Vec<_>>(), [&two]);
    assert!(seen.vectors.keys().eq([&two]));
    assert_eq!(seen.suggestions.len(), 1);
}

fn moves_alone(context: &mut Context) {
    let key = route_key("p", "t", 1);
    let vector = embedded(key.clone(), "m");
    act(context.store(), Write::new().route(route(key.clone())).route_vector(vector.clone()));
    let moved = Route { uses: 9, last_used_at: at(9), ..route(key.clone()) };
    act(context.store(), Write::new().route(moved.clone()));
    let seen = everything(context.store());
    assert_eq!((seen.routes.get(&key), seen.vectors.get(&key)), (Some(&moved), Some(&vector)));
}

fn learning(context: &mut Context) {
    act(context.store(), Write::new().tool(tool(global("x"))));
    let registry = Registry::new(Arc::clone(context.store()), Policy::default());
    let project = ProjectRef::of_root("/p");
    let learn = |of: &str, signal: f64, numbers: &[f64]| {
        let vector = Some((model("m"), numbers.to_vec()));
        let query = format!("query {numbers:?}");
        let learn = Learn { signal, vector, ..Learn::new(op(of), query, name("x"), at(5)) };
        registry.routes().learn(&project, learn).wait().expect("learned").expect("a route")
    };
    let first = learn("a", 1.0, &[1.0, 0.0]);
    let again = learn("b", 0.0, &[1.0, 0.0]);
    assert_eq!((again.confidence.get(), again.uses), (0.8, 2));
    assert_eq!(learn("b", 0.0, &[1.0, 0.0]), again, "the same op twice");
    assert_eq!(learn("c", 1.0, &[1.0, 0.01]).key, first.key, "it means the same");
    assert_ne!(learn("d", 1.0, &[0.0, 1.0]).key, first.key);
    assert_eq!(everything(context.store()).vectors.len(), 2);
}

fn pruning(context: &mut Context) {
    let store = context.store();
    let mut write = Write::new().project(crate::rows::project("p"));
    // More than one commit removes.
    for id in 0..2_100_u128 {
        let key = route_key("p", "t", id);
        let weak = id % 2 == 0;
        let confidence = if weak { Confidence::ZERO } else { Confidence::ONE };
        let row = Route { confidence, model: Some(model("m")), ..route(key.clone()) };
        write = write.route(row).route_vector(embedded(key, "m"));
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
    // What was removed is a change like any other.
    let left = seen.routes.into_keys().next().expect("one is left");
    let commit = act(store, Write::new().no_route(left.clone()).no_vector(left));
    assert!(matches!(commit.changes.routes[..], [Change::Delete(_)]));
}
