//! Markdown documents: what they say of the project, and what of it is gone.
//!
//! [`check`] goes from a project to [`Document`](staleness_core::knowledge::Document)s: it finds the
//! files, reads them with a CommonMark parser, picks out what can be looked up (citations, flags,
//! paths, code identifiers) and asks the history of the project what became of it. What the
//! evidence means is decided in `staleness-core`.
//!
//! A document comes from whoever wrote the repository. Every read is bounded, nothing outside the
//! project is followed, and nothing in a file becomes an argument of a command.

mod aside;
mod bytewise;
mod check;
pub mod date;
mod dependencies;
mod directive;
mod discover;
mod draft;
mod file;
mod front;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod history;
mod html;
mod ignored;
mod imports;
mod instructions;
mod markdown;
mod names;
mod nature;
mod options;
mod place;
mod report;
mod spans;
mod stored;
mod target;
mod traps;
mod words;

pub use check::{check, project_version};
pub use front::{Change, Field, FieldValue, SetError, set_fields};
pub use instructions::retain_loaded_by;
pub use nature::{is_document, is_markdown};
pub use options::CheckOptions;
pub use report::{Cancelled, Counts, Note, Progress, Report, Skipped, Unlisted};
pub use stored::{ItemReport, cite, item_evidence, seen};
