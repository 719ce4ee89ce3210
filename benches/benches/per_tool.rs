//! Tools: what is done to one of them, and looking for one or a few, where 100 to 1,000,000 were seen in use, each
//! once.
//!
//! `cargo bench -p staleness-benches --bench per_tool [-- --quick]` draws two plots in `docs/plots`; a short run
//! leaves them alone.

use std::collections::BTreeMap;

use staleness::ids::ToolName;
use staleness::outcome::OutcomeKind;
use staleness::registry::{ByHand, FindTools, ScopeChoice, Use};
use staleness::scan::Scan;
use staleness::tool::Hold;
use staleness_benches::collections::{Collection, Page, Site, draw};
use staleness_benches::race::timed;
use staleness_benches::{QUESTION, fill};

const TOOLS: Collection = Collection {
    name: "tools",
    grow: |site, range| fill(&site.registry, &site.project, range.end, range),
    pages: &[
        Page {
            name: "tools-acts",
            title: "what is done to one tool",
            verbs: &[
                ("record, told", |site, size| {
                    let name = used(site.some(size));
                    let one = use_of(site, name);
                    timed(|| site.registry.record(one).expect("it is recorded"))
                }),
                ("pin", |site, size| hold(site, size, Hold::Pinned)),
                ("ignore", |site, size| hold(site, size, Hold::Ignored)),
                ("demote", |site, size| hold(site, size, Hold::Demoted)),
                ("restore", |site, size| {
                    let name = used(site.some(size));
                    let pinned = by_hand(site, name.clone());
                    site.registry.set_hold(pinned, Hold::Pinned).expect("it is pinned");
                    let by_hand = by_hand(site, name);
                    timed(|| site.registry.set_hold(by_hand, Hold::None).expect("it is restored"))
                }),
                ("forget", |site, _| {
                    let name = ToolName::new(format!("new-{}", site.acts())).expect("a valid name");
                    let one = use_of(site, name.clone());
                    site.registry.record_quietly(one).expect("it is recorded");
                    let by_hand = by_hand(site, name);
                    timed(|| site.registry.forget(by_hand).expect("it is forgotten"))
                }),
            ],
        },
        Page {
            name: "tools-looks",
            title: "looking for one tool, or a few",
            verbs: &[
                ("show", |site, size| {
                    let keys = by_hand(site, used(site.some(size))).keys();
                    timed(|| site.registry.show(&site.project, &keys, site.now()).expect("a tool"))
                }),
                ("by a name", |site, size| {
                    drop(site.act());
                    let name = used(site.some(size));
                    let find =
                        || site.registry.find_key(site.id(), name.as_str(), ScopeChoice::Either);
                    timed(|| find().expect("a tool"))
                }),
                ("history", |site, size| {
                    let keys = by_hand(site, used(site.some(size))).keys();
                    timed(|| site.registry.history(&keys, 50).expect("a history"))
                }),
                ("most alike", |site, _| {
                    timed(|| site.registry.nearest(&site.project, "toool77").expect("a name"))
                }),
                ("suggest", |site, _| {
                    let find = FindTools::by_words(QUESTION, 10);
                    let asked = || site.registry.suggest_tools(&site.project, find, site.now());
                    timed(|| asked().expect("tools"))
                }),
                ("preview a scan", |site, _| {
                    let scan = Scan {
                        project: site.project.clone(),
                        sources: Vec::new(),
                        indexes: Vec::new(),
                        read_under: BTreeMap::new(),
                        at: site.now(),
                        session: None,
                        client: None,
                    };
                    timed(|| site.registry.preview_scan(scan).expect("a preview"))
                }),
            ],
        },
    ],
};

/// The name of a tool that was seen in use.
fn used(at: usize) -> ToolName {
    ToolName::new(format!("mcp__server{}__tool{at}", at % 12)).expect("a valid name")
}

fn use_of(site: &Site, name: ToolName) -> Use {
    let act = site.act();
    Use::new(act.op, name, OutcomeKind::Success, act.at, site.project.clone())
}

fn by_hand(site: &Site, name: ToolName) -> ByHand {
    let act = site.act();
    ByHand {
        op: act.op,
        name,
        scope: ScopeChoice::Either,
        project: site.project.clone(),
        at: act.at,
        note: None,
        session: None,
        actor: None,
    }
}

fn hold(site: &Site, size: usize, hold: Hold) -> f64 {
    let by_hand = by_hand(site, used(site.some(size)));
    timed(|| site.registry.set_hold(by_hand, hold).expect("it is held"))
}

fn main() {
    draw("per_tool", env!("CARGO_TARGET_TMPDIR"), &[TOOLS]);
}
