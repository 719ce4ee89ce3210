//! Export lines of definitions.

use serde::{Deserialize, Serialize};

use super::word::{Version, constant, line, scope};
use crate::definition::{ChangeClass, Definition, DefinitionVersion};
use crate::ids::{Scope, ToolKey, ToolName};
use crate::time::Timestamp;

line! {
    DefinitionLine of Definition, Kind = "definition";
    key ToolKey {
        #[serde(rename = "project", with = "scope")]
        #[serde(default = "scope::global", skip_serializing_if = "scope::is_global")]
        scope: Scope,
        name: ToolName,
    }
    pinned_at: Timestamp,
    current: DefinitionVersion,
    since: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<DefinitionVersion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<ChangeClass>,
    changes: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    journalled: Option<(ChangeClass, Timestamp)>,
}
