//! Configuration files as people have them: the shapes of every supported client, with comments,
//! trailing commas, byte-order marks, CRLF, tabs, empty and minified ones.

/// A file of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ClaudeSettings,
    ClaudeServers,
    CodexHooks,
    CodexToml,
    CursorHooks,
    CursorServers,
    VscodeServers,
    GeminiSettings,
}

use Kind::{
    ClaudeServers, ClaudeSettings, CodexHooks, CodexToml, CursorHooks, CursorServers,
    GeminiSettings, VscodeServers,
};

/// Texts that must come back byte for byte.
pub(crate) fn corpus() -> Vec<(Kind, String)> {
    let mut all: Vec<(Kind, String)> =
        TEXTS.iter().map(|(kind, text)| (*kind, (*text).into())).collect();
    // The same as other editors would have left them.
    for (kind, text) in TEXTS.iter().filter(|(_, text)| text.contains("\n  ")).step_by(3) {
        all.push((*kind, text.replace('\n', "\r\n")));
        all.push((*kind, format!("\u{feff}{text}")));
        if *kind != CodexToml {
            all.push((*kind, text.replace("  ", "\t")));
        }
        all.push((*kind, text.trim_end().to_owned()));
    }
    all
}

/// Texts that nothing can be put into, with the line that is named.
pub(crate) const REFUSED: &[(Kind, &str, usize)] = &[
    (ClaudeSettings, "{\n  \"hooks\": 1,\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n", 3),
    (ClaudeSettings, "{\n  \"hooks\": {\n", 2),
    (ClaudeSettings, "{\n  \"a\": 1\n  \"b\": 2\n}\n", 2),
    (ClaudeSettings, "[]\n", 1),
    (ClaudeSettings, "null", 1),
    (ClaudeSettings, "{\n  \"hooks\": []\n}\n", 2),
    (ClaudeSettings, "{\n  \"hooks\": {\n    \"PostToolUse\": {}\n  }\n}\n", 3),
    (ClaudeSettings, "{a: 1}", 1),
    (ClaudeSettings, "{'a': 1}", 1),
    (
        ClaudeServers,
        "{\n  \"mcpServers\": {\"a\": {}},\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n",
        3,
    ),
    (ClaudeServers, "{\n  \"mcpServers\": []\n}\n", 2),
    (
        ClaudeServers,
        "{\n  \"mcpServers\": {\n    \"staleness\": {\"command\": \"node\"}\n  }\n}\n",
        3,
    ),
    (ClaudeServers, "{\"mcpServers\": {\"staleness\": null}}", 1),
    (ClaudeServers, "{\"mcpServers\": {\"a\": {}}, \"mcpServers\": {}} x", 1),
    (CursorHooks, "{\"version\": 1, \"hooks\": {\"sessionStart\": \"x\"}}", 1),
    (VscodeServers, "{\n  // comment\n  \"servers\": 7\n}\n", 3),
    (CodexToml, "[mcp_servers.a\n", 1),
    (CodexToml, "model = \"x\"\nmcp_servers = {}\n", 2),
    (CodexToml, "model = \"x\"\nmcp_servers = 7\n", 2),
    (CodexToml, "[mcp_servers.staleness]\nurl = \"https://example.org\"\n", 1),
    (CodexHooks, "\u{0}\u{0}\u{0}", 1),
];

const TEXTS: &[(Kind, &str)] = &[
    // Nothing, or nearly nothing.
    (ClaudeSettings, ""),
    (ClaudeSettings, "\n"),
    (ClaudeSettings, "\u{feff}"),
    (ClaudeSettings, "{}"),
    (ClaudeSettings, "{}\n"),
    (ClaudeSettings, "{ }\n"),
    (ClaudeSettings, "{\n}\n"),
    (ClaudeSettings, "{\n\n\n}\n"),
    (ClaudeSettings, "// mine\n"),
    (ClaudeSettings, "/* mine */ {} // too"),
    (ClaudeSettings, "{ /* nothing yet */ }\n"),
    (ClaudeSettings, "{\n  // nothing yet\n}\n"),
    // Settings with other things.
    (ClaudeSettings, "{\n  \"model\": \"opus\"\n}\n"),
    (ClaudeSettings, "{\n  \"model\": \"opus\",\n}\n"),
    (ClaudeSettings, "{\n  \"model\": \"opus\" // the big one\n}\n"),
    (ClaudeSettings, "{\n  \"model\": \"opus\", // the big one\n  // more to come\n}\n"),
    (ClaudeSettings, "{\n  \"model\": \"opus\" /* x */ , /* y */\n  /* z */\n}\n"),
    (
        ClaudeSettings,
        "{\n    \"env\": {\n        \"TOKEN\": \"secret\"\n    },\n    \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}\n",
    ),
    (
        ClaudeSettings,
        "{\n\t\"model\": \"opus\",\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"Read\"\n\t\t]\n\t}\n}\n",
    ),
    (ClaudeSettings, "{\"model\":\"opus\",\"env\":{\"A\":\"b\"}}"),
    (ClaudeSettings, "{\"model\": \"opus\", \"env\": {\"A\": \"b\"}}\n"),
    (ClaudeSettings, "{ \"model\": \"opus\" }\n"),
    (ClaudeSettings, "{\"model\":\"opus\"// c\n}"),
    (ClaudeSettings, "{\n \"a\": 1\n, \"b\": 2\n, \"c\": 3\n}\n"),
    (ClaudeSettings, "{\n  \"näme\": \"…\u{1f680}\",\n  \"\\u0061\": \"\\\"{}[],//\"\n}\n"),
    // Hooks of others, for the same events.
    (ClaudeSettings, "{\n  \"hooks\": null\n}\n"),
    (ClaudeSettings, "{\n  \"hooks\": {}\n}\n"),
    (ClaudeSettings, "{\n  \"hooks\": {\n    \"PostToolUse\": []\n  }\n}\n"),
    (ClaudeSettings, "{\n  \"hooks\": {\n    \"PostToolUse\": null\n  },\n  \"x\": []\n}\n"),
    (
        ClaudeSettings,
        "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n        \"matcher\": \"Edit|Write\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"prettier --write\"\n          }\n        ]\n      }\n    ]\n  }\n}\n",
    ),
    (
        ClaudeSettings,
        "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n        \"matcher\": \"*\",\n        \"hooks\": [{\"type\": \"command\", \"command\": \"a\"}, {\"type\": \"command\", \"command\": \"b\",},],\n      }, // last\n    ],\n    \"Stop\": [{\"hooks\": []}],\n  },\n}\n",
    ),
    (
        ClaudeSettings,
        "{\"hooks\":{\"SessionStart\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}],\"SessionEnd\":[]}}",
    ),
    (
        ClaudeSettings,
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"staleness-like hook\"}]}\n    ]\n  }\n}\n",
    ),
    (
        ClaudeSettings,
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"staleness hook\"}]}\n    ]\n  }\n}\n",
    ),
    (ClaudeSettings, "{\n  \"hooks\": {\"PostToolUse\": [{\"hooks\": \"odd\"}, 7, null, {}]}\n}\n"),
    // Servers.
    (ClaudeServers, "{\n  \"mcpServers\": null\n}\n"),
    (ClaudeServers, "{\n  \"mcpServers\": {}\n}\n"),
    (ClaudeServers, "{\n  \"mcpServers\": {\n  }\n}\n"),
    (
        ClaudeServers,
        "{\n  \"mcpServers\": {\n    \"github\": {\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"server\"\n      ],\n      \"env\": {\n        \"TOKEN\": \"secret\"\n      }\n    }\n  }\n}\n",
    ),
    (
        ClaudeServers,
        "{\n  \"mcpServers\": {\n    // \"old\": {\"command\": \"x\"},\n    \"a\": {\"type\": \"http\", \"url\": \"https://example.org/mcp\"},\n    \"b\": null, // off\n    \"c\": 7,\n  }, /* end */\n}\n",
    ),
    (
        ClaudeServers,
        "{\"numStartups\":12,\"mcpServers\":{\"a\":{\"command\":\"x\"}},\"projects\":{\"/home/me/p\":{\"mcpServers\":{},\"disabledMcpServers\":[\"a\"]}}}",
    ),
    (
        ClaudeServers,
        "{\n  \"projects\": {\n    \"/p\": {\n      \"mcpServers\": {\n        \"staleness\": {\n          \"command\": \"x\"\n        }\n      }\n    }\n  },\n  \"numStartups\": 3\n}",
    ),
    (ClaudeServers, "{\n  \"mcpServers\": {\"a\": {\"command\": \"x\"}}\n}\n"),
    (ClaudeServers, "{\n  \"mcpServers\": { \"a\": { \"command\": \"x\" } },\n}\n"),
    (
        ClaudeServers,
        "{\n  \"servers\": {\"a\": {}},\n  \"cachedGrowthBookFeatures\": {\"f\": [1, 2.50, 1e3, -0]}\n}\n",
    ),
    (
        ClaudeServers,
        "{\n  \"mcpServers\": {\n    \"staleness\": {\"command\": \"staleness\", \"args\": [\"mcp\"]}\n  }\n}\n",
    ),
    // Cursor.
    (CursorHooks, "{\n  \"version\": 1\n}\n"),
    (CursorHooks, "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n"),
    (
        CursorHooks,
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"afterFileEdit\": [{ \"command\": \"./format.sh\" }],\n    \"postToolUse\": [\n      {\n        \"command\": \"audit\"\n      }\n    ]\n  }\n}\n",
    ),
    (CursorHooks, "{\"version\":1,\"hooks\":{\"sessionStart\":[{\"command\":\"x\"}]}}"),
    (CursorHooks, "{\n  \"hooks\": {\n    \"stop\": [{\"command\": \"x\"}]\n  }\n}\n"),
    (
        CursorServers,
        "{\n  \"mcpServers\": {\n    \"db\": {\n      \"command\": \"uvx\",\n      \"args\": [\"mcp-db\", \"--dsn\", \"postgres://u:secret@h/d\"]\n    }\n  }\n}\n",
    ),
    (CursorServers, "{\n    \"mcpServers\": {}\n}"),
    // VS Code: comments and inputs.
    (VscodeServers, "{\n\t\"servers\": {},\n\t\"inputs\": []\n}\n"),
    (
        VscodeServers,
        "{\n\t// Servers of the team\n\t\"servers\": {\n\t\t\"github\": {\n\t\t\t\"type\": \"http\",\n\t\t\t\"url\": \"https://example.org/mcp/\"\n\t\t}, // read-only\n\t\t/* \"old\": {}, */\n\t},\n\t\"inputs\": [\n\t\t{ \"id\": \"token\", \"type\": \"promptString\", \"password\": true }\n\t]\n}",
    ),
    (VscodeServers, "{\"inputs\":[],\"servers\":{\"a\":{\"type\":\"stdio\",\"command\":\"x\"}}}"),
    (VscodeServers, "{\n  \"mcpServers\": {\"wrong\": {\"command\": \"place\"}}\n}\n"),
    // Gemini CLI: servers among settings.
    (
        GeminiSettings,
        "{\n  \"theme\": \"GitHub\",\n  \"mcp\": {\"excluded\": [\"x\"]},\n  \"mcpServers\": {\n    \"x\": {\"command\": \"x\", \"trust\": false}\n  }\n}\n",
    ),
    (
        GeminiSettings,
        "{\n  \"security\": {\n    \"auth\": {\n      \"selectedType\": \"oauth-personal\"\n    }\n  }\n}",
    ),
    (GeminiSettings, "{\n  // hidden\n  \"ui\": {\"theme\": \"Default\"}, // trailing\n}\n"),
    // Codex CLI.
    (
        CodexHooks,
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"notify\",\n            \"timeout\": 10\n          }\n        ]\n      }\n    ]\n  }\n}\n",
    ),
    (
        CodexHooks,
        "{\"hooks\":{\"PostToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}\n",
    ),
    (CodexToml, ""),
    (CodexToml, "\n\n"),
    (CodexToml, "model = \"gpt-5\"\n"),
    (CodexToml, "model = \"gpt-5\""),
    (
        CodexToml,
        "# mine\nmodel = 'gpt-5' # the good one\n\n[mcp_servers.docs]\ncommand = \"npx\"\nargs = [\n  \"-y\", # yes\n  \"docs\",\n]\nenv = { TOKEN = \"secret\" }\nenabled = false\n",
    ),
    (
        CodexToml,
        "mcp_servers.a.command = \"x\"\n\n[projects.\"/home/me/p\"]\ntrust_level = \"trusted\"\n",
    ),
    (
        CodexToml,
        "[mcp_servers]\n\n[mcp_servers.a]\ncommand = \"x\"\n\n[mcp_servers.a.env]\n  A = \"b\"\n\n\n",
    ),
    (CodexToml, "[[skills.config]]\npath = \"x\"\n  # indented comment\n  enabled = true\n"),
    (CodexToml, "notes = \"\"\"\n[mcp_servers.staleness]\n# not a table\n\"\"\"\n  # end"),
];
