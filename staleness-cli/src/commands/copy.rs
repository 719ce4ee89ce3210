//! `copy`: exports a whole registry, imports it into an empty one and compares the two exports.

use serde_json::json;
use staleness::store::StoreError;
use staleness::{OpenOptions, Registry, StoreUrl, Wait};
use staleness_core::registry::TransferCounts;

use super::export::spooled;
use super::import::lines::Input;
use super::import::{self, counts};
use crate::args::CopyArgs;
use crate::error::{CliError, ErrorKind};
use crate::output::{Output, Progress};
use crate::settings::{Access, named_url};

pub(crate) fn run(args: &CopyArgs, out: &Output) -> Result<(), CliError> {
    let (from, to) = (persistent_url("FROM", &args.from)?, persistent_url("TO", &args.to)?);
    if is_same_place(&from, &to) {
        let message = format!("FROM and TO are the same registry: {to}");
        return Err(CliError::invalid(message).hint("choose another TO"));
    }
    let original = opened(&from, Access::Look, args.dry_run)?.ok_or_else(|| {
        let message = format!("{from}: no such registry");
        CliError::new(ErrorKind::Store, message).hint("check FROM")
    })?;
    let names = (from.to_string(), to.to_string());
    let open = |access| match opened(&to, access, args.dry_run)? {
        Some(registry) => Ok(registry),
        None => Ok(staleness::open_with(&StoreUrl::Memory, OpenOptions::default())?),
    };
    let (copied, same) = copy(&original, open, &names, args.dry_run, out)?;
    let (from, to) = names;
    let value =
        json!({ "from": from, "to": to, "dry_run": args.dry_run, "copied": copied, "same": same });
    out.done(&value, || {
        let done = if args.dry_run { "would be copied" } else { "copied" };
        let both = if same { "both hold the same records\n" } else { "" };
        format!("{done}: {}\n{both}", counts(&copied))
    })
}

/// Copies the current contents of `from` to the registry that `to` opens. Also returns true if the two were compared
/// and hold the same records.
fn copy(
    from: &Registry,
    to: impl Fn(Access) -> Result<Registry, CliError>,
    (from_name, to_name): &(String, String),
    dry_run: bool,
    out: &Output,
) -> Result<(TransferCounts, bool), CliError> {
    let exported = |registry: &Registry, name: &String| {
        let file = spooled(registry, Progress::new(out, "read"));
        let file = file.map_err(|error| named(error, name))?;
        Ok::<_, CliError>(Input::of(file, format!("the export of {name}")))
    };
    let mut original = exported(from, from_name)?;
    let target = to(Access::Look)?;
    if are_same(&mut original, exported(&target, to_name)?)? {
        drop(target);
        if !dry_run {
            // A target without records may not exist yet.
            to(Access::Write)?;
        }
        return Ok((TransferCounts::default(), true));
    }
    if !target.admin().is_empty().wait().map_err(|error| named(error.into(), to_name))? {
        let message = format!("{to_name} is not empty, and not a copy of {from_name}");
        let hint =
            "nothing was written; copy to an empty registry, or merge with export and import";
        return Err(CliError::invalid(message).hint(hint));
    }
    drop(target);
    let done = import::export(&mut original, |_| {}, &to, dry_run, out);
    let done = done.map_err(|error| match error.kind {
        ErrorKind::Invalid => CliError { kind: ErrorKind::Store, ..error },
        _ => named(error, to_name),
    })?;
    let same = !dry_run && are_same(&mut original, exported(&to(Access::Look)?, to_name)?)?;
    if !dry_run && !same {
        let message = format!("{to_name}: differs from {from_name} after the copy");
        let hint = "another process writes to it; copy to a new registry";
        return Err(CliError::new(ErrorKind::Store, message).hint(hint));
    }
    Ok((done.imported, same))
}

/// Returns true if two exports have the same lines.
fn are_same(one: &mut Input, mut other: Input) -> Result<bool, CliError> {
    one.rewind()?;
    loop {
        let (line, its) = (one.next()?, other.next()?);
        if line != its || line.is_none() {
            return Ok(line == its);
        }
    }
}

/// Parses the URL of a registry. Rejects one in memory.
fn persistent_url(name: &str, text: &str) -> Result<StoreUrl, CliError> {
    match named_url(name, text)? {
        StoreUrl::Memory => Err(CliError::invalid(format!("{name} `memory:` is lost on exit"))
            .hint("use a file or Postgres")),
        url => Ok(url),
    }
}

/// Returns true if two URLs clearly name the same registry. If two names of one registry are not recognised, the
/// registry is compared with itself.
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

/// Opens the registry at a URL. Returns `None` if it does not exist and `access` is only for reading. A dry run never
/// writes.
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

/// Adds the name of the registry to a store error that lacks it.
fn named(mut error: CliError, name: &str) -> CliError {
    if error.kind == ErrorKind::Store && !error.message.starts_with(name) {
        error.message = format!("{name}: {}", error.message);
    }
    error
}

#[cfg(test)]
mod tests {
    use staleness::Timestamp;
    use staleness::ids::{OpId, ToolName};
    use staleness::outcome::OutcomeKind;
    use staleness::registry::Use;
    use staleness::scan::ProjectRef;
    use staleness_core::transfer::Record;

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
            Ok(to.clone())
        };
        let (copied, same) = copy(&from, open, &names(), false, &Output::plain(false)).unwrap();
        assert_eq!((copied.tools, copied.outcomes, same), (1, 1, true));
        let open = |_| Ok(to.clone());
        let error = copy(&from, open, &names(), false, &Output::plain(false)).unwrap_err();
        assert!(error.message.contains("other is not empty, and not a copy of one"), "{error}");
    }

    #[test]
    fn who_writes_to_the_copy_meanwhile_loses_nothing_and_is_told() {
        let (from, to) = (registry(), registry());
        used(&from, "a");
        let open = |access| {
            if access == Access::Write {
                used(&to, "b");
            }
            Ok(to.clone())
        };
        let error = copy(&from, open, &names(), false, &Output::plain(false)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Store);
        assert!(error.message.starts_with("other: differs from one"), "{error}");
        assert!(error.hint.is_some_and(|hint| hint.contains("to a new registry")));
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
            Access::Look => Ok(registry()),
            Access::Write => panic!("it is opened for writing"),
        };
        for dry_run in [false, true] {
            let refused = copy(&from, open, &names(), dry_run, &Output::plain(false));
            let error = refused.unwrap_err();
            assert_eq!(error.kind, ErrorKind::Store);
            assert!(error.message.starts_with("the export of one:2: "), "{error}");
        }
    }

    #[test]
    fn a_place_that_does_not_exist_is_created_even_for_nothing() {
        let from = registry();
        for dry_run in [false, true] {
            let created = std::cell::Cell::new(false);
            let open = |access| {
                created.set(access == Access::Write);
                Ok(registry())
            };
            let (_, same) = copy(&from, open, &names(), dry_run, &Output::plain(false)).unwrap();
            assert!(same);
            assert_eq!(created.get(), !dry_run);
        }
    }
}
