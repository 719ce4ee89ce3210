//! The parts of JSON files that the readers in this folder need. A reader that needs more must add it here.

use crate::outline::Shape;

/// Files with servers under a key. Also keeps entries that may be misplaced servers.
pub(super) static SERVERS: Shape = Shape {
    members: &[("mcpServers", &MAP), ("servers", &MAP)],
    others: Some(&SERVER),
    ..Shape::PLAIN
};

/// Settings files that contain servers under one of several keys.
pub(super) static MORE_SETTINGS: Shape = Shape::of(&[
    ("mcp", &Shape { members: &[("servers", &MAP_OR_SERVER)], ..MAP }),
    ("context_servers", &MAP),
    ("mcpServers", &MAP),
    ("servers", &MAP),
    ("disabledMcpServers", &TEXTS),
]);

/// Enablement and trust files of Gemini CLI.
pub(super) static GEMINI_SWITCHES: Shape = Shape::map(&Shape {
    text: true,
    ..Shape::of(&[("enabled", &Shape::PLAIN), ("overrides", &TEXTS)])
});

/// The manifest of an extension of Gemini CLI.
pub(super) static EXTENSION: Shape = Shape::of(&[
    ("name", &TEXT),
    ("version", &Shape::PLAIN),
    ("mcpServers", &MAP),
    ("servers", &MAP),
]);

/// `.claude.json`.
pub(super) static STATE: Shape =
    Shape::of(&[("mcpServers", &MAP), ("servers", &MAP), ("projects", &PROJECTS)]);

/// Claude Code's settings.
pub(super) static SETTINGS: Shape = Shape::of(&[
    ("disabledMcpjsonServers", &TEXTS),
    ("enabledMcpjsonServers", &TEXTS),
    ("enableAllProjectMcpServers", &Shape::PLAIN),
    ("enabledPlugins", &Shape::map(&Shape::PLAIN)),
    ("deniedMcpServers", &SERVER_RULES),
    ("allowedMcpServers", &SERVER_RULES),
    ("allowManagedMcpServersOnly", &Shape::PLAIN),
    ("permissions", &Shape::of(&[("deny", &TEXTS)])),
]);

/// Gemini CLI's settings.
pub(super) static GEMINI: Shape = Shape::of(&[
    ("mcpServers", &MAP),
    ("servers", &MAP),
    ("mcp", &Shape::of(&[("allowed", &TEXTS), ("excluded", &TEXTS)])),
    ("context", &Shape::of(&[("fileName", &TEXTS)])),
    ("security", &Shape::of(&[("folderTrust", &Shape::of(&[("enabled", &Shape::PLAIN)]))])),
]);

/// The index of installed plugins.
pub(super) static PLUGINS: Shape = Shape::of(&[("plugins", &Shape::map(&PLUGIN))]);

/// A plugin's manifest.
pub(super) static MANIFEST: Shape = Shape::of(&[
    ("mcpServers", &PATHS_OR_MAPS),
    ("commands", &PATHS_OR_COMMANDS),
    ("skills", &TEXTS),
    ("agents", &TEXTS),
]);

/// Members of a server to keep; of those of a launch only the kinds. All others are kept only for launches.
const SERVER_MEMBERS: &[(&str, &Shape)] = &[
    ("disabled", &Shape::PLAIN),
    ("enabled", &Shape::PLAIN),
    ("description", &TEXT),
    ("type", &TEXT),
    ("command", &START),
    ("args", &START),
    ("env", &START),
    ("url", &START),
    ("headers", &START),
    ("headersHelper", &START),
    ("timeout", &START),
    ("alwaysLoad", &START),
];

/// A member that is part of a launch.
static START: Shape =
    Shape { text: true, members: &[], others: Some(&START), elements: Some(&START), starts: true };

static TEXT: Shape = Shape { text: true, ..Shape::PLAIN };

static TEXTS: Shape = Shape { text: true, elements: Some(&TEXT), ..Shape::PLAIN };

static SERVER_RULES: Shape = Shape {
    elements: Some(&Shape::of(&[
        ("serverName", &TEXT),
        ("serverCommand", &TEXTS),
        ("serverUrl", &TEXT),
    ])),
    ..Shape::PLAIN
};

static SERVER: Shape = Shape { others: Some(&START), ..Shape::of(SERVER_MEMBERS) };

static MAP: Shape = Shape::map(&SERVER);

/// A plugin's servers: a map, or an object with the map under a key.
pub(super) static BARE: Shape = Shape {
    members: &[("mcpServers", &MAP), ("servers", &MAP_OR_SERVER)],
    others: Some(&SERVER),
    ..Shape::PLAIN
};

/// A map of servers, or a server named `servers` with arbitrary `env` and `headers`. Descriptions of servers
/// with those names are not kept.
static MAP_OR_SERVER: Shape = Shape {
    members: &[
        ("description", &TEXT_OR_SERVER),
        ("type", &TEXT_OR_SERVER),
        ("args", &Shape { elements: Some(&Shape::PLAIN), ..SERVER }),
        ("env", &SWITCHES),
        ("environment", &SWITCHES),
        ("headers", &SWITCHES),
    ],
    others: Some(&SERVER),
    ..Shape::PLAIN
};

static TEXT_OR_SERVER: Shape = Shape { text: true, ..SERVER };

static SWITCHES: Shape = Shape::map(&Shape::PLAIN);

static PROJECTS: Shape = Shape::map(&Shape::of(&[
    ("mcpServers", &MAP),
    ("servers", &MAP),
    ("disabledMcpServers", &TEXTS),
    ("disabledMcpjsonServers", &TEXTS),
    ("enabledMcpjsonServers", &TEXTS),
    ("enableAllProjectMcpServers", &Shape::PLAIN),
    ("hasTrustDialogAccepted", &Shape::PLAIN),
]));

static PLUGIN: Shape = Shape {
    members: &[("scope", &TEXT), ("projectPath", &TEXT), ("installPath", &TEXT)],
    elements: Some(&PLUGIN),
    ..Shape::PLAIN
};

static PATHS_OR_MAPS: Shape = Shape {
    text: true,
    members: BARE.members,
    others: BARE.others,
    elements: Some(&PATHS_OR_MAPS),
    starts: false,
};

static PATHS_OR_COMMANDS: Shape = Shape {
    text: true,
    others: Some(&Shape::of(&[("description", &TEXT)])),
    elements: Some(&PATHS_OR_COMMANDS),
    ..Shape::PLAIN
};

#[cfg(test)]
#[path = "shapes_tests.rs"]
mod tests;
