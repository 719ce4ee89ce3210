//! `import`: reads the output of `export`, or the data of another system.

mod foreign;
mod home;
mod knowledge;
pub(super) mod lines;
mod moment;
mod routes;
mod work;

use std::path::Path;

use serde_json::json;
use staleness::{Registry, StoreUrl, Wait};
use staleness_core::registry::{ImportReport, TransferCounts};
use staleness_core::text::counted;
use staleness_core::transfer::{Checker, Record};
use staleness_service::SharedStore;
use staleness_service::work::as_someone;
use staleness_sources::systems::Taken;

use crate::args::{FormatArg, ImportArgs};
use crate::error::{CliError, brief};
use crate::output::{Output, Progress, escape};
use crate::settings::{Access, Settings};
use lines::Input;
use routes::Dimensions;

pub(crate) fn run(settings: &Settings, args: &ImportArgs, out: &Output) -> Result<(), CliError> {
    let (report, taken) = taken(settings, args, out)?;
    let mut shown = json!(report);
    if let Some(Taken { left, redacted, .. }) = &taken {
        shown["left"] = json!(left);
        shown["redacted"] = json!(redacted);
    }
    let left = || taken.as_ref().map(|taken| left_behind(taken, args)).unwrap_or_default();
    out.done(&shown, || render(&report, args.dry_run) + &left())
}

/// Imports the file without printing a result. For another system, also returns the data that cannot be imported.
pub(crate) fn taken(
    settings: &Settings,
    args: &ImportArgs,
    out: &Output,
) -> Result<(ImportReport, Option<Taken>), CliError> {
    // The records of a file can name any person as their author.
    if settings.may_be_agent() && !args.dry_run {
        as_someone(settings)?;
        return Err(CliError::invalid("only a person can import")
            .hint("ask the user to run this in a terminal outside the client"));
    }
    let Some(from) = args.from else {
        let mut input = Input::open(args.file.as_deref())?;
        // A file cannot prove that a person typed a record on this machine.
        let read = |record: &mut Record| {
            if let Record::Work(work) = record {
                work.by_person = false;
            }
        };
        let open = |access| settings.open(access);
        return Ok((export(&mut input, read, open, args.dry_run, out)?, None));
    };
    let (mut input, taken) = opened(settings, Some(from), args.file.as_deref())?;
    Ok((foreign::run(settings, args, &mut input, out)?, taken))
}

/// Imports a file of another system into a registry in memory. Returns the settings with this registry.
pub(crate) fn in_memory(
    settings: &Settings,
    from: Option<FormatArg>,
    file: &Path,
    out: &Output,
) -> Result<Settings, CliError> {
    let (mut input, _) = opened(settings, from, Some(file))?;
    let mut settings = settings.clone();
    settings.url = StoreUrl::Memory;
    settings.store = SharedStore::new(settings.url.clone());
    let args = ImportArgs { file: None, from, source: None, dry_run: false };
    foreign::run(&settings, &args, &mut input, out)?;
    Ok(settings)
}

/// Opens lines in the general format, or the data of one system.
fn opened(
    settings: &Settings,
    from: Option<FormatArg>,
    path: Option<&Path>,
) -> Result<(Input, Option<Taken>), CliError> {
    match from.and_then(FormatArg::system) {
        Some(system) => {
            Input::of_system(system, path, settings).map(|(input, taken)| (input, Some(taken)))
        }
        None => {
            let hint = match from {
                Some(_) => "nothing was imported; see docs/import.md for the fields of a line",
                None => "see docs/import.md for the fields of a line",
            };
            Ok((Input::open(path)?.hinted(hint), None))
        }
    }
}

/// Returns the access mode. A dry run does not create a registry.
const fn access(dry_run: bool) -> Access {
    if dry_run { Access::Look } else { Access::Write }
}

/// Imports an export. The whole file is validated first, and nothing is written if it is rejected. `read` may change a
/// record before it is written.
pub(super) fn export(
    input: &mut Input,
    read: impl Fn(&mut Record),
    open: impl Fn(Access) -> Result<Registry, CliError>,
    dry_run: bool,
    out: &Output,
) -> Result<ImportReport, CliError> {
    input.rewind()?;
    let mut progress = Progress::new(out, "read");
    let mut checker = Checker::new();
    let mut dimensions = Dimensions::default();
    while let Some(text) = input.next()? {
        let checked = checker.line(text);
        let checked = checked.map_err(|error| input.refused(error.line, &error.what))?;
        if let Some(Record::Vector(row)) = &checked {
            dimensions.note(row).map_err(|what| input.refused(input.line(), &what))?;
        }
        progress.add(1);
    }
    checker.finish().map_err(|error| input.refused(error.line, &error.what))?;
    progress.end();
    drop(checker);
    if !dimensions.is_empty() {
        dimensions.check(&open(Access::Look)?)?;
    }

    let mut progress = Progress::new(out, "imported");
    let mut importer = open(access(dry_run))?.admin().importer(dry_run).wait()?;
    input.rewind()?;
    input.next()?;
    while let Some(text) = input.next()? {
        let record = Record::read(text);
        let mut record = record.map_err(|what| input.refused(input.line(), &what))?;
        read(&mut record);
        importer.put(record).wait()?;
        progress.add(1);
    }
    progress.end();
    Ok(importer.finish().wait()?)
}

fn render(report: &ImportReport, dry_run: bool) -> String {
    let done = if dry_run { "would be imported" } else { "imported" };
    let mut text = format!("{done}: {}\n", counts(&report.imported));
    if report.skipped != TransferCounts::default() {
        let skipped = counts(&report.skipped);
        text.push_str(&format!("skipped {skipped}: already there, or newer here\n"));
    }
    if report.untied > 0 {
        let waits = counted(report.untied, "wait", "waits");
        text.push_str(&format!("removed {waits} from work items that waited for each other\n"));
    }
    if report.merged && report.imported != TransferCounts::default() {
        text.push_str(
            "the registry was not empty: the newer version of each record was kept, and outcomes \
             and journal entries were added once\n",
        );
    }
    text
}

/// Names the place of the data if it was found below the given path, and lists the data that could not be imported.
fn left_behind(taken: &Taken, args: &ImportArgs) -> String {
    let mut text = String::new();
    if let Some(place) = taken.read.as_ref().filter(|place| Some(*place) != args.file.as_ref()) {
        text.push_str(&format!("read from {}\n", escape(&brief(place))));
    }
    if taken.redacted > 0 {
        let texts = counted(taken.redacted, "text", "texts");
        text.push_str(&format!("secrets replaced by [redacted] in {texts}\n"));
    }
    if !taken.left.is_empty() {
        text.push_str("not imported:\n");
    }
    for (name, count) in &taken.left {
        text.push_str(&format!("  {} ×{count}\n", escape(name)));
    }
    text
}

/// Joins the numbers of records of all nonempty collections.
pub(super) fn counts(counts: &TransferCounts) -> String {
    let some = counts.each().into_iter().filter(|(_, count)| *count > 0);
    let shown: Vec<String> = some.map(|(name, count)| records(name, count)).collect();
    if shown.is_empty() { "nothing".into() } else { shown.join(", ") }
}

/// Formats a number of records: `1 journal entry` for one record of `journal`.
fn records(collection: &str, count: u64) -> String {
    let (one, many) = match collection {
        "knowledge" => ("item of knowledge", "items of knowledge"),
        "work" => ("work item", "work items"),
        "journal" => ("journal entry", "journal entries"),
        other => (other.strip_suffix('s').unwrap_or(other), other),
    };
    counted(count, one, many)
}
