//! `resume`: prints the changes since an agent was last here.

use serde::Serialize;
use staleness::Timestamp;
use staleness::report::{
    Delta, DeltaCounts, DeltaItem, DeltaSource, Failing, NetChange, Redefined,
};
use staleness_service::sessions::{Asked, resume, told};

use super::sessions::named_agent;
use super::stale::rows;
use crate::args::ResumeArgs;
use crate::error::CliError;
use crate::output::{Output, work};
use crate::settings::Settings;

/// The changes for an agent as JSON shows them.
#[derive(Serialize)]
struct Resumed<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    since_session: Option<&'a str>,
    source: DeltaSource,
    summary: &'a str,
    counts: DeltaCounts,
    items: &'a [DeltaItem],
    more: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pruned_until: Option<Timestamp>,
    warnings: Vec<work::Overdue<'a>>,
    overdue: usize,
    tools: &'a [NetChange],
    failing: &'a [Failing],
    redefined: &'a [Redefined],
    unanswered: &'a [String],
}

fn json<'a>(settings: &Settings, delta: &'a Delta) -> Resumed<'a> {
    Resumed {
        since_session: delta.since_session.as_deref(),
        source: delta.source,
        summary: &delta.summary,
        counts: delta.counts,
        items: &delta.items,
        more: delta.more,
        pruned_until: delta.pruned_until,
        warnings: rows(settings, &delta.warnings),
        overdue: delta.overdue,
        tools: &delta.tools,
        failing: &delta.failing,
        redefined: &delta.redefined,
        unanswered: &delta.unanswered,
    }
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
