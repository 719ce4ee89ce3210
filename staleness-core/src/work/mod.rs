//! Work items: plans, traps, constraints, handoffs, candidates, notes and decisions. Finds the overdue ones.
//!
//! This module never changes an item on its own. [`Work::flag`] reports overdue items and [`Warning`] says how to
//! resolve them; a person or an agent decides.

mod claim;
mod flag;
mod item;
mod limits;
mod policy;
mod report;
mod status;

pub(crate) use claim::ran_out;
pub use claim::{Claim, ClaimEnd, LostClaim, holder_before};
pub use flag::{Aging, Flag, Overdue};
pub use item::{NoteType, Work, WorkStep};
pub(crate) use policy::Rules;
pub use policy::{WorkOverride, WorkPolicy};
pub use report::Warning;
pub(crate) use report::{beginning, is_due, referred};
pub use status::{WorkKind, WorkStatus};
