//! Suggestions for a prompt: few rows are read, and the answer is that of reading them all.

use crate::common::{World, read, session, skill, tool_name, user};
use proptest::prelude::*;
use staleness_core::ids::{Level, ProjectId, Scope, ServerKey, SourceId, ToolKey, ToolName};
use staleness_core::registry::{FindTools, Learn};
use staleness_core::report::Suggestion;
use staleness_core::route::{Confidence, Route, RouteId, RouteKey, SuggestedTool};
use staleness_core::source::{Source, SourceState};
use staleness_core::store::{Change, ChangeSet};
use staleness_core::tool::{Failing, Hold, Listing, ListingState, PresenceCause, Tool, ToolKind};
use staleness_core::{Policy, Timestamp, Wait};

const NAMES: [&str; 9] = [
    "mcp__hub__send_mail",
    "mcp__hub__merge",
    "mcp__hub__*",
    "mcp__mail__read",
    "mcp__mail__*",
    "mcp__staleness__send",
    "/mail",
    "send",
    "Merge",
];

fn tool() -> impl Strategy<Value = Tool> {
    let scope = prop_oneof![Just(Scope::Global), Just(Scope::Project(ProjectId::of_root("/p")))];
    let words = prop::sample::select(vec!["", "send mail", "merge branches", "read the mail now"]);
    let hold = prop_oneof![
        6 => Just(Hold::None),
        1 => Just(Hold::Demoted),
        1 => Just(Hold::Pinned),
        1 => Just(Hold::Ignored),
    ];
    let kinds = vec![ToolKind::Builtin, ToolKind::Plugin, ToolKind::Skill, ToolKind::Unknown];
    let facts = (
        any::<bool>(),
        prop::bool::weighted(0.8),
        prop::bool::weighted(0.2),
        prop::option::of(any::<bool>()),
    );
    (prop::sample::select(&NAMES[..]), scope, words, hold, prop::sample::select(kinds), facts)
        .prop_map(|(name, scope, words, hold, kind, (served, present, failing, seen))| {
            let key = ToolKey { scope, name: ToolName::new(name).unwrap() };
            let cause = if present { PresenceCause::Used } else { PresenceCause::Disabled };
            let mut tool = Tool::new(key, kind, cause, Timestamp::MIN);
            let server = name.split("__").nth(1).filter(|_| served);
            if let Some(server) = server {
                tool.server = Some(ServerKey::new(server).unwrap());
                tool.kind =
                    if name.ends_with('*') { ToolKind::McpServer } else { ToolKind::McpTool };
            }
            tool.description = Some(words.to_owned()).filter(|text| !text.is_empty());
            tool.hold = hold;
            if failing {
                tool.health.failing = Some(Failing { since: Timestamp::MIN, cause: "x".into() });
            }
            if let Some(own) = seen {
                let source = source_id(own);
                tool.listings.push(Listing { source, state: ListingState::Configured });
            }
            tool
        })
}

fn source_id(own: bool) -> SourceId {
    SourceId {
        project: own.then(|| ProjectId::of_root("/p")),
        client: "c".into(),
        level: Level::User,
        part: "x".into(),
    }
}

/// A source that was read now, so that its tools were seen lately, and others were not.
fn source(own: bool, now: Timestamp) -> Change<Source, SourceId> {
    Change::Put(Source {
        id: source_id(own),
        path: "/x".into(),
        state: SourceState::Read,
        found: 1,
        digest: 1,
        readings: 1,
        last_read_at: Some(now),
        last_scan_at: now,
        error: None,
    })
}

fn route() -> impl Strategy<Value = Route> {
    let query = prop::sample::select(vec!["send mail", "merge it", "the mail", "ship"]);
    (0..6_u128, prop::sample::select(&NAMES[..]), query, 0..=4_u8).prop_map(
        |(id, tool, query, sure)| Route {
            key: RouteKey {
                project: ProjectId::of_root("/p"),
                tool: ToolName::new(tool).unwrap(),
                id: RouteId(id),
            },
            query: query.into(),
            confidence: Confidence::new(f64::from(sure) / 4.0).unwrap(),
            uses: 1,
            created_at: Timestamp::MIN,
            last_used_at: Timestamp::MIN,
            model: None,
            ops: Vec::new(),
        },
    )
}

/// One row for each key: the last one.
fn distinct<R: Clone, K: Ord>(rows: &[R], key: impl Fn(&R) -> K) -> Vec<Change<R, K>> {
    let by_key: std::collections::BTreeMap<K, R> =
        rows.iter().map(|row| (key(row), row.clone())).collect();
    by_key.into_values().map(Change::Put).collect()
}

#[test]
fn a_prompt_is_answered_where_more_than_a_chance_word_speaks_for_a_tool() {
    let world = World::default();
    let described = |name: &str, text: &str| skill(name).described(Some(text));
    let tools = vec![
        described("chart", "Help"),
        described("goal-seek", "Stop"),
        described("merge", "Merge a pull request"),
        described("pager", "Rota"),
        described("lines", "Delete a line"),
        described("tests", "Fix failing tests"),
    ];
    world.scan(vec![read(user("shelf"), tools)]);
    for query in
        ["call the night shift", "call somebody at night", "a late call", "change the build"]
    {
        let learn = Learn::new(world.op(), query, tool_name("pager"), world.now());
        world.registry.routes().learn(&world.project, learn).wait().unwrap();
    }
    let suggested = |prompt: &str| suggested(&world, prompt);
    for chance in
        ["help", "can you help me", "stop", "call", "merge", "seek", "fix the failing test"]
    {
        assert_eq!(suggested(chance), [""; 0], "{chance}");
    }
    for (prompt, tool) in [
        ("merge the pull request", "merge"),
        ("delete that line", "lines"),
        ("call the night shift, please", "pager"),
        ("change the build", "pager"),
    ] {
        assert_eq!(suggested(prompt), [tool], "{prompt}");
    }
}

fn suggested(world: &World, prompt: &str) -> Vec<String> {
    let (session, now) = (session("s"), world.now());
    let tools = world.registry.tools();
    let found = tools.suggest_for_prompt(&world.project, &session, prompt, now).wait().unwrap();
    found.into_iter().map(|each| each.tool.to_string()).collect()
}

/// Bug W11: each further word of a prompt diluted what it asked for.
#[test]
fn w11_a_name_of_three_words_is_asked_for_within_a_longer_prompt() {
    let world = World::default();
    let tool = "mcp__github__create_pull_request";
    for name in [tool, "mcp__github__search_issues", "mcp__github__list_commits", "Bash", "Edit"] {
        world.uses(name, "SSSSSS");
    }
    for prompt in [
        "create a pull request",
        "please create a pull request on github for this branch",
        "commit this and create a pull request",
        "now push and create the pull request please",
    ] {
        assert_eq!(suggested(&world, prompt), [tool], "{prompt}");
    }
    for prompt in [
        "the shop will create a voucher once their request came in, so pull the newest numbers of \
         all customers, sort them by town, print labels on yellow paper and put them into boxes",
        "my brother and I search the attic by hand for old issues of the magazine that our father \
         collected in the sixties and bound in leather",
    ] {
        assert_eq!(suggested(&world, prompt), [""; 0], "{prompt}");
    }
}

proptest! {
    #[test]
    fn a_prompt_is_answered_with_the_first_suggestions_or_with_nothing(
        tools in prop::collection::vec(tool(), 0..14),
        routes in prop::collection::vec(route(), 0..6),
        uses in prop::collection::vec((prop::sample::select(&NAMES[..]), "[SF]{1,3}"), 0..4),
        prompt in prop::sample::select(vec!["send the mail", "merge", "mail", "ship it", "read mail", "show me"]),
        ignores in prop::bool::weighted(0.2),
        least in prop::sample::select(vec![0.0, 0.1, 0.2]),
    ) {
        let mut policy = Policy::default();
        policy.routes.suggest_from = least;
        if ignores {
            policy.ignore = vec!["mcp__hub".into(), "/mail".into()];
        }
        let world = World::with(policy);
        let mut changes = ChangeSet::default();
        changes.tools = distinct(&tools, |row| row.key.clone());
        changes.sources = [false, true].map(|own| source(own, world.now())).into();
        changes.routes = distinct(&routes, |row| row.key.clone());
        world.put(changes);
        for (name, letters) in uses {
            world.uses(name, &letters);
        }
        let (session, now) = (session("s"), world.now());
        let suggested =
            world.registry.tools().suggest_for_prompt(&world.project, &session, prompt, now).wait().unwrap();
        let all = world
            .registry
            .tools().suggest(&world.project, FindTools { session: Some(session.clone()), ..FindTools::by_words(prompt, usize::MAX) }, now).wait()
            .unwrap().tools;
        let shown: Vec<&Suggestion> =
            all.iter().filter(|each| each.mark.is_none()).take(3).collect();
        let near = |each: &&Suggestion| each.score >= 0.4 * shown[0].score;
        let shown: Vec<&Suggestion> = shown.iter().copied().filter(near).collect();
        let is_backed = |each: &&Suggestion| {
            let met = each.reason.split(';').next().and_then(|it| it.strip_prefix("matches "));
            each.parts.route.as_ref().is_some_and(|route| route.closeness >= 0.3)
                || met.is_some_and(|met| met.split(", ").count() > 1)
        };
        let may_be_sure = shown.iter().any(is_backed);
        if !suggested.is_empty() || (least == 0.0 && may_be_sure) {
            let shown: Vec<SuggestedTool> = shown.into_iter().map(SuggestedTool::from).collect();
            prop_assert_eq!(&suggested, &shown);
            prop_assert!(may_be_sure);
        }
    }
}
