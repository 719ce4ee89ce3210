//! The pure core of `staleness`: which of an agent's tools can still be trusted, why, and what to
//! do about it.
//!
//! An agent relies on MCP servers and their tools, slash commands, skills, plugins and built-ins.
//! Some are gone from the configuration, some fail every time, some nobody has touched for a month.
//! This crate keeps the record and draws the conclusions. It reads no file, no clock and no
//! environment: what was found and when is handed in, what follows is handed back.
//!
//! # Four facts about a tool
//!
//! Each comes from its own witness, and none overwrites another:
//!
//! | fact | witness | type |
//! |---|---|---|
//! | Is it there? | the configuration, by scans | [`tool::Presence`] |
//! | Does it work? | its recent outcomes | [`tool::Health`] |
//! | What did a person decide? | a person | [`tool::Hold`] |
//! | When was it last seen? | uses, and sources that hold it | [`report::Context::last_seen`] |
//!
//! The [`tool::Status`] that an agent acts on (`active`, `stale`, `demoted`) is a projection of the
//! first three: see `tool::STATUS_TABLE`. So a rescan cannot wipe a demotion, and each cause is
//! undone on its own. Age changes no status; it lets a tool sink in the ranking and asks for a look
//! in its [`verdict::Verdict`].
//!
//! # How it is used
//!
//! A [`Registry`] in any [`RegistryStore`] groups its verbs by subject: `tools()`, `routes()`, `knowledge()`,
//! `documents()`, `work()`, `sessions()` and `admin()`. [`MemoryStore`] is a store in
//! memory. A caller without an asynchronous runtime
//! ends a verb with [`Wait::wait`].
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
//! assert_eq!(report.added[0].name, "mcp__github__*");
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
//! let gone: Vec<&str> = report.stale.iter().map(|tool| tool.name.as_str()).collect();
//! assert_eq!(gone, ["mcp__github__*", "mcp__github__search"]);
//! assert_eq!(report.stale[0].status, Status::Stale);
//! assert_eq!(report.stale[1].status, Status::Demoted);
//! assert_eq!(report.stale[1].presence.state, "absent");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it is built
//!
//! - A unit of work is a value, a [`store::Step`]: what it must see, and a pure function from what it
//!   saw to what it wants written. Stores know rows and transactions, never a threshold.
//! - Every threshold is a named field of [`Policy`] with its unit in its name or documentation.
//! - Every change that matters to a person goes to the [`journal`] with its cause; uses and counters
//!   do not.
//! - Work that may be repeated carries an [`ids::OpId`], so after [`StoreError::Unknown`] a caller
//!   simply repeats it.
//! - Times are [`Timestamp`]s in milliseconds; ages are whole elapsed days.
//!
//! # Which page to read
//!
//! Users of a registry find what they need in the crate `staleness`, which also opens stores by URL. Authors of a
//! backend read [`store`]: six methods of [`RegistryStore`], and [`store::table`] for databases that speak SQL.

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
