//! The overview of everything that needs attention. Reading it writes nothing.

use serde_json::json;
use staleness::Registry;
use staleness::registry::ToolListing;
use staleness::report::{ScanReport, ToolReport};
use staleness::source::SourceState;
use staleness::tool::Status;
use staleness::verdict::Level;
use staleness::work::Warning;
use staleness_core::report::Context;
use staleness_core::text::counted;
use staleness_service::rank::Rank;
use staleness_service::tools::{fold_doubtful, fold_into_servers, is_gone};
use staleness_service::words::need;

use super::scan::preview;
use super::stale::{reaches, rows};
use super::tools::audience;
use crate::args::LevelArg;
use crate::error::CliError;
use crate::output::{Output, escape, found, tools, work};
use crate::settings::{Access, Settings};
use staleness_service::remembered::Remembered;

/// The state of a project: its tools, its doubtful documents and items, and its overdue work.
pub(super) struct Overview {
    pub scan: ScanReport,
    /// The tools that are switched on, worst first, except ignored ones and unused ones that were removed long ago.
    pub on: Vec<ToolReport>,
    pub off: Vec<ToolReport>,
    pub remembered: Remembered,
    pub stuck: Vec<Warning>,
}

impl Overview {
    /// Reads the registry and the configuration of the clients. Writes nothing.
    pub(super) fn read(settings: &Settings, registry: &Registry) -> Result<Self, CliError> {
        let (scan, view) = preview(registry, settings, &[])?;
        let policy = &settings.configured.policy;
        let context = Context::new(&view, policy, &settings.project, settings.now);
        let all = ToolListing { hide_ignored: true, ..ToolListing::default() }.of(&context);
        let (off, mut on): (_, Vec<_>) = all.into_iter().partition(ToolReport::is_off);
        on.retain(|tool| !tool.is_long_gone(&context));
        on.sort_by(|a, b| Rank::alone(&a.verdict).worst_first(&Rank::alone(&b.verdict)));
        let remembered = Remembered::read(settings, registry)?;
        let stuck = staleness_service::work::overdue(settings, registry)?;
        Ok(Self { scan, on, off, remembered, stuck })
    }

    pub(super) fn summary(mut self) -> Summary {
        let unread = self.scan.sources.iter().filter(|it| it.state.is_unread()).count();
        let nothing_known = self.on.iter().all(|tool| tool.verdict.score().is_none());
        self.on.retain(|tool| tool.verdict.level != Level::Fresh);
        fold_doubtful(&mut self.on);
        let tools = self.on.iter().map(|tool| tool.verdict.level);
        let Remembered { stale, review, knowledge, checked_at, .. } = &self.remembered;
        let items = knowledge.iter().map(|item| item.verdict.level);
        let others = [(*stale, Level::Stale), (*review + self.stuck.len(), Level::Review)];
        let others = others.into_iter().filter(|(count, _)| *count > 0).map(|(_, level)| level);
        let unknown = if unread > 0 {
            Some(format!("{} cannot be read", counted(unread, "source", "sources")))
        } else if checked_at.is_none() {
            Some("documents not checked yet".to_owned())
        } else if let Some(gap) = self.remembered.incomplete() {
            Some(format!("the document check is incomplete: {gap}"))
        } else if !self.remembered.elsewhere.is_empty() {
            Some("documents not checked at this commit".to_owned())
        } else {
            nothing_known.then(|| "nothing is known about tools yet".to_owned())
        };
        Summary {
            level: tools.chain(items).chain(others).max().unwrap_or(Level::Fresh),
            counts: [self.on.len(), stale + review, knowledge.len(), self.stuck.len()],
            unknown,
        }
    }
}

/// Counts of tools, documents, items and work that need attention.
pub(super) struct Summary {
    /// Numbers of tools and servers, documents, items of knowledge and work items.
    pub counts: [usize; 4],
    /// The worst level of any of these.
    pub level: Level,
    /// The reason why the overview cannot say that everything is fine.
    pub unknown: Option<String>,
}

/// Prints the overview. Returns true if something reaches `fail_on`.
pub(crate) fn run(
    settings: &Settings,
    fail_on: Option<LevelArg>,
    out: &Output,
) -> Result<bool, CliError> {
    let registry = settings.open(Access::Look)?;
    let Overview { scan, on: all, mut off, remembered, stuck } =
        Overview::read(settings, &registry)?;
    let total = all.len() + off.len();
    let count = |status: Status| all.iter().filter(|tool| tool.status == status).count();
    let level = |level: Level| {
        let judged = all.iter().filter(|tool| tool.verdict.score().is_some());
        judged.filter(|tool| tool.verdict.level == level).count()
    };
    let blocks = |level: Level| {
        remembered.doubtful.iter().filter(|told| told.verdict.level == level).count()
    };
    let items = |level: Level| {
        remembered.knowledge.iter().filter(|told| told.verdict.level == level).count()
    };
    let trouble: Vec<_> =
        scan.sources.iter().filter(|source| source.state.is_unread()).cloned().collect();
    let counts = json!({
        "documents": remembered.documents,
        "partial_documents": remembered.partial,
        "review_blocks": blocks(Level::Review),
        "stale_blocks": blocks(Level::Stale),
        "review_items": items(Level::Review),
        "stale_items": items(Level::Stale),
        "work": stuck.len(),
        "tools": total,
        "off": off.len(),
        "active": count(Status::Active),
        "stale": count(Status::Stale),
        "demoted": count(Status::Demoted),
        "fresh": level(Level::Fresh),
        "review": level(Level::Review),
        "untrusted": level(Level::Stale),
        "sources": scan.sources.iter().filter(|s| s.state != SourceState::Missing).count(),
        "unreadable_sources": trouble.len(),
    });
    let found = fail_on.is_some_and(|least| match least {
        LevelArg::Review => {
            let remembered = remembered.doubtful.len() + remembered.knowledge.len();
            level(Level::Review) + level(Level::Stale) + remembered > 0
        }
        LevelArg::Stale => level(Level::Stale) + blocks(Level::Stale) + items(Level::Stale) > 0,
    }) || fail_on.is_some_and(|least| reaches(&stuck, least));
    let (on, off_count) = (all.len(), off.len());
    let unused = all.iter().filter(|tool| tool.uses == 0).count();
    let unknown = all.iter().filter(|tool| tool.verdict.word() == "unknown");
    let unproven = unknown.clone().filter(|tool| tool.uses > 0).count();
    let unknown = unknown.count();
    let mut doubtful = all;
    doubtful.retain(|tool| tool.verdict.level != Level::Fresh);
    fold_into_servers(&mut off);
    if out.json {
        out.json(&json!({
            "for": settings.audience(),
            "project": scan.root,
            "tools": doubtful,
            "off": off,
            "documents": remembered.doubtful,
            "knowledge": remembered.knowledge,
            "work": rows(settings, &stuck),
            "counts": counts,
            "documents_checked_at": remembered.checked_at,
            "gaps": remembered.gaps,
        }))?;
        return Ok(found);
    }
    let paint = out.paint;
    let mut text = format!("{}\n", paint.bold(&escape(&scan.root)));
    if doubtful.is_empty() && total > 0 && !trouble.is_empty() {
        text.push_str(&format!(
            "no known problems with {}, but {} could not be read\n",
            counted(total, "tool", "tools"),
            counted(trouble.len(), "source", "sources")
        ));
    } else if doubtful.is_empty() && total > 0 {
        let tools = counted(total, "tool", "tools");
        let parts = [
            (unused, "never used"),
            (unproven, "without a known success"),
            (off_count, "switched off"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: String = parts.map(|(count, what)| format!(", {count} {what}")).collect();
        text.push_str(&match on {
            0 => format!("{tools} configured, all switched off\n"),
            // Nothing is known about tools that were never used.
            _ if unused == total => {
                format!("{tools} configured, none used yet: nothing is known about them\n")
            }
            _ if unknown == on => format!("nothing is known about {tools}{parts}\n"),
            _ => paint.good(&format!("no known problems with {tools}{parts}\n")),
        });
    } else if total == 0 {
        text.push_str(&nothing_known(settings, scan.sources.len(), out));
    } else {
        fold_doubtful(&mut doubtful);
        let (some, need) = (doubtful.len(), need(doubtful.len()));
        text.push_str(&format!("{some} of {} {need} attention\n", counted(total, "tool", "tools")));
        text.push_str(&tools::doubtful(&doubtful, settings.now, out));
    }
    text.push_str(&tools::sources(if total == 0 { &scan.sources } else { &trouble }, out));
    if !off.is_empty() {
        text.push_str(&format!("{}\n{}", paint.bold("switched off"), tools::brief(&off, out)));
    }
    text.push_str(&found::remembered(&remembered, settings.now, out));
    text.push_str(&found::doubtful_items(&remembered.knowledge, out));
    text.push_str(&work::stuck(&stuck, out));
    if settings.agent.is_none() {
        let handed = staleness_service::work::for_a_person(settings, &registry)?;
        if !handed.is_empty() {
            let list = work::list(&handed, settings.now, out);
            text.push_str(&format!("{}\n{list}", paint.bold("handed to a person")));
        }
    }
    if total > 0 {
        let gone = if doubtful.iter().any(is_gone) {
            ", `staleness impact NAME` shows what still names it"
        } else {
            ""
        };
        text.push_str(&out.hint(&format!(
            "`staleness tools show NAME` shows the evidence{gone}; `staleness scan` saves this state"
        )));
    }
    text.push_str(&audience(settings, out));
    out.text(&text)?;
    Ok(found)
}

fn nothing_known(settings: &Settings, places: usize, out: &Output) -> String {
    let home = settings.home.display().to_string();
    let home = escape(&home);
    out.lines(&format!(
        "no tools found in {places} places of {home} and this project\nrecord uses with `staleness \
         record NAME --success|--failure`, or point --home at the folder with your agent clients' \
         files"
    ))
}
