//! `resume_session`: returns the changes since an agent's last session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use staleness::Timestamp;
use staleness::ids::{AgentId, ClientId, ToolName, WorkId};
use staleness::journal::Revision;
use staleness::report::{
    Delta, DeltaItem, DeltaSource, DeltaSubject, HealthState, NetChange, Redefined,
};
use staleness::verdict::Level;
use staleness::work::{self, Warning, WorkKind, WorkStatus};
use staleness_service::ServiceError;
use staleness_service::briefing::{Briefing, CHANGED, UNANSWERED, WITHHELD, mark};
use staleness_service::model_text::{
    ModelName, ModelText, NameKind, called_by, cause, counts, ended, failing, is_plain, overdue,
    redefined, state, summary,
};
use staleness_service::sessions::{Asked, agent as agent_named, resume, told};
use staleness_service::settings::Settings;
use staleness_service::work::is_addressed;

use super::overdue::{given_up, settled_by};
use crate::answer::{Answer, Rows};
use crate::call::Call;
use crate::spec::{About, Effect, Spec};
use crate::text::{Quoted, Text, audience};

/// Maximum number of failing tools, and of changed tools, in one answer.
const MOST_FAILING: usize = 5;

pub(super) fn specs() -> Vec<Spec> {
    vec![
        Spec::new(
            About {
                name: "resume_session",
                title: "What changed since last time",
                search_hint: "start of a session: open work, handoffs, changes, overdue",
                description: "Call first in a session. Returns what changed since your last call \
                              (work, handoffs, decisions, knowledge, tools), and what is overdue.",
                effect: Effect::Adds,
                next: "omit `since` to continue after your last call",
            },
            run,
        )
        .always_loaded(),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ResumeSession {
    /// Your name; default: the client's
    agent: Option<String>,
    /// Start: a session id, or a time such as 2026-11-20 or -3d
    since: Option<String>,
    /// List what is open, not changes
    digest: Option<bool>,
    /// Repeat these changes next time
    peek: Option<bool>,
    /// Next page, from the last answer
    page: Option<String>,
}

/// A later page of an answer.
#[derive(Clone, Copy, Debug)]
struct Page {
    /// The [`mark`] of the page's first change. Earlier changes may be gone by the time the page is read.
    from: u32,
    /// The last revision of the report.
    upto: Revision,
}

/// Parses a page token `FROM@UPTO`.
fn page(text: Option<&str>) -> Result<Option<Page>, ServiceError> {
    let read = |text: &str| {
        let (from, upto) = text.split_once('@')?;
        let from = u32::from_str_radix(from, 16).ok()?;
        Some(Page { from, upto: Revision(upto.parse().ok()?) })
    };
    let wrong = || {
        ServiceError::invalid("`page` must come from an earlier answer")
            .hint("leave it out to start over")
    };
    text.map(|text| read(text).ok_or_else(wrong)).transpose()
}

fn run(call: &Call<'_>, asked: ResumeSession) -> Result<Answer<Resumed>, ServiceError> {
    let agent = match (&asked.agent, &call.agent) {
        (Some(name), _) => name.clone(),
        (None, Some(client)) => client.to_string(),
        (None, None) => {
            return Err(ServiceError::invalid("the client sent no valid name")
                .hint("give your name in `agent`"));
        }
    };
    let settings = &call.settings;
    let page = page(asked.page.as_deref())?;
    let asked = Asked {
        agent: &agent,
        session: None,
        since: asked.since.as_deref(),
        digest: asked.digest.unwrap_or(false),
        peek: asked.peek.unwrap_or(false),
    };
    let mut told_now = resume(settings, asked)?;
    // Changes made after the first page are left for a later call.
    if let Some(page) = page {
        told_now.delta.upto = told_now.delta.upto.min(page.upto);
    }
    let briefing = told_now.briefing(settings)?;
    let of = agent_named(settings, &agent)?;
    // The agent of an unknown client may use any name.
    let reader = settings.agent.as_ref().filter(|_| settings.client.is_some()).unwrap_or(&of);
    if *reader != of {
        // The reader asks about another agent. Being that agent's own, or the end of its claim, means nothing to the
        // reader.
        for item in &mut told_now.delta.items {
            (item.own, item.claim_end) = (false, None);
        }
    }
    let (mut answer, whole) = render(settings, &told_now.delta, reader.as_str(), page, &briefing);
    // The cursor moves only if everything was delivered. Otherwise the rest is reported again.
    let whole = whole && briefing.doubts.whole;
    let lock = briefing.doubts.lock.filter(|_| page.is_none() && told_now.delta.moves);
    let settings = settings.clone();
    answer.delivered = Some(Box::new(move || {
        if whole {
            drop(told(&settings, &told_now));
        }
        if let Some(lock) = lock {
            lock.told(&settings);
        }
    }));
    Ok(answer)
}

#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum News<'a> {
    Tool(&'a NetChange),
    Item(&'a DeltaItem),
}

#[derive(Serialize, JsonSchema)]
struct Overdue {
    id: String,
    #[schemars(with = "String")]
    kind: WorkKind,
    #[schemars(schema_with = "super::verdict::levels")]
    level: Level,
    text: String,
    age_days: i64,
    reason: String,
    next: &'static str,
}

/// News for a returning agent.
#[derive(Serialize, JsonSchema)]
struct Resumed {
    r#for: String,
    since_session: Option<String>,
    #[schemars(with = "String")]
    source: DeltaSource,
    summary: String,
    #[schemars(with = "Map<String, Value>")]
    counts: Map<String, Value>,
    #[schemars(with = "Option<String>")]
    pruned_until: Option<Timestamp>,
    warnings: Vec<Overdue>,
    overdue: usize,
    #[schemars(with = "Vec<Map<String, Value>>")]
    failing: Vec<Value>,
    more_failing: usize,
    doubted: Vec<String>,
    #[schemars(with = "Vec<Map<String, Value>>")]
    redefined: Vec<Redefined>,
    more_redefined: usize,
    unanswered: Vec<String>,
    #[schemars(with = "Vec<Map<String, Value>>")]
    tools: Vec<NetChange>,
    #[schemars(with = "Vec<Map<String, Value>>")]
    items: Vec<DeltaItem>,
    more: usize,
    page: Option<String>,
}

impl News<'_> {
    fn mark(&self) -> u32 {
        match self {
            Self::Tool(each) => mark("tool", each.name.as_str()),
            Self::Item(each) => mark(each.subject.kind(), &each.subject.name()),
        }
    }

    fn line(&self, client: Option<&ClientId>, agent: &str) -> Text {
        match self {
            Self::Tool(each) => {
                let name = ModelName::tool(client, each.name.as_str());
                let text = Text::new("- tool ").and(name).and(" → ");
                text.and(each.to.as_str()).and(": ").and(cause(&each.cause))
            }
            Self::Item(each) => {
                let of = &each.subject;
                let name = match of.work_kind() {
                    None => ModelName::path(NameKind::Knowledge, of.id()),
                    Some(_) => ModelName::new(NameKind::Work, &of.name()),
                };
                let text = Text::new("- ").and(of.kind()).and(" ").and(name).and(" (");
                let about = Text::join(about(each, agent), ", ");
                text.and(about).and("): ").and(Quoted(&each.text))
            }
        }
    }
}

/// Returns `word` and an agent's name, or "another agent" if the name may not be shown.
fn named(word: &'static str, name: &str) -> Text {
    let shown = ModelName::new(NameKind::Agent, name);
    match shown.is_shown() {
        true => Text::new(word).and(" ").and(shown),
        false => Text::new(word).and(" another agent"),
    }
}

/// Describes an overdue item. For a handoff, includes the receiver and the sender.
fn overdue_item(each: &Warning, agent: &str) -> Text {
    let text = Text::new("- overdue ").and(each.kind.as_str()).and(" ");
    let mut text = text.and(ModelName::new(NameKind::Work, &each.key.to_string()));
    if each.kind == WorkKind::Handoff {
        match each.to.as_deref() {
            Some(to) if to == agent => text = text.and(" for you"),
            Some(to) => text = text.and(" ").and(named("for", to)),
            None => {}
        }
        if let Some(from) = each.from.as_deref().filter(|from| *from != agent) {
            text = text.and(" ").and(named("from", from));
        }
    }
    let text = text.and(": ");
    if each.text.is_empty() { text } else { text.and(Quoted(&each.text)).and(", ") }
}

/// Describes an item: its change, its current state, its receiver and sender.
fn about(each: &DeltaItem, agent: &str) -> Vec<Text> {
    let ended = ended(each, agent);
    let action = each.action.map(|action| action.as_str());
    let is_added = action == Some("added");
    // The reason why an item no longer applies is more informative than the last action.
    let action = action.filter(|_| is_added || ended.is_none());
    let over = each.status.filter(|status| !status.is_open()).map(|status| status.as_str());
    let to = each.to.map(|to| to.as_str()).or(over).filter(|_| !is_added || each.tells_state());
    let to = to.and_then(state);
    // An action is left out if the state or the holder implies it.
    let is_said = |action: &&str| match *action {
        "moved" => to.is_some(),
        "claimed" => each.claim.is_some(),
        action => to == Some(action),
    };
    let said = action.filter(|action| !is_said(action));
    let mut parts: Vec<Text> = said.map(Text::new).into_iter().collect();
    let has_ended = ended.is_some();
    parts.extend(ended.map(Text::new));
    if let Some(to) = to {
        let is_plain = parts.is_empty() || is_added && !each.has_ended();
        parts.push(Text::new(if is_plain { "" } else { "now " }).and(to));
    }
    if let Some(id) = each.waits_for.as_ref().filter(|_| !each.has_ended()) {
        let name = ModelName::new(NameKind::Work, id.as_str());
        parts.push(Text::new("waits for ").and(name));
    } else if each.freed {
        parts.push(Text::new("no longer waits for anything"));
    }
    match each.recipient.as_deref() {
        Some(name) if name == agent => {
            let is_free = each.status == Some(WorkStatus::Open) && each.claim.is_none();
            parts.push(Text::new(if is_free {
                "for you: work_item claim takes it"
            } else {
                "for you"
            }));
        }
        Some(name) => parts.push(named("for", name)),
        None if each.subject.work_kind() == Some(WorkKind::Handoff)
            && each.status == Some(WorkStatus::Open)
            && each.claim.is_none() =>
        {
            parts.push(Text::new("for whoever takes it"));
        }
        None => {}
    }
    if let Some(claim) = &each.claim {
        parts.push(named("claimed by", claim.agent.as_str()).and(" until ").and(claim.until));
    }
    if let Some(end) = &each.claim_end {
        let how = if end.taken_over { "taken over by" } else { "ended by" };
        let by = end.by.as_ref().map(|by| named(how, by.as_str()));
        let by = by.unwrap_or_else(|| Text::new("ended by a person"));
        let text = Text::new("your claim was ").and(by).and(" at ").and(end.at);
        parts.push(text.and(": stop working on it or ask the user"));
    }
    let actor = each.actor.as_ref().map(AgentId::as_str);
    let holder = each.claim.as_ref().map(|claim| claim.agent.as_str());
    let is_named = |name: &str| holder == Some(name) && action == Some("claimed");
    let other = actor.filter(|name| *name != agent && !each.is_taken_by(name) && !is_named(name));
    if let Some(name) = other.or_else(|| each.rule_of_other(agent).filter(|_| actor != Some(agent)))
    {
        parts.push(named(
            if other.is_some() && is_added && !each.has_ended() {
                "since changed by"
            } else {
                "by"
            },
            name,
        ));
    }
    match each.sender.as_deref() {
        Some(name) if name != agent => parts.push(named("from", name)),
        _ if actor == Some(agent) || each.own && each.action.is_some() && !has_ended => {
            parts.push(Text::new("by this agent"));
        }
        _ => {}
    }
    parts
}

/// Returns the name by which a client's model calls a tool.
fn called(client: Option<&ClientId>, tool: &ToolName) -> ToolName {
    ToolName::new(called_by(client, tool.as_str())).unwrap_or_else(|_| tool.clone())
}

/// Returns the answer, or a later page of it, and true if it contains the last change.
fn render(
    settings: &Settings,
    delta: &Delta,
    agent: &str,
    page: Option<Page>,
    briefing: &Briefing,
) -> (Answer<Resumed>, bool) {
    let client = settings.client.as_ref();
    let warnings = Rows::fit(&delta.warnings, Delta::TOP_WARNINGS, |each| {
        let is_others =
            is_addressed(each.from.as_deref(), each.to.as_deref(), agent) == Some(false);
        let is_strangers = is_others && each.from.as_deref() != Some(agent);
        let next = match each.flag.overdue {
            _ if is_strangers && each.to.is_some() => "leave it to its agents, or ask the user",
            work::Overdue::Abandoned => given_up(is_others),
            overdue => {
                let is_expired = overdue == work::Overdue::Expired;
                settled_by(each.kind, is_expired, is_others, each.by_person)
            }
        };
        let row = Overdue {
            id: each.key.to_string(),
            kind: each.kind,
            level: each.level,
            text: each.text.clone(),
            age_days: each.flag.age_days,
            reason: each.reason(),
            next,
        };
        (row, overdue_item(each, agent).and(overdue(each)).and(". Next: ").and(next))
    });
    let failing = Rows::fit(&delta.failing, MOST_FAILING, |each| {
        let is_news = each.is_news || delta.source == DeltaSource::Digest;
        let fails = match each.health {
            HealthState::Demoted => ", ask the user before you call it: ",
            HealthState::DemotedByAgent => ", avoid it: ",
            HealthState::Probation => " failed, may be tried again: ",
            _ if is_news => " fails: ",
            _ => " still fails: ",
        };
        let name = ModelName::tool(client, each.name.as_str());
        let text = Text::new("- tool ").and(name).and(fails);
        let name = called(client, &each.name);
        let row = json!({ "name": name, "cause": each.reason(), "is_news": each.is_news });
        (row, text.and(failing(each)))
    });
    let changed = Rows::fit(&delta.redefined, MOST_FAILING, |each| {
        let title = if each.withheld { WITHHELD } else { CHANGED };
        let text = Text::new("- ").and(title).and(": ");
        let mut row = Redefined { name: called(client, &each.name), ..each.clone() };
        for difference in &mut row.differences {
            difference.name.take_if(|name| !is_plain(name));
        }
        (row, text.and(redefined(client, each)))
    });
    let unanswered = Rows::fit(&delta.unanswered, MOST_FAILING, |each| {
        let text = Text::new("- ").and(UNANSWERED).and(": ");
        let text = text.and(ModelName::tool(client, each.as_str()));
        (called_by(client, each.as_str()), text)
    });
    // A hook reports these at the start of a session. Only the first page repeats them.
    let doubts = &briefing.doubts;
    let lock = doubts.lock.as_ref().map(|lock| &lock.text);
    let doubted = lock.into_iter().chain(&doubts.documents).filter(|_| page.is_none());
    let doubted: Vec<&ModelText> = doubted.collect();
    let doubted = Rows::fit(&doubted, doubted.len(), |each| {
        (each.to_string(), Text::default().and(ModelText::clone(each)))
    });
    let [items, standing] = briefing.items(delta, &delta.warnings[..warnings.items.len()]);
    let tools = delta.tools.iter().map(News::Tool);
    let mut all: Vec<News<'_>> = tools.chain(items.into_iter().map(News::Item)).collect();
    let changes = all.len();
    let mut open = delta.clone();
    if delta.source == DeltaSource::Digest {
        open.items.extend(standing.iter().copied().cloned());
    }
    // Items in force are reported at each start, so they may be cut.
    all.extend(standing.into_iter().map(News::Item));
    let begin = page.and_then(|page| all.iter().position(|each| each.mark() == page.from));
    let before = begin.unwrap_or(0);
    // Overdue work and failing tools come first, because they are short and matter most.
    let first = [warnings.bytes, failing.bytes, changed.bytes, unanswered.bytes, doubted.bytes];
    let taken = first.iter().fold((0, 0), |sum, each| (sum.0 + each.0, sum.1 + each.1));
    let news = Rows::fit_beside(taken, &all[before..], all.len(), |each| {
        (*each, each.line(client, agent))
    });
    let next = before + news.items.len();
    let whole = next >= changes;
    let page = all.get(next).map(|next| format!("{:08x}@{}", next.mark(), delta.upto));
    let mut text = match delta.source {
        DeltaSource::Digest if open.items.is_empty() && open.tools.is_empty() => {
            Text::new("Open: nothing")
        }
        DeltaSource::Digest => Text::new("Open: ").and(summary(&open)),
        _ => Text::new(summary(&open)),
    };
    if delta.more > 0 {
        text = text.and("; work_item with action list shows all");
    }
    if delta.pruned_until.is_some() {
        text = text.and("\nolder changes were pruned, so some may be missing here");
    }
    let how = || Text::new("list_stale lists all");
    let first = [
        changed.text(Text::default(), how()),
        warnings.text(Text::default(), how()),
        failing.text(Text::default(), how()),
        unanswered.text(Text::default(), how()),
        doubted.text(Text::default(), how()),
    ];
    for rows in first {
        if !rows.is_empty() {
            text = text.and("\n").and(rows);
        }
    }
    if !news.lines.is_empty() {
        let how = Text::new("call resume_session with page ");
        let how = page.iter().fold(how, |how, page| how.and(Quoted(page)));
        text = text.and("\n").and(news.text(Text::default(), how));
    }
    let (mut tools, mut items) = (Vec::new(), Vec::new());
    for each in news.items {
        match each {
            News::Tool(each) => {
                tools.push(NetChange { name: called(client, &each.name), ..each.clone() });
            }
            News::Item(each) => {
                let mut each = each.clone();
                if let DeltaSubject::Work(_, key) = &mut each.subject {
                    key.id = WorkId::new(key.to_string()).unwrap_or_else(|_| key.id.clone());
                }
                items.push(each);
            }
        }
    }
    let data = Resumed {
        r#for: settings.audience().to_owned(),
        since_session: delta.since_session.clone().map(Into::into),
        source: delta.source,
        summary: summary(&open).to_string(),
        counts: counts(&open),
        pruned_until: delta.pruned_until,
        warnings: warnings.items,
        overdue: delta.overdue,
        failing: failing.items,
        more_failing: failing.more,
        doubted: doubted.items,
        redefined: changed.items,
        more_redefined: changed.more,
        unanswered: unanswered.items,
        tools,
        items,
        more: news.more + delta.more,
        page,
    };
    (Answer::new(text.and(audience(settings)), data), whole)
}
