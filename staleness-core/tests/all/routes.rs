//! Routes: learning, merging, pruning and forgetting, and the mistakes that systems of this kind make.

use crate::common::teaching::*;
use crate::common::*;
use staleness_core::ids::ProjectId;
use staleness_core::registry::Learn;
use staleness_core::route::{Confidence, Precision, Route, RouteKey, RouteVector};
use staleness_core::scan::Found;
use staleness_core::store::{Change, ChangeSet, Invalid, Refusal};
use staleness_core::tool::{Hold, Status};
use staleness_core::{RegistryError, Timestamp, Wait};

fn refused(world: &World, learn: Learn) -> Refusal {
    let before = world.everything();
    match world.registry.routes().learn(&world.project, learn).wait() {
        Err(RegistryError::Rejected(refusal)) => {
            assert_eq!(world.everything(), before, "something was written");
            refusal
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_route_learns_by_a_fifth_and_counts() {
    let world = world();
    let new = learn(&world, " Open  Issues ", 0.75, "a").unwrap();
    assert_eq!((new.query.as_str(), sure(&new), new.uses), ("Open  Issues", 0.75, 1));
    world.pass(Timestamp::DAY);
    let known = learn(&world, "open issues", 1.0, "b").unwrap();
    assert_eq!((known.query.as_str(), sure(&known), known.uses), ("Open  Issues", 0.8, 2));
    assert_eq!((known.created_at, known.last_used_at), (new.created_at, world.now()));
    let weaker = learn(&world, "OPEN ISSUES", 0.0, "c").unwrap();
    assert_eq!(sure(&weaker), 0.64);
    assert_eq!(routes(&world).len(), 1);
}

#[test]
fn an_op_is_learned_once() {
    let world = world();
    let first = learn(&world, "q", 1.0, "a").unwrap();
    assert_eq!(learn(&world, "q", 0.0, "a").unwrap(), first);
    for op in 0..Route::MAX_OPS - 1 {
        learn(&world, "q", 1.0, &format!("op-{op}"));
    }
    let before = routes(&world);
    assert_eq!(learn(&world, "q", 0.0, "a").as_ref(), before.first());
    assert_eq!(before[0].ops.len(), Route::MAX_OPS);
    assert_eq!(routes(&world), before);
}

#[test]
fn a_weak_signal_creates_no_route_and_weakens_a_known_one() {
    let world = world();
    assert_eq!(learn(&world, "q", 0.099_999, "a"), None);
    assert!(routes(&world).is_empty());
    assert_eq!(sure(&learn(&world, "q", 0.1, "b").unwrap()), 0.1);
    assert_eq!(sure(&learn(&world, "q", 0.0, "c").unwrap()), 0.08);
}

#[test]
fn an_empty_query_teaches_nothing() {
    let world = world();
    for query in ["", " \t", "\u{200b}", "\u{3000}\u{feff}"] {
        let why = refused(&world, lesson(&world, query, 1.0, "a"));
        assert_eq!(why, Refusal::Invalid(Invalid::Blank { what: "query" }), "{query:?}");
    }
    // What no search could find again.
    let why = refused(&world, lesson(&world, "?!", 1.0, "a"));
    assert_eq!(why, Refusal::Invalid(Invalid::NoWords));
    let why = refused(&world, lesson(&world, &"x".repeat(1 << 20), 1.0, "a")).to_string();
    assert!(why.contains("1048576 bytes") && why.contains("4096"), "{why}");
}

#[test]
fn signals_out_of_range_and_tools_that_are_not_there_are_refused() {
    let world = world();
    for signal in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let why = refused(&world, lesson(&world, "q", signal, "a")).to_string();
        assert!(why.contains("between 0 and 1"), "{why}");
    }
    let gone = Learn { tool: tool("mcp__gone__x"), ..lesson(&world, "q", 1.0, "a") };
    let unknown = Refusal::Unknown { what: "tool", id: "mcp__gone__x".into() };
    assert_eq!(refused(&world, gone), unknown);
}

#[test]
fn a_tool_that_is_gone_is_taught_nothing_and_one_that_fails_is() {
    let world = world();
    let listed = |tools: Vec<Found>| world.scan(vec![read(user("servers"), tools)]);
    let both = || vec![server("hub"), server_tool("hub", "a"), server_tool("hub", "b")];
    let of = |name: &str, op: &str| Learn { tool: tool(name), ..lesson(&world, "q", 1.0, op) };
    let learn = |learn: Learn| world.registry.routes().learn(&world.project, learn).wait();
    listed(both());
    world.uses("mcp__hub__b", "FFF");
    assert_eq!(world.status("mcp__hub__b"), Status::Demoted);
    assert!(learn(of("mcp__hub__b", "b")).unwrap().is_some());
    let learned = learn(of("mcp__hub__a", "a")).unwrap();
    listed(vec![]);
    let since = world.tool("mcp__hub__a").presence.since;
    world.pass(Timestamp::DAY);
    for name in ["mcp__hub__a", "mcp__hub__b"] {
        let before = world.everything();
        let why = refused(&world, of(name, "again")).to_string();
        assert!(why.contains(&format!("{name} has been gone since {since}")), "{why}");
        let other = Learn { query: "other".into(), ..of(name, "other") };
        assert!(
            world.registry.routes().preview_learn(&world.project, other.clone()).wait().is_err()
        );
        assert!(learn(other).is_err());
        assert_eq!(world.everything(), before);
    }
    // What was acknowledged stays so.
    assert_eq!(learn(of("mcp__hub__a", "a")).unwrap(), learned);
    world.hold("mcp__hub__a", Hold::Pinned);
    assert_eq!(learn(of("mcp__hub__a", "pinned")).unwrap().unwrap().uses, 2);
    listed(both());
    assert_eq!(learn(of("mcp__hub__b", "back")).unwrap().unwrap().uses, 2);
}

#[test]
fn vectors_that_point_nowhere_or_do_not_fit_are_refused() {
    let world = world();
    embed(&world, "q", &[1.0, 0.0], "a");
    let with = |numbers: &[f64]| Learn {
        vector: Some((model("m"), numbers.to_vec())),
        ..lesson(&world, "other", 1.0, "b")
    };
    for (numbers, why) in [
        (&[f64::NAN, 1.0][..], "not a finite number"),
        (&[0.0, 0.0], "has no direction"),
        (&[], "empty"),
        (&[1.0, 2.0, 3.0], "has 3 dimensions; those of the model \"m\" have 2"),
    ] {
        let refused = refused(&world, with(numbers)).to_string();
        assert!(refused.contains(why), "{refused}");
    }
    let long = refused(&world, with(&vec![1.0; 4_097])).to_string();
    assert!(long.contains("4097 dimensions; at most 4096"), "{long}");
    // Another model is another index: neither compared nor an error.
    let other = Learn {
        vector: Some((model("n"), vec![1.0, 2.0, 3.0])),
        ..lesson(&world, "other", 1.0, "c")
    };
    assert!(world.registry.routes().learn(&world.project, other).wait().unwrap().is_some());
}

#[test]
fn a_query_that_means_the_same_is_learned_by_the_older_route() {
    let world = world();
    let older = embed(&world, "open issues", &[1.0, 0.0], "a");
    world.pass(Timestamp::DAY);
    let merged = embed(&world, "issues that are open", &[1.0, 0.1], "b");
    assert_eq!((&merged.key, merged.uses), (&older.key, 2));
    assert_eq!(merged.query, "open issues");
    // Said again, it is known to have been learned.
    assert_eq!(embed(&world, "issues that are open", &[1.0, 0.1], "b"), merged);
    assert_ne!(embed(&world, "closed issues", &[0.0, 1.0], "c").key, older.key);
    assert_eq!(routes(&world).len(), 2);
    // The same words without a vector are a route of their own, until they get one.
    world.pass(Timestamp::DAY);
    let bare = learn(&world, "issues that are open", 0.5, "d").unwrap();
    assert_ne!(bare.key, older.key);
    let merged = embed(&world, "issues that are open", &[1.0, 0.1], "e");
    assert_eq!((&merged.key, merged.uses), (&older.key, 4));
    assert!(routes(&world).iter().all(|route| route.key != bare.key));
}

#[test]
fn confidence_moves_without_its_vector_and_pruning_reads_none() {
    let world = world();
    embed(&world, "q", &[1.0, 0.0], "a");
    learn(&world, "q", 0.0, "b");
    assert!(world.last_commit().changes.vectors.is_empty());
    world.pass(40 * Timestamp::DAY);
    let report =
        world.registry.routes().prune(&world.project.id, world.now(), false).wait().unwrap();
    assert_eq!(report.removed.len(), 1);
    let commit = world.last_commit();
    assert!(commit.view.vectors.is_empty(), "pruning looked at a vector");
    assert_eq!(commit.changes.vectors.len(), 1);
    assert!(world.everything().vectors.is_empty());
}

#[test]
fn a_hash_collision_merges_no_queries() {
    let world = world();
    // The row of another query under the id of this one, as a collision would leave it.
    let key = RouteKey::of(&world.project.id, &tool(TOOL), &Route::fold("delete everything"));
    let collided = Route {
        key,
        query: "list everything".into(),
        confidence: Confidence::ONE,
        uses: 1,
        created_at: world.now(),
        last_used_at: world.now(),
        model: None,
        ops: Vec::new(),
    };
    let mut changes = ChangeSet::default();
    changes.routes.push(Change::Put(collided));
    world.put(changes);
    let why = refused(&world, lesson(&world, "delete everything", 1.0, "a")).to_string();
    assert!(why.contains("\"list everything\"") && why.contains("belongs to"), "{why}");
}

#[test]
fn pruning_says_what_goes_and_why() {
    let world = with(|policy| {
        policy.routes.max_routes = 10;
        policy.routes.unused_days = 30;
    });
    learn(&world, "unused", 1.0, "u");
    world.pass(30 * Timestamp::DAY - 1);
    let plan =
        |dry| world.registry.routes().prune(&world.project.id, world.now(), dry).wait().unwrap();
    assert!(plan(true).removed.is_empty());
    learn(&world, "weak", 0.1, "w1");
    learn(&world, "weak", 0.0, "w2");
    world.pass(1);
    let planned = plan(true);
    let reasons: Vec<&str> = planned.removed.iter().map(|each| each.reason.as_str()).collect();
    let mut sorted = reasons.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, ["low_confidence", "unused"]);
    assert_eq!((planned.kept, routes(&world).len()), (0, 2), "a dry run wrote");
    assert_eq!(plan(false), planned);
    assert!(routes(&world).is_empty());
}

#[test]
fn learning_past_the_threshold_prunes_to_nine_tenths() {
    let world = with(|policy| policy.routes.max_routes = 10);
    for n in 0..11 {
        world.pass(1);
        learn(&world, &format!("query {n}"), 0.5 + f64::from(n % 3) / 10.0, &format!("op-{n}"));
        let expected = if n < 10 { n as usize + 1 } else { 9 };
        assert_eq!(routes(&world).len(), expected, "{n}");
    }
    // The least sure go, and of those the ones used longest ago.
    let left: Vec<String> = routes(&world).into_iter().map(|route| route.query).collect();
    assert!(!left.contains(&"query 0".into()) && !left.contains(&"query 3".into()), "{left:?}");
    // One that goes at once was not learned.
    assert!(learn(&world, "sure", 1.0, "sure").is_some());
    assert_eq!(learn(&world, "unsure", 0.3, "unsure"), None);
    assert!(routes(&world).iter().all(|route| route.query != "unsure"));
}

#[test]
fn routes_of_one_project_are_not_those_of_another() {
    let world = world();
    learn(&world, "q", 1.0, "a");
    let other = ProjectId::new("other").unwrap();
    assert!(world.registry.routes().list(&other).wait().unwrap().is_empty());
    let pruned = world.registry.routes().prune(&other, Timestamp::MAX, false).wait().unwrap();
    assert_eq!((pruned.removed.len(), routes(&world).len()), (0, 1));
    assert_eq!(
        world.registry.routes().prune_all(Timestamp::MAX, false).wait().unwrap().removed.len(),
        1
    );
}

#[test]
fn the_policy_decides_in_which_precision_vectors_are_kept() {
    let world = with(|policy| policy.routes.precision = Precision::F64);
    let route = embed(&world, "q", &[3.0, 4.0], "a");
    let vectors = world.registry.routes().vectors(&world.project.id, &model("m")).wait().unwrap();
    let [RouteVector { key, vector, .. }] = &vectors[..] else { panic!("one vector") };
    assert_eq!(*key, route.key);
    assert_eq!(vector.precision(), Precision::F64);
    assert_eq!(vector.numbers().collect::<Vec<_>>(), [0.6, 0.8]);
}

#[test]
fn a_cached_copy_is_not_written_over_a_newer_value() {
    let world = world();
    for query in ["first", "second"] {
        let lesson = lesson(&world, query, 0.5, query);
        world.registry.routes().learn(&world.project, lesson).wait().unwrap();
    }
    world.pass(30 * Timestamp::DAY);
    // Both are to go; one is learned again after the plan was made, and before it is carried out.
    let learns = (world.project.clone(), lesson(&world, "first", 1.0, "again"));
    *world.spy.meanwhile.lock().unwrap() = Some(learns);
    let pruned = world.registry.routes().prune(&world.project.id, world.now(), false);
    let report = pruned.wait().unwrap();
    assert_eq!((report.removed.len(), report.kept), (1, 1));
    let left = routes(&world);
    assert_eq!(left.iter().map(|route| route.query.as_str()).collect::<Vec<_>>(), ["first"]);
    assert_eq!((sure(&left[0]), left[0].uses, left[0].last_used_at), (0.6, 2, world.now()));
}
