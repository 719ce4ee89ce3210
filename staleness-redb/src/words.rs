//! The numbers of words. Each list gives a word its place: lists are only ever appended to.

use staleness_core::ids::Level;
use staleness_core::journal::{Action, SubjectKind};
use staleness_core::knowledge::ItemKind;
use staleness_core::outcome::Mark;
use staleness_core::route::Precision;
use staleness_core::source::SourceState;
use staleness_core::store::StoreError;
use staleness_core::tool::{Hold, PresenceCause, ToolKind};
use staleness_core::work::{Aging, NoteType, WorkKind, WorkStatus};

use crate::codec::Bad;

pub(crate) const LEVELS: [Level; 4] = [Level::User, Level::Project, Level::Local, Level::Live];
pub(crate) const TOOL_KINDS: [ToolKind; 8] = [
    ToolKind::Builtin,
    ToolKind::McpServer,
    ToolKind::McpTool,
    ToolKind::SlashCommand,
    ToolKind::Skill,
    ToolKind::Plugin,
    ToolKind::Agent,
    ToolKind::Unknown,
];
pub(crate) const CAUSES: [PresenceCause; 8] = [
    PresenceCause::Configured,
    PresenceCause::Used,
    PresenceCause::ServerReturned,
    PresenceCause::RemovedFromConfig,
    PresenceCause::Disabled,
    PresenceCause::ServerRemoved,
    PresenceCause::ServerDisabled,
    PresenceCause::NotListed,
];
pub(crate) const HOLDS: [Hold; 4] = [Hold::None, Hold::Demoted, Hold::Pinned, Hold::Ignored];
pub(crate) const MARKS: [Mark; 4] =
    [Mark::Success, Mark::Failure, Mark::Interrupted, Mark::Offline];
pub(crate) const STATES: [SourceState; 4] =
    [SourceState::Read, SourceState::Missing, SourceState::Partial, SourceState::Failed];
pub(crate) const ITEM_KINDS: [ItemKind; 5] = [
    ItemKind::Knowledge,
    ItemKind::Preference,
    ItemKind::Todo,
    ItemKind::Reference,
    ItemKind::Document,
];
/// The numbers of a vector, whose length is 1: a form in which it is not would be one of its own.
pub(crate) const FORMS: [Precision; 2] = [Precision::F32, Precision::F64];
pub(crate) const WORK_KINDS: [WorkKind; 7] = [
    WorkKind::Plan,
    WorkKind::Trap,
    WorkKind::Constraint,
    WorkKind::Handoff,
    WorkKind::Candidate,
    WorkKind::Note,
    WorkKind::Decision,
];
pub(crate) const WORK_STATES: [WorkStatus; 15] = [
    WorkStatus::Todo,
    WorkStatus::InProgress,
    WorkStatus::Blocked,
    WorkStatus::Done,
    WorkStatus::Dropped,
    WorkStatus::Active,
    WorkStatus::Resolved,
    WorkStatus::Open,
    WorkStatus::Accepted,
    WorkStatus::Closed,
    WorkStatus::Pending,
    WorkStatus::Rejected,
    WorkStatus::Visible,
    WorkStatus::Archived,
    WorkStatus::Made,
];
pub(crate) const NOTES: [NoteType; 3] =
    [NoteType::Observation, NoteType::SessionStart, NoteType::SessionEnd];
/// In the keys of an index only.
pub(crate) const AGINGS: [Aging; 7] = [
    Aging::InProgress,
    Aging::Waiting,
    Aging::Expiring,
    Aging::Unanswered,
    Aging::Proposed,
    Aging::Generated,
    Aging::Observed,
];
pub(crate) const SUBJECTS: [SubjectKind; 4] =
    [SubjectKind::Tool, SubjectKind::Project, SubjectKind::Item, SubjectKind::Work];
pub(crate) const ACTIONS: [Action; 20] = [
    Action::Added,
    Action::Absent,
    Action::Present,
    Action::Failing,
    Action::Recovered,
    Action::Demoted,
    Action::Restored,
    Action::Pinned,
    Action::Ignored,
    Action::Forgotten,
    Action::Edited,
    Action::Verified,
    Action::Superseded,
    Action::Contradicted,
    Action::Done,
    Action::Removed,
    Action::Moved,
    Action::Stepped,
    Action::Resolved,
    Action::Reopened,
];

/// The number of a word.
pub(crate) fn number<T: PartialEq>(words: &[T], word: &T) -> Result<u8, StoreError> {
    let place = words.iter().position(|known| known == word);
    place
        .and_then(|place| u8::try_from(place).ok())
        .ok_or(StoreError::Unsupported("a word that is newer than its format"))
}

/// The word of a number.
pub(crate) fn word<T: Copy>(words: &[T], number: u8, field: &'static str) -> Result<T, Bad> {
    words.get(usize::from(number)).copied().ok_or(Bad(field))
}
