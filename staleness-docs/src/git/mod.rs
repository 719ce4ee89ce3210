//! Answers questions about the history of a project by running the `git` program.
//!
//! Only commits count: the checked-out one (`HEAD`) and its first parents. Files on disk are not read here;
//! if their lines matter, the caller passes their text. `Repo::take_disk` lets git make a private commit of
//! them.
//!
//! | question | method |
//! |---|---|
//! | which files are tracked? | [`Repo::tracked`] |
//! | do these words exist in the project now? | [`Repo::missing`] |
//! | when were these files added and last edited? | [`Repo::lives`] |
//! | when was each of these blocks of a document last edited? | [`Repo::date`] |
//! | did these words exist then, and which commit removed them? | [`Repo::trace`] |
//! | did these words ever exist? | [`Repo::ever`] |
//! | does a citation still hold? | [`Repo::cited`] |
//! | did this part of a file ever exist, and which commit removed it? | [`Repo::parts`] |
//! | what was checked out at that time? | [`Repo::commit_at`] |
//! | which documents and lines changed since a revision? | [`Repo::since`] |
//!
//! Every method takes many queries at once, because git is slow to start but fast to stream. A long query
//! reports its progress and can be cancelled: see [`Watch`].
//!
//! A repository is untrusted. Git gets only fixed arguments and ids, and settings that keep a repository from
//! running programs. Objects that cannot be read are counted in [`Unread`], and no answer relies on them.
//!
//! Each part is a folder with its interface in `mod.rs`, and uses only parts above it in this table:
//!
//! | part | contents |
//! |---|---|
//! | `process` | a running git: its start, output, limits and end |
//! | `objects` | commits, trees and files by id |
//! | `lines` | the lines of two versions of a file; no git |
//! | `history` | the list of commits, the changes of each, and the answers derived from them |
//! | `renames` | the current paths of removed files |
//! | `search`, `citations` | the two large queries: words, and cited lines and symbols |
//! | `parts` | named parts of files, such as headings, that a reader finds in each version |
//! | `repo`, `lazy_repo` | [`Repo`] with the caches of all parts, and [`LazyRepo`], which opens it once |

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

pub use crate::symbols::Word;
pub(crate) use citations::seen_in;
pub use citations::{CitationQuery, Cite, cited_digest};
pub(crate) use history::Origin;
pub use history::{
    Anchor, ChangedDocument, ChangedFile, Dated, DatingQuery, Life, LifeQuery, Limits, Since,
    Tracked, text_digest,
};
pub use lazy_repo::LazyRepo;
pub(crate) use objects::Store;
pub use objects::{Commit, Oid, TrackedKind, Unread};
pub use parts::{Part, PartFate, PartQuery, Reader};
pub use process::{GitError, ProcessLimits, Program, Watch, Watchdog};
pub use repo::Repo;
pub use search::{Trace, WordQuery};
