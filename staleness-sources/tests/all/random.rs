//! No bytes make this crate panic.

use proptest::prelude::*;
use staleness_core::ids::Level;
use staleness_sources::hook;
use staleness_sources::live::tools_list;

use crate::clients::{JSON_FILES, put};
use crate::tree::Tree;

/// Text with the words that readers look for.
fn near_json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(":"),
        Just(","),
        Just("null"),
        Just("\"mcpServers\""),
        Just("\"servers\""),
        Just("\"projects\""),
        Just("\"plugins\""),
        Just("\"tool_name\""),
        Just("\"tool_response\""),
        Just("\"isError\""),
        Just("\"tools\""),
        Just("\"hook_event_name\""),
        Just("\"PostToolUse\""),
        Just("true"),
        Just("1e999"),
        Just("\"\\ud800\""),
        Just("\"é\u{1f680}\""),
        Just("\n"),
        Just("//"),
        Just("/*"),
        Just("'"),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        near_json().prop_map(String::into_bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn configuration(bytes in bytes()) {
        let tree = Tree::new();
        for (_, level, file, _) in JSON_FILES {
            put(&tree, level, file, &bytes);
        }
        for file in [".claude/settings.json", ".claude/plugins/installed_plugins.json", ".codex/config.toml", ".claude/commands/a.md"] {
            put(&tree, Level::User, file, &bytes);
        }
        let readings = tree.read();
        prop_assert_eq!(&readings, &tree.read());
    }

    #[test]
    fn plugins(bytes in bytes()) {
        let tree = Tree::new();
        let folder = tree.home.join("kit");
        tree.user(
            ".claude/plugins/installed_plugins.json",
            format!(r#"{{"plugins": {{"kit@m": [{{"installPath": {folder:?}}}]}}}}"#),
        );
        tree.user("kit/.claude-plugin/plugin.json", &bytes);
        tree.user("kit/.mcp.json", &bytes);
        tree.read();
    }

    #[test]
    fn payloads(bytes in bytes(), event in prop::option::of(".{0,20}")) {
        let _ = hook::parse(&bytes, None, event.as_deref());
        let _ = hook::parse(&bytes, Some("copilot"), Some("postToolUse"));
    }

    #[test]
    fn tool_lists(text in near_json(), server in prop::option::of(".{0,10}")) {
        let _ = tools_list(&text, server.as_deref(), "-", None);
    }
}
