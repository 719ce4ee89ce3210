//! Compares readings of outlines with readings of whole files.

use std::fs;

use proptest::prelude::*;

use super::super::{Outside, ScanRequest, read_outside};
use crate::outline::tests::text;
use staleness_docs::project::ProjectPlace;

/// All JSON files that are read. `~` is the home folder; other paths are relative to the project.
const FILES: &str = "~/.claude.json ~/.claude/settings.json \
                     ~/.claude/plugins/installed_plugins.json ~/.cursor/mcp.json \
                     ~/.config/Claude/claude_desktop_config.json ~/.config/Code/User/mcp.json \
                     ~/.codeium/windsurf/mcp_config.json ~/.gemini/settings.json \
                     ~/kit/.claude-plugin/plugin.json ~/kit/.mcp.json ~/kit/a .mcp.json \
                     .claude/settings.json .claude/settings.local.json .cursor/mcp.json \
                     .vscode/mcp.json .gemini/settings.json README.md \
                     ~/.config/Code/User/settings.json ~/.copilot/mcp-config.json \
                     ~/.copilot/settings.json ~/.config/opencode/opencode.json opencode.json \
                     opencode.jsonc ~/.config/zed/settings.json \
                     ~/.gemini/mcp-server-enablement.json ~/.gemini/trustedFolders.json \
                     ~/.gemini/extensions/extension-enablement.json \
                     ~/.gemini/extensions/kit/gemini-extension.json";

const INDEX: &str = r#"{"plugins": {"kit@market": [{"scope": "user", "installPath": "~/kit"}]}}"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn an_outline_reads_as_the_whole_file(
        texts in prop::collection::vec(text(), FILES.split(' ').count()),
        index in any::<bool>(),
    ) {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        let (home, folder) = (base.join("home"), base.join("PROJECT"));
        for (file, text) in FILES.split(' ').zip(texts) {
            let path = file.strip_prefix("~/").map_or_else(|| folder.join(file), |file| home.join(file));
            let text = if index && file.ends_with("installed_plugins.json") {
                INDEX.to_owned()
            } else {
                text.replace("/PROJECT", folder.to_str().unwrap())
            };
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let project = ProjectPlace::of_folder(folder);
        let request = ScanRequest::new(&home, &project);
        let mut outside = Outside::new(&request);
        let outlined = read_outside(&outside);
        outside.whole = true;
        prop_assert_eq!(outlined, read_outside(&outside));
    }
}
