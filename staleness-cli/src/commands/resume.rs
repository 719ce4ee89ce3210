//! `resume`: prints the changes since an agent was last here.

use staleness::report::Delta;
use staleness_service::sessions::{Asked, resume, told};

use super::sessions::named_agent;
use crate::args::ResumeArgs;
use crate::error::CliError;
use crate::output::{Output, work};
use crate::settings::Settings;

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
        out.deliver_json(&answer.delta)?
    } else {
        out.deliver(&work::delta(&answer.delta, settings.now, out))?
    };
    // Changes that were not delivered are reported again.
    if delivered {
        told(settings, &answer)?;
    }
    Ok(())
}
