//! `tools diff` and `tools accept`: show and accept changes that a server made to its tools.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};
use staleness::ids::ToolKey;
use staleness::registry::ScopeChoice;
use staleness::store::Refusal;
use staleness::tool::PresenceCause;
use staleness::{Registry, RegistryError, Timestamp, Wait};
use staleness_core::definition::{ChangeClass, Definition, DefinitionVersion, Difference, Part};
use staleness_service::model_text::is_plain;
use staleness_service::tools::find;
use unicode_width::UnicodeWidthStr;

use super::shell::quoted;
use super::tools::{by_hand, choice};
use crate::args::tools_args::HoldArgs;
use crate::error::CliError;
use crate::output::diff::{painted, unified};
use crate::output::found::gap;
use crate::output::{Cell, Output, Paint, Painter, escape};
use crate::settings::{Access, Settings};

/// A tool definition for output. Its texts come from the server.
#[derive(Serialize)]
pub(crate) struct Told<'a> {
    name: &'a str,
    scope: &'static str,
    /// Class of the pending change. `None` if no change is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<ChangeClass>,
    pinned_at: Timestamp,
    since: Timestamp,
    changes: u32,
    /// The time at which the server reverted the pending change.
    #[serde(skip_serializing_if = "Option::is_none")]
    taken_back: Option<Timestamp>,
    /// Digest of the version that the server lists now.
    digest: String,
    pub(crate) differences: Vec<Difference>,
    parts: Vec<ToldPart<'a>>,
    /// The parts of the worst version that the listed one replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaced: Vec<ToldPart<'a>>,
}

#[derive(Serialize)]
struct ToldPart<'a> {
    part: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<&'a str>,
    /// Number of characters of the whole text, if it is truncated.
    #[serde(skip_serializing_if = "Option::is_none")]
    before_chars: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    now_chars: Option<u32>,
}

impl<'a> Told<'a> {
    pub(crate) fn new(row: &'a Definition) -> Self {
        let before = row.previous.as_ref();
        let is_first = before.is_none() && row.pending.is_none();
        let parts = differing(before, if is_first { None } else { Some(&row.current) });
        let worst = row.current.worst.as_deref();
        let replaced = worst.map_or_else(Vec::new, |worst| differing(before, Some(worst)));
        let named = |mut all: Vec<ToldPart<'a>>| {
            if row.key.name.is_server_entry() {
                all.iter_mut().for_each(|each| each.part = "instructions");
            }
            all
        };
        let (parts, replaced) = (named(parts), named(replaced));
        Self {
            name: row.key.name.as_str(),
            scope: row.key.scope.word(),
            pending: row.pending,
            pinned_at: row.pinned_at,
            since: row.since,
            changes: row.changes,
            taken_back: row.taken_back(),
            digest: row.listed().digest(),
            differences: row.differences(),
            parts,
            replaced,
        }
    }
}

fn differing<'a>(
    before: Option<&'a DefinitionVersion>,
    now: Option<&'a DefinitionVersion>,
) -> Vec<ToldPart<'a>> {
    let all = |version: Option<&'a DefinitionVersion>| -> BTreeMap<&'static str, &'a Part> {
        version.map(|version| version.parts().collect()).unwrap_or_default()
    };
    let (before, now) = (all(before), all(now));
    let names: BTreeSet<&'static str> = before.keys().chain(now.keys()).copied().collect();
    let differ = names.into_iter().filter_map(|part| {
        let (before, now) = (before.get(part).copied(), now.get(part).copied());
        let is_same = before.map(|part| &part.digest) == now.map(|part| &part.digest);
        let [before_chars, now_chars] = [before, now].map(|part| part?.chars);
        let [before, now] = [before, now].map(|part| Some(part?.text.as_str()));
        (!is_same).then_some(ToldPart { part, before, now, before_chars, now_chars })
    });
    differ.collect()
}

impl Told<'_> {
    /// Returns the most serious class of its changes.
    pub(crate) fn class(&self) -> ChangeClass {
        let classes = self.differences.iter().map(|each| each.class).chain(self.pending);
        classes.max().unwrap_or(ChangeClass::Wording)
    }

    /// Returns a note on each text that is stored only in part.
    fn cuts(&self) -> String {
        let parts = self.parts.iter().filter(|_| self.taken_back.is_none());
        let cut = parts.filter_map(|part| Some((part.part, part.now?, part.now_chars?)));
        cut.map(|(part, text, chars)| {
            format!(
                "{part} now has {chars} characters; only the first {} are stored and shown here; see the rest \
                 at its server\n",
                text.chars().count()
            )
        })
        .collect()
    }

    /// Returns the first differences in words, and the number of the others.
    pub(crate) fn summary(&self) -> String {
        const DIFFERENCES: usize = 3;
        let mut what: Vec<String> =
            self.differences.iter().take(DIFFERENCES).map(difference).collect();
        let more = self.differences.len().saturating_sub(DIFFERENCES);
        what.extend((more > 0).then(|| format!("{more} more")));
        what.join(", ")
    }

    /// Removes the server's texts, which only `tools diff` may show.
    pub(crate) fn without_texts(mut self) -> Self {
        self.parts.clear();
        self.replaced.clear();
        for each in &mut self.differences {
            each.name = each.name.take().filter(|name| is_plain(name));
        }
        self
    }

    /// Removes the server's texts. If the caller may be an agent, also removes the names in suspicious differences,
    /// as a session start does.
    pub(crate) fn for_caller(self, settings: &Settings) -> Self {
        let mut told = self.without_texts();
        if settings.may_be_agent() {
            for each in &mut told.differences {
                if each.class == ChangeClass::Suspicious {
                    (each.what, each.name) = (each.alone(), None);
                }
            }
            told.differences.dedup();
        }
        told
    }
}

pub(crate) fn of_tool(
    registry: &Registry,
    settings: &Settings,
    key: &ToolKey,
) -> Result<Option<Definition>, CliError> {
    let rows = registry.tools().definitions(&settings.project.id, key).wait()?;
    Ok(rows.into_iter().find(|row| row.key == *key))
}

/// Formats a pending change on one line. Empty if none is pending.
pub(crate) fn pending(row: &Definition) -> String {
    let Some(class) = row.pending else { return String::new() };
    let how = if row.changes == 0 { "not accepted" } else { "changed" };
    let back = row.taken_back().map_or("", |_| ", and reverted by its server");
    format!("{how} ({}){back}; see `{}`", class.as_str(), diff_of(row.key.name.as_str()))
}

/// Returns a difference as text: `lost repo`.
pub(crate) fn difference(each: &Difference) -> String {
    match &each.name {
        Some(name) => format!("{} {name}", each.what),
        // The name is left out here; `tools diff` shows it to a person.
        None if ["for", "takes", "requires", "lost", "address", "tool", "in", "of"]
            .iter()
            .any(|end| each.what.ends_with(end)) =>
        {
            format!("{} (a name that is not shown)", each.what)
        }
        None => each.what.trim_end_matches(':').to_owned(),
    }
}

/// Returns the painter for the severity of a change.
pub(crate) fn paint_of_change(class: ChangeClass) -> Painter {
    match class {
        ChangeClass::Wording => Paint::dim,
        ChangeClass::Widened | ChangeClass::Narrowed => Paint::warn,
        ChangeClass::Effects | ChangeClass::Suspicious => Paint::bad,
    }
}

/// Returns the command that shows the changes of a tool or server.
pub(crate) fn diff_of(name: &str) -> String {
    format!("staleness tools diff {}", quoted(name))
}

pub(crate) fn diff(
    settings: &Settings,
    name: &str,
    scope: ScopeChoice,
    out: &Output,
) -> Result<(), CliError> {
    let registry = settings.open(Access::Look)?;
    let key = find(&registry, settings, name, scope)?;
    let rows = registry.tools().definitions(&settings.project.id, &key).wait()?;
    // A model might obey a server's texts, so only the user may read them.
    let is_agent = settings.may_be_agent();
    let told = rows.iter().map(Told::new);
    let told = told.map(|told| if is_agent { told.for_caller(settings) } else { told });
    let told: Vec<Told<'_>> = told.collect();
    if out.json {
        return out.json(&json!({ "definitions": told }));
    }
    let others = of_other_scope(&registry, settings, &key, name)?;
    if rows.is_empty() {
        let none = if key.name.is_server_entry() {
            "no change waits for a decision; `staleness tools diff TOOL` shows the last one of a tool\n"
        } else {
            "no changed definition is known; `staleness scan --probe` asks its server\n"
        };
        return out.text(&(if out.quiet { "" } else { none }.to_owned() + &out.hint(&others)));
    }
    let tool = registry.tools().show(&settings.project, &[key], settings.now).wait()?;
    let is_gone = tool.presence.cause == PresenceCause::NotListed;
    let mut text =
        told.iter().map(|told| render(told, is_agent, is_gone, scope, out)).collect::<String>();
    if is_agent {
        let how = format!("ask the user to run `{}` and decide", diff_of(name));
        text.push_str(&out.hint(&format!("a server's texts are not shown to agents; {how}")));
    }
    out.text(&(text + &out.hint(&others)))
}

/// Returns a hint if the name also has pending changes in the other scope. Empty otherwise.
fn of_other_scope(
    registry: &Registry,
    settings: &Settings,
    key: &ToolKey,
    name: &str,
) -> Result<String, CliError> {
    let project = &settings.project.id;
    for other in ScopeChoice::Either.keys(project, &key.name).iter().filter(|each| *each != key) {
        let rows = registry.tools().definitions(project, other).wait()?;
        if rows.iter().any(|row| row.pending.is_some()) {
            let (scope, diff) = (other.scope.word(), diff_of(name));
            return Ok(format!(
                "the entry in the other scope also has changes: `{diff} --scope {scope}`"
            ));
        }
    }
    Ok(String::new())
}

/// Accepts the pending changes, unless an agent may be running the command.
pub(crate) fn accept(
    settings: &Settings,
    args: &HoldArgs,
    seen: Option<String>,
    dry_run: bool,
    out: &Output,
) -> Result<(), CliError> {
    if settings.may_be_agent() {
        let how = format!("ask the user to run `{}`, outside the client", diff_of(&args.name));
        let message = "only a person can accept what a server changed";
        return Err(CliError::invalid(message).hint(how));
    }
    let registry = settings.open(if dry_run { Access::Look } else { Access::Write })?;
    let registry = if dry_run { registry.dry() } else { registry };
    let key = find(&registry, settings, &args.name, choice(args.scope.scope))?;
    let reason = args.reason.as_deref();
    let by_hand = by_hand(settings, key.clone(), reason);
    let accepted = match registry.tools().accept(by_hand, seen.clone()).wait() {
        Ok(accepted) => accepted,
        Err(RegistryError::Rejected(Refusal::Conflict(why))) => {
            if dry_run && seen.is_none() {
                let rows = registry.tools().definitions(&settings.project.id, &key).wait()?;
                preview_refused(&rows, out)?;
            }
            let error = CliError::from(RegistryError::Rejected(Refusal::Conflict(why)));
            let others = of_other_scope(&registry, settings, &key, &args.name)?;
            let see = format!("see `{}`", diff_of(&args.name));
            return Err(error.hint(if others.is_empty() {
                see
            } else {
                format!("{see}; {others}")
            }));
        }
        Err(error) => return Err(error.into()),
    };
    for cut in accepted.iter().map(|row| Told::new(row).cuts()).filter(|cuts| !cuts.is_empty()) {
        out.warn(&format!("warning: {}", cut.trim_end()));
    }
    let others = of_other_scope(&registry, settings, &key, &args.name)?;
    let told: Vec<Value> = accepted.iter().map(|row| json!(Told::new(row))).collect();
    out.done(&json!({ "accepted": told }), || {
        let would = if dry_run { "would accept" } else { "accepted" };
        let lines = accepted.iter().map(|row| format!("{would} {}\n", named(row)));
        lines.collect::<String>() + &out.hint(&others)
    })
}

/// Prints the changes if one of them must be reviewed before any is accepted.
fn preview_refused(rows: &[Definition], out: &Output) -> Result<(), CliError> {
    let waiting = rows.iter().filter(|row| row.pending.is_some());
    let is_suspicious = |row: &&Definition| row.pending == Some(ChangeClass::Suspicious);
    let (first, then): (Vec<_>, Vec<_>) = waiting.partition(is_suspicious);
    let told = |rows: &[&Definition]| -> Vec<Value> {
        rows.iter().map(|row| json!(Told::new(row).without_texts())).collect()
    };
    let value = json!({ "accepted": [], "look_first": told(&first), "then": told(&then) });
    out.done(&value, || {
        let first = first.iter().map(|row| {
            let diff = diff_of(row.key.name.as_str());
            format!("review first: {}: see `{}`\n", named(row), escape(&diff))
        });
        let then = then.iter().map(|row| format!("would then accept {}\n", named(row)));
        first.chain(then).collect()
    })
}

/// Returns the name of a tool with a summary of its changes.
fn named(row: &Definition) -> String {
    let told = Told::new(row).without_texts();
    let what = match told.summary() {
        none if none.is_empty() => none,
        what => format!("  {}: {what}", told.class().as_str()),
    };
    format!("{}{what}", escape(row.key.name.as_str()))
}

fn render(
    told: &Told<'_>,
    is_agent: bool,
    is_gone: bool,
    scope: ScopeChoice,
    out: &Output,
) -> String {
    let name = out.paint.bold(&escape(told.name));
    let state = match told.pending {
        Some(class) if told.taken_back.is_some() => {
            format!("{}, reverted by its server, not accepted", class.as_str())
        }
        Some(class) => format!("{}, not accepted yet", class.as_str()),
        None if told.changes == 0 => "unchanged since pinned".to_owned(),
        None => "as accepted".to_owned(),
    };
    let gone = if is_gone { "; its server no longer lists it" } else { "" };
    let state = state + gone;
    let gap = gap(told.name.width() + state.width() + 2, out);
    let state = if told.pending.is_some() { out.paint.warn(&state) } else { state };
    let mut text = format!("{name}{gap}{state}\n");
    text.push_str(&out.row("pinned", 12, &told.pinned_at.to_string()));
    text.push_str(&out.row("since", 12, &told.since.to_string()));
    text.push_str(&out.row("changes", 12, &told.changes.to_string()));
    text.push_str(&out.table(told.differences.iter().map(|each| -> Vec<Cell> {
        vec![
            (each.class.as_str().to_owned(), Some(paint_of_change(each.class))),
            (difference(each), None),
        ]
    })));
    // The texts are untrusted, so characters that a terminal hides or interprets are escaped.
    let now = if told.taken_back.is_some() { "taken back" } else { "now" };
    let all = told.replaced.iter().map(|part| (part, "taken back"));
    for (part, now_word) in all.chain(told.parts.iter().map(|part| (part, now))) {
        let [before, now] = [part.before, part.now].map(|text| lines(text.unwrap_or_default()));
        let before_word = if now_word == "now" { "before" } else { "pinned" };
        let names = [before_word, now_word].map(|word| format!("{} {word}", part.part));
        text.push_str(&painted(&unified([&names[0], &names[1]], &before, &now), out));
    }
    if told.pending.is_some() && !is_agent {
        let cuts = told.cuts();
        if !cuts.is_empty() {
            text.push_str(&out.paint.warn(&cuts).to_string());
        }
        let (seen, name) = (&told.digest[..DefinitionVersion::NAMED_BY], quoted(told.name));
        let of = match scope {
            ScopeChoice::Either => String::new(),
            _ => format!(" --scope {}", told.scope),
        };
        let how = format!("staleness tools accept --seen {seen} {}{of}", escape(&name));
        let what = told.taken_back.map_or("accept", |_| "keep the pinned one");
        text.push_str(&out.hint(&format!("to {what}: `{how}`")));
    }
    text
}

/// Formats a text over several lines. JSON gets one member per line.
fn lines(text: &str) -> String {
    let value = serde_json::from_str::<Value>(text).ok().filter(|value| !value.is_number());
    let pretty = value.and_then(|value| serde_json::to_string_pretty(&value).ok());
    let mut lines = pretty.unwrap_or_else(|| text.to_owned());
    if !lines.is_empty() && !lines.ends_with('\n') {
        lines.push('\n');
    }
    lines
}
