//! Thresholds for tools.

use super::DemotionRule;
use crate::thresholds::thresholds;

thresholds! {
    /// Thresholds for the demotion, probation and verdicts of tools.
    ToolPolicy {
        /// The rule by which failures demote a tool.
        rule: DemotionRule = DemotionRule::default(),
        /// True if failures may demote a tool.
        demote: bool = true,
        /// True if the failure window restarts when a tool recovers or is restored.
        window_restarts_on_restore: bool = false,
        /// The number of days without being seen after which a tool ranks lower and needs a review.
        unseen_days: u32 = 30,
        /// The minimum cool-down before a demoted tool may be suggested again, in minutes.
        probation_minutes: u32 = 60,
        /// The maximum cool-down, in hours.
        probation_max_hours: u32 = 24,
        /// The number of days without a demotion after which the cool-down is reset to its minimum.
        probation_reset_days: u32 = 7,
        /// The freshness of a tool that was not seen for `unseen_days`, and of a server that did not list its tools or
        /// had a problem doing so.
        freshness_unseen: f64 = 0.5,
        /// The freshness of a tool with a changed definition that nobody has accepted yet.
        freshness_changed: f64 = 0.5,
        /// The freshness of an absent tool.
        freshness_absent: f64 = 0.2,
        /// The freshness of a failing tool.
        freshness_failing: f64 = 0.2,
        /// The freshness of a tool that is absent and failing.
        freshness_both: f64 = 0.1,
    }
    /// Overrides for a [`ToolPolicy`]. Fields that are `None` keep the value of the policy.
    or ToolOverride {}
}

thresholds! {
    /// The conditions under which failures are blamed on the machine.
    OutagePolicy {
        /// The minimum number of distinct MCP servers used within the window.
        min_servers: u16 = 3,
        /// The length of the window, in minutes.
        window_minutes: u32 = 10,
        /// The limit, in percent: the machine counts as offline if the last call failed on more than this share of
        /// these servers.
        percent: u8 = 50,
    }
}
