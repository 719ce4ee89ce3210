//! Routes, vectors and suggestions of stores of released formats are read as ever.

use std::sync::Arc;

use crate::support::*;
use rusqlite::Connection;
use staleness_core::ids::{ModelId, ProjectId, SessionId, ToolName};
use staleness_core::route::{
    Confidence, Precision, Prompted, Route, RouteId, RouteKey, RouteVector, SuggestedTool,
    Suggestions, Vector,
};
use staleness_core::session::SessionKey;
use staleness_core::store::{RegistryStore, Selection, VectorFilter};

const LATE: i64 = 1_800_000_000_000;

const SCRIPTS: [&str; 5] = [
    include_str!("fixtures/format-1.sql"),
    include_str!("fixtures/format-2.sql"),
    include_str!("fixtures/format-3.sql"),
    include_str!("fixtures/format-4.sql"),
    include_str!("fixtures/format-5.sql"),
];

fn project() -> ProjectId {
    ProjectId::new("00112233445566ff").unwrap()
}

fn tool(name: &str) -> ToolName {
    ToolName::new(name).unwrap()
}

fn model(id: &str) -> ModelId {
    ModelId::new(id).unwrap()
}

fn key(name: &str, id: u128) -> RouteKey {
    RouteKey { project: project(), tool: tool(name), id: RouteId(id) }
}

fn the_routes() -> [Route; 2] {
    [
        Route {
            key: key("mcp__s__t", 42),
            query: "it's a query".into(),
            confidence: Confidence::new(0.95).unwrap(),
            uses: u64::MAX,
            created_at: at(-5),
            last_used_at: at(LATE),
            model: Some(model("model")),
            ops: vec![1, u64::MAX],
        },
        Route {
            key: key("skill", u128::MAX),
            query: "x".into(),
            confidence: Confidence::ZERO,
            uses: 1,
            created_at: at(5),
            last_used_at: at(6),
            model: None,
            ops: Vec::new(),
        },
    ]
}

fn the_vectors() -> [RouteVector; 2] {
    let of = |numbers: &[f64], precision| Vector::new(numbers, precision).unwrap();
    [
        RouteVector {
            key: key("mcp__s__t", 42),
            model: model("model"),
            vector: of(&[3.0, -4.0], Precision::F32),
        },
        RouteVector {
            key: key("zzz", 1),
            model: model("other"),
            vector: of(&[1.0], Precision::F64),
        },
    ]
}

fn the_suggestions() -> Suggestions {
    let suggested =
        |name, route: Option<u128>| SuggestedTool { tool: tool(name), route: route.map(RouteId) };
    Suggestions {
        key: SessionKey { project: project(), id: SessionId::new("s").unwrap() },
        made: 2,
        prompts: vec![
            Prompted {
                at: at(20),
                query: Some("find it".into()),
                tools: vec![suggested("mcp__s__t", Some(42)), suggested("skill", None)],
                taught: vec![tool("skill")],
            },
            Prompted { at: at(21), query: None, tools: Vec::new(), taught: Vec::new() },
        ],
    }
}

#[test]
fn format_5() {
    let (_folder, path) = fresh();
    let conn = Connection::open(&path).unwrap();
    SCRIPTS.iter().for_each(|script| conn.execute_batch(script).unwrap());
    conn.close().unwrap();
    let store = open(&path);
    check(&store).unwrap();
    let seen = everything(&store).unwrap();
    assert_eq!(seen.routes.into_values().collect::<Vec<_>>(), the_routes());
    let rows: Vec<_> = seen.vectors.keys().iter().filter_map(|key| seen.vectors.get(key)).collect();
    assert_eq!(rows, the_vectors());
    assert_eq!(seen.suggestions.into_values().collect::<Vec<_>>(), [the_suggestions()]);
    let of_model = Selection::new().peek_vectors(VectorFilter::Model(project(), model("model")));
    let found = pollster::block_on(store.view(Arc::new(of_model))).unwrap().vectors;
    assert_eq!(found.keys(), [key("mcp__s__t", 42)]);
}
