//! Reads the configuration of the supported clients, at user and project level.
//!
//! | client | levels | parts |
//! |---|---|---|
//! | `claude-code` | user, project, local | `mcp`, `commands`, `skills`, `agents`, `plugins`, `plugin:NAME@MARKET/PART`; of the user also `managed` |
//! | `claude-desktop`, `windsurf`, `copilot`, `zed` | user | `mcp` |
//! | `cursor`, `codex` | user, project | `mcp` |
//! | `vscode` | user, project | `mcp`; of the user also `settings` |
//! | `gemini` | user, project, local | `mcp`; of the user also `extensions` |
//! | `opencode` | user, project | `mcp`, `jsonc` |
//!
//! Entries that a client ignores are ignored here. Entries that it rejects are listed as refused.
//!
//! A user-level file always applies to all projects, and a project's file never to other projects. The project's
//! section of `.claude.json` is therefore reported at level `local`.

mod claude;
mod codex;
mod declared;
mod folders;
mod format;
mod gemini;
mod launch;
mod permits;
mod plugin;
mod plugins;
mod secrets;
mod servers;
mod settings;
mod shapes;
mod simple;
mod skipped;
mod state;
mod switch;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use staleness_core::Timestamp;
use staleness_core::ids::{Level, ProjectId, SourceId, ToolName};
use staleness_core::scan::{Found, SourceIndex, SourceReading};
use staleness_core::source::SourceState;
use staleness_core::tool::{ListingState, ToolKind};

use crate::draft::Draft;
use crate::json::{JsonFile, JsonText};
#[cfg(test)]
use crate::outline::outline;
use crate::outline::{Shape, outline_of_file};
use crate::text::{Content, MAX_CONFIG_BYTES, is_there, load_config};
#[cfg(test)]
use crate::text::{Liberties, read_config};
pub use declared::{Declarations, Declared, declared};
use launch::{Endpoint, Starts};
pub use launch::{Launch, Startable, Target};
use staleness_docs::disk::{Fence, canonical};
use staleness_docs::project::ProjectPlace;
pub use switch::{NoSwitch, Switch, SwitchChange, names_only, switches};

/// Names of the supported clients, as used in their sources.
pub const NAMES: &[&str] = &[
    "claude-code",
    "claude-desktop",
    "codex",
    "copilot",
    "cursor",
    "gemini",
    "opencode",
    "vscode",
    "windsurf",
    "zed",
];

const OTHER_NAMES: [(&str, &str); 5] = [
    ("claude", "claude-code"),
    ("codex-cli", "codex"),
    ("copilot-cli", "copilot"),
    ("gemini-cli", "gemini"),
    ("vs-code", "vscode"),
];

/// Names by which clients introduce themselves over MCP, each with the name used here.
pub const MCP_NAMES: [(&str, &str); 6] = [
    ("codex-mcp-client", "codex"),
    ("gemini-cli-mcp-client", "gemini"),
    ("cursor-vscode", "cursor"),
    ("Visual Studio Code", "vscode"),
    ("claude-ai", "claude-desktop"),
    ("windsurf-client", "windsurf"),
];

/// Prefixes of the names of servers that belong to a user's account with a client, and that no file lists.
pub const ACCOUNT_SERVERS: [&str; 1] = ["claude_ai_"];

/// Returns the client with this name or alias, ignoring case and separators, or `None` if there is none.
pub fn named(name: &str) -> Option<&'static str> {
    let words: Vec<&str> = name.split([' ', '_']).filter(|word| !word.is_empty()).collect();
    let name = words.join("-");
    let is_name = |other: &str| other.eq_ignore_ascii_case(&name);
    let own = NAMES.iter().copied().find(|client| is_name(client));
    own.or_else(|| OTHER_NAMES.iter().find(|(other, _)| is_name(other)).map(|(_, client)| *client))
}

/// Returns true if a client reads this configuration file, whose path is relative to the project. A file of an
/// unknown client may be read by any client.
pub fn is_file_of(client: &str, path: &str) -> bool {
    let clients: &[&str] = match path.split(['/', '#']).next().unwrap_or_default() {
        // VS Code runs these hooks.
        ".claude" if path.starts_with(".claude/settings") => &["claude-code", "vscode"],
        // Several clients read these skills, and the files below that have several clients.
        ".claude" if path.starts_with(".claude/skills") => {
            &["claude-code", "copilot", "cursor", "opencode", "vscode"]
        }
        ".claude" | ".mcp.json" => &["claude-code"],
        ".agents" => return client != "claude-code",
        ".codex" => &["codex"],
        ".cursor" | ".cursorrules" => &["cursor"],
        ".gemini" => &["gemini"],
        ".github" => &["copilot", "vscode"],
        ".vscode" => &["vscode"],
        ".windsurf" | ".windsurfrules" => &["windsurf"],
        ".zed" => &["zed"],
        ".opencode" | "opencode.json" | "opencode.jsonc" => &["opencode"],
        _ => return true,
    };
    clients.contains(&client)
}

/// Environment variables set for commands of agents, or in editor terminals that agents share. Taken from the
/// clients' documentation and source code in November 2026.
const AGENT_VARIABLES: &[&str] = &[
    "AI_AGENT",
    "CLAUDECODE",
    "CODEX_CI",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "OPENCODE",
    "TERMINAL_EMULATOR",
    "VSCODE_GIT_IPC_HANDLE",
    "VSCODE_IPC_HOOK_CLI",
    "ZED_TERM",
];

/// Returns true if the environment suggests that this process runs for an agent.
pub fn may_run_for_agent() -> bool {
    AGENT_VARIABLES.iter().any(|name| std::env::var_os(name).is_some())
        || std::env::var_os("TERM_PROGRAM").is_some_and(|program| program == "vscode")
}

/// The folders to read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ScanRequest<'a> {
    /// The user's home folder.
    pub home: &'a Path,
    /// The folders of the project.
    pub project: &'a ProjectPlace,
    /// The folder of Claude Code (`CLAUDE_CONFIG_DIR`), if it is not `.claude` (with `.claude.json`) in the
    /// home folder.
    pub claude_config_dir: Option<&'a Path>,
    /// The folder of Codex CLI (`CODEX_HOME`), if it is not `.codex` in the home folder.
    pub codex_dir: Option<&'a Path>,
    /// The folder in which an organization manages Claude Code, or `None` if `home` is not the home folder of this
    /// user.
    pub managed_dir: Option<&'a Path>,
    /// The folder of user settings (`XDG_CONFIG_HOME`, `APPDATA`), if it is not the platform's default.
    /// Contains `Claude`, `Code/User`, `opencode` and `zed`.
    pub config_dir: Option<&'a Path>,
    /// The current time. Without it, a file that is empty or ends early counts as being written.
    pub now: Option<Timestamp>,
}

impl<'a> ScanRequest<'a> {
    /// Creates a request with all folders in their default places.
    pub const fn new(home: &'a Path, project: &'a ProjectPlace) -> Self {
        Self {
            home,
            project,
            claude_config_dir: None,
            codex_dir: None,
            managed_dir: None,
            config_dir: None,
            now: None,
        }
    }
}

/// The result of reading: `sources` and `indexes` of a [`staleness_core::scan::Scan`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// All sources that a supported client may have here, including missing ones. Each is listed once.
    pub sources: Vec<SourceReading>,
    /// Indexes of sources that were read completely.
    pub indexes: Vec<SourceIndex>,
}

/// Returns the folder in which an organization manages Claude Code on this system.
pub fn managed_dir() -> &'static Path {
    permits::managed_dir()
}

/// Returns the reason why a client rejects the syntax of its JSON file, with the line and what to do. `None` if the
/// client accepts the file, or if its rules are not known.
pub fn refusal(client: &str, path: &Path, text: &str) -> Option<String> {
    let format = match client {
        claude::CLIENT => &claude::FILE,
        gemini::CLIENT => &gemini::SETTINGS,
        _ => return None,
    };
    let outline = outline_of_file(path, text.as_bytes().to_vec(), &Shape::PLAIN, false);
    let Content::Text(_, liberties) = outline else { return None };
    let (line, what) = format.syntax.refuses(&liberties)?;
    Some(format.refusal(path, line, what))
}

/// Reads the configuration of every supported client.
///
/// Never fails: an unreadable source has the state `failed` or `partial`.
pub fn read(request: &ScanRequest<'_>) -> Readings {
    read_outside(&Outside::new(request))
}

/// Returns the names that a client's settings give to instruction files: see
/// [`staleness_docs::CheckOptions::instruction_names`].
pub fn instruction_names(client: &str, request: &ScanRequest<'_>) -> Vec<String> {
    match client {
        codex::CLIENT => codex::instruction_names(&Outside::new(request)),
        gemini::CLIENT => gemini::instruction_names(&Outside::new(request)),
        _ => Vec::new(),
    }
}

/// Reads the configured servers with their launches. Nothing is stored.
pub fn startable(request: &ScanRequest<'_>) -> Vec<Startable> {
    let outside = Outside { starts: Some(Starts::default()), ..Outside::new(request) };
    let readings = read_outside(&outside);
    outside.starts.unwrap_or_default().of(readings.sources, outside.folder)
}

fn read_outside(outside: &Outside<'_>) -> Readings {
    let mut readings = Readings::default();
    claude::read(outside, &mut readings);
    simple::read(outside, &mut readings.sources);
    gemini::read(outside, &mut readings.sources);
    codex::read(outside, &mut readings.sources);
    readings
}

/// Facts that the readers of all clients need.
struct Outside<'a> {
    home: PathBuf,
    home_is_there: bool,
    folder: &'a Path,
    root: &'a Path,
    project_id: ProjectId,
    project_is_there: bool,
    fence: Fence,
    request: ScanRequest<'a>,
    /// Collects the launches of servers.
    starts: Option<Starts>,
    /// True to ignore the user's servers, approvals and trust.
    is_project_alone: bool,
    /// Reads whole files instead of their outlines.
    #[cfg(test)]
    whole: bool,
}

impl<'a> Outside<'a> {
    fn new(request: &ScanRequest<'a>) -> Self {
        let home = canonical(request.home);
        let folder = request.project.folder.as_path();
        Self {
            home_is_there: is_there(&home),
            home,
            folder,
            root: &request.project.root,
            project_id: request.project.id(),
            // A linked work tree may lack files of the repository's other trees, so a missing file there
            // proves nothing about the shared project.
            project_is_there: is_there(folder) && request.project.is_main_tree(),
            fence: request.project.fence(),
            request: *request,
            starts: None,
            is_project_alone: false,
            #[cfg(test)]
            whole: false,
        }
    }

    /// Returns the same facts for readers that also collect launches.
    fn revealed(&self) -> Self {
        Self {
            starts: Some(Starts::default()),
            #[cfg(test)]
            whole: self.whole,
            ..Outside::new(&self.request)
        }
    }

    fn endpoint(&self, source: &SourceId, name: &ToolName) -> Endpoint {
        let starts = self.starts.as_ref();
        starts.map_or_else(Endpoint::default, |starts| starts.endpoint(source, name, self.folder))
    }

    /// Reads a JSON file as an outline.
    fn json(&self, path: &Path, fence: Option<&Fence>, shape: &'static Shape) -> Content {
        #[cfg(test)]
        if self.whole {
            let content = read_config(path, fence, MAX_CONFIG_BYTES);
            let Content::Text(text, Liberties { mark, .. }) = content else { return content };
            let (_, liberties) = outline(&text, &Shape::PLAIN, false).unwrap_or_default();
            return Content::Text(text, Liberties { mark, ..liberties });
        }
        match load_config(path, fence, MAX_CONFIG_BYTES) {
            Ok(bytes) => outline_of_file(path, bytes, shape, self.starts.is_some()),
            Err(failed) => failed,
        }
    }

    /// Returns a file in the user's settings folder. Also checks the folders of other platforms, because home
    /// folders move between platforms.
    fn user_config(&self, file: &str) -> PathBuf {
        if let Some(folder) = self.request.config_dir {
            return folder.join(file);
        }
        let mut folders = [".config", "Library/Application Support", "AppData/Roaming"];
        if cfg!(target_os = "macos") {
            folders.swap(0, 1);
        } else if cfg!(windows) {
            folders.swap(0, 2);
        }
        let paths = folders.map(|folder| self.home.join(folder).join(file));
        let there = paths.iter().position(|path| fs::symlink_metadata(path).is_ok());
        let [first, second, third] = paths;
        match there {
            Some(1) => second,
            Some(2) => third,
            _ => first,
        }
    }

    /// Returns the user's path and the project's. If both are the same, because the home folder is the
    /// project, only the user's is returned, so that global entries are not read twice.
    fn places(
        &self,
        user: PathBuf,
        user_is_there: bool,
        project: Option<&str>,
    ) -> impl Iterator<Item = Place<'_>> {
        let own = project.map(|path| self.folder.join(path)).filter(|path| *path != user);
        let user = Place { path: user, project: None, fence: None, root_is_there: user_is_there };
        let own = own.map(|path| Place {
            path,
            project: Some(&self.project_id),
            fence: Some(&self.fence),
            root_is_there: self.project_is_there,
        });
        Some(user).filter(|_| !self.is_project_alone).into_iter().chain(own)
    }
}

/// A client's file or folder, for all projects or for one.
struct Place<'a> {
    path: PathBuf,
    project: Option<&'a ProjectId>,
    fence: Option<&'a Fence>,
    /// True if a missing file was deleted, and its folder is not just a disk that is not mounted.
    root_is_there: bool,
}

impl Place<'_> {
    fn draft(&self, client: &str, part: &str) -> Draft {
        let level = if self.project.is_some() { Level::Project } else { Level::User };
        Draft::new(source(client, level, self.project, part), &self.path)
    }
}

/// Creates the reading of a JSON file. `fill` adds its entries.
fn reading(
    file: &JsonFile<'_>,
    mut draft: Draft,
    root_is_there: bool,
    fill: impl FnOnce(&mut Draft, &JsonText<'_>),
) -> SourceReading {
    match file {
        JsonFile::Missing => draft.missing(root_is_there),
        JsonFile::Failed(why) => draft.failed(why.clone()),
        JsonFile::Read(file) => {
            fill(&mut draft, file);
            draft.read()
        }
    }
}

/// Marks all entries of a client that does not start as refused. A source that was read only in part keeps its state.
fn refuse_all(sources: &mut [SourceReading], why: &str) {
    for source in sources {
        source.found.iter_mut().for_each(|found| found.state = ListingState::Refused);
        if source.state == SourceState::Read {
            source.state = SourceState::Refused;
            source.error = Some(why.to_owned());
        }
    }
}

/// Removes entries for the project that the client ignores in favour of the user's server with the same name.
fn prefer_users(sources: &mut [SourceReading]) {
    let users = sources.iter().filter(|source| source.id.level == Level::User).flat_map(|source| {
        let on = source.found.iter().filter(|found| found.state == ListingState::Configured);
        on.map(|found| (source.id.client.clone(), found.name.clone()))
    });
    let users: HashSet<_> = users.collect();
    for source in sources.iter_mut().filter(|source| source.id.level != Level::User) {
        let client = source.id.client.clone();
        source.found.retain(|found| {
            !matches!(found.state, ListingState::Refused | ListingState::Untrusted)
                || !users.contains(&(client.clone(), found.name.clone()))
        });
    }
}

/// Lists the user's servers as refused in the project if a file of the project prevents the client from starting.
fn refuse_in_project(sources: &mut [SourceReading]) {
    let is_it = |source: &SourceReading| {
        source.id.level == Level::Project && source.state == SourceState::Refused
    };
    if sources.iter().any(is_it) {
        list_in(sources, Level::Project, ListingState::Refused, |_| true);
    }
}

/// Adds the user's servers that the client does not load in the project to a source of the project. Their state there
/// is the reason. In the user's own sources, they have one state for all projects.
fn list_in(
    sources: &mut [SourceReading],
    level: Level,
    state: ListingState,
    is_so: impl Fn(&Found) -> bool,
) {
    let users = sources.iter().filter(|source| source.id.level == Level::User);
    let users = users.flat_map(|source| &source.found);
    let on =
        users.filter(|found| found.kind == ToolKind::McpServer && found.state != ListingState::Off);
    let all = on.filter(|found| is_so(found)).map(|found| Found { state, ..found.clone() });
    let all: Vec<Found> = all.collect();
    let is_it = |source: &&mut SourceReading| source.id.level == level && source.id.part == "mcp";
    let Some(own) = sources.iter_mut().find(is_it) else { return };
    if own.state == SourceState::Missing && !all.is_empty() {
        own.state = SourceState::Read;
    }
    for found in all {
        if !own.found.iter().any(|each| each.name == found.name) {
            own.found.push(found);
        }
    }
}

fn source(
    client: &str,
    level: Level,
    project: Option<&ProjectId>,
    part: impl Into<String>,
) -> SourceId {
    SourceId { project: project.cloned(), client: client.to_owned(), level, part: part.into() }
}
