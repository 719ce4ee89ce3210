//! `report`: writes an HTML page with all information.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::Path;

use serde_json::json;
use staleness::ids::{Scope, ToolKey};
use staleness::report::ToolReport;
use staleness::store::{JournalFilter, OutcomeFilter, Selection, View};
use staleness::tool::ToolKind;
use staleness::{Registry, Wait};
use staleness_core::journal::JournalEntry;
use staleness_core::outcome::Mark;
use staleness_core::text::counted;
use staleness_service::costs::costs;
use staleness_service::knowledge::{World, everything};
use staleness_service::rank::worst_first;
use staleness_service::save;

use super::overview::Overview;
use super::work::open_by_age;
use crate::error::{CliError, ErrorKind, brief, in_words};
use crate::output::page::{Day, Page, Uses};
use crate::output::tools::Matrix;
use crate::output::{Output, Screen, escape};
use crate::settings::{Access, Settings};

/// Number of days for which uses are shown.
const DAYS: i64 = 30;
/// Number of days for which changes are shown.
const CHANGED: i64 = 7;

pub(crate) fn run(settings: &Settings, file: &Path, out: &Output) -> Result<(), CliError> {
    let registry = settings.open(Access::Look)?;
    let Overview { scan, on, off, remembered, .. } = Overview::read(settings, &registry)?;
    let tools: Vec<ToolReport> = on.into_iter().chain(off).collect();
    let is_server = |tool: &&_| matches!(tool, ToolReport { kind: ToolKind::McpServer, .. });
    let matrix = Matrix::new(tools.iter().filter(is_server).cloned().collect());
    let mut knowledge = everything(&World::new(settings, None, &Screen::new(out, "checked")))?;
    knowledge.sort_by(worst_first);
    let Past { days, uses, changes } = past(&registry, settings)?;
    let page = Page {
        root: &scan.root,
        audience: settings.audience(),
        now: settings.now,
        tools: &tools,
        matrix,
        days: &days,
        uses: &uses,
        changes: &changes,
        documents: &remembered.doubtful,
        checked: match remembered.documents {
            0 => "Not checked yet: run `staleness check`".to_owned(),
            count => {
                let documents = counted(count, "document", "documents");
                let age = remembered.age(settings.now);
                let gap = remembered
                    .incomplete()
                    .map_or_else(String::new, |gap| format!("; the check is incomplete: {gap}"));
                format!("No known problems with {documents} ({age}){gap}")
            }
        },
        sources: &scan.sources,
        knowledge: &knowledge,
        work: &open_by_age(&registry, settings)?,
        costs: &costs(settings, &registry, None)?,
    };
    let shown = brief(file);
    save::private(&settings.place.folder, file, page.render().as_bytes()).map_err(|error| {
        let message = format!("cannot write {}: {}", escape(&shown), in_words(&error));
        CliError::new(ErrorKind::Io, message).hint("name another file")
    })?;
    out.done(&json!({ "file": shown }), || format!("wrote {}\n", escape(&shown)))
}

struct Past {
    /// The project's uses on the last days, the oldest first.
    days: Vec<Day>,
    /// The uses of each tool in any project, on the same days.
    uses: HashMap<ToolKey, Uses>,
    /// The changes of the last week, the newest first.
    changes: Vec<JournalEntry>,
}

fn past(registry: &Registry, settings: &Settings) -> Result<Past, CliError> {
    let dates = (0..DAYS).rev().map(|ago| settings.now.minus_days(ago).date());
    let mut days: BTreeMap<String, Day> =
        dates.map(|date| (date.clone(), Day { date, ..Day::default() })).collect();
    let (first, changed) = (settings.now.minus_days(DAYS), settings.now.minus_days(CHANGED));
    let order: HashMap<String, usize> = days.keys().rev().cloned().zip(0..).collect();
    let (mut changes, mut uses) = (Vec::new(), HashMap::<ToolKey, Uses>::new());
    let all = Selection::new().outcomes(OutcomeFilter::All).journal(JournalFilter::All);
    let id = &settings.project.id;
    let visit = &mut |page: View| {
        for outcome in page.outcomes.values().filter(|it| it.at >= first) {
            let date = outcome.at.date();
            let Some((day, ago)) = days.get_mut(&date).zip(order.get(&date)) else { continue };
            let is_own = usize::from(outcome.project == *id);
            let (successes, failures) = match outcome.mark {
                Mark::Success => (1, 0),
                Mark::Failure => (0, 1),
                _ => continue,
            };
            day.successes += successes * is_own;
            day.failures += failures * is_own;
            for tool in outcome.credits.iter().chain([&outcome.tool]) {
                let uses = uses.entry(tool.clone()).or_default();
                uses.successes |= (successes as u32) << ago;
                uses.failures |= (failures as u32) << ago;
            }
        }
        let recent = page.journal.into_values().filter(|it| it.at >= changed);
        changes.extend(recent.filter(|it| {
            [&Scope::Global, &Scope::Project(id.clone())].contains(&&it.subject.scope)
        }));
        ControlFlow::Continue(())
    };
    registry.admin().pages(&all, visit).wait()?;
    changes.sort_by_key(|entry| Reverse((entry.at, entry.revision, entry.index)));
    Ok(Past { days: days.into_values().collect(), uses, changes })
}
