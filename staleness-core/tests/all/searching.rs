//! Suggesting and discovering: who is offered, and which words find it.

use crate::common::*;
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::{FindTools, Learn};
use staleness_core::report::Suggestion;
use staleness_core::scan::{Found, ProjectRef};
use staleness_core::tool::{Hold, ToolKind};
use staleness_core::{Policy, Wait};

fn found_names(suggestions: &[Suggestion]) -> Vec<&str> {
    suggestions.iter().map(|each| each.tool.key.name.as_str()).collect()
}

fn suggested(world: &World, query: Option<&str>) -> Vec<String> {
    let find = FindTools { query: query.map(Into::into), ..FindTools::ranked(50) };
    let offers = world.suggest(find);
    found_names(&offers).into_iter().map(Into::into).collect()
}

fn discovered(world: &World, query: &str) -> Vec<String> {
    let found = world.discover(query, 50);
    found_names(&found).into_iter().map(Into::into).collect()
}

fn shelf(world: &World, tools: Vec<Found>) {
    world.scan(vec![read(user("shelf"), tools)]);
}

#[test]
fn only_what_is_active_and_can_be_called_is_suggested() {
    let mut policy = Policy::default();
    policy.ignore.push("/muted".into());
    let world = World::with(policy);
    let tools = || {
        let mut of_own = command("/staleness:check");
        of_own.plugin = Some(tool_name("staleness@market"));
        let mut all = vec![server("x"), server("staleness"), command("/muted"), of_own];
        all.extend([found("kit", ToolKind::Plugin), found("agent:helper", ToolKind::Agent)]);
        all.extend(["good", "bad", "ignored"].map(skill));
        all
    };
    let mut with_gone = tools();
    with_gone.push(skill("gone"));
    shelf(&world, with_gone);
    shelf(&world, tools());
    let of_servers = "mcp__x__go mcp__staleness__check mcp__plugin_kit_staleness__check";
    for name in of_servers.split(' ').chain(["Bash", "good", "bad", "ignored"]) {
        world.uses(name, "S");
    }
    world.uses("bad", "FFF");
    world.hold("ignored", Hold::Ignored);
    let mut offered = suggested(&world, None);
    offered.sort();
    assert_eq!(offered, ["agent:helper", "good", "mcp__x__go"]);
    assert_eq!(suggested(&world, Some("good bad gone ignored kit")), ["good"]);
}

#[test]
fn what_was_used_last_in_the_same_session_is_not_suggested() {
    let world = World::default();
    shelf(&world, vec![skill("a"), skill("b")]);
    for (name, in_session) in [("a", "s"), ("b", "s"), ("a", "other")] {
        let mut used = world.a_use(name, OutcomeKind::Success);
        used.session = Some(session(in_session));
        world.registry.tools().record(used).wait().unwrap();
    }
    let offered = |id: &str| {
        let find = FindTools { session: Some(session(id)), ..FindTools::ranked(5) };
        let all = world.suggest(find);
        found_names(&all).into_iter().map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(offered("s"), ["a"]);
    assert_eq!(offered("other"), ["b"]);
    assert_eq!(offered("third"), ["a", "b"]);

    // What `Skill` ran is what was used.
    let mut used = world.a_use("Skill", OutcomeKind::Success);
    used.session = Some(session("s"));
    used.mentions = vec![tool_name("a")];
    world.registry.tools().record(used).wait().unwrap();
    assert_eq!(offered("s"), ["b"]);
}

#[test]
fn a_query_without_words_is_refused_and_none_asks_for_the_ranking() {
    let world = World::default();
    shelf(&world, vec![skill("a"), skill("b")]);
    world.uses("b", "S");
    assert_eq!(suggested(&world, None), ["b", "a"]);
    let (registry, project, now) = (&world.registry, &world.project, world.now());
    for query in ["", "  ", "?!", "\u{200b}"] {
        let refused = [
            registry.tools().suggest(project, FindTools::by_words(query, 9), now).wait().map(drop),
            registry.tools().discover(project, FindTools::by_words(query, 9), now).wait().map(drop),
        ];
        for refused in refused {
            let why = refused.unwrap_err().to_string();
            assert!(why.contains("the query has no words"), "{query:?}: {why}");
        }
    }
    assert!(suggested(&world, Some("nothing like it")).is_empty());
}

#[test]
fn words_find_what_a_person_means() {
    let world = World::default();
    let described = |name: &str, text: &str| skill(name).described(Some(text));
    shelf(
        &world,
        vec![
            server("GitHub"),
            described("web-search", "Looks things up on the internet"),
            described("café-menu", "Prints the menu"),
            command("/deploy_preview"),
            found("agent:codeReviewer", ToolKind::Agent),
            described("pdf", "Fills in forms"),
            server("linear"),
            described("get_help", "Shows help for a command"),
            described("like", "Says that a text pleases"),
        ],
    );
    world.uses("mcp__GitHub__searchIssues", "I");
    for (query, first) in [
        ("help", "get_help"),
        ("show help", "get_help"),
        ("give a like", "like"),
        ("menus", "café-menu"),
        ("print a list of dishes, or the menus", "café-menu"),
        ("web search", "web-search"),
        ("websearch", "web-search"),
        ("web_search", "web-search"),
        ("WEB-SEARCH", "web-search"),
        ("cafe", "café-menu"),
        ("CAFÉ", "café-menu"),
        ("github issues", "mcp__GitHub__searchIssues"),
        ("search issues on GitHub", "mcp__GitHub__searchIssues"),
        ("mcp__GitHub__searchIssues", "mcp__GitHub__searchIssues"),
        ("git", "mcp__GitHub__*"),
        ("deploy", "/deploy_preview"),
        ("depl", "/deploy_preview"),
        ("deployPreview", "/deploy_preview"),
        ("code reviewer", "agent:codeReviewer"),
        ("codereviewer", "agent:codeReviewer"),
        ("reviewer", "agent:codeReviewer"),
        ("forms", "pdf"),
        ("how do I look things up", "web-search"),
        ("internet", "web-search"),
    ] {
        let found = discovered(&world, query);
        assert_eq!(found.first().map(String::as_str), Some(first), "{query}: {found:?}");
    }
    for query in ["zz", "de", "submarine"] {
        assert!(discovered(&world, query).is_empty(), "{query}");
    }
}

#[test]
fn words_are_found_in_what_is_written_without_spaces() {
    let world = World::default();
    let described = |name: &str, text: &str| skill(name).described(Some(text));
    let code = described("a", "\u{641c}\u{7d22}\u{4ee3}\u{7801}\u{4ed3}\u{5e93}");
    let weather =
        described("b", "\u{6771}\u{4eac}\u{306e}\u{5929}\u{6c17}\u{3092}\u{8abf}\u{3079}\u{308b}");
    shelf(&world, vec![code, weather]);
    for (query, only) in [
        ("\u{4ee3}\u{7801}", Some("a")),
        ("\u{4ed3}\u{5e93}\u{4ee3}\u{7801}", Some("a")),
        ("\u{5929}\u{6c17}", Some("b")),
        ("\u{6771}\u{4eac}\u{306e}\u{5929}\u{6c17}", Some("b")),
        ("\u{6c17}\u{5929}", None),
    ] {
        assert_eq!(discovered(&world, query), only.map_or(vec![], |name| vec![name]), "{query}");
    }
}

#[test]
fn spellings_of_one_word_fit_in_full() {
    let world = World::default();
    shelf(&world, vec![skill("typecheck"), skill("bug-report"), skill("openApi")]);
    let queries = "type-check|typeCheck|TYPE_CHECK|typecheck|bugreport|bug report|BugReport|\
                   openapi|open-api|open api|OpenAPI";
    for query in queries.split('|') {
        let found = world.discover(query, 5);
        assert_eq!(found.len(), 1, "{query}");
        assert_eq!(found[0].parts.words, Some(1.0), "{query}: {}", found[0].tool.key.name);
    }
}

#[test]
fn a_name_fits_better_than_a_description() {
    let world = World::default();
    shelf(&world, vec![skill("a").described(Some("convert tables")), skill("convert")]);
    let found = world.discover("convert", 5);
    assert_eq!(found_names(&found), ["convert", "a"]);
    assert!(found[0].score > found[1].score && found[0].score <= 1.0);
    assert_eq!(found[0].reason, "matches convert; not used yet");
    assert_eq!(found[0].parts.words, Some(1.0));
}

#[test]
fn what_worked_before_lifts_a_tool_that_fits_and_never_one_that_does_not() {
    let world = World::default();
    shelf(&world, vec![skill("search-a"), skill("search-b"), skill("other")]);
    world.uses("search-b", "S");
    world.uses("other", "SSSS");
    assert_eq!(suggested(&world, Some("search")), ["search-b", "search-a"]);
}

#[test]
fn discover_shows_everything_visible_and_marks_what_cannot_be_relied_on() {
    let world = World::default();
    let q = ProjectRef::of_root("/q");
    let tools = |gone| {
        let mut all = vec![server("thing"), skill("thing-good"), skill("thing-bad")];
        all.extend(gone);
        all
    };
    shelf(&world, tools(Some(skill("thing-gone"))));
    shelf(&world, tools(None));
    world.scan_in(&q, vec![read(own(&q, "x"), vec![skill("thing-elsewhere")])]);
    world.hold("thing-bad", Hold::Demoted);
    let found = world.discover("thing", 9);
    let marks: Vec<_> = found.iter().map(|each| (each.tool.key.name.as_str(), each.mark)).collect();
    let expected = [
        ("mcp__thing__*", None),
        ("thing-good", None),
        ("thing-gone", Some("[stale]")),
        ("thing-bad", Some("[demoted]")),
    ];
    assert_eq!(marks, expected);
}

#[test]
fn answers_are_the_same_every_time_and_limited() {
    let world = World::default();
    shelf(&world, (0..200).map(|at| skill(&format!("report-{at}"))).collect());
    let ask = || world.discover("report", 7);
    let first = ask();
    assert_eq!(first.len(), 7);
    assert_eq!(first, ask());
    assert_eq!(first, world.suggest(FindTools::by_words("report", 7)));
}

#[test]
fn a_long_prompt_over_many_tools_is_answered() {
    let world = World::default();
    let text = "reads, converts and prints whatever it is given ".repeat(5);
    let tools = (0..3_000).map(|at| skill(&format!("tool-{at}")).described(Some(&text)));
    shelf(&world, tools.collect());
    let prompt: String = (0..2_000).map(|at| format!("word{at} ")).collect();
    assert!(suggested(&world, Some(&prompt)).is_empty());
    assert_eq!(suggested(&world, Some("please convert tool-17"))[0], "tool-17");
}

#[test]
fn the_nearest_known_name_helps_against_slips() {
    let world = World::default();
    shelf(&world, vec![command("/review"), server("github"), skill("pdf")]);
    let nearest = |text: &str| {
        let name = world.registry.tools().similar(&world.project, text).wait().unwrap().0;
        name.first().map(ToString::to_string)
    };
    assert_eq!(nearest("/reveiw").as_deref(), Some("/review"));
    assert_eq!(nearest("PDF").as_deref(), Some("pdf"));
    assert_eq!(nearest("qqqqqq"), None);
    let tools = world.registry.tools();
    let find = |text: &str| tools.find_key(&world.project.id, text, Default::default()).wait();
    for (text, name) in [("github", "mcp__github__*"), ("review", "/review"), ("pdf", "pdf")] {
        assert_eq!(find(text).unwrap().name.as_str(), name);
    }
    assert!(find("nothing").is_err());
}

#[test]
fn the_tools_of_a_server_that_a_person_demoted_are_not_suggested() {
    let world = World::default();
    world.scan(vec![read(user("mcp"), vec![server("hub"), server("other")])]);
    world.uses("mcp__hub__search", "S");
    world.uses("mcp__other__search", "S");
    for hold in [Hold::Demoted, Hold::Ignored] {
        world.hold("mcp__hub__*", hold);
        assert_eq!(suggested(&world, Some("search")), ["mcp__other__search"]);
    }
    world.hold("mcp__hub__*", Hold::None);
    assert_eq!(suggested(&world, Some("search")).len(), 2);
}

#[test]
fn habits_are_shown_as_a_part_of_the_words() {
    let world = World::default();
    let tools = ["mcp__db__query", "mcp__db__list", "mcp__mail__list"];
    shelf(&world, tools.map(|tool| found(tool, ToolKind::McpTool)).to_vec());
    for number in 0..6 {
        for (query, tool) in
            [("something in app.db number", "mcp__db__query"), ("other", "mcp__mail__list")]
        {
            let query = format!("{query} {number}");
            let learn = Learn::new(world.op(), query, tool_name(tool), world.now());
            world.registry.routes().learn(&world.project, learn).wait().unwrap();
        }
    }
    let found = world.discover("query app.db", 5);
    let parts = &found[0].parts;
    let (words, habit) = (parts.words.unwrap(), parts.habit.unwrap());
    assert_eq!(found[0].tool.key.name, "mcp__db__query");
    assert!(habit > 0.0 && habit <= 0.35 && habit <= words, "{parts:?}");
}
