//! `recall_knowledge` and `save_knowledge`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use staleness::Timestamp;
use staleness::knowledge::ItemKind;
use staleness::registry::{ItemPatch, ScopeChoice};
use staleness::report::KnowledgeReport;
use staleness_service::knowledge::{NewItem, World, add, recall, set};
use staleness_service::model_text::{ModelName, NameKind};
use staleness_service::settings::{Access, Settings};
use staleness_service::{ServiceError, citations, escape_lines, when, words};

use super::verdict;
use crate::answer::{Answer, MAX_NAMED, Rows};
use crate::call::Call;
use crate::spec::{About, Effect, Spec};
use crate::text::{Text, cut, line};

/// Maximum length of an item's body in a recall, in characters.
const MAX_BODY: usize = 1_200;

pub(super) fn specs() -> Vec<Spec> {
    vec![
        Spec::new(
            About {
                name: "recall_knowledge",
                title: "Recall notes",
                search_hint: "look up project facts, notes, preferences and to-dos",
                description: "Call before answering from memory about this project. Finds written \
                              notes, and marks outdated ones with the reason.",
                effect: Effect::Adds,
                next: "use words that the note may contain",
            },
            recall_knowledge,
        )
        .slow(),
        Spec::new(
            About {
                name: "save_knowledge",
                title: "Write down a fact",
                search_hint: "remember a fact, preference, to-do or reference",
                description: "Call when you learned something lasting. Saves a fact, preference, \
                              to-do or reference, or changes the one with this id. Cite the code \
                              it relies on, so that it is flagged when that code changes.",
                effect: Effect::Rewrites,
                next: "give `body`, or the `id` of an item and what to change",
            },
            save,
        )
        .slow(),
    ]
}

/// An item, as short as an answer allows.
#[derive(Serialize, JsonSchema)]
pub(super) struct Row {
    id: String,
    #[schemars(with = "String")]
    kind: ItemKind,
    path: Option<String>,
    title: String,
    citations: Option<Vec<String>>,
    more_citations: Option<usize>,
    #[schemars(with = "Option<String>")]
    verified_at: Option<Timestamp>,
    verdict: verdict::Brief,
}

pub(super) fn row(told: &KnowledgeReport) -> Row {
    Row {
        id: told.id.clone(),
        kind: told.kind,
        path: told.path.clone(),
        title: line(&told.title),
        citations: (!told.citations.is_empty()).then(|| named(&told.citations)),
        more_citations: told.citations.len().checked_sub(MAX_NAMED + 1).map(|more| more + 1),
        verified_at: told.verified_at,
        verdict: verdict::brief(&told.verdict),
    }
}

pub(super) fn name(told: &KnowledgeReport) -> ModelName {
    ModelName::path(NameKind::Knowledge, &told.id)
}

/// Returns the first [`MAX_NAMED`] names.
fn named(all: impl IntoIterator<Item: ToString>) -> Vec<String> {
    all.into_iter().take(MAX_NAMED).map(|each| line(&each.to_string())).collect()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Recall {
    /// The question, or words the note may contain
    query: String,
    /// Maximum; default 5
    limit: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    #[serde(flatten)]
    item: Row,
    score: f64,
    body: String,
    mark: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct Recalled {
    items: Vec<Found>,
    more: usize,
}

fn recall_knowledge(call: &Call<'_>, asked: Recall) -> Result<Answer<Recalled>, ServiceError> {
    let world = world(call);
    let limit = asked.limit.map_or(5, |limit| limit as usize);
    let found = recall(&world, &asked.query, limit, false)?;
    let mut rows = Rows::fit(&found.told, limit, |each| {
        let told = &each.item;
        let body = cut(&escape_lines(told.body.as_deref().unwrap_or_default()), MAX_BODY);
        let mut text = Text::new("- ");
        if let Some(mark) = each.mark {
            text = text.and(mark).and(" ");
        }
        text = text.and(name(told)).and(" (").and(verdict::words(&told.verdict)).and(")");
        // Each line is marked, so that body text cannot imitate a row of this list.
        let text = text.and_lines(&body);
        (Found { item: row(told), score: each.score, body, mark: each.mark }, text)
    });
    rows.more += found.more;
    let is_none = found.told.is_empty() && found.more == 0;
    let head = if is_none { "no note matches; try fewer words" } else { "" };
    let text = rows.text(Text::new(head), Text::new("use a more precise query, or raise `limit`"));
    Ok(Answer::new(text, Recalled { items: rows.items, more: rows.more }))
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Knowledge,
    Preference,
    Todo,
    Reference,
}

impl From<Kind> for ItemKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Knowledge => Self::Knowledge,
            Kind::Preference => Self::Preference,
            Kind::Todo => Self::Todo,
            Kind::Reference => Self::Reference,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Save {
    /// The text; required for a new item
    body: Option<String>,
    /// Id of an item to change, or for a new one
    id: Option<String>,
    /// Default: knowledge
    kind: Option<Kind>,
    /// Words to find it by
    keywords: Option<Vec<String>>,
    /// Code it relies on: path, path:42-50 or path#symbol
    cite: Option<Vec<String>>,
    /// Ids of items it replaces
    supersedes: Option<Vec<String>>,
    /// Ids of items it depends on
    related: Option<Vec<String>>,
    /// When a to-do should be done: 2026-12-24 or +14d
    due: Option<String>,
    /// When it stops being true: 2026-12-24, +14d or none
    expires: Option<String>,
    /// True: for every project
    global: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct Saved {
    item: Row,
}

fn save(call: &Call<'_>, asked: Save) -> Result<Answer<Saved>, ServiceError> {
    let settings = &call.settings;
    let world = world(call);
    let ids = |ids: Option<Vec<String>>| {
        ids.map(|ids| ids.iter().map(|each| words::id("id", each.as_str())).collect()).transpose()
    };
    let cited =
        asked.cite.map(|all| all.iter().map(|text| citations::cite(settings, text)).collect());
    let fields = ItemPatch {
        kind: asked.kind.map(ItemKind::from),
        body: asked.body.map(|body| body.trim_end().to_owned()),
        keywords: asked.keywords.map(|words| words.into_iter().collect()),
        version_context: None,
        evergreen: None,
        due: time(settings, "due", asked.due.as_deref())?,
        expires_at: time(settings, "expires", asked.expires.as_deref())?,
        citations: cited.transpose()?,
        supersedes: ids(asked.supersedes)?,
        related: ids(asked.related)?,
    };
    let id = words::optional("id", asked.id.as_ref())?;
    let global = asked.global.unwrap_or(false);
    let scope = match (global, &fields.body) {
        (true, _) => ScopeChoice::Global,
        // Without a text, the id must be that of an existing item.
        (false, None) => ScopeChoice::Either,
        (false, Some(_)) => ScopeChoice::Project,
    };
    // If an item in a file has this id, its fields are changed in that file.
    let known = match &id {
        Some(id) => {
            let registry = settings.open(Access::Look)?;
            let known = world.knows(&registry, id, scope)?;
            // A new item needs a text, so the caller probably meant another item.
            if !known && fields.body.is_none() {
                return Err(world.unknown(&registry, id));
            }
            known
        }
        None => false,
    };
    let (told, what) = match (known, id) {
        (true, Some(id)) => {
            let told = set(&world, &[id.to_string()], scope, &fields)?.pop();
            (told.ok_or_else(|| ServiceError::invalid("the item no longer exists"))?, "changed")
        }
        (_, id) => (add(&world, NewItem { id, global, fields })?, "saved as new:"),
    };
    let text = Text::new(what).and(" ").and(name(&told)).and("; ");
    let text = text.and(verdict::words(&told.verdict));
    Ok(Answer::new(text, Saved { item: row(&told) }))
}

/// Parses a time. The word `none`, which clears the field, becomes `Some(None)`.
pub(super) fn time(
    settings: &Settings,
    what: &str,
    text: Option<&str>,
) -> Result<Option<Option<Timestamp>>, ServiceError> {
    let parse = |text: &str| match text.trim() {
        "none" => Ok(None),
        text => when::parse_for(what, text, settings.now).map(Some),
    };
    text.map(parse).transpose()
}

pub(super) fn world<'a>(call: &'a Call<'_>) -> World<'a> {
    World::new(&call.settings, None, call.listener).done_by(call.agent.clone(), false)
}
