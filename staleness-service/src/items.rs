//! Items of the store and items that live in files, as one list with the evidence about each.

use std::collections::{BTreeMap, BTreeSet};

use staleness::ids::{ItemId, ItemKey, Scope};
use staleness::knowledge::{Block, Citation, Context, Evidence, Fact, Item};
use staleness::report::KnowledgeReport;
use staleness_docs::Report;

/// An item, and what speaks against it.
#[derive(Clone, Debug)]
pub struct Known {
    /// The item.
    pub item: Item,
    /// The evidence against it, from outside and from the items themselves.
    pub evidence: Vec<Evidence>,
}

impl Known {
    /// Returns the report on it.
    pub fn told(&self, context: &Context) -> KnowledgeReport {
        KnowledgeReport::of_item(&self.item, &self.evidence, context)
    }
}

/// Returns the evidence from outside of an item, in its file or in what it cites and names, and from
/// its own words. An item of the store that was not looked up has its words alone.
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
    // What was looked up by itself stands for what was found from where the file was edited.
    let anew = cited.get(&item.key);
    let is_past = |block: &Block, fact: &Fact| match anew {
        Some(_) if is_change(fact) => true,
        _ => is_settled(item, block, fact),
    };
    let changes = anew.into_iter().flatten().filter(|each| is_change(&each.fact));
    // Who stands for the item is told by the item.
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

/// Those whose citations are to be looked up by themselves: items of the store, and items of files
/// that were verified after the file said so last. A check knows of these only what was changed first
/// since the file was edited.
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

/// Returns true if two citations name the same place, whatever was there.
fn is_same(a: &Citation, b: &Citation) -> bool {
    (&a.path, &a.lines, &a.symbol) == (&b.path, &b.lines, &b.symbol)
}

/// Returns true if somebody verified the item after what a fact tells of: a change, to the day, since the fact
/// tells days, or the end of a word. The file does not know that, the store does. What is cited and gone stays
/// so, whoever looked.
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

/// Items with everything that speaks against each; `outside` knows what was found in the project.
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

/// An item of a file with what the store holds about it: its counters, its verification and what was
/// said about it.
pub fn with_row(file: Item, row: Option<&Item>) -> Item {
    let Some(row) = row else { return file };
    let by_row = row.verified_at > file.verified_at;
    // Whoever wrote a later verification into the file has answered what was said.
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

/// Rows without those of items whose file is gone: such an item stands for nothing any more. One that
/// is among those of `files` has a file of another name now.
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

/// The items of files among the others, each as its file has it: what files hold is judged here, and an
/// item of the store that has the id of one is none of that.
pub fn joined_for_files(mut rows: Vec<Item>, files: Vec<Item>) -> Vec<Item> {
    let filed: BTreeSet<&ItemKey> = files.iter().map(|file| &file.key).collect();
    rows.retain(|row| row.path.is_some() || !filed.contains(&row.key));
    joined(rows, files)
}

/// The items of the store and those of files, each once: the store's own stand for those of files of
/// the same id, rows of items whose file is gone are left out, and what the project has hides the
/// global item of the same id. Of what an item in a file stands for the file is the truth.
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
    let own: BTreeSet<ItemId> =
        all.keys().filter(|key| key.scope != Scope::Global).map(|key| key.id.clone()).collect();
    all.retain(|key, _| key.scope != Scope::Global || !own.contains(&key.id));
    all.into_values().collect()
}
