//! `tools unused`: lists tools that clients load but never use, with their cost, and disables servers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Value, json};
use staleness::ids::{self, ServerKey, SourceId, ToolName};
use staleness::registry::ScopeChoice;
use staleness::tool::ToolKind;
use staleness::{Registry, Wait};
use staleness_core::report::ToolCost;
use staleness_core::text::counted;
use staleness_service::costs::{ClientCost, Costs, costs};
use staleness_service::scan::switches;
use staleness_service::tools::find;
use staleness_service::when::ago;
use staleness_sources::clients::{NoSwitch, Switch, SwitchChange, named as named_client, refusal};

use super::install::{Planned, Verb, carry_out, diff, plan, report, written};
use super::tools::audience;
use crate::args::install_args::{Client, Level};
use crate::args::tools_args::UnusedArgs;
use crate::error::{CliError, ErrorKind, quoted};
use crate::install::client::{Target, outer};
use crate::install::part::Part;
use crate::install::switch::Switches;
use crate::output::diff::painted;
use crate::output::{Cell, Output, Paint, escape};
use crate::settings::{Access, Settings};

#[derive(Serialize)]
struct CostsOutput<'a> {
    r#for: &'a str,
    #[serde(flatten)]
    costs: &'a Costs,
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<&'a [ToolCost]>,
}

/// Note on a change that removes an entry.
const REMOVES: &str = "removes the entry, because the client has no switch; after the next \
                       `staleness scan`, `staleness tools forget NAME --yes` forgets it";
/// Hint that says how to undo a change.
const UNDO: &str = "to undo: close the client and restore the backup (delete a created file); if \
                    the client has changed the file since, restore only these lines";

pub(crate) fn run(settings: &Settings, args: &UnusedArgs, out: &Output) -> Result<(), CliError> {
    let registry = settings.open(Access::Look)?;
    let costs = costs(settings, &registry, args.days)?;
    if !args.off.is_empty() {
        return switch_off(settings, &registry, &costs, args, out);
    }
    if out.json {
        let others = args.all.then_some(&*costs.others);
        return out.json(&CostsOutput { r#for: settings.audience(), costs: &costs, others });
    }
    let mut text: String = costs
        .clients
        .iter()
        .map(|(name, client)| render(settings, &costs, args.all, (name, client), out))
        .collect();
    if costs.clients.is_empty() && !out.quiet {
        text.push_str("no client is known to load a tool here; run `staleness scan`\n");
    }
    let (servers, others): (Vec<&ToolCost>, Vec<_>) =
        costs.unused.iter().partition(|each| each.kind == ToolKind::McpServer);
    if !servers.is_empty() {
        text.push_str(
            &out.hint("`staleness tools unused --off SERVER` shows how to switch one off"),
        );
    }
    if !others.is_empty() {
        text.push_str(
            &out.hint("only servers can be switched off here; switch off the others in the client"),
        );
    }
    if !args.all && !costs.others.is_empty() {
        text.push_str(&out.hint("`staleness tools unused --all` lists what is used too"));
    }
    let readings = registry.tools().readings(&settings.project.id).wait()?;
    let is_asked = |name: &str| {
        let mut live = readings.keys().filter(|id| id.level == ids::Level::Live);
        live.any(|id| name == format!("mcp__{}__*", id.part))
    };
    let mut unknown = costs.clients.keys().flat_map(|client| unknown(&costs, client));
    if unknown.any(|name| name.starts_with("mcp__") && !is_asked(name)) {
        text.push_str(&out.hint("`staleness scan --probe` finds the unknown costs"));
    }
    out.text(&(text + &out.hint(costs.method) + &audience(settings, out)))
}

/// Formats one client: its unused tools or all of them, its instruction files and the totals.
fn render(
    settings: &Settings,
    costs: &Costs,
    all: bool,
    (name, client): (&str, &ClientCost),
    out: &Output,
) -> String {
    let others = costs.others.iter().filter(|_| all);
    let tools = costs.unused.iter().chain(others).filter(|each| each.client == name);
    let tools = tools.map(|each| -> Vec<Cell> {
        let used = match each.last_used_at {
            Some(at) => format!("used {}", ago(settings.now, at)),
            None if each.idle_days.is_none() => "use unknown".to_owned(),
            None => "never used".to_owned(),
        };
        vec![
            (each.key.name.to_string(), each.unused.then_some(Paint::warn as _)),
            (each.kind.as_str().to_owned(), Some(Paint::dim)),
            (used, None),
            (tokens(each), None),
        ]
    });
    let files = costs.instructions.iter().filter(|each| each.client == name);
    let files = files.map(|each| -> Vec<Cell> {
        let kind = ("instructions".to_owned(), Some(Paint::dim as _));
        let loaded = ("always loaded".to_owned(), None);
        vec![(each.path.clone(), None), kind, loaded, (about(each.tokens), None)]
    });
    let mut text = format!("{}\n{}", out.paint.bold(&escape(name)), out.table(tools.chain(files)));
    let ClientCost { servers, skills, instructions, .. } = client;
    let mut sum = format!(
        "{} a session: {}, {}, {}",
        about(client.tokens),
        counted(servers, "server", "servers"),
        counted(skills, "skill or command", "skills and commands"),
        counted(instructions, "instruction file", "instruction files"),
    );
    if client.is_watched {
        sum.push_str(&format!("; unused: {}", about(client.unused_tokens)));
    }
    let unknown = unknown(costs, name);
    if !unknown.is_empty() {
        let named = listed(unknown.iter().copied());
        sum.push_str(&format!("; the cost of {named} is not fully known"));
    }
    text.push_str(&out.details([vec![(sum, None)]]));
    if !client.is_watched {
        let how = match (Client::from_str(name, false), named_client(name)) {
            (Ok(_), _) => format!(" (`staleness init {name}` records uses)"),
            (Err(_), Some(_)) => format!(" (`staleness record --agent {name}` records one)"),
            (Err(_), None) => String::new(),
        };
        let why = format!("no use by {name} is recorded, so nothing counts as unused");
        text.push_str(&out.hint(&format!("  {why}{how}")));
    }
    let early = costs.others.iter().filter(|each| each.client == name && !each.kept);
    let early = early.filter(|each| each.last_used_at.is_none() && each.kind != ToolKind::McpTool);
    let early: Vec<_> = early.filter_map(|each| Some((each.idle_days?, &each.key.name))).collect();
    if let Some(days) = early.iter().map(|(days, _)| *days).max().filter(|days| *days > 0) {
        let named = early.iter().filter(|early| early.0 == days).map(|(_, name)| name.as_str());
        let named = listed(named);
        let since = counted(days, "day of use", "days of use");
        let how = format!("`staleness tools unused --days {days}`");
        text.push_str(&out.hint(&format!("  never used so far, in {since}: {named} ({how})")));
    }
    text
}

/// Maximum number of names in a sentence.
const NAMED: usize = 3;

/// Joins the first names, and counts the others.
fn listed<'n>(mut names: impl Iterator<Item = &'n str>) -> String {
    let named = names.by_ref().take(NAMED).collect::<Vec<_>>().join(", ");
    match names.count() {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Returns the servers, skills and files that a client loads and whose cost is not fully known.
fn unknown<'c>(costs: &'c Costs, client: &str) -> Vec<&'c str> {
    let tools = costs.unused.iter().chain(&costs.others).filter(|each| {
        let is_partial = each.unknown_tools.is_some_and(|tools| tools > 0);
        each.kind != ToolKind::McpTool && (each.tokens.is_none() || is_partial)
    });
    let tools = tools.filter(|each| each.client == client).map(|each| each.key.name.as_str());
    let files = costs.instructions.iter().filter(|each| each.tokens.is_none());
    let files = files.filter(|each| each.client == client).map(|each| each.path.as_str());
    tools.chain(files).collect()
}

fn about(tokens: Option<u64>) -> String {
    match tokens {
        Some(1) => "about 1 token".to_owned(),
        Some(tokens) => format!("about {tokens} tokens"),
        None => "cost unknown".to_owned(),
    }
}

/// Returns the cost of a tool in a session of a client, in words.
pub(super) fn cost(each: &ToolCost) -> String {
    format!("{} in {}", tokens(each), each.client)
}

fn tokens(each: &ToolCost) -> String {
    let mut text = about(each.tokens);
    if let Some(loaded) = each.loaded_tokens.filter(|_| each.loaded_tokens != each.tokens) {
        text.push_str(&format!(", {loaded} once loaded"));
    }
    if let Some(unknown) = each.unknown_tools.filter(|_| each.tokens.is_some()).filter(|n| *n > 0) {
        text.push_str(&format!(", and {} of unknown cost", counted(unknown, "tool", "tools")));
    }
    text
}

/// Shows the change that disables servers, and writes it on request.
fn switch_off(
    settings: &Settings,
    registry: &Registry,
    costs: &Costs,
    args: &UnusedArgs,
    out: &Output,
) -> Result<(), CliError> {
    let mut wanted: Vec<&ToolCost> = Vec::new();
    for name in &args.off {
        wanted.extend(named(settings, registry, costs, name)?);
    }
    let entries: Vec<(SourceId, ToolName)> = wanted
        .iter()
        .flat_map(|each| each.sources.iter().map(|id| (id.clone(), each.key.name.clone())))
        .collect();
    let mut files: BTreeMap<PathBuf, (&SourceId, Vec<Switch>)> = BTreeMap::new();
    let (mut by_hand, mut removed) = (BTreeSet::new(), BTreeSet::new());
    for ((id, name), found) in entries.iter().zip(switches(settings, &entries)) {
        match found {
            Ok(found) => {
                for each in found {
                    if each.change == SwitchChange::Remove {
                        removed.insert(format!("{}: {name}: {REMOVES}", id.client));
                    }
                    let (_, own) = files.entry(each.path.clone()).or_insert((id, Vec::new()));
                    if !own.contains(&each) {
                        own.push(each);
                    }
                }
            }
            Err(NoSwitch::ByHand(what)) => {
                by_hand.insert(format!("{}: {name}: {what}", id.client));
            }
            Err(NoSwitch::Changed(what)) => {
                return Err(
                    CliError::invalid(what).hint("run `staleness scan` first; nothing was changed")
                );
            }
        }
    }
    let clients: Vec<&str> = files.values().map(|(id, _)| id.client.as_str()).collect();
    let planned: Vec<Planned> = files
        .into_iter()
        .map(|(path, (id, switches))| planned_for(settings, path, id, switches))
        .collect::<Result<_, CliError>>()?;
    let diffs: Vec<String> = planned.iter().map(diff).collect();
    if !out.json {
        out.text(&diffs.iter().map(|diff| painted(diff, out)).collect::<String>())?;
    }
    if args.yes && settings.may_be_agent() {
        return Err(CliError::invalid("an agent cannot switch off what the user configured")
            .hint("ask the user to run this in a terminal outside the client"));
    }
    let done = if args.yes { carry_out(Verb::Switch, planned)? } else { planned };
    let notes: Vec<&String> =
        removed.iter().chain(done.iter().flat_map(|each| &each.notes)).collect();
    let changed = done.iter().any(|each| !each.change.is_nothing());
    if out.json {
        let files = done.iter().zip(&diffs).zip(&clients).map(|((each, diff), client)| {
            let mut told = report(each, diff);
            told["client"] = (*client).into();
            told
        });
        return out.json(&json!({
            "dry_run": !args.yes, "changed": changed, "files": files.collect::<Vec<Value>>(),
            "by_hand": by_hand, "notes": notes,
        }));
    }
    let is_written = |each: &&Planned| args.yes && !each.change.is_nothing();
    let mut text: String = done.iter().filter(is_written).map(written).collect();
    for each in &by_hand {
        text.push_str(&format!("{}\n", escape(each)));
    }
    for note in notes {
        text.push_str(&out.hint(&format!("note: {}", escape(note))));
    }
    if changed && !args.yes {
        text.push_str(&out.hint("nothing was written; add --yes to write this change"));
    } else if changed {
        text.push_str(&out.hint(UNDO));
        text.push_str(
            &out.hint("takes effect when the client restarts; run `staleness scan` then"),
        );
    }
    out.text(&text)
}

/// Returns the unused entries of a server, one for each client that loads the server.
fn named<'a>(
    settings: &Settings,
    registry: &Registry,
    costs: &'a Costs,
    name: &str,
) -> Result<Vec<&'a ToolCost>, CliError> {
    let all =
        || costs.unused.iter().chain(&costs.others).filter(|each| each.kind != ToolKind::McpTool);
    let is_exact = |each: &&ToolCost| each.key.name == name || each.server.as_deref() == Some(name);
    let key = ServerKey::of(name);
    let is_alike =
        |each: &&ToolCost| key.is_some() && each.server.as_deref().and_then(ServerKey::of) == key;
    let mut found: Vec<&ToolCost> = all().filter(is_exact).collect();
    if found.is_empty() {
        found = all().filter(is_alike).collect();
    }
    let Some(first) = found.first() else {
        let is_off = find(registry, settings, name, ScopeChoice::Either).is_ok_and(|key| {
            let shown = registry.tools().show(&settings.project, &[key], settings.now).wait();
            shown.is_ok_and(|tool| tool.is_off())
        });
        if is_off {
            let message = format!("{} is already switched off", quoted(name));
            return Err(CliError::new(ErrorKind::Unknown, message));
        }
        let message = format!("no client loads a server named {}", quoted(name));
        return Err(CliError::new(ErrorKind::Unknown, message)
            .hint("see `staleness tools matrix`, or run `staleness scan` first"));
    };
    let why = not_unused(settings, &found, first);
    found.retain(|each| each.unused);
    if !found.is_empty() {
        return Ok(found);
    }
    Err(CliError::invalid(format!("{} {why}", quoted(name)))
        .hint("nothing was changed; you can still switch it off in the client"))
}

/// Returns the reason why a server is not unused, given its entries.
fn not_unused(settings: &Settings, found: &[&ToolCost], first: &ToolCost) -> String {
    let idle = found.iter().filter(|each| !each.unused && each.idle_days.is_some());
    let Some(least) = idle.min_by_key(|each| (!each.kept, each.idle_days)) else {
        return format!("may be used: no use by {} is recorded", first.client);
    };
    if least.kept {
        return "is pinned, ignored or this program's own".to_owned();
    }
    let days = least.idle_days.unwrap_or_default();
    let since = least.last_used_at.map(|at| ago(settings.now, at));
    if let (Some(since), 0) = (&since, days) {
        return format!("is in use: {since}");
    }
    let used = since.map_or_else(|| "never used".to_owned(), |since| format!("used {since}"));
    let days = counted(usize::try_from(days).unwrap_or_default(), "day", "days");
    format!(
        "was {used}, but {} worked on only {days} since; lower the limit with `--days N`",
        least.client
    )
}

/// Plans the change of one file. Errors if the client rejects the file as it is, because the change would have no
/// effect.
fn planned_for(
    settings: &Settings,
    path: PathBuf,
    source: &SourceId,
    switches: Vec<Switch>,
) -> Result<Planned, CliError> {
    let home = settings.home.canonicalize().unwrap_or_else(|_| settings.home.clone());
    let (level, root) = match source.level {
        ids::Level::Project => (Level::Project, settings.place.folder.clone()),
        _ if path.starts_with(&home) => (Level::User, home),
        _ => (Level::User, outer(&path)),
    };
    let part = Part::Switches(Switches(switches));
    let planned = plan(Verb::Switch, Target { path, part, root }, level)?;
    let before = planned.change.before.as_deref();
    match before.and_then(|text| refusal(&source.client, &planned.target.path, text)) {
        None => Ok(planned),
        Some(why) => Err(CliError::invalid(why).hint("fix it first; nothing was changed")),
    }
}
