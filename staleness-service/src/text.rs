//! Checks text that is not in a file, such as a plan, for names that no longer exist or never existed.

use std::collections::{HashMap, HashSet};

use staleness::Wait;
use staleness::ids::ServerKey;
use staleness::knowledge::{Block, Context, Evidence, ItemKind};
use staleness::registry::ToolListing;
use staleness::report::ToolReport;
use staleness::tool::{Status, ToolKind};
use staleness::verdict::{Ground, Level, NextAction, Signal, Verdict};
use staleness_docs::{Fate, MissingName, Note, check_text};

use crate::documents::context;
use crate::error::{ErrorKind, ServiceError};
use crate::listener::Listener;
use crate::settings::{Access, Settings};

/// The freshness for a name that never existed. It leads to a review.
const INVENTED: f64 = 0.5;

/// A name in the text that does not exist in the tree, with a verdict.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The name, its position, and the reason why it is missing.
    pub missing: MissingName,
    /// The verdict on text with this name.
    pub verdict: Verdict,
    /// True if the name is that of a tool that is gone.
    pub is_tool: bool,
}

impl Judged {
    /// Returns true if the name never existed in any commit and does not belong to a tool.
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
    let tools = match report.found.iter().any(is_invented) {
        // Without a registry, every such name counts as invented.
        true => Tools::read(settings).unwrap_or_default(),
        false => Tools::default(),
    };
    let judged = |missing: MissingName| match tools.verdict(&missing.name) {
        Some(gone) if is_invented(&missing) => {
            gone.map(|verdict| Judged { missing, verdict, is_tool: true })
        }
        _ => {
            let verdict = verdict(&missing, &context);
            Some(Judged { missing, verdict, is_tool: false })
        }
    };
    let found = report.found.into_iter().filter_map(judged).collect();
    Ok(JudgedText { found, names: report.names, notes: report.notes, head: report.head })
}

/// The tools of the registry that the project sees.
#[derive(Default)]
struct Tools {
    /// The tools by name, each with its verdict if it is gone.
    known: HashMap<String, Option<Verdict>>,
    /// The configured servers without any known tools.
    unlisted: HashSet<ServerKey>,
}

impl Tools {
    fn read(settings: &Settings) -> Result<Self, ServiceError> {
        let registry = settings.open(Access::Look)?;
        let client = settings.client.clone();
        let read = |client| {
            let listing = ToolListing::default();
            let registry = registry.clone().seen_by(client);
            registry.tools().list(&settings.project, listing, settings.now).wait()
        };
        // A text may be meant for another agent, with tools that the requesting client does not have.
        let tools = read(None)?;
        let own = if client.is_some() { read(client)? } else { Vec::new() };
        let (servers, others): (Vec<_>, Vec<_>) =
            tools.iter().partition(|tool| tool.kind == ToolKind::McpServer);
        let key = |tool: &&ToolReport| ServerKey::of(tool.server.as_ref()?);
        let listed: HashSet<ServerKey> = others.iter().filter_map(key).collect();
        let unlisted = servers.iter().filter(|server| server.status == Status::Active);
        let unlisted = unlisted.filter_map(key).filter(|server| !listed.contains(server)).collect();
        let known = tools.into_iter().chain(own).map(|tool| {
            let gone = tool.status == Status::Stale;
            (String::from(tool.key.name), gone.then_some(tool.verdict))
        });
        Ok(Self { known: known.collect(), unlisted })
    }

    /// Returns `None` if the name does not belong to a tool. Otherwise returns the tool's verdict if it is gone.
    fn verdict(&self, name: &str) -> Option<Option<Verdict>> {
        let may_be = || ServerKey::owners_of(name).iter().any(|it| self.unlisted.contains(it));
        self.known.get(name).cloned().or_else(|| may_be().then_some(None))
    }
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
