//! The parts of JSON files that the readers of this folder ask for, in one place. A reader that asks for
//! more adds it here, and raises [`VERSION`].

use crate::outline::Shape;

/// The version of the shapes and of [`crate::outline`]; outlines of another one are made anew.
pub(super) const VERSION: u32 = 1;

/// The shape of a kind of files.
pub(super) struct Kind {
    /// Tells outlines of different shapes apart.
    pub(super) name: &'static str,
    /// The shape of the whole file.
    pub(super) root: &'static Shape,
}

/// Files with servers under a key.
pub(super) static SERVERS: Kind =
    Kind { name: "servers", root: &Shape::of(&[("mcpServers", &MAP), ("servers", &MAP)]) };

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

/// Members of a server. Its `env` and `headers` are not among them, nor what starts it.
const SERVER_MEMBERS: &[(&str, &Shape)] =
    &[("disabled", &Shape::PLAIN), ("enabled", &Shape::PLAIN), ("description", &TEXT)];

static TEXT: Shape = Shape { text: true, ..Shape::PLAIN };

static TEXTS: Shape = Shape { text: true, elements: Some(&TEXT), ..Shape::PLAIN };

static SERVER: Shape = Shape::of(SERVER_MEMBERS);

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
