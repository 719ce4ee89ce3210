//! The pure core of `staleness`: finds out which of an agent's tools can still be trusted, why, and what to do about
//! it.
//!
//! An agent relies on MCP servers and their tools, slash commands, skills, plugins and built-ins. Some are gone from
//! the configuration, some fail every time, some have not been used for a month. This crate records such facts and
//! draws conclusions. It reads no files, no clock and no environment variables: the caller passes in observations with
//! their times and gets back reports.
//!
//! # Four facts about a tool
//!
//! Each fact has its own source, and none overwrites another:
//!
//! | fact | source | type |
//! |---|---|---|
//! | Is it there? | the configuration, by scans | [`tool::Presence`] |
//! | Does it work? | its recent outcomes | [`tool::Health`] |
//! | What did a person decide? | a person | [`tool::Hold`] |
//! | When was it last seen? | its uses, and the sources that list it | [`report::Context::last_seen`] |
//!
//! The [`tool::Status`] that an agent acts on (`active`, `stale`, `demoted`) is derived from the first three facts: see
//! `tool::STATUS_TABLE`. A rescan therefore cannot undo a demotion, and each cause is undone separately. Age does not
//! change the status: an old tool ranks lower, and its [`verdict::Verdict`] asks for a review.
//!
//! # How it is used
//!
//! A [`Registry`] works on any [`RegistryStore`] and groups its methods by subject: `tools()`, `routes()`,
//! `knowledge()`, `documents()`, `work()`, `sessions()` and `admin()`. [`MemoryStore`] keeps everything in
//! memory. Callers without an async runtime append [`Wait::wait`] to a call.
//!
//! ```
//! use std::sync::Arc;
//!
//! use staleness_core::ids::{Level, OpId, SourceId, ToolName};
//! use staleness_core::outcome::OutcomeKind;
//! use staleness_core::registry::Use;
//! use staleness_core::scan::{Found, ProjectRef, Scan, SourceReading};
//! use staleness_core::source::SourceState;
//! use staleness_core::tool::Status;
//! use staleness_core::{MemoryStore, Policy, Registry, RegistryError, Timestamp, Wait};
//!
//! let registry = Registry::new(Arc::new(MemoryStore::new()), Policy::default());
//! let project = ProjectRef::of_root("/work/shop");
//! let now: Timestamp = "2026-01-05T09:00:00Z".parse()?;
//!
//! // A configuration of the user lists one MCP server.
//! let config = |servers: &[&str]| SourceReading {
//!     id: SourceId {
//!         project: None,
//!         client: "some-client".into(),
//!         level: Level::User,
//!         part: "mcp".into(),
//!     },
//!     path: "~/.some-client.json".into(),
//!     state: SourceState::Read,
//!     root_is_there: true,
//!     error: None,
//!     found: servers.iter().filter_map(|name| Found::server(name)).collect(),
//! };
//! let scan = |servers: &[&str]| -> Result<_, RegistryError> {
//!     Ok(Scan {
//!         project: project.clone(),
//!         read_under: registry.tools().readings(&project.id).wait()?, // before the files are read
//!         sources: vec![config(servers)],
//!         indexes: Vec::new(),
//!         at: now,
//!         session: None,
//!         client: None,
//!     })
//! };
//! let report = registry.tools().apply_scan(scan(&["github"])?).wait()?;
//! assert_eq!(report.added[0].key.name, "mcp__github__*");
//!
//! // One of its tools fails three times.
//! let name = ToolName::new("mcp__github__search")?;
//! for attempt in 0..3 {
//!     let op = OpId::new(format!("call-{attempt}"))?;
//!     let used = Use::new(op, name.clone(), OutcomeKind::Failure, now, project.clone());
//!     let report = registry.tools().record(used).wait()?;
//!     assert_eq!(report.tool.status == Status::Demoted, attempt == 2);
//! }
//!
//! // The server is removed: its tools go with it, and what failed is still known to have failed.
//! let report = registry.tools().apply_scan(scan(&[])?).wait()?;
//! let gone: Vec<&str> = report.stale.iter().map(|tool| tool.key.name.as_str()).collect();
//! assert_eq!(gone, ["mcp__github__*", "mcp__github__search"]);
//! assert_eq!(report.stale[0].status, Status::Stale);
//! assert_eq!(report.stale[1].status, Status::Demoted);
//! assert!(report.stale[1].presence.is_absent());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it is built
//!
//! - A unit of work is a value, a [`store::Step`]: a selection of rows to read, and a pure function
//!   from these rows to changes. Stores know rows and transactions, but no thresholds.
//! - Every threshold is a named field of [`Policy`], with its unit in its name or documentation.
//! - Every change that matters to the user is recorded in the [`journal`] with its cause. Uses and counters are not.
//! - Work that may be repeated carries an [`ids::OpId`], so that after [`StoreError::Unknown`] a caller can simply
//!   retry.
//! - Times are [`Timestamp`]s in milliseconds; ages are whole elapsed days.
//!
//! # Which page to read
//!
//! To use a registry, read the docs of the crate `staleness`, which also opens stores by URL. To write a backend,
//! read [`store`]: [`RegistryStore`] has six methods, and [`store::table`] helps with SQL databases.

pub mod definition;
pub mod embed;
pub mod ids;
pub mod journal;
pub mod knowledge;
pub mod memory;
mod names;
pub mod outcome;
pub mod policy;
pub mod project;
mod refusal;
pub mod registry;
pub mod report;
pub mod route;
pub mod scan;
pub mod search;
pub mod session;
pub mod source;
pub mod store;
pub mod text;
mod thresholds;
pub mod time;
pub mod tool;
pub mod transfer;
pub mod verdict;
pub mod work;

pub use memory::MemoryStore;
pub use policy::Policy;
pub use registry::{Registry, RegistryError, Wait};
pub use store::{RegistryStore, StoreError};
pub use time::Timestamp;
