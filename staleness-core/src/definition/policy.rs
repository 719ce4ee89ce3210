//! The policy for changed definitions.

use serde::{Deserialize, Serialize};

use super::ChangeClass;
use crate::thresholds::thresholds;
use crate::tool::ListingState;

/// The treatment of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Treatment {
    /// The change is only counted, and recorded in the journal.
    Count,
    /// The tool may be used. It needs a review until a person accepts the change.
    Review,
    /// The tool is stale until a person accepts the change, and checks against a lock file fail.
    #[serde(alias = "fail")]
    Stale,
}

thresholds! {
    /// The treatment of each class of change.
    DefinitionPolicy {
        /// Treatment of a change in wording only.
        wording: Treatment = Treatment::Count,
        /// Treatment of a change after which the tool accepts more input.
        widened: Treatment = Treatment::Review,
        /// Treatment of a change after which the tool accepts less input.
        narrowed: Treatment = Treatment::Review,
        /// Treatment of a change after which the tool may have more effects.
        effects: Treatment = Treatment::Stale,
        /// Treatment of a suspicious change.
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
    /// Returns true if a change of this class awaits a person's decision.
    pub(crate) fn waits(&self, class: ChangeClass) -> bool {
        self.of(class) != Treatment::Count
    }

    /// Returns the state of a listed tool whose definition has a pending change of this class, or none.
    pub(crate) fn state(&self, class: Option<ChangeClass>) -> ListingState {
        match class.map(|class| self.of(class)) {
            None | Some(Treatment::Count) => ListingState::Configured,
            Some(Treatment::Review) => ListingState::Changed,
            Some(Treatment::Stale) => ListingState::Withheld,
        }
    }
}
