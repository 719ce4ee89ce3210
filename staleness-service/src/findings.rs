//! The findings of a check, judged and in order.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use staleness::ids::ItemKey;
use staleness::knowledge::{Block, Context, Document, Evidence, Fact, Item, ItemKind};
use staleness::report::KnowledgeReport;
use staleness::verdict::{Level, Signal, Verdict};
use staleness_core::ids::stable_hash;
use staleness_core::knowledge::{Cited, SignalSet};
use staleness_docs::{Report, Unlisted};

use crate::items::{joined_for_files, known, outside, to_look_up};
use crate::rank::worst_first;

/// A block, or an item that lives in a file, with at least one signal.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its report, with the verdict.
    pub told: KnowledgeReport,
    /// Its last line.
    pub last_line: u32,
    /// A digest of its text, which finds it again when it moves.
    pub digest: u64,
    /// The evidence against it.
    pub evidence: Vec<Evidence>,
    /// The item that the file holds, if it is one.
    item: Option<Item>,
}

impl Finding {
    /// Returns the strong evidence: none if the finding is fresh, else that of its strongest signal and of each
    /// signal that alone would not leave it fresh.
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
            let kind = one.fact.kind().as_str();
            signals.any(|(at, signal)| signal.kind == kind && is_strong(at, signal))
        })
    }

    /// Returns a hash of the one cause of all strong evidence: the present name of what went, else its old one, and
    /// the commit that removed it. `None` if there is more than one cause.
    pub fn cause(&self, context: &Context) -> Option<u64> {
        let mut causes = self.strong_evidence(context).map(|one| cause(&one.fact));
        let first = causes.next()??;
        causes.all(|other| other == Some(first)).then_some(first)
    }

    /// The evidence that its verdict tells of: some weighs nothing against some kinds.
    pub fn told_evidence(&self) -> impl Iterator<Item = &Evidence> {
        let signals = &self.told.verdict.signals;
        let is_told =
            |one: &&Evidence| signals.iter().any(|each| each.kind == one.fact.kind().as_str());
        self.evidence.iter().filter(is_told)
    }
}

/// Returns a number for what a fact says went, and by which commit.
fn cause(fact: &Fact) -> Option<u64> {
    let (name, renamed_to, commit) = match fact {
        Fact::SourceMissing { citation, gone: Cited::Path, renamed_to, commit } => {
            (&citation.path, renamed_to, commit)
        }
        Fact::ReferenceDrift { word, renamed_to, commit, .. } => (word, renamed_to, commit),
        _ => return None,
    };
    let (name, commit) = (renamed_to.as_ref().unwrap_or(name), commit.as_deref());
    Some(stable_hash(format!("{name}\n{}", commit.unwrap_or_default()).as_bytes()) as u64)
}

/// A document with what was found in it, in the order of [`worst_first`].
#[derive(Clone, Debug)]
pub struct Group {
    /// Its path.
    pub path: String,
    /// The number of its blocks.
    pub blocks: u32,
    /// The level and the freshness of its worst block.
    pub worst: (Level, f64),
    /// The findings.
    pub found: Vec<Finding>,
}

/// Numbers of blocks by level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Levels {
    /// The number that can be relied on.
    pub fresh: u64,
    /// The number to be reviewed.
    pub review: u64,
    /// The number that must not be relied on.
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

    /// Counts blocks that are not listed, which were taken for fresh, as those that are like them.
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

    /// Returns true if any is at this level or worse.
    pub const fn any_at(&self, level: Level) -> bool {
        match level {
            Level::Fresh => true,
            Level::Review => self.review + self.stale > 0,
            Level::Stale => self.stale > 0,
        }
    }
}

/// A function that looks up what items cite, and returns the evidence by item.
pub type LookUp<'a> = dyn Fn(&[Item]) -> BTreeMap<ItemKey, Vec<Evidence>> + 'a;

/// Nothing is looked up: what the check found is all.
pub fn nothing(_: &[Item]) -> BTreeMap<ItemKey, Vec<Evidence>> {
    BTreeMap::new()
}

/// Everything that a check found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Documents with findings, in the order of the worst in each.
    pub groups: Vec<Group>,
    /// The levels of all blocks.
    pub counts: Levels,
}

impl Findings {
    /// Judges what was found; `stored` are the items of the store, which hold what was said about
    /// those that live in files, and `look_up` tells what became of what items cite. Of a comparison
    /// with another revision only what is new is reported; the counts stay those of all blocks.
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
        // Age is nothing new: it comes by itself.
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

    /// Removes what a list holds, and judges the rest anew; the counts stay those of all blocks. Age
    /// alone is nothing new. `lists` is asked for a path, a fact and the digest of a text.
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

    /// Every finding, by document.
    pub fn all(&self) -> impl Iterator<Item = &Finding> {
        self.groups.iter().flat_map(|group| &group.found)
    }

    /// Every finding in one list, in the order of [`worst_first`].
    pub fn in_order(&self) -> Vec<&Finding> {
        let mut all: Vec<&Finding> = self.all().collect();
        all.sort_by(|a, b| worst_first(&a.told, &b.told));
        all
    }

    /// The levels of what is reported.
    pub fn reported(&self) -> Levels {
        let mut levels = Levels::default();
        self.all().for_each(|each| levels.add(each.told.verdict.level));
        levels
    }
}

/// The verdict on what is left of the evidence.
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

/// The items that live in files, by path, each with everything that speaks against it.
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
    // What a check is asked for is where and why; the text is in the file.
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

/// Returns a digest of an item's words, wherever its lines break: findings and the counters of its front
/// matter do not change it.
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

/// By the worst finding in each.
fn by_worst(a: &Group, b: &Group) -> Ordering {
    match (a.found.first(), b.found.first()) {
        (Some(a), Some(b)) => worst_first(&a.told, &b.told),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}
