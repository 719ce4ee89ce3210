//! Documents as they were when they were checked last, and items of the store: what can be told without waiting.

use staleness::report::KnowledgeReport;
use staleness::verdict::Level;
use staleness::{Registry, Timestamp, Wait};

use crate::citations;
use crate::documents;
use crate::error::ServiceError;
use crate::findings::{Findings, nothing};
use crate::items::{joined, known, outside};
use crate::rank::worst_first;
use crate::settings::Settings;
use crate::when::ago;

/// The findings of the last check.
#[derive(Clone, Debug, Default)]
pub struct Remembered {
    /// The number of documents that were checked.
    pub documents: usize,
    /// The number of documents that are stale.
    pub stale: usize,
    /// The number of documents that are to be reviewed.
    pub review: usize,
    /// The number of documents with more findings than are kept; the worst of these are.
    pub partial: usize,
    /// Blocks that cannot be trusted, worst first.
    pub doubtful: Vec<KnowledgeReport>,
    /// Items of the store that cannot be trusted, worst first.
    pub knowledge: Vec<KnowledgeReport>,
    /// When documents were checked last.
    pub checked_at: Option<Timestamp>,
}

impl Remembered {
    /// Reads what the registry keeps of a project.
    pub fn read(settings: &Settings, registry: &Registry) -> Result<Self, ServiceError> {
        let checked = registry.documents().list(&settings.project.id).wait()?;
        let mut remembered = Self {
            documents: checked.len(),
            partial: checked.iter().filter(|document| document.is_partial()).count(),
            checked_at: checked.iter().map(|document| document.checked_at).max(),
            ..Self::default()
        };
        // As a check judges: an item that lives in a file by its kind, and by what was said about it.
        let report = documents::as_checked(settings, checked)?;
        let context = documents::context(settings, documents::version(settings).as_deref());
        let stored = documents::rows(settings, registry, &report.items)?;
        let items = joined(stored.clone(), report.items.clone());
        let cited = citations::evidence_at_hand(settings, &items);
        let items = known(items, &|item| outside(item, &report, &cited), &context);
        // As of a block: the text is in the store.
        let of_store = items.iter().filter(|each| each.item.path.is_none());
        let told = of_store.map(|each| KnowledgeReport { body: None, ..each.told(&context) });
        remembered.knowledge = told.filter(|told| told.verdict.level != Level::Fresh).collect();
        remembered.knowledge.sort_by(worst_first);
        for group in Findings::new(&report, stored, &nothing, &context).groups {
            match group.worst.0 {
                Level::Fresh => continue,
                Level::Review => remembered.review += 1,
                Level::Stale => remembered.stale += 1,
            }
            let told = group.found.into_iter().map(|each| each.told);
            remembered.doubtful.extend(told.filter(|told| told.verdict.level != Level::Fresh));
        }
        remembered.doubtful.sort_by(worst_first);
        Ok(remembered)
    }

    /// Returns the age of this knowledge: `checked 3d ago`, or `not checked yet`.
    #[must_use]
    pub fn age(&self, now: Timestamp) -> String {
        match self.checked_at {
            Some(at) => format!("checked {}", ago(now, at)),
            None => "not checked yet".into(),
        }
    }
}
