#[path = "../../../tests/all/corpus.rs"]
mod corpus;

use proptest::prelude::*;
use serde_json::json;

use self::corpus::{Kind, corpus};
use super::*;
use crate::install::client::{Client, Folders, Level};
use crate::install::shell::Program;

fn part_of(kind: Kind, program: &str) -> Part {
    let folders = Folders {
        home: "/h".into(),
        project: "/p".into(),
        claude: None,
        codex: None,
        config: None,
    };
    let program = Program { path: program.into(), options: Vec::new() };
    let (client, at) = match kind {
        Kind::ClaudeSettings => (Client::ClaudeCode, 0),
        Kind::ClaudeServers => (Client::ClaudeCode, 1),
        Kind::CodexHooks => (Client::Codex, 0),
        Kind::CodexToml => (Client::Codex, 1),
        Kind::CursorHooks => (Client::Cursor, 0),
        Kind::CursorServers => (Client::Cursor, 1),
        Kind::VscodeServers => (Client::Vscode, 0),
        Kind::GeminiSettings => (Client::Gemini, 0),
    };
    client.targets(Level::User, &folders, &program, false)[at].part.clone()
}

pub(crate) fn hooks() -> Part {
    part_of(Kind::ClaudeSettings, "/opt/staleness")
}

pub(crate) fn server() -> Part {
    part_of(Kind::ClaudeServers, "/opt/staleness")
}

pub(crate) fn toml() -> Part {
    part_of(Kind::CodexToml, "/opt/staleness")
}

fn text(after: After) -> String {
    match after {
        After::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

/// Returns a file's value without our server.
fn of_others(part: &Part, text: &str) -> Json {
    match part {
        Part::Toml(_) => {
            let text = text.trim_start_matches('\u{feff}');
            let mut table: toml::Table = text.parse().unwrap();
            if let Some(servers) = table.get_mut("mcp_servers").and_then(|each| each.as_table_mut())
            {
                servers.remove("staleness");
            }
            table
                .retain(|key, value| key != "mcp_servers" || !value.as_table().unwrap().is_empty());
            serde_json::to_value(table).unwrap()
        }
        _ => {
            let mut value = Doc::new(text).unwrap().value().unwrap();
            for key in ["mcpServers", "servers"] {
                let servers = value.get_mut(key).and_then(Json::as_object_mut);
                let own = servers.filter(|servers| servers.get("staleness").is_some_and(is_own));
                own.map(|servers| servers.shift_remove("staleness"));
            }
            let text = value.to_string();
            serde_json::from_str(&text).unwrap()
        }
    }
}

fn is_own(entry: &Json) -> bool {
    entry["command"].as_str().is_some_and(|command| command.contains("/opt/"))
}

#[test]
fn every_file_of_the_corpus_comes_back_byte_for_byte() {
    let corpus = corpus();
    assert!(corpus.len() >= 100, "{}", corpus.len());
    let mut without_backup = 0;
    for (kind, before) in &corpus {
        let part = part_of(*kind, "/opt/a b/staleness");
        let installed = part.install(before).unwrap_or_else(|fault| panic!("{fault:?}: {before}"));
        let again = part.install(&installed).unwrap();
        assert_eq!(again, installed, "a second time changes nothing: {before}");
        if installed == *before {
            // Everything in it was written by hand.
            assert_eq!(part.uninstall(&installed, None).unwrap(), After::Same);
            continue;
        }
        assert!(part.is_in(&installed) && !part.is_in(before), "{installed}");
        assert_eq!(text(part.uninstall(&installed, Some(before)).unwrap()), *before);
        without_backup += usize::from(part.remove(&installed, before).unwrap() == *before);
    }
    // Without the earlier text, the original form of an empty value is unknown: null, {} or whitespace.
    assert!(without_backup * 10 >= corpus.len() * 8, "{without_backup} of {}", corpus.len());
}

#[test]
fn nothing_of_others_changes_whatever_the_file() {
    for (kind, before) in corpus() {
        let part = part_of(kind, "/opt/staleness");
        let installed = part.install(&before).unwrap();
        // All other lines are still there in order, apart from commas.
        let lines = |text: &str| -> Vec<String> {
            let lines = text.lines().map(|line| line.trim_end_matches('\r').to_owned());
            lines.filter(|line| line.trim().len() > 2).collect()
        };
        let after = lines(&installed);
        let mut rest = after.iter();
        if before.trim().contains('\n') && !before.contains("null") && !before.contains('…') {
            for line in lines(&before) {
                let bare = line.trim_end_matches([']', '}', ' ', ',']).to_owned();
                let found =
                    rest.any(|other| other.replace(',', "").contains(&bare.replace(',', "")));
                assert!(found, "{line:?} of {before}\n{installed}");
            }
        }
        if matches!(part, Part::Json(None, Some(_)) | Part::Toml(_)) {
            let (mut before, after) = (of_others(&part, &before), of_others(&part, &installed));
            for key in ["mcpServers", "servers"] {
                let is_new = before.get(key).is_none_or(Json::is_null) && after.get(key).is_some();
                if is_new {
                    before[key] = json!({});
                }
            }
            assert_eq!(before, after);
        }
    }
}

#[test]
fn edits_of_others_after_init_stay() {
    let part = hooks();
    let before = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n";
    let installed = part.install(before).unwrap();
    let edited = installed.replace("\"opus\"", "\"sonnet\"");
    let left = text(part.uninstall(&edited, Some(before)).unwrap());
    assert_eq!(left, before.replace("opus", "sonnet"));
    // The user adds a hook beside ours, and one after it.
    let end = "\n          }";
    let ours = installed.find("hook --client").unwrap();
    let at = ours + installed[ours..].find(end).unwrap();
    let mut edited = installed.clone();
    let theirs = format!("{end},\n          {{\"type\": \"command\", \"command\": \"theirs\"}}");
    edited.replace_range(at..at + end.len(), &theirs);
    let left = text(part.uninstall(&edited, Some(before)).unwrap());
    assert!(left.contains("theirs") && !left.contains("staleness"), "{left}");
    assert!(left.contains("\"Stop\": []"), "{left}");
    Doc::new(&left).unwrap();
}

#[test]
fn a_program_that_moved_is_brought_up_to_date() {
    for (kind, before) in corpus() {
        let (old, new) =
            (part_of(kind, "/old/staleness"), part_of(kind, r"C:\new dir\staleness.exe"));
        let installed = old.install(&before).unwrap();
        let moved = new.install(&installed).unwrap();
        assert!(!moved.contains("/old/"), "{moved}");
        assert_eq!(moved, new.install(&moved).unwrap());
        if moved != before {
            assert_eq!(text(new.uninstall(&moved, Some(&before)).unwrap()), before, "{moved}");
        }
    }
}

#[test]
fn what_a_person_added_to_our_entries_survives_an_update() {
    let (old, new) = (part_of(Kind::ClaudeServers, "/old/staleness"), server());
    let installed = old.install("").unwrap();
    let edited = installed.replace("\"type\": \"stdio\",", "\"type\": \"stdio\", \"timeout\": 9,");
    let moved = new.install(&edited).unwrap();
    assert!(moved.contains("\"timeout\": 9,") && moved.contains("/opt/staleness"), "{moved}");
    assert_eq!(new.uninstall(&moved, None).unwrap(), After::Gone);
    let installed = toml().install("model = 'x'\n").unwrap();
    let edited =
        format!("{installed}# note\n[mcp_servers.staleness.env]\nA = 'b'\n\n[other]\nx = 1\n");
    let left = text(toml().uninstall(&edited, Some("model = 'x'\n")).unwrap());
    assert_eq!(left, "model = 'x'\n# note\n\n[other]\nx = 1\n");
}

#[test]
fn a_hook_by_hand_is_not_doubled_and_not_removed() {
    let part = hooks();
    let by_hand = "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"staleness hook\"}]}]}}";
    let installed = part.install(by_hand).unwrap();
    assert_eq!(installed.matches("staleness hook").count(), 7, "{installed}");
    assert_eq!(part.notes(&installed).len(), 1);
    assert_eq!(text(part.uninstall(&installed, None).unwrap()), by_hand);
}

#[test]
fn hooks_without_number_are_refused() {
    let one = r#"{"type": "command", "command": "/opt/staleness hook --client claude-code"},"#;
    let text = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{}]}}]}}}}"#, one.repeat(201));
    assert!(hooks().install(&text).is_err() && hooks().remove(&text, "").is_err());
    let few = text.replace(&one.repeat(150), "");
    assert_eq!(hooks().install(&few).unwrap().matches("/opt/staleness hook").count(), 7);
}

#[test]
fn a_persons_hooks_with_an_absolute_path_are_theirs() {
    let line = "/usr/bin/staleness hook --store sqlite:/x";
    let group = |matcher: &str, line: &str| {
        format!(r#"{{{matcher}"hooks": [{{"type": "command", "command": "{line}"}}]}}"#)
    };
    let ours = "/usr/bin/staleness hook --client claude-code";
    let theirs = [
        group(r#""matcher": "Bash", "#, line),
        group(r#""matcher": "mcp__.*", "#, line),
        group("", line),
        group(r#""matcher": "Edit", "#, ours),
    ];
    let before = format!(r#"{{"hooks": {{"PostToolUse": [{}]}}}}"#, theirs.join(", "));
    let installed = hooks().install(&before).unwrap();
    assert!(installed.contains(&theirs.join(", ")), "{installed}");
    assert_eq!(hooks().install(&installed).unwrap(), installed);
    let added = installed.matches("/opt/staleness hook --client claude-code").count();
    assert_eq!(added, 6, "by hand is enough: {installed}");
    for kept in [Some(before.as_str()), None] {
        assert_eq!(text(hooks().uninstall(&installed, kept).unwrap()), before);
    }
    assert_eq!(hooks().uninstall(&before, None).unwrap(), After::Same);
    let cursor = part_of(Kind::CursorHooks, "/opt/staleness");
    let narrowed = r#"{"version": 1, "hooks": {"postToolUse": [{"matcher": "Shell", "command": "/opt/staleness hook --client cursor"}]}}"#;
    let installed = cursor.install(narrowed).unwrap();
    assert_eq!(text(cursor.uninstall(&installed, None).unwrap()), narrowed);
}

#[test]
fn the_skill_is_a_file_of_its_own() {
    let skill = Part::Skill.install("").unwrap();
    assert!(skill.starts_with("---\nname: staleness\ndescription: ") && !skill.contains(HASH));
    let crlf = skill.replace('\n', "\r\n");
    assert_eq!(Part::Skill.install(&crlf).unwrap(), crlf);
    let older = format!("---\nname: staleness\n---\n{MARK}{HASH}); x -->\nolder\n");
    let older = older.replacen(HASH, &hash(&older), 1);
    assert_eq!(Part::Skill.install(&older).unwrap(), skill);
    for untouched in [&skill, &crlf, &older] {
        assert_eq!(Part::Skill.uninstall(untouched, None).unwrap(), After::Gone, "{untouched}");
    }
    for edited in [format!("{skill}more\n"), older.replace("older", "edited")] {
        assert!(Part::Skill.install(&edited).unwrap_err().what.contains("edited by hand"));
        assert_eq!(Part::Skill.uninstall(&edited, None).unwrap(), After::Same);
        assert_eq!(Part::Skill.notes(&edited).len(), 1);
    }
    assert!(Part::Skill.install("---\nname: staleness\n---\nmine\n").is_err());
}

/// Generates a value of a settings file.
fn value(depth: u32) -> BoxedStrategy<Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i32>().prop_map(Json::from),
        "[ -~é\u{1f680}]{0,8}".prop_map(Json::from),
    ];
    leaf.prop_recursive(depth, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec(("[a-z]{1,6}", inner), 0..4)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
    .boxed()
}

/// Writes a value with the given indentation, line endings, comments and trailing commas.
fn written(
    value: &Json,
    unit: &str,
    newline: &str,
    comments: bool,
    trailing: bool,
    depth: usize,
) -> String {
    let indent = format!("{newline}{}", unit.repeat(depth + 1));
    let (brackets, items): ([&str; 2], Vec<String>) = match value {
        Json::Object(members) => (
            ["{", "}"],
            members
                .iter()
                .map(|(key, each)| {
                    let inner = written(each, unit, newline, comments, trailing, depth + 1);
                    format!("{}: {inner}", Json::from(key.as_str()))
                })
                .collect(),
        ),
        Json::Array(list) => (
            ["[", "]"],
            list.iter()
                .map(|each| written(each, unit, newline, comments, trailing, depth + 1))
                .collect(),
        ),
        scalar => return scalar.to_string(),
    };
    let mut text = brackets[0].to_owned();
    let last = items.len().saturating_sub(1);
    for (at, item) in items.iter().enumerate() {
        let comma = if at < last || trailing { "," } else { "" };
        let comment = match (comments && newline.contains('\n'), at % 3) {
            (true, 0) => " // \"a\": [1, {",
            (true, 1) => " /* }, */",
            _ => "",
        };
        text.push_str(&format!("{indent}{item}{comma}{comment}"));
    }
    if !items.is_empty() {
        text.push_str(&format!("{newline}{}", unit.repeat(depth)));
    }
    text + brackets[1]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_settings_come_back(
        others in value(3),
        hooks_there in prop_oneof![Just(None), value(2).prop_map(Some)],
        servers_there in prop_oneof![Just(None), value(2).prop_map(Some)],
        unit in prop_oneof![Just("  "), Just("    "), Just("\t"), Just("")],
        newline in prop_oneof![Just("\n"), Just("\r\n"), Just("")],
        comments: bool, trailing: bool, bom: bool, at in 0usize..8,
    ) {
        let mut root = json!({ "others": others });
        if let Some(there) = hooks_there {
            root["hooks"] = there;
        }
        if let Some(there) = servers_there {
            root["mcpServers"] = there;
        }
        root["last"] = json!({ "x": [1, 2] });
        let bom = if bom { "\u{feff}" } else { "" };
        let text = format!("{bom}{}{newline}", written(&root, unit, newline, comments, trailing, 0));
        let kinds = [Kind::ClaudeSettings, Kind::ClaudeServers, Kind::CodexHooks, Kind::CursorHooks,
            Kind::CursorServers, Kind::VscodeServers, Kind::GeminiSettings, Kind::ClaudeSettings];
        let part = part_of(kinds[at], "/opt/staleness");
        // A structure that clients do not read may be rejected.
        if let Ok(installed) = part.install(&text) {
            prop_assert_eq!(&part.install(&installed).unwrap(), &installed);
            prop_assert_eq!(part.uninstall(&installed, Some(&text)).unwrap(), After::Text(text.clone()));
            // Without the earlier text, other entries must not be lost either.
            let bare = part.remove(&installed, &text).unwrap();
            prop_assert!(!part.is_in(&bare));
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "(?s)[{}\\[\\]\":,/*\n\r \\\\a-c\u{feff}é#=.]{0,60}", at in 0usize..4) {
        let kinds = [Kind::ClaudeSettings, Kind::ClaudeServers, Kind::CursorHooks, Kind::CodexToml];
        let part = part_of(kinds[at], "/opt/staleness");
        let _ = part.notes(&text);
        let _ = crate::install::diff::unified(&part, "f", Some(&text), Some("x"));
        if let Ok(installed) = part.install(&text) {
            let back = part.uninstall(&installed, Some(&text)).unwrap();
            prop_assert!(back == After::Text(text.clone()) || (back == After::Same && installed == text));
        }
    }
}
