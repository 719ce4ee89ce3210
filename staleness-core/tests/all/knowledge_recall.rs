//! Recall: which items a question finds.

use crate::items::*;
use proptest::prelude::*;
use staleness_core::knowledge::{Context, Item, ItemKind, RecallIndex, Recalled};
use staleness_core::report::{KnowledgeReport, RecallReport};

fn note(id: &str, kind: ItemKind, body: &str) -> Item {
    Item { body: body.into(), ..item(kind, id, 1) }
}

fn notes() -> Vec<Item> {
    use ItemKind::{Document, Knowledge, Preference, Reference, Todo};
    let mut notes = vec![
        note("deploy", Knowledge, "We deploy to staging with make release, never by hand."),
        note("cache", Knowledge, "The cache is invalidated by the web-search worker every hour."),
        note(
            "style",
            Preference,
            "Write commit messages in the imperative; keep the subject short.",
        ),
        note("docs", Todo, "Describe how searchIssues pages through results"),
        note("wiki", Reference, "The runbook for database backups is in the wiki"),
        note(
            "readme",
            Document,
            "Caf\u{e9} opening hours and the cr\u{e8}me br\u{fb}l\u{e9}e recipe",
        ),
        note("old", Knowledge, "Logs are rotated weekly by logrotate on each host"),
        note("done", Todo, "Rotate the signing keys of the package registry"),
    ];
    notes[0].keywords.insert("release-process".into());
    notes[6].added_at = ago(900);
    notes[7].done_at = Some(ago(1));
    notes
}

fn ask(notes: &[Item], question: &str, meaning: &[f64], context: &Context) -> Vec<Recalled> {
    let items: Vec<&Item> = notes.iter().collect();
    RecallIndex::new(&items).recall(&items, question, meaning, context, 10)
}

fn found(question: &str) -> Vec<String> {
    let notes = notes();
    let found = ask(&notes, question, &[], &context());
    found.into_iter().map(|each| notes[each.at].key.id.to_string()).collect()
}

#[test]
fn every_threshold_is_reached_by_words_alone() {
    for (question, id) in [
        ("how do we deploy to staging?", "deploy"),
        ("release process", "deploy"),
        ("commit messages", "style"),
        ("pages through results", "docs"),
        ("database backups runbook", "wiki"),
        ("caf\u{e9} opening hours", "readme"),
    ] {
        assert_eq!(found(question), [id], "{question}");
    }
}

#[test]
fn spelling_is_read_as_a_person_means_it() {
    for (question, id) in [
        ("websearch", "cache"),
        ("web search", "cache"),
        ("web-search", "cache"),
        ("web_search", "cache"),
        ("search issues", "docs"),
        ("searchissues", "docs"),
        ("SEARCH_ISSUES", "docs"),
        ("cafe creme brulee", "readme"),
        ("CAFE", "readme"),
        ("invalid cache", "cache"),
        ("deploying", "deploy"),
        ("caches", "cache"),
        ("rotating log", "old"),
        ("stag", "deploy"),
    ] {
        let found = found(question);
        assert!(found.contains(&id.to_owned()), "{question}: {found:?}");
    }
}

#[test]
fn trap_an_empty_question_matches_nothing() {
    for question in ["", "  ", "?!", "\u{1f680}", "the", "how do I do this for you"] {
        assert_eq!(found(question), Vec::<String>::new(), "{question:?}");
        let meant = ask(&notes(), question, &[1.0; 8], &context());
        assert!(meant.is_empty(), "{question:?}");
    }
}

#[test]
fn what_has_nothing_to_do_with_the_question_stays_away() {
    for question in ["kubernetes", "invoice payment", "xyzzy deploy plugh quux"] {
        assert_eq!(found(question), Vec::<String>::new(), "{question}");
    }
}

#[test]
fn done_to_dos_are_not_recalled_and_stale_items_are_marked() {
    assert!(found("signing keys of the package registry").is_empty());
    let meant = ask(&notes(), "anything", &[1.0; 8], &context());
    assert_eq!(meant.len(), 7, "nor by meaning");
    let notes = notes();
    let old = ask(&notes, "logs rotated weekly", &[], &context());
    assert_eq!(old.len(), 1);
    let report = KnowledgeReport::of_item(&notes[old[0].at], &[], &context());
    let report = RecallReport::new(report, old[0].score);
    assert_eq!(report.mark, Some("[stale]"));
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["id"], "old");
    assert_eq!(json["verdict"]["level"], "stale");
    assert!(json["score"].as_f64().unwrap() >= 0.7);
}

#[test]
fn meaning_alone_reaches_the_thresholds_and_both_agree() {
    let mut meaning = [0.0; 8];
    meaning[4] = 0.8;
    meaning[1] = 0.69;
    meaning[2] = 0.3;
    meaning[3] = f64::NAN;
    let notes = notes();
    let found = ask(&notes, "unheard of", &meaning, &context());
    assert_eq!(found.iter().map(|each| each.at).collect::<Vec<_>>(), [4, 2]);
    assert!((found[0].score - 0.8).abs() < 1e-9);
}

#[test]
fn thresholds_are_those_of_the_kind_and_of_the_policy() {
    let strict = under("kind.knowledge.recall_from = 1.0");
    assert!(ask(&notes(), "deploy", &[], &strict).is_empty());
    let body = "alpha beta gamma delta";
    let all: Vec<Item> =
        ItemKind::ALL.into_iter().map(|kind| note(kind.as_str(), kind, body)).collect();
    let kinds = |question: &str| -> Vec<ItemKind> {
        ask(&all, question, &[], &context()).into_iter().map(|each| all[each.at].kind).collect()
    };
    use ItemKind::{Document, Knowledge, Preference, Reference, Todo};
    assert_eq!(kinds("alpha beta gamma"), [Document, Knowledge, Preference, Reference, Todo]);
    assert_eq!(kinds("alpha unheard beta"), [Preference, Todo], "two of three words");
    assert_eq!(kinds("alpha beta gamma unheard"), [Preference, Todo]);
}

#[test]
fn a_rare_word_weighs_more_than_a_common_one() {
    let mut notes: Vec<Item> = (0..50)
        .map(|n| note(&format!("n{n:02}"), ItemKind::Preference, "server configuration notes"))
        .collect();
    notes.push(note("rare", ItemKind::Preference, "tokio runtime notes for it"));
    let found = ask(&notes, "tokio server", &[], &context());
    assert_eq!(notes[found[0].at].key.id.as_str(), "rare");
    assert_eq!(found.len(), 1, "the word that all others share says little");
}

#[test]
fn keywords_count_more_than_text_and_equal_scores_are_in_order_of_their_keys() {
    let mut notes = vec![
        note("c", ItemKind::Preference, "gears and wheels"),
        note("b", ItemKind::Preference, "gears and wheels"),
        note("a", ItemKind::Preference, "levers and wheels"),
    ];
    notes[2].keywords.insert("gears".into());
    let order: Vec<usize> =
        ask(&notes, "gears", &[], &context()).into_iter().map(|each| each.at).collect();
    assert_eq!(order, [2, 1, 0]);
    let items: Vec<&Item> = notes.iter().collect();
    let index = RecallIndex::new(&items);
    for limit in 0..4 {
        let some = index.recall(&items, "gears", &[], &context(), limit);
        let some: Vec<usize> = some.into_iter().map(|each| each.at).collect();
        assert_eq!(some, order[..limit.min(3)]);
    }
}

proptest! {
    #[test]
    fn scores_stay_within_their_bounds_whatever_the_mix(
        bodies in proptest::collection::vec("[a-dA-D é_.-]{0,24}", 0..12),
        question in "[a-dA-D é_.-]{0,16}",
        meaning in proptest::collection::vec(-2.0..2.0, 0..12),
    ) {
        let notes: Vec<Item> = bodies
            .iter()
            .enumerate()
            .map(|(n, body)| note(&format!("n{n}"), ItemKind::Preference, body))
            .collect();
        let found = ask(&notes, &question, &meaning, &context());
        for pair in found.windows(2) {
            prop_assert!(pair[0].score >= pair[1].score);
        }
        for each in &found {
            prop_assert!((0.3..=1.0).contains(&each.score), "{:?}", each);
            prop_assert!(each.score >= each.words.max(each.meaning) - 1e-9);
        }
    }

    #[test]
    fn an_index_for_one_question_answers_it_as_the_whole_index_does(
        bodies in proptest::collection::vec("[a-cA-C é_.-]{0,24}|[a-cA-C _.7-]{0,100}", 0..12),
        question in "[a-cA-C é_.-]{0,16}|[abc]{2,5}(ed|ing|ies|s)",
    ) {
        let notes: Vec<Item> = bodies
            .iter()
            .enumerate()
            .map(|(n, body)| note(&format!("a{n}"), ItemKind::Preference, body))
            .collect();
        let notes: Vec<&Item> = notes.iter().collect();
        let whole = RecallIndex::new(&notes).closeness(&question);
        prop_assert_eq!(RecallIndex::for_question(&notes, &question).closeness(&question), whole);
    }

    #[test]
    fn an_item_is_found_by_its_own_text(words in proptest::collection::vec("[a-z]{3,9}", 1..8)) {
        let body = words.join(" ");
        let notes = [note("zz", ItemKind::Reference, &body), note("yy", ItemKind::Reference, "0 1 2")];
        let telling = staleness_core::text::terms(&body).iter().any(|word| {
            !["and", "can", "for", "from", "how", "please", "that", "the", "this", "use", "using", "want",
              "when", "which", "with", "you", "your"].contains(&word.as_str())
        });
        let found = ask(&notes, &body, &[], &context());
        prop_assert_eq!(found.first().map(|each| each.at), telling.then_some(0));
    }
}
