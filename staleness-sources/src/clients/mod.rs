//! Configuration of the supported clients, at user and project level.
//!
//! | client | levels | parts |
//! |---|---|---|
//! | `claude-code` | user, project, local | `mcp`, `commands`, `skills`, `agents`, `plugins`, `plugin:NAME@MARKET/PART` |
//! | `claude-desktop`, `windsurf`, `copilot`, `zed` | user | `mcp` |
//! | `cursor`, `codex` | user, project | `mcp` |
//! | `vscode` | user, project | `mcp`; of the user also `settings` |
//! | `gemini` | user, project | `mcp`; of the user also `extensions` |
//! | `opencode` | user, project | `mcp`, `jsonc` |
//!
//! What a client ignores is ignored, and what it refuses is listed as refused.
//!
//! A file that the user keeps for all projects never makes a statement about one project alone,
//! and the other way round: what the project's part of `.claude.json` lists is at level `local`.

mod claude;
mod codex;
mod declared;
mod folders;
mod format;
mod gemini;
mod launch;
mod plugin;
mod plugins;
mod secrets;
mod servers;
mod settings;
mod shapes;
mod simple;
mod state;
mod switch;

use std::fs;
use std::path::{Path, PathBuf};

use staleness_core::ids::{Level, ProjectId, SourceId};
use staleness_core::scan::{SourceIndex, SourceReading};
use staleness_core::source::SourceState;
use staleness_core::tool::ListingState;

use crate::draft::Draft;
use crate::json::{JsonFile, JsonText};
#[cfg(test)]
use crate::outline::outline;
use crate::outline::{Shape, outline_to_start};
use crate::remembered::{self, LARGE, outline_of, outlined};
pub use crate::remembered::{Outline, Outlines};
pub use crate::text::Liberties;
#[cfg(test)]
use crate::text::read_config;
use crate::text::{Content, MAX_CONFIG_BYTES, check_config, is_there, load_config};
pub use declared::{Declarations, Declared, declared};
use launch::Starts;
pub use launch::{Launch, Startable, Target};
use shapes::Kind;
use staleness_docs::disk::{Fence, canonical};
use staleness_docs::project::ProjectPlace;
pub use switch::{NoSwitch, Switch, SwitchChange, names_only, switches};

/// The supported clients, by the names under which their sources are known.
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

/// Other names by which people call a client.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("claude", "claude-code"),
    ("codex-cli", "codex"),
    ("copilot-cli", "copilot"),
    ("gemini-cli", "gemini"),
    ("vs-code", "vscode"),
];

/// Returns the client that people mean by a name, in whatever case and with whatever between its words they write it;
/// `None` if it is no client's.
#[must_use]
pub fn named(name: &str) -> Option<&'static str> {
    let words: Vec<&str> = name.split([' ', '_']).filter(|word| !word.is_empty()).collect();
    let name = words.join("-");
    let is_name = |other: &str| other.eq_ignore_ascii_case(&name);
    let own = NAMES.iter().copied().find(|client| is_name(client));
    own.or_else(|| OTHER_NAMES.iter().find(|(other, _)| is_name(other)).map(|(_, client)| *client))
}

/// Environment variables that mark a command of an agent, or a terminal of an editor that its agent shares. Sources:
/// documentation and source code of the clients, November 2026.
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

/// Returns true if this process may run for an agent, as far as its environment tells.
#[must_use]
pub fn may_run_for_agent() -> bool {
    AGENT_VARIABLES.iter().any(|name| std::env::var_os(name).is_some())
        || std::env::var_os("TERM_PROGRAM").is_some_and(|program| program == "vscode")
}

/// Folders to read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ScanRequest<'a> {
    /// The user's home folder.
    pub home: &'a Path,
    /// The project.
    pub project: &'a ProjectPlace,
    /// Folder of Claude Code, if not `.claude` and `.claude.json` of the home folder
    /// (`CLAUDE_CONFIG_DIR`).
    pub claude_config_dir: Option<&'a Path>,
    /// Folder of Codex CLI, if not `.codex` of the home folder (`CODEX_HOME`).
    pub codex_dir: Option<&'a Path>,
    /// Folder of the user's settings, if not the platform's own (`XDG_CONFIG_HOME`, `APPDATA`): holds
    /// `Claude`, `Code/User`, `opencode` and `zed`.
    pub config_dir: Option<&'a Path>,
    /// Store for the outlines of large files between two readings.
    pub outlines: Option<&'a dyn Outlines>,
}

impl<'a> ScanRequest<'a> {
    /// Everything in its usual place.
    #[must_use]
    pub const fn new(home: &'a Path, project: &'a ProjectPlace) -> Self {
        Self {
            home,
            project,
            claude_config_dir: None,
            codex_dir: None,
            config_dir: None,
            outlines: None,
        }
    }
}

/// Result of a reading: `sources` and `indexes` of a [`staleness_core::scan::Scan`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// Every source that a supported client may have here, each once, missing ones included.
    pub sources: Vec<SourceReading>,
    /// Indexes of sources that were read completely.
    pub indexes: Vec<SourceIndex>,
}

/// Says why a client refuses a JSON file of its settings or servers for its syntax, with the line and the mend; `None` if
/// it reads the file, or has no rules of its own.
#[must_use]
pub fn refusal(client: &str, path: &Path, text: &str) -> Option<String> {
    let format = match client {
        claude::CLIENT => &claude::FILE,
        gemini::CLIENT => &gemini::SETTINGS,
        _ => return None,
    };
    let outline = outline_of(path, text.as_bytes().to_vec(), &Shape::PLAIN);
    let Content::Text(_, liberties) = outline else { return None };
    let (line, what) = format.syntax.refuses(&liberties)?;
    Some(format.refusal(path, line, what))
}

/// Reads the configuration of every supported client.
///
/// It never fails: what cannot be read is a source with the state `failed` or `partial`.
#[must_use]
pub fn read(request: &ScanRequest<'_>) -> Readings {
    read_outside(&Outside::new(request))
}

/// Reads which servers are configured, and what starts each that its client would start. Nothing of it is stored.
#[must_use]
pub fn startable(request: &ScanRequest<'_>) -> Vec<Startable> {
    let request = ScanRequest { outlines: None, ..*request };
    let outside = Outside { starts: Some(Starts::default()), ..Outside::new(&request) };
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

/// Facts that every client's reader needs, found out once.
struct Outside<'a> {
    home: PathBuf,
    home_is_there: bool,
    folder: &'a Path,
    root: &'a Path,
    project_id: ProjectId,
    project_is_there: bool,
    fence: Fence,
    claude_config_dir: Option<&'a Path>,
    codex_dir: Option<&'a Path>,
    config_dir: Option<&'a Path>,
    outlines: Option<&'a dyn Outlines>,
    /// Takes what starts each server.
    starts: Option<Starts>,
    /// Nothing counts that the user has, approved or trusts.
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
            // A linked work tree need not hold what its repository's other trees do: a file that is
            // missing from it proves nothing for the project that they share.
            project_is_there: is_there(folder) && request.project.is_main_tree(),
            fence: request.project.fence(),
            claude_config_dir: request.claude_config_dir,
            codex_dir: request.codex_dir,
            config_dir: request.config_dir,
            outlines: request.outlines,
            starts: None,
            is_project_alone: false,
            #[cfg(test)]
            whole: false,
        }
    }

    /// Reads the outline of a JSON file.
    fn json(&self, path: &Path, fence: Option<&Fence>, kind: &Kind) -> Content {
        #[cfg(test)]
        if self.whole {
            let content = read_config(path, fence, MAX_CONFIG_BYTES);
            let Content::Text(text, Liberties { mark, .. }) = content else { return content };
            let (_, liberties) = outline(&text, &Shape::PLAIN).unwrap_or_default();
            return Content::Text(text, Liberties { mark, ..liberties });
        }
        let meta = match check_config(path, fence, MAX_CONFIG_BYTES) {
            Ok(meta) => meta,
            Err(content) => return content,
        };
        match self.outlines.filter(|_| meta.len() > LARGE) {
            Some(outlines) => {
                let key = remembered::key(path, shapes::VERSION, kind.name);
                remembered::read(outlines, &key, path, &meta, kind.root)
            }
            None => load_config(path, MAX_CONFIG_BYTES).map_or_else(
                |failed| failed,
                |(bytes, _)| match self.starts {
                    None => outline_of(path, bytes, kind.root),
                    Some(_) => outlined(path, bytes, &|text| outline_to_start(text, kind.root)),
                },
            ),
        }
    }

    /// A file in the folder where programs keep their settings. Homes are carried from one
    /// platform to another, so the other platforms' folders are looked at as well.
    fn user_config(&self, file: &str) -> PathBuf {
        if let Some(folder) = self.config_dir {
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

    /// A path of the user's, and one of the project. The latter is left out when it is the same, as in a
    /// home folder that is a project: what is global there must not be read a second time as the project's.
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

/// A file or folder of a client, for all projects or for one.
struct Place<'a> {
    path: PathBuf,
    project: Option<&'a ProjectId>,
    fence: Option<&'a Fence>,
    /// True if what is missing there is proven to be gone.
    root_is_there: bool,
}

impl Place<'_> {
    fn draft(&self, client: &str, part: &str) -> Draft {
        let level = if self.project.is_some() { Level::Project } else { Level::User };
        Draft::new(source(client, level, self.project, part), &self.path)
    }
}

/// Makes a reading of a JSON file. `fill` adds what it lists.
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

/// Refuses all that a client was found to have: it does not start, and why. What was read of a source in part stays so.
fn refuse_all(sources: &mut [SourceReading], why: &str) {
    for source in sources {
        source.found.iter_mut().for_each(|found| found.state = ListingState::Refused);
        if source.state == SourceState::Read {
            source.state = SourceState::Refused;
            source.error = Some(why.to_owned());
        }
    }
}

/// A source's identity.
fn source(
    client: &str,
    level: Level,
    project: Option<&ProjectId>,
    part: impl Into<String>,
) -> SourceId {
    SourceId { project: project.cloned(), client: client.to_owned(), level, part: part.into() }
}
