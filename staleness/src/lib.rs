//! A registry that knows whether the tools that AI agents rely on can still be trusted.
//!
//! Tools disappear from configurations or start to fail, and agents keep calling them. The registry records what each
//! configuration lists and how each use ended. For every tool it returns a status, a freshness, the evidence and the
//! next action.
//!
//! This crate is the entry point. [`open`] selects a backend by URL and returns a [`Registry`] with methods grouped by
//! subject. Their arguments and results are re-exported here, in modules with the same names as in [`staleness_core`].
//! Types that programs rarely need are only in that crate. [`store`] is for authors of backends. Cargo features select
//! the backends; `sqlite` is on by default.
//!
//! # Which backend to choose
//!
//! | | `sqlite:PATH` (feature `sqlite`, default) | `redb:PATH` (feature `redb`) | `memory:` |
//! |---|---|---|---|
//! | use for | many processes on one file | one daemon, or a few processes that take turns | tests, experiments |
//! | readers | never wait and never block | take turns with writers | take turns |
//! | needs | a C compiler | Rust 1.90 or newer | only Rust |
//! | persistent | yes | yes | until the process ends |
//! | backup | while others write | while others wait | not supported |
//! | lost in a power cut | the last uses and scans | nothing | everything |
//!
//! `postgres://USER@HOST/DATABASE?workspace=NAME` (feature `postgres`) is for teams: one registry
//! for many machines, on a database server.
//!
//! If in doubt, use `sqlite`. Use `redb` if there is no C compiler, or if only Rust code is allowed.
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
//!     println!("{} is {:?}: {:?}", report.tool.key.name, report.tool.status, report.tool.verdict);
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
pub use staleness_core::{
    MemoryStore, Policy, Registry, RegistryError, RegistryStore, StoreError, Timestamp, Wait, store,
};
pub use url::{ParseUrlError, PostgresUrl, StoreUrl};

/// Identifiers: names of tools, servers and agents, row keys and scopes.
pub mod ids {
    pub use staleness_core::ids::{
        AgentId, Caller, ClientId, ItemId, ItemKey, Level, ModelId, OpId, ProjectId, Scope,
        ServerKey, SessionId, SourceId, ToolKey, ToolName, WorkId, WorkKey,
    };
}

/// Revision numbers of the registry.
pub mod journal {
    pub use staleness_core::journal::Revision;
}

/// Knowledge items, and the evidence found in documents.
pub mod knowledge {
    pub use staleness_core::knowledge::{
        Block, Citation, Context, Document, Evidence, Fact, Item, ItemKind,
    };
}

/// Outcomes of tool uses.
pub mod outcome {
    pub use staleness_core::outcome::OutcomeKind;
}

/// Arguments and results of the methods of a [`Registry`].
pub mod registry {
    pub use staleness_core::registry::{
        Act, ByHand, FindRoutes, FindTools, FoundTools, ItemPatch, Learn, RecordReport, Resume,
        ResumeFrom, ScopeChoice, ScoredTool, ToolListing, Use, Verification, WorkListing,
        WorkPatch,
    };
}

/// Reports returned by the registry's methods.
pub mod report {
    pub use staleness_core::report::{
        Delta, DeltaItem, DeltaSource, DeltaSubject, Failing, HealthState, KnowledgeReport,
        NetChange, Redefined, RouteReport, ScanReport, SessionReport, StatusWord, Suggestion,
        ToolReport, WorkReport,
    };
}

/// Scans of client configurations.
pub mod scan {
    pub use staleness_core::scan::{Found, ProjectRef, Scan, SourceReading};
}

/// Agent sessions.
pub mod session {
    pub use staleness_core::session::{Session, SessionKey};
}

/// Configuration files that list tools.
pub mod source {
    pub use staleness_core::source::SourceState;
}

/// Tool kinds and states.
pub mod tool {
    pub use staleness_core::tool::{Hold, PresenceCause, Status, ToolKind};
}

/// Verdicts: how far something can be trusted, why, and what to do next.
pub mod verdict {
    pub use staleness_core::verdict::{Ground, Level, NextAction, Signal, SignalKind, Verdict};
}

/// Work items and reports on overdue ones.
pub mod work {
    pub use staleness_core::work::{NoteType, Overdue, Warning, Work, WorkKind, WorkStatus};
}
