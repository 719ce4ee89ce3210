//! Services for every interface of staleness: where the registry and the project are and under which
//! policy, and the verbs that take both the registry and the project's files.
//!
//! The pure core decides, stores keep, sources read. What is done with all three, in which order, is
//! here, once: the command line and the MCP server only read what was asked and say what came of it.
//!
//! - [`settings`]: store, project, repository, home, time and policy; [`SharedStore`] for processes that
//!   live long.
//! - [`scan`], [`tools`]: what the clients have configured.
//! - [`documents`], [`findings`], [`remembered`]: what documents say that no longer holds; [`fixes`]: what
//!   they should say; [`text`]: the same of a text that is no file.
//! - [`links`]: what is connected to one thing.
//! - [`lock`]: digests of what a project gives to agents.
//! - [`knowledge`], [`items`], [`citations`]: what somebody wrote down.
//! - [`suggested`]: what was suggested in a session, for what its outcomes say about it.
//! - [`vectors`], [`embedder`]: what a file of numbers means, and the model that makes them.
//! - [`model_text`]: the only way in which text of ours and names of others reach a model.
//! - [`briefing`]: the text that a hook adds to an agent's context.
//! - [`limits`]: the largest size of a file; [`save`]: files that are written whole.
//! - [`upkeep`]: what is let go as time passes.
//! - [`work`], [`sessions`], [`review`]: what is overdue, what changed, what needs attention; [`rank`]:
//!   in which order.

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
mod outlines;
mod private;
pub mod rank;
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
