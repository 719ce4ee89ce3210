//! Markdown documents: what they say of the project, and what of it is gone.
//!
//! [`check`] goes from a project to [`Document`](staleness_core::knowledge::Document)s: it finds the
//! files, reads them with a CommonMark parser, picks out what can be looked up (citations, flags,
//! paths, code identifiers) and asks the history of the project what became of it. What the
//! evidence means is decided in `staleness-core`.
//!
//! A document comes from whoever wrote the repository. Every read is bounded, nothing outside the
//! project is followed, and nothing in a file becomes an argument of a command.

mod check;
mod date;
pub mod disk;
mod draft;
mod files;
mod front;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
pub mod git;
mod nature;
mod options;
pub mod project;
mod report;
mod stored;
mod version;

pub use check::{check, project_version};
pub use files::retain_loaded_by;
pub use front::{Change, Field, FieldValue, SetError, set_fields, unquote};
pub use nature::{is_document, is_markdown};
pub use options::CheckOptions;
pub use report::{Cancelled, Counts, Note, Progress, Report, Skipped, Unlisted};
pub use stored::{ItemReport, cite, item_evidence, seen};
pub use version::declared_version;
