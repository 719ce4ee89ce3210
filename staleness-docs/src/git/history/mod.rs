//! The history of a project: its commits, the changes of each, and the answers derived from them.

mod changes;
mod commits;
mod dates;
mod disk;
mod follow;
mod life;
mod limits;
mod origin;
mod raw;
mod renames;
mod since;
mod timeline;
mod tracked;
mod trails;

pub use dates::{Dated, DatingQuery};
pub use life::{Life, LifeQuery, text_digest};
pub use limits::Limits;
pub use since::{ChangedDocument, ChangedFile, Since};
pub use timeline::Anchor;
pub use tracked::Tracked;

pub(crate) use changes::{Changed, Changes, Held};
pub(crate) use commits::{Past, between};
pub(crate) use origin::Origin;
pub(crate) use renames::{Asker, Renames, merge_base};
pub(crate) use timeline::History;
