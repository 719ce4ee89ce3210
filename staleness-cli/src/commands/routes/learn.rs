//! `routes learn`: records that a tool answered a query, or did not.

use serde_json::json;
use staleness::ids::OpId;
use staleness::registry::{Learn, ScopeChoice};
use staleness::report::RouteReport;
use staleness::{Wait, clock};
use staleness_service::tools::find;

use super::vector;
use crate::args::routes_args::LearnArgs;
use crate::error::{CliError, quoted};
use crate::output::{Output, escape};
use crate::settings::{Access, Settings};
use staleness_service::words::optional;

pub(super) fn run(settings: &Settings, args: &LearnArgs, out: &Output) -> Result<(), CliError> {
    let op = optional::<OpId>("id", args.id.as_ref())?.unwrap_or_else(clock::fresh_op);
    let signal = args.signal.trim().parse::<f64>().map_err(|_| {
        CliError::invalid(format!("the signal {} is not a number", quoted(&args.signal)))
            .hint("give a number from 0 to 1")
    })?;
    // The tool and the vector are checked first, so that no registry is created if one is wrong.
    let looked = settings.open(Access::Look)?;
    let tool = find(&looked, settings, &args.tool, ScopeChoice::Either)?.name;
    let vector = vector::read(settings, &looked, &args.query, &args.vector)?;
    let learn = Learn { op, query: args.query.clone(), tool, signal, at: settings.now, vector };
    let would = looked.routes().preview_learn(&settings.project, learn.clone()).wait()?;
    let registry = settings.open(Access::Write)?;
    let route = registry.routes().learn(&settings.project, learn).wait()?;
    out.done(&json!({ "route": route.as_ref().map(RouteReport::from) }), || match &route {
        Some(route) => format!(
            "{} → {}  {:.2}  {}\n",
            escape(&route.query),
            escape(route.key.tool.as_str()),
            route.confidence.get(),
            route.key.id
        ),
        None if would.is_some() => {
            "not kept: the route limit is reached, and the others have more confidence\n".into()
        }
        None => "nothing to learn: the signal is too weak for a new route\n".into(),
    })
}
