//! Routes, their vectors, and what was suggested.

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::ids::ModelId;
use staleness_core::route::{
    Confidence, MAX_OPS, Precision, Prompted, Route, RouteId, RouteKey, RouteVector, SuggestedTool,
    Suggestions, Vector,
};

use super::ids::{project_id, session_key, tool_name};
use super::{Reach, maybe, number, text, timestamp};

/// The id of a route.
pub fn route_id(reach: Reach) -> BoxedStrategy<RouteId> {
    let few = select(vec![0, 1, 1 << 64, u128::MAX]);
    match reach {
        Reach::Pool => few.prop_map(RouteId).boxed(),
        Reach::Wide => prop_oneof![few, any::<u128>()].prop_map(RouteId).boxed(),
    }
}

/// The key of a route.
pub fn route_key(reach: Reach) -> BoxedStrategy<RouteKey> {
    (project_id(reach), tool_name(reach), route_id(reach))
        .prop_map(|(project, tool, id)| RouteKey { project, tool, id })
        .boxed()
}

/// A model.
pub fn model_id(_: Reach) -> BoxedStrategy<ModelId> {
    select(vec!["m", "m_", "mX", "\u{1f680}"])
        .prop_map(|text| ModelId::new(text).expect("a valid text"))
        .boxed()
}

/// How sure a route is; often one of the limits.
pub fn confidence() -> BoxedStrategy<Confidence> {
    prop_oneof![
        1 => select(vec![0, 1, 100_000_000, 999_999_999, 1_000_000_000]),
        2 => 0..=1_000_000_000_u32,
    ]
    .prop_map(|billionths| Confidence::of_billionths(billionths).expect("at most one"))
    .boxed()
}

/// A route.
pub fn route(reach: Reach) -> BoxedStrategy<Route> {
    (
        route_key(reach),
        text(300),
        confidence(),
        number(),
        timestamp(reach),
        timestamp(reach),
        maybe(model_id(reach)),
        prop::collection::vec(any::<u64>(), 0..=MAX_OPS),
    )
        .prop_map(|(key, query, confidence, uses, created_at, last_used_at, model, ops)| Route {
            key,
            query,
            confidence,
            uses,
            created_at,
            last_used_at,
            model,
            ops,
        })
        .boxed()
}

/// A vector of some dimensions; of few when reached for in a pool.
pub fn vector(reach: Reach) -> BoxedStrategy<Vector> {
    let most = if reach == Reach::Pool { 4 } else { 400 };
    (prop::collection::vec(-1.0..=1.0_f64, 1..most), select(&Precision::ALL[..]))
        .prop_map(|(mut numbers, precision)| {
            // Whatever the others are, it points somewhere.
            numbers[0] += 2.0;
            Vector::new(&numbers, precision).expect("a direction")
        })
        .boxed()
}

/// The vector of a route, which need not be there.
pub fn route_vector(reach: Reach) -> BoxedStrategy<RouteVector> {
    (route_key(reach), model_id(reach), vector(reach))
        .prop_map(|(key, model, vector)| RouteVector { key, model, vector })
        .boxed()
}

/// What was suggested in a session.
pub fn suggestions(reach: Reach) -> BoxedStrategy<Suggestions> {
    let suggested = (tool_name(reach), maybe(route_id(reach)))
        .prop_map(|(tool, route)| SuggestedTool { tool, route });
    let prompted = (
        timestamp(reach),
        maybe(text(256)),
        prop::collection::vec(suggested, 0..=Suggestions::MAX_SUGGESTED),
        prop::collection::vec(tool_name(reach), 0..=Suggestions::MAX_TAUGHT),
    )
        .prop_map(|(at, query, tools, taught)| Prompted { at, query, tools, taught });
    let prompts = prop::collection::vec(prompted, 0..=Suggestions::MAX_PROMPTS);
    (session_key(reach), any::<u32>(), prompts)
        .prop_map(|(key, made, prompts)| Suggestions { key, made, prompts })
        .boxed()
}
