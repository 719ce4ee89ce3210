//! `check -`: checks a text on standard input against the work tree.

use serde_json::{Value, json};
use staleness::knowledge::Fact;
use staleness::verdict::Level;
use staleness_core::text::counted;
use staleness_docs::Fate;
use staleness_service::text::{Judged, JudgedText, judge};

use crate::args::CheckArgs;
use crate::args::documents_args::ReportFormat;
use crate::commands::typed;
use crate::error::{CliError, ErrorKind};
use crate::output::found::{paint_of, reasons};
use crate::output::{Output, Screen, escape};
use crate::settings::Settings;

/// Returns true if standard input is to be checked. Errors if other options contradict that.
pub(super) fn is_asked(args: &CheckArgs) -> Result<bool, CliError> {
    if !args.paths.iter().any(|path| path.as_os_str() == "-") {
        return Ok(false);
    }
    let form =
        args.format.is_none_or(|form| matches!(form, ReportFormat::Table | ReportFormat::Json));
    let alone = args.paths.len() == 1 && args.since.is_none() && args.impact.is_none() && !args.fix;
    if alone && form && args.baseline.is_none() {
        return Ok(true);
    }
    let message = "`check -` reads stdin and only takes --fail-on, --json, --format table and json";
    Err(CliError::new(ErrorKind::Usage, message).hint("to check files, name them"))
}

/// Checks the text and prints the result. Returns true if a finding reaches `--fail-on`.
pub(super) fn run(
    settings: &Settings,
    args: &CheckArgs,
    format: ReportFormat,
    out: &Output,
) -> Result<bool, CliError> {
    let most = settings.configured.policy.documents.max_file_bytes;
    let text = typed::text("-", usize::try_from(most).unwrap_or(usize::MAX - 2))?;
    let told = judge(settings, &text, &Screen::new(out, "checked"))?;
    match format {
        ReportFormat::Json => out.json(&document(&told))?,
        _ => out.text(&table(&told, out))?,
    }
    let least = args.fail_on.map(Level::from);
    Ok(least.is_some_and(|least| told.found.iter().any(|it| it.verdict.level >= least)))
}

const fn state(judged: &Judged) -> &'static str {
    if judged.is_invented() { "invented" } else { "stale" }
}

fn table(told: &JudgedText, out: &Output) -> String {
    let mut text = String::new();
    for judged in &told.found {
        let missing = &judged.missing;
        let state = paint_of(judged.verdict.level)(out.paint, state(judged));
        let name = out.paint.bold(&escape(&missing.name));
        text.push_str(&format!("{}:{}  {state}  {name}\n", missing.line, missing.column));
        reasons(&judged.verdict, 2, out, &mut text);
    }
    for note in &told.notes {
        text.push_str(&out.hint(&escape(&note.text)));
    }
    let (went, invented) = told.counts();
    let names = counted(told.names, "name", "names");
    text.push_str(&format!("{names}: {went} stale, {invented} invented\n"));
    text
}

fn document(told: &JudgedText) -> Value {
    let item = |judged: &Judged| {
        let missing = &judged.missing;
        let mut item = json!({
            "state": state(judged),
            "name": missing.name,
            "kind": missing.kind,
            "line": missing.line,
            "column": missing.column,
            "verdict": judged.verdict,
        });
        match &missing.fate {
            Fate::Went(
                Fact::SourceMissing { renamed_to, commit, .. }
                | Fact::ReferenceDrift { renamed_to, commit, .. },
            ) => {
                item["renamed_to"] = json!(renamed_to);
                item["commit"] = json!(commit);
            }
            Fate::Went(_) => {}
            Fate::Invented { nearest } => item["nearest"] = json!(nearest),
        }
        item
    };
    let (went, invented) = told.counts();
    json!({
        "items": told.found.iter().map(item).collect::<Vec<_>>(),
        "counts": { "stale": went, "invented": invented },
        "names": told.names,
        "notes": told.notes.iter().map(|note| &note.text).collect::<Vec<_>>(),
        "head": told.head,
    })
}
