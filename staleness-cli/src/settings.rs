//! Converts the global options to the service's settings.

use staleness_service::settings::Options;
pub(crate) use staleness_service::settings::{Access, Settings, named_url, store_url};

use crate::args::Global;

impl From<&Global> for Options {
    fn from(global: &Global) -> Self {
        Self {
            store: global.store.clone(),
            project: global.project.clone(),
            home: global.home.clone(),
            config: global.config.clone(),
            set: global.set.clone(),
            agent: global.agent.clone(),
            now: global.now.clone(),
        }
    }
}
