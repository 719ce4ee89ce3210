//! Search: words, learned queries, and how they are merged.

use proptest::prelude::*;
use staleness_core::ids::ToolName;
use staleness_core::route::{Confidence, RouteId};
use staleness_core::search::{Found, LearnedMatch, Meaning, Question, SearchIndex};
use staleness_core::store::Refusal;

fn name(text: &str) -> ToolName {
    ToolName::new(text).unwrap()
}

fn learn(index: &mut SearchIndex, id: u128, tool: &str, query: &str, confidence: f64) {
    let confidence = Confidence::new(confidence).unwrap();
    index.put_route(RouteId(id), &name(tool), query, confidence);
}

fn index(tools: &[(&str, &str)], routes: &[(&str, &str, f64)]) -> SearchIndex {
    let mut index = SearchIndex::new();
    tools.iter().for_each(|(tool, text)| index.put_tool(&name(tool), text));
    for (id, (tool, query, confidence)) in (1..).zip(routes) {
        learn(&mut index, id, tool, query, *confidence);
    }
    index
}

fn find(index: &SearchIndex, question: &str) -> Found {
    index.find(&Question::new(question).unwrap(), 50, &Meaning::default(), |_| true)
}

fn order(found: &Found) -> Vec<&str> {
    found.matches.iter().map(|each| each.tool.as_str()).collect()
}

const TOOLS: &[(&str, &str)] = &[
    ("mcp__hub__search_issues", "Search issues and pull requests of a repository"),
    ("mcp__hub__merge", "Merge a pull request"),
    ("mcp__mail__send", "Send a message to people"),
    ("mcp__cal__create_event", "Create an event in a calendar"),
    ("deployPreview", "Publish a branch to a preview site"),
];

#[test]
fn words_alone_find_tools_and_the_answer_is_cold() {
    let index = index(TOOLS, &[]);
    for (question, best) in [
        ("searching for issues", "mcp__hub__search_issues"),
        ("deploy-preview", "deployPreview"),
        ("deploypreview", "deployPreview"),
        ("please merge this request", "mcp__hub__merge"),
        ("calendars", "mcp__cal__create_event"),
        ("repos", "mcp__hub__search_issues"),
        ("mcp__mail__send", "mcp__mail__send"),
    ] {
        let found = find(&index, question);
        assert_eq!(order(&found).first(), Some(&best), "{question}");
        assert!(found.familiarity == 0.0, "{question}");
    }
    assert!(find(&index, "submarine").matches.is_empty());
}

#[test]
fn each_request_of_a_question_finds_its_tool() {
    let about = |at| match at {
        0 => "List events of the calendar of a team in a month",
        _ => "Change an event in the calendar of a team",
    };
    let calendar = (0..6).map(|at| (format!("calendar_{at}"), about(at).to_owned()));
    let others = (0..60).map(|at| (format!("other_{at}"), format!("Render thing number {at}")));
    let mut tools: Vec<(String, String)> = calendar.chain(others).collect();
    tools.push(("translate".into(), "Render text in another language, such as French".into()));
    let tools: Vec<(&str, &str)> = tools.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let index = index(&tools, &[]);
    let question = "List the calendar events of the team for next month, then render everything properly \
                    into French";
    let found = find(&index, question);
    let place = order(&found).iter().position(|tool| *tool == "translate").unwrap();
    assert_eq!((order(&found)[0], place < 3), ("calendar_0", true), "{:?}", order(&found));
    let own = &found.matches[place];
    assert!((own.score - own.learned.mul_add(1.0 - own.words, own.words)).abs() < 1e-8, "{own:?}");
    assert_eq!(own.met, ["french", "render"]);
}

#[test]
fn whoever_gives_a_name_asks_for_it() {
    let index = index(TOOLS, &[]);
    for question in ["merge", "mcp__hub__merge", "MERGE!"] {
        let found = find(&index, question);
        assert_eq!((order(&found)[0], found.matches[0].words), ("mcp__hub__merge", 1.0));
        assert_eq!(found.matches[0].score, 1.0, "{question}");
    }
}

#[test]
fn what_was_learned_finds_a_tool_that_its_words_do_not() {
    let index = index(TOOLS, &[("mcp__hub__merge", "ship it to production", 0.9)]);
    let found = find(&index, "ship it to production");
    assert_eq!(order(&found)[0], "mcp__hub__merge");
    assert_eq!(found.familiarity, 1.0);
    let best = &found.matches[0];
    assert!(best.score >= 0.6 * best.words + 0.4 * 0.9);
    assert!((best.score - best.learned.mul_add(1.0 - best.words, best.words)).abs() < 1e-8);
    assert_eq!(found.matches.len(), 1, "a tool of the same server alone is none that fits");
    assert_eq!(
        best.route,
        Some(LearnedMatch {
            id: RouteId(1),
            closeness: 1.0,
            words: 1.0,
            meaning: None,
            confidence: Confidence::new(0.9).unwrap()
        })
    );
    let like = find(&index, "shipping to production now");
    assert_eq!(order(&like)[0], "mcp__hub__merge");
    assert!((0.3..1.0).contains(&like.familiarity));
}

#[test]
fn trap_confidence_without_effect_on_ranking() {
    let routes = |first: f64, second: f64| {
        [("mcp__hub__merge", "ship it", first), ("mcp__mail__send", "ship it", second)]
    };
    assert_eq!(order(&find(&index(TOOLS, &routes(0.9, 0.3)), "ship it"))[0], "mcp__hub__merge");
    assert_eq!(order(&find(&index(TOOLS, &routes(0.3, 0.9)), "ship it"))[0], "mcp__mail__send");
    // A close route that is sure of nothing yields to one that is a little less close.
    let routes = [
        ("mcp__hub__merge", "ship the release", 0.05),
        ("mcp__mail__send", "ship the release today", 0.9),
    ];
    assert_eq!(order(&find(&index(TOOLS, &routes), "ship the release"))[0], "mcp__mail__send");
    let none = index(TOOLS, &[("mcp__hub__merge", "ship it", 0.0), ("mcp__mail__send", "x", 1.0)]);
    assert!(find(&none, "ship it").matches.is_empty());
}

#[test]
fn trap_ten_weak_matches_beat_an_exact_one() {
    let weak: Vec<String> = (0..10).map(|n| format!("production report number {n}")).collect();
    let mut routes = vec![("mcp__hub__merge", "ship it to production", 1.0)];
    routes.extend(weak.iter().map(|query| ("mcp__mail__send", query.as_str(), 1.0)));
    let index = index(TOOLS, &routes);
    let found = find(&index, "ship it to production");
    assert_eq!(order(&found), ["mcp__hub__merge", "mcp__mail__send"]);
    // Nor do they make the closest of them closer.
    let one = self::index(TOOLS, &routes[..2]);
    let score = |found: &Found| found.matches[1].route.unwrap().closeness;
    assert!((score(&found) - score(&find(&one, "ship it to production"))).abs() < 0.2);
    assert!(found.matches[0].score > 2.0 * found.matches[1].score);
}

#[test]
fn ten_queries_that_agree_count_for_more_than_one() {
    let queries =
        ["apple pie", "apple tart", "apple cake", "apple jam", "apple juice", "apple mash"];
    let score = |count: usize, sure: f64| {
        let of =
            |tool: &'static str| queries[..count].iter().map(move |query| (tool, *query, sure));
        let others =
            [("mcp__cal__create_event", "next week", 1.0), ("deployPreview", "ship it", 1.0)];
        let routes: Vec<_> = of("mcp__mail__send").chain(others).collect();
        find(&index(TOOLS, &routes), "apple crumble").matches[0].score
    };
    let scores: Vec<f64> = (1..=queries.len()).map(|count| score(count, 1.0)).collect();
    assert!(scores.windows(2).all(|pair| pair[0] < pair[1]), "{scores:?}");
    assert!(scores[5] < score(1, 1.0) + 0.6 && score(6, 0.3) < scores[5]);
}

#[test]
fn one_query_of_another_tool_does_not_outweigh_the_text() {
    let routes = [
        ("mcp__mail__send", "lunch for everybody", 1.0),
        ("mcp__cal__create_event", "block friday", 1.0),
    ];
    let found = find(&index(TOOLS, &routes), "create lunch event for everybody");
    assert_eq!(order(&found)[..2], ["mcp__cal__create_event", "mcp__mail__send"]);
}

/// Bug: the description of another tool, word for word, came before it.
#[test]
fn the_learned_tool_comes_first_for_the_very_query() {
    let tools = [
        ("mcp__github__create_issue", "Create an issue in a repository"),
        ("mcp__github__list_issues", "List open issues of a repository"),
        ("mcp__jira__search", "Search tickets with a query"),
        ("mcp__slack__send", "Send a message to a channel"),
    ];
    let query = "create an issue in a repository";
    let found = find(&index(&tools, &[("mcp__jira__search", query, 1.0)]), query);
    assert_eq!(order(&found)[0], "mcp__jira__search");
}

#[test]
fn how_people_ask_tells_tools_apart_once_it_was_learned() {
    let routes = [
        ("mcp__hub__merge", "how do I see pancakes", 1.0),
        ("mcp__hub__merge", "how do I get pancakes", 1.0),
        ("mcp__mail__send", "please pass pancakes", 1.0),
        ("mcp__mail__send", "please move pancakes", 1.0),
    ];
    let index = index(TOOLS, &routes);
    assert_eq!(order(&find(&index, "how do I eat pancakes"))[0], "mcp__hub__merge");
    assert_eq!(order(&find(&index, "please eat pancakes"))[0], "mcp__mail__send");
    // Words that only ask find nothing beside others.
    assert!(find(&index, "how do I zzz").matches.is_empty());
}

#[test]
fn trap_a_habit_beats_an_exact_match() {
    let elsewhere: Vec<String> = (0..60).map(|n| format!("event number {n}")).collect();
    let habit: Vec<String> = (0..40).map(|n| format!("production report {n}")).collect();
    let mut routes = vec![("deployPreview", "ship production", 1.0)];
    routes.extend(habit.iter().map(|query| ("mcp__mail__send", query.as_str(), 1.0)));
    routes.extend(elsewhere.iter().map(|query| ("mcp__cal__create_event", query.as_str(), 1.0)));
    let found = find(&index(TOOLS, &routes), "ship production");
    assert_eq!(order(&found), ["deployPreview", "mcp__mail__send"]);
    // All that a habit says by itself is bounded.
    assert!(found.matches[1].words > 0.0 && found.matches[1].words <= 0.35);
}

#[test]
fn what_one_tool_of_a_server_learned_lifts_its_siblings() {
    let tools = [
        ("mcp__pager__list_alerts", "List alerts"),
        ("mcp__stock__list_alerts", "List alerts"),
        ("mcp__pager__page", ""),
        ("mcp__stock__buy", ""),
    ];
    let first = |confidence: f64| {
        let routes = [
            ("mcp__pager__page", "who is on call tonight", confidence),
            ("mcp__stock__buy", "order ten shares", confidence),
            ("mcp__stock__buy", "more shares", confidence),
        ];
        order(&find(&index(&tools, &routes), "alerts for shares"))[0].to_owned()
    };
    assert_eq!(first(1.0), "mcp__stock__list_alerts");
    // What is sure of nothing lends nothing: equal ones come by name.
    assert_eq!(first(0.0), "mcp__pager__list_alerts");
}

#[test]
fn a_first_lesson_about_something_else_costs_a_tool_no_place() {
    let tools = [("mcp__a__alpha_runner", "Deploys the alpha service"), ("gamma", "Notes")];
    let others: Vec<String> = (0..60).map(|at| format!("count number{at}")).collect();
    let deploys: Vec<String> = (0..10).map(|at| format!("deploy part{at}")).collect();
    let found = |lesson: Option<&str>| {
        let mut routes: Vec<(&str, &str, f64)> = Vec::new();
        routes.extend(deploys.iter().map(|query| ("gamma", query.as_str(), 1.0)));
        routes.extend(others.iter().map(|query| ("mcp__z__other", query.as_str(), 1.0)));
        routes.extend(lesson.map(|query| ("mcp__a__alpha_runner", query, 1.0)));
        find(&index(&tools, &routes), "deploy something for alpha team tonight")
    };
    assert_eq!(order(&found(None))[0], "mcp__a__alpha_runner");
    for lesson in ["restart alpha", "release the alpha service", "what is the weather"] {
        assert_eq!(order(&found(Some(lesson)))[0], "mcp__a__alpha_runner", "{lesson}");
    }
}

#[test]
fn synonyms_find_a_tool_and_count_less_than_the_word_itself() {
    let tools = [("a", "Deletes a branch"), ("b", "Removes a branch"), ("c", "Reads a branch")];
    let found = find(&index(&tools, &[]), "remove branches");
    assert_eq!(order(&found), ["b", "a", "c"]);
    let [exact, synonym, none] = [0, 1, 2].map(|at| found.matches[at].words);
    assert!(exact > synonym && synonym > none, "{found:?}");
    assert_eq!(found.matches[1].met, ["branches", "remove"]);
}

#[test]
fn trap_an_empty_query_that_matches_everything() {
    for text in ["", "   ", "?!.", "\u{1f680}", "\u{200b}"] {
        assert!(matches!(Question::new(text), Err(Refusal::Invalid(_))), "{text:?}");
    }
    // Learned by accident, it is found by nothing.
    let index = index(TOOLS, &[("mcp__hub__merge", "", 1.0), ("mcp__hub__merge", "?!", 1.0)]);
    assert_eq!(find(&index, "production").familiarity, 0.0);
    assert!(find(&index, "production").matches.is_empty());
    let refused = Question::new(&"x".repeat(1 << 20)).unwrap_err();
    assert_eq!(refused, Refusal::TooLarge { what: "query", bytes: 1 << 20, limit: 65_536 });
}

#[test]
fn trap_dead_tools_filling_every_slot() {
    let mut tools: Vec<(String, &str)> =
        (0..50).map(|n| (format!("dead{n}"), "ship a release")).collect();
    tools.push(("alive".into(), "notes"));
    let mut index = SearchIndex::new();
    for (id, (tool, text)) in (0..).zip(&tools) {
        index.put_tool(&name(tool), text);
        learn(&mut index, id, tool, "ship the release", 1.0);
    }
    learn(&mut index, 99, "gone", "ship the release", 1.0);
    let question = Question::new("ship the release notes").unwrap();
    let wanted = |tool: &ToolName| tool.as_str() == "alive";
    let found = index.find(&question, 3, &Meaning::default(), wanted);
    assert_eq!(order(&found), ["alive"]);
    let (_, routes) = index.find_routes(&question, 3, &Meaning::default(), wanted);
    assert_eq!(routes.iter().map(|route| route.id).collect::<Vec<_>>(), [RouteId(50)]);
    // Nor do they make it familiar.
    let none = index.find(&question, 3, &Meaning::default(), |_| false);
    assert_eq!((none.familiarity, none.matches.len()), (0.0, 0));
}

#[test]
fn what_is_vaguely_alike_does_not_displace_what_is_new() {
    let tools = [("old", "Write a summary of a text"), ("new", "Write a poem about the sea")];
    let routes = [("old", "write a short text about my week", 1.0)];
    let index = index(&tools, &routes);
    assert_eq!(order(&find(&index, "write about the sea"))[0], "new");
    // What is clearly known wins.
    assert_eq!(order(&find(&index, "write a short text about my week"))[0], "old");
}

#[test]
fn meaning_is_blended_on_the_same_scale() {
    let index = index(TOOLS, &[("mcp__hub__merge", "ship it", 1.0)]);
    let question = Question::new("unheard of").unwrap();
    let ask = |meaning: &Meaning| index.find(&question, 5, meaning, |_| true);
    let mut meaning = Meaning::default();
    meaning.routes.push((RouteId(1), 0.8));
    let found = ask(&meaning);
    assert_eq!((found.familiarity, order(&found)), (0.8, vec!["mcp__hub__merge"]));
    let best = found.matches[0].route.unwrap();
    assert_eq!((best.closeness, best.words, best.meaning), (0.8, 0.0, Some(0.8)));
    meaning.routes = vec![(RouteId(1), -0.5)];
    meaning.tools.insert(name("mcp__mail__send"), 0.7);
    let found = ask(&meaning);
    assert_eq!((found.familiarity, order(&found)), (0.0, vec!["mcp__mail__send"]));
    assert_eq!(found.matches[0].score, 0.7);
}

#[test]
fn of_a_route_that_is_handed_over_twice_the_greater_cosine_counts() {
    let index = index(TOOLS, &[("mcp__hub__merge", "so", 1.0)]);
    let question = Question::new("unheard of").unwrap();
    for cosines in [[0.9, 0.3], [0.3, 0.9]] {
        let routes = vec![(RouteId(1), cosines[0]), (RouteId(9), 0.1), (RouteId(1), cosines[1])];
        let meaning = Meaning { routes, ..Meaning::default() };
        let (familiarity, found) = index.find_routes(&question, 9, &meaning, |_| true);
        assert_eq!((familiarity, found[0].closeness, found.len()), (0.9, 0.9, 1));
    }
}

/// The tool of a route, its query, and in quarters its confidence and the cosine of its vector.
type Near = (usize, String, u8, i8);

/// Few values, so that many are equal.
fn near() -> impl Strategy<Value = Near> {
    let words = prop::collection::vec(
        prop::sample::select(vec!["send", "mail", "invoice", "merge", "unheard", "of"]),
        0..5,
    );
    (0..5_usize, words.prop_map(|words| words.join(" ")), 0..=4_u8, -1..=4_i8)
}

proptest! {
    /// By words and meaning at once, what looking at each route by itself would give.
    #[test]
    fn the_best_route_of_each_tool_is_found(routes in prop::collection::vec(near(), 0..40)) {
        use std::collections::BTreeMap;
        let question = Question::new("send the invoice by mail").unwrap();
        let wanted = |tool: &ToolName| tool.as_str() != TOOLS[4].0;
        let find = |some: &[(u128, &Near)], limit: usize| {
            let (mut index, mut meaning) = (index(TOOLS, &[]), Meaning::default());
            for (id, (at, query, sure, near)) in some {
                learn(&mut index, *id, TOOLS[*at].0, query, f64::from(*sure) / 4.0);
                meaning.routes.push((RouteId(*id), f64::from(*near) / 4.0));
            }
            index.find_routes(&question, limit, &meaning, wanted)
        };
        let all: Vec<_> = (0..).zip(&routes).collect();
        let (mut nearest, mut best) = (0.0_f64, BTreeMap::<usize, LearnedMatch>::new());
        for each in &all {
            let (familiarity, found) = find(&[*each], 9);
            nearest = nearest.max(familiarity);
            for one in found {
                let known = best.entry(each.1.0).or_insert(one);
                if (one.score(), known.id) > (known.score(), one.id) {
                    *known = one;
                }
            }
        }
        let mut expected: Vec<LearnedMatch> = best.into_values().collect();
        expected.sort_by(|a, b| b.score().total_cmp(&a.score()).then(a.id.cmp(&b.id)));
        let (familiarity, found) = find(&all, 9);
        prop_assert_eq!(familiarity, nearest);
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(&find(&all, 2).1[..], &expected[..expected.len().min(2)]);
    }
}

fn words() -> impl Strategy<Value = String> {
    let words = "send mail merge merging branch web-search searchWeb the post help menus menu x1 \
                 report reports caf\u{e9}";
    let word = prop::sample::select(words.split(' ').collect::<Vec<_>>());
    prop::collection::vec(word, 0..5).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn answers_do_not_depend_on_the_order_in_which_an_index_was_filled(
        texts in prop::collection::btree_map(0..6_usize, words(), 0..7),
        queries in prop::collection::btree_map(0..9_u128, (0..7_usize, words(), 0..=4_u8), 0..10),
        limit in 0..8_usize,
    ) {
        let names = ["mcp__hub__send_mail", "mcp__hub__merge", "webSearch", "a", "b", "report", "unknown"];
        let tools: Vec<(ToolName, &String)> =
            texts.iter().map(|(at, text)| (name(names[*at]), text)).collect();
        let put = |index: &mut SearchIndex, (id, (at, query, sure)): (&u128, &(usize, String, u8))| {
            learn(index, *id, names[*at], query, f64::from(*sure) / 4.0);
        };
        let (mut one, mut other) = (SearchIndex::new(), SearchIndex::new());
        tools.iter().for_each(|(tool, text)| one.put_tool(tool, text));
        queries.iter().for_each(|route| put(&mut one, route));
        queries.iter().rev().for_each(|route| put(&mut other, route));
        tools.iter().rev().for_each(|(tool, text)| other.put_tool(tool, text));
        prop_assert_eq!((one.tools(), one.routes()), (tools.len(), queries.len()));
        for text in ["send the mail", "merge", "web search", "websearch", "rep", "cafe x1 reports", "a", "join menus", "help the"] {
            let question = Question::new(text).unwrap();
            let meaning = Meaning::default();
            for wanted in [None, Some("report")] {
                let wanted = |tool: &ToolName| wanted.is_none_or(|name| name != tool.as_str());
                let found = one.find(&question, limit, &meaning, wanted);
                prop_assert_eq!(&found, &other.find(&question, limit, &meaning, wanted));
                for each in &found.matches {
                    prop_assert!(each.score > 0.0 && each.score <= 1.0, "{:?}", each);
                }
                prop_assert!(found.matches.len() <= limit);
                prop_assert!(found.matches.windows(2).all(|pair| pair[0].score >= pair[1].score));
                prop_assert_eq!(
                    one.find_routes(&question, limit, &meaning, wanted),
                    other.find_routes(&question, limit, &meaning, wanted)
                );
            }
        }
    }

    #[test]
    fn how_close_a_learned_query_is_does_not_depend_on_what_else_was_learned(
        others in prop::collection::vec(("[a-e]{1,2}( (quarterly|numbers|mail|the|ship))?", 0..5_usize), 0..12),
    ) {
        let question = Question::new("publish quarterly numbers").unwrap();
        let of_first = |routes: &[(&str, &str, f64)]| {
            let (_, found) =
                index(TOOLS, routes).find_routes(&question, 99, &Meaning::default(), |_| true);
            found.into_iter().find(|route| route.id == RouteId(1)).map(|route| route.closeness)
        };
        let first = ("mcp__mail__send", "publish the quarterly report", 1.0);
        let others = others.iter().map(|(query, at)| (TOOLS[*at].0, query.as_str(), 0.1));
        let all: Vec<_> = std::iter::once(first).chain(others).collect();
        prop_assert_eq!(of_first(&all), of_first(&[first]));
        prop_assert!(of_first(&[first]).is_some());
    }

    #[test]
    fn a_query_is_exactly_as_close_to_itself_as_can_be(words in "[a-zA-Z0-9 _-]{1,40}") {
        let Ok(question) = Question::new(&words) else { return Ok(()) };
        let index = index(TOOLS, &[("mcp__hub__merge", &words, 1.0), ("mcp__mail__send", "mail", 1.0)]);
        let found = index.find(&question, 9, &Meaning::default(), |_| true);
        prop_assert_eq!(found.familiarity, 1.0);
    }
}
