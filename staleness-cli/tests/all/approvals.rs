//! Servers that wait for a person: for an approval, or for trust in a folder.

use serde_json::json;

use crate::common::Sandbox;

/// A cloned repository may bring what approves its servers; `claude mcp list` calls them pending until it is trusted.
#[test]
fn nothing_in_a_project_that_is_not_trusted_approves_its_servers() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.mcp.json", r#"{"mcpServers": {"team": {"command": "x"}}}"#);
    sandbox.write("project/.claude/settings.local.json", r#"{"enableAllProjectMcpServers": true}"#);
    let project = sandbox.project.to_str().unwrap();
    for (is_trusted, state) in [(false, "pending"), (true, "configured")] {
        let section = json!({ "hasTrustDialogAccepted": is_trusted });
        let config = json!({ "projects": { project: section } });
        sandbox.write("home/.claude.json", config.to_string());
        sandbox.ok(&["scan"]);
        assert_eq!(sandbox.tool("team")["clients"]["claude-code"], state);
    }
}
