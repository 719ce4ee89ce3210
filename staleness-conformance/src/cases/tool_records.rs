//! Tools: every record that can be built comes back as it was put.

use staleness_core::ids::{Level, MAX_ID_BYTES};
use staleness_core::outcome::Mark;
use staleness_core::store::{Selection, ToolFilter};
use staleness_core::time::Timestamp;
use staleness_core::tool::{
    Failing, Health, Hold, Holding, Presence, PresenceCause, RING_CAPACITY, Ring, RingEntry, Tool,
    ToolKind,
};

use crate::case::Case;
use crate::context::{Context, act, see};
use crate::rows::{AWKWARD, at, failing, global, local, name, server, source_id, tool};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("tools::kinds_causes_and_holds_round_trip", every_variant),
    Case::new("tools::numbers_and_times_at_their_limits_round_trip", extremes),
    Case::new("tools::rings_of_every_length_round_trip", rings),
    Case::new("tools::holdings_keep_their_order", holdings),
    Case::new("tools::long_and_awkward_texts_round_trip", texts),
    Case::new("tools::awkward_names_stay_apart", awkward_names),
    Case::new("tools::health_round_trips", health),
];

/// Puts tools one by one and together, and reads each back.
#[track_caller]
fn round_trip(context: &Context, tools: Vec<Tool>) {
    let store = context.store();
    act(store, Write::new().tools(tools.clone()));
    for row in &tools {
        let seen = see(store, Selection::new().peek(ToolFilter::Key(row.key.clone())));
        assert_eq!(seen.tools.get(&row.key), Some(row));
        assert_eq!(seen.tools.len(), 1);
    }
    let seen = see(store, Selection::new().peek(ToolFilter::All));
    assert_eq!(seen.tools.len(), tools.len());
}

fn every_variant(context: &mut Context) {
    let mut tools = Vec::new();
    for kind in ToolKind::ALL {
        for cause in PresenceCause::ALL {
            for hold in Hold::ALL {
                let text = format!("{} {} {}", kind.as_str(), cause.as_str(), hold.as_str());
                let mut row = tool(global(text));
                row.kind = kind;
                row.presence = Presence::new(cause, at(8));
                row.presence.revived = hold == Hold::Ignored;
                row.hold = hold;
                tools.push(row);
            }
        }
    }
    round_trip(context, tools);
}

fn extremes(context: &mut Context) {
    let mut most = tool(global("most"));
    most.uses = u64::MAX;
    most.discovered_at = Timestamp::MAX;
    most.updated_at = Timestamp::MAX;
    most.last_used_at = Some(Timestamp::MAX);
    most.presence.since = Timestamp::MAX;
    let mut least = tool(global("least"));
    least.discovered_at = Timestamp::MIN;
    least.updated_at = Timestamp::MIN;
    least.last_used_at = Some(Timestamp::MIN);
    least.presence.since = Timestamp::MIN;
    let mut middle = tool(global("middle"));
    middle.uses = 1 << 63;
    middle.last_used_at = Some(at(0));
    middle.presence.since = at(-1);
    round_trip(context, vec![most, least, middle]);
}

fn rings(context: &mut Context) {
    let entry = |turn: usize| RingEntry {
        mark: Mark::ALL[turn % Mark::ALL.len()],
        at: [Timestamp::MAX, at(turn as i64), Timestamp::MIN, at(0)][turn % 4],
        op: [u64::MAX, 0, 1 << 63, turn as u64][turn % 4],
    };
    let tools = (0..=RING_CAPACITY)
        .map(|length| {
            let mut row = tool(global(format!("ring of {length}")));
            row.ring = Ring::from_entries((0..length).map(entry));
            row
        })
        .collect();
    round_trip(context, tools);
}

fn holdings(context: &mut Context) {
    let mut all = Vec::new();
    for (turn, level) in Level::ALL.into_iter().enumerate() {
        for project in [None, Some("p"), Some("a'b%")] {
            for part in ["mcp", "plugin:a@b/skills \u{1f680}"] {
                let mut source = source_id(project, "client \"c\"", part);
                source.level = level;
                all.push(Holding { source, held: turn % 2 == 0, disabled: project.is_some() });
            }
        }
    }
    let mut forwards = tool(local("p", "forwards"));
    forwards.holdings.clone_from(&all);
    all.reverse();
    let mut backwards = tool(local("p", "backwards"));
    backwards.holdings.clone_from(&all);
    let mut one = tool(local("p", "one"));
    one.holdings = vec![all[0].clone()];
    round_trip(context, vec![forwards, backwards, one]);
}

fn texts(context: &mut Context) {
    let texts = [
        String::new(),
        " ".into(),
        "\u{1f680}".repeat(Tool::MAX_DESCRIPTION_CHARS),
        "line one\nline two\r\n\ttab, \"quotes\", 'quotes', \\ and %_*?".into(),
        "\u{202e}right to left\u{200f} e\u{301} \u{e9} \u{feff}".into(),
        "'; DROP TABLE tools; --".into(),
        "{\"json\": [null, 1]}".into(),
    ];
    let mut tools: Vec<Tool> = texts
        .iter()
        .enumerate()
        .map(|(turn, text)| {
            let mut row = failing(tool(global(format!("text {turn}"))));
            row.description = Some(text.clone());
            row.health.failing = Some(Failing { since: at(9), cause: text.clone() });
            row
        })
        .collect();
    let longest = "\u{1f680}".repeat(MAX_ID_BYTES / 4);
    let mut row = tool(local(&longest, &longest));
    row.server = Some(server(&longest));
    row.plugin = Some(name(&longest));
    tools.push(row);
    round_trip(context, tools);
}

fn awkward_names(context: &mut Context) {
    let mut tools = Vec::new();
    for (turn, text) in AWKWARD.into_iter().enumerate() {
        let mut row = tool(global(text));
        row.uses = turn as u64;
        row.server = Some(server(text));
        row.plugin = Some(name(text));
        let mut own = row.clone();
        own.key = local(text, text);
        own.uses += 1_000;
        tools.extend([row, own]);
    }
    round_trip(context, tools);
}

fn health(context: &mut Context) {
    let mut tools = vec![failing(tool(global("failing")))];
    for (turn, (demotions, window, last)) in [
        (0, 0, None),
        (1, 1, Some(Timestamp::MIN)),
        (u32::MAX, RING_CAPACITY as u8, Some(Timestamp::MAX)),
        (1 << 31, 5, Some(at(0))),
    ]
    .into_iter()
    .enumerate()
    {
        for since in [None, Some(Timestamp::MIN), Some(Timestamp::MAX)] {
            let mut row = tool(global(format!("{turn} {since:?}")));
            row.health = Health {
                failing: since.map(|since| Failing { since, cause: "cause".into() }),
                demotions,
                last_demoted_at: last,
                window,
            };
            tools.push(row);
        }
    }
    round_trip(context, tools);
}
