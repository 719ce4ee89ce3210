//! `verify_knowledge`: records the result of an agent's comparison of items with the code.

use std::collections::BTreeSet;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use staleness::Wait;
use staleness::knowledge::Item;
use staleness::registry::{ItemPatch, ScopeChoice};
use staleness::report::KnowledgeReport;
use staleness::verdict::{Level, SignalKind};
use staleness_service::documents::{Asked, check, context, named, on_disk, rows as stored_rows};
use staleness_service::findings::Findings;
use staleness_service::knowledge::{World, contradict, done, may_expire, set, verify};
use staleness_service::model_text::{ModelName, NameKind};
use staleness_service::settings::Access;
use staleness_service::{ServiceError, citations, words};

use super::knowledge::{name, row, world};
use super::overdue::NO_FILE;
use super::{documents, knowledge, verdict};
use crate::answer::{Answer, Rows};
use crate::call::Call;
use crate::spec::{About, Effect, Spec};
use crate::text::{Quoted, Text, line};

pub(super) fn specs() -> Vec<Spec> {
    vec![
        Spec::new(
            About {
                name: "verify_knowledge",
                title: "Confirm or refute what you checked",
                search_hint: "mark knowledge or a document as verified, done or wrong",
                description: "Call only after checking them yourself. Marks items as still true, \
                              done or wrong. It checks nothing for you, but compares a document \
                              with the code again and returns what is still outdated.",
                effect: Effect::Settles,
                next: "call recall_knowledge or list_stale for the ids",
            },
            run,
        )
        .slow(),
    ]
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Still {
    Holds,
    Done,
    Wrong,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Verify {
    /// From list_stale or recall_knowledge
    ids: Vec<String>,
    /// holds: compared with the code, it is true; done: finished, or expired; wrong: it is false
    still: Still,
    /// Required for wrong
    reason: Option<String>,
    /// holds: new expiry or none
    expires: Option<String>,
}

/// A document that was compared with the code again.
#[derive(Serialize, JsonSchema)]
struct Compared {
    path: String,
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    findings: Vec<documents::Row>,
    more: usize,
    not_checked: Option<String>,
}

/// Items after the call, and documents that were checked again.
#[derive(Serialize, JsonSchema)]
struct Verified {
    items: Vec<knowledge::Row>,
    documents: Vec<Compared>,
    more: usize,
}

fn run(call: &Call<'_>, asked: Verify) -> Result<Answer<Verified>, ServiceError> {
    let world = world(call);
    if asked.ids.is_empty() {
        return Err(ServiceError::invalid("`ids` is empty"));
    }
    let reason = asked.reason.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let (ids, paths) = sort(call, &world, asked.ids)?;
    if let (Some(path), Still::Done | Still::Wrong) = (paths.first(), asked.still) {
        let message = format!("{path:?} is a document; correct it in the file");
        return Err(ServiceError::invalid(message)
            .hint("correct the file, then call this again with still=holds"));
    }
    if asked.expires.is_some() && !(matches!(asked.still, Still::Holds) && paths.is_empty()) {
        return Err(ServiceError::invalid("`expires` is allowed only for items that hold"));
    }
    let expires_at = knowledge::time(&call.settings, "expires", asked.expires.as_deref())?;
    let (told, what) = match (&*ids, asked.still) {
        ([], _) => (Vec::new(), "compared with the code again"),
        (_, still) => {
            if let Some(Some(_)) = expires_at {
                may_expire(&world, &ids)?;
            }
            let (told, what) = settle(call, &world, &ids, still, reason)?;
            let patch = ItemPatch { expires_at, ..ItemPatch::default() };
            match expires_at {
                Some(_) => (set(&world, &ids, ScopeChoice::Either, &patch)?, what),
                None => (told, what),
            }
        }
    };
    let compared = compare(call, &paths)?;
    let rows = Rows::fit(&told, told.len(), |each| {
        let text = Text::new("- ").and(name(each)).and(": ").and(verdict::words(&each.verdict));
        let next = match asked.still {
            Still::Holds if each.verdict.rests_on(SignalKind::Expired) => {
                "call again with expires=+30d or none, or with still=done"
            }
            Still::Holds if each.verdict.rests_on(SignalKind::SourceMissing) => NO_FILE,
            _ => "",
        };
        let next = if next.is_empty() { Text::default() } else { Text::new("; ").and(next) };
        (row(each), text.and(next))
    });
    let is_doubtful = |each: &KnowledgeReport| each.verdict.level != Level::Fresh;
    let what = match asked.still {
        Still::Holds if told.iter().any(is_doubtful) => "verified, but some are not fresh yet",
        _ => what,
    };
    let mut text = rows.text(Text::new(what).and(":"), Text::new("the others are done too"));
    let mut documents = Vec::with_capacity(compared.len());
    for (document, told) in compared {
        text = text.and("\n").and(told);
        documents.push(document);
    }
    Ok(Answer::new(text, Verified { items: rows.items, documents, more: rows.more }))
}

/// Separates the ids of items from paths of documents that are not items.
fn sort(
    call: &Call<'_>,
    world: &World<'_>,
    ids: Vec<String>,
) -> Result<(Vec<String>, BTreeSet<String>), ServiceError> {
    let registry = call.settings.open(Access::Look)?;
    let all = registry.documents().list(&call.settings.project.id).wait()?;
    let (mut items, mut documents) = (Vec::new(), BTreeSet::new());
    for text in ids {
        let id = words::id("id", text.as_str())?;
        match named(&all, &text) {
            Some(path) if !world.knows(&registry, &id, ScopeChoice::Either)? => {
                documents.insert(path.to_owned());
            }
            _ => items.push(text),
        }
    }
    Ok((items, documents))
}

/// Records the agent's decision on items. Returns the items, and a word for the change.
fn settle(
    call: &Call<'_>,
    world: &World<'_>,
    ids: &[String],
    still: Still,
    reason: Option<&str>,
) -> Result<(Vec<KnowledgeReport>, &'static str), ServiceError> {
    let scope = ScopeChoice::Either;
    Ok(match still {
        Still::Holds => (verify(world, ids, scope, reason)?, "verified"),
        Still::Done => (done(world, ids, scope, true)?, "done"),
        Still::Wrong => {
            let reason = reason.ok_or_else(|| {
                ServiceError::invalid("`reason` is required with still=wrong")
                    .hint("say what is wrong")
            })?;
            let by = call.agent.as_ref().map_or("agent", |agent| agent.as_str());
            // If any id is unknown, no item is changed.
            world.targets(&call.settings.open(Access::Look)?, ids, scope)?;
            let mut told = Vec::new();
            for id in ids {
                told.extend(contradict(world, id, by, reason, scope)?);
            }
            (told, "marked as wrong")
        }
    })
}

/// Checks documents again, and stores the results like any check.
fn compare(
    call: &Call<'_>,
    paths: &BTreeSet<String>,
) -> Result<Vec<(Compared, Text)>, ServiceError> {
    let settings = &call.settings;
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let files: Vec<PathBuf> = paths.iter().map(|path| on_disk(settings, path)).collect();
    let report = check(settings, Asked { paths: &files, ..Asked::default() }, call.listener)?;
    let context = context(settings, report.version.as_deref());
    let stored = stored_rows(settings, &settings.open(Access::Look)?, &report.items)?;
    let look_up = |items: &[Item]| citations::evidence(settings, items);
    let found = Findings::new(&report, stored, &look_up, &context);
    let compared = paths.iter().map(|path| {
        let shown = ModelName::path(NameKind::Document, path);
        let head = Text::new("- ").and(shown);
        let skipped = report.skipped.iter().find(|each| each.path == *path);
        let is_doubtful = |told: &KnowledgeReport| {
            told.path.as_deref() == Some(path) && told.verdict.level != Level::Fresh
        };
        let mut doubtful = found.in_order();
        doubtful.retain(|each| is_doubtful(&each.told));
        let rows = Rows::fit(doubtful, 10, documents::row);
        let text = match skipped {
            Some(each) => head.and(" was not checked: ").and(Quoted(&each.reason)),
            None if rows.items.is_empty() => {
                let text = head.and(": no known problems");
                text.and(documents::not_kept(settings))
            }
            None => rows.text(head.and(" is not verified:"), Text::new("correct these first")).and(
                "\ncorrect the file and call this again; if the text is right, write <!-- \
                 staleness: verified DATE --> with today's date above it",
            ),
        };
        let document = Compared {
            path: path.clone(),
            findings: rows.items,
            more: rows.more,
            not_checked: skipped.map(|each| line(&each.reason)),
        };
        (document, text)
    });
    Ok(compared.collect())
}
