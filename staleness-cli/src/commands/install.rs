//! `init` and `uninstall`: add this program to the files of an agent client, or remove it.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use staleness::StoreUrl;
use staleness_sources::clients::refusal;

use super::typed::{can_ask, is_agreed};
use crate::args::install_args::{Client, Level};
use crate::args::{Global, InitArgs, PlaceArgs};
use crate::error::{CliError, ErrorKind, brief, in_words};
use crate::install::client::{Folders, Target};
use crate::install::diff::unified;
use crate::install::file::{Applied, Backup, Change, Kept, Place, remove_empty_folders};
use crate::install::part::After;
use crate::install::shell::Program;
use crate::output::diff::painted;
use crate::output::{Output, escape};
use crate::settings::Settings;

/// Maximum number of attempts to change a file while others change it.
const ATTEMPTS: usize = 8;

/// The action: set up a client, undo the setup, or disable servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Init,
    Uninstall,
    Switch,
}

pub(super) struct Planned {
    pub(super) target: Target,
    level: Level,
    pub(super) change: Change,
    pub(super) notes: Vec<String>,
}

pub(crate) fn init(global: &Global, args: &InitArgs, out: &Output) -> Result<(), CliError> {
    match args.place.client() {
        Some(client) => run_for(Verb::Init, client, global, &args.place, args.skill, false, out),
        None => offer(global, args, out),
    }
}

/// Removes what `init` added.
pub(crate) fn uninstall(global: &Global, args: &PlaceArgs, out: &Output) -> Result<(), CliError> {
    if !args.dry_run && Settings::new(global, None, true)?.may_be_agent() {
        return Err(CliError::invalid("an agent cannot remove what the user installed")
            .hint("ask the user to run this in a terminal outside the client"));
    }
    match args.client() {
        Some(client) => run_for(Verb::Uninstall, client, global, args, true, false, out),
        None => Err(CliError::new(ErrorKind::Usage, "no client given")
            .hint("use one of: claude-code, codex, cursor, vscode, gemini")),
    }
}

/// Offers to set up each installed client.
fn offer(global: &Global, args: &InitArgs, out: &Output) -> Result<(), CliError> {
    let InitArgs { place: args, skill, yes } = args;
    let folders = folders(&Settings::new(global, None, true)?);
    let there: Vec<Client> = Client::ALL.into_iter().filter(|it| it.is_there(&folders)).collect();
    let names =
        |clients: &[Client]| clients.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(", ");
    if there.is_empty() || out.json || !args.dry_run && !yes && !can_ask(out) {
        let hint = match &there[..] {
            [] => format!("`staleness init CLIENT`, with one of: {}", names(&Client::ALL)),
            there => format!("`staleness init CLIENT`, or --yes; found: {}", names(there)),
        };
        return Err(CliError::new(ErrorKind::Usage, "no client given").hint(hint));
    }
    let mut failed = Ok(());
    for client in there {
        let skill = *skill && client == Client::ClaudeCode;
        let asks = !args.dry_run && !yes;
        // A broken file of one client does not affect the others.
        if let Err(error) = run_for(Verb::Init, client, global, args, skill, asks, out) {
            out.warn(&error.render(false));
            failed = Err(CliError::new(error.kind, format!("{} is not set up", client.as_str())));
        }
    }
    failed
}

fn run_for(
    verb: Verb,
    client: Client,
    global: &Global,
    args: &PlaceArgs,
    skill: bool,
    asks: bool,
    out: &Output,
) -> Result<(), CliError> {
    if skill && verb == Verb::Init && client != Client::ClaudeCode {
        return Err(CliError::invalid("--skill only works with claude-code").hint("leave it out"));
    }
    let mut global = global.clone();
    if args.swallowed().is_some() {
        // The value of `--project` was the name of the client.
        global.project = None;
    }
    if let Some(folder) = args.named_before(&std::env::args_os().collect::<Vec<_>>()) {
        global.project = Some(folder);
    }
    // An unreadable policy does not affect the clients' files.
    let settings = Settings::new(&global, None, true)?;
    let level = args.level();
    let folders = folders(&settings);
    if level == Level::User && !settings.home.is_dir() {
        let message = format!("home {} is not a folder", brief(&settings.home));
        return Err(CliError::invalid(message).hint("choose another with --home"));
    }
    let program = program(&global, &settings)?;
    if verb == Verb::Init && is_in_cache(Path::new(&program.path)) {
        let message =
            format!("{}: npx and uvx may empty this cache", brief(Path::new(&program.path)));
        return Err(CliError::invalid(message).hint(
            "install it first: `npm install --global staleness` or `uv tool install staleness-cli`",
        ));
    }
    let mut targets = client.targets(level, &folders, &program, skill);
    if verb == Verb::Init && cfg!(not(feature = "mcp")) {
        // This build has no server that a client could start.
        targets.retain(|target| !target.part.is_server());
    }
    // All files are checked before any is written.
    let planned: Vec<Planned> = targets
        .into_iter()
        .map(|target| plan(verb, target, level))
        .collect::<Result<_, CliError>>()?;
    let diffs: Vec<String> = planned.iter().map(diff).collect();
    if !out.json {
        // A file that is created or removed as a whole needs no diff.
        let is_shown = |each: &Planned| args.dry_run || asks || word(&each.change) == "change";
        let shown = planned.iter().zip(&diffs).filter(|(each, _)| is_shown(each));
        out.text(&shown.map(|(_, diff)| painted(diff, out)).collect::<String>())?;
    }
    let changes = planned.iter().any(|each| !each.change.is_nothing());
    if asks && changes && !is_agreed(&format!("Set up {}?", client.as_str()))? {
        return Ok(());
    }
    let done = if args.dry_run { planned } else { carry_out(verb, planned)? };
    let mut notes: Vec<String> = done.iter().flat_map(|each| each.notes.clone()).collect();
    let changed = done.iter().any(|each| !each.change.is_nothing());
    if verb == Verb::Init {
        notes.extend(done.iter().filter_map(|each| refused(client, each)));
    }
    if verb == Verb::Init && changed {
        notes.extend(client.notes(level).into_iter().map(str::to_owned));
    }
    if out.json {
        let files: Vec<Json> =
            done.iter().zip(&diffs).map(|(each, diff)| report(each, diff)).collect();
        return out.json(&json!({
            "client": client.as_str(),
            "level": level.as_str(),
            "dry_run": args.dry_run,
            "changed": changed,
            "files": files,
            "notes": notes,
        }));
    }
    out.text(&summary(verb, client, level, &done, &notes, args.dry_run, out))
}

/// Returns the reason why the client would reject the file, and therefore ignore our entry.
fn refused(client: Client, planned: &Planned) -> Option<String> {
    let before = planned.change.before.as_deref()?;
    let why = refusal(client.as_str(), &planned.target.path, before)?;
    Some(format!("{why}; until this is fixed, the client ignores the file"))
}

pub(super) fn folders(settings: &Settings) -> Folders {
    Folders {
        home: settings.home.clone(),
        project: settings.place.folder.clone(),
        claude: settings.folder("CLAUDE_CONFIG_DIR"),
        codex: settings.folder("CODEX_HOME"),
        config: settings.folder("XDG_CONFIG_HOME"),
    }
}

/// Returns the program for configuration files: its absolute path, and the store and policy that were given.
fn program(global: &Global, settings: &Settings) -> Result<Program, CliError> {
    let mut options = Vec::new();
    if global.store.is_some() {
        options.extend(["--store".to_owned(), absolute(&settings.url)?]);
    }
    if let Some(file) = &global.config {
        options.extend(["--config".to_owned(), text(&full(file)?)?]);
    }
    Ok(Program { path: text(&own_path()?)?, options })
}

/// Returns this program's path as found in the search path, because the target of a link may contain a version. Falls
/// back to the path of the executable.
pub(super) fn own_path() -> Result<PathBuf, CliError> {
    let unknown = |what: String| {
        CliError::new(ErrorKind::Io, format!("cannot find this program's own path: {what}"))
            .hint("call it by its full path")
    };
    let running = std::env::current_exe().map_err(|error| unknown(in_words(&error)))?;
    if !running.is_file() {
        return Err(unknown(format!("{}: no such file", brief(&running))));
    }
    let same = |path: &PathBuf| {
        path.is_absolute() && path.canonicalize().ok() == running.canonicalize().ok()
    };
    let name = running.file_name().unwrap_or_default();
    let search = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&search).map(|folder| folder.join(name)).find(same);
    Ok(found.unwrap_or(running))
}

/// Returns true if the path is in the cache of `npx` or `uvx`.
fn is_in_cache(program: &Path) -> bool {
    program
        .components()
        .any(|part| ["_npx", "archive-v0"].iter().any(|name| part.as_os_str() == *name))
}

fn absolute(url: &StoreUrl) -> Result<String, CliError> {
    Ok(match url {
        StoreUrl::Sqlite(path) => format!("sqlite:{}", text(&full(path)?)?),
        StoreUrl::Redb(path) => format!("redb:{}", text(&full(path)?)?),
        // Configuration files may be shared and committed, so they must not contain a password.
        StoreUrl::Postgres(url) if url.has_password() => {
            let message = format!("{url}: the password would be written to a configuration file");
            return Err(CliError::invalid(message)
                .hint("leave it out of the URL, and set PGPASSWORD where the client runs"));
        }
        StoreUrl::Postgres(url) => url.expose().to_owned(),
        other => other.to_string(),
    })
}

fn full(path: &Path) -> Result<PathBuf, CliError> {
    std::path::absolute(path).map_err(|error| {
        CliError::new(ErrorKind::Io, format!("{}: {}", brief(path), in_words(&error)))
    })
}

fn text(path: &Path) -> Result<String, CliError> {
    let wrong = || {
        CliError::invalid(format!("the path {} is not UTF-8 text", brief(path)))
            .hint("a configuration file cannot contain this path; move the file elsewhere")
    };
    path.to_str().map(str::to_owned).ok_or_else(wrong)
}

/// Plans the change of one file, without writing it.
pub(super) fn plan(verb: Verb, target: Target, level: Level) -> Result<Planned, CliError> {
    let path = target.path.clone();
    let place = match verb {
        Verb::Switch => Place::to_switch(path, &target.root, level)?,
        _ => Place::new(path, (level == Level::Project).then_some(target.root.as_path()))?,
    };
    let before = place.read()?;
    let text = before.as_deref().unwrap_or_default();
    let kept = place.backup();
    let part = &target.part;
    let (after, backup) = match verb {
        Verb::Init | Verb::Switch => {
            let after = part.install(text);
            let backup = match &before {
                // There is no file, so any backup is of an earlier one.
                None => Backup::Remove,
                Some(text) if verb == Verb::Init && part.is_in(text) && kept.is_some() => {
                    Backup::Keep
                }
                Some(_) => Backup::Write,
            };
            (after.map(Some), backup)
        }
        Verb::Uninstall if before.is_none() => (Ok(None), Backup::Keep),
        Verb::Uninstall => match part.uninstall(text, kept.as_ref().map(|kept| kept.text.as_str()))
        {
            // An `init` was killed before it changed the file, so its backup is not needed.
            Ok(After::Same) if kept.as_ref().is_some_and(|kept| kept.text == text) => {
                (Ok(before.clone()), Backup::Remove)
            }
            Ok(After::Same) => (Ok(before.clone()), Backup::Keep),
            Ok(After::Text(text)) => (Ok(Some(text)), Backup::Remove),
            Ok(After::Gone) => (Ok(None), Backup::Remove),
            Err(fault) => (Err(fault), Backup::Keep),
        },
    };
    let after = after.map_err(|fault| {
        CliError::invalid(format!("{}:{}: {}", brief(&target.path), fault.line, fault.what))
            .hint("fix it and try again; nothing was changed")
    })?;
    let mut notes = part.notes(text);
    if verb == Verb::Uninstall
        && before == after
        && let Some(Kept { path, .. }) = kept
    {
        let path = path.display();
        notes.push(match backup {
            Backup::Remove => format!("removes {path}, left by an interrupted `init`"),
            _ => format!("nothing to remove; the copy {path} stays"),
        });
    }
    if level == Level::Project && backup == Backup::Write && before != after {
        notes.push("the copy may hold secrets; keep it out of version control".into());
    }
    let named = |note| format!("{}: {note}", target.path.display());
    let notes = notes.into_iter().map(named).collect();
    Ok(Planned { change: Change { place, before, after, backup }, target, level, notes })
}

/// Writes all files. If one cannot be written, restores the files already written.
pub(super) fn carry_out(verb: Verb, planned: Vec<Planned>) -> Result<Vec<Planned>, CliError> {
    let mut done: Vec<Planned> = Vec::new();
    for each in planned {
        match carry_out_one(verb, each) {
            Ok(planned) => done.push(planned),
            Err(error) => {
                for each in done.iter().rev().filter(|each| !each.change.is_nothing()) {
                    let back = each.change.inverse();
                    if !matches!(back.apply(), Ok(Applied::Done)) || back.settle().is_err() {
                        let file = brief(&each.target.path);
                        return Err(error.hint(format!(
                            "{file} was already changed and could not be restored"
                        )));
                    }
                    tidy(each);
                }
                return Err(error);
            }
        }
    }
    for each in &done {
        each.change.place.sweep()?;
        if each.change.is_nothing() && verb == Verb::Init || verb == Verb::Switch {
            continue;
        }
        each.change.settle()?;
        if each.change.after.is_none() {
            tidy(each);
        }
    }
    Ok(done)
}

fn carry_out_one(verb: Verb, mut planned: Planned) -> Result<Planned, CliError> {
    for _ in 0..ATTEMPTS {
        if planned.change.is_nothing() {
            return Ok(planned);
        }
        if planned.change.apply()? == Applied::Done {
            return Ok(planned);
        }
        planned = plan(verb, planned.target, planned.level)?;
    }
    let file = brief(&planned.target.path);
    Err(CliError::new(ErrorKind::Io, format!("{file} keeps changing while it is edited"))
        .hint("close the client, and try again"))
}

/// Removes the file's folders if they are now empty.
fn tidy(planned: &Planned) {
    remove_empty_folders(&planned.target.path, &planned.target.root);
}

pub(super) fn diff(planned: &Planned) -> String {
    let Change { before, after, .. } = &planned.change;
    let path = planned.target.path.display().to_string();
    unified(&planned.target.part, &path, before.as_deref(), after.as_deref())
}

/// Returns the kind of a change: none, create, remove or change.
fn word(change: &Change) -> &'static str {
    match (&change.before, &change.after) {
        _ if change.is_nothing() => "none",
        (None, _) => "create",
        (_, None) => "remove",
        _ => "change",
    }
}

pub(super) fn report(planned: &Planned, diff: &str) -> Json {
    let backup = planned.change.backup_path().filter(|_| !planned.change.is_nothing());
    let backup = backup.map(|path| path.display().to_string());
    json!({
        "path": planned.target.path.display().to_string(),
        "change": word(&planned.change),
        "backup": backup,
        "diff": diff,
    })
}

/// Returns a line that says what happened to the file.
pub(super) fn written(planned: &Planned) -> String {
    let path = escape(&planned.target.path.display().to_string()).into_owned();
    let line = match word(&planned.change) {
        "create" => format!("created {path}"),
        "remove" => format!("removed {path}"),
        _ => match planned.change.backup_path() {
            Some(backup) => {
                let backup = escape(&backup.display().to_string()).into_owned();
                format!("changed {path}; backup: {backup}")
            }
            None => format!("changed {path}"),
        },
    };
    line + "\n"
}

fn summary(
    verb: Verb,
    client: Client,
    level: Level,
    done: &[Planned],
    notes: &[String],
    dry_run: bool,
    out: &Output,
) -> String {
    let (client, level) = (client.as_str(), level.as_str());
    let mut text = String::new();
    let changed: Vec<&Planned> = done.iter().filter(|each| !each.change.is_nothing()).collect();
    if changed.is_empty() {
        text = match verb {
            Verb::Init => format!("{client} ({level}): already set up\n"),
            _ => format!("{client} ({level}): nothing to remove\n"),
        };
    } else if dry_run {
        text.push_str("nothing was written\n");
    }
    changed.iter().filter(|_| !dry_run).for_each(|each| text.push_str(&written(each)));
    if !out.quiet {
        for note in notes {
            text.push_str(&out.paint.dim(&format!("note: {}\n", escape(note))));
        }
        if verb == Verb::Init && !changed.is_empty() && !dry_run {
            let remove = if level == "project" { " --project" } else { "" };
            let line = format!("to undo: `staleness uninstall {client}{remove}`\n");
            text.push_str(&out.paint.dim(&line));
        }
    }
    text
}
