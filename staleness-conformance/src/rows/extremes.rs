//! Rows with extreme values, which a store might lose.

use staleness_core::definition::{ChangeClass, Definition, DefinitionVersion, Finding, Part};
use staleness_core::ids::{IdError, Level, SessionId, SourceId};
use staleness_core::journal::Revision;
use staleness_core::knowledge::{
    Block, Citation, Cited, Contradiction, Document, Fact, Gap, Item, ItemKind, Lines,
};
use staleness_core::outcome::Mark;
use staleness_core::project::Project;
use staleness_core::route::{
    Confidence, Precision, Prompted, Route, RouteVector, SuggestedTool, Suggestions, Vector,
};
use staleness_core::session::{Cursor, OpenCall, Session};
use staleness_core::source::{Source, SourceState};
use staleness_core::time::Timestamp;
use staleness_core::tool::{
    Failing, Health, Hold, Listing, ListingState, Presence, PresenceCause, Ring, RingEntry, Tool,
    ToolKind,
};
use staleness_core::work::{NoteType, Work, WorkKind, WorkStatus, WorkStep};

use super::{
    AWKWARD, at, item_key, model, name, op, route_key, server, session, source_id, work_key,
};

const ROCKET: &str = "\u{1f680}";
const TEXTS: [&str; 9] = [
    "",
    " ",
    "'; DROP TABLE tools; --",
    "{\"kind\":\"tool\"}\n{\"kind\":\"tool\"}\n",
    "\u{1b}[31m \u{202e} \u{feff} \u{7f}",
    "line\r\nline\u{2028}line\ttab, \"quotes\", 'quotes', \\",
    "---\nid: x\n---\n",
    "%_*?[a-z]\\",
    "\u{202e}right to left\u{200f} e\u{301} \u{e9}",
];

fn longest() -> String {
    ROCKET.repeat(IdError::MAX_BYTES / ROCKET.len())
}

pub(super) fn projects(row: Project) -> Vec<Project> {
    let full = Project {
        root: format!("/{}/\n\t'\"{ROCKET}", "r".repeat(5_000)),
        first_seen_at: Timestamp::MIN,
        last_seen_at: Timestamp::MAX,
        config_digest: u128::MAX,
        told: Revision(u64::MAX),
        ..row.clone()
    };
    let blank = Project {
        root: String::new(),
        first_seen_at: Timestamp::MAX,
        last_seen_at: Timestamp::MIN,
        config_digest: 1 << 127,
        told: Revision(1 << 63),
        ..row
    };
    vec![full, blank]
}

pub(super) fn sources(row: Source) -> Vec<Source> {
    let full = Source {
        path: format!("/{}\n'\"", "p".repeat(5_000)),
        found: u32::MAX,
        digest: u128::MAX,
        readings: u64::MAX,
        last_read_at: Some(Timestamp::MIN),
        last_scan_at: Timestamp::MAX,
        error: Some(ROCKET.repeat(300)),
        ..row.clone()
    };
    let blank = Source {
        path: String::new(),
        readings: 1 << 63,
        last_read_at: Some(Timestamp::MAX),
        last_scan_at: Timestamp::MIN,
        ..row
    };
    let states = SourceState::ALL.map(|state| Source { state, ..blank.clone() });
    [vec![full], states.into()].concat()
}

pub(super) fn definitions(row: Definition) -> Vec<Definition> {
    let part = |text: &str| {
        Some(Part { digest: "f".repeat(64), text: text.to_owned(), chars: Some(u32::MAX) })
    };
    let of = |text: &str| DefinitionVersion {
        title: part(text),
        description: part(text),
        input: part(&text.repeat(500)),
        output: part(""),
        annotations: part("{}"),
        others: part("[]"),
        metadata: part("{}"),
        found: [
            Finding::Order(text.to_owned()),
            Finding::Hidden,
            Finding::Text("f".repeat(64)),
            Finding::Mixed(text.to_owned()),
            Finding::Address(text.to_owned(), text.to_owned()),
        ]
        .into(),
        listed_again: Some(Timestamp::MIN),
        lost: [text.to_owned()].into(),
        worst: None,
    };
    let worst = Some(Box::new(of(ROCKET)));
    let full = |class: ChangeClass| Definition {
        current: DefinitionVersion { worst: worst.clone(), ..of(TEXTS[class as usize]) },
        previous: Some(of(ROCKET)),
        since: Timestamp::MAX,
        pending: Some(class),
        changes: u32::MAX,
        journalled: Some((class, Timestamp::MIN)),
        ..row.clone()
    };
    ChangeClass::ALL.map(full).into()
}

pub(super) fn tools(row: Tool) -> Vec<Tool> {
    let mut all = Vec::new();
    let mut vary = |change: &dyn Fn(&mut Tool)| {
        let mut row = row.clone();
        change(&mut row);
        all.push(row);
    };
    for kind in ToolKind::ALL {
        vary(&|row| row.kind = kind);
    }
    for cause in PresenceCause::ALL {
        for hold in Hold::ALL {
            vary(&|row| {
                row.presence =
                    Presence { revived: hold == Hold::Ignored, ..Presence::new(cause, at(-1)) };
                row.hold = hold;
            });
        }
    }
    for (at, uses) in [(Timestamp::MAX, u64::MAX), (Timestamp::MIN, 0), (at(0), 1 << 63)] {
        vary(&|row| {
            (row.discovered_at, row.updated_at, row.last_used_at) = (at, at, Some(at));
            (row.presence.since, row.uses) = (at, uses);
            row.defined_chars = u32::try_from(uses).ok().or(Some(u32::MAX));
        });
    }
    let entry = |turn: usize| RingEntry {
        mark: Mark::ALL[turn % Mark::ALL.len()],
        at: [Timestamp::MAX, at(turn as i64), Timestamp::MIN, at(0)][turn % 4],
        op: [u64::MAX, 0, 1 << 63, turn as u64][turn % 4],
    };
    for length in 0..=Ring::CAPACITY {
        vary(&|row| row.ring = Ring::from_entries((0..length).map(entry)));
    }
    let projects = [None, Some("p"), Some("a'b%")];
    let places = Level::ALL.into_iter().flat_map(|level| projects.map(|of| (level, of)));
    let listings: Vec<Listing> = places
        .zip(ListingState::ALL.into_iter().cycle())
        .map(|((level, of), state)| {
            let source = source_id(of, "client \"c\"", &format!("plugin:a@b/skills {ROCKET}"));
            Listing { source: SourceId { level, ..source }, state }
        })
        .collect();
    vary(&|row| row.listings.clone_from(&listings));
    vary(&|row| row.listings = listings.iter().rev().cloned().collect());
    vary(&|row| row.listings = listings[..1].to_vec());
    for text in
        TEXTS.map(String::from).into_iter().chain([ROCKET.repeat(Tool::MAX_DESCRIPTION_CHARS)])
    {
        vary(&|row| {
            row.description = Some(text.clone());
            row.health.failing = Some(Failing { since: at(9), cause: text.clone() });
        });
    }
    for text in AWKWARD.map(String::from).into_iter().chain([longest()]) {
        vary(&|row| {
            row.server = Some(server(&text));
            row.plugin = Some(name(&text));
        });
    }
    for (demotions, window, last_demoted_at) in [
        (1, 1, Some(Timestamp::MIN)),
        (u32::MAX, Ring::CAPACITY as u8, Some(Timestamp::MAX)),
        (1 << 31, 5, Some(at(0))),
    ] {
        for since in [None, Some(Timestamp::MIN), Some(Timestamp::MAX)] {
            let failing = since.map(|since| Failing { since, cause: "cause".into() });
            let health = Health { failing, demotions, last_demoted_at, window };
            vary(&|row| row.health.clone_from(&health));
        }
    }
    all
}

fn citation() -> Citation {
    Citation {
        lines: Some(Lines { first: 1, last: u32::MAX }),
        symbol: Some("a::b<'_>".into()),
        digest: Some("0f".into()),
        ..Citation::of_path("a\n'\"\\\u{202e}\u{1f680}.rs")
    }
}

pub(super) fn items(row: Item) -> Vec<Item> {
    let ids = |texts: &[&str]| texts.iter().map(|text| item_key(None, text).id).collect();
    let full = Item {
        keywords: AWKWARD.iter().map(ToString::to_string).collect(),
        path: Some("docs/a b%20'\".md".into()),
        added_at: Timestamp::MIN,
        updated_at: Timestamp::MAX,
        version_context: Some(String::new()),
        evergreen: true,
        due: Some(Timestamp::MAX),
        expires_at: Some(Timestamp::MIN),
        verified_at: Some(at(-1)),
        verified_commit: Some("c".repeat(64)),
        verifications: u32::MAX,
        citations: [Citation::of_path(""), citation()].into(),
        supersedes: ids(&AWKWARD),
        superseded_by: ids(&["x"]),
        related: ids(&["x", "y"]),
        contradicted: Some(Contradiction {
            by: "somebody".into(),
            reason: "a\nb\t\"c\"".into(),
            at: Timestamp::MIN,
        }),
        done_at: Some(at(0)),
        recalls: u64::MAX,
        recalls_since_edit: 1 << 63,
        recalled_at: Some(Timestamp::MAX),
        recall_op: Some(op("o'")),
        ..row.clone()
    };
    let texts = TEXTS.map(|text| Item {
        body: text.into(),
        keywords: [text.into()].into(),
        path: Some(text.into()),
        version_context: Some(text.into()),
        citations: [Citation::of_path(text)].into(),
        ..row.clone()
    });
    let big = Item {
        body: "\u{1f680} of a megabyte\n".repeat(1 << 16)[..1 << 20].into(),
        keywords: (0..400).map(|number| format!("{number:0512}")).collect(),
        ..full.clone()
    };
    let kinds = ItemKind::ALL.map(|kind| Item { kind, ..row.clone() });
    [vec![full, big], texts.into(), kinds.into()].concat()
}

pub(super) fn documents(row: Document) -> Vec<Document> {
    let fact = Fact::SourceMissing {
        citation: citation(),
        gone: Cited::Lines,
        renamed_to: Some("b".into()),
        commit: Some("c".repeat(64)),
    };
    let block = Block {
        line: u32::MAX,
        last_line: 0,
        title: ROCKET.repeat(80),
        digest: u64::MAX,
        anchored_at: Some(Timestamp::MIN),
        anchor: Some(String::new()),
        evidence: vec![fact.into(), Fact::FutureDate { at: Timestamp::MAX }.into()],
    };
    let full = Document {
        loaded: true,
        checked_at: Timestamp::MAX,
        head: Some("d".repeat(64)),
        digest: u128::MAX,
        gaps: Gap::ALL.into(),
        blocks: u32::MAX,
        found: vec![block.clone(), Block { evidence: Vec::new(), ..block }],
        ..row.clone()
    };
    let blank = Document { checked_at: Timestamp::MIN, blocks: 0, ..row.clone() };
    vec![full, blank, super::flagged(row, 5_000)]
}

pub(super) fn works(row: Work) -> Vec<Work> {
    let step = |text: String, at: Timestamp| WorkStep { text, at };
    let full = Work {
        before: Some(WorkStatus::Open),
        text: ROCKET.repeat(Work::MAX_TEXT_BYTES / 4),
        author: Some("it's".into()),
        from: Some("a\"b".into()),
        to: Some("\u{202e}".into()),
        generated: true,
        by_person: true,
        created_at: Timestamp::MAX,
        updated_at: Timestamp::MIN,
        expires_at: Some(Timestamp::MAX),
        refs: AWKWARD.map(String::from).into(),
        after: AWKWARD.map(String::from).into(),
        steps: vec![
            step("one\ntwo".into(), Timestamp::MIN),
            step("x".repeat(400 << 10), Timestamp::MAX),
        ],
        ..row.clone()
    };
    let mut all = vec![full];
    for kind in WorkKind::ALL {
        for status in WorkStatus::ALL {
            all.extend(NoteType::ALL.map(|note| Work { kind, status, note, ..row.clone() }));
        }
    }
    all
}

pub(super) fn sessions(row: Session) -> Vec<Session> {
    vec![Session {
        started_at: Timestamp::MIN,
        ended_at: Some(Timestamp::MAX),
        from_revision: Revision(u64::MAX),
        first_contact: false,
        told_at: Some(Timestamp::MAX),
        ..row
    }]
}

pub(super) fn cursors(row: Cursor) -> Vec<Cursor> {
    let revision = Revision(u64::MAX);
    let session: Option<SessionId> = Some(session("a'b"));
    vec![Cursor { revision, session, moved_at: Timestamp::MIN, ..row }]
}

pub(super) fn routes(row: Route) -> Vec<Route> {
    let most = Route {
        query: ROCKET.repeat(1_024),
        confidence: Confidence::ONE,
        uses: u64::MAX,
        created_at: Timestamp::MIN,
        last_used_at: Timestamp::MAX,
        model: Some(model("a'b")),
        ops: vec![u64::MAX; Route::MAX_OPS],
        ..row.clone()
    };
    vec![most, Route { confidence: Confidence::ZERO, uses: 0, ..row }]
}

pub(super) fn vectors(row: RouteVector) -> Vec<RouteVector> {
    let numbers: Vec<f64> = (0..Vector::MAX_DIMENSIONS).map(|n| (n as f64).sin() + 2.0).collect();
    let vector = |precision| Vector::new(&numbers, precision).expect("a direction");
    let wide =
        |precision| RouteVector { vector: vector(precision), model: model("a'b"), ..row.clone() };
    Precision::ALL.map(wide).into()
}

pub(super) fn suggested(row: Suggestions) -> Vec<Suggestions> {
    let route = Some(route_key("p", "t", u128::MAX).id);
    let prompt = Prompted {
        at: Timestamp::MAX,
        query: Some(ROCKET.repeat(256)),
        tools: vec![SuggestedTool { tool: name("a\"b"), route }; 8],
        taught: vec![name("a\\b"); 4],
    };
    let turn = Some(op("u".repeat(IdError::MAX_BYTES)));
    let call = OpenCall {
        op: op("o".repeat(IdError::MAX_BYTES)),
        tool: name("a\"b"),
        turn,
        needs_permission: true,
        at: Timestamp::MIN,
    };
    let claims = vec![(work_key(Some("p"), "i".repeat(IdError::MAX_BYTES)), Timestamp::MAX); 32];
    let (prompts, calls) = (vec![prompt; 4], vec![call; 32]);
    vec![Suggestions { made: u32::MAX, prompts, calls, claims, ..row }]
}
