//! Tools: each filter returns exactly its rows, even after changes.

use staleness_core::ids::{Scope, ToolKey};
use staleness_core::store::{Selection, ToolFilter};
use staleness_core::tool::{
    Hold, Listing, ListingState, PresenceCause, Tool, ToolKind, ToolSummary,
};

use crate::arbitrary::{self, Reach};
use crate::case::Case;
use crate::context::{Context, act, keys, see};
use crate::model::each;
use crate::rows::{AWKWARD, failing, global, local, scope, served, server, source_id, tool};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("tools::configured_finds_those_with_listings", configured),
    Case::new("tools::entries_are_the_server_entries_of_a_scope", entries),
    Case::new("tools::server_finds_entries_and_tools_of_a_scope", by_server),
    Case::new("tools::server_keys_are_no_patterns", server_patterns),
    Case::new("tools::demoted_follows_the_status", demoted),
    Case::new("tools::revived_follows_the_presence", revived),
    Case::new("tools::filters_follow_a_row_that_changes", moving),
    Case::new("tools::picks_of_a_selection_unite", union),
    Case::new("tools::summaries_say_what_rows_say", summaries),
    Case::new("tools::any_summary_says_what_its_row_says", any_summary),
];

/// Verifies that the summaries of a scope match its rows, and that nothing else is returned.
#[track_caller]
fn assert_summaries(context: &Context, scopes: &[Scope]) {
    let all = scopes.iter().fold(Selection::new(), |all, scope| all.summaries(scope.clone()));
    let mut seen = see(context.store(), all);
    for scope in scopes {
        let rows = Selection::new().peek(ToolFilter::Scope(scope.clone()));
        let rows = see(context.store(), rows).tools;
        let expected: Vec<ToolSummary> = rows.values().map(ToolSummary::from).collect();
        let mut found = seen.summaries.remove(scope).expect("a list for each scope");
        found.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        assert_eq!(found, expected, "{scope:?}");
    }
    assert!(seen.is_empty(), "{seen:?}");
}

fn absent(mut row: Tool, cause: PresenceCause) -> Tool {
    row.presence.cause = cause;
    row
}

fn summaries(context: &mut Context) {
    let described = Tool {
        description: Some("finds\nthings \u{1f680}".into()),
        plugin: Some(global("tools@shop").name),
        ..tool(local("p_", "b"))
    };
    let gone = absent(tool(local("p_", "a_b")), PresenceCause::RemovedFromConfig);
    let held = Tool { hold: Hold::Ignored, ..tool(local("p_", "a%")) };
    let write = Write::new()
        .puts([described, gone, held, failing(tool(local("p_", "c")))])
        .put(served(local("pX", "x"), ToolKind::McpTool, "x"))
        .put(tool(global("x")));
    act(context.store(), write);
    assert_summaries(context, &[Scope::Global, scope("p_"), scope("pX"), scope("p%")]);
    act(context.store(), Write::new().delete::<Tool>(local("p_", "b")));
    assert_summaries(context, &[scope("p_")]);
    // Rows may be adjacent, or far apart with others in between.
    act(context.store(), Write::new().put(tool(local("far", "a"))));
    let between = (0..20).fold(Write::new(), |all, at| all.put(tool(local("q", at.to_string()))));
    act(context.store(), between.put(tool(local("far", "b"))));
    assert_summaries(context, &[scope("far"), scope("q")]);
}

fn any_summary(context: &mut Context) {
    each(&arbitrary::tool(Reach::Wide), |tool| {
        let scope = tool.key.scope.clone();
        act(context.store(), Write::new().put(tool));
        assert_summaries(context, &[scope]);
    });
}

fn configured(context: &mut Context) {
    let listed = |key: ToolKey, state: ListingState| {
        let listings = vec![Listing { source: source_id(None, "c", "x"), state }];
        Tool { listings, ..tool(key) }
    };
    let write = Write::new()
        .put(listed(global("listed"), ListingState::Configured))
        .put(listed(global("listed last"), ListingState::Gone))
        .put(tool(global("used")))
        .put(listed(local("p", "listed"), ListingState::Configured))
        .put(tool(local("p", "used")));
    act(context.store(), write);
    let of = |scope| keys(context, ToolFilter::Configured(scope));
    assert_eq!(of(Scope::Global), [global("listed"), global("listed last")]);
    assert_eq!(of(scope("p")), [local("p", "listed")]);
    assert_eq!(of(scope("q")), []);
    act(context.store(), Write::new().put(tool(global("listed"))));
    assert_eq!(of(Scope::Global), [global("listed last")]);
}

/// Writes two servers with entries and tools in two scopes, and rows that only look similar.
fn servers(context: &Context) {
    let write = Write::new()
        .put(Tool { kind: ToolKind::McpServer, ..tool(global("mcp__s__*")) })
        .put(served(global("entry one"), ToolKind::McpServer, "s"))
        .put(served(global("entry two"), ToolKind::McpServer, "s"))
        .put(served(global("mcp__s__tool"), ToolKind::McpTool, "s"))
        .put(served(global("odd"), ToolKind::Skill, "s"))
        .put(served(global("other"), ToolKind::McpServer, "s2"))
        .put(served(global("other tool"), ToolKind::McpTool, "s2"))
        .put(served(local("p", "entry one"), ToolKind::McpServer, "s"))
        .put(served(local("p", "tool"), ToolKind::McpTool, "s"))
        .put(tool(global("plain")));
    act(context.store(), write);
}

fn entries(context: &mut Context) {
    servers(context);
    let of = |scope, text| keys(context, ToolFilter::Entries(scope, server(text)));
    assert_eq!(of(Scope::Global, "s"), [global("entry one"), global("entry two")]);
    assert_eq!(of(Scope::Global, "s2"), [global("other")]);
    assert_eq!(of(scope("p"), "s"), [local("p", "entry one")]);
    assert_eq!(of(scope("p"), "s2"), []);
    assert_eq!(of(scope("q"), "s"), []);
}

fn by_server(context: &mut Context) {
    servers(context);
    let of = |scope, text| keys(context, ToolFilter::Server(scope, server(text)));
    assert_eq!(
        of(Scope::Global, "s"),
        [global("entry one"), global("entry two"), global("mcp__s__tool"), global("odd")]
    );
    assert_eq!(of(Scope::Global, "s2"), [global("other"), global("other tool")]);
    assert_eq!(of(scope("p"), "s"), [local("p", "entry one"), local("p", "tool")]);
    assert_eq!(of(Scope::Global, "S"), []);
}

fn server_patterns(context: &mut Context) {
    let rows = AWKWARD.iter().map(|text| served(global(text), ToolKind::McpServer, text));
    act(context.store(), Write::new().puts(rows));
    for text in AWKWARD {
        let entries = ToolFilter::Entries(Scope::Global, server(text));
        assert_eq!(keys(context, entries), [global(text)]);
        let tools = ToolFilter::Server(Scope::Global, server(text));
        assert_eq!(keys(context, tools), [global(text)]);
    }
}

fn demoted(context: &mut Context) {
    let held = |text: &str, hold: Hold| Tool { hold, ..tool(global(text)) };
    let both = failing(tool(global("failing and absent")));
    let write = Write::new()
        .put(tool(global("active")))
        .put(absent(tool(global("absent")), PresenceCause::Disabled))
        .put(failing(tool(global("failing"))))
        .put(absent(both, PresenceCause::RemovedFromConfig))
        .put(held("held demoted", Hold::Demoted))
        .put(failing(held("held demoted, failing", Hold::Demoted)))
        .put(failing(held("ignored, failing", Hold::Ignored)))
        .put(held("ignored", Hold::Ignored))
        .put(held("pinned", Hold::Pinned))
        .put(failing(held("pinned, failing", Hold::Pinned)))
        .put(failing(tool(local("p", "failing"))));
    act(context.store(), write);
    assert_eq!(
        keys(context, ToolFilter::Demoted(Scope::Global)),
        [
            global("failing"),
            global("failing and absent"),
            global("held demoted"),
            global("held demoted, failing"),
            global("ignored, failing"),
        ]
    );
    assert_eq!(keys(context, ToolFilter::Demoted(scope("p"))), [local("p", "failing")]);
    assert_eq!(keys(context, ToolFilter::Demoted(scope("q"))), []);
}

fn revived(context: &mut Context) {
    let back = |key: ToolKey| {
        let mut row = tool(key);
        row.presence.revived = true;
        row
    };
    let write = Write::new()
        .put(back(global("back")))
        .put(failing(back(global("back, failing"))))
        .put(tool(global("never gone")))
        .put(back(local("p", "back")));
    act(context.store(), write);
    assert_eq!(
        keys(context, ToolFilter::Revived(Scope::Global)),
        [global("back"), global("back, failing")]
    );
    assert_eq!(keys(context, ToolFilter::Revived(scope("p"))), [local("p", "back")]);
}

fn moving(context: &mut Context) {
    let key = global("x");
    let mut row = failing(served(key.clone(), ToolKind::McpServer, "s"));
    row.presence.revived = true;
    act(context.store(), Write::new().put(row.clone()));
    let finds = |filter: ToolFilter| !keys(context, filter).is_empty();
    let of_s = || ToolFilter::Server(Scope::Global, server("s"));
    let entries = |text: &str| ToolFilter::Entries(Scope::Global, server(text));
    let demoted = || ToolFilter::Demoted(Scope::Global);
    let revived = || ToolFilter::Revived(Scope::Global);
    assert!(finds(of_s()) && finds(entries("s")) && finds(demoted()) && finds(revived()));

    row.server = Some(server("t"));
    row.health.failing = None;
    row.presence.revived = false;
    act(context.store(), Write::new().put(row.clone()));
    assert!(!finds(of_s()) && !finds(entries("s")) && !finds(demoted()) && !finds(revived()));
    assert!(finds(entries("t")));

    row.kind = ToolKind::McpTool;
    row.hold = Hold::Demoted;
    act(context.store(), Write::new().put(row.clone()));
    assert!(!finds(entries("t")) && finds(demoted()));

    act(context.store(), Write::new().delete::<Tool>(key));
    assert!(!finds(demoted()) && !finds(ToolFilter::All));
}

fn union(context: &mut Context) {
    servers(context);
    let selection = Selection::new()
        .peek(ToolFilter::Key(global("plain")))
        .lock(ToolFilter::Key(global("plain")))
        .peek(ToolFilter::Entries(Scope::Global, server("s")))
        .lock(ToolFilter::Scope(scope("p")))
        .peek(ToolFilter::Key(global("nothing")));
    let seen = see(context.store(), selection);
    assert_eq!(
        seen.tools.into_keys().collect::<Vec<_>>(),
        [
            global("entry one"),
            global("entry two"),
            global("plain"),
            local("p", "entry one"),
            local("p", "tool"),
        ]
    );
}
