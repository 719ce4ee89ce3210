//! Reads `.claude.json`: the user's servers, and the user's servers for one project.
//!
//! A project's section has level `local` and does not apply to other projects. Its `disabledMcpServers` lists servers
//! of any origin that are disabled in the project. The user's servers, and those of the user's plugins, have one state
//! for all projects, so the disabled ones are listed a second time, as disabled, at level `local`.

use std::collections::HashSet;
use std::path::Path;

use staleness_core::ids::{Level, ToolName};
use staleness_core::scan::{Found, SourceReading};
use staleness_core::tool::ListingState;

use super::claude::STATE;
use super::servers::{self, Rules, is_called, names};
use super::settings::Approvals;
use super::{Outside, shapes, source};
use crate::draft::Draft;
use crate::json::{self, JsonFile, JsonText, Object, Value};
use staleness_docs::disk::canonical;

/// The servers in other sources that the project's sections disable or approve.
#[derive(Debug, Default)]
pub(super) struct LocalState {
    /// Disabled servers: the project's by name, those of plugins as `plugin:<plugin>:<server>`.
    pub(super) off_servers: HashSet<String>,
    pub(super) approvals: Approvals,
    /// The user's own servers.
    pub(super) users: HashSet<ToolName>,
    /// True if the user trusts the project. If not, its files and sections cannot approve its servers.
    pub(super) is_trusted: bool,
    pub(super) faults: Vec<String>,
    /// The reason why the client does not start.
    pub(super) refusal: Option<String>,
}

/// Reads the file once for both of its sources.
pub(super) fn read(
    outside: &Outside<'_>,
    path: &Path,
    root_is_there: bool,
    sources: &mut Vec<SourceReading>,
) -> LocalState {
    let content = outside.json(path, None, &shapes::STATE);
    let project = Some(&outside.project_id);
    let mut user = Draft::new(source(super::claude::CLIENT, Level::User, None, "mcp"), path);
    let mut local = Draft::new(source(super::claude::CLIENT, Level::Local, project, "mcp"), path);
    let mut state = LocalState::default();
    match JsonFile::of(path, &content) {
        JsonFile::Missing => {
            sources.push(user.missing(root_is_there));
            sources.push(local.missing(root_is_there));
        }
        JsonFile::Failed(why) => {
            state.faults.push(why.clone());
            sources.push(user.failed(why.clone()));
            sources.push(local.failed(why));
        }
        JsonFile::Read(file) => {
            servers::add_keyed(&mut user, &file, &file.root, &Rules::plain(outside, &STATE));
            let seen = state.take(outside, &file, &mut local);
            let user = user.read();
            state.users = user.found.iter().map(|found| found.name.clone()).collect();
            sources.push(user);
            sources.push(local.finish(seen, true));
            if let Some((line, what)) = STATE.syntax.refuses(&file.liberties) {
                let refusal = Some(STATE.refusal(path, line, what));
                state = LocalState { refusal, ..LocalState::default() };
            }
        }
    }
    state
}

impl LocalState {
    /// Returns true if the project's sections disable a server of the user or of a plugin.
    pub(super) fn disables(&self, found: &Found) -> bool {
        self.off_servers.iter().any(|off| is_called(found, off))
    }

    /// Reads the project's sections. Returns true if there are any.
    fn take(&mut self, outside: &Outside<'_>, file: &JsonText<'_>, local: &mut Draft) -> bool {
        let projects = match json::get(&file.root, "projects") {
            None => return false,
            Some(Value::Object(projects)) => projects,
            Some(other) => {
                let fault = file.fault(json::start(other), "the projects are not an object");
                local.fault(|| fault.clone());
                self.faults.push(fault);
                return false;
            }
        };
        let places = Places::of(outside);
        let mut seen = false;
        for entry in json::entries(projects) {
            if !places.hold(entry.key) {
                continue;
            }
            seen = true;
            match entry.value {
                Value::Object(section) => self.take_section(outside, file, section, local),
                Value::NullKeyword(_) => {}
                other => {
                    let fault = file.fault(json::start(other), "a project is not an object");
                    local.fault(|| fault.clone());
                    self.faults.push(fault);
                }
            }
        }
        seen
    }

    fn take_section(
        &mut self,
        outside: &Outside<'_>,
        file: &JsonText<'_>,
        section: &Object<'_>,
        local: &mut Draft,
    ) {
        let mut faults = Vec::new();
        let off: HashSet<String> = names(file, section, "disabledMcpServers", &mut faults)
            .unwrap_or_default()
            .into_iter()
            .collect();
        self.approvals.take(file, section, &mut faults);
        self.is_trusted |= json::get_bool(section, "hasTrustDialogAccepted") == Some(true);
        for fault in &faults {
            local.doubt(fault, ListingState::Pending);
        }
        let state = |name: &str| {
            if off.contains(name) { ListingState::Off } else { ListingState::Configured }
        };
        let rules = Rules { state: &state, ..Rules::plain(outside, &STATE) };
        servers::add_keyed(local, file, section, &rules);
        self.off_servers.extend(off);
        self.faults.extend(faults);
    }
}

/// The paths by which clients may identify the project.
#[derive(Debug)]
pub(super) struct Places {
    paths: Vec<String>,
}

impl Places {
    pub(super) fn of(outside: &Outside<'_>) -> Self {
        let mut paths = Vec::new();
        for folder in [outside.folder, outside.root] {
            for path in [folder.to_path_buf(), canonical(folder)] {
                let text = uniform(&path.to_string_lossy());
                if !paths.contains(&text) {
                    paths.push(text);
                }
            }
        }
        Self { paths }
    }

    /// Returns true if a path used by a client names the project. Accesses the file system only if the last part of the
    /// path matches.
    pub(super) fn hold(&self, text: &str) -> bool {
        let path = uniform(text);
        if self.paths.contains(&path) {
            return true;
        }
        let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
        let alike = self.paths.iter().any(|own| name(own) == name(&path));
        alike
            && Path::new(text).is_absolute()
            && self.paths.contains(&uniform(&canonical(Path::new(text)).to_string_lossy()))
    }
}

/// Normalises a path: removes `\\?\` and all separators at the end, and writes the separators of Windows paths as `/`
/// and drive letters in upper case.
fn uniform(text: &str) -> String {
    let text = text.strip_prefix(r"\\?\").unwrap_or(text);
    let mut path = if text.as_bytes().get(1) == Some(&b':') || text.starts_with(r"\\") {
        text.replace('\\', "/")
    } else {
        text.to_owned()
    };
    while path.len() > 1 && path.ends_with('/') {
        path.pop();
    }
    if path.as_bytes().get(1) == Some(&b':')
        && let Some(drive) = path.get_mut(..1)
    {
        drive.make_ascii_uppercase();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_as_windows_and_unix_write_them() {
        let places = Places { paths: vec!["/home/a/p".into(), "C:/w/p".into()] };
        for same in ["/home/a/p", "/home/a/p/", r"c:\w\p", "C:/w/p/", r"\\?\C:\w\p"] {
            assert!(places.hold(same), "{same}");
        }
        for other in ["", "/", "/home/a", "/home/a/p2", "/home/a/p/sub", "p", "./p"] {
            assert!(!places.hold(other), "{other}");
        }
    }
}
