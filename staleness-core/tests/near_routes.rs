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

fn index(routes: &[(Learned, f64)]) -> SearchIndex {
    let mut index = SearchIndex::new();
    for (at, text) in TEXTS.iter().enumerate() {
        index.put_tool(&ToolText::new(tool(at), Some(text)));
    }
    routes.iter().for_each(|(route, _)| index.put_route(route));
    index
}

fn find(index: &SearchIndex, routes: &[(Learned, f64)], limit: usize) -> (f64, Vec<LearnedMatch>) {
    let question = Question::new("send the invoice by mail").unwrap();
    let mut meaning = Meaning::default();
    for (route, cosine) in routes {
        meaning.routes.push(&route.tool, route.id, *cosine);
    }
    index.find_routes(&question, limit, &meaning, |name| *name != tool(4))
}

/// A route with the cosine of its vector. Few values, so that many are equal, and ids that end alike.
fn route() -> impl Strategy<Value = (Learned, f64)> {
    let words = prop::collection::vec(
        prop::sample::select(vec!["send", "mail", "invoice", "merge", "pay", "unheard", "of"]),
        0..5,
    );
    (0..60_u128, 0..5_usize, words, 0..=4_u8, -1..=4_i8).prop_map(|(id, at, words, sure, near)| {
        let confidence = Confidence::new(f64::from(sure) / 4.0).unwrap();
        let (id, query) = (RouteId(id % 12 + ((id / 12) << 40)), words.join(" "));
        (Learned { id, tool: tool(at), query, confidence }, f64::from(near) / 4.0)
    })
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
        prop_assert_eq!(&two, &expected[..expected.len().min(2)]);
    }
}
