//! `routes find`: finds learned queries similar to a query.

use staleness::Wait;
use staleness::registry::FindRoutes;

use super::vector;
use crate::args::routes_args::FindArgs;
use crate::error::CliError;
use crate::output::tools::closeness;
use crate::output::{Cell, Output, Paint, escape};
use crate::settings::{Access, Settings};

pub(super) fn run(settings: &Settings, args: &FindArgs, out: &Output) -> Result<(), CliError> {
    let registry = settings.open(Access::Look)?;
    let mut offer = None;
    let mut vector = vector::read(settings, &registry, &args.query, &args.vector)?;
    // If no route has a vector from the policy's model yet, only words are compared. A note mentions vectors from other
    // models.
    if let Some((model, _)) = &vector
        && args.vector.model.is_none()
        && registry.routes().dimensions(&settings.project.id, model).wait()?.is_none()
    {
        offer = registry.routes().offer_to_embed(&settings.project.id, model).wait()?;
        vector = None;
    }
    let find = FindRoutes { query: args.query.clone(), vector, limit: args.limit };
    let mut found = registry.routes().find(&settings.project, find, settings.now).wait()?;
    found.note = found.note.or(offer);
    if out.json {
        return out.json(&found);
    }
    let note = found.note.as_deref().map(|note| out.hint(&escape(note))).unwrap_or_default();
    if found.routes.is_empty() {
        let of = settings.client.as_ref().map(|client| format!(" for a tool of {client}"));
        let none = format!("no similar query was learned here{}\n", of.unwrap_or_default());
        return out.text(&format!("{}{note}", if out.quiet { "" } else { &none }));
    }
    let mut text = out.table(found.routes.iter().map(|each| {
        let mut cells: Vec<Cell> = vec![
            (format!("{:.3}", each.score), None),
            (each.route.tool.to_string(), Some(Paint::bold)),
            (each.route.query.clone(), None),
        ];
        if args.explain {
            let sure = each.route.confidence.get();
            let of = closeness(each.by_words, each.by_meaning);
            let parts = format!("closeness {:.3}{of} × confidence {sure:.3}", each.closeness);
            cells.push((parts, Some(Paint::dim)));
        }
        cells
    }));
    if found.cold && !out.quiet {
        text.push_str(&format!("cold: familiarity {:.3} is below 0.3\n", found.familiarity));
    }
    text.push_str(&note);
    out.text(&text)
}
