//! Checks text that is not in a file, such as a plan, for names that no longer exist or never existed.

use staleness::knowledge::{Block, Context, Evidence, ItemKind};
use staleness::registry::ScopeChoice;
use staleness::tool::{PresenceCause, Status};
use staleness::verdict::{Ground, Level, NextAction, Signal, Verdict};
use staleness::{Registry, Wait};
use staleness_docs::{Fate, MissingName, Note, check_text};

use crate::documents::context;
use crate::error::{ErrorKind, ServiceError};
use crate::listener::Listener;
use crate::settings::{Access, Settings};
use crate::tools::{NamedTool, resolve};

/// The freshness for a name that never existed. It leads to a review.
const INVENTED: f64 = 0.5;

/// A name in the text that does not exist in the tree, with a verdict.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The name, its position, and the reason why it is missing.
    pub missing: MissingName,
    /// The verdict on text with this name.
    pub verdict: Verdict,
    /// True if the name is that of a tool which is gone.
    pub is_tool: bool,
}

impl Judged {
    /// Returns true if the name never existed in any commit, and is no tool's.
    pub const fn is_invented(&self) -> bool {
        !self.is_tool && matches!(self.missing.fate, Fate::Invented { .. })
    }
}

/// The result of checking a text.
#[derive(Clone, Debug, Default)]
pub struct JudgedText {
    /// Names that do not exist in the tree, in the order of the text.
    pub found: Vec<Judged>,
    /// Number of names that were looked up.
    pub names: usize,
    /// Notes on parts that could not be checked.
    pub notes: Vec<Note>,
    /// The checked-out commit.
    pub head: Option<String>,
}

impl JudgedText {
    /// Returns the number of names that are gone, and of names that never existed.
    pub fn counts(&self) -> (usize, usize) {
        let invented = self.found.iter().filter(|each| each.is_invented()).count();
        (self.found.len() - invented, invented)
    }
}

/// Checks a text against the current tree. Stores nothing.
///
/// # Errors
/// If the watchdog cancels the work.
pub fn judge(
    settings: &Settings,
    text: &str,
    listener: &dyn Listener,
) -> Result<JudgedText, ServiceError> {
    use std::ops::ControlFlow::{Break, Continue};
    let watchdog = &settings.watchdog;
    let mut progress = |step| {
        listener.step(step);
        if watchdog.is_ended() { Break(()) } else { Continue(()) }
    };
    let report = check_text(&settings.place, &mut settings.repo(), text, &mut progress);
    listener.end();
    let report =
        report.map_err(|error| ServiceError::new(ErrorKind::Cancelled, error.to_string()))?;
    let context = context(settings, None);
    let is_invented = |each: &MissingName| matches!(each.fate, Fate::Invented { .. });
    // Without a registry, every such name stays invented.
    let registry = report.found.iter().any(is_invented).then(|| settings.open(Access::Look).ok());
    let registry = registry.flatten();
    let judged = |missing: MissingName| {
        let known = registry.as_ref().filter(|_| is_invented(&missing));
        match known.and_then(|registry| tool_verdict(registry, settings, &missing.name)) {
            Some(gone) => gone.map(|verdict| Judged { missing, verdict, is_tool: true }),
            None => {
                let verdict = verdict(&missing, &context);
                Some(Judged { missing, verdict, is_tool: false })
            }
        }
    };
    let found = report.found.into_iter().filter_map(judged).collect();
    Ok(JudgedText { found, names: report.names, notes: report.notes, head: report.head })
}

/// Returns `None` if no tool has this name, or only failed calls used it. Otherwise the tool's verdict if it is
/// gone, and `Some(None)` if it is not.
fn tool_verdict(registry: &Registry, settings: &Settings, name: &str) -> Option<Option<Verdict>> {
    let NamedTool::Known(key) = resolve(registry, settings, name, ScopeChoice::Either).ok()? else {
        return Some(None);
    };
    let tool = registry.tools().show(&settings.project, &[key], settings.now).wait().ok()?;
    let is_tool = tool.presence.cause != PresenceCause::Invented;
    is_tool.then(|| (tool.status == Status::Stale).then_some(tool.verdict))
}

fn verdict(missing: &MissingName, context: &Context) -> Verdict {
    let nearest = match &missing.fate {
        Fate::Went(fact) => {
            let evidence = Evidence {
                line: Some(missing.line),
                column: Some(missing.column),
                ..Evidence::from(fact.clone())
            };
            let block = Block {
                line: missing.line,
                last_line: missing.line,
                title: String::new(),
                digest: 1,
                anchored_at: Some(context.now()),
                anchor: None,
                evidence: vec![evidence],
            };
            return block.judge(ItemKind::Document, context);
        }
        Fate::Invented { nearest } => nearest,
    };
    let mut reason = format!("{} was never in this project", missing.name);
    if let Some(nearest) = nearest {
        reason.push_str(&format!("; did you mean {nearest}?"));
    }
    let mut signal = Signal::new(Ground::Invented, 1.0, INVENTED, reason);
    signal.line = Some(missing.line);
    Verdict {
        level: Level::Review,
        freshness: INVENTED,
        signals: vec![signal],
        action: NextAction::Verify,
    }
}
