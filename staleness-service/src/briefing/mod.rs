//! The text that a hook adds to an agent's context: names and this program's own sentences, within a budget.

mod claims;
mod documents;
mod handoffs;
#[cfg(test)]
mod hostile_tests;
mod knowledge;
mod overdue;
pub mod prompt;
pub mod reading;
mod tools;
mod work;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use staleness::ids::{ClientId, ItemId, WorkKey};
use staleness::knowledge::{Context, Document};
use staleness::registry::{FindTools, Resume};
use staleness::report::{Delta, DeltaItem, DeltaSource, DeltaSubject};
use staleness::work::{Warning, Work, WorkKind};
use staleness::{Registry, Wait};
use staleness_core::ids::stable_hash;
use staleness_core::journal::Action;
use staleness_core::policy::HookPolicy;

use crate::ServiceError;
use crate::awaited::{self, note_awaited};
use crate::items::{Known, joined_for_files, known, outside};
use crate::lock::{Notice, notice};
use crate::model_text::{ModelName, ModelText, Piece};
use crate::settings::Settings;
use crate::tools::fold_changes;
pub use claims::taken_over;
use documents::Loaded;
use knowledge::{Doubtful, Remedies};
pub use tools::{CHANGED, UNANSWERED, WITHHELD};

/// The text for an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The text; `None` if there is nothing to report.
    pub text: Option<ModelText>,
    /// True if the text contains everything, or at least the number of items in each group.
    pub whole: bool,
}

/// Returns the text that a session start adds to an agent's context, within the policy's budget: tools, work,
/// documents, and a notice on `agents.lock`.
///
/// # Errors
/// Errors of the store, because a partial answer would look complete.
pub fn session_start(
    settings: &Settings,
    registry: &Registry,
    delta: &mut Delta,
    resume: &Resume,
) -> Result<(Said, Option<Notice>), ServiceError> {
    let hooks = &settings.configured.policy.hooks;
    if !hooks.tell {
        return Ok((Said { text: None, whole: false }, None));
    }
    fold_changes(delta);
    let doubted = Doubted::read(settings, registry, delta, resume)?;
    let mut shown = delta.clone();
    note_awaited(settings, registry, &resume.agent, &mut shown)?;
    let mut standing = standing(settings, registry, &shown, resume)?;
    let ranked = ranked(settings, registry, resume)?;
    if !settings.is_of_this_machine() {
        for item in shown.items.iter_mut().chain(&mut standing) {
            item.by_person = false;
        }
        shown.warnings.iter_mut().for_each(|warning| warning.by_person = false);
    }
    let budget = hooks.session_start_chars as usize;
    let within =
        |budget| within(settings, &doubted, shown.clone(), (&standing, &ranked), resume, budget);
    let (said, lock) = within(budget);
    let (Some(text), Some(url)) = (&said.text, settings.given("--store")) else {
        return Ok((said, lock));
    };
    let longer = |said: &Said| said.text.as_ref().map(|text| text.with_store(url));
    let room = text.with_store(url).chars() - text.chars();
    if text.chars() + room <= budget {
        return Ok((Said { text: longer(&said), ..said }, lock));
    }
    let (said, lock) = within(budget.saturating_sub(room));
    let text = longer(&said).filter(|text| text.chars() <= budget).or(said.text);
    Ok((Said { text, whole: said.whole }, lock))
}

/// Returns the text that a session start adds to an agent's context, within a budget.
fn within(
    settings: &Settings,
    doubted: &Doubted,
    mut delta: Delta,
    (standing, ranked): (&[DeltaItem], &[String]),
    resume: &Resume,
    budget: usize,
) -> (Said, Option<Notice>) {
    // Tools are always reported. Documents and work get a share of the room each, and work gets what is left.
    let share = HookPolicy::share(budget);
    let left = |taken: [&Option<ModelText>; 4]| {
        let taken = taken.into_iter().flatten().map(|text| text.chars() + 1);
        budget - taken.sum::<usize>().min(budget)
    };
    let doubts = doubted.text(settings, resume, (share, budget));
    delta.items.retain(|item| !doubts.tell(item));
    let Doubts { documents, lock, .. } = doubts;
    let mut work = work::text(&delta, standing, resume, share);
    let pruned = delta.pruned_until.map(|_| {
        ModelText::from(
            "Older changes are no longer kept by `staleness`: some may be missing here.",
        )
    });
    let pruned = pruned.filter(|text| text.chars() <= budget);
    let moved = lock.as_ref().map(|lock| lock.text.clone());
    let client = settings.client.as_ref();
    let tools =
        tools::text(client, &delta, ranked, left([&pruned, &documents, &moved, &work.text]));
    let room = left([&pruned, &documents, &moved, &tools.text]);
    if room > share || work.text.as_ref().is_some_and(|text| text.chars() >= room) {
        work = work::text(&delta, standing, resume, room);
    }
    let whole = tools.whole && work.whole && doubts.whole;
    let all = [tools.text, work.text, pruned, moved, documents];
    let told = ModelText::join(all.into_iter().flatten(), "\n");
    (Said { text: (!told.is_empty()).then_some(told), whole }, lock)
}

/// Documents, knowledge and lock changes that an agent should check before it relies on them. A session start and
/// `resume_session` report them in the same way.
#[derive(Clone, Debug)]
pub struct Doubts {
    /// The text about the documents that the agent's client loads, and about items of knowledge. `None` if none is
    /// doubtful.
    pub documents: Option<ModelText>,
    /// The items of knowledge that are named in `documents`.
    told: BTreeSet<DeltaSubject>,
    /// False if some kind of doubtful knowledge is neither named nor counted in the text.
    pub whole: bool,
    /// Notice of changes since `agents.lock` was written.
    pub lock: Option<Notice>,
}

impl Doubts {
    /// Returns true if these texts already cover the change of an item.
    pub fn tell(&self, item: &DeltaItem) -> bool {
        self.told.contains(&item.subject)
    }
}

/// Additional information for `resume_session`, besides tools and overdue work.
#[derive(Clone, Debug)]
pub struct Briefing {
    /// Documents, knowledge and files that the agent should check.
    pub doubts: Doubts,
    /// Rules in force, claimed plans, and handoffs to the agent, changed or not.
    standing: Vec<DeltaItem>,
}

impl Briefing {
    /// Returns the additional information for an agent that receives `delta`, within the size of an answer. Subtracts
    /// the items that the briefing names from the number of items that a digest omits.
    pub(crate) fn new(
        settings: &Settings,
        registry: &Registry,
        delta: &mut Delta,
        resume: &Resume,
    ) -> Result<Self, ServiceError> {
        // An answer has a budget of its own, independent of the policy for hooks.
        let most = HookPolicy::share(HookPolicy::default().session_start_chars as usize);
        let doubts = Doubted::read(settings, registry, delta, resume)?;
        let doubts = doubts.text(settings, resume, (most, most));
        let standing = match delta.source {
            DeltaSource::Since => Vec::new(),
            _ => standing(settings, registry, delta, resume)?,
        };
        delta.more = work::left_out(delta, &standing);
        Ok(Self { doubts, standing })
    }

    /// Returns the changes that overdue items and doubts do not cover, and the items in force.
    pub fn items<'a>(&'a self, delta: &'a Delta, overdue: &[Warning]) -> [Vec<&'a DeltaItem>; 2] {
        // The report that an item is overdue also covers its existence and its addition.
        let is_said = |item: &&DeltaItem| {
            matches!(item.action, None | Some(Action::Added | Action::Claimed | Action::Released))
                && item.claim_end.is_none()
                && !item.freed
                && overdue.iter().any(|each| overdue::subject(each) == item.subject)
        };
        let is_change =
            |item: &&DeltaItem| delta.items.iter().any(|each| each.subject == item.subject);
        let changed = delta.items.iter().filter(|item| !self.doubts.tell(item) && !is_said(item));
        let mut changed: Vec<&DeltaItem> = changed.collect();
        // A rule typed by a person comes on the first page, as at a session start.
        changed.sort_by_key(|item| !(item.by_person && item.is_rule()));
        let standing = self.standing.iter().filter(|item| !is_change(item) && !is_said(item));
        [changed, standing.collect()]
    }
}

/// Returns a number that identifies a change, independent of other changes.
pub fn mark(kind: &str, name: &str) -> u32 {
    stable_hash(format!("{kind} {name}").as_bytes()) as u32
}

/// The documents, items of knowledge and changes of `agents.lock` to report at a session start and in `resume_session`.
struct Doubted {
    context: Context,
    documents: Vec<Loaded>,
    items: Vec<Doubtful>,
    lock: Option<Notice>,
}

impl Doubted {
    fn read(
        settings: &Settings,
        registry: &Registry,
        delta: &Delta,
        resume: &Resume,
    ) -> Result<Self, ServiceError> {
        let version = crate::documents::version(settings);
        let context = crate::documents::context(settings, version.as_deref());
        let (documents, items) = loaded(settings, registry, &context, resume)?;
        // News is reported regardless of when the items became stale.
        let is_news = |id: &ItemId| {
            delta.items.iter().any(|item| item.subject == DeltaSubject::Knowledge(id.clone()))
        };
        let items = Doubtful::among(items, &context, |item, since| {
            delta.is_due(since, settings.now) || is_news(&item.key.id)
        });
        let lock = notice(settings, registry, &resume.agent, resume.cleared)?;
        Ok(Self { context, documents, items, lock })
    }

    /// Returns the text, each part within a share of the budget. Knowledge may use up to `most` for its minimum.
    fn text(&self, settings: &Settings, resume: &Resume, (share, most): (usize, usize)) -> Doubts {
        let remedies = match settings.in_server {
            true => Remedies::tools(),
            false => Remedies::commands(&work::by(resume)),
        };
        // Documents are reported at each start, doubtful knowledge only once.
        let least = remedies.least(&self.items, settings.now);
        let share = share.max(least + 1).min(most);
        let room = share.saturating_sub(least);
        let asked = (settings.now, settings.in_server);
        let documents = documents::text(&self.documents, &self.context, asked, room);
        let room = share.saturating_sub(documents.as_ref().map_or(0, |text| text.chars() + 1));
        let (mut told, now) = (BTreeSet::new(), (&resume.agent, settings.now));
        let Said { text, whole } = knowledge::text(&self.items, &remedies, now, room, &mut told);
        let documents = ModelText::join([documents, text].into_iter().flatten(), "\n");
        let documents = (!documents.is_empty()).then_some(documents);
        let lock = self.lock.clone().filter(|lock| lock.text.chars() <= share);
        Doubts { documents, told, whole, lock }
    }
}

/// Returns the tools that recently worked here, best first, up to the policy's number (0 by default).
fn ranked(
    settings: &Settings,
    registry: &Registry,
    resume: &Resume,
) -> Result<Vec<String>, ServiceError> {
    let limit = settings.configured.policy.hooks.ranked_tools as usize;
    if limit == 0 {
        return Ok(Vec::new());
    }
    let session = resume.session.as_ref();
    let tools = registry
        .tools()
        .suggest(
            &settings.project,
            FindTools { session: session.cloned(), ..FindTools::ranked(limit) },
            settings.now,
        )
        .wait()?
        .tools;
    // A tool that never worked here, or that cannot be named, is not useful advice.
    let worked = tools.into_iter().filter(|tool| tool.score > 0.0 && tool.mark.is_none());
    let names = worked.map(|tool| String::from(tool.tool.key.name));
    Ok(names.filter(|name| ModelName::tool(None, name).is_shown()).collect())
}

/// Returns traps and constraints in force, claimed plans, and handoffs to this agent, changed or not. Handoffs
/// without a recipient are included if they are claimed or due, or if the context was cleared.
fn standing(
    settings: &Settings,
    registry: &Registry,
    delta: &Delta,
    resume: &Resume,
) -> Result<Vec<DeltaItem>, ServiceError> {
    let mut items = awaited::open(settings, registry)?;
    let is_due = |key: &WorkKey| delta.warnings.iter().any(|each| each.key == *key);
    items.retain(|item| match item.kind {
        // An expired item is overdue, and no longer in force.
        WorkKind::Trap | WorkKind::Constraint => item.expires_at.is_none_or(|at| settings.now < at),
        WorkKind::Handoff if item.is_expired_handoff(settings.now) => false,
        WorkKind::Handoff => match item.to.as_deref() {
            Some(to) => {
                let held = item.held(settings.now);
                to == resume.agent.as_str() || held.is_some_and(|it| it.agent == resume.agent)
            }
            None => {
                let is_held = item.held(settings.now).is_some();
                resume.cleared || is_held || is_due(&item.key)
            }
        },
        WorkKind::Plan => item.held(settings.now).is_some(),
        _ => false,
    });
    // Items typed by a person come first.
    let place = |item: &Work| (!item.by_person, Reverse(item.updated_at), item.key.clone());
    items.sort_by_cached_key(place);
    let pairs = match items.iter().all(|item| item.after.is_empty()) {
        true => Vec::new(),
        false => registry.work().awaited(&settings.project.id).wait()?,
    };
    let waits = awaited::waits(&pairs);
    let standing = |item: &Work| DeltaItem {
        claim: item.held(settings.now).cloned(),
        waits_for: waits.get(&item.key).copied().cloned(),
        ..DeltaItem::standing(item, &resume.agent)
    };
    Ok(items.iter().map(standing).collect())
}

/// Returns the documents that the agent loads, with the results of their last check, and all items. A document with an
/// item is judged like the item: by its kind and by statements about it.
fn loaded(
    settings: &Settings,
    registry: &Registry,
    context: &Context,
    resume: &Resume,
) -> Result<(Vec<Loaded>, Vec<Known>), ServiceError> {
    // An item may be stale even if there are no findings in its file.
    let documents = registry.documents().list(&settings.project.id).wait()?;
    let client = settings.client.as_ref().map_or(resume.agent.as_str(), ClientId::as_str);
    let documents = crate::documents::loaded_by(settings, client, documents);
    judged(settings, registry, context, documents)
}

/// Returns these documents with the results of their last check, and all items.
fn judged(
    settings: &Settings,
    registry: &Registry,
    context: &Context,
    documents: Vec<Document>,
) -> Result<(Vec<Loaded>, Vec<Known>), ServiceError> {
    let report = crate::documents::as_checked(settings, documents, context.version())?;
    let rows = crate::documents::rows(settings, registry, &report.items)?;
    let all = joined_for_files(rows, report.items.clone());
    let nothing = BTreeMap::new();
    let all = known(all, &|item| outside(item, &report, &nothing), context);
    let filed = all.iter().filter_map(|each| Some((each.item.path.as_deref()?, each)));
    let filed: BTreeMap<&str, &Known> = filed.collect();
    let of = |document: Document| {
        let item = filed
            .get(&*document.key.path)
            .map(|each| (each.item.judge(&each.evidence, context), each.item.anchored_at()));
        Loaded { document, item }
    };
    Ok((report.documents.into_iter().map(of).collect(), all))
}

/// Room reserved for ", and NNNNN more" and the characters around a heading.
const TAIL: usize = 20;

/// Returns a section that only contains the number of its items.
fn count(title: impl Piece, left: usize) -> ModelText {
    ModelText::from("\n- ").and(title).and(": ").and(left).and(" more")
}

/// Returns the room reserved for a later section: its share if needed, or at least room for the number of its items.
fn kept(title: impl Piece, (items, beside): (&[ModelText], usize), share: usize) -> usize {
    let least = count(title, items.len() + beside).chars();
    let all: usize = items.iter().map(|item| item.chars() + 2).sum();
    least.max(share.min(least + all))
}

/// Appends the items of a section that fit in the budget, less `reserved`, and the number of items left out: those that
/// do not fit, plus `beside`. Returns that number, or `None` if not even the number fits below the `short` heading.
fn section(
    text: &mut ModelText,
    (title, short): (impl Piece, impl Piece),
    (items, beside): (&[ModelText], usize),
    budget: usize,
    reserved: usize,
) -> Option<usize> {
    let mut line = ModelText::from("\n- ").and(title).and(": ");
    let mut shown = 0;
    for item in items {
        let more = if shown == 0 { 0 } else { 2 };
        let length = text.chars() + line.chars() + more + item.chars();
        // The text always counts omitted items, so it needs room for their number.
        if length + TAIL + reserved > budget {
            break;
        }
        if shown > 0 {
            line.push(", ");
        }
        line.push(item);
        shown += 1;
    }
    let left = items.len() + beside - shown;
    if shown == 0 {
        line = count(short, left);
    } else if left > 0 {
        line = line.and(", and ").and(left).and(" more");
    }
    let fits = text.chars() + line.chars() <= budget;
    if fits {
        text.push(line);
    }
    fits.then_some(left)
}
