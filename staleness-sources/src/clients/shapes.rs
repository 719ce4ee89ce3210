//! The parts of JSON files that the readers of this folder ask for, in one place. A reader that asks for
//! more adds it here, and raises [`VERSION`].

use crate::outline::Shape;

/// The version of the shapes and of [`crate::outline`]; outlines of another one are made anew.
pub(super) const VERSION: u32 = 2;

/// The shape of a kind of files.
pub(super) struct Kind {
    /// Tells outlines of different shapes apart.
    pub(super) name: &'static str,
    /// The shape of the whole file.
    pub(super) root: &'static Shape,
}

/// Files with servers under a key, and with what may be misplaced servers.
pub(super) static SERVERS: Kind = Kind {
    name: "servers",
    root: &Shape {
        members: &[("mcpServers", &MAP), ("servers", &MAP)],
        others: Some(&Shape::of(STARTS)),
        ..Shape::PLAIN
    },
};

/// Settings with servers under a key of their own.
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

/// Files of Gemini CLI beside its settings: what is switched off or trusted, by name or path.
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

/// A plugin's servers: under a key, or the bare map.
pub(super) static BARE: Kind = Kind { name: "bare", root: &BARE_MAP };

/// Members of what may be a server. Their values are not kept.
const STARTS: &[(&str, &Shape)] = &[("command", &Shape::PLAIN), ("url", &Shape::PLAIN)];

/// Members of a server. All else is left out, but for who means to start it.
const SERVER_MEMBERS: &[(&str, &Shape)] =
    &[("disabled", &Shape::PLAIN), ("enabled", &Shape::PLAIN), ("description", &TEXT)];

/// A member that starts a server.
static START: Shape =
    Shape { text: true, members: &[], others: Some(&START), elements: Some(&START), starts: true };

static TEXT: Shape = Shape { text: true, ..Shape::PLAIN };

static TEXTS: Shape = Shape { text: true, elements: Some(&TEXT), ..Shape::PLAIN };

static SERVER: Shape = Shape { others: Some(&START), ..Shape::of(SERVER_MEMBERS) };

static MAP: Shape = Shape::map(&SERVER);

/// A map of servers, or an object that holds the map under a key.
static BARE_MAP: Shape = Shape {
    members: &[("mcpServers", &MAP), ("servers", &MAP_OR_SERVER)],
    others: Some(&SERVER),
    ..Shape::PLAIN
};

/// A map of servers, or a server of the name `servers`, whose `env` and `headers` may hold anything: of
/// servers with these names no description is asked for.
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
