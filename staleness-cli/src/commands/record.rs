//! `record`: records one use of a tool, by hand or from a client without hooks.

use staleness::ids::{OpId, SessionId};
use staleness::outcome::OutcomeKind;
use staleness::registry::{RecordReport, Use};
use staleness::tool::Status;
use staleness::{Wait, clock};

use crate::args::RecordArgs;
use crate::error::CliError;
use crate::output::{Output, escape, tools};
use crate::settings::{Access, Settings};
use staleness_service::tools::{did_you_mean, reported};
use staleness_service::words::optional;

pub(crate) fn run(settings: &Settings, args: &RecordArgs, out: &Output) -> Result<(), CliError> {
    let outcome = if args.outcome.success {
        OutcomeKind::Success
    } else if args.outcome.failure {
        OutcomeKind::Failure
    } else {
        OutcomeKind::Interrupted
    };
    let op = optional::<OpId>("id", args.id.as_ref())?.unwrap_or_else(clock::fresh_op);
    let registry = settings.open(Access::Write)?;
    let tool = reported(&registry, settings, &args.name, args.new)?;
    let mut used = Use::new(op, tool, outcome, settings.now, settings.project.clone());
    used.session = optional::<SessionId>("session", args.session.as_ref())?;
    (used.agent, used.client) = (settings.agent.clone(), settings.client.clone());
    used.duration_ms = args.duration_ms;
    let report = registry.tools().record(used).wait()?;
    let near = || tools::did_you_mean(did_you_mean(&registry, settings, &report.tool).as_deref());
    out.done(&report, || render(&report, out) + &near())
}

fn render(report: &RecordReport, out: &Output) -> String {
    let name = escape(report.tool.key.name.as_str());
    let status = tools::paint_of(&report.tool)(out.paint, report.tool.status_word.as_str());
    let mut text = format!("{name} is {status}  {}\n", report.tool.outcomes);
    for change in &report.changed {
        let (from, to) = (change.from.as_str(), change.to.map_or("gone", Status::as_str));
        text.push_str(&format!("  {from} → {to}: {}\n", escape(&change.cause)));
    }
    if report.duplicate {
        text.push_str("  this use was already recorded; nothing changed\n");
    }
    if report.offline {
        text.push_str(
            "  most servers are failing at once, so this machine is treated as offline\n",
        );
    }
    text
}
