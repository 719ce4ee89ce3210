//! `recall_knowledge`, `save_knowledge` and `verify_knowledge`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use staleness::knowledge::ItemKind;
use staleness::registry::{ItemPatch, ScopeChoice};
use staleness::report::KnowledgeReport;
use staleness_service::knowledge::{
    NewItem, World, add, contradict, done, item_id, recall, set, verify,
};
use staleness_service::model_text::{ModelName, NameKind};
use staleness_service::settings::Access;
use staleness_service::{ServiceError, citations, escape_lines, when};

use super::verdict;
use crate::answer::{Answer, MAX_NAMED, Rows};
use crate::call::Call;
use crate::spec::{Effect, Spec};
use crate::text::cut;
use crate::text::{Text, line};

/// The longest body that a recall tells, in characters.
const MAX_BODY: usize = 1_200;

pub(super) fn specs() -> Vec<Spec> {
    vec![
        Spec::new(
            "recall_knowledge",
            "What is written down about a question; what no longer holds is marked with why.",
            Effect::Adds,
            "ask with words that the note would hold",
            recall_knowledge,
        )
        .slow(),
        Spec::new(
            "save_knowledge",
            "Write down a fact, preference, to-do or reference, or change the one with this id. Cite \
             the code it rests on, so that it is doubted when that changes.",
            Effect::Rewrites,
            "give `body`, or the `id` of an item and what to change",
            save,
        )
        .slow(),
        Spec::new(
            "verify_knowledge",
            "After you looked: say that items still hold, that to-dos are done, or that something is \
             wrong (with a reason).",
            Effect::Settles,
            "call recall_knowledge for the ids",
            verify_knowledge,
        )
        .slow(),
    ]
}

/// An item, as short as an answer allows.
fn brief(told: &KnowledgeReport) -> Value {
    super::verdict::without_nothing(json!({
        "id": told.id,
        "kind": told.kind,
        "path": told.path,
        "title": line(&told.title),
        "citations": (!told.citations.is_empty()).then(|| named(&told.citations)),
        "more_citations": told.citations.len().checked_sub(MAX_NAMED + 1).map(|more| more + 1),
        "verified_at": told.verified_at,
        "verdict": verdict::brief(&told.verdict),
    }))
}

/// The id of an item.
fn name(told: &KnowledgeReport) -> ModelName {
    ModelName::path(NameKind::Knowledge, &told.id)
}

/// The first of many names.
fn named(all: &[String]) -> Vec<String> {
    all.iter().take(MAX_NAMED).map(|each| line(each)).collect()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Recall {
    query: String,
    limit: Option<u32>,
}

fn recall_knowledge(call: &Call<'_>, asked: Recall) -> Result<Answer, ServiceError> {
    let world = world(call);
    let limit = asked.limit.map_or(5, |limit| limit as usize);
    let found = recall(&world, &asked.query, limit, false)?;
    let mut rows = Rows::fit(&found.told, limit, |each| {
        let told = &each.item;
        let body = cut(&escape_lines(told.body.as_deref().unwrap_or_default()), MAX_BODY);
        let mut row = brief(told);
        row["score"] = each.score.into();
        row["body"] = body.clone().into();
        let mut text = Text::new("- ");
        if let Some(mark) = each.mark {
            row["mark"] = mark.into();
            text = text.and(mark).and(" ");
        }
        text = text.and(name(told)).and(" (").and(verdict::words(&told.verdict)).and(")");
        // Each line is marked: a text that looks like another row of this list is none.
        (row, text.and_lines(&body))
    });
    rows.more += found.more;
    let head =
        if found.told.is_empty() && found.more == 0 { "nothing is known about that" } else { "" };
    let text = rows.text(Text::new(head), Text::new("ask more exactly, or for a higher limit"));
    Ok(Answer::new(text, json!({ "items": rows.items, "more": rows.more })))
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
    body: Option<String>,
    id: Option<String>,
    kind: Option<Kind>,
    keywords: Option<Vec<String>>,
    /// path, path:42-50 or path#symbol.
    cite: Option<Vec<String>>,
    /// Ids that it replaces.
    supersedes: Option<Vec<String>>,
    /// Ids that it depends on.
    related: Option<Vec<String>>,
    /// Time, or +14d.
    due: Option<String>,
    expires: Option<String>,
    /// For every project.
    global: Option<bool>,
}

fn save(call: &Call<'_>, asked: Save) -> Result<Answer, ServiceError> {
    let settings = &call.settings;
    let world = world(call);
    let ids = |ids: Option<Vec<String>>| {
        ids.map(|ids| ids.iter().map(|id| item_id(id)).collect()).transpose()
    };
    let time = |what: &str, text: Option<String>| {
        text.map(|text| when::parse_for(what, &text, settings.now).map(Some)).transpose()
    };
    let cited =
        asked.cite.map(|all| all.iter().map(|text| citations::cite(settings, text)).collect());
    let fields = ItemPatch {
        kind: asked.kind.map(ItemKind::from),
        body: asked.body.map(|body| body.trim_end().to_owned()),
        keywords: asked.keywords.map(|words| words.into_iter().collect()),
        version_context: None,
        evergreen: None,
        due: time("due", asked.due)?,
        expires_at: time("expires", asked.expires)?,
        citations: cited.transpose()?,
        supersedes: ids(asked.supersedes)?,
        related: ids(asked.related)?,
    };
    let id = asked.id.as_deref().map(item_id).transpose()?;
    let global = asked.global.unwrap_or(false);
    let scope = if global { ScopeChoice::Global } else { ScopeChoice::Project };
    // What an item in a file says is changed there: the same id is that item.
    let known = match &id {
        Some(id) => {
            let registry = settings.open(Access::Look)?;
            let known = world.knows(&registry, id, scope)?;
            // Without a text there is nothing to write down under a new id: another item is meant.
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
            (told.ok_or_else(|| ServiceError::invalid("the item is gone already"))?, "changed")
        }
        (_, id) => (add(&world, NewItem { id, global, fields })?, "saved as new:"),
    };
    let text = Text::new(what).and(" ").and(name(&told)).and("; ");
    let text = text.and(verdict::words(&told.verdict));
    Ok(Answer::new(text, json!({ "item": brief(&told) })))
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Still {
    #[default]
    Holds,
    Done,
    Wrong,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Verify {
    ids: Vec<String>,
    still: Option<Still>,
    reason: Option<String>,
}

fn verify_knowledge(call: &Call<'_>, asked: Verify) -> Result<Answer, ServiceError> {
    let world = world(call);
    if asked.ids.is_empty() {
        return Err(ServiceError::invalid("no item is named"));
    }
    let (settings, scope) = (&call.settings, ScopeChoice::Either);
    let reason = asked.reason.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let (told, what) = match asked.still.unwrap_or_default() {
        Still::Holds => (verify(&world, &asked.ids, scope, reason)?, "verified"),
        Still::Done => (done(&world, &asked.ids, scope, true)?, "done"),
        Still::Wrong => {
            let reason = reason.ok_or_else(|| {
                ServiceError::invalid("nothing says what is wrong").hint("give a reason")
            })?;
            let by = call.agent.as_ref().map_or("agent", |agent| agent.as_str());
            // All of them are known, or none is marked.
            world.targets(&settings.open(Access::Look)?, &asked.ids, scope)?;
            let mut told = Vec::new();
            for id in &asked.ids {
                told.extend(contradict(&world, id, by, reason, scope)?);
            }
            (told, "marked as wrong")
        }
    };
    let rows = Rows::fit(&told, told.len(), |each| {
        let text = Text::new("- ").and(name(each)).and(": ");
        (brief(each), text.and(verdict::words(&each.verdict)))
    });
    let text = rows.text(Text::new(what).and(":"), Text::new("they are done too"));
    Ok(Answer::new(text, json!({ "items": rows.items, "more": rows.more })))
}

fn world<'a>(call: &'a Call<'_>) -> World<'a> {
    World::new(&call.settings, None, call.listener).done_by(call.agent.clone(), false)
}
