//! Reads the configuration of Gemini CLI: settings, the files that enable servers and trust folders, and
//! extensions.
//!
//! In an untrusted folder, the client loads no servers at all, not even the user's. The user's servers have one state
//! for all projects, so for a distrusted folder they are listed a second time, as untrusted, in a source for the
//! folder. Until the user decides, the client does not start. Servers that a trusted project disables are also listed a
//! second time, as disabled, in the project's source.

use std::collections::HashSet;
use std::path::Path;

use staleness_core::ids::Level;
use staleness_core::scan::{Found, SourceReading};
use staleness_core::tool::ListingState;

use super::format::{Format, Syntax};
use super::servers::{self, Rules};
use super::{Outside, Place, list_in, reading, refuse_all, refuse_in_project, shapes, source};
use crate::draft::Draft;
use crate::folder::Lister;
use crate::json::{self, JsonFile, JsonText, Object, Value};
use crate::text::Content;
use staleness_docs::disk::{canonical, look, shown};

pub(super) const CLIENT: &str = "gemini";

/// The settings file, below the home folder and below a project.
pub(super) const FILE: &str = ".gemini/settings.json";

/// The format of settings. The client does not start if it rejects them.
pub(super) static SETTINGS: Format =
    Format { syntax: Syntax::Comments, ..Format::strict("Gemini CLI") };

/// The format of extension manifests and enablement files.
static STRICT: Format = Format::strict("Gemini CLI");

/// The servers and folders that the client allows.
#[derive(Default)]
struct Gate {
    allowed: Option<HashSet<String>>,
    excluded: HashSet<String>,
    /// Servers disabled by `mcp-server-enablement.json`.
    off: HashSet<String>,
    /// True if the client requires the user's trust in a folder.
    asks_for_trust: bool,
    /// The reason why the client does not start.
    refusal: Option<String>,
    faults: Vec<String>,
    /// Reasons why it is unknown whether the folder is trusted.
    trust_faults: Vec<String>,
}

impl Gate {
    /// Reads the lists of a settings file. If several files list allowed servers, all of them must allow a server.
    fn take(&mut self, file: &JsonFile<'_>) {
        let file = match file {
            JsonFile::Missing => return,
            JsonFile::Failed(why) => return self.faults.push(why.clone()),
            JsonFile::Read(file) => file,
        };
        let Some(mcp) = json::get(&file.root, "mcp").and_then(Value::as_object) else { return };
        let mut listed = |key| {
            let names = servers::names(file, mcp, key, &mut self.faults)?;
            Some(names.iter().map(|name| normal(name)).collect::<HashSet<_>>())
        };
        let (allowed, excluded) = (listed("allowed"), listed("excluded"));
        self.allowed = match (allowed, self.allowed.take()) {
            (Some(own), Some(users)) => Some(&own & &users),
            (own, users) => own.or(users),
        };
        self.excluded.extend(excluded.into_iter().flatten());
    }

    fn state(&self, server: &str) -> ListingState {
        let name = normal(server);
        let shut_out = self.allowed.as_ref().is_some_and(|allowed| !allowed.contains(&name));
        if shut_out || self.excluded.contains(&name) || self.off.contains(&name) {
            ListingState::Off
        } else {
            ListingState::Configured
        }
    }
}

/// Normalises a server's name for comparison, as in the client.
fn normal(name: &str) -> String {
    name.trim().to_lowercase()
}

pub(super) fn read(outside: &Outside<'_>, sources: &mut Vec<SourceReading>) {
    let dir = outside.home.join(".gemini");
    let mut gate = Gate { asks_for_trust: true, ..Gate::default() };
    let own = sources.len();
    let switches = dir.join("mcp-server-enablement.json");
    object_in(outside, &switches, &STRICT, &mut gate.faults, |root| {
        let off = json::entries(root).into_iter().filter(|entry| {
            let server = entry.value.as_object();
            server.and_then(|server| json::get_bool(server, "enabled")) == Some(false)
        });
        gate.off = off.map(|entry| entry.key.to_owned()).collect();
    });
    let mut trust = None;
    let trusted = dir.join("trustedFolders.json");
    let distrust = object_in(outside, &trusted, &SETTINGS, &mut gate.trust_faults, |root| {
        trust = trusts(root, &canonical(outside.folder));
    });
    let is_trusted = trust == Some(true);
    for place in outside.places(outside.home.join(FILE), outside.home_is_there, Some(FILE)) {
        let content = outside.json(&place.path, place.fence, &shapes::GEMINI);
        let file = JsonFile::of(&place.path, &content);
        gate.take(&file);
        if place.project.is_none() {
            if let JsonFile::Read(file) = &file {
                take_user(&mut gate, file);
            }
            // If trust is not required, the client does not read the file with trusted folders.
            gate.refusal = gate.refusal.or(distrust.clone().filter(|_| gate.asks_for_trust));
            extensions(outside, &dir, &gate, sources);
        }
        let asks = place.project.is_some() && gate.asks_for_trust;
        let trust_faults = if asks { &*gate.trust_faults } else { &[] };
        let is_known = gate.faults.is_empty() && trust_faults.is_empty();
        let untrusted = asks && !is_trusted && is_known;
        let unknown =
            if asks && !is_trusted { ListingState::Untrusted } else { ListingState::Pending };
        let draft = place.draft(CLIENT, "mcp");
        sources.push(reading(&file, draft, place.root_is_there, |draft, file| {
            let state = |name: &str| match gate.state(name) {
                ListingState::Configured if untrusted => ListingState::Untrusted,
                state => state,
            };
            let rules = Rules { state: &state, ..Rules::plain(outside, &SETTINGS) };
            servers::add_keyed(draft, file, &file.root, &rules);
            for fault in gate.faults.iter().chain(trust_faults) {
                draft.doubt(fault, unknown);
            }
        }));
    }
    if is_trusted || !gate.asks_for_trust {
        let is_off = |found: &Found| {
            found.name.spelled_server().is_some_and(|name| gate.state(name) == ListingState::Off)
        };
        list_in(&mut sources[own..], Level::Project, ListingState::Off, is_off);
    } else if let Some(starts) = &outside.starts {
        starts.distrust(CLIENT);
    }
    refuse_in_project(&mut sources[own..]);
    if !outside.is_project_alone {
        let id = source(CLIENT, Level::Local, Some(&outside.project_id), "mcp");
        let draft = Draft::new(id, &trusted);
        let is_distrusted = gate.asks_for_trust && trust == Some(false);
        sources.push(match gate.trust_faults.first() {
            Some(why) => draft.failed(why.clone()),
            None if is_distrusted => draft.read(),
            None => draft.missing(outside.home_is_there),
        });
        list_in(&mut sources[own..], Level::Local, ListingState::Untrusted, |_| is_distrusted);
    }
    if let Some(why) = gate.refusal {
        refuse_all(&mut sources[own..], &why);
    }
}

/// Returns the names of the files that the client loads instead of `GEMINI.md`. A project's settings take precedence.
pub(super) fn instruction_names(outside: &Outside<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for place in outside.places(outside.home.join(FILE), outside.home_is_there, Some(FILE)) {
        let content = outside.json(&place.path, place.fence, &shapes::GEMINI);
        let JsonFile::Read(file) = JsonFile::of(&place.path, &content) else { continue };
        let context = json::get(&file.root, "context").and_then(Value::as_object);
        let Some(value) = context.and_then(|context| json::get(context, "fileName")) else {
            continue;
        };
        let list = value.as_array().map_or(std::slice::from_ref(value), |list| &list.elements);
        names = list.iter().filter_map(json::as_str).map(str::to_owned).collect();
    }
    names
}

/// Reads the values from the user's settings that a project cannot override.
fn take_user(gate: &mut Gate, file: &JsonText<'_>) {
    let security = json::get(&file.root, "security").and_then(Value::as_object);
    let trust = security.and_then(|security| json::get(security, "folderTrust")?.as_object());
    let enabled = trust.and_then(|trust| json::get_bool(trust, "enabled"));
    gate.asks_for_trust = enabled != Some(false);
    let refusal = SETTINGS.syntax.refuses(&file.liberties);
    gate.refusal = refusal.map(|(line, what)| SETTINGS.refusal(file.path, line, what));
}

/// Passes the object in a file to `take`. If the client rejects the file, returns the reason instead.
fn object_in(
    outside: &Outside<'_>,
    path: &Path,
    format: &Format,
    faults: &mut Vec<String>,
    take: impl FnOnce(&Object<'_>),
) -> Option<String> {
    if outside.is_project_alone {
        return None;
    }
    let content = outside.json(path, None, &shapes::GEMINI_SWITCHES);
    let file = JsonFile::of(path, &content).or_fault(|why| faults.push(why))?;
    let refusal = format.syntax.refuses(&file.liberties);
    if refusal.is_none() {
        take(&file.root);
    }
    refusal.map(|(line, what)| format.refusal(path, line, what))
}

/// Returns the result of the most specific rule for a folder: true if the user trusts it. `None` if no rule applies.
fn trusts(rules: &Object<'_>, folder: &Path) -> Option<bool> {
    let rules = json::entries(rules).into_iter().filter_map(|entry| {
        let level = json::as_str(entry.value)?;
        let path = Path::new(entry.key);
        let base = if level == "TRUST_PARENT" { path.parent()? } else { path };
        let holds = folder.starts_with(canonical(base));
        holds.then_some((entry.key.len(), matches!(level, "TRUST_FOLDER" | "TRUST_PARENT")))
    });
    rules.max_by_key(|(length, _)| *length).map(|(_, is_trusted)| is_trusted)
}

/// Reads the servers of all extensions as one source.
fn extensions(outside: &Outside<'_>, dir: &Path, gate: &Gate, sources: &mut Vec<SourceReading>) {
    let place = Place {
        path: dir.join("extensions"),
        project: None,
        fence: None,
        root_is_there: outside.home_is_there,
    };
    let mut draft = place.draft(CLIENT, "extensions");
    let listed = match look(&place.path, None) {
        Ok(None) => return sources.push(draft.missing(place.root_is_there)),
        Err(what) => Err(format!("{}: {what}", shown(&place.path))),
        Ok(Some(_)) => Lister::new(None).list(&place.path, &mut draft),
    };
    let folders = match listed {
        Err(why) => return sources.push(draft.failed(why)),
        Ok(items) => items.into_iter().filter(|item| item.is_folder),
    };
    let mut off = HashSet::new();
    let mut faults = gate.faults.clone();
    let overrides = place.path.join("extension-enablement.json");
    object_in(outside, &overrides, &STRICT, &mut faults, |root| {
        let switched_off = json::entries(root).into_iter().filter(|entry| {
            entry.value.as_object().is_some_and(|rules| is_off_at(&outside.home, rules))
        });
        off = switched_off.map(|entry| entry.key.to_owned()).collect();
    });
    for folder in folders {
        let path = folder.path.join("gemini-extension.json");
        let content = outside.json(&path, None, &shapes::EXTENSION);
        extension(outside, &mut draft, (&path, &content), gate, &off);
    }
    for fault in &faults {
        draft.doubt(fault, ListingState::Pending);
    }
    sources.push(draft.read());
}

fn extension(
    outside: &Outside<'_>,
    draft: &mut Draft,
    (path, content): (&Path, &Content),
    gate: &Gate,
    off: &HashSet<String>,
) {
    let file = JsonFile::of(path, content).or_fault(|why| draft.fault(|| why));
    let Some(file) = file else { return };
    let name = json::get_str(&file.root, "name");
    let is_off = name.is_some_and(|name| off.contains(name));
    let state = |server: &str| if is_off { ListingState::Off } else { gate.state(server) };
    let folder = path.parent();
    let mut rules = Rules { state: &state, folder, ..Rules::plain(outside, &STRICT) };
    if name.is_none() || json::get(&file.root, "version").is_none() {
        draft.refuse(STRICT.refusal(path, 1, "`name` or `version` is missing; add it"));
        rules = rules.refused();
    }
    servers::add_keyed(draft, &file, &file.root, &rules);
}

/// Returns true if the last rule for the home folder disables the extension (`!HOME/*`).
fn is_off_at(home: &Path, rules: &Object<'_>) -> bool {
    let rules = json::get(rules, "overrides").and_then(Value::as_array);
    let rules = rules.into_iter().flat_map(|rules| &rules.elements).filter_map(json::as_str);
    let mut off = false;
    for rule in rules {
        let path = rule.trim_start_matches('!').trim_end_matches('*').trim_end_matches('/');
        if Path::new(path) == home {
            off = rule.starts_with('!');
        }
    }
    off
}
