//! Links in documents that were moved.

use staleness_core::knowledge::{Citation, Cited};

use super::Check;
use super::open::{CiteAsked, Open};
use crate::Cancelled;
use crate::git::{CitationQuery, Cite};
use crate::paths;

impl Check<'_> {
    /// Looks up broken links relative to the path that their document had when it was last verified. If the target
    /// still exists there, the document was moved without updating the link.
    pub(super) fn where_it_was(
        &mut self,
        held: &[Open<'_>],
        cites: &[CiteAsked<'_>],
        mut cited: Vec<Cite>,
    ) -> Result<Vec<Cite>, Cancelled> {
        let mut moved = Vec::new();
        for (number, ((at, block, ask, query), cite)) in cites.iter().zip(&cited).enumerate() {
            let open = &held[*at];
            if matches!(cite, Cite::NeverThere(Cited::Path))
                && let question = &open.asked[*block].asks[*ask]
                && let Some(written) = &question.relative
                && question.cites.first() == Some(query.citation)
                && let Some((name, by)) = self
                    .past
                    .look_up(|repo| repo.history.name_at(&open.doc.key.path, query.verified))
                && let folder = paths::folder_of(&name)
                && let Ok(path) = paths::resolve(folder, written)
                && path != query.citation.path
            {
                moved.push((number, Citation::of_path(path), query.verified, by));
            }
        }
        let queries: Vec<_> = moved
            .iter()
            .map(|(_, citation, verified, _)| CitationQuery { citation, verified: *verified })
            .collect();
        let answers = self.past.cited(&queries)?;
        for ((number, citation, _, by), answer) in moved.iter().zip(answers) {
            cited[*number] = match answer {
                Cite::Holds => Cite::Missing {
                    gone: Cited::Path,
                    renamed_to: Some(citation.path.clone()),
                    commit: Some(*by),
                },
                missing @ Cite::Missing { .. } => missing,
                _ => continue,
            };
        }
        Ok(cited)
    }
}
