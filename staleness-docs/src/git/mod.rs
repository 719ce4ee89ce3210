//! The history of a project, asked of the `git` program.
//!
//! Only what is committed counts: the commit that is checked out (`HEAD`) and its first parents. Files on
//! disk are not read here; where their lines matter, the caller hands in their text. `Repo::take_disk` lets
//! git make a commit of them that this process alone sees.
//!
//! | question | method |
//! |---|---|
//! | which files are tracked? | [`Repo::tracked`] |
//! | do these words exist in the project now? | [`Repo::missing`] |
//! | when did these files come, and when were they edited last? | [`Repo::lives`] |
//! | when was each of these blocks of a document last edited? | [`Repo::date`] |
//! | did these words exist then, and who removed them? | [`Repo::trace`] |
//! | did these words ever exist? | [`Repo::ever`] |
//! | does a citation still hold? | [`Repo::cited`] |
//! | was this part of a file ever there, and who removed it? | [`Repo::parts`] |
//! | what was checked out at that time? | [`Repo::commit_at`] |
//! | which documents and lines changed since a revision? | [`Repo::since`] |
//!
//! Every question is asked for many at once: git is slow to start and quick to stream. A long
//! question reports how far it is and can be ended: see [`Watch`].
//!
//! A repository is other people's work. Git is started with fixed arguments and ids of its own
//! only, with settings that keep a repository from running anything; what cannot be read is counted
//! in [`Unread`], and no answer is made from it.
//!
//! Each part is a folder whose `mod.rs` is its interface, and uses only parts that stand above it here:
//!
//! | part | is about |
//! |---|---|
//! | `process` | a running git: its start, its answers, its bounds, its end |
//! | `objects` | commits, trees and files by their ids |
//! | `symbols`, `lines` | the text of a file: names and definitions, lines of two versions; no git |
//! | `history` | the list of commits, what each changed, and what follows from that |
//! | `renames` | where removed files are now |
//! | `search`, `citations` | the two large questions: words, and cited lines and symbols |
//! | `parts` | named parts of files, such as headings, that a reader finds in each version |
//! | `repo`, `lazy_repo` | [`Repo`], which holds what each part remembers, and [`LazyRepo`], which opens it once |

mod citations;
mod history;
mod lazy_repo;
mod lines;
mod objects;
mod parts;
mod process;
mod renames;
mod repo;
mod search;
mod symbols;

pub(crate) use citations::seen_in;
pub use citations::{CitationQuery, Cite, cited_digest};
pub(crate) use history::Origin;
pub use history::{
    Anchor, ChangedDocument, ChangedFile, Dated, DatingQuery, Life, LifeQuery, Limits, Since,
    Tracked, TrackedKind, text_digest,
};
pub use lazy_repo::LazyRepo;
pub(crate) use objects::Store;
pub use objects::{Commit, Oid, Unread};
pub use parts::{Part, PartFate, PartQuery, Reader};
pub use process::{GitError, ProcessLimits, Program, Progress, Stage, Watch, Watchdog};
pub use repo::Repo;
pub use search::{Trace, WordQuery};
pub use symbols::Word;
pub(crate) use symbols::{Wanted, is_of_others};
