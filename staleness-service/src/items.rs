//! Items from the store and from files as one list, with the evidence about each.

use std::collections::{BTreeMap, BTreeSet};

use staleness::ids::{ItemId, ItemKey, Scope};
use staleness::knowledge::{Block, Citation, Context, Evidence, Fact, Item, ItemKind};
use staleness::report::KnowledgeReport;
use staleness_core::knowledge::Cited;
use staleness_docs::Report;

/// An item and the evidence about it.
#[derive(Clone, Debug)]
pub struct Known {
    /// The item. An item in a file is merged with its row in the store.
    pub item: Item,
    /// Evidence from the project and from other items.
    pub evidence: Vec<Evidence>,
}

impl Known {
    /// Returns the report on the item.
    pub fn told(&self, context: &Context) -> KnowledgeReport {
        KnowledgeReport::of_item(&self.item, &self.evidence, context)
    }

    /// Returns the item's citations with the new locations of moved files and symbols. Empty unless this fixes all
    /// missing citations.
    pub(crate) fn cited_anew(&self) -> Vec<String> {
        let missing = |cited: &Citation| {
            self.evidence.iter().find_map(|each| match &each.fact {
                Fact::SourceMissing { citation, gone, renamed_to, .. }
                    if is_same(citation, cited) =>
                {
                    Some((*gone, renamed_to.clone()))
                }
                _ => None,
            })
        };
        let anew = |cited: &Citation| {
            Some(match missing(cited) {
                Some((Cited::Heading, to)) => Citation { symbol: Some(to?), ..cited.clone() },
                Some((_, to)) => Citation { path: to?, ..cited.clone() },
                None => cited.clone(),
            })
        };
        let cited = &self.item.citations;
        let anew: Vec<Citation> = cited.iter().map_while(anew).collect();
        let is_whole = anew.len() == cited.len() && anew.iter().ne(cited);
        anew.iter().filter(|_| is_whole).map(Citation::to_string).collect()
    }
}

/// Returns the evidence about an item from its file, its sources and its text. For a stored item that is not in
/// `cited`, only its text counts.
pub fn outside(
    item: &Item,
    report: &Report,
    cited: &BTreeMap<ItemKey, Vec<Evidence>>,
) -> Vec<Evidence> {
    let Some(path) = &item.path else {
        return cited.get(&item.key).cloned().unwrap_or_else(|| Evidence::of_markers(&item.body));
    };
    let blocks = found_in(report, path);
    let told = blocks.flat_map(|block| block.evidence.iter().map(move |each| (block, each)));
    let is_change = |fact: &Fact| matches!(fact, Fact::SourceChanged { .. });
    // Changes found by a separate lookup replace those found by the check. The check counts from the last edit of the
    // file.
    let anew = cited.get(&item.key);
    let is_past = |block: &Block, fact: &Fact| match anew {
        Some(_) if is_change(fact) => true,
        _ => is_settled(item, block, fact),
    };
    let changes = anew.into_iter().flatten().filter(|each| is_change(&each.fact));
    // The items that supersede this one are determined from the items themselves.
    let is_own = |fact: &Fact| matches!(fact, Fact::Superseded { .. });
    told.filter(|(block, each)| !is_own(&each.fact) && !is_past(block, &each.fact))
        .map(|(_, each)| each)
        .chain(changes)
        .cloned()
        .collect()
}

fn found_in<'a>(report: &'a Report, path: &str) -> impl Iterator<Item = &'a Block> {
    let at = report.documents.binary_search_by(|document| document.key.path.as_str().cmp(path));
    at.ok().into_iter().flat_map(|at| &report.documents[at].found)
}

/// Returns the items whose citations must be looked up separately: stored items, and items in files that were verified
/// later than the file says. For the latter, a check finds only the first change since the file was edited.
pub fn to_look_up(items: &[Item], report: &Report) -> Vec<Item> {
    let files: BTreeMap<&ItemKey, &Item> =
        report.items.iter().map(|file| (&file.key, file)).collect();
    let by_row = |item: &&Item| match &item.path {
        None => true,
        Some(_) => files.get(&item.key).is_some_and(|file| item.verified_at > file.verified_at),
    };
    let with_changed = |item: &Item| {
        let mut item = item.clone();
        for block in item.path.iter().flat_map(|path| found_in(report, path)) {
            for each in &block.evidence {
                let Fact::SourceChanged { citation, .. } = &each.fact else { continue };
                if !item.citations.iter().any(|other| is_same(other, citation)) {
                    item.citations.insert(citation.clone());
                }
            }
        }
        item
    };
    items.iter().filter(by_row).map(with_changed).collect()
}

/// Returns true if two citations refer to the same place, even with different digests.
fn is_same(a: &Citation, b: &Citation) -> bool {
    (&a.path, &a.lines, &a.symbol) == (&b.path, &b.lines, &b.symbol)
}

/// Returns true if the item was verified after the change (by day) or the removal that a fact reports. Only the store
/// has this date. A verification never settles a missing source.
fn is_settled(item: &Item, block: &Block, fact: &Fact) -> bool {
    let happened = match fact {
        Fact::SourceChanged { days_after: Some(days), .. } => {
            block.anchored_at.map(|at| at.minus_days(-days))
        }
        Fact::ReferenceDrift { at, .. } => *at,
        _ => None,
    };
    happened.is_some_and(|happened| item.verified_at.is_some_and(|verified| happened <= verified))
}

/// Returns items with all their evidence. `outside` supplies the evidence from the project.
pub fn known(
    items: Vec<Item>,
    outside: &dyn Fn(&Item) -> Vec<Evidence>,
    context: &Context,
) -> Vec<Known> {
    let mut evidence: Vec<Vec<Evidence>> = items.iter().map(outside).collect();
    Evidence::gather(&items.iter().collect::<Vec<_>>(), &mut evidence, context);
    let pairs = items.into_iter().zip(evidence);
    pairs.map(|(item, evidence)| Known { item, evidence }).collect()
}

/// Merges an item from a file with its row in the store: counters, verification and contradictions.
pub fn with_row(file: Item, row: Option<&Item>) -> Item {
    let Some(row) = row else { return file };
    let by_row = row.verified_at > file.verified_at;
    // A later verification in the file answers an earlier contradiction.
    let is_answered = |at| file.verified_at.is_some_and(|verified| verified > at);
    let said = row.contradicted.clone().filter(|said| !is_answered(said.at));
    let digest = |citation: &Citation| {
        let same = row.citations.iter().find(|other| is_same(other, citation));
        same.filter(|_| by_row).and_then(|other| other.digest.clone())
    };
    let citations = file.citations.iter().map(|citation| Citation {
        digest: digest(citation).or_else(|| citation.digest.clone()),
        ..citation.clone()
    });
    Item {
        citations: citations.collect(),
        verified_at: file.verified_at.max(row.verified_at),
        verified_commit: if by_row { &row.verified_commit } else { &file.verified_commit }.clone(),
        verifications: file.verifications.max(row.verifications),
        superseded_by: file.superseded_by.union(&row.superseded_by).cloned().collect(),
        contradicted: file.contradicted.clone().or(said),
        done_at: file.done_at.or(row.done_at),
        recalls: file.recalls.max(row.recalls),
        recalls_since_edit: row.recalls_since(file.updated_at),
        recalled_at: file.recalled_at.max(row.recalled_at),
        ..file
    }
}

/// Removes rows of items with deleted files, and their claims to supersede other items. A row that is also in
/// `files` was moved and stays.
pub fn without_gone(
    mut rows: Vec<Item>,
    files: &[Item],
    is_there: &dyn Fn(&str) -> bool,
) -> Vec<Item> {
    let moved: BTreeSet<&ItemKey> = files.iter().map(|file| &file.key).collect();
    let is_gone = |row: &Item| {
        let path = row.path.as_deref();
        path.is_some_and(|path| !is_there(path)) && !moved.contains(&row.key)
    };
    let gone: Vec<Item> = rows.extract_if(.., |row| is_gone(row)).collect();
    let stood = |old: &ItemKey, by: &ItemId| {
        let by = gone.iter().filter(|row| row.key.scope == old.scope && row.key.id == *by);
        by.flat_map(|row| &row.supersedes).any(|id| *id == old.id)
    };
    for row in rows.iter_mut().filter(|_| !gone.is_empty()) {
        let key = row.key.clone();
        row.superseded_by.retain(|by| !stood(&key, by));
    }
    rows
}

/// Like [`joined`], but items in files take precedence over stored items with the same id, because this list is about
/// files.
pub fn joined_for_files(mut rows: Vec<Item>, files: Vec<Item>) -> Vec<Item> {
    let filed: BTreeSet<&ItemKey> = files.iter().map(|file| &file.key).collect();
    rows.retain(|row| row.path.is_some() || !filed.contains(&row.key));
    joined(rows, files)
}

/// Merges stored items and items in files. A stored item takes precedence over a file's item with the same key. Rows
/// without a file are dropped, and a project's item hides the global one with the same id: see `hides`. The file
/// decides which items its item supersedes.
pub fn joined(rows: Vec<Item>, files: Vec<Item>) -> Vec<Item> {
    let scope = rows.first().map(|row| &row.key.scope);
    let is_alone = |row: &Item| row.path.is_none() && Some(&row.key.scope) == scope;
    if files.is_empty() && rows.iter().all(is_alone) {
        return rows;
    }
    let mut all: BTreeMap<ItemKey, Item> =
        rows.into_iter().map(|item| (item.key.clone(), item)).collect();
    let mut seen = BTreeMap::new();
    let mut taken_back: Vec<(ItemKey, ItemId)> = Vec::new();
    for file in files {
        match all.get(&file.key) {
            Some(own) if own.path.is_none() => {}
            row => {
                let before = row.map(|row| &row.supersedes).into_iter().flatten();
                let gone = before.filter(|id| !file.supersedes.contains(*id));
                taken_back.extend(gone.map(|id| {
                    let scope = file.key.scope.clone();
                    (ItemKey { scope, id: id.clone() }, file.key.id.clone())
                }));
                let item = with_row(file, row);
                seen.insert(item.key.clone(), item);
            }
        }
    }
    all.retain(|_, item| item.path.is_none());
    all.extend(seen);
    for (key, by) in taken_back {
        if let Some(item) = all.get_mut(&key) {
            item.superseded_by.remove(&by);
        }
    }
    let (global, own): (Vec<&Item>, Vec<&Item>) =
        all.values().partition(|item| item.key.scope == Scope::Global);
    let own: BTreeMap<&ItemId, &Item> = own.into_iter().map(|own| (&own.key.id, own)).collect();
    let is_hidden = |item: &&Item| own.get(&item.key.id).is_some_and(|own| hides(own, item));
    let hidden: BTreeSet<ItemKey> =
        global.into_iter().filter(is_hidden).map(|item| item.key.clone()).collect();
    all.retain(|key, _| !hidden.contains(key));
    all.into_values().collect()
}

/// Returns true if an item of the project is used instead of a global one. A global preference gives way only to a
/// stored preference, because other people can write the files of a repository.
pub(crate) fn hides(own: &Item, global: &Item) -> bool {
    let is_preference = |item: &Item| item.kind == ItemKind::Preference;
    let is_chosen = is_preference(own) && own.path.is_none();
    own.key.id == global.key.id && (is_chosen || !is_preference(global))
}
