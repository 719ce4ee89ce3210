//! Services behind every interface of staleness. They locate the registry and the project, load the policy,
//! and combine the registry with the project's files.
//!
//! The core decides, stores keep data, and sources read the outside world. This crate is the only place that
//! combines the three. The command line and the MCP server only parse requests and format results.
//!
//! - [`settings`]: store, project, repository, home, time and policy; [`SharedStore`] for long-running
//!   processes.
//! - [`scan`], [`tools`]: tools configured in clients.
//! - [`documents`], [`findings`], [`remembered`]: outdated statements in documents; [`fixes`]: their
//!   corrections; [`text`]: the same for text that is not in a file.
//! - [`links`]: the causes of a record's state, and what depends on the record.
//! - [`lock`]: digests of the configuration that a project gives to agents.
//! - [`knowledge`], [`items`], [`citations`]: knowledge items.
//! - [`suggested`]: suggestions made in a session, to compare with what was used.
//! - [`vectors`], [`embedder`]: vectors in files, and the model that creates them.
//! - [`model_text`]: the only way for our text and foreign names to reach a model.
//! - [`briefing`]: text that a hook adds to an agent's context.
//! - [`limits`]: the file size limit; [`save`]: atomic file writes.
//! - [`upkeep`]: removal of old data.
//! - [`work`], [`sessions`], [`review`]: overdue work, changes, and things that need attention; [`rank`]:
//!   their order.

pub mod awaited;
pub mod briefing;
pub mod citations;
pub mod config;
pub mod costs;
pub mod documents;
pub mod embedder;
pub mod error;
mod escape;
pub mod findings;
pub mod fixes;
pub mod items;
pub mod knowledge;
pub mod limits;
pub mod links;
mod listener;
pub mod lock;
pub mod model_text;
pub mod naming;
mod private;
pub mod rank;
pub mod rehearsal;
pub mod remembered;
pub mod review;
pub mod save;
pub mod scan;
pub mod sessions;
pub mod settings;
mod shared;
pub mod spool;
pub mod suggested;
pub mod text;
pub mod told;
pub mod tools;
pub mod upkeep;
pub mod vectors;
pub mod when;
pub mod words;
pub mod work;

pub use error::{ErrorKind, ServiceError};
pub use escape::{escape, escape_lines, is_unsafe};
pub use listener::{Listener, Silent, words as progress_words};
pub use shared::{SharedStore, Waits};
