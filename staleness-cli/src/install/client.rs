//! The files of each client, and the content written to each file.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;
use staleness_core::wording;

use super::hooks::{Hooks, Shape};
use super::part::Part;
use super::server::Server;
use super::shell::Program;
use super::toml_server::TomlServer;

wording! {
    /// A client that can be set up.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
    pub(crate) enum Client {
        /// Claude Code: hooks, MCP server, and a skill with --skill.
        ClaudeCode = "claude-code",
        /// Codex CLI: hooks and MCP server.
        Codex = "codex",
        /// Cursor: hooks and MCP server.
        Cursor = "cursor",
        /// VS Code: MCP server.
        Vscode = "vscode",
        /// Gemini CLI: hooks and MCP server.
        Gemini = "gemini",
    }
}

wording! {
    /// The scope of a configuration.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    pub(crate) enum Level {
        /// The user's configuration, for all projects.
        User = "user",
        /// The configuration of one project.
        Project = "project",
    }
}

/// The folders in which clients keep their files.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    pub home: PathBuf,
    pub project: PathBuf,
    /// The folder in `CLAUDE_CONFIG_DIR`, if set.
    pub claude: Option<PathBuf>,
    /// The folder in `CODEX_HOME`, if set.
    pub codex: Option<PathBuf>,
    /// The folder in `XDG_CONFIG_HOME`, if set.
    pub config: Option<PathBuf>,
}

/// A file, and the content to write to it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub path: PathBuf,
    pub part: Part,
    /// The folder at which the removal of empty folders stops.
    pub root: PathBuf,
}

/// The events of Claude Code. Our hooks run in the foreground, because Claude Code kills background hooks at the end of
/// a turn, before they have recorded anything.
const CLAUDE_EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PostToolUse",
    "PostToolUseFailure",
    "ConfigChange",
    "SessionEnd",
];

/// The events of Codex CLI, which ignores background hooks and has no event for failures. An MCP call that has not
/// succeeded by the end of its turn counts as failed.
const CODEX_EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "Stop",
    "SubagentStop",
    "Interrupt",
    "SessionEnd",
];

const CURSOR_EVENTS: &[&str] = &["sessionStart", "postToolUse", "postToolUseFailure", "sessionEnd"];

/// The events of Gemini CLI, which does not wait for `SessionEnd`.
const GEMINI_EVENTS: &[&str] = &["SessionStart", "BeforeAgent", "AfterTool", "SessionEnd"];

impl Client {
    /// Returns true if the client has files in the user's home.
    pub(crate) fn is_there(self, folders: &Folders) -> bool {
        let home = |name| folders.home.join(name);
        let own = |folder: &Option<PathBuf>, name| folder.clone().unwrap_or_else(|| home(name));
        match self {
            Self::ClaudeCode => {
                own(&folders.claude, ".claude").is_dir() || home(".claude.json").is_file()
            }
            Self::Codex => own(&folders.codex, ".codex").is_dir(),
            Self::Cursor => home(".cursor").is_dir(),
            Self::Vscode => settings_folder(folders).join("Code").is_dir(),
            Self::Gemini => home(".gemini").is_dir(),
        }
    }

    /// Returns the files to write for this client, in order. With `skill`, includes the skill.
    pub(crate) fn targets(
        self,
        level: Level,
        folders: &Folders,
        program: &Program,
        skill: bool,
    ) -> Vec<Target> {
        let all =
            |shape, events, arguments| Hooks { shape, events, arguments, program: program.clone() };
        let hooks =
            |shape, events, arguments| Part::Json(Some(all(shape, events, arguments)), None);
        let entry = |key, typed| Some(Server { key, typed, program: program.clone() });
        let server = |key, typed| Part::Json(None, entry(key, typed));
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
                let events = all(Shape::Nested, GEMINI_EVENTS, &["--client", "gemini"]);
                let both = Part::Json(Some(events), entry("mcpServers", false));
                vec![target(root.join(".gemini/settings.json"), both)]
            }
        }
    }

    /// Returns notes for the user after setting up the client.
    pub(crate) fn notes(self, level: Level) -> Vec<&'static str> {
        let mut notes = match self {
            Self::ClaudeCode if level == Level::Project => {
                vec!["Claude Code asks each user before it starts a server of .mcp.json"]
            }
            Self::Codex => {
                vec!["Codex CLI runs new hooks only after you review them: type /hooks in Codex"]
            }
            Self::Vscode => {
                vec![
                    "only the MCP server is set up; VS Code runs the hooks of `staleness init claude-code`",
                ]
            }
            Self::ClaudeCode | Self::Cursor | Self::Gemini => Vec::new(),
        };
        if level == Level::Project {
            notes.push(
                "the program's path is valid only on this machine; check it before you commit",
            );
        }
        notes
    }
}

/// Returns the system's folder for user settings.
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

/// Returns the folder of a file. It is the root of a file outside the home folder and the project.
pub(crate) fn outer(path: &Path) -> PathBuf {
    path.parent().map_or_else(PathBuf::new, Path::to_owned)
}
