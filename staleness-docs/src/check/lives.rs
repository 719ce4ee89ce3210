//! Dates items in files by their commits. A clone or a checkout resets the dates of files on disk. Without
//! git, the dates of the last check are used, which are stored with the document as blocks without evidence.

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
        let known =
            |each: &Undated| Some((each.path.clone(), (each.text, lives.get(&*each.path)?.1)));
        self.lives = undated.iter().filter_map(known).collect();
        Ok(())
    }

    /// Dates an item that was read without git from the last check: when its file was added and, if the text
    /// is the same, last edited.
    pub(super) fn date_as_kept(
        &self,
        item: &mut Item,
        known: Option<&Document>,
        says_added: bool,
        text: u128,
    ) {
        let kept = known.into_iter().flat_map(|known| &known.found);
        let mut kept = kept.filter(|block| block.evidence.is_empty());
        let Some(first) = kept.next().and_then(|block| block.anchored_at) else { return };
        let last = kept.next().filter(|block| block.digest == text as u64);
        date(item, says_added, first, last.and_then(|block| block.anchored_at));
        item.done_at = item.done_at.map(|_| item.updated_at.min(self.options.now));
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

/// Stores with each document when the file of its item was added and last edited.
pub(super) fn keep(lives: &Lives, documents: &mut [Document]) {
    for document in documents {
        let Some((text, life)) = lives.get(&document.key.path) else { continue };
        let block = |commit: &Commit| Block {
            line: 1,
            last_line: 1,
            title: String::new(),
            digest: *text as u64,
            anchored_at: Some(commit.at),
            anchor: Some(commit_text(commit)),
            evidence: Vec::new(),
        };
        document.found.extend([Some(life.first), life.last].iter().flatten().map(block));
    }
}
