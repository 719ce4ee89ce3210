//! `doctor`: checks that everything works.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;
use staleness::ids::SourceId;
use staleness::source::SourceState;
use staleness::{Registry, Wait};
use staleness_core::text::counted;
use staleness_core::tool::ListingState;

use super::installed;
use super::mounts::{self, Medium};
use super::scan::preview;
use super::upkeep::Pruned;
use crate::error::{CliError, in_words};
use crate::output::work::summary;
use crate::output::{Cell, Output, Paint, Painter};
use crate::settings::{Access, Settings};
use staleness_service::Silent;
use staleness_service::knowledge::World;
use staleness_service::remembered::Remembered;
use staleness_service::spool::{Spool, Waiting};
use staleness_service::words::need;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warn,
    Fail,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    detail: String,
}

/// Runs all checks. Returns the exit code.
pub(crate) fn run(settings: &Settings, out: &Output) -> Result<u8, CliError> {
    let mut checks = Vec::new();
    let mut add = |name: &'static str, state: State, detail: String| {
        checks.push(Check { name, state, detail })
    };
    match &settings.policy_trouble {
        None => add("policy", State::Ok, policy(settings)),
        Some(trouble) => {
            let detail = format!("{}; hooks ignore it", trouble.message);
            add("policy", State::Fail, detail);
        }
    }
    add("project", State::Ok, format!("{} ({})", settings.project.root, settings.project.id));
    if settings.home.is_dir() {
        add("home", State::Ok, settings.home.display().to_string());
    } else {
        let detail = format!("{} is not a folder; set --home", settings.home.display());
        add("home", State::Warn, detail);
    }
    match settings.open(Access::Look) {
        Err(error) => {
            let hint = error.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            // The user is already running `doctor`, so that hint is left out.
            let hint = hint.replace("run `staleness doctor`; ", "");
            add("store", State::Fail, format!("{}{hint}", error.message));
        }
        Ok(registry) => {
            let (state, detail) = store(settings);
            add("store", state, detail);
            if let Some(trouble) = cannot_write(settings) {
                let detail =
                    format!("{trouble}; until this is fixed, uses are lost without a warning");
                add("writing", State::Fail, detail);
            }
            if let Some((state, detail)) = spool(settings) {
                add("spool", state, detail);
            }
            if let Some((state, detail)) = medium(settings) {
                add("file_system", state, detail);
            }
            match registry.admin().check().wait() {
                Ok(()) => {
                    let mut detail = "every record can be read".to_owned();
                    let old = Pruned::new(&registry, settings.now, true);
                    let old = old.map_or_else(|_| Vec::new(), |old| old.words());
                    if !old.is_empty() {
                        let old = old.join(", ");
                        detail.push_str(&format!("; `staleness prune` would remove {old}"));
                    }
                    add("integrity", State::Ok, detail);
                }
                Err(error) => {
                    let detail = format!("{error}; restore a backup, or export what can be read");
                    add("integrity", State::Fail, detail);
                }
            }
            match memory(settings, &registry) {
                Ok((state, detail)) => add("stale_memory", state, detail),
                Err(error) => add("stale_memory", State::Fail, error.message),
            }
            match preview(&registry, settings, &[]) {
                Err(error) => add("sources", State::Fail, error.to_string()),
                Ok((scan, view)) => {
                    let refuses_some = |source: &SourceId| {
                        let mut listings = view.tools.values().flat_map(|tool| &tool.listings);
                        listings.any(|each| {
                            each.state == ListingState::Refused && each.source == *source
                        })
                    };
                    let bad: Vec<String> = scan
                        .sources
                        .iter()
                        .filter(|s| s.state.is_unread() || refuses_some(&s.id))
                        .map(|s| format!("{}: {}", s.id, s.error.as_deref().unwrap_or("")))
                        .collect();
                    let read = scan.sources.iter().filter(|s| s.state == SourceState::Read).count();
                    if bad.is_empty() {
                        add("sources", State::Ok, format!("{read} read, no problems"));
                    } else {
                        add("sources", State::Warn, bad.join("; "));
                    }
                    let drift = scan.added.len() + scan.stale.len() + scan.restored.len();
                    if drift > 0 {
                        let detail = format!(
                            "{} added, {} stale, {} restored since the last scan",
                            scan.added.len(),
                            scan.stale.len(),
                            scan.restored.len()
                        );
                        add("scan", State::Warn, format!("{detail}; run `staleness scan`"));
                    } else {
                        add("scan", State::Ok, "nothing changed since the last scan".into());
                    }
                }
            }
        }
    }
    let (state, detail) = hooks(settings);
    add("hooks", state, detail);
    let failed = checks.iter().filter(|check| check.state == State::Fail);
    let code = match failed.map(|check| check.name).collect::<Vec<_>>().as_slice() {
        [] => 0,
        // Every other command rejects this policy with the same code.
        ["policy"] => 3,
        _ => 4,
    };
    if out.json {
        out.json(&json!({ "ok": code == 0, "checks": checks }))?;
        return Ok(code);
    }
    let rows = checks.into_iter().map(|check| -> Vec<Cell> {
        let (word, paint): (&str, Painter) = match check.state {
            State::Ok => ("ok", Paint::good),
            State::Warn => ("warn", Paint::warn),
            State::Fail => ("fail", Paint::bad),
        };
        vec![
            (word.into(), Some(paint)),
            (check.name.into(), Some(Paint::bold)),
            (check.detail, None),
        ]
    });
    out.text(&out.details(rows))?;
    Ok(code)
}

/// Describes the entries that hooks left in the spool. Returns `None` if there are none.
fn spool(settings: &Settings) -> Option<(State, String)> {
    let spool = Spool::of(&settings.url)?;
    let folder = spool.folder().display();
    let waiting = match spool.waiting() {
        Ok(waiting) => waiting,
        Err(error) => {
            let trouble = in_words(&error);
            let what = format!("{folder}: {trouble}; only its owner may have access to it");
            return Some((State::Fail, what));
        }
    };
    let Waiting { entries, refused, lost } = waiting;
    let mut all = Vec::new();
    if lost > 0 {
        all.push(format!(
            "{lost} uses or sessions were lost; delete the file `lost` to dismiss this message"
        ));
    }
    if refused > 0 {
        all.push(format!("{refused} entries cannot be recorded; delete the files *.refused"));
    }
    let state = match (waiting.is_full(), all.is_empty()) {
        (true, _) => State::Fail,
        (false, false) => State::Warn,
        (false, true) => State::Ok,
    };
    if entries > 0 {
        let next = "the next command that writes to the store records them";
        all.push(format!("{entries} uses or sessions wait to be recorded; {next}"));
    }
    (!all.is_empty()).then(|| (state, format!("{folder}: {}", all.join(". "))))
}

/// Counts stale documents, doubtful items and overdue work, which are not faults of this program.
fn memory(settings: &Settings, registry: &Registry) -> Result<(State, String), CliError> {
    let remembered = Remembered::read(settings, registry)?;
    let doubtful = World::new(settings, None, &Silent).doubtful(registry)?;
    let stuck = registry.work().stale(&settings.project, settings.now).wait()?;
    let age = remembered.age(settings.now);
    let gap = remembered.incomplete();
    let Remembered { documents, stale, review, .. } = remembered;
    let checked = if documents == 0 {
        "no documents checked yet; run `staleness check`".into()
    } else {
        let documents = counted(documents, "document", "documents");
        format!("{stale} of {documents} stale, {review} to review, {age}")
    };
    let items = match doubtful {
        0 => String::new(),
        count => {
            let items = counted(count, "item of knowledge", "items of knowledge");
            format!("; {items} {} attention", need(count))
        }
    };
    let work = match stuck.len() {
        0 => String::new(),
        _ => format!("; overdue: {}", summary(&stuck)),
    };
    let gap = gap.map_or_else(String::new, |gap| format!("; the check is incomplete: {gap}"));
    if stale + review + doubtful + stuck.len() > 0 {
        return Ok((State::Warn, format!("{checked}{gap}{items}{work}; see `staleness review`")));
    }
    let state = if gap.is_empty() { State::Ok } else { State::Warn };
    Ok((state, format!("{checked}{gap}")))
}

fn policy(settings: &Settings) -> String {
    let user = settings.layers.user.as_ref().map(|(path, _)| path);
    let files: Vec<String> = [user, settings.layers.project.as_ref()]
        .into_iter()
        .flatten()
        .filter(|path| path.is_file())
        .map(|path| path.display().to_string())
        .collect();
    if files.is_empty() { "defaults".into() } else { files.join(", ") }
}

/// Lists the clients that are set up to call this program. Warns if a call is broken.
fn hooks(settings: &Settings) -> (State, String) {
    let installed = installed::look(settings);
    let places = installed.places.join(", ");
    if !installed.broken.is_empty() {
        let broken = installed.broken.join("; ");
        return (State::Warn, format!("{broken}; run `staleness init CLIENT` again"));
    }
    if !installed.without_hooks.is_empty() {
        let clients = installed.without_hooks.join(", ");
        let lost = "the MCP server is set up without hooks, so no use is recorded";
        return (State::Warn, format!("{clients}: {lost}; run `staleness init CLIENT`"));
    }
    if places.is_empty() {
        return (State::Ok, "not set up in any client; run `staleness init`".into());
    }
    (State::Ok, format!("set up in {places}"))
}

/// Returns the file system of the store's folder. Warns about network file systems, on which locks may fail.
fn medium(settings: &Settings) -> Option<(State, String)> {
    let folder = existing_folder(settings.url.path()?)?;
    Some(match mounts::medium_of(&folder) {
        Medium::Local(kind) => (State::Ok, kind),
        Medium::Network(kind) => {
            let advice = "locks may fail on network drives; use a local disk with --store";
            (State::Warn, format!("{} is on {kind}; {advice}", folder.display()))
        }
        Medium::Unknown => (State::Ok, "unknown on this system".into()),
    })
}

/// Returns the folder of a file, or the nearest existing parent.
fn existing_folder(file: &Path) -> Option<PathBuf> {
    let file = std::path::absolute(file).ok()?;
    file.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_path_buf)
}

/// Returns the reason why nothing can be recorded now, or `None`. Tries to write a small file beside the store, or in
/// the nearest existing folder.
fn cannot_write(settings: &Settings) -> Option<String> {
    let path = settings.url.path()?;
    let folder = existing_folder(path)?;
    if std::fs::metadata(path).is_ok_and(|meta| meta.permissions().readonly()) {
        return Some(format!("{} is read-only", path.display()));
    }
    let probe = folder.join(format!(".staleness-probe-{}", std::process::id()));
    let file = std::fs::File::options().write(true).create_new(true).open(&probe);
    let tried = file.and_then(|mut file| {
        file.write_all(&[0; PROBE_BYTES])?;
        file.sync_all()
    });
    let _ = std::fs::remove_file(&probe);
    tried.err().map(|error| format!("{}: {}", folder.display(), in_words(&error)))
}

/// Size of the probe file in bytes, enough to record a few uses.
const PROBE_BYTES: usize = 64 * 1024;

/// Returns the size of SQLite's log and of the spool, in bytes. Both count as parts of the store.
fn beside(settings: &Settings, path: &Path) -> u64 {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let spool = Spool::of(&settings.url).and_then(|spool| spool.folder().read_dir().ok());
    let entries = spool.into_iter().flatten().flatten().map(|entry| entry.path());
    let sizes = entries.chain([log.into()]).filter_map(|path| path.symlink_metadata().ok());
    sizes.map(|meta| meta.len()).sum()
}

/// Describes the store and its size. Warns if others can read it, or if it is in memory.
fn store(settings: &Settings) -> (State, String) {
    let Some(path) = settings.url.path() else {
        if matches!(settings.url, staleness::StoreUrl::Postgres(_)) {
            return (State::Ok, settings.url.to_string());
        }
        return (State::Warn, format!("{}: lost on exit", settings.url));
    };
    let Ok(meta) = std::fs::metadata(path) else {
        return (State::Ok, format!("{}: does not exist yet; a scan creates it", settings.url));
    };
    let bytes = meta.len() + beside(settings, path);
    let detail = format!("{}, {} KiB", settings.url, bytes.div_ceil(1024));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = meta.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            let detail = format!("{detail}: others can read it (mode {mode:o}); run chmod 600");
            return (State::Warn, detail);
        }
    }
    (State::Ok, detail)
}
