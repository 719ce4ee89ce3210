//! `work set` and `work claim`.

use std::collections::BTreeSet;

use serde_json::json;
use staleness::Wait;
use staleness::registry::WorkPatch;
use staleness::work::Work;

use super::{act, find, print, state, told, warn_of_stranger};
use crate::args::work_args::{WorkClaimArgs, WorkSetArgs};
use crate::commands::tools::choice;
use crate::commands::typed;
use crate::error::{CliError, ErrorKind};
use crate::output::{Output, work};
use crate::settings::{Access, Settings};
use staleness_service::when;
use staleness_service::work::{self as service, Claiming, party};

/// The word that clears a field.
const NONE: &str = "none";

pub(super) fn set(settings: &Settings, args: &WorkSetArgs, out: &Output) -> Result<(), CliError> {
    let registry = settings.open(Access::Look)?;
    let item = find(&registry, settings, &args.id, choice(args.scope.scope))?;
    let status = args.status.as_deref().map(|text| state(Some(item.kind), text)).transpose()?;
    let time = |text: &str| match text {
        NONE => Ok(None),
        text => when::parse_for("--expires", text, settings.now).map(Some),
    };
    let patch = WorkPatch {
        status,
        by_person: args.text.as_deref().is_some_and(|text| typed::by_person(settings, text, &[])),
        text: args
            .text
            .as_deref()
            .map(|text| typed::text(text, Work::MAX_TEXT_BYTES))
            .transpose()?,
        expires_at: args.expires.as_deref().map(time).transpose()?,
        to: args
            .to
            .clone()
            .map(|to| Some(to).filter(|to| to != NONE).map(|to| party(settings, to))),
        refs: others(&args.refs)?,
        after: others(&args.after)?,
    };
    if patch == WorkPatch::default() {
        return Err(CliError::new(ErrorKind::Usage, "no change was given")
            .hint("see `staleness work set --help`"));
    }
    if item.by_person && patch.text.is_some() && !patch.by_person && !settings.may_be_agent() {
        let message = "sessions no longer quote it, and agents may change it; to prevent both, pass the new text as an argument in a terminal";
        out.warn(&format!("warning: the new text was not typed at a terminal, so {message}"));
    }
    let named = patch.to.is_some();
    let item = service::set(settings, item, patch, act(settings))?;
    let registry = settings.open(Access::Look)?;
    warn_of_stranger(settings, &registry, item.to.as_deref().filter(|_| named), out)?;
    print(&registry, settings, item, out)
}

/// Returns the ids of other items, or an empty set for the word that clears the field.
fn others(ids: &[String]) -> Result<Option<BTreeSet<String>>, CliError> {
    match ids {
        [] => Ok(None),
        [one] if one == NONE => Ok(Some(BTreeSet::new())),
        ids if ids.iter().any(|id| id == NONE) => {
            Err(CliError::invalid("`none` cannot be combined with other references")
                .hint("give `none` or ids"))
        }
        ids => Ok(Some(service::others(ids.iter().cloned()))),
    }
}

pub(super) fn claim(
    settings: &Settings,
    args: &WorkClaimArgs,
    out: &Output,
) -> Result<(), CliError> {
    let asked = Claiming {
        agent: settings.agent.as_ref(),
        session: args.session.as_deref(),
        otherwise: None,
        lasts: args.lasts.as_deref(),
    };
    let (item, is_renewed) = service::claim(settings, &args.id, choice(args.scope.scope), asked)?;
    let registry = settings.open(Access::Look)?;
    let waits_for = registry.work().waits_for(&settings.project.id, &item).wait()?;
    let told = told(&registry, settings, item)?;
    let renewed = if is_renewed { "  renewed: its session had claimed it before\n" } else { "" };
    out.done(&json!({ "item": told }), || {
        work::noted(&told, false, out) + renewed + &work::waits(&waits_for)
    })
}
