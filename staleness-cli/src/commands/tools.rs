//! `tools`: lists, shows, ranks and suggests tools, and records decisions about them.

use serde::Serialize;
use serde_json::json;
use staleness::ids::{SessionId, ToolKey, ToolName};
use staleness::registry::{Act, ByHand, FindTools, FoundTools, ScopeChoice, ToolListing};
use staleness::report::{HealthState, StatusWord, ToolReport};
use staleness::tool::{Hold, ToolKind};
use staleness::{Registry, Wait};
use staleness_core::report::{HistoryEntry, ToolCost};
use staleness_core::search::Question;

use staleness_service::costs::costs;
use staleness_service::embedder::{self, Answer};
use staleness_service::links::are_of_both_scopes;
use staleness_service::tools::{NamedTool, Unused, did_you_mean, find, fold_into_servers, resolve};
use staleness_service::{suggested, work};
use staleness_sources::clients::NAMES;

use super::definitions::{self, Told};
use super::routes::vector;
use crate::args::routes_args::VectorArgs;
use crate::args::tools_args::{HoldArgs, ListArgs, ScopeArg, ToolsCommand};
use crate::error::{CliError, ErrorKind, quoted};
use crate::output::tools::Matrix;
use crate::output::{Cell, Output, Paint, escape, tools};
use crate::settings::{Access, Settings};
use staleness_service::words::{optional, word};

pub(crate) fn run(
    settings: &Settings,
    command: Option<&ToolsCommand>,
    bare: &ListArgs,
    out: &Output,
) -> Result<(), CliError> {
    match command {
        None => list(settings, bare, out),
        Some(ToolsCommand::List(args)) => list(settings, args, out),
        Some(ToolsCommand::Matrix) => matrix(settings, out),
        Some(ToolsCommand::Unused(args)) => super::unused::run(settings, args, out),
        Some(ToolsCommand::Show { name, scope }) => {
            let registry = settings.open(Access::Look)?;
            let key = match resolve(&registry, settings, name, choice(scope.scope))? {
                NamedTool::Known(key) => key,
                NamedTool::Unused(unused) => return not_used_yet(settings, &unused, out),
            };
            let definition = definitions::of_tool(&registry, settings, &key)?;
            let definition = definition.filter(|row| row.pending.is_some());
            let report = registry.tools().show(&settings.project, &[key], settings.now).wait()?;
            let near = did_you_mean(&registry, settings, &report);
            let costs = costs(settings, &registry, None)?;
            if out.json {
                let r#for = settings.audience();
                let definition = definition.as_ref().map(|row| Told::new(row).for_caller(settings));
                let costs = costs.of(&report.key).collect();
                return out.json(&ToolOutput {
                    r#for,
                    tool: &report,
                    costs,
                    definition,
                    did_you_mean: near,
                });
            }
            let own = of_server(&registry, settings, &report)?;
            let near = tools::did_you_mean(near.as_deref());
            let waits = definition.as_ref().map(definitions::pending).unwrap_or_default();
            let waits = out.row("definition", 12, &waits);
            let cost = costs.of(&report.key).map(super::unused::cost).collect::<Vec<_>>();
            let cost = out.row("cost", 12, &cost.join("; "));
            let shown = tools::show(&report, &own, out) + &cost + &waits;
            out.text(&(shown + &near + &audience(settings, out)))
        }
        Some(ToolsCommand::Rank { limit }) => {
            let registry = settings.open(Access::Look)?;
            let ranked = registry.tools().rank(&settings.project, *limit, settings.now).wait()?;
            if out.json {
                return out.json(&json!({ "for": settings.audience(), "tools": ranked }));
            }
            let ranked = tools::ranked(&ranked, settings.now, out);
            out.text(&(ranked + &audience(settings, out)))
        }
        Some(ToolsCommand::Suggest { query, session, limit, vector, explain }) => {
            query.as_deref().map_or(Ok(()), says_something)?;
            let session = optional::<SessionId>("session", session.as_ref())?;
            let registry = settings.open(Access::Look)?;
            let (vector, note) = meant(settings, &registry, query.as_deref(), vector)?;
            let wanted =
                FindTools { query: query.clone(), vector, session: session.clone(), limit: *limit };
            let found = registry.tools().suggest(&settings.project, wanted, settings.now).wait()?;
            let none = "no active tool fits; `staleness tools discover` searches all of them\n";
            tell(settings, &found, note, *explain, none, out)?;
            // The suggestion has already been shown, so a failure to record it does not matter.
            if let Some(session) = session
                && let Err(error) =
                    suggested::note(settings, &session, query.as_deref(), &found.tools)
            {
                out.note(&error.render(false));
            }
            Ok(())
        }
        Some(ToolsCommand::Discover { query, limit, vector, explain }) => {
            says_something(query)?;
            let registry = settings.open(Access::Look)?;
            let (vector, note) = meant(settings, &registry, Some(query), vector)?;
            let wanted = FindTools { vector, ..FindTools::by_words(query, *limit) };
            let found =
                registry.tools().discover(&settings.project, wanted, settings.now).wait()?;
            tell(settings, &found, note, *explain, "no tool matches\n", out)
        }
        Some(ToolsCommand::History { name, limit, scope }) => {
            history(settings, name, *limit, choice(scope.scope), out)
        }
        Some(ToolsCommand::Diff { name, scope }) => {
            definitions::diff(settings, name, choice(scope.scope), out)
        }
        Some(ToolsCommand::Accept { dry_run, seen, hold }) => {
            check_reason(hold.reason.as_deref())?;
            definitions::accept(settings, hold, seen.clone(), *dry_run, out)
        }
        Some(ToolsCommand::Restore(args)) => hold(settings, args, Hold::None, out),
        Some(ToolsCommand::Demote(args)) => hold(settings, args, Hold::Demoted, out),
        Some(ToolsCommand::Pin(args)) => hold(settings, args, Hold::Pinned, out),
        Some(ToolsCommand::Ignore(args)) => hold(settings, args, Hold::Ignored, out),
        Some(ToolsCommand::Forget { name, scope, yes }) => {
            forget(settings, name, choice(scope.scope), *yes, out)
        }
    }
}

/// Returns a line that names the client to which the answer applies. Warns if the agent belongs to no known client.
pub(super) fn audience(settings: &Settings, out: &Output) -> String {
    if let (None, Some(agent)) = (&settings.client, &settings.agent)
        && !settings.knows_agent(agent.as_str())
    {
        let (name, known) = (quoted(agent.as_str()), NAMES.join(", "));
        out.warn(&format!(
            "warning: no client is called {name}, so tools are judged for any client; clients: {known}"
        ));
    }
    let how = if settings.client.is_some() { "" } else { " (`--agent codex` answers for one)" };
    out.hint(&format!("for {}{how}", settings.audience()))
}

/// A tool, or an invented name with the most similar tool.
#[derive(Serialize)]
struct ToolOutput<'a> {
    r#for: &'a str,
    #[serde(flatten)]
    tool: &'a ToolReport,
    /// The cost in a session of each client that loads the tool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    costs: Vec<&'a ToolCost>,
    /// The definition, if it is new or changed and waits for a person's decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<Told<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    did_you_mean: Option<String>,
}

/// Prints the available information about an unused tool.
fn not_used_yet(settings: &Settings, unused: &Unused, out: &Output) -> Result<(), CliError> {
    if out.json {
        return out.json(&unused.data(settings, None));
    }
    let name = escape(unused.name.as_str());
    let reason = escape(&unused.reason()).into_owned();
    let text = format!("{}  not used yet: {reason}\n", out.paint.bold(&name));
    out.text(&(text + &audience(settings, out)))
}

/// Rejects a query without words, which would match everything or nothing.
fn says_something(query: &str) -> Result<(), CliError> {
    Question::new(query)
        .map(drop)
        .map_err(|why| CliError::invalid(why.to_string()).hint("describe what the tool should do"))
}

/// Returns the query's vector, and a note if a model failed and only words are used. Returns an error if the given
/// file contains no vector.
fn meant(
    settings: &Settings,
    registry: &Registry,
    query: Option<&str>,
    args: &VectorArgs,
) -> Result<(Option<Answer>, Option<String>), CliError> {
    match vector::named(settings, registry, args)? {
        Some(named) => Ok((Some(named), None)),
        None => Ok(embedder::for_search(settings, registry, query)?),
    }
}

fn tell(
    settings: &Settings,
    found: &FoundTools,
    note: Option<String>,
    explain: bool,
    none: &str,
    out: &Output,
) -> Result<(), CliError> {
    let note = note.or_else(|| found.note.clone());
    if out.json {
        return out.json(&match note {
            Some(note) => json!({ "for": settings.audience(), "tools": found.tools, "note": note }),
            None => json!({ "for": settings.audience(), "tools": found.tools }),
        });
    }
    let mut text = tools::suggestions(&found.tools, explain, out);
    if text.is_empty() {
        text.push_str(none);
    }
    if let Some(note) = note {
        text.push_str(&out.hint(&escape(&note)));
    }
    text.push_str(&audience(settings, out));
    out.text(&text)
}

pub(crate) const fn choice(scope: Option<ScopeArg>) -> ScopeChoice {
    match scope {
        None => ScopeChoice::Either,
        Some(ScopeArg::Global) => ScopeChoice::Global,
        Some(ScopeArg::Project) => ScopeChoice::Project,
    }
}

fn list(settings: &Settings, args: &ListArgs, out: &Output) -> Result<(), CliError> {
    let listing = ToolListing {
        status: word(args.status.as_deref(), "status", StatusWord::from_word, || {
            StatusWord::ALL.map(StatusWord::as_str).join(", ")
        })?,
        kind: word(args.kind.as_deref(), "kind", ToolKind::from_word, || {
            ToolKind::ALL.map(ToolKind::as_str).join(", ")
        })?,
        all_projects: args.all_projects,
        invented: true,
        ..ToolListing::default()
    };
    let registry = settings.open(Access::Look)?;
    let all = registry.tools().list(&settings.project, listing, settings.now).wait()?;
    let (invented, mut listed): (Vec<_>, Vec<_>) =
        all.into_iter().partition(ToolReport::is_invented);
    if out.json {
        let whom = settings.audience();
        return out.json(&json!({ "for": whom, "tools": listed, "invented": invented }));
    }
    fold_into_servers(&mut listed);
    let mut text = tools::list(&listed, settings.now, out);
    if listed.is_empty() && !out.quiet {
        let filtered = args.status.is_some() || args.kind.is_some();
        text.push_str(if filtered {
            "no tool has that status and kind\n"
        } else {
            "no tools yet; run `staleness scan`\n"
        });
    }
    text.push_str(&tools::invented(&invented, out));
    text.push_str(&audience(settings, out));
    out.text(&text)
}

fn matrix(settings: &Settings, out: &Output) -> Result<(), CliError> {
    let registry = settings.open(Access::Look)?;
    let listing = ToolListing { kind: Some(ToolKind::McpServer), ..ToolListing::default() };
    let servers = registry.tools().list(&settings.project, listing, settings.now).wait()?;
    if out.json {
        return out.json(&Matrix::document(servers));
    }
    if servers.is_empty() {
        let none = "no MCP servers yet; run `staleness scan`\n";
        return out.text(if out.quiet { "" } else { none });
    }
    let Matrix { clients, rows } = Matrix::new(servers);
    let head = ["server"].into_iter().chain(clients.iter().map(String::as_str));
    let head: Vec<Cell> = head.map(|name| (name.to_owned(), Some(Paint::dim as _))).collect();
    let rows = rows.into_iter().map(|(name, states)| {
        let states = states.into_iter();
        let cells = states.map(|word| (word.to_owned(), tools::paint_of_listing(word)));
        [(name, Some(Paint::bold as _))].into_iter().chain(cells).collect()
    });
    out.text(&out.table([head].into_iter().chain(rows)))
}

/// Returns the tools of a server. Empty for a tool of any other kind.
fn of_server(
    registry: &Registry,
    settings: &Settings,
    server: &ToolReport,
) -> Result<Vec<ToolReport>, CliError> {
    if server.kind != ToolKind::McpServer {
        return Ok(Vec::new());
    }
    let mut tools =
        registry.tools().list(&settings.project, ToolListing::default(), settings.now).wait()?;
    tools.retain(|tool| {
        tool.server == server.server
            && tool.key.scope == server.key.scope
            && tool.kind != ToolKind::McpServer
    });
    Ok(tools)
}

fn history(
    settings: &Settings,
    name: &str,
    limit: u32,
    scope: ScopeChoice,
    out: &Output,
) -> Result<(), CliError> {
    let registry = settings.open(Access::Look)?;
    let (keys, unknown) = match find(&registry, settings, name, scope) {
        Ok(key) => (scope.keys(&settings.project.id, &key.name), None),
        // A forgotten tool still has a history.
        Err(error) if error.kind == ErrorKind::Unknown => {
            let names = ToolName::spellings(name).into_iter();
            let keys = names.flat_map(|name| scope.keys(&settings.project.id, &name));
            (keys.collect(), Some(error))
        }
        Err(error) => return Err(error),
    };
    let history = registry.tools().history(&keys, limit).wait().map_err(CliError::from);
    let history = history.map_err(|error| match unknown {
        Some(unknown) if error.kind == ErrorKind::Unknown => unknown,
        _ => error,
    })?;
    if out.json {
        return out.json(&history);
    }
    let of_both = are_of_both_scopes(history.entries.iter().map(|entry| ("", entry)));
    let rows = history.entries.iter().map(|entry| history_row(entry, of_both));
    let mut text = out.details(rows);
    if let Some(until) = history.pruned_until {
        let told = format!("changes up to {until} were pruned, so some may be missing here\n");
        text.push_str(&out.paint.dim(&told));
    }
    out.text(&text)
}

/// Renders a change. Names the scope if changes in both scopes are shown.
fn history_row(entry: &HistoryEntry, of_both: bool) -> Vec<Cell> {
    let change = match (&entry.from, &entry.to) {
        (Some(from), Some(to)) if from == to => to.clone(),
        (Some(from), Some(to)) => format!("{from} → {to}"),
        (Some(from), None) => format!("{from} → gone"),
        (None, Some(to)) => to.clone(),
        (None, None) => String::new(),
    };
    let mut cells: Vec<Cell> = vec![
        (entry.at.to_string(), Some(Paint::dim)),
        (entry.action.as_str().into(), Some(Paint::bold)),
        (change, None),
    ];
    cells.extend(of_both.then(|| (entry.scope.word().into(), None)));
    cells.push((tools::cause(entry), None));
    cells
}

pub(super) fn by_hand(settings: &Settings, key: ToolKey, reason: Option<&str>) -> ByHand {
    let scope = match key.scope {
        staleness::ids::Scope::Global => ScopeChoice::Global,
        staleness::ids::Scope::Project(_) => ScopeChoice::Project,
    };
    let act = work::act(settings, settings.agent.clone());
    let act = Act { note: reason.map(ToOwned::to_owned), ..act };
    ByHand { act, name: key.name, scope, project: settings.project.clone() }
}

/// Rejects a command that would lift a person's decision, if an agent may be running it without giving its name.
fn may_end(settings: &Settings, registry: &Registry, key: &ToolKey) -> Result<(), CliError> {
    let keys = std::slice::from_ref(key);
    let told = registry.tools().show(&settings.project, keys, settings.now).wait()?;
    let is_held = |tool: &ToolReport| {
        tool.hold != Hold::None && tool.held_by.is_none()
            || tool.health.state == HealthState::Demoted
    };
    match is_held(&told) || of_server(registry, settings, &told)?.iter().any(is_held) {
        true => work::as_someone(settings),
        false => Ok(()),
    }
}

/// Rejects an agent's demotion of a tool that only other clients have.
fn is_own(settings: &Settings, registry: &Registry, key: &ToolKey) -> Result<(), CliError> {
    let keys = std::slice::from_ref(key);
    let told = registry.tools().show(&settings.project, keys, settings.now).wait()?;
    match told.presence.cause.is_foreign() {
        true => Err(CliError::invalid(format!("{} is not one of your client's tools", key.name))
            .hint("leave it to the agents that have it, or ask the user")),
        false => Ok(()),
    }
}

/// Maximum length of a reason, in characters.
const MAX_REASON: usize = 1_000;

fn check_reason(reason: Option<&str>) -> Result<Option<&str>, CliError> {
    let reason = reason.map(str::trim).filter(|text| !text.is_empty());
    if reason.is_some_and(|text| text.chars().count() > MAX_REASON) {
        return Err(CliError::invalid(format!(
            "the reason is longer than {MAX_REASON} characters"
        )));
    }
    Ok(reason)
}

fn hold(settings: &Settings, args: &HoldArgs, hold: Hold, out: &Output) -> Result<(), CliError> {
    let reason = check_reason(args.reason.as_deref())?;
    let registry = settings.open(Access::Write)?;
    let key = find(&registry, settings, &args.name, choice(args.scope.scope))?;
    match hold {
        Hold::None => may_end(settings, &registry, &key)?,
        Hold::Demoted | Hold::Pinned | Hold::Ignored => work::as_someone(settings)?,
    }
    if hold == Hold::Demoted && settings.agent.is_some() {
        is_own(settings, &registry, &key)?;
    }
    let report = registry.tools().set_hold(by_hand(settings, key, reason), hold).wait()?;
    out.done(&json!({ "tool": report }), || tools::show(&report, &[], out))
}

fn forget(
    settings: &Settings,
    name: &str,
    scope: ScopeChoice,
    yes: bool,
    out: &Output,
) -> Result<(), CliError> {
    let registry = settings.open(if yes { Access::Write } else { Access::Look })?;
    let key = find(&registry, settings, name, scope)?;
    if !yes {
        let message = format!("this deletes {} and its outcomes", key.name);
        return Err(CliError::invalid(message).hint("add --yes to confirm"));
    }
    if settings.may_be_agent() {
        return Err(CliError::invalid("an agent cannot delete a tool's records")
            .hint("ask the user to run this in a terminal outside the client"));
    }
    let name = key.name.to_string();
    registry.tools().forget(by_hand(settings, key, None)).wait()?;
    out.done(&json!({ "forgotten": name }), || format!("forgot {}\n", escape(&name)))
}
