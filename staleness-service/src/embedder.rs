//! Embeds queries with the model in `routes.model_dir`, if the program was built with one.

use staleness::ids::ModelId;
use staleness::{Registry, RegistryError, Wait};
use staleness_core::embed::{EmbedError, Embedder};
use staleness_core::search::Question;

use crate::error::{ErrorKind, ServiceError};
use crate::settings::Settings;

#[cfg(feature = "local")]
mod loaded {
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex, PoisonError};

    use staleness_core::embed::{EmbedError, Embedder};
    use staleness_embed::LocalEmbedder;

    /// The model loaded by this process. Loading takes longer than embedding a query.
    static LOADED: Mutex<Option<(PathBuf, Arc<LocalEmbedder>)>> = Mutex::new(None);

    pub(super) fn model(folder: &Path) -> Result<Arc<dyn Embedder>, EmbedError> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, model)) = &*loaded
            && known == folder
        {
            return Ok(Arc::<LocalEmbedder>::clone(model));
        }
        let model = Arc::new(LocalEmbedder::open(folder)?);
        *loaded = Some((folder.to_owned(), Arc::clone(&model)));
        Ok(model)
    }
}

/// Embeds a query with the policy's model. Returns the model's id and the vector, or `None` if the policy names no
/// model.
///
/// # Errors
/// If the folder holds no model, the query has no word, or this build does not support models.
pub fn vector_of(settings: &Settings, query: &str) -> Result<Option<Answer>, ServiceError> {
    let folder = settings.configured.policy.routes.model_dir.trim();
    if folder.is_empty() {
        return Ok(None);
    }
    let ask = |model: &dyn Embedder| {
        let vector = model.embed_one(query)?;
        Ok((model.model().clone(), vector.numbers().collect()))
    };
    embed(folder, &ask).map(Some)
}

/// Like [`vector_of`], for a search that can fall back to words. Returns `None` if the query has no word, or no route
/// of the project was embedded by that model. The second value says why only words were compared: the model failed, or
/// the routes have vectors of another model.
pub fn for_search(
    settings: &Settings,
    registry: &Registry,
    query: Option<&str>,
) -> Result<(Option<Answer>, Option<String>), RegistryError> {
    let Some(query) = query.filter(|query| Question::new(query).is_ok()) else {
        return Ok((None, None));
    };
    match vector_of(settings, query) {
        Ok(None) => Ok((None, None)),
        Ok(Some((model, numbers))) => {
            let project = &settings.project.id;
            if registry.routes().dimensions(project, &model).wait()?.is_some() {
                return Ok((Some((model, numbers)), None));
            }
            // Reports vectors from another model. If there are no vectors at all, there is nothing to report.
            let offer = registry.routes().offer_to_embed(project, &model).wait()?;
            Ok((None, offer.map(|offer| format!("{offer}; only words were compared"))))
        }
        Err(error) => Ok((None, Some(format!("{}; only words were compared", error.message)))),
    }
}

/// A model's id and the vector that it computed.
pub type Answer = (ModelId, Vec<f64>);

#[cfg(feature = "local")]
fn embed(
    folder: &str,
    ask: &dyn Fn(&dyn Embedder) -> Result<Answer, EmbedError>,
) -> Result<Answer, ServiceError> {
    let model = loaded::model(folder.as_ref()).map_err(refused)?;
    ask(model.as_ref()).map_err(refused)
}

#[cfg(not(feature = "local"))]
fn embed(
    _: &str,
    _: &dyn Fn(&dyn Embedder) -> Result<Answer, EmbedError>,
) -> Result<Answer, ServiceError> {
    let message = "routes.model_dir is set, but this program was built without models";
    Err(ServiceError::new(ErrorKind::NotOffered, message)
        .hint("build it with `--features local`, or leave the key empty to compare only words"))
}

#[cfg(feature = "local")]
fn refused(error: EmbedError) -> ServiceError {
    let message = error.to_string();
    match error {
        EmbedError::Empty(_) => ServiceError::invalid("the query has no words"),
        EmbedError::File { .. } | EmbedError::Model { .. } => {
            ServiceError::new(ErrorKind::Config, format!("routes.model_dir: {message}"))
                .hint("name the folder of a sentence transformer, or leave the key empty")
        }
        _ => ServiceError::invalid(message),
    }
}
