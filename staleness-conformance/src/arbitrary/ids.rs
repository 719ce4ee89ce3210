//! Strategies for identifiers.

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::ids::{
    AgentId, ClientId, DocumentKey, IdError, ItemId, ItemKey, Level, OpId, ProjectId, Scope,
    ServerKey, SessionId, SourceId, ToolKey, ToolName, WorkId, WorkKey,
};
use staleness_core::session::{CursorKey, SessionKey};

use super::Reach;
use crate::rows::AWKWARD;

/// Generates a valid identifier: one of `pool`, or any.
fn valid(reach: Reach, pool: &'static [&'static str]) -> BoxedStrategy<String> {
    let few = select(pool).prop_map(str::to_owned);
    if reach == Reach::Pool {
        return few.boxed();
    }
    let letters = prop::collection::vec(any::<char>(), 1..24)
        .prop_map(|letters| letters.into_iter().filter(|letter| !letter.is_control()).collect())
        .prop_map(|text: String| if IdError::check(&text).is_ok() { text } else { "x".into() });
    prop_oneof![
        2 => few,
        3 => select(&AWKWARD[..]).prop_map(str::to_owned),
        4 => letters,
        1 => select(vec!["x", "\u{1f680}"])
            .prop_map(|letter| letter.repeat(IdError::MAX_BYTES / letter.len())),
    ]
    .boxed()
}

macro_rules! text_ids {
    ($($(#[$doc:meta])* $function:ident: $type:ident of $pool:expr;)*) => {$(
        $(#[$doc])*
        pub fn $function(reach: Reach) -> BoxedStrategy<$type> {
            valid(reach, &$pool)
                .prop_map(|text| $type::new(text).expect("a valid text"))
                .boxed()
        }
    )*};
}

text_ids! {
    /// Generates a tool name. The pool contains names that wildcards would confuse.
    tool_name: ToolName of ["a_b", "aXb", "a%b", "mcp__s__*", "mcp__s__t", "\u{1f680}"];
    /// Generates an op id.
    op_id: OpId of ["o1", "o2", "o3", "o4", "o_", "o%", "O1", "o'", "o5", "o6"];
    /// Generates a session.
    session_id: SessionId of ["s1", "s2"];
    /// Generates an agent.
    agent_id: AgentId of ["agent", "human"];
    /// Generates a client.
    client_id: ClientId of ["client"];
    /// Generates a project.
    project_id: ProjectId of ["p_", "pX", "p'"];
    /// Generates a server.
    server_key: ServerKey of ["s", "s_", "sX"];
    /// Generates an item of knowledge.
    item_id: ItemId of ["i_", "iX", "i%", "i'", "\u{1f680}"];
    /// Generates a work item.
    work_id: WorkId of ["w_", "wX", "w%", "w'", "\u{1f680}"];
}

/// Generates a scope: global, or a project.
pub fn scope(reach: Reach) -> BoxedStrategy<Scope> {
    prop_oneof![Just(Scope::Global), project_id(reach).prop_map(Scope::Project)].boxed()
}

macro_rules! keys {
    ($($(#[$doc:meta])* $function:ident: $type:ident { $owner:ident: $of:ident, $name:ident: $id:ident };)*) => {$(
        $(#[$doc])*
        pub fn $function(reach: Reach) -> BoxedStrategy<$type> {
            record!($type { $owner: $of(reach), $name: $id(reach) })
        }
    )*};
}

keys! {
    /// Generates the key of a tool.
    tool_key: ToolKey { scope: scope, name: tool_name };
    /// Generates the key of an item of knowledge.
    item_key: ItemKey { scope: scope, id: item_id };
    /// Generates the key of a work item.
    work_key: WorkKey { scope: scope, id: work_id };
    /// Generates the key of a session.
    session_key: SessionKey { project: project_id, id: session_id };
    /// Generates the key of a cursor.
    cursor_key: CursorKey { project: project_id, agent: agent_id };
}

/// Generates the key of a document. The path may be any text.
pub fn document_key(reach: Reach) -> BoxedStrategy<DocumentKey> {
    let path = match reach {
        Reach::Pool => {
            select(vec!["", "a.md", "A.md", "a_md", "d/a.md"]).prop_map(str::to_owned).boxed()
        }
        Reach::Wide => super::text(300),
    };
    record!(DocumentKey { project: project_id(reach), path: path })
}

/// Generates a level of configuration.
pub fn level() -> BoxedStrategy<Level> {
    select(&Level::ALL[..]).boxed()
}

/// Generates the identity of a source.
pub fn source_id(reach: Reach) -> BoxedStrategy<SourceId> {
    let levels = match reach {
        Reach::Pool => select(&Level::ALL[..2]).boxed(),
        Reach::Wide => level(),
    };
    record!(SourceId {
        project: prop::option::of(project_id(reach)),
        client: valid(reach, &["c", "c_"]),
        level: levels,
        part: valid(reach, &["mcp", "plugin:a@b/skills"]),
    })
}
