//! Documents of which many names are gone: they describe the past, or nobody keeps them up. One finding says so.

use std::collections::HashSet;

use staleness_core::knowledge::{Evidence, Fact, WordKind};

use super::Check;
use super::bounds::MANY;
use super::open::{Answers, Open};
use crate::Note;

/// Returns the name that a finding says is gone, if nothing took its place.
fn lost(evidence: &Evidence) -> Option<&str> {
    match &evidence.fact {
        Fact::ReferenceDrift { word, sort, renamed_to: None, .. } if *sort != WordKind::Command => {
            Some(word)
        }
        _ => None,
    }
}

impl Check<'_> {
    /// Keeps only the first of the lost names in a document that has lost many.
    pub(super) fn thin_bygone(&mut self, open: &Open<'_>, answers: &mut Answers) {
        let all = answers.facts.iter().flatten();
        let count = all.filter_map(|(_, evidence)| lost(evidence)).collect::<HashSet<_>>().len();
        if count < MANY || 2 * count < open.present {
            return;
        }
        let mut is_first = true;
        for facts in &mut answers.facts {
            facts.retain(|(_, evidence)| {
                lost(evidence).is_none() || std::mem::replace(&mut is_first, false)
            });
        }
        let path = open.doc.key.path.clone();
        let text = format!(
            "{count} of its {} names are gone, and the first stands for all; if it describes the past, add it to \
             documents.history",
            count + open.present
        );
        self.report.notes.push(Note { path: Some(path.clone()), line: None, text });
        self.partial.insert(path);
    }
}
