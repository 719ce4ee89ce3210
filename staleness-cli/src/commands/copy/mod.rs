//! `copy`: copies a whole registry to another one.

mod report;

use staleness::session::Session;
use staleness::store::StoreError;
use staleness::{OpenOptions, Registry, StoreUrl, Wait};
use staleness_core::transfer::{Checker, Compared, Comparison, LineError, Record, Standing};

use self::report::{Report, document, listed, render};
use super::export::spooled;
use super::import::lines::Input;
use super::save;
use crate::args::CopyArgs;
use crate::error::{CliError, ErrorKind, quoted};
use crate::output::{Output, Progress};
use crate::settings::{Access, named_url};

pub(crate) fn run(args: &CopyArgs, out: &Output) -> Result<(), CliError> {
    let (from, to) = (kept("FROM", &args.from)?, kept("TO", &args.to)?);
    if is_same_place(&from, &to) {
        let message = format!("FROM and TO are the same registry: {to}");
        return Err(CliError::invalid(message).hint("choose another TO"));
    }
    let original = opened(&from, Access::Look, args.dry_run)?.ok_or_else(|| {
        let message = format!("{from}: no such registry");
        CliError::new(ErrorKind::Store, message).hint("check FROM")
    })?;
    let names = (from.to_string(), to.to_string());
    let open = |access| opened(&to, access, args.dry_run);
    let report = copy(&original, open, &names, args.dry_run, out)?;
    let value = document(&report, &names, args.dry_run);
    out.done(&value, || render(&report, args.dry_run, out))?;
    verdict(&report, &names, args.dry_run)
}

/// Returns a store error if the copy differs from the original. Never fails after a dry run.
fn verdict(report: &Report, (from, to): &(String, String), dry_run: bool) -> Result<(), CliError> {
    if dry_run || report.is_same() {
        return Ok(());
    }
    let differ =
        listed(&report.collections, |each| each.missing + each.older + each.other + each.foreign);
    let hint = if report.collections.iter().all(Compared::is_behind) {
        "another process is writing to the copy; run this again when it has stopped"
    } else {
        "the copy holds changes that are not from FROM, so it cannot be continued; copy to a new \
         registry"
    };
    Err(CliError::new(ErrorKind::Store, format!("{to}: {differ} differ from {from}")).hint(hint))
}

/// Copies the current contents of `from` to the registry that `to` opens, and compares the two.
fn copy(
    from: &Registry,
    to: impl Fn(Access) -> Result<Option<Registry>, CliError>,
    (from_name, to_name): &(String, String),
    dry_run: bool,
    out: &Output,
) -> Result<Report, CliError> {
    let nowhere = || {
        let message = format!("{to_name} cannot be created");
        CliError::new(ErrorKind::Store, message)
    };
    let created = || to(Access::Write)?.ok_or_else(nowhere);
    let printed = |registry: Option<&Registry>, name: &String| match registry {
        Some(registry) => spooled(registry, Progress::new(out, "read"))
            .map(|file| Input::of(file, name.clone()))
            .map_err(|error| named(error, name)),
        None => Ok(Input::of(save::unnamed().map_err(no_file)?, name.clone())),
    };
    let mut original = printed(Some(from), from_name)?;
    let target = to(Access::Look)?;
    let is_there = target.is_some();
    let mut known = printed(target.as_ref(), to_name)?;
    drop(target);
    // All records are checked as for an import before anything is written.
    let mut checker = Checker::new();
    let damaged = |LineError { line, what }| {
        let message = format!("{from_name}, line {line} of its export: {what}");
        CliError::new(ErrorKind::Store, message).hint("run `staleness doctor` on that registry")
    };
    checker.line(original.next()?.unwrap_or_default()).map_err(damaged)?;
    let mut resumed = None;
    let before = compared(&mut original, &mut known, out, |standing, line, held| {
        if standing == Standing::Other && resumed.is_none() {
            resumed = resumed_since(line, held);
        }
        checker.line(line).map(drop).map_err(damaged)
    })?;
    drop(checker);
    if !before.iter().all(Compared::is_behind) {
        let held = listed(&before, |each| each.other + each.foreign);
        let message = format!("{to_name} holds {held} that are not from {from_name}");
        let is_session = |each: &Compared| each.is_behind() || each.name == "sessions";
        let hint = match resumed.filter(|_| before.iter().all(is_session)) {
            // The session may have resumed in one registry or ended in the other. Only the user knows.
            Some(Session { key, agent, .. }) => format!(
                "nothing was written; session {} has ended in TO but not in FROM. Resume it with \
                 `staleness session start --id {} --agent {}` on TO in its project, then copy \
                 again",
                quoted(key.id.as_str()),
                plain(key.id.as_str(), "ID"),
                plain(agent.as_str(), "AGENT"),
            ),
            None => {
                "nothing was written; copy to an empty registry, or merge with export and import"
                    .into()
            }
        };
        return Err(CliError::invalid(message).hint(hint));
    }
    if dry_run || before.iter().all(Compared::is_same) {
        if !dry_run && !is_there {
            created()?;
        }
        return Ok(Report {
            copied: before.iter().map(|each| each.missing + each.older).collect(),
            there: before.iter().map(|each| each.same).collect(),
            collections: before,
        });
    }
    let registry = created()?;
    let mut importer = registry.admin().copier();
    let mut progress = Progress::new(out, "copied");
    compared(&mut original, &mut known, out, |standing, line, seen| {
        let read = |line| Record::read(line).map_err(|what| CliError::new(ErrorKind::Store, what));
        let record = read(line)?;
        progress.add(1);
        let written = match standing {
            Standing::Same => {
                importer.skip(record);
                Ok(())
            }
            Standing::Older => importer.replace(record, &read(seen)?).wait(),
            _ => importer.put(record).wait(),
        };
        written.map_err(|error| named(error.into(), to_name))
    })?;
    let done = importer.finish().wait().map_err(|error| named(error.into(), to_name))?;
    progress.end();
    let mut copied = printed(Some(&registry), to_name)?;
    let after = compared(&mut original, &mut copied, out, |_, _, _| Ok(()))?;
    Ok(Report { copied: done.imported, there: done.skipped, collections: after })
}

/// Compares two exports. `visit` receives each record of the first one, its standing in the second, and the
/// second's next record.
fn compared(
    original: &mut Input,
    copy: &mut Input,
    out: &Output,
    mut visit: impl FnMut(Standing, &str, &str) -> Result<(), CliError>,
) -> Result<Vec<Compared>, CliError> {
    let mut comparison = Comparison::new();
    let mut progress = Progress::new(out, "compared");
    let mut line = records(original)?;
    let mut other = records(copy)?;
    loop {
        let standing = comparison.next(line.as_deref(), other.as_deref()).map_err(|what| {
            let place = (original.shown(), original.line(), copy.shown(), copy.line());
            let (one, at, two, there) = place;
            let message = format!("{one}, line {at} of its export, or {two}, line {there}: {what}");
            CliError::new(ErrorKind::Store, message)
        })?;
        let Some(standing) = standing else { break };
        progress.add(1);
        if standing != Standing::Foreign {
            let (this, that) = (line.as_deref(), other.as_deref());
            visit(standing, this.unwrap_or_default(), that.unwrap_or_default())?;
            line = original.next()?.map(str::to_owned);
        }
        if standing != Standing::Missing {
            other = copy.next()?.map(str::to_owned);
        }
    }
    progress.end();
    Ok(comparison.collections())
}

/// Returns the word if a shell takes it literally, or else the placeholder.
fn plain<'w>(word: &'w str, otherwise: &'w str) -> &'w str {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    if word.bytes().all(is_plain) && !word.starts_with('-') { word } else { otherwise }
}

/// Returns the session of a line if it is open, and the copy differs only because it ended there.
fn resumed_since(line: &str, held: &str) -> Option<Session> {
    let (Ok(Record::Session(row)), Ok(Record::Session(known))) =
        (Record::read(line), Record::read(held))
    else {
        return None;
    };
    let goes_on = Session { ended_at: None, ..known.clone() };
    (known.ended_at.is_some() && goes_on == row).then_some(row)
}

/// Returns the first record of an export, after its header.
fn records(input: &mut Input) -> Result<Option<String>, CliError> {
    input.rewind()?;
    input.next()?;
    Ok(input.next()?.map(str::to_owned))
}

/// Parses the URL of a persistent registry.
fn kept(name: &str, text: &str) -> Result<StoreUrl, CliError> {
    match named_url(name, text)? {
        StoreUrl::Memory => Err(CliError::invalid(format!("{name} `memory:` is lost on exit"))
            .hint("use a file or Postgres")),
        url => Ok(url),
    }
}

/// Returns true if two URLs clearly name the same registry. If this is missed, the registry is compared with
/// itself.
fn is_same_place(one: &StoreUrl, other: &StoreUrl) -> bool {
    let place = |path: &std::path::Path| {
        let absolute = || std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        path.canonicalize().unwrap_or_else(|_| absolute())
    };
    match (one.path(), other.path()) {
        (Some(one), Some(other)) => place(one) == place(other),
        _ => one == other,
    }
}

/// Opens the registry at a URL. Returns `None` if it does not exist and must not be created. A dry run only
/// reads.
fn opened(url: &StoreUrl, access: Access, dry_run: bool) -> Result<Option<Registry>, CliError> {
    let options = OpenOptions {
        create: access == Access::Write,
        read_only: dry_run,
        ..OpenOptions::default()
    };
    match staleness::open_with(url, options) {
        Ok(registry) => Ok(Some(registry)),
        Err(StoreError::Io { source, .. })
            if access == Access::Look && source.kind() == std::io::ErrorKind::NotFound =>
        {
            Ok(None)
        }
        Err(error) => Err(named(error.into(), &url.to_string())),
    }
}

/// Adds the name of the registry to an error.
fn named(mut error: CliError, name: &str) -> CliError {
    if error.kind == ErrorKind::Store {
        error.message = format!("{name}: {}", error.message);
    }
    error
}

fn no_file(error: std::io::Error) -> CliError {
    CliError::new(ErrorKind::Io, error.to_string())
}

#[cfg(test)]
mod tests {
    use staleness::ids::{OpId, ToolName};
    use staleness::outcome::OutcomeKind;
    use staleness::registry::Use;
    use staleness::scan::ProjectRef;
    use staleness::{OpenOptions, Timestamp};

    use super::*;

    fn registry() -> Registry {
        staleness::open_with(&StoreUrl::Memory, OpenOptions::default()).unwrap()
    }

    fn used(registry: &Registry, op: &str) {
        let (op, tool) = (OpId::new(op).unwrap(), ToolName::new("Bash").unwrap());
        let at = Timestamp::from_millis(1);
        let project = ProjectRef::of_root("/p");
        registry
            .tools()
            .record(Use::new(op, tool, OutcomeKind::Success, at, project))
            .wait()
            .unwrap();
    }

    fn names() -> (String, String) {
        ("one".into(), "other".into())
    }

    #[test]
    fn a_copy_is_of_one_moment_whoever_writes_to_the_original_meanwhile() {
        let (from, to) = (registry(), registry());
        used(&from, "a");
        let open = |_| {
            used(&from, "b");
            Ok(Some(to.clone()))
        };
        let report = copy(&from, open, &names(), false, &Output::plain(false)).unwrap();
        assert!(report.is_same());
        assert_eq!((report.copied.tools, report.copied.outcomes), (1, 1));
        // A second copy adds the new records.
        let open = |_| Ok(Some(to.clone()));
        let report = copy(&from, open, &names(), false, &Output::plain(false)).unwrap();
        assert!(report.is_same());
        assert_eq!((report.copied.outcomes, report.there.outcomes), (1, 1));
        verdict(&report, &names(), false).unwrap();
    }

    #[test]
    fn who_writes_to_the_copy_meanwhile_loses_nothing_and_is_told() {
        let (from, to) = (registry(), registry());
        used(&from, "a");
        let open = |access| {
            if access == Access::Write {
                used(&to, "b");
            }
            Ok(Some(to.clone()))
        };
        let report = copy(&from, open, &names(), false, &Output::plain(false)).unwrap();
        assert!(!report.is_same());
        let error = verdict(&report, &names(), false).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Store);
        assert!(
            error.message.starts_with("other: ") && error.message.contains("outcomes"),
            "{error}"
        );
        assert!(error.hint.is_some_and(|hint| hint.contains("to a new registry")));
        assert!(render(&report, false, &Output::plain(false)).contains("not the same"));
        let open = |_| Ok(Some(to.clone()));
        let error = copy(&from, open, &names(), false, &Output::plain(false)).unwrap_err();
        assert!(error.kind == ErrorKind::Invalid && error.message.contains("outcomes"), "{error}");
    }

    #[test]
    fn an_original_that_no_import_would_take_is_refused_before_anything_is_opened() {
        let from = registry();
        let journal = r#"{"kind":"journal","row":{"revision":1,"index":0,"at":"2026-01-01T00:00:00Z","subject":{"kind":"tool","scope":"","id":"t"},"action":"added","from":null,"to":"active","cause":"used","note":null,"session":null,"actor":null,"op":null,"clients":[]}}"#;
        let work = format!(
            r#"{{"kind":"work","row":{{"key":{{"scope":"","id":"w"}},"kind":"plan","status":"todo","before":null,"text":"{}","author":null,"from":null,"to":null,"note":"observation","generated":false,"by_person":false,"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","expires_at":null,"refs":[],"after":[],"claim":null,"steps":[]}}}}"#,
            "x".repeat((1 << 20) + 1)
        );
        let mut importer = from.admin().importer(false).wait().unwrap();
        for line in [&work, journal] {
            importer.put(Record::read(line).unwrap()).wait().unwrap();
        }
        importer.finish().wait().unwrap();
        let open = |access| match access {
            Access::Look => Ok(None),
            Access::Write => panic!("it is opened for writing"),
        };
        for dry_run in [false, true] {
            let refused = copy(&from, open, &names(), dry_run, &Output::plain(false));
            let error = refused.unwrap_err();
            assert_eq!(error.kind, ErrorKind::Store);
            assert!(error.message.starts_with("one, line 2 of its export: "), "{error}");
        }
    }

    #[test]
    fn a_place_that_does_not_exist_is_created_even_for_nothing() {
        let from = registry();
        for dry_run in [false, true] {
            let created = std::cell::Cell::new(false);
            let open = |access| {
                created.set(access == Access::Write);
                Ok((access == Access::Write).then(registry))
            };
            let report = copy(&from, open, &names(), dry_run, &Output::plain(false)).unwrap();
            assert!(report.is_same());
            assert_eq!(created.get(), !dry_run);
        }
    }
}
