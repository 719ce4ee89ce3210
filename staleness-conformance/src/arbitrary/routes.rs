//! Strategies for routes, vectors and suggestions.

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::ids::ModelId;
use staleness_core::route::{
    Confidence, Precision, Prompted, Route, RouteId, RouteKey, RouteVector, SuggestedTool,
    Suggestions, Vector,
};
use staleness_core::session::OpenCall;

use super::ids::{op_id, project_id, session_key, tool_name, work_key};
use super::{Reach, maybe, number, text, timestamp};

/// Generates the id of a route.
pub fn route_id(reach: Reach) -> BoxedStrategy<RouteId> {
    let few = select(vec![0, 1, 1 << 64, u128::MAX]);
    match reach {
        Reach::Pool => few.prop_map(RouteId).boxed(),
        Reach::Wide => prop_oneof![few, any::<u128>()].prop_map(RouteId).boxed(),
    }
}

/// Generates the key of a route.
pub fn route_key(reach: Reach) -> BoxedStrategy<RouteKey> {
    record!(RouteKey { project: project_id(reach), tool: tool_name(reach), id: route_id(reach) })
}

/// Generates a model.
pub fn model_id(_: Reach) -> BoxedStrategy<ModelId> {
    select(vec!["m", "m_", "mX", "\u{1f680}"])
        .prop_map(|text| ModelId::new(text).expect("a valid text"))
        .boxed()
}

/// Generates the confidence of a route, often a limit.
pub fn confidence() -> BoxedStrategy<Confidence> {
    prop_oneof![
        1 => select(vec![0, 1, 100_000_000, 999_999_999, 1_000_000_000]),
        2 => 0..=1_000_000_000_u32,
    ]
    .prop_map(|billionths| Confidence::of_billionths(billionths).expect("at most one"))
    .boxed()
}

/// Generates a route.
pub fn route(reach: Reach) -> BoxedStrategy<Route> {
    record!(Route {
        key: route_key(reach),
        query: text(300),
        confidence: confidence(),
        uses: number(),
        created_at: timestamp(reach),
        last_used_at: timestamp(reach),
        model: maybe(model_id(reach)),
        ops: prop::collection::vec(any::<u64>(), 0..=Route::MAX_OPS),
    })
}

/// Generates a vector. With [`Reach::Pool`] it has few dimensions.
pub fn vector(reach: Reach) -> BoxedStrategy<Vector> {
    let most = if reach == Reach::Pool { 4 } else { 400 };
    (prop::collection::vec(-1.0..=1.0_f64, 1..most), select(&Precision::ALL[..]))
        .prop_map(|(mut numbers, precision)| {
            // Ensures that the vector is not zero.
            numbers[0] += 2.0;
            Vector::new(&numbers, precision).expect("a direction")
        })
        .boxed()
}

/// Generates the vector of a route. The route need not exist.
pub fn route_vector(reach: Reach) -> BoxedStrategy<RouteVector> {
    record!(RouteVector { key: route_key(reach), model: model_id(reach), vector: vector(reach) })
}

/// Generates the suggestions of a session.
pub fn suggestions(reach: Reach) -> BoxedStrategy<Suggestions> {
    let tool = record!(SuggestedTool { tool: tool_name(reach), route: maybe(route_id(reach)) });
    let prompted = record!(Prompted {
        at: timestamp(reach),
        query: maybe(text(256)),
        tools: prop::collection::vec(tool, 0..=Suggestions::MAX_SUGGESTED),
        taught: prop::collection::vec(tool_name(reach), 0..=Suggestions::MAX_TAUGHT),
    });
    let call = record!(OpenCall {
        op: op_id(reach),
        tool: tool_name(reach),
        turn: maybe(op_id(reach)),
        needs_permission: any::<bool>(),
        at: timestamp(reach),
    });
    record!(Suggestions {
        key: session_key(reach),
        made: any::<u32>(),
        prompts: prop::collection::vec(prompted, 0..=Suggestions::MAX_PROMPTS),
        calls: prop::collection::vec(call, 0..=Suggestions::MAX_CALLS),
        claims: prop::collection::vec((work_key(reach), timestamp(reach)), 0..4),
    })
}
