//! Checks documents, and reads the results of the last check.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use staleness::ids::{AgentId, ClientId, ItemKey, Scope};
use staleness::knowledge::{Context, Document, Item};
use staleness::{Registry, Wait};
use staleness_core::knowledge::Version;
use staleness_core::registry::FileItem;
use staleness_core::text::counted;
use staleness_docs::checkout::Checkout;
use staleness_docs::disk::canonical;
use staleness_docs::git::{GitError, LazyRepo, TrackedKind};
use staleness_docs::{
    Cancelled, CheckOptions, Progress as Step, Report, is_for_agents, retain_loaded_by,
};
use staleness_sources::clients::is_file_of;

use crate::citations;
use crate::error::{ErrorKind, ServiceError, brief, quoted};
use crate::items::without_gone;
use crate::listener::Listener;
use crate::scan;
use crate::settings::{Access, Settings};

/// The options of a check.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// Files and folders to check. Empty means all documents of the project.
    pub paths: &'a [PathBuf],
    /// The text of the single document in `paths`, if it may differ from the file.
    pub unsaved: Option<&'a str>,
    /// Reports only findings that are new since this revision.
    pub since: Option<&'a str>,
    /// Treats files on disk as committed, and reports new findings and the documents that name a changed symbol or
    /// file. Compares with `since`, else with `HEAD`, or with `HEAD~1` if nothing changed. Afterwards, the repository
    /// of the settings uses the files on disk as its head.
    pub impact: bool,
    /// The project's version, if it differs from the declared one.
    pub version: Option<&'a str>,
    /// Writes nothing to the store.
    pub dry_run: bool,
}

impl Asked<'_> {
    /// Returns true if the results may be stored: the check covers everything, as of now.
    fn is_kept(&self, settings: &Settings) -> bool {
        self.is_whole() && !settings.given_now
    }

    /// Returns true if the check covers the complete current state. The results may still be unsuitable for
    /// storing if a time was given with `--now`.
    pub fn is_whole(&self) -> bool {
        !self.dry_run
            && self.unsaved.is_none()
            && !self.impact
            && self.since.is_none()
            && self.version.is_none()
    }
}

/// Checks documents, using the results of earlier checks, and stores the results.
pub fn check(
    settings: &Settings,
    asked: Asked<'_>,
    listener: &dyn Listener,
) -> Result<Report, ServiceError> {
    let paths = absolute(settings, asked.paths)?;
    let since = if asked.impact { Some(diffed(settings, asked.since)?) } else { asked.since };
    let option = if asked.impact { "--impact" } else { "since" };
    since.map_or(Ok(()), |name| citations::check_revision(settings, option, name))?;
    let known = last_results(settings, listener);
    let declared = version(settings);
    let mut options = CheckOptions::new(settings.now);
    (options.paths, options.unsaved) = (&paths, asked.unsaved);
    options.current_version = asked.version.or(declared.as_deref());
    options.known = &known;
    (options.since, options.impact) = (since, asked.impact);
    let report = read(settings, &mut settings.repo(), options, &mut |step| listener.step(step));
    listener.end();
    let report = report?;
    if asked.is_kept(settings) {
        keep(settings, &report, asked.paths.is_empty(), listener);
    }
    Ok(report)
}

/// Makes the repository treat the files on disk as committed. Returns the revision to compare with.
fn diffed<'a>(settings: &Settings, since: Option<&'a str>) -> Result<&'a str, ServiceError> {
    let refused = |why: &dyn std::fmt::Display, next: &str| {
        ServiceError::invalid(format!("--impact: {why}"))
            .hint(format!("it compares commits with the files on disk, so {next}"))
    };
    let mut repo = settings.repo();
    let is_changed = staleness_docs::take_disk(&settings.place, &mut repo, settings.now);
    let is_changed = is_changed.map_err(|error| match error {
        GitError::NoCommits => refused(&error, "commit once first"),
        _ => refused(&error, "it needs a git repository"),
    })?;
    match since {
        Some(since) => Ok(since),
        None if is_changed => Ok("HEAD"),
        None => match repo.get().and_then(|repo| repo.revision("HEAD~1")) {
            Ok(_) => Ok("HEAD~1"),
            Err(_) => {
                let why = "nothing was changed, and the checked-out commit is the first one";
                Err(refused(&why, "change something first"))
            }
        },
    }
}

/// Reads documents with this project's paths and policy, until the watchdog ends the work.
fn read<'a>(
    settings: &'a Settings,
    repo: &mut LazyRepo,
    options: CheckOptions<'a>,
    told: &mut dyn FnMut(Step),
) -> Result<Report, ServiceError> {
    let claude = settings.folder("CLAUDE_CONFIG_DIR");
    let mut options: CheckOptions<'_> = options;
    options.home = Some(&settings.home);
    options.policy = settings.configured.policy.documents.clone();
    options.claude_config_dir = claude.as_deref().map(Path::new);
    let watchdog = &settings.watchdog;
    let mut progress = |step| {
        told(step);
        if watchdog.is_ended() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let report = staleness_docs::check(&settings.place, repo, &options, &mut progress);
    // A git process that was stopped may look like a process that found nothing.
    let report = report.and_then(|it| if watchdog.is_ended() { Err(Cancelled) } else { Ok(it) });
    report.map_err(|error| ServiceError::new(ErrorKind::Cancelled, error.to_string()))
}

/// Returns the instruction files that a client loads when a session starts, by key.
pub(crate) fn session_files(settings: &Settings, client: &str) -> Vec<(String, PathBuf)> {
    let claude = settings.folder("CLAUDE_CONFIG_DIR");
    let names = scan::instruction_names(settings, client);
    let mut options = CheckOptions::new(settings.now);
    options.home = Some(&settings.home);
    options.claude_config_dir = claude.as_deref().map(Path::new);
    options.instruction_names = &names;
    staleness_docs::session_files(client, &settings.place, &options)
}

/// Reads documents without asking git.
fn read_files<'a>(
    settings: &'a Settings,
    options: CheckOptions<'a>,
) -> Result<Report, ServiceError> {
    read(settings, &mut LazyRepo::default(), options, &mut |_| ())
}

/// Keeps the documents that a client loads when a session starts.
pub(crate) fn loaded_by(
    settings: &Settings,
    client: &str,
    mut documents: Vec<Document>,
) -> Vec<Document> {
    let names = scan::instruction_names(settings, client);
    let mut options = CheckOptions::new(settings.now);
    options.policy = settings.configured.policy.documents.clone();
    options.instruction_names = &names;
    retain_loaded_by(client, &settings.place, &options, &mut documents);
    documents
}

/// Removes instructions, skills, commands and agents that the requesting client does not load.
pub(crate) fn without_others(
    settings: &Settings,
    client: Option<&ClientId>,
    documents: Vec<Document>,
) -> Vec<Document> {
    let Some(client) = client else { return documents };
    // A document imported by instructions is for everyone.
    let is_given = |each: &Document| {
        is_for_agents(&each.key.path) || each.loaded && each.key.path.starts_with('~')
    };
    let (given, mut kept): (Vec<_>, Vec<_>) = documents.into_iter().partition(is_given);
    let (loaded, mut given): (Vec<_>, Vec<_>) = given.into_iter().partition(|each| each.loaded);
    given.retain(|each| is_file_of(client.as_str(), &each.key.path));
    kept.extend(given);
    kept.extend(loaded_by(settings, client.as_str(), loaded));
    kept
}

/// Returns the paths of the documents that a check without arguments reads, without running git, and of the
/// skills, commands, agents and rules that the project gives to its agents.
pub(crate) fn paths(settings: &Settings) -> Result<BTreeSet<String>, ServiceError> {
    let report = read_files(settings, CheckOptions::new(settings.now))?;
    let tracked = unknown(settings, &report.documents);
    let tracked = tracked.iter().map(|path| key_of(settings, None, &path.to_string_lossy()));
    let given = scan::declared(settings).entries.into_iter().filter_map(|each| match each.kind {
        "skill" => Some(format!("{}/SKILL.md", each.name)),
        "agent" | "command" | "rules" => Some(each.name),
        _ => None,
    });
    let read = report.documents.iter().map(|document| document.key.path.clone());
    Ok(read.chain(tracked).chain(given).collect())
}

/// Returns the context for verdicts on items and documents, for the current agent.
pub fn context(settings: &Settings, version: Option<&str>) -> Context {
    context_for(settings, settings.agent.as_ref(), version)
}

/// Like [`context`], for another agent.
pub fn context_for(settings: &Settings, agent: Option<&AgentId>, version: Option<&str>) -> Context {
    let (project, policy) = (&settings.project, &settings.configured.policy.knowledge);
    let caller = project.caller(agent.map(AgentId::as_str));
    Context::new(settings.now, policy, caller).at_version(version)
}

/// Returns all information that is available without reading the git history: the items now in files, and the findings
/// of the last check. After the first check, reads only files that were checked, and tracked documents that were not.
pub fn at_hand(settings: &Settings, registry: &Registry) -> Result<Report, ServiceError> {
    let mut known = known_at_hand(settings, registry)?;
    if known.documents.is_empty() {
        known.items = read_files(settings, CheckOptions::new(settings.now))?.items;
        return Ok(known);
    }
    let paths = unknown(settings, &known.documents);
    if !paths.is_empty() {
        let mut options = CheckOptions::new(settings.now);
        options.paths = &paths;
        known.items.extend(read_files(settings, options)?.items);
    }
    Ok(known)
}

/// Returns the tracked documents that are not in `documents`.
fn unknown(settings: &Settings, documents: &[Document]) -> Vec<PathBuf> {
    let folder = &settings.place.folder;
    let mut repo = settings.repo();
    let Ok(tracked) = repo.get().and_then(|repo| repo.tracked()) else { return Vec::new() };
    let known: BTreeSet<&str> =
        documents.iter().map(|document| document.key.path.as_str()).collect();
    let is_new = |path: &str, kind| {
        kind == TrackedKind::File && staleness_docs::is_checked(path) && !known.contains(path)
    };
    let new = tracked.iter().filter(|(path, kind)| is_new(path, *kind));
    new.map(|(path, _)| folder.join(path)).filter(|path| path.exists()).collect()
}

/// Like [`at_hand`], but only for files that the last check read. Empty if there was no check.
pub fn known_at_hand(settings: &Settings, registry: &Registry) -> Result<Report, ServiceError> {
    as_checked(settings, registry.documents().list(&settings.project.id).wait()?, None)
}

/// Returns documents with the findings of the last check and their current items, without running git. Findings are
/// dropped if the text has changed, the file is gone, or they do not apply to the checked-out files. `version` is the
/// project's version, if the caller knows it.
pub fn as_checked(
    settings: &Settings,
    mut documents: Vec<Document>,
    version: Option<&str>,
) -> Result<Report, ServiceError> {
    let place = |document: &Document| on_disk(settings, &document.key.path);
    let paths: Vec<PathBuf> = documents.iter().map(place).filter(|path| path.exists()).collect();
    let mut now = Report::default();
    if !paths.is_empty() {
        let mut options = CheckOptions::new(settings.now);
        (options.paths, options.known) = (&paths, &documents);
        options.current_version = version;
        now = read_files(settings, options)?;
    }
    let checkout = Checkout::of(&settings.place.folder);
    for document in &mut documents {
        let at = now.documents.binary_search_by(|each| each.key.cmp(&document.key));
        if !at.is_ok_and(|at| now.documents[at].reads_as(document)) {
            document.found.clear();
        }
        checkout.retain(document);
    }
    Ok(Report { documents, items: now.items, ..Report::default() })
}

/// Checks only the files that contain the given items. Sets the items' dates from their commits, and the numbers of
/// recalls since then from `rows`. Results of the last check are reused where they still apply.
pub fn check_files(
    settings: &Settings,
    asked: Asked<'_>,
    items: &mut [Item],
    rows: &BTreeMap<ItemKey, Item>,
    listener: &dyn Listener,
) -> Result<Report, ServiceError> {
    let files = items.iter().filter_map(|item| item.path.as_deref());
    let paths: Vec<PathBuf> =
        files.map(|path| on_disk(settings, path)).filter(|path| path.exists()).collect();
    if paths.is_empty() {
        return Ok(Report::default());
    }
    let report = check(settings, Asked { paths: &paths, ..asked }, listener)?;
    for item in items.iter_mut().filter(|item| item.path.is_some()) {
        if let Some(dated) = report.items.iter().find(|dated| dated.key == item.key) {
            (item.added_at, item.updated_at) = (dated.added_at, dated.updated_at);
            if let Some(row) = rows.get(&item.key) {
                item.recalls_since_edit = row.recalls_since(item.updated_at);
            }
        }
    }
    Ok(report)
}

/// Returns the items among `keys` that are in files of the project, with the data needed to record something about
/// them.
pub fn filed(
    settings: &Settings,
    registry: &Registry,
    keys: &BTreeSet<ItemKey>,
    listener: &dyn Listener,
) -> Result<BTreeMap<ItemKey, FileItem>, ServiceError> {
    let own = Scope::Project(settings.project.id.clone());
    if keys.iter().all(|key| key.scope != own) {
        return Ok(BTreeMap::new());
    }
    let mut items = at_hand(settings, registry)?.items;
    items.retain(|item| keys.contains(&item.key));
    let asked = Asked { dry_run: true, ..Asked::default() };
    check_files(settings, asked, &mut items, &BTreeMap::new(), listener)?;
    let file = |item: &Item| Some((item.key.clone(), FileItem::of(item)?));
    Ok(items.iter().filter_map(file).collect())
}

/// Returns the stored rows of items. Omits rows of deleted files, unless the item is in `files`.
pub fn rows(
    settings: &Settings,
    registry: &Registry,
    files: &[Item],
) -> Result<Vec<Item>, ServiceError> {
    Ok(there(settings, registry.knowledge().rows(&settings.project.id).wait()?, files))
}

/// Removes the rows of items with deleted files, unless the item is in `files`.
pub fn there(settings: &Settings, rows: Vec<Item>, files: &[Item]) -> Vec<Item> {
    without_gone(rows, files, &|path| on_disk(settings, path).exists())
}

/// Returns the file for a document's path, which is relative to the project, or to the home folder if it
/// begins with `~/`.
pub fn on_disk(settings: &Settings, path: &str) -> PathBuf {
    let (root, rest) = match path.strip_prefix("~/") {
        Some(rest) => (&settings.home, rest),
        None => (&settings.place.folder, path),
    };
    root.join(rest)
}

/// Returns the path by which a check identifies a file. `path` is absolute, or relative to `cwd` or the
/// project.
pub fn key_of(settings: &Settings, cwd: Option<&Path>, path: &str) -> String {
    let folder = &settings.place.folder;
    let from = |root: &Path| Some(root.join(path)).filter(|path| path.exists());
    let path = cwd.and_then(from).unwrap_or_else(|| folder.join(path));
    let path = canonical(&path);
    let below = |root: &Path| {
        path.strip_prefix(canonical(root)).map(|path| path.to_string_lossy().replace('\\', "/"))
    };
    let of_user = || below(&settings.home).map(|path| format!("~/{path}"));
    below(folder).or_else(|_| of_user()).unwrap_or_else(|_| path.to_string_lossy().into_owned())
}

/// Returns the path of the document to which `PATH` or `PATH:LINE` refers.
pub fn named<'a>(all: &[Document], id: &'a str) -> Option<&'a str> {
    let without_line = id.rsplit_once(':').filter(|(_, line)| line.parse::<u32>().is_ok());
    let mut names = [Some(id), without_line.map(|(path, _)| path)].into_iter().flatten();
    names.find(|path| all.iter().any(|each| each.key.path == *path))
}

/// Validates the project version that a user gave.
pub fn named_version(named: Option<&str>) -> Result<Option<&str>, ServiceError> {
    if let Some(other) = named.filter(|text| Version::parse(text).is_none()) {
        let message = format!("--current-version: {} is not a version", quoted(other));
        return Err(
            ServiceError::invalid(message).hint("use a version such as 2.4.0, v2.4 or 2.4.0-rc1")
        );
    }
    Ok(named)
}

/// Returns the version declared in the project's files, without running git.
pub fn version(settings: &Settings) -> Option<String> {
    staleness_docs::declared_version(&settings.place.folder)
}

/// Returns the version declared in the project's files, or otherwise the one from the latest tag.
pub fn version_by_git(settings: &Settings) -> Option<String> {
    staleness_docs::project_version(&settings.place, &mut settings.repo())
}

/// Resolves paths against the current folder. A path that does not exist there, or is outside the project, is
/// resolved against the project's folder.
fn absolute(settings: &Settings, paths: &[PathBuf]) -> Result<Vec<PathBuf>, ServiceError> {
    let folder = &settings.place.folder;
    let is_there = |path: &Path| std::fs::symlink_metadata(path).is_ok();
    let is_inside = |path: &Path| canonical(path).starts_with(canonical(folder));
    let there = |path: &PathBuf| {
        let own = folder.join(path);
        if is_there(&own) && !(is_there(path) && is_inside(path)) {
            return Ok(own);
        }
        if !is_there(path) {
            let message = format!("{}: no such file or folder", brief(path));
            return Err(ServiceError::new(ErrorKind::Invalid, message)
                .hint("name files and folders of the project"));
        }
        Ok(std::path::absolute(path).unwrap_or_else(|_| path.clone()))
    };
    paths.iter().map(there).collect()
}

/// Returns the results of the last check, or nothing if the registry cannot be read.
fn last_results(settings: &Settings, listener: &dyn Listener) -> Vec<Document> {
    let read = || {
        Ok::<_, ServiceError>(
            settings.open(Access::Look)?.documents().list(&settings.project.id).wait()?,
        )
    };
    read().unwrap_or_else(|error| {
        listener.note(&format!("{}; everything is checked again", error.message));
        Vec::new()
    })
}

/// Stores the results for hooks. A failure is reported as a note and does not fail the check.
fn keep(settings: &Settings, report: &Report, everything: bool, listener: &dyn Listener) {
    let paths = everything
        .then(|| report.documents.iter().map(|document| document.key.path.clone()).collect());
    let put = || {
        let registry: Registry = settings.open_here()?;
        let project = &settings.project.id;
        Ok::<_, ServiceError>(
            registry
                .documents()
                .put(project, report.documents.clone(), paths, settings.now)
                .wait()?,
        )
    };
    match put() {
        Ok(kept) => {
            listener.note(&format!(
                "{}: {} saved, {} unchanged, {} gone",
                settings.url,
                counted(kept.written, "document", "documents"),
                kept.kept,
                kept.removed
            ));
            for path in kept.too_large {
                listener.note(&format!("{path}: only its worst findings are saved"));
            }
        }
        Err(error) => listener.note(&format!("{}; the findings were not saved", error.message)),
    }
}
