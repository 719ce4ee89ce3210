//! `resume_session`: what changed for an agent while it was away.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use staleness::journal::Revision;
use staleness::report::{Delta, DeltaItem, NetChange};
use staleness_service::ServiceError;
use staleness_service::model_text::{ModelName, NameKind, cause, counts, overdue, state};
use staleness_service::sessions::{Asked, resume, told};

use crate::answer::{Answer, Rows};
use crate::call::Call;
use crate::spec::{Effect, Spec};
use crate::text::{Quoted, Text};

/// Failing tools that one answer tells at most.
const MOST_FAILING: usize = 5;

pub(super) fn specs() -> Vec<Spec> {
    vec![Spec::new(
        "resume_session",
        "What changed here since you were told last: work, decisions, knowledge, tools, and what is \
         overdue. Call it first.",
        Effect::Adds,
        "leave `since` out to go on from where you were told last",
        run,
    )]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ResumeSession {
    /// Your name, if not the client's.
    agent: Option<String>,
    /// A session id or time such as -3d.
    since: Option<String>,
    /// What is open now, not what changed.
    digest: Option<bool>,
    /// Do not count it as told.
    peek: Option<bool>,
    /// As the last answer names it, to read on.
    page: Option<String>,
}

/// Where an answer goes on: so many news were told, of those up to a revision.
fn page(text: Option<&str>) -> Result<Option<(usize, u64)>, ServiceError> {
    let read = |text: &str| {
        let (told, upto) = text.split_once('@')?;
        Some((told.parse().ok()?, upto.parse().ok()?))
    };
    let wrong = || {
        ServiceError::invalid("`page` is none that an answer named")
            .hint("leave it out to begin anew")
    };
    text.map(|text| read(text).ok_or_else(wrong)).transpose()
}

fn run(call: &Call<'_>, asked: ResumeSession) -> Result<Answer, ServiceError> {
    let agent = match (&asked.agent, &call.agent) {
        (Some(name), _) => name.clone(),
        (None, Some(client)) => client.to_string(),
        (None, None) => {
            return Err(ServiceError::invalid("the client gave no name that could be used")
                .hint("name yourself in `agent`"));
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
    // What came since the first page is told another time.
    if let Some((_, upto)) = page {
        told_now.delta.upto = told_now.delta.upto.min(Revision(upto));
    }
    let (mut answer, whole) = render(&told_now.delta, page.map_or(0, |(told, _)| told));
    // What nobody read was not told, and neither was what found no room: it is told again.
    if whole {
        let settings = settings.clone();
        answer.delivered = Some(Box::new(move || drop(told(&settings, &told_now))));
    }
    Ok(answer)
}

/// Something that changed.
#[derive(Clone, Copy)]
enum News<'a> {
    Tool(&'a NetChange),
    Item(&'a DeltaItem),
}

impl News<'_> {
    fn row(&self) -> (Value, Text) {
        match self {
            Self::Tool(each) => {
                let value = serde_json::to_value(each).unwrap_or_default();
                let text = Text::new("- tool ").and(ModelName::tool(&each.name)).and(" → ");
                (value, text.and(each.to.as_str()).and(": ").and(cause(&each.cause)))
            }
            Self::Item(each) => {
                let value = serde_json::to_value(each).unwrap_or_default();
                let mut text = Text::new("- ").and(each.kind).and(" ").and(each.action).and(" ");
                text.push(match each.kind {
                    "knowledge" => ModelName::path(NameKind::Knowledge, &each.id),
                    _ => ModelName::new(NameKind::Work, &each.id),
                });
                if let Some(to) = each.to.as_deref().and_then(state) {
                    text = text.and(" → ").and(to);
                }
                text = text.and(": ").and(Quoted(&each.text));
                (value, text.and(if each.own { " (you)" } else { "" }))
            }
        }
    }
}

/// The answer that begins behind so many news, and whether it tells the last of them.
fn render(delta: &Delta, before: usize) -> (Answer, bool) {
    let warnings = Rows::fit(&delta.warnings, delta.warnings.len(), |each| {
        let value = json!({
            "id": each.id, "kind": each.kind, "level": each.level, "text": each.text,
            "age_days": each.age_days, "reason": each.reason,
        });
        let text = Text::new("- overdue ").and(each.kind.as_str()).and(" ");
        let text = text.and(ModelName::new(NameKind::Work, &each.id)).and(": ");
        (value, text.and(overdue(&each.reason)))
    });
    let failing = Rows::fit(&delta.failing, MOST_FAILING, |each| {
        let value = serde_json::to_value(each).unwrap_or_default();
        let text = Text::new("- tool ").and(ModelName::tool(&each.name)).and(" still fails: ");
        (value, text.and(cause(&each.cause)))
    });
    let tools = delta.tools.iter().map(News::Tool);
    let all: Vec<News<'_>> = tools.chain(delta.items.iter().map(News::Item)).collect();
    let before = before.min(all.len());
    // What is overdue and what fails takes its room first: it is short, and it matters most.
    let (overdue, fails) = (warnings.bytes(), failing.bytes());
    let taken = (overdue.0 + fails.0, overdue.1 + fails.1);
    let news = Rows::fit_beside(taken, &all[before..], all.len(), |each| each.row());
    let shown = &all[before..before + news.items.len()];
    let of = |wanted: fn(&News<'_>) -> bool| -> Vec<Value> {
        let both = shown.iter().zip(&news.items);
        both.filter(|(each, _)| wanted(each)).map(|(_, value)| value.clone()).collect()
    };
    let whole = news.more == 0;
    let next = before + news.items.len();
    let page = (!whole).then(|| format!("{next}@{}", delta.upto));
    let mut text = Text::new(counts(&delta.summary));
    if delta.pruned_until.is_some() {
        text = text.and("\nolder changes are no longer kept: some may be missing here");
    }
    for (rows, how) in [(&warnings, "list_stale tells all"), (&failing, "list_stale tells all")] {
        if !rows.lines.is_empty() {
            text = text.and("\n").and(rows.text(Text::default(), Text::new(how)));
        }
    }
    if !news.lines.is_empty() {
        let how = Text::new("call resume_session with page ").and(next).and("@");
        let how = how.and(delta.upto.0);
        text = text.and("\n").and(news.text(Text::default(), how));
    }
    let data = json!({
        "since_session": delta.since_session,
        "source": delta.source,
        "summary": delta.summary,
        "counts": delta.counts,
        "pruned_until": delta.pruned_until,
        "warnings": warnings.items,
        "overdue": delta.overdue,
        "failing": failing.items,
        "more_failing": failing.more,
        "tools": of(|each| matches!(each, News::Tool(_))),
        "items": of(|each| matches!(each, News::Item(_))),
        "more": news.more + delta.more,
        "page": page,
    });
    (Answer::new(text, super::verdict::without_nothing(data)), whole)
}
