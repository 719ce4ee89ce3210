//! Reads the vector for a query.

use staleness::ids::ModelId;
use staleness::{Registry, Wait};
use staleness_service::{embedder, vectors};

use crate::args::routes_args::VectorArgs;
use crate::error::CliError;
use crate::settings::Settings;

/// Returns the vector of a query: the one in the given file, with its numbers unchanged, or one from the model in the
/// policy.
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

/// Returns the vector in the given file, or `None` if no file was given.
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
