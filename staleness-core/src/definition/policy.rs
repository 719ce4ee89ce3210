//! The treatment of a changed definition.

use serde::{Deserialize, Serialize};

use super::ChangeClass;
use crate::thresholds::thresholds;
use crate::tool::ListingState;

/// The treatment of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Treatment {
    /// It is counted and written to the journal.
    Count,
    /// The tool is offered, and asks for a look until a person accepts the change.
    Review,
    /// The tool is stale until a person accepts the change.
    Stale,
}

thresholds! {
    /// The treatment of each class of change.
    DefinitionPolicy {
        /// Other words.
        wording: Treatment = Treatment::Count,
        /// It takes more than before.
        widened: Treatment = Treatment::Review,
        /// It takes less than before.
        narrowed: Treatment = Treatment::Review,
        /// It may do more than before.
        effects: Treatment = Treatment::Stale,
        /// It says what no tool should say.
        suspicious: Treatment = Treatment::Stale,
    }
}

impl DefinitionPolicy {
    const fn of(&self, class: ChangeClass) -> Treatment {
        match class {
            ChangeClass::Wording => self.wording,
            ChangeClass::Widened => self.widened,
            ChangeClass::Narrowed => self.narrowed,
            ChangeClass::Effects => self.effects,
            ChangeClass::Suspicious => self.suspicious,
        }
    }
    /// Returns true if a change of this class waits for a person.
    pub(crate) fn waits(&self, class: ChangeClass) -> bool {
        self.of(class) != Treatment::Count
    }

    /// Returns the state of a tool in a live list with a change of this class, or with none.
    pub(crate) fn state(&self, class: Option<ChangeClass>) -> ListingState {
        match class.map(|class| self.of(class)) {
            None | Some(Treatment::Count) => ListingState::Configured,
            Some(Treatment::Review) => ListingState::Changed,
            Some(Treatment::Stale) => ListingState::Withheld,
        }
    }
}
