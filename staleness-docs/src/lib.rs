//! Checks documents for names of things that their project no longer has, using its files and git history.
//!
//! A check needs no registry, no client and no settings, only a folder. With git there is more evidence, and each piece
//! names its commit. A check runs in stages. Each is a function of the result of the previous one:
//!
//! | stage | function | input | output |
//! |---|---|---|---|
//! | files | `files::find` | a project, its tracked files, patterns | the files to check, and the skipped ones |
//! | drafts | `draft::read` | the text of a file | its blocks, and the names in each |
//! | questions | `Check::questions` | a draft, and the names that exist nowhere now | citations and words, by block |
//! | answers | `Check::answers` | the questions about many documents | the things that were removed, and when |
//! | evidence | `Check::document` | the answers about one document | a [`Document`] with the evidence against its blocks |
//!
//! [`check`] runs the stages over a whole project in bounded memory, and [`item_evidence`] over items of the store.
//! [`git::Repo`] answers questions about the history alone, and [`set_fields`] edits front matter. `staleness-core`
//! derives verdicts from evidence: see [`Document::judge`].
//!
//! Documents are untrusted. Every read is bounded and goes through [`disk`], no path outside the project is followed,
//! and nothing in a file becomes an argument of a command. No program other than git is run.
//!
//! # Examples
//! A file was renamed after `AGENTS.md` was written:
//!
//! ```
//! use std::ops::ControlFlow;
//! # use std::{fs, process::Command};
//!
//! use staleness_core::Timestamp;
//! use staleness_core::knowledge::Fact;
//! use staleness_docs::git::{LazyRepo, Limits, Program};
//! use staleness_docs::project::ProjectPlace;
//! use staleness_docs::{CheckOptions, check};
//!
//! # let temp = tempfile::tempdir()?;
//! # let folder = temp.path();
//! # let git = |arguments: &[&str]| {
//! #     let mut git = Command::new("git");
//! #     git.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
//! #     git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments);
//! #     assert!(git.status().unwrap().success());
//! # };
//! # git(&["init", "--quiet"]);
//! # fs::write(folder.join("router.py"), "def route(path):\n    return path\n")?;
//! # fs::write(folder.join("AGENTS.md"), "Routes are in `router.py`.\n")?;
//! # git(&["add", "--all"]);
//! # git(&["commit", "--quiet", "--message", "one"]);
//! # git(&["mv", "router.py", "routing.py"]);
//! # git(&["commit", "--quiet", "--message", "two"]);
//! let place = ProjectPlace::of_folder(folder);
//! // `LazyRepo::default()` for a check without git.
//! let mut repo = LazyRepo::new(Program::of_environment(), folder, Limits::default());
//! let now = Timestamp::from_millis(4_000_000_000_000);
//! let report = check(&place, &mut repo, &CheckOptions::new(now), &mut |_| ControlFlow::Continue(()))?;
//!
//! for document in &report.documents {
//!     for evidence in document.found.iter().flat_map(|block| &block.evidence) {
//!         println!("{}, line {:?}: {:?}", document.key.path, evidence.line, evidence.fact);
//!     }
//! }
//! let fact = &report.documents[0].found[0].evidence[0].fact;
//! let Fact::SourceMissing { citation, renamed_to, commit, .. } = fact else { panic!("{fact:?}") };
//! assert_eq!(citation.path, "router.py");
//! assert_eq!(renamed_to.as_deref(), Some("routing.py"));
//! assert_eq!(*commit, report.head);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Document`]: staleness_core::knowledge::Document
//! [`Document::judge`]: staleness_core::knowledge::Document::judge

mod check;
pub mod checkout;
mod commands;
mod date;
pub mod disk;
mod draft;
mod files;
mod fix;
mod front;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
pub mod git;
mod manifest;
mod nature;
mod options;
mod paths;
pub mod project;
mod report;
mod stored;
mod symbols;
mod text;
mod version;

pub use check::{check, project_version};
pub use date::parse as parse_date;
pub use files::{instruction_files, retain_loaded_by, session_files, take_disk};
pub use fix::{Edit, Mend, mend, mended};
pub use front::{
    Change, Field, FieldValue, FrontValue, SetError, front_matter, front_text, set_fields,
};
pub use manifest::JSONC_OPTIONS;
pub use nature::{is_checked, is_for_agents, is_loaded_by, is_markdown};
pub use options::CheckOptions;
pub use report::{
    Blind, Cancelled, Counts, Impact, Note, Progress, Report, Skipped, Touched, TouchedName,
    Unlisted, remedy,
};
pub use stored::{ItemReport, cite, item_evidence, seen};
pub use text::{Fate, MissingName, TextReport, check_text};
pub use version::declared_version;
