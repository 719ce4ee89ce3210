//! The parts of JSON files that the readers in this folder need. When a reader needs more, add it here and
//! raise [`VERSION`].

use crate::outline::Shape;

/// The version of the shapes and of [`crate::outline`]. Outlines of other versions are rebuilt.
pub(super) const VERSION: u32 = 4;

pub(super) struct Kind {
    /// The name, which is part of the cache key.
    pub(super) name: &'static str,
    pub(super) root: &'static Shape,
}

/// Files with servers under a key. Keeps also entries that may be misplaced servers.
pub(super) static SERVERS: Kind = Kind {
    name: "servers",
    root: &Shape {
        members: &[("mcpServers", &MAP), ("servers", &MAP)],
        others: Some(&Shape::of(STARTS)),
        ..Shape::PLAIN
    },
};

/// Settings files that contain servers under one of several keys.
pub(super) static MORE_SETTINGS: Kind = Kind {
    name: "more",
    root: &Shape::of(&[
        ("mcp", &Shape { members: &[("servers", &MAP_OR_SERVER)], ..MAP }),
        ("context_servers", &MAP),
        ("mcpServers", &MAP),
        ("servers", &MAP),
        ("disabledMcpServers", &TEXTS),
    ]),
};

/// Enablement and trust files of Gemini CLI.
pub(super) static GEMINI_SWITCHES: Kind = Kind {
    name: "switches",
    root: &Shape::map(&Shape {
        text: true,
        ..Shape::of(&[("enabled", &Shape::PLAIN), ("overrides", &TEXTS)])
    }),
};

/// The manifest of an extension of Gemini CLI.
pub(super) static EXTENSION: Kind = Kind {
    name: "extension",
    root: &Shape::of(&[
        ("name", &TEXT),
        ("version", &Shape::PLAIN),
        ("mcpServers", &MAP),
        ("servers", &MAP),
    ]),
};

/// `.claude.json`.
pub(super) static STATE: Kind = Kind {
    name: "state",
    root: &Shape::of(&[("mcpServers", &MAP), ("servers", &MAP), ("projects", &PROJECTS)]),
};

/// Claude Code's settings.
pub(super) static SETTINGS: Kind = Kind {
    name: "settings",
    root: &Shape::of(&[
        ("disabledMcpjsonServers", &TEXTS),
        ("enabledMcpjsonServers", &TEXTS),
        ("enableAllProjectMcpServers", &Shape::PLAIN),
        ("enabledPlugins", &Shape::map(&Shape::PLAIN)),
    ]),
};

/// Gemini CLI's settings.
pub(super) static GEMINI: Kind = Kind {
    name: "gemini",
    root: &Shape::of(&[
        ("mcpServers", &MAP),
        ("servers", &MAP),
        ("mcp", &Shape::of(&[("allowed", &TEXTS), ("excluded", &TEXTS)])),
        ("context", &Shape::of(&[("fileName", &TEXTS)])),
        ("security", &Shape::of(&[("folderTrust", &Shape::of(&[("enabled", &Shape::PLAIN)]))])),
    ]),
};

/// The index of installed plugins.
pub(super) static PLUGINS: Kind =
    Kind { name: "plugins", root: &Shape::of(&[("plugins", &Shape::map(&PLUGIN))]) };

/// A plugin's manifest.
pub(super) static MANIFEST: Kind = Kind {
    name: "manifest",
    root: &Shape::of(&[
        ("mcpServers", &PATHS_OR_MAPS),
        ("commands", &PATHS_OR_COMMANDS),
        ("skills", &TEXTS),
        ("agents", &TEXTS),
    ]),
};

/// A plugin's servers, under a key or as the whole object.
pub(super) static BARE: Kind = Kind { name: "bare", root: &BARE_MAP };

/// Members that mark a possible server. Their values are not kept.
const STARTS: &[(&str, &Shape)] = &[("command", &Shape::PLAIN), ("url", &Shape::PLAIN)];

/// Members of a server to keep. All others are kept only for launches.
const SERVER_MEMBERS: &[(&str, &Shape)] =
    &[("disabled", &Shape::PLAIN), ("enabled", &Shape::PLAIN), ("description", &TEXT)];

/// A member that is part of a launch.
static START: Shape =
    Shape { text: true, members: &[], others: Some(&START), elements: Some(&START), starts: true };

static TEXT: Shape = Shape { text: true, ..Shape::PLAIN };

static TEXTS: Shape = Shape { text: true, elements: Some(&TEXT), ..Shape::PLAIN };

static SERVER: Shape = Shape { others: Some(&START), ..Shape::of(SERVER_MEMBERS) };

static MAP: Shape = Shape::map(&SERVER);

/// A map of servers, or an object with the map under a key.
static BARE_MAP: Shape = Shape {
    members: &[("mcpServers", &MAP), ("servers", &MAP_OR_SERVER)],
    others: Some(&SERVER),
    ..Shape::PLAIN
};

/// A map of servers, or a server named `servers` with arbitrary `env` and `headers`. Descriptions of servers
/// with those names are not kept.
static MAP_OR_SERVER: Shape = Shape {
    members: &[
        ("description", &Shape { text: true, members: SERVER_MEMBERS, ..Shape::PLAIN }),
        ("env", &SWITCHES),
        ("environment", &SWITCHES),
        ("headers", &SWITCHES),
    ],
    others: Some(&SERVER),
    ..Shape::PLAIN
};

static SWITCHES: Shape = Shape::of(&[("disabled", &Shape::PLAIN), ("enabled", &Shape::PLAIN)]);

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
    members: BARE_MAP.members,
    others: BARE_MAP.others,
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
