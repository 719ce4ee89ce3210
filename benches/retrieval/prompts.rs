//! Measures unsolicited suggestions for prompts: how often they are right, and how often a tool is suggested
//! when none was meant.

use staleness::ids::{Level, OpId, SessionId, ToolName};
use staleness::registry::Learn;
use staleness::scan::{Found, ProjectRef};
use staleness::{Registry, Timestamp, Wait};
use staleness_benches::{START, registry, scan};

use crate::data::{Case, Data};

/// Prompts for a coding agent that need none of the tools, one per line. Chosen before anything was measured.
const EVERYDAY: &str = include_str!("data/everyday.txt");

/// Prints the answers to prompts after each number of learned queries.
pub(crate) fn table(data: &Data, steps: &[usize]) {
    println!(
        "\nPrompts: {} questions, each a prompt of a session of its own, and {} everyday ones\n",
        data.test.len(),
        EVERYDAY.lines().count()
    );
    println!(
        "| learned for each tool | answered | of these: a named tool is right | the first is right \
         | tools named | everyday prompts answered |"
    );
    println!("|---|---|---|---|---|---|");
    for step in steps {
        let shop = Shop::new(data, &data.learned(*step, |_| true));
        let answers = data.test.iter().map(|case| (case, shop.named(data, &case.query)));
        let answered: Vec<(&Case, Vec<usize>)> =
            answers.filter(|(_, named)| !named.is_empty()).collect();
        let count = |is: fn(&Case, &[usize]) -> bool| {
            answered.iter().filter(|(case, named)| is(case, named)).count()
        };
        let right = count(|case, named| named.iter().any(|at| case.accepted.contains(at)));
        let first = count(|case, named| case.accepted.contains(&named[0]));
        let named: usize = answered.iter().map(|(_, named)| named.len()).sum();
        let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
        println!(
            "| {step} | {:.0} % | {:.0} % | {:.0} % | {:.1} | {} |",
            share(answered.len(), data.test.len()),
            share(right, answered.len()),
            share(first, answered.len()),
            named as f64 / answered.len().max(1) as f64,
            EVERYDAY.lines().filter(|prompt| !shop.named(data, prompt).is_empty()).count(),
        );
    }
}

/// A project with all tools of the set.
struct Shop {
    registry: Registry,
    project: ProjectRef,
}

impl Shop {
    fn new(data: &Data, learned: &[(usize, &str)]) -> Self {
        let project = ProjectRef::of_root("/bench");
        let registry = registry("memory:");
        let found = data.tools.iter().map(|tool| {
            let own = tool.name.as_str().splitn(3, "__").nth(2).expect("a tool of a server");
            let found = Found::server_tool(&tool.server, own).expect("a valid name");
            found.described(Some(&tool.description))
        });
        scan(&registry, project.clone(), (Level::Live, "tools"), found.collect(), now());
        for (at, (tool, query)) in learned.iter().enumerate() {
            let op = OpId::new(format!("learn-{at}")).expect("a valid id");
            let learn = Learn::new(op, *query, data.tools[*tool].name.clone(), now());
            registry.routes().learn(&project, learn).wait().expect("it is learned");
        }
        Self { registry, project }
    }

    /// Returns the indexes of the tools suggested for a prompt.
    fn named(&self, data: &Data, prompt: &str) -> Vec<usize> {
        let session = SessionId::new("s").expect("a valid id");
        let named =
            self.registry.tools().suggest_for_prompt(&self.project, &session, prompt, now()).wait();
        let place = |name: &ToolName| data.place(name);
        named.expect("an answer").iter().map(|each| place(&each.tool)).collect()
    }
}

fn now() -> Timestamp {
    Timestamp::from_millis(START)
}
