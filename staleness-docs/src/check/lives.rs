//! Dates items in files by their commits, because a clone or a checkout resets the dates of files on disk. The dates
//! are stored with the document, as blocks without evidence. Stored dates are reused while nothing changes, and without
//! git.

use std::collections::HashMap;

use staleness_core::knowledge::{Block, Document, Item};
use staleness_core::time::Timestamp;

use super::doc::Undated;
use super::past::commit_text;
use super::{Check, Lives};
use crate::Cancelled;
use crate::git::{Commit, Life, LifeQuery};

impl Check<'_> {
    /// Dates the items in tracked files by their commits. Dates in the front matter take precedence.
    pub(super) fn date_items(&mut self) -> Result<(), Cancelled> {
        let undated = std::mem::take(&mut self.undated);
        let queries: Vec<LifeQuery<'_>> =
            undated.iter().map(|each| LifeQuery { path: &each.path, text: each.text }).collect();
        let lives =
            self.past.ask(vec![None; queries.len()], |repo, watch| repo.lives(&queries, watch))?;
        let lives: HashMap<&str, (bool, Life)> = undated
            .iter()
            .zip(lives)
            .filter_map(|(each, life)| Some((each.path.as_str(), (each.says_added, life?))))
            .collect();
        for item in &mut self.report.items {
            let Some(path) = &item.path else { continue };
            let Some((says_added, life)) = lives.get(path.as_str()) else { continue };
            date(item, *says_added, life.first.at, life.last.map(|last| last.at));
            item.done_at = item.done_at.map(|_| item.updated_at.min(self.options.now));
        }
        let known = |each: &Undated| {
            Some((each.path.clone(), blocks(each.text, lives.get(&*each.path)?.1)))
        };
        self.lives.extend(undated.iter().filter_map(known));
        Ok(())
    }

    /// Dates an item as in the last check: by the time its file was added and, if the text is the same, by the time of
    /// the last edit. Returns false if these times are unknown.
    pub(super) fn date_as_kept(
        &mut self,
        item: &mut Item,
        known: &Document,
        says_added: bool,
        text: u128,
    ) -> bool {
        let mut kept = known.found.iter().filter(|block| block.evidence.is_empty());
        let Some(first) = kept.next() else { return false };
        let last = kept.next().filter(|block| block.digest == text as u64);
        let Some(added) = first.anchored_at else { return false };
        date(item, says_added, added, last.and_then(|block| block.anchored_at));
        item.done_at = item.done_at.map(|_| item.updated_at.min(self.options.now));
        let kept = [Some(first), last].into_iter().flatten().cloned().collect();
        self.lives.insert(known.key.path.clone(), kept);
        true
    }
}

fn date(item: &mut Item, says_added: bool, first: Timestamp, last: Option<Timestamp>) {
    if !says_added {
        item.added_at = first;
    }
    if let Some(last) = last {
        item.updated_at = last;
    }
}

/// Returns the dates of a file as blocks without evidence.
fn blocks(text: u128, life: Life) -> Vec<Block> {
    let block = |commit: Commit| Block {
        line: 1,
        last_line: 1,
        title: String::new(),
        digest: text as u64,
        anchored_at: Some(commit.at),
        anchor: Some(commit_text(&commit)),
        evidence: Vec::new(),
    };
    [Some(life.first), life.last].into_iter().flatten().map(block).collect()
}

/// Stores with each document the times at which the file of its item was added and last edited.
pub(super) fn keep(mut lives: Lives, documents: &mut [Document]) {
    for document in documents {
        document.found.extend(lives.remove(&document.key.path).unwrap_or_default());
    }
}
