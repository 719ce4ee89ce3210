//! `check`: finds statements in documents that are no longer true.

pub(crate) mod badge;
pub(crate) mod baseline;
mod fix;
mod github;
mod impact;
mod locked;
pub(crate) mod lsp;
mod sarif;
mod text;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use staleness::knowledge::{Context, Fact, Item};
use staleness::verdict::Level;
use staleness_core::text::counted;
use staleness_docs::{Report, remedy};
use staleness_service::findings::{Finding, Findings, nothing};
use staleness_service::fixes::Fixes;

use crate::args::CheckArgs;
use crate::args::documents_args::ReportFormat;
use crate::error::{CliError, ErrorKind, brief};
use crate::output::found::Compared;
use crate::output::{Output, Screen, escape, found};
use crate::settings::{Access, Settings};
use baseline::Baseline;
pub(crate) use locked::not_checked;
use staleness_service::citations;
use staleness_service::documents::{self, Asked};
use staleness_service::save::leads_out_of;

/// Note on a check with `--now`. Files and git history are read as they are today, so its findings mix two points in
/// time, and are not recorded.
const NOT_KEPT: &str = "not recorded because of --now, so the overview does not show it";

/// The result of a check, without the findings in the baseline.
struct Checked {
    report: Report,
    found: Findings,
    context: Context,
    compared: Option<Compared>,
    /// True if the check covered all documents in their current state.
    is_whole: bool,
}

/// Runs the check and prints the result. Returns true if a finding reaches `--fail-on`.
pub(crate) fn run(settings: &Settings, args: &CheckArgs, out: &Output) -> Result<bool, CliError> {
    let format = format(args, out)?;
    if args.locked {
        return locked::run(settings, format, out);
    }
    if text::is_asked(args)? {
        return text::run(settings, args, format, out);
    }
    let known = args.baseline.as_deref();
    let known = known.map(|file| Baseline::read(&settings.place.folder, file)).transpose()?;
    let mut checked = check(settings, args, known.as_ref(), args.dry_run, out)?;
    if let Some(file) = &args.write_baseline {
        return write(settings, file, &checked, format, out).map(|()| false);
    }
    let mut fixes = match format {
        ReportFormat::Table | ReportFormat::Json if !args.fix => Fixes::default(),
        _ => Fixes::of(settings, &checked.found, &checked.report, None),
    };
    if args.fix {
        let written = fix::run(args, &mut fixes, out)?;
        if written {
            checked = check(settings, args, known.as_ref(), false, out)?;
        }
        if format == ReportFormat::Json {
            let mut document = document(&checked);
            document["fix"] = fix::told(&fixes, written);
            out.json(&document)?;
        } else if !out.quiet {
            out.text(&fix::summary(&fixes, written, args.dry_run, out))?;
        }
        if fixes.failed > 0 {
            let documents = counted(fixes.failed, "document", "documents");
            let message = format!("{documents} could not be written");
            return Err(CliError::new(ErrorKind::Io, message));
        }
        return Ok(fails(settings, args, &checked));
    }
    let Checked { report, found, context, compared, is_whole } = &checked;
    match format {
        ReportFormat::Json => out.json(&document(&checked))?,
        ReportFormat::Sarif => {
            out.json(&sarif::log(found, report, context, &fixes, out.verbose))?
        }
        ReportFormat::Github => {
            let mut text = github::annotations(found, report, &fixes, out.verbose);
            text.push_str(&found::summary(found, report, *compared, out));
            out.text(&text)?;
        }
        ReportFormat::Table => {
            let mut text =
                report.impact.as_ref().map(|it| impact::table(it, out)).unwrap_or_default();
            text.push_str(&found::table(found, report, *compared, context, out));
            if *is_whole && settings.given_now {
                text.push_str(&out.hint(NOT_KEPT));
            }
            out.text(&text)?;
        }
    }
    Ok(fails(settings, args, &checked))
}

fn check(
    settings: &Settings,
    args: &CheckArgs,
    known: Option<&Baseline>,
    dry_run: bool,
    out: &Output,
) -> Result<Checked, CliError> {
    let asked = Asked {
        paths: &args.paths,
        unsaved: args.unsaved.as_deref(),
        since: args.since.as_deref().or(args.impact.as_ref().and_then(Option::as_deref)),
        impact: args.impact.is_some(),
        version: documents::named_version(args.version.current.as_deref())?,
        dry_run,
    };
    let report = documents::check(settings, asked, &Screen::new(out, "checked"))?;
    let context = documents::context(settings, report.version.as_deref());
    let stored = stored(settings, &report, out);
    let look_up = |items: &[Item]| match asked.impact {
        true => nothing(items),
        false => citations::evidence(settings, items),
    };
    let mut found = Findings::new(&report, stored, &look_up, &context);
    let mut compared = None;
    if let Some(known) = known {
        let now = baseline(&found, &context, out);
        compared = Some(known.compare(&now, &Baseline::of(&found), is_checked(&report, args)));
        let lists = |path: &str, fact: &Fact, digest| known.lists(path, fact, digest);
        found = found.without(&lists, &context);
    }
    Ok(Checked { report, found, context, compared, is_whole: asked.is_whole() })
}

/// Returns true if a reported finding or a gap reaches `--fail-on`.
fn fails(settings: &Settings, args: &CheckArgs, checked: &Checked) -> bool {
    let blind = settings.configured.policy.documents.blind;
    args.fail_on.map(Level::from).is_some_and(|least| {
        let is_blind = !checked.report.blind.is_empty() && blind >= least;
        checked.found.reported().any_at(least) || is_blind
    })
}

/// Returns the baseline of these findings. Weak ones are included only with `--verbose`.
fn baseline(found: &Findings, context: &Context, out: &Output) -> Baseline {
    if out.verbose { Baseline::of(found) } else { Baseline::of_strong(found, context) }
}

/// Returns the output format. `--json` means `--format json`.
fn format(args: &CheckArgs, out: &Output) -> Result<ReportFormat, CliError> {
    match args.format {
        None if out.json => Ok(ReportFormat::Json),
        None => Ok(ReportFormat::Table),
        Some(ReportFormat::Table | ReportFormat::Github) if out.json => {
            let message = "--json and another --format cannot be used together";
            Err(CliError::new(ErrorKind::Usage, message).hint("leave one of them out"))
        }
        Some(format) => Ok(format),
    }
}

/// Returns the stored rows of items in files. Without a registry, returns none, and only the files are checked.
fn stored(settings: &Settings, report: &Report, out: &Output) -> Vec<Item> {
    let read = || documents::rows(settings, &settings.open(Access::Look)?, &report.items);
    read().unwrap_or_else(|error| {
        // If no registry can be created, as in a container, documents are checked without one.
        match error.hint {
            Some(_) => out.warn(&format!("warning: {}; only files were checked", error.message)),
            None => out.note(&error.message),
        }
        Vec::new()
    })
}

/// Returns a predicate that is true for completely checked paths. A missing finding counts as gone only in these.
fn is_checked<'a>(report: &'a Report, args: &'a CheckArgs) -> impl Fn(&str) -> bool + 'a {
    let there: BTreeSet<&str> =
        report.documents.iter().map(|each| each.key.path.as_str()).collect();
    let skipped: BTreeSet<&str> = report.skipped.iter().map(|each| each.path.as_str()).collect();
    move |path| {
        let whole = !skipped.contains(path) && !skipped.contains(".") && report.blind.is_empty();
        args.since.is_none()
            && args.impact.is_none()
            && whole
            && (there.contains(path) || args.paths.is_empty())
    }
}

fn write(
    settings: &Settings,
    file: &Path,
    checked: &Checked,
    format: ReportFormat,
    out: &Output,
) -> Result<(), CliError> {
    if leads_out_of(&settings.place.folder, file) {
        let what = "is a link that points outside the project";
        return Err(CliError::invalid(format!("--write-baseline {}: {what}", brief(file)))
            .hint("remove the link, or name another file"));
    }
    let baseline = baseline(&checked.found, &checked.context, out);
    baseline.write(file)?;
    let shown = file.display().to_string();
    if format == ReportFormat::Json {
        let mut document = document(checked);
        document["baseline"] = json!({ "written": shown, "findings": baseline.len() });
        return out.json(&document);
    }
    if out.quiet {
        return Ok(());
    }
    out.text(&format!(
        "{}: {} listed; `staleness check --baseline FILE` reports only new ones\n",
        escape(&shown),
        counted(baseline.len(), "finding", "findings")
    ))
}

fn document(checked: &Checked) -> Value {
    let Checked { report, found, context, compared, .. } = checked;
    let item = |finding: &&Finding| {
        let mut item = json!(finding.told);
        if let Some(cause) = finding.cause(context) {
            item["cause"] = format!("{cause:016x}").into();
        }
        item
    };
    let blind = report.blind.iter().map(|each| {
        json!({
            "kind": each.kind.as_str(),
            "path": each.path,
            "reason": each.reason,
            "mend": remedy(each.kind),
        })
    });
    let skipped: Vec<Value> = report
        .skipped
        .iter()
        .map(|each| json!({ "path": each.path, "reason": each.reason }))
        .collect();
    let notes: Vec<Value> = report
        .notes
        .iter()
        .map(|each| json!({ "path": each.path, "line": each.line, "text": each.text }))
        .collect();
    let mut document = json!({
        "items": found.in_order().iter().map(item).collect::<Vec<_>>(),
        "counts": found.counts,
        "blind": blind.collect::<Vec<_>>(),
        "skipped": skipped,
        "notes": notes,
        "history": report.history,
        "head": report.head,
        "version": report.version,
        "documents": report.counts.documents,
        "ignored": report.counts.ignored,
    });
    if let Some(impact) = &report.impact {
        document["impact"] = impact::told(impact);
    }
    if let Some(compared) = compared {
        document["baseline"] = json!(compared);
    }
    document
}
