//! The vector that a caller hands in with a query.

use staleness::ids::ModelId;
use staleness::{Registry, Wait};
use staleness_service::{embedder, vectors};

use crate::args::routes_args::VectorArgs;
use crate::error::CliError;
use crate::settings::Settings;

/// The vector of a query: of the file, where one was named, with its numbers as they stand there; else
/// of the model that the policy names, if it names one.
pub(crate) fn read(
    settings: &Settings,
    registry: &Registry,
    query: &str,
    args: &VectorArgs,
) -> Result<Option<(ModelId, Vec<f64>)>, CliError> {
    match named(settings, registry, args)? {
        None => embedder::vector_of(settings, query),
        named => Ok(named),
    }
}

/// The vector of the file that was named, if one was.
pub(crate) fn named(
    settings: &Settings,
    registry: &Registry,
    args: &VectorArgs,
) -> Result<Option<(ModelId, Vec<f64>)>, CliError> {
    let (Some(path), Some(model)) = (&args.vector, &args.model) else { return Ok(None) };
    let model =
        ModelId::new(model).map_err(|why| CliError::invalid(format!("the model's id {why}")))?;
    let dimensions = registry.routes().dimensions(&settings.project.id, &model).wait()?;
    let numbers = vectors::of_file(path, args.precision.map(Into::into), dimensions)?;
    Ok(Some((model, numbers)))
}
