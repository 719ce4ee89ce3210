//! `resume_session`: what changed for an agent while it was away.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use staleness::report::Delta;
use staleness_service::ServiceError;
use staleness_service::sessions::{Asked, resume, told};

use crate::answer::{Answer, Rows, line};
use crate::call::Call;
use crate::spec::{Effect, Spec};

/// Things that one answer tells at most.
const MOST: usize = 40;

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
    let asked = Asked {
        agent: &agent,
        session: None,
        since: asked.since.as_deref(),
        digest: asked.digest.unwrap_or(false),
        peek: asked.peek.unwrap_or(false),
    };
    let told_now = resume(settings, asked)?;
    let mut answer = render(&told_now.delta);
    // What nobody read was not told: it is told again.
    let settings = settings.clone();
    answer.delivered = Some(Box::new(move || drop(told(&settings, &told_now))));
    Ok(answer)
}

fn render(delta: &Delta) -> Answer {
    let items = Rows::fit(&delta.items, MOST, |each| {
        let value = serde_json::to_value(each).unwrap_or_default();
        let to = each.to.as_deref().map(|to| format!(" → {to}")).unwrap_or_default();
        let own = if each.own { " (you)" } else { "" };
        let (id, text) = (line(&each.id), line(&each.text));
        (value, format!("- {} {} {id}{to}: {text}{own}", each.kind, each.action))
    });
    let more = items.more + delta.more;
    let changed = Rows::fit(&delta.tools, MOST, |each| {
        let cause = line(&each.cause.replace('_', " "));
        let value = serde_json::to_value(each).unwrap_or_default();
        (value, format!("- tool {} → {}: {cause}", line(&each.name), each.to.as_str()))
    });
    let failing = Rows::fit(&delta.failing, 10, |each| {
        let value = serde_json::to_value(each).unwrap_or_default();
        (value, format!("- tool {} still fails: {}", line(&each.name), line(&each.cause)))
    });
    let warnings = Rows::fit(&delta.warnings, delta.warnings.len(), |each| {
        let value = json!({
            "id": each.id, "kind": each.kind, "level": each.level, "text": each.text,
            "age_days": each.age_days, "reason": each.reason,
        });
        (value, format!("- overdue {} {}: {}", each.kind, line(&each.id), line(&each.reason)))
    });
    let mut text = items.text(&delta.summary, "list them with work_item");
    for rows in [&changed, &failing, &warnings] {
        if !rows.lines.is_empty() {
            text.push('\n');
            text.push_str(&rows.text("", "list_stale tells all"));
        }
    }
    let data = json!({
        "since_session": delta.since_session,
        "source": delta.source,
        "summary": delta.summary,
        "counts": delta.counts,
        "items": items.items,
        "more": more,
        "tools": changed.items,
        "more_tools": changed.more,
        "failing": failing.items,
        "warnings": warnings.items,
        "overdue": delta.overdue,
    });
    Answer::new(text, super::verdict::without_nothing(data))
}
