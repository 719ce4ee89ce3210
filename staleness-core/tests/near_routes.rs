//! Searching by words and meaning at once gives what looking at each route by itself would give.

use std::collections::BTreeMap;

use proptest::prelude::*;
use staleness_core::ids::ToolName;
use staleness_core::route::{Confidence, RouteId};
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
fn index(routes: &[(Learned, f64)]) -> SearchIndex {
    let mut index = described(SearchIndex::new());
    routes.iter().for_each(|(route, _)| index.put_route(route));
    index
}

/// An index for the question alone.
fn index_once(routes: &[(Learned, f64)]) -> SearchIndex {
    described(SearchIndex::for_question(&question(), routes.iter().map(|(route, _)| route)))
}

fn described(mut index: SearchIndex) -> SearchIndex {
    for (at, text) in TEXTS.iter().enumerate() {
        index.put_tool(&ToolText::new(tool(at), Some(text)));
    }
    index
}

fn find(index: &SearchIndex, routes: &[(Learned, f64)], limit: usize) -> (f64, Vec<LearnedMatch>) {
    let mut meaning = Meaning::default();
    for (route, cosine) in routes {
        meaning.routes.push(&route.tool, route.id, *cosine);
    }
    index.find_routes(&question(), limit, &meaning, |name| *name != tool(4))
}

/// Confidences, some next to nothing.
const SURE: [u32; 7] = [0, 1, 3, 2_000, 250_000_000, 500_000_000, 1_000_000_000];

/// A route with the cosine of its vector. Few values, so that many are equal, and ids that end alike.
fn route() -> impl Strategy<Value = (Learned, f64)> {
    let words = prop::collection::vec(
        prop::sample::select(vec!["send", "mail", "invoice", "merge", "pay", "unheard", "of"]),
        0..5,
    );
    (0..60_u128, 0..5_usize, words, prop::sample::select(&SURE[..]), -1..=4_i8).prop_map(
        |(id, at, words, sure, near)| {
            let confidence = Confidence::of_billionths(sure).unwrap();
            let (id, query) = (RouteId(id % 12 + ((id / 12) << 40)), words.join(" "));
            (Learned { id, tool: tool(at), query, confidence }, f64::from(near) / 4.0)
        },
    )
}

proptest! {
    #[test]
    fn the_best_route_of_each_tool_is_found(routes in prop::collection::vec(route(), 0..60)) {
        let by_id: BTreeMap<RouteId, (Learned, f64)> =
            routes.into_iter().map(|each| (each.0.id, each)).collect();
        let routes: Vec<(Learned, f64)> = by_id.into_values().collect();
        let (familiarity, found) = find(&index(&routes), &routes, 9);

        let (mut nearest, mut best) = (0.0_f64, BTreeMap::<ToolName, LearnedMatch>::new());
        for each in &routes {
            let alone = [each.clone()];
            let (familiarity, found) = find(&index(&alone), &alone, 9);
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
        let (_, two) = find(&index(&routes), &routes, 2);
        prop_assert_eq!(find(&index_once(&routes), &routes, 9), (familiarity, found));
        prop_assert_eq!(&two, &expected[..expected.len().min(2)]);
    }
}
