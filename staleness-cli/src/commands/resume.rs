//! `resume`: prints the changes since an agent's last session.

use serde_json::{Map, Value, json};
use staleness::report::{Delta, Failing};
use staleness_service::model_text::{counts, summary};
use staleness_service::sessions::{Asked, resume, told};

use super::sessions::named_agent;
use super::stale::rows;
use crate::args::ResumeArgs;
use crate::error::CliError;
use crate::output::{Output, work};
use crate::settings::Settings;

/// Returns the changes for JSON output, with a summary, and with reasons and commands as sentences.
fn json(settings: &Settings, delta: &Delta) -> Map<String, Value> {
    let failing = |each: &Failing| {
        let cause = each.reason();
        json!({ "name": each.name, "cause": cause, "is_news": each.is_news })
    };
    let mut shown = Map::new();
    for (key, value) in json!(delta).as_object().into_iter().flatten() {
        if key == "items" {
            shown.insert("summary".into(), summary(delta).as_str().into());
            shown.insert("counts".into(), counts(delta).into());
        }
        let value = match key.as_str() {
            "warnings" => json!(rows(settings, &delta.warnings)),
            "failing" => delta.failing.iter().map(failing).collect(),
            _ => value.clone(),
        };
        shown.insert(key.clone(), value);
    }
    shown
}

pub(crate) fn run(settings: &Settings, args: &ResumeArgs, out: &Output) -> Result<(), CliError> {
    let asked = Asked {
        agent: named_agent(settings)?.as_str(),
        session: args.session.as_deref(),
        since: args.since.as_deref(),
        digest: args.digest,
        peek: args.peek,
    };
    let mut answer = resume(settings, asked)?;
    answer.delta.warnings.truncate(Delta::TOP_WARNINGS);
    let delivered = if out.json {
        out.deliver_json(&json(settings, &answer.delta))?
    } else {
        out.deliver(&work::delta(&answer.delta, settings.now, out))?
    };
    // Changes that were not delivered are reported again.
    if delivered {
        told(settings, &answer)?;
    }
    Ok(())
}
