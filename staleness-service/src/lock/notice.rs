//! Notices to an agent about changes since `agents.lock` was written.

use staleness::Registry;
use staleness::ids::{AgentId, ClientId, ServerKey};
use staleness_core::ids::stable_hash;
use staleness_docs::is_loaded_by;
use staleness_sources::clients::is_file_of;

use super::{FILE, INSTRUCTION, Lock, Moved, SERVER, TOOL, current};
use crate::documents::session_files;
use crate::error::ServiceError;
use crate::model_text::{ModelName, ModelText, NameKind};
use crate::settings::Settings;
use crate::told::Told;

/// Maximum number of names in a notice.
const MAX_TOLD: usize = 5;

/// The text for an agent at a session start, and the digest to record after it was reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The text.
    pub text: ModelText,
    key: String,
    digest: u64,
}

/// Returns a notice of the changes. `None` if there is no `agents.lock`, nothing changed, or the agent already
/// received it. An agent whose context was `cleared` receives it again.
///
/// # Errors
/// Errors of the store.
pub fn notice(
    settings: &Settings,
    registry: &Registry,
    agent: &AgentId,
    cleared: bool,
) -> Result<Option<Notice>, ServiceError> {
    let (text, about) = match Lock::read(settings) {
        Ok(None) => return Ok(None),
        Err(_) => (
            ModelText::from(
                "`agents.lock` of this project cannot be read; `staleness check --locked` shows the user why.",
            ),
            "unreadable".to_owned(),
        ),
        Ok(Some(locked)) => {
            let current = current(settings, registry)?;
            let mut told = current.compare(&locked);
            // The session start itself reports tools that their servers changed.
            told.unaccepted.clear();
            if let Some(client) = settings.client.as_ref().map(ClientId::as_str) {
                let all = current.lock.0.keys().chain(locked.0.keys());
                let servers = all.filter(|(kind, _)| kind == SERVER);
                let servers: Vec<&str> = servers.map(|(_, name)| name.as_str()).collect();
                // The client's own instructions may replace the shared ones.
                let is_loaded = |name: &str| {
                    name != "AGENTS.md"
                        || session_files(settings, client).iter().any(|(key, _)| key == name)
                };
                told.moved.retain(|each| each.is_for(client, &servers) && is_loaded(&each.name));
            }
            if told.holds() {
                return Ok(None);
            }
            let about = format!("{told:?}");
            let moved = told.moved;
            let names = moved.iter().take(MAX_TOLD).map(|each| {
                let name = match each.kind.as_str() {
                    TOOL => ModelName::tool(settings.client.as_ref(), &each.name),
                    _ => ModelName::path(NameKind::Document, &each.name),
                };
                ModelText::from(name).and(" (").and(each.change.as_str()).and(")")
            });
            let mut text = match moved.is_empty() {
                true => ModelText::from("Files covered by `agents.lock` cannot be read"),
                false => ModelText::from("Changed since `agents.lock` was written: ")
                    .and(ModelText::join(names, ", ")),
            };
            if moved.len() > MAX_TOLD {
                text = text.and(", and ").and(moved.len() - MAX_TOLD).and(" more");
            }
            (text.and(". The user can list them with `staleness check --locked`."), about)
        }
    };
    let digest = stable_hash(about.as_bytes()) as u64;
    let key = format!("{FILE}\n{agent}");
    let is_told =
        !cleared && Told::of(settings, &key).is_some_and(|told| told.is_in(&told.read(), digest));
    Ok((!is_told).then_some(Notice { text, key, digest }))
}

impl Moved {
    /// Returns true if the client may load what changed. `servers` contains the names of all server entries, such as
    /// `.mcp.json#hub`.
    fn is_for(&self, client: &str, servers: &[&str]) -> bool {
        let has_tool = |server: &str| {
            let key = server.rsplit_once('#').and_then(|(_, name)| ServerKey::of(name));
            key.is_some_and(|key| self.name.starts_with(&format!("mcp__{key}__")))
        };
        match self.kind.as_str() {
            INSTRUCTION => is_loaded_by(client, &self.name),
            TOOL => servers.iter().any(|server| has_tool(server) && is_file_of(client, server)),
            _ => is_file_of(client, &self.name),
        }
    }
}

impl Notice {
    /// Records that the notice was reported. After an error it is reported again.
    pub fn told(&self, settings: &Settings) {
        if let Some(told) = Told::of(settings, &self.key) {
            told.forget();
            let _ = told.note(&[self.digest]);
        }
    }
}
