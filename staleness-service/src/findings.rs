//! The findings of a check, with verdicts, worst first.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use staleness::ids::ItemKey;
use staleness::knowledge::{Block, Context, Document, Evidence, Fact, Item, ItemKind};
use staleness::report::KnowledgeReport;
use staleness::verdict::{Ground, Level, Signal, Verdict};
use staleness_core::ids::stable_hash;
use staleness_core::knowledge::{Cited, SignalSet};
use staleness_docs::{Report, Unlisted};

use crate::items::{joined_for_files, known, outside, to_look_up};
use crate::rank::worst_first;

/// A block of a document, or an item in a file, with at least one signal.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The report with the verdict.
    pub told: KnowledgeReport,
    /// The last line, from 1.
    pub last_line: u32,
    /// A digest of the text, used to find it again after it moves.
    pub digest: u64,
    /// The evidence on which the verdict is based.
    pub evidence: Vec<Evidence>,
    /// The item, if the file contains one.
    item: Option<Item>,
}

impl Finding {
    /// Returns the strong evidence. Empty if the finding is fresh. Otherwise, the evidence for the strongest
    /// signal and for each signal that alone would lower the level.
    pub fn strong_evidence<'f>(
        &'f self,
        context: &'f Context,
    ) -> impl Iterator<Item = &'f Evidence> + 'f {
        let told = &self.told;
        let is_strong = |at: usize, signal: &Signal| {
            let alone = || context.level(told.kind, 1.0 - signal.weight * signal.strength);
            told.verdict.level > Level::Fresh && (at == 0 || alone() > Level::Fresh)
        };
        self.evidence.iter().filter(move |one| {
            let mut signals = told.verdict.signals.iter().enumerate();
            let kind = Ground::from(one.fact.kind());
            signals.any(|(at, signal)| signal.kind == kind && is_strong(at, signal))
        })
    }

    /// Returns a hash of the single cause of all strong evidence: the removed name (or its new name) and the
    /// commit that removed it. `None` if there are several causes, or one has no name.
    pub fn cause(&self, context: &Context) -> Option<u64> {
        let mut causes = self.strong_evidence(context).map(|one| cause(&one.fact));
        let first = causes.next()??;
        causes.all(|other| other == Some(first)).then_some(first)
    }

    /// Returns the evidence that affects the verdict. Some evidence has no weight for some kinds of item.
    pub fn told_evidence(&self) -> impl Iterator<Item = &Evidence> {
        told_evidence(&self.told, &self.evidence)
    }
}

/// Returns the evidence that affects a verdict. Some evidence has no weight for some kinds of item.
pub(crate) fn told_evidence<'e>(
    told: &'e KnowledgeReport,
    evidence: &'e [Evidence],
) -> impl Iterator<Item = &'e Evidence> {
    let signals = &told.verdict.signals;
    evidence.iter().filter(|one| signals.iter().any(|each| each.kind == one.fact.kind().into()))
}

/// Returns a hash of the name that was removed and the commit that removed it. `None` for other facts.
fn cause(fact: &Fact) -> Option<u64> {
    let (name, heading, renamed_to, commit) = match fact {
        Fact::SourceMissing { citation, gone: Cited::Path, renamed_to, commit } => {
            (&citation.path, None, renamed_to.as_ref(), commit)
        }
        Fact::SourceMissing { citation, gone: Cited::Heading, commit, .. }
        | Fact::BrokenLink { citation, commit, .. } => {
            (&citation.path, citation.symbol.as_deref(), None, commit)
        }
        Fact::ReferenceDrift { word, renamed_to, commit, .. } => {
            (word, None, renamed_to.as_ref(), commit)
        }
        _ => return None,
    };
    let (name, commit) = (renamed_to.unwrap_or(name), commit.as_deref());
    let name = heading.map_or_else(|| name.clone(), |heading| format!("{name}#{heading}"));
    Some(stable_hash(format!("{name}\n{}", commit.unwrap_or_default()).as_bytes()) as u64)
}

/// A document's findings, in the order of [`worst_first`].
#[derive(Clone, Debug)]
pub struct Group {
    /// The path of the document.
    pub path: String,
    /// Number of blocks in the document.
    pub blocks: u32,
    /// Level and freshness of the worst finding, or fresh and 1 if there is none.
    pub worst: (Level, f64),
    /// The findings, worst first.
    pub found: Vec<Finding>,
}

/// Number of blocks at each level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Levels {
    /// Blocks that can be relied on.
    pub fresh: u64,
    /// Blocks to review.
    pub review: u64,
    /// Blocks that must not be relied on.
    pub stale: u64,
}

impl Levels {
    fn add(&mut self, level: Level) {
        match level {
            Level::Fresh => self.fresh += 1,
            Level::Review => self.review += 1,
            Level::Stale => self.stale += 1,
        }
    }

    /// Moves unlisted blocks, which were counted as fresh, to the level of a listed block with the same
    /// signals.
    fn add_unlisted(&mut self, group: &Group, unlisted: &Unlisted) {
        let is_like = |each: &&Finding| SignalSet::of(&each.evidence) == unlisted.sorts;
        let level = group.found.iter().find(is_like).map(|like| like.told.verdict.level);
        let count = unlisted.blocks as u64;
        self.fresh = self.fresh.saturating_sub(count);
        match level.unwrap_or(Level::Fresh) {
            Level::Fresh => self.fresh += count,
            Level::Review => self.review += count,
            Level::Stale => self.stale += count,
        }
    }

    /// Returns true if any block is at `level` or worse.
    pub const fn any_at(&self, level: Level) -> bool {
        match level {
            Level::Fresh => true,
            Level::Review => self.review + self.stale > 0,
            Level::Stale => self.stale > 0,
        }
    }
}

/// A function that checks the citations of items and returns evidence by item.
pub type LookUp<'a> = dyn Fn(&[Item]) -> BTreeMap<ItemKey, Vec<Evidence>> + 'a;

/// A [`LookUp`] that checks nothing.
pub fn nothing(_: &[Item]) -> BTreeMap<ItemKey, Vec<Evidence>> {
    BTreeMap::new()
}

/// The findings of a check, by document.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Documents with findings, ordered by their worst finding.
    pub groups: Vec<Group>,
    /// Number of blocks at each level, in all documents.
    pub counts: Levels,
}

impl Findings {
    /// Judges the findings of a check. `stored` are the rows of the store, with verifications and
    /// contradictions of items in files. If the check compared with another revision, only new findings are
    /// listed, but the counts cover all blocks.
    pub fn new(
        report: &Report,
        stored: Vec<Item>,
        look_up: &LookUp<'_>,
        context: &Context,
    ) -> Self {
        let Some(new) = &report.new_since else {
            return Self::of(report, stored, look_up, context);
        };
        let (documents, items) = (new.clone(), report.items.clone());
        let new = Report { documents, items, ..Report::default() };
        let mut found = Self::of(&new, stored.clone(), look_up, context);
        // Age alone is not a new finding.
        let none = new.documents.iter().filter(|document| document.found.is_empty());
        let none: BTreeSet<&str> = none.map(|document| document.key.path.as_str()).collect();
        found.groups.retain(|group| !none.contains(group.path.as_str()));
        found.counts = Self::of(report, stored, look_up, context).counts;
        found
    }

    fn of(report: &Report, stored: Vec<Item>, look_up: &LookUp<'_>, context: &Context) -> Self {
        let mut found = Self::default();
        let items = filed(report, stored, look_up, context);
        for document in &report.documents {
            let group = match items.get(document.key.path.as_str()) {
                Some((item, evidence)) => of_item(document, item, evidence, context),
                None => of_blocks(document, context),
            };
            let Some(group) = group else {
                found.counts.fresh += u64::from(document.blocks);
                continue;
            };
            found.counts.fresh +=
                u64::from(document.blocks).saturating_sub(group.found.len() as u64);
            group.found.iter().for_each(|each| found.counts.add(each.told.verdict.level));
            for unlisted in report.unlisted.iter().filter(|it| it.path == group.path) {
                found.counts.add_unlisted(&group, unlisted);
            }
            found.groups.push(group);
        }
        found.groups.sort_by(by_worst);
        found
    }

    /// Removes findings for which `lists` returns true, and judges the remaining ones again. The counts still cover all
    /// blocks. Age alone is not a new finding. `lists` takes a path, a fact and the text's digest.
    #[must_use]
    pub fn without(mut self, lists: &dyn Fn(&str, &Fact, u64) -> bool, context: &Context) -> Self {
        for group in &mut self.groups {
            group.found.retain_mut(|each| {
                let all = each.told_evidence().count();
                let (path, digest) = (group.path.as_str(), each.digest);
                let is_new = |one: &Evidence| !lists(path, &one.fact, digest);
                let new = each.told_evidence().filter(|one| is_new(one)).count();
                if (1..all).contains(&new) {
                    each.evidence.retain(is_new);
                    each.told.verdict = judged(each, context);
                }
                new > 0
            });
            *group = in_order(group.path.clone(), group.blocks, std::mem::take(&mut group.found));
        }
        self.groups.retain(|group| !group.found.is_empty());
        self.groups.sort_by(by_worst);
        self
    }

    /// Returns all findings, grouped by document.
    pub fn all(&self) -> impl Iterator<Item = &Finding> {
        self.groups.iter().flat_map(|group| &group.found)
    }

    /// Returns all findings as one list, in the order of [`worst_first`].
    pub fn in_order(&self) -> Vec<&Finding> {
        let mut all: Vec<&Finding> = self.all().collect();
        all.sort_by(|a, b| worst_first(&a.told, &b.told));
        all
    }

    /// Counts the listed findings by level.
    pub fn reported(&self) -> Levels {
        let mut levels = Levels::default();
        self.all().for_each(|each| levels.add(each.told.verdict.level));
        levels
    }
}

/// Judges a finding again from its remaining evidence.
fn judged(finding: &Finding, context: &Context) -> Verdict {
    if let Some(item) = &finding.item {
        return item.judge(&finding.evidence, context);
    }
    let block = Block {
        line: finding.told.line.unwrap_or(1),
        last_line: finding.last_line,
        title: String::new(),
        digest: finding.digest,
        anchored_at: Some(finding.told.verified_at.unwrap_or(finding.told.added_at)),
        anchor: None,
        evidence: finding.evidence.clone(),
    };
    block.judge(finding.told.kind, context)
}

/// Returns the items in files, by path, with their evidence.
fn filed(
    report: &Report,
    stored: Vec<Item>,
    look_up: &LookUp<'_>,
    context: &Context,
) -> BTreeMap<String, (Item, Vec<Evidence>)> {
    let items = joined_for_files(stored, report.items.clone());
    let mut asked = to_look_up(&items, report);
    asked.retain(|item| item.path.is_some());
    let cited = look_up(&asked);
    let outside = |item: &Item| outside(item, report, &cited);
    let all = known(items, &outside, context);
    all.into_iter()
        .filter_map(|each| Some((each.item.path.clone()?, (each.item, each.evidence))))
        .collect()
}

fn of_item(
    document: &Document,
    item: &Item,
    evidence: &[Evidence],
    context: &Context,
) -> Option<Group> {
    let mut told = KnowledgeReport::of_item(item, evidence, context);
    if told.verdict.signals.is_empty() {
        return None;
    }
    let block = document.found.first();
    told.line = Some(block.map_or(1, |block| block.line));
    // The text is in the file, so a check reports only its place and the reason.
    told.body = None;
    let last_line = block.map_or(1, |block| block.last_line);
    let finding = Finding {
        told,
        last_line,
        digest: digest(&item.body),
        evidence: evidence.to_vec(),
        item: Some(item.clone()),
    };
    Some(group(document, vec![finding]))
}

/// Returns a digest of an item's words. Line breaks and front matter do not affect it.
fn digest(body: &str) -> u64 {
    let words: Vec<&str> = body.split_whitespace().collect();
    stable_hash(words.join(" ").as_bytes()) as u64
}

fn of_blocks(document: &Document, context: &Context) -> Option<Group> {
    let finding = |block: &Block| {
        let told = KnowledgeReport::of_block(ItemKind::Document, document, block, context);
        (!told.verdict.signals.is_empty()).then(|| Finding {
            told,
            last_line: block.last_line,
            digest: block.digest,
            evidence: block.evidence.clone(),
            item: None,
        })
    };
    let found: Vec<Finding> = document.found.iter().filter_map(finding).collect();
    (!found.is_empty()).then(|| group(document, found))
}

fn group(document: &Document, found: Vec<Finding>) -> Group {
    in_order(document.key.path.clone(), document.blocks, found)
}

fn in_order(path: String, blocks: u32, mut found: Vec<Finding>) -> Group {
    found.sort_by(|a, b| {
        let rest = |each: &Finding| (each.last_line, each.digest);
        worst_first(&a.told, &b.told).then_with(|| rest(a).cmp(&rest(b)))
    });
    let verdict = found.first().map(|worst| &worst.told.verdict);
    let worst = verdict.map_or((Level::Fresh, 1.0), |it| (it.level, it.freshness));
    Group { path, blocks, worst, found }
}

fn by_worst(a: &Group, b: &Group) -> Ordering {
    match (a.found.first(), b.found.first()) {
        (Some(a), Some(b)) => worst_first(&a.told, &b.told),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}
