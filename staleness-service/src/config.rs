//! The policy in force, built from layers: defaults, the user's file, the project's file, the environment and
//! flags.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use staleness::Policy;
use staleness_core::registry::nearest;
use staleness_sources::clients;
use toml::{Table, Value};

use crate::error::{ErrorKind, ServiceError, brief, in_words, quoted, text_within};

/// The name of a policy file.
pub const FILE_NAME: &str = "staleness.toml";
/// The environment variable that sets policy values: `KEY=VALUE` pairs separated by semicolons or newlines.
pub const SET_VARIABLE: &str = "STALENESS_SET";
/// Maximum size of a policy file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;
/// The keys that a project's file may set. The file comes with the repository, so it must not affect the
/// user's data or the text of their hooks.
const PROJECT_KEYS: [&str; 8] =
    ["tools", "outage", "ranking", "ignore", "kind", "knowledge", "documents", "routes"];
/// The keys of `routes` that a project's file may set. All are about learning. Only the user may set retention, and
/// learning from prompts.
const PROJECT_ROUTE_KEYS: [&str; 7] = [
    "min_signal",
    "learn_weight",
    "signal_suggested",
    "signal_other",
    "signal_failure",
    "same_cosine",
    "cool_down_calls",
];

const KEYS_HINT: &str = "fix or remove this setting; `staleness doctor` still works";

/// Describes the type `u32` in error messages.
const WHOLE: &str = "a whole number from 0 to 4294967295";

/// The places from which policy layers are read.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// The user's file, or the file to use instead. `true` means that the file must exist.
    pub user: Option<(PathBuf, bool)>,
    /// The path of the project's file.
    pub project: Option<PathBuf>,
    /// The `KEY=VALUE` pairs from the environment.
    pub environment: Option<String>,
    /// The `KEY=VALUE` pairs from flags.
    pub flags: Vec<String>,
}

/// A policy value and its source.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PolicyValue {
    /// The key, such as `tools.unseen_days`.
    pub key: String,
    /// The value as JSON.
    pub value: serde_json::Value,
    /// The source: `default`, a file, `environment` or `flag`.
    pub source: String,
}

/// A policy, with the source of each value.
#[derive(Clone, Debug)]
pub struct Configured {
    /// The combined policy.
    pub policy: Policy,
    origins: BTreeMap<String, String>,
}

/// Returns the policy without any layer: the default thresholds, and the names of clients.
pub fn default_policy() -> Policy {
    Policy {
        agents: clients::MCP_NAMES.map(|(name, agent)| (name.into(), agent.into())).into(),
        account_servers: clients::ACCOUNT_SERVERS.map(Into::into).into(),
        ..Policy::default()
    }
}

/// A layer's values, with the name of its source.
type Layer = (String, Table);

impl Layers {
    /// Reads all layers and combines them into one policy.
    pub fn read(&self) -> Result<Configured, ServiceError> {
        compose(self.each().collect::<Result<_, _>>()?)
    }

    /// Like [`Self::read`], but skips layers that are unreadable or invalid, and also returns the first
    /// error. A broken project file must not disable the user's settings.
    pub fn read_what_can_be_read(&self) -> (Configured, Option<ServiceError>) {
        let mut trouble = None;
        let mut note = |error: ServiceError| {
            trouble.get_or_insert(error);
        };
        let layers = self.each().filter_map(|layer| layer.map_err(&mut note).ok()).collect();
        let configured = self.compose_what_fits(layers, &mut note);
        (configured, trouble)
    }

    /// Combines layers that are valid by themselves but may conflict. On a conflict it drops the project's layers
    /// first, because they come with the repository, then the first layer that makes the policy invalid.
    fn compose_what_fits(
        &self,
        mut layers: Vec<Layer>,
        note: &mut dyn FnMut(ServiceError),
    ) -> Configured {
        let project = self.project.as_ref().map(|path| path.display().to_string());
        loop {
            match compose(layers.clone()) {
                Ok(configured) => return configured,
                Err(error) => note(error),
            }
            let of_project = layers.iter().rposition(|(name, _)| Some(name) == project.as_ref());
            let Some(at) = of_project.or_else(|| faulty(&layers)) else {
                return Configured { policy: default_policy(), origins: BTreeMap::new() };
            };
            layers.remove(at);
        }
    }

    /// Reads each existing layer by itself, so that an error can name it.
    fn each(&self) -> impl Iterator<Item = Result<Layer, ServiceError>> + '_ {
        let user = self.user.as_ref().and_then(|(path, required)| {
            let read = read_file(path, *required).transpose()?;
            Some(read.and_then(|table| checked(path.display().to_string(), table)))
        });
        let project = self.project.as_ref().and_then(|path| {
            let read = within_project(path).and_then(|()| read_file(path, false)).transpose()?;
            Some(read.and_then(|table| of_project(path, table)))
        });
        let environment = self.environment.iter().flat_map(|text| text.split([';', '\n']));
        let environment = environment.filter(|text| !text.trim().is_empty());
        let typed = environment
            .map(|text| (text, "environment", SET_VARIABLE))
            .chain(self.flags.iter().map(|text| (text.as_str(), "flag", "--set")));
        user.into_iter().chain(project).chain(typed.map(|(text, source, place)| {
            let table = assignment(text)?;
            // Errors in typed values repeat the value. Errors in files name the file.
            let (_, table) = checked(format!("{place} {}", quoted(text)), table)?;
            Ok((source.to_owned(), table))
        }))
    }
}

/// Checks that a layer's values are valid. `name` is used in the error.
fn checked(name: String, table: Table) -> Result<Layer, ServiceError> {
    match policy_of(over_defaults(&table)?) {
        Ok(_) => Ok((name, table)),
        Err(why) => {
            // Serde lists all fields, but the nearest one is more helpful.
            let (what, near) = match near_key(&table, &why) {
                Some((what, key)) => (what, format!("did you mean `{key}`?")),
                None => (&*why, KEYS_HINT.to_owned()),
            };
            Err(ServiceError::new(ErrorKind::Config, format!("{name}: {what}")).hint(near))
        }
    }
}

/// Returns the beginning of an error about an unknown field, and the most similar key of the policy.
fn near_key<'a>(table: &Table, why: &'a str) -> Option<(&'a str, String)> {
    let (what, _) = why.split_once(", expected ")?;
    let field = what.strip_prefix("unknown field `")?.strip_suffix('`')?;
    let typed = leaves("", &Value::Table(table.clone()));
    let typed = typed.iter().find(|(key, _)| key.rsplit('.').next() == Some(field))?;
    let known = leaves("", &Value::Table(table_of(&default_policy()).ok()?));
    // Only keys of the same table are suggested.
    let place = typed.0.strip_suffix(field)?;
    let known = known.iter().filter_map(|(key, _)| key.strip_prefix(place));
    Some((what, format!("{place}{}", nearest(field, known)?)))
}

/// Checks a project's layer. It must not set keys that belong to the user.
fn of_project(path: &Path, table: Table) -> Result<Layer, ServiceError> {
    let refused = |key: &str, allowed: &[&str]| {
        let message = format!("{}: a project may not set {key:?}", path.display());
        let allowed = allowed.join(", ");
        Err(ServiceError::new(ErrorKind::Config, message)
            .hint(format!("a project may set {allowed}; only the user may set the rest")))
    };
    if let Some(key) = table.keys().find(|key| !PROJECT_KEYS.contains(&key.as_str())) {
        return refused(key, &PROJECT_KEYS);
    }
    let mut routes =
        table.get("routes").and_then(Value::as_table).into_iter().flat_map(Table::keys);
    match routes.find(|key| !PROJECT_ROUTE_KEYS.contains(&key.as_str())) {
        Some(key) => refused(&format!("routes.{key}"), &PROJECT_ROUTE_KEYS),
        None => checked(path.display().to_string(), table),
    }
}

/// Rejects a project file that is a symlink out of its folder, because the file comes with the repository.
fn within_project(path: &Path) -> Result<(), ServiceError> {
    if !path.is_symlink() {
        return Ok(());
    }
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    match (path.canonicalize(), folder) {
        (Ok(target), Some(folder)) if !target.starts_with(&folder) => {
            let message = format!("{} is a link that points outside the project", brief(path));
            Err(ServiceError::new(ErrorKind::Config, message))
        }
        _ => Ok(()),
    }
}

fn compose(layers: Vec<Layer>) -> Result<Configured, ServiceError> {
    let mut origins = BTreeMap::new();
    if layers.is_empty() {
        return Ok(Configured { policy: default_policy(), origins });
    }
    let mut whole = table_of(&default_policy())?;
    for (source, layer) in &layers {
        for (key, _) in leaves("", &Value::Table(layer.clone())) {
            origins.insert(key, source.clone());
        }
        merge(&mut whole, layer.clone());
    }
    let policy = policy_of(whole).map_err(|why| fault_of(&layers, &why))?;
    Ok(Configured { policy, origins })
}

/// Returns the index of the first layer that makes the policy invalid when combined with the layers before
/// it.
fn faulty(layers: &[Layer]) -> Option<usize> {
    let mut whole = table_of(&default_policy()).ok()?;
    layers.iter().position(|(_, layer)| {
        merge(&mut whole, layer.clone());
        policy_of(whole.clone()).is_err()
    })
}

/// Creates the error for an invalid combination, naming the layer.
fn fault_of(layers: &[Layer], why: &str) -> ServiceError {
    let name = faulty(layers).map(|at| format!("{}: with earlier settings, ", layers[at].0));
    let message = format!("{}{why}", name.unwrap_or_default());
    ServiceError::new(ErrorKind::Config, message).hint(KEYS_HINT)
}

fn over_defaults(layer: &Table) -> Result<Table, ServiceError> {
    let mut table = table_of(&default_policy())?;
    merge(&mut table, layer.clone());
    Ok(table)
}

fn table_of(policy: &Policy) -> Result<Table, ServiceError> {
    Table::try_from(policy).map_err(|error| ServiceError::new(ErrorKind::Config, error.to_string()))
}

fn policy_of(table: Table) -> Result<Policy, String> {
    let policy: Policy =
        table.try_into().map_err(|error: toml::de::Error| error.message().replace("u32", WHOLE))?;
    match policy.faults().first() {
        Some(fault) => Err(fault.clone()),
        None => Ok(policy),
    }
}

fn read_file(path: &Path, required: bool) -> Result<Option<Table>, ServiceError> {
    let trouble =
        |what: String| ServiceError::new(ErrorKind::Config, format!("{}: {what}", brief(path)));
    let length = match std::fs::metadata(path) {
        Ok(meta) if meta.is_file() => meta.len(),
        Ok(_) => return Err(trouble("not a file".into())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !required => return Ok(None),
        Err(error) => {
            let hint = "choose another file with --config, or leave it out";
            let error = trouble(in_words(&error));
            return Err(if required { error.hint(hint) } else { error });
        }
    };
    if length > MAX_BYTES {
        return Err(trouble(format!("it has {length} bytes; the maximum is {MAX_BYTES}")));
    }
    let text = text_within(path, MAX_BYTES).map_err(trouble)?;
    text.parse::<Table>().map(Some).map_err(|error| {
        let line = error
            .span()
            .map_or(1, |span| 1 + text.get(..span.start).unwrap_or("").matches('\n').count());
        ServiceError::new(
            ErrorKind::Config,
            format!("{}:{line}: {}", path.display(), error.message()),
        )
        .hint("fix this line; `staleness doctor` still works")
    })
}

/// Parses `KEY=VALUE` into a table. A value that is not valid TOML is treated as text.
fn assignment(text: &str) -> Result<Table, ServiceError> {
    let wrong = || {
        ServiceError::invalid(format!("{} is not KEY=VALUE", quoted(text)))
            .hint("write it like tools.unseen_days=14")
    };
    let (key, value) = text.split_once('=').ok_or_else(wrong)?;
    let (key, value) = (key.trim(), value.trim());
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.\"/".contains(c);
    if key.is_empty() || !key.chars().all(plain) || value.contains('\n') {
        return Err(wrong());
    }
    format!("{key} = {value}")
        .parse::<Table>()
        .or_else(|_| format!("{key} = {}", Value::String(value.into())).parse::<Table>())
        .map_err(|_| wrong())
}

fn merge(into: &mut Table, layer: Table) {
    for (key, value) in layer {
        match (into.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) if !is_one_value(&key) => merge(old, new),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

/// Returns true if a table is replaced as a whole. `consecutive` replaces `k_of_n`, for example; the two are
/// not merged.
fn is_one_value(key: &str) -> bool {
    matches!(key, "rule" | "curve")
}

fn leaves(prefix: &str, value: &Value) -> Vec<(String, Value)> {
    match value {
        Value::Table(table) if !prefix.rsplit('.').next().is_some_and(is_one_value) => table
            .iter()
            .flat_map(|(key, value)| {
                let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                leaves(&path, value)
            })
            .collect(),
        other => vec![(prefix.to_owned(), other.clone())],
    }
}

impl Configured {
    /// Returns all values in force, sorted by key.
    pub fn values(&self) -> Result<Vec<PolicyValue>, ServiceError> {
        let table = table_of(&self.policy)?;
        let mut values = Vec::new();
        for (key, value) in leaves("", &Value::Table(table)) {
            let source = self.origins.get(&key).cloned().unwrap_or_else(|| "default".into());
            let value = serde_json::to_value(&value)
                .map_err(|error| ServiceError::new(ErrorKind::Config, error.to_string()))?;
            values.push(PolicyValue { key, value, source });
        }
        values.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(values)
    }
}

#[cfg(test)]
mod tests;
