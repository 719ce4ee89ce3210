//! Finding by meaning: with vectors of what was learned, and without those of the model that is asked.

use std::collections::BTreeSet;

use crate::common::*;
use staleness_core::registry::{FindTools, FoundTools, Learn};
use staleness_core::report::Suggestion;
use staleness_core::route::Route;
use staleness_core::scan::Found;
use staleness_core::store::Refusal;
use staleness_core::{RegistryError, Wait, ids};

fn found_names(suggestions: &[Suggestion]) -> Vec<&str> {
    suggestions.iter().map(|each| each.tool.key.name.as_str()).collect()
}

fn shelf(world: &World, tools: Vec<Found>) {
    world.scan(vec![read(user("shelf"), tools)]);
}

fn model(id: &str) -> ids::ModelId {
    ids::ModelId::new(id).unwrap()
}

fn teach(world: &World, query: &str, tool: &str, numbers: &[f64]) {
    let vector = Some((model("m"), numbers.to_vec()));
    let learn = Learn::new(world.op(), query, tool_name(tool), world.now());
    world.registry.routes().learn(&world.project, Learn { vector, ..learn }).wait().unwrap();
}

/// Two that were taught, one of which is gone, and one that was not.
fn taught() -> World {
    let world = World::default();
    shelf(&world, vec![skill("alpha"), skill("beta"), skill("gone")]);
    teach(&world, "ship it", "alpha", &[1.0, 0.0, 0.0]);
    teach(&world, "send it", "gone", &[0.0, 1.0, 0.0]);
    teach(&world, "read it", "beta", &[0.0, 0.0, 1.0]);
    shelf(&world, vec![skill("alpha"), skill("beta")]);
    world
}

fn by_meaning(query: &str, of: &str, numbers: &[f64]) -> FindTools {
    let vector = Some((model(of), numbers.to_vec()));
    FindTools { vector, ..FindTools::by_words(query, 5) }
}

#[test]
fn tools_are_found_by_what_their_learned_queries_mean() {
    let world = taught();
    let near = by_meaning("unheard of", "m", &[0.6, 8.0, 0.0]);
    let suggest = |find: &FindTools| {
        world.registry.tools().suggest(&world.project, find.clone(), world.now()).wait().unwrap()
    };
    let discover = |find: &FindTools| {
        world.registry.tools().discover(&world.project, find.clone(), world.now()).wait().unwrap()
    };
    let names = |found: &FoundTools| {
        found_names(&found.tools).into_iter().map(String::from).collect::<Vec<_>>()
    };
    // What is gone is found by who looks for it, and takes nobody's place.
    assert_eq!(names(&discover(&near)), ["gone", "alpha"]);
    assert_eq!(names(&suggest(&near)), ["alpha"]);
    let found = suggest(&by_meaning("unheard of", "m", &[4.0, 0.0, 3.0]));
    assert_eq!(names(&found), ["alpha", "beta"]);
    let parts = &found.tools[0].parts;
    let route = parts.route.as_ref().unwrap();
    assert_eq!((parts.words, parts.habit), (Some(0.0), Some(0.0)));
    assert_eq!((route.by_words, route.closeness), (0.0, route.by_meaning.unwrap()));
    assert!((route.closeness - 0.8).abs() < 1e-6);
    let learned = 1.0 - (-1.25 * route.closeness.powi(2)).exp();
    assert!((parts.learned.unwrap() - learned).abs() < 1e-8);
    // Both kinds of closeness count.
    let both = suggest(&by_meaning("ship it", "m", &[1.0, 0.0, 1.0]));
    let words = suggest(&FindTools::by_words("ship it", 5));
    assert_eq!(both.tools[0].parts.route.as_ref().unwrap().closeness, 1.0);
    assert_eq!(
        (names(&both), names(&words)),
        (vec!["alpha".into(), "beta".into()], vec!["alpha".into()])
    );
    assert_eq!(words.tools[0].parts.route.as_ref().unwrap().by_meaning, None);
    assert_eq!((both.note, words.note), (None, None));
}

#[test]
fn trap_many_unsure_routes_hide_the_sure_one_from_a_search_by_meaning() {
    let world = World::default();
    shelf(&world, vec![skill("crowd"), skill("sure")]);
    // So far from what is asked for, each in another direction: no two are the same query.
    let towards = |at: usize, near: f64| {
        let mut numbers = vec![0.0; 212];
        (numbers[0], numbers[at]) = (near, (1.0 - near * near).sqrt());
        numbers
    };
    for at in 1..=210 {
        let learn = Learn::new(world.op(), format!("crowd {at}"), tool_name("crowd"), world.now());
        let vector = Some((model("m"), towards(at, 0.9)));
        let learn = Learn { vector, signal: 0.1, ..learn };
        world.registry.routes().learn(&world.project, learn).wait().unwrap();
    }
    teach(&world, "sure", "sure", &towards(211, 0.88));
    assert_eq!(world.registry.routes().list(&world.project.id).wait().unwrap().len(), 211);
    let asked = towards(1, 1.0);
    for limit in [1, 5, 100] {
        let find = FindTools { limit, ..by_meaning("unheard words", "m", &asked) };
        let found =
            world.registry.tools().suggest(&world.project, find, world.now()).wait().unwrap();
        assert_eq!(found_names(&found.tools)[0], "sure", "{limit}");
    }
}

#[test]
fn another_model_is_never_compared_and_never_an_error() {
    let world = taught();
    let find = by_meaning("ship it", "other", &[1.0, 2.0]);
    let found = world.registry.tools().suggest(&world.project, find, world.now()).wait().unwrap();
    assert_eq!(found_names(&found.tools), ["alpha"]);
    let offer = "3 routes have a vector of another model, which cannot be compared; \
                 run `staleness routes learn --query Q --tool NAME [--vector FILE --model other]` \
                 to embed one again";
    let none =
        format!("no route has a vector from the model other; {offer}; only words were compared");
    assert_eq!(found.note, Some(none));
    let offered = |of: &str| {
        world.registry.routes().offer_to_embed(&world.project.id, &model(of)).wait().unwrap()
    };
    assert_eq!((offered("other").as_deref(), offered("m")), (Some(offer), None));
}

#[test]
fn what_another_model_embedded_is_offered_beside_what_is_found() {
    let world = taught();
    let learn = Learn {
        vector: Some((model("other"), vec![1.0, 2.0])),
        ..Learn::new(ids::OpId::new("anew").unwrap(), "ship it", tool_name("alpha"), world.now())
    };
    let routes = || world.registry.routes().list(&world.project.id).wait().unwrap();
    let before = routes();
    world.registry.routes().learn(&world.project, learn).wait().unwrap();
    let after = routes();
    let keys = |routes: &[Route]| {
        routes.iter().map(|route| (route.key.clone(), route.confidence)).collect::<BTreeSet<_>>()
    };
    assert_eq!(keys(&before), keys(&after), "it is the same route, as sure as it was");
    let find = by_meaning("ship it", "other", &[1.0, 2.0]);
    for found in [
        world.registry.tools().suggest(&world.project, find.clone(), world.now()).wait().unwrap(),
        world.registry.tools().discover(&world.project, find, world.now()).wait().unwrap(),
    ] {
        let by = found.tools[0].parts.route.as_ref().unwrap();
        assert!((by.by_meaning.unwrap() - 1.0).abs() < 1e-6, "{by:?}");
        let note = found.note.unwrap();
        assert!(note.starts_with("2 routes have a vector of another model"), "{note}");
    }
}

#[test]
fn vectors_that_say_nothing_are_refused() {
    let world = taught();
    for (query, numbers, why) in [
        ("ship it", &[1.0, 0.0][..], "2 dimensions"),
        ("ship it", &[0.0, 0.0, 0.0], "has no direction"),
        ("ship it", &[f64::NAN, 0.0, 0.0], "finite"),
        ("ship it", &[], "is empty"),
        ("?!", &[1.0, 0.0, 0.0], "has no words"),
    ] {
        let find = by_meaning(query, "m", numbers);
        let suggested =
            world.registry.tools().suggest(&world.project, find.clone(), world.now()).wait();
        let discovered = world.registry.tools().discover(&world.project, find, world.now()).wait();
        for answer in [suggested, discovered] {
            match answer {
                Err(RegistryError::Rejected(Refusal::Invalid(said))) => {
                    assert!(said.to_string().contains(why), "{query} {numbers:?}: {said}");
                }
                other => panic!("{query} {numbers:?}: {other:?}"),
            }
        }
    }
}
