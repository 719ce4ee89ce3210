//! The thresholds of tools.

use serde::{Deserialize, Serialize};

use super::DemotionRule;

macro_rules! tool_policy {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $default:expr,)*) => {
        /// Demotion, probation and verdicts of tools.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct ToolPolicy {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Default for ToolPolicy {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        /// A [`ToolPolicy`] in which only the fields that differ are set.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct ToolOverride {
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>,)*
        }

        impl ToolOverride {
            pub(crate) fn apply(&self, policy: &mut ToolPolicy) {
                $(if let Some(value) = &self.$field { policy.$field = value.clone(); })*
            }
        }
    };
}

tool_policy! {
    /// The rule by which failures demote.
    rule: DemotionRule = DemotionRule::default(),
    /// True if failures demote at all.
    demote: bool = true,
    /// True if the failure window starts afresh when a tool recovers or is restored.
    window_restarts_on_restore: bool = false,
    /// Days without being seen after which a tool sinks and wants a look.
    unseen_days: u32 = 30,
    /// Minutes before a demoted tool may be suggested again.
    probation_minutes: u32 = 60,
    /// The longest cool-down, in hours.
    probation_max_hours: u32 = 24,
    /// Days without a demotion after which the cool-down starts at its shortest again.
    probation_reset_days: u32 = 7,
    /// Freshness of a tool that was not seen for `unseen_days`.
    freshness_unseen: f64 = 0.5,
    /// Freshness of a tool whose server changed it, until a person accepts that.
    freshness_changed: f64 = 0.5,
    /// Freshness of an absent tool.
    freshness_absent: f64 = 0.2,
    /// Freshness of a failing tool.
    freshness_failing: f64 = 0.2,
    /// Freshness of a tool that is absent and failing.
    freshness_both: f64 = 0.1,
}

/// When failures are blamed on the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutagePolicy {
    /// Distinct MCP servers that must have been used.
    pub min_servers: u16,
    /// The time that is looked at, in minutes.
    pub window_minutes: u32,
    /// More than this share of them, in percent, must have failed last.
    pub percent: u8,
}

impl Default for OutagePolicy {
    fn default() -> Self {
        Self { min_servers: 3, window_minutes: 10, percent: 50 }
    }
}
