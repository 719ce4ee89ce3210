//! Searching by words and meaning at once gives what looking at each route by itself would give.

use std::collections::BTreeMap;

use proptest::prelude::*;
use staleness_core::ids::{ModelId, ProjectId, ToolName};
use staleness_core::route::{Confidence, RouteId, RouteKey, RouteVector, Vector, Vectors};
use staleness_core::search::{Learned, LearnedMatch, Meaning, Question, SearchIndex, ToolText};

const TEXTS: [&str; 5] =
    ["send a mail", "merge a branch", "search the web", "pay an invoice", "send an invoice"];

fn tool(at: usize) -> ToolName {
    ToolName::new(format!("tool{at}")).unwrap()
}

fn question() -> Question {
    Question::new("send the invoice by mail").unwrap()
}

/// An index that stays.
fn index(routes: &Rows) -> SearchIndex {
    let mut index = described(SearchIndex::new());
    routes.iter().for_each(|(route, _, _)| index.put_route(route));
    for (route, _, _) in routes.iter().filter(|(_, _, is_gone)| *is_gone) {
        index.remove_route(route.id);
    }
    index
}

/// An index for the question alone.
fn index_once(routes: &Rows) -> SearchIndex {
    let routes = routes.iter().filter(|(_, _, is_gone)| !is_gone);
    described(SearchIndex::for_question(&question(), routes.map(|(route, _, _)| route)))
}

fn described(mut index: SearchIndex) -> SearchIndex {
    for (at, text) in TEXTS.iter().enumerate() {
        index.put_tool(&ToolText::new(tool(at), Some(text)));
    }
    index
}

/// Routes with the cosines of their vectors, and whether they are gone from the index.
type Rows = [(Learned, f64, bool)];

/// How the cosines are handed over.
#[derive(Clone, Copy, Debug)]
enum Way {
    OneByOne,
    ByTool,
    Matrices,
}

fn find(index: &SearchIndex, routes: &Rows, way: Way, limit: usize) -> (f64, Vec<LearnedMatch>) {
    let vectors = vectors(routes);
    let mut meaning = Meaning::default();
    match way {
        Way::OneByOne => {
            for (route, cosine, _) in routes {
                meaning.routes.push(&route.tool, route.id, *cosine);
            }
        }
        Way::ByTool => {
            let mut routes = routes.to_vec();
            routes.sort_by(|a, b| a.0.tool.cmp(&b.0.tool));
            for (route, cosine, _) in &routes {
                meaning.routes.push(&route.tool, route.id, *cosine);
            }
        }
        Way::Matrices => {
            let cosines: BTreeMap<RouteId, f64> =
                routes.iter().map(|(route, cosine, _)| (route.id, *cosine)).collect();
            for (_, _, matrix) in vectors.matrices() {
                meaning
                    .routes
                    .add_rows(matrix, matrix.ids().iter().map(|id| cosines[id]).collect());
            }
        }
    }
    index.find_routes(&question(), limit, &meaning, |name| *name != tool(4))
}

/// In two matrices, of 32 bits and of 64.
fn vectors(routes: &Rows) -> Vectors {
    let mut vectors = Vectors::default();
    let model = ModelId::new("m").unwrap();
    for (route, _, _) in routes {
        let project = ProjectId::new("p").unwrap();
        let key = RouteKey { project, tool: route.tool.clone(), id: route.id };
        let vector = match route.id.0 % 2 {
            0 => Vector::F32([1.0, 0.0][..].into()),
            _ => Vector::F64([1.0, 0.0][..].into()),
        };
        vectors.insert(&RouteVector { key, model: model.clone(), vector });
    }
    vectors
}

/// Confidences, some next to nothing.
const SURE: [u32; 7] = [0, 1, 3, 2_000, 250_000_000, 500_000_000, 1_000_000_000];

/// A route with the cosine of its vector. Few values, so that many are equal, and ids that end alike.
fn route() -> impl Strategy<Value = (Learned, f64, bool)> {
    let words = prop::collection::vec(
        prop::sample::select(vec!["send", "mail", "invoice", "merge", "pay", "unheard", "of"]),
        0..5,
    );
    let sure = prop::sample::select(&SURE[..]);
    (0..60_u128, 0..6_usize, words, sure, -1..=4_i8, prop::bool::weighted(0.2)).prop_map(
        |(id, at, words, sure, near, is_gone)| {
            let confidence = Confidence::of_billionths(sure).unwrap();
            let (id, query) = (RouteId(id % 12 + ((id / 12) << 40)), words.join(" "));
            let learned = Learned { id, tool: tool(at), query, confidence };
            (learned, f64::from(near) / 4.0, is_gone)
        },
    )
}

proptest! {
    #[test]
    fn the_best_route_of_each_tool_is_found(
        routes in prop::collection::vec(route(), 0..60),
        way in prop::sample::select(vec![Way::OneByOne, Way::ByTool, Way::Matrices]),
    ) {
        let by_id: BTreeMap<RouteId, (Learned, f64, bool)> =
            routes.into_iter().map(|each| (each.0.id, each)).collect();
        let routes: Vec<(Learned, f64, bool)> = by_id.into_values().collect();
        let (familiarity, found) = find(&index(&routes), &routes, way, 9);

        let (mut nearest, mut best) = (0.0_f64, BTreeMap::<ToolName, LearnedMatch>::new());
        for each in routes.iter().filter(|(_, _, is_gone)| !is_gone) {
            let alone = [each.clone()];
            let (familiarity, found) = find(&index(&alone), &alone, Way::OneByOne, 9);
            nearest = nearest.max(familiarity);
            for one in found {
                let known = best.entry(each.0.tool.clone()).or_insert(one);
                if (one.score(), known.id) > (known.score(), one.id) {
                    *known = one;
                }
            }
        }
        let mut expected: Vec<LearnedMatch> = best.into_values().collect();
        expected.sort_by(|a, b| b.score().total_cmp(&a.score()).then(a.id.cmp(&b.id)));
        prop_assert_eq!(familiarity, nearest);
        prop_assert_eq!(&found, &expected);
        let (_, two) = find(&index(&routes), &routes, way, 2);
        prop_assert_eq!(find(&index_once(&routes), &routes, way, 9), (familiarity, found));
        prop_assert_eq!(&two, &expected[..expected.len().min(2)]);
    }
}

#[test]
fn of_a_route_that_is_handed_over_twice_the_greater_cosine_counts() {
    let id = RouteId(1);
    let learned = Learned { id, tool: tool(1), query: "so".into(), confidence: Confidence::ONE };
    let index = index(&[(learned, 0.0, false)]);
    for cosines in [[0.9, 0.3], [0.3, 0.9]] {
        let mut meaning = Meaning::default();
        meaning.routes.push(&tool(1), id, cosines[0]);
        meaning.routes.push(&tool(2), RouteId(9), 0.1);
        meaning.routes.push(&tool(1), id, cosines[1]);
        let (familiarity, found) = index.find_routes(&question(), 9, &meaning, |_| true);
        assert_eq!((familiarity, found[0].closeness, found.len()), (0.9, 0.9, 1));
    }
}
