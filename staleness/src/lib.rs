//! Can this still be trusted? A registry of the tools that AI agents rely on.
//!
//! Tools vanish from configuration or start failing, and agents keep calling them. The registry
//! remembers what each configuration lists and how each use ended, and answers for every tool
//! with a status, a freshness, the evidence and the next action.
//!
//! This crate is the door: everything of [`staleness_core`], and [`open`], which picks a backend
//! by URL. Backends are chosen by cargo features; `sqlite` is on by default.
//!
//! # Which backend to choose
//!
//! | | `sqlite:PATH` (feature `sqlite`, default) | `redb:PATH` (feature `redb`) | `memory:` |
//! |---|---|---|---|
//! | for | many processes on one file | one daemon, or a few processes that take turns | tests, trials |
//! | readers | never wait, and nobody waits for them | take turns like writers | take turns |
//! | builds with | a C compiler | Rust alone, 1.90 or newer | Rust alone |
//! | kept | yes | yes | as long as the process |
//! | backups | while others write | while others wait | none |
//! | a commit that a power cut may take | the last ones of uses and scans | the last one of uses and scans | – |
//!
//! `postgres://USER@HOST/DATABASE?workspace=NAME` (feature `postgres`) is for a team: one registry for
//! many machines, on a server that somebody operates.
//!
//! In doubt: `sqlite`. Take `redb` where there is no C compiler, or where only Rust may run.
//!
//! # An example
//!
//! ```
//! use staleness::ids::{OpId, ToolName};
//! use staleness::outcome::OutcomeKind;
//! use staleness::registry::Use;
//! use staleness::scan::ProjectRef;
//! use staleness::tool::Status;
//! use staleness::Wait;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = staleness::open("memory:")?;
//! let project = ProjectRef::of_root("/home/me/project");
//! for attempt in 0..3 {
//!     let report = registry.tools().record(Use::new(
//!         OpId::new(format!("call-{attempt}"))?,
//!         ToolName::new("mcp__github__search")?,
//!         OutcomeKind::Failure,
//!         staleness::clock::now(),
//!         project.clone(),
//!     )).wait()?;
//!     println!("{} is {:?}: {:?}", report.tool.name, report.tool.status, report.tool.verdict);
//! }
//! let tools = registry.tools().list(&project, Default::default(), staleness::clock::now()).wait()?;
//! assert_eq!(tools[0].status, Status::Demoted);
//! # Ok(())
//! # }
//! ```

pub mod clock;
mod open;
mod url;

pub use open::{OpenError, OpenOptions, open, open_with};
pub use staleness_core::*;
pub use url::{ParseUrlError, PostgresUrl, StoreUrl, without_password};
