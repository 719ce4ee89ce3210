//! The vector that a caller hands in with a query.

use std::fs::File;
use std::io::{self, Read};

use staleness::BlockingRegistry;
use staleness::ids::ModelId;
use staleness_service::embedder;
use staleness_service::vectors::{MAX_VECTOR_BYTES, numbers};

use crate::args::routes_args::VectorArgs;
use crate::error::{CliError, ErrorKind, in_words};
use crate::settings::Settings;

/// The vector of a query: of the file, where one was named, with its numbers as they stand there; else
/// of the model that the policy names, if it names one.
pub(crate) fn read(
    settings: &Settings,
    registry: &BlockingRegistry,
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
    registry: &BlockingRegistry,
    args: &VectorArgs,
) -> Result<Option<(ModelId, Vec<f64>)>, CliError> {
    let (Some(path), Some(model)) = (&args.vector, &args.model) else { return Ok(None) };
    let model =
        ModelId::new(model).map_err(|why| CliError::invalid(format!("the model's id {why}")))?;
    let shown = if path.as_os_str() == "-" { "stdin".into() } else { path.display().to_string() };
    let trouble =
        |error: &io::Error| CliError::new(ErrorKind::Io, format!("{shown}: {}", in_words(error)));
    let mut bytes = Vec::new();
    let limit = MAX_VECTOR_BYTES + 1;
    if shown == "stdin" {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    }
    .map_err(|error| trouble(&error))?;
    if bytes.len() as u64 > MAX_VECTOR_BYTES {
        let message =
            format!("{shown}: more than the {MAX_VECTOR_BYTES} bytes that a vector takes");
        return Err(CliError::invalid(message).hint("give the vector of one query"));
    }
    let dimensions = registry.dimensions_of(&settings.project.id, &model)?;
    let read = numbers(&bytes, args.precision.map(Into::into), dimensions);
    let named = |mut error: CliError| {
        error.message = format!("{shown}: {}", error.message);
        error
    };
    read.map(|numbers| Some((model, numbers))).map_err(named)
}
