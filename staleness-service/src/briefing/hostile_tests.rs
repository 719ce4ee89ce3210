//! Tests with hostile names in every text that a hook gives to a model.

use crate::escape::is_unsafe;
use crate::model_text::{ModelText, NameKind};
use proptest::prelude::*;
use staleness::ids::{AgentId, ItemId, ProjectId, Scope, SessionId, ToolName, WorkId, WorkKey};
use staleness::knowledge::{Block, Citation, Context, Document, Evidence, Fact};
use staleness::registry::Resume;
use staleness::report::{
    Delta, DeltaItem, DeltaSource, DeltaSubject, Failing, HealthState, NetChange,
};
use staleness::tool::{PresenceCause, Status};
use staleness::verdict::Level;
use staleness::work::{Overdue, Warning, WorkKind, WorkStatus};
use staleness::{Policy, Timestamp};
use staleness_conformance::arbitrary::{MARK, hostile_name};
use staleness_core::ids::DocumentKey;
use staleness_core::journal::Action;
use staleness_core::knowledge::{Cited, ItemState};
use staleness_core::report::DeltaState;
use staleness_core::route::SuggestedTool;
use staleness_core::work::Flag;
use staleness_sources::hook::HookClient;

use super::documents::Loaded;
use super::{documents, prompt, tools, work};

/// Checks that a hostile name appears only inside backticks, where a text contains only a name or one of our commands.
fn is_ours(text: &ModelText) -> Result<(), TestCaseError> {
    // Text typed by a person is between double quotes, and cannot end them.
    let (mut ours, parts) = (String::new(), text.as_str().split('"').collect::<Vec<_>>());
    prop_assert!(parts.len() % 2 == 1, "open: {}", text);
    for (at, part) in parts.iter().enumerate() {
        if at % 2 == 0 {
            ours.push_str(part);
        } else {
            let unsafe_in_quotes = |c: char| is_unsafe(c) || "`<>\\\u{201c}\u{201d}".contains(c);
            prop_assert!(
                !part.contains(unsafe_in_quotes) && part.chars().count() <= 81,
                "{part:?}"
            );
        }
    }
    let parts: Vec<&str> = ours.split('`').collect();
    prop_assert!(parts.len() % 2 == 1, "open: {}", text);
    for (at, part) in parts.iter().enumerate() {
        if at % 2 == 0 {
            let plain = |c: char| c.is_ascii_alphanumeric() || " \n,:;().-→".contains(c);
            prop_assert!(!part.contains(MARK) && part.chars().all(plain), "{part:?} in {text}");
        } else if !part.starts_with("staleness") {
            let name = |c: char| {
                (c.is_alphanumeric() || "_-./:@*~+#…\u{308}".contains(c))
                    && !matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
            };
            prop_assert!(part.len() <= 80 && part.chars().all(name), "{part:?} in {text}");
        } else {
            let word = |c: char| c.is_ascii_alphanumeric() || " _-.+".contains(c);
            prop_assert!(part.chars().all(word), "{part:?} in {text}");
        }
    }
    Ok(())
}

fn delta(names: &[String], source: DeltaSource) -> Delta {
    let tool = |name: &str| ToolName::new(name).unwrap_or_else(|_| ToolName::new("t").unwrap());
    let id = |name: &str| WorkId::new(name).unwrap_or_else(|_| WorkId::new("w").unwrap());
    let key = |name: &str| WorkKey { scope: Scope::Global, id: id(name) };
    let change = |(at, name): (usize, &String)| NetChange {
        name: tool(name),
        server: None,
        from: [None, Some(Status::Active), Some(Status::Stale)][at % 3],
        to: Status::ALL[at % 3],
        cause: if at % 2 == 0 { name.clone() } else { "removed_from_config".into() },
        health: HealthState::Failing,
    };
    let item = |(at, name): (usize, &String)| DeltaItem {
        subject: match ItemId::new(name) {
            Ok(id) if at % 2 == 1 => DeltaSubject::Knowledge(id),
            _ => DeltaSubject::Work(WorkKind::Plan, key(name)),
        },
        action: (at % 2 == 0).then_some(Action::Moved),
        from: Some(DeltaState::Knowledge(ItemState::Current)),
        last: None,
        to: Some(match at % 4 {
            1 => DeltaState::Knowledge(ItemState::Contradicted),
            3 => DeltaState::Knowledge(ItemState::Superseded),
            _ => DeltaState::Work(WorkStatus::InProgress),
        }),
        status: None,
        by: Some(name.clone()),
        actor: AgentId::new(name).ok(),
        sender: Some(name.clone()),
        recipient: (at % 2 == 1).then(|| name.clone()),
        text: name.clone(),
        by_person: at % 3 == 0,
        author: None,
        waits_for: Some(id(name)),
        freed: false,
        claim: None,
        claim_end: None,
        at: Timestamp::default(),
        own: at % 2 == 0,
    };
    let warning = |name: &String| Warning {
        key: key(name),
        kind: WorkKind::Handoff,
        from: None,
        to: None,
        level: Level::Stale,
        text: name.clone(),
        by_person: true,
        flag: Flag { overdue: Overdue::Expired, age_days: 3 },
        since: Timestamp::default(),
        claim: None,
        last_step: None,
        softened_by: Some(id(name)),
        awaited_by: Some(id(name)),
        waits_for: None,
    };
    let failing = |name: &String| Failing {
        name: tool(name),
        server: None,
        cause: name.clone(),
        health: HealthState::Probation,
        unused_days: Some(3),
        absent: Some(PresenceCause::Invented),
        is_news: false,
        has_begun: false,
    };
    Delta {
        source,
        items: names.iter().enumerate().map(item).collect(),
        overdue: names.len(),
        tools: names.iter().enumerate().map(change).collect(),
        failing: names.iter().map(failing).collect(),
        warnings: names.iter().take(2).map(warning).collect(),
        ..Delta::default()
    }
}

fn loaded(path: &str, renamed: bool) -> Loaded {
    let citation = Citation::of_path(path);
    let renamed_to = renamed.then(|| path.to_owned());
    let gone = Fact::SourceMissing { citation, gone: Cited::Path, renamed_to, commit: None };
    let block = Block {
        line: 3,
        last_line: 3,
        title: path.into(),
        digest: 1,
        anchored_at: None,
        anchor: None,
        evidence: vec![Evidence::from(gone)],
    };
    let document = Document {
        key: DocumentKey { project: ProjectId::of_root("/p"), path: path.into() },
        loaded: true,
        checked_at: Timestamp::default(),
        head: None,
        digest: 0,
        gaps: Vec::new(),
        blocks: 1,
        found: vec![block],
    };
    Loaded { document, item: None }
}

proptest! {
    #[test]
    fn no_hook_tells_a_name_as_prose(names in prop::collection::vec(hostile_name(), 1..6), digest: bool) {
        let client = digest.then(|| HookClient::Gemini.id());
        let client = client.as_ref();
        let source = if digest { DeltaSource::Digest } else { DeltaSource::Cursor };
        let delta = delta(&names, source);
        let told = tools::text(client, &delta, &names, 4_000).text;
        is_ours(&told.unwrap())?;
        let session = SessionId::new(&names[0]).ok();
        let agent = AgentId::new(&names[0]).or_else(|_| AgentId::new("codex")).unwrap();
        let resume = Resume { session, ..Resume::new(agent) };
        let kinds = [WorkKind::Trap, WorkKind::Handoff, WorkKind::Constraint].into_iter().cycle();
        let standing = delta.items.iter().cloned().zip(kinds);
        let standing = standing.map(|(item, kind)| {
            let id = WorkId::new(format!("in-force-{}", item.subject.id()));
            let id = id.unwrap_or_else(|_| WorkId::new("in-force").unwrap());
            let key = WorkKey { scope: Scope::Global, id };
            DeltaItem { subject: DeltaSubject::Work(kind, key), ..item }
        });
        let standing: Vec<DeltaItem> = standing.collect();
        for budget in [600, 4_000] {
            if let Some(told) = work::text(&delta, &standing, &resume, budget).text {
                is_ours(&told)?;
            }
        }
        let context = Context::new(Timestamp::default(), &Policy::default().knowledge, staleness::ids::Caller::default());
        let documents: Vec<Loaded> = names.iter().map(|name| loaded(name, digest)).collect();
        let told = documents::text(&documents, &context, (Timestamp::default(), false), 4_000);
        is_ours(&told.unwrap())?;
        let tools: Vec<SuggestedTool> = names
            .iter()
            .filter_map(|name| ToolName::new(name).ok())
            .map(|tool| SuggestedTool { tool, route: None })
            .collect();
        if let Some(told) = prompt::text(client, &tools) {
            is_ours(&told)?;
        }
        for kind in [NameKind::Session, NameKind::Project] {
            is_ours(&crate::model_text::ModelName::new(kind, &names[0]).into())?;
        }
    }
}
