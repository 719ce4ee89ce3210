//! Ranking of tools by their recent successes in a project.

use std::cmp::{Ordering, Reverse};

use foldhash::HashMap;

use super::Context;
use crate::ids::ToolKey;
use crate::outcome::Mark;
use crate::tool::{Status, Tool, ToolKind};
use crate::verdict::round;

/// A tool with its ranking score and tie-breakers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankedTool<'a> {
    pub tool: &'a Tool,
    /// The status as reported.
    pub status: Status,
    /// The number of successes among the project's outcomes in the window.
    pub successes: u32,
    /// The score, 0..=1, rounded to 1e-9.
    pub score: f64,
    /// True if the tool was not seen for the policy's `unseen_days`.
    pub unseen: bool,
    pub uses: u64,
}

/// Compares two tools: by score, status, recently seen, kind, uses, newest, name, scope.
pub(crate) fn order(a: &RankedTool<'_>, b: &RankedTool<'_>) -> Ordering {
    let key = |each: &RankedTool<'_>| {
        (
            each.status,
            each.unseen,
            kind_order(each.tool.kind),
            Reverse(each.uses),
            Reverse(each.tool.discovered_at),
        )
    };
    b.score
        .total_cmp(&a.score)
        .then_with(|| key(a).cmp(&key(b)))
        .then_with(|| a.tool.key.name.cmp(&b.tool.key.name))
        .then_with(|| b.tool.key.scope.cmp(&a.tool.key.scope))
}

const fn kind_order(kind: ToolKind) -> u8 {
    match kind {
        ToolKind::McpServer => 0,
        ToolKind::SlashCommand => 1,
        ToolKind::Skill => 2,
        ToolKind::Plugin => 3,
        _ => 4,
    }
}

/// Scores `tools` by the counted outcomes of the context's project. Returns the best `limit` of them, in order.
///
/// The score is the number of the tool's successes among the project's last `ranking.window` counted outcomes, divided
/// by their number, times `not_active_factor` if the tool is stale or demoted, times `unseen_factor` if it was not seen
/// for `unseen_days`. A server's successes include those of its tools.
pub(crate) fn rank<'a>(
    context: &Context<'a>,
    tools: impl Iterator<Item = &'a Tool>,
    limit: usize,
) -> Vec<RankedTool<'a>> {
    let tally = Tally::of(context);
    let mut best: Vec<RankedTool<'a>> = tools.map(|tool| tally.score(context, tool)).collect();
    if limit < best.len() {
        best.select_nth_unstable_by(limit, order);
        best.truncate(limit);
    }
    best.sort_unstable_by(order);
    best
}

/// The numbers of successes in the project's window, by tool. An outcome counts once for the tool, once for its server,
/// and once for each credited tool.
struct Tally<'a> {
    counted: u32,
    successes: HashMap<&'a ToolKey, u32>,
}

impl<'a> Tally<'a> {
    fn of(context: &Context<'a>) -> Self {
        let window = context.policy().ranking.window;
        let mut tally = Self { counted: 0, successes: HashMap::default() };
        for outcome in context.view().last_of_project(context.project(), window) {
            tally.counted += 1;
            if outcome.mark != Mark::Success {
                continue;
            }
            // Credits never contain the tool itself or a server.
            let keys = outcome.credits.iter().chain([&outcome.tool]);
            for key in keys.chain(context.provider(&outcome.tool)) {
                *tally.successes.entry(key).or_default() += 1;
            }
        }
        tally
    }

    fn score(&self, context: &Context<'a>, tool: &'a Tool) -> RankedTool<'a> {
        let successes = self.successes.get(&tool.key).copied().unwrap_or(0);
        let ranking = &context.policy().ranking;
        let status = context.status(tool);
        let unseen = context.unseen_days(tool).is_some();
        let mut score = f64::from(successes) / f64::from(self.counted.max(1));
        if status != Status::Active {
            score *= ranking.not_active_factor;
        }
        if unseen {
            score *= ranking.unseen_factor;
        }
        RankedTool {
            tool,
            status,
            successes,
            score: round(score),
            unseen,
            uses: context.uses(tool),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ids::ToolName;
    use crate::time::Timestamp;
    use crate::tool::PresenceCause;

    proptest! {
        /// The order is antisymmetric, transitive and total.
        #[test]
        fn the_order_is_total(seeds in proptest::collection::vec(any::<[u8; 5]>(), 1..12)) {
            let tools: Vec<Tool> = seeds.iter().enumerate().map(|(at, seed)| {
                let key = ToolKey::global(ToolName::new(format!("t{at}")).unwrap());
                let kind = ToolKind::ALL[usize::from(seed[0]) % ToolKind::ALL.len()];
                let at = Timestamp::from_millis(i64::from(seed[1] % 2));
                Tool::new(key, kind, PresenceCause::Used, at)
            }).collect();
            let mut all: Vec<RankedTool<'_>> = seeds.iter().zip(&tools).map(|(seed, tool)| RankedTool {
                tool,
                status: Status::ALL[usize::from(seed[2]) % Status::ALL.len()],
                successes: 0,
                score: f64::from(seed[3] % 3) / 2.0,
                unseen: seed[4] % 2 == 0,
                uses: u64::from(seed[4] % 3),
            }).collect();
            all.sort_by(order);
            for (at, a) in all.iter().enumerate() {
                for (other, b) in all.iter().enumerate() {
                    prop_assert_eq!(order(a, b), at.cmp(&other));
                }
            }
        }
    }
}
