//! When items that live in files were written and edited: their commits say it better than the dates of
//! files on disk, which a clone or a checkout makes anew.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::Check;
use crate::documents::{Cancelled, Progress};
use crate::git::{Life, LifeQuery};

impl Check<'_> {
    /// Gives the items of files with a history the dates of their commits. What a front matter says
    /// goes before that.
    pub(super) fn date_items(
        &mut self,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<(), Cancelled> {
        let undated = std::mem::take(&mut self.undated);
        let queries: Vec<LifeQuery<'_>> =
            undated.iter().map(|each| LifeQuery { path: &each.path, text: each.text }).collect();
        let lives = self.past.lives(&queries, &mut self.report.notes, progress)?;
        let lives: HashMap<&str, (bool, Life)> = undated
            .iter()
            .zip(lives)
            .filter_map(|(each, life)| Some((each.path.as_str(), (each.says_added, life?))))
            .collect();
        for item in &mut self.report.items {
            let Some(path) = &item.path else { continue };
            let Some((says_added, life)) = lives.get(path.as_str()) else { continue };
            if !says_added {
                item.added_at = life.first.at;
            }
            if let Some(last) = life.last {
                item.updated_at = last.at;
            }
            item.done_at = item.done_at.map(|_| item.updated_at.min(self.options.now));
        }
        Ok(())
    }
}
