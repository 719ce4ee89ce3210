//! The thresholds of work items.

use serde::{Deserialize, Serialize};

macro_rules! work_policy {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $default:expr,)*) => {
        /// After how long a work item is flagged, and what that means for its verdict.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct WorkPolicy {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Default for WorkPolicy {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        /// A [`WorkPolicy`] in which only the fields that differ are set.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct WorkOverride {
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>,)*
        }

        impl WorkOverride {
            /// Sets the fields that differ.
            pub fn apply(&self, policy: &mut WorkPolicy) {
                $(if let Some(value) = self.$field { policy.$field = value; })*
            }
        }
    };
}

work_policy! {
    /// Days without activity after which a plan in progress is flagged.
    in_progress_days: u32 = 7,
    /// Days without activity after which a plan that is to do or blocked is flagged.
    waiting_days: u32 = 30,
    /// Days after which an unanswered handoff is flagged.
    handoff_days: u32 = 14,
    /// Days after which an unanswered candidate of a person is flagged.
    candidate_days: u32 = 21,
    /// Days after which an unanswered candidate of a program is flagged.
    generated_candidate_days: u32 = 30,
    /// Days without activity after which an observation that has no date of expiry is flagged.
    observation_days: u32 = 30,
    /// Freshness of a flagged item.
    freshness_flagged: f64 = 0.3,
    /// Freshness of a flagged item that fresh work still refers to.
    freshness_softened: f64 = 0.5,
}
