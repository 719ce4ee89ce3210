//! Which files of a client get what.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::hooks::{HookEvent, Hooks, Shape};
use super::part::Part;
use super::server::Server;
use super::shell::Program;
use super::toml_server::TomlServer;

/// A client that can be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Code: hooks, MCP server, and a skill with --skill.
    ClaudeCode,
    /// Codex CLI: hooks and MCP server.
    Codex,
    /// Cursor: hooks and MCP server.
    Cursor,
    /// VS Code: MCP server.
    Vscode,
    /// Gemini CLI: MCP server.
    Gemini,
}

/// Whose configuration it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// The user's, for all projects.
    User,
    /// One project's.
    Project,
}

impl Level {
    /// Its name.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// Where clients keep their files.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    /// The user's home.
    pub home: PathBuf,
    /// The project.
    pub project: PathBuf,
    /// `CLAUDE_CONFIG_DIR`.
    pub claude: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub codex: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`: where programs keep their settings.
    pub config: Option<PathBuf>,
}

/// One file and what it gets.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The file.
    pub path: PathBuf,
    /// What it gets.
    pub part: Part,
    /// The folder that stays when what is empty goes.
    pub root: PathBuf,
}

/// Claude Code waits for what may say something, and for the end, which ends background hooks too.
const CLAUDE_EVENTS: &[HookEvent] = &[
    HookEvent { name: "SessionStart", background: false },
    HookEvent { name: "UserPromptSubmit", background: false },
    HookEvent { name: "PostToolUse", background: true },
    HookEvent { name: "PostToolUseFailure", background: true },
    HookEvent { name: "ConfigChange", background: true },
    HookEvent { name: "SessionEnd", background: false },
];

/// Codex CLI passes over hooks that are to run in the background, and has none for a failure alone.
const CODEX_EVENTS: &[HookEvent] = &[
    HookEvent { name: "SessionStart", background: false },
    HookEvent { name: "UserPromptSubmit", background: false },
    HookEvent { name: "PostToolUse", background: false },
    HookEvent { name: "SessionEnd", background: false },
];

/// Cursor knows no background.
const CURSOR_EVENTS: &[HookEvent] = &[
    HookEvent { name: "sessionStart", background: false },
    HookEvent { name: "postToolUse", background: false },
    HookEvent { name: "postToolUseFailure", background: false },
    HookEvent { name: "sessionEnd", background: false },
];

impl Client {
    /// Its name.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Gemini => "gemini",
        }
    }

    /// Every client.
    pub(crate) const ALL: [Self; 5] =
        [Self::ClaudeCode, Self::Codex, Self::Cursor, Self::Vscode, Self::Gemini];

    /// The files of this client, in the order in which they are written. `skill`: the skill too.
    pub(crate) fn targets(
        self,
        level: Level,
        folders: &Folders,
        program: &Program,
        skill: bool,
    ) -> Vec<Target> {
        let hooks = |shape, events, arguments| {
            Part::Hooks(Hooks { shape, events, arguments, program: program.clone() })
        };
        let server = |key, typed| Part::Server(Server { key, typed, program: program.clone() });
        let (home, project) = (folders.home.as_path(), folders.project.as_path());
        let root = if level == Level::User { home } else { project };
        let moved = |folder: &Option<PathBuf>, name: &str| match (level, folder) {
            (Level::User, Some(folder)) => folder.clone(),
            _ => root.join(name),
        };
        let target = |path: PathBuf, part: Part| Target {
            root: if path.starts_with(root) { root.to_owned() } else { outer(&path) },
            path,
            part,
        };
        match self {
            Self::ClaudeCode => {
                let folder = moved(&folders.claude, ".claude");
                let servers = match (level, &folders.claude) {
                    (Level::Project, _) => project.join(".mcp.json"),
                    (Level::User, Some(folder)) => folder.join(".claude.json"),
                    (Level::User, None) => home.join(".claude.json"),
                };
                let events = hooks(Shape::Nested, CLAUDE_EVENTS, &["--client", "claude-code"]);
                let mut targets = vec![
                    target(folder.join("settings.json"), events),
                    target(servers, server("mcpServers", true)),
                ];
                if skill {
                    targets.push(target(folder.join("skills/staleness/SKILL.md"), Part::Skill));
                }
                targets
            }
            Self::Codex => {
                let folder = moved(&folders.codex, ".codex");
                let events = hooks(Shape::Nested, CODEX_EVENTS, &["--client", "codex"]);
                vec![
                    target(folder.join("hooks.json"), events),
                    target(
                        folder.join("config.toml"),
                        Part::Toml(TomlServer { program: program.clone() }),
                    ),
                ]
            }
            Self::Cursor => {
                let folder = root.join(".cursor");
                let events = hooks(Shape::Flat, CURSOR_EVENTS, &["--client", "cursor"]);
                vec![
                    target(folder.join("hooks.json"), events),
                    target(folder.join("mcp.json"), server("mcpServers", false)),
                ]
            }
            Self::Vscode => {
                let file = match level {
                    Level::Project => project.join(".vscode/mcp.json"),
                    Level::User => settings_folder(folders).join("Code/User/mcp.json"),
                };
                vec![target(file, server("servers", true))]
            }
            Self::Gemini => {
                vec![target(root.join(".gemini/settings.json"), server("mcpServers", false))]
            }
        }
    }

    /// What a person should know once it is set up.
    pub(crate) fn notes(self, level: Level) -> Vec<&'static str> {
        let mut notes = match self {
            Self::ClaudeCode if level == Level::Project => {
                vec!["Claude Code asks each user before it starts a server of .mcp.json"]
            }
            Self::Codex => {
                vec!["Codex CLI runs new hooks once you have reviewed them: type /hooks in it"]
            }
            Self::Vscode => {
                vec![
                    "only the server: hooks of VS Code are not set up, so nothing is recorded by itself",
                ]
            }
            Self::Gemini => {
                vec![
                    "only the server: hooks of Gemini CLI are not set up, so nothing is recorded by itself",
                ]
            }
            Self::ClaudeCode | Self::Cursor => Vec::new(),
        };
        if level == Level::Project {
            notes.push("the path of the program is the one on this machine: think twice before you commit it");
        }
        notes
    }
}

/// Where programs keep the user's settings on this system.
fn settings_folder(folders: &Folders) -> PathBuf {
    let usual = if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else if cfg!(windows) {
        "AppData/Roaming"
    } else {
        ".config"
    };
    folders.config.clone().unwrap_or_else(|| folders.home.join(usual))
}

/// The folder around the one in which a client keeps its files, where that was moved.
fn outer(path: &Path) -> PathBuf {
    path.parent().map_or_else(PathBuf::new, Path::to_owned)
}
