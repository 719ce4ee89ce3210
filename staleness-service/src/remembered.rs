//! The results of the last document check, and stored items, read without waiting for git.

use std::collections::BTreeSet;

use staleness::ids::ClientId;
use staleness::report::KnowledgeReport;
use staleness::verdict::{Level, SignalKind};
use staleness::{Registry, Timestamp, Wait};
use staleness_core::knowledge::Gap;
use staleness_docs::checkout::Checkout;
use staleness_docs::remedy;

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
    /// Number of documents that were checked.
    pub documents: usize,
    /// Number of stale documents.
    pub stale: usize,
    /// Number of documents to review.
    pub review: usize,
    /// Number of documents with more findings than are stored. The worst findings are stored.
    pub partial: usize,
    /// Findings in files that need attention, worst first.
    pub doubtful: Vec<KnowledgeReport>,
    /// Stored items that need attention and are not superseded, worst first.
    pub knowledge: Vec<KnowledgeReport>,
    /// Paths of documents that were checked at a different commit from the checked-out one.
    pub elsewhere: BTreeSet<String>,
    /// The time at which documents were last checked.
    pub checked_at: Option<Timestamp>,
    /// The kinds of data that the check could not read; empty if the policy treats gaps as fresh.
    pub gaps: BTreeSet<Gap>,
}

impl Remembered {
    /// Reads the stored results for a project and judges them again. For a requesting client, omits instructions
    /// that only other clients load.
    pub fn read(settings: &Settings, registry: &Registry) -> Result<Self, ServiceError> {
        let client = settings.client.as_ref();
        let (mut remembered, found) = Self::with_findings(settings, registry, client)?;
        for group in found.groups {
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

    /// Reads the stored results. Returns the findings in files separately, with their evidence.
    pub(crate) fn with_findings(
        settings: &Settings,
        registry: &Registry,
        client: Option<&ClientId>,
    ) -> Result<(Self, Findings), ServiceError> {
        let checked = registry.documents().list(&settings.project.id).wait()?;
        let checked = documents::without_others(settings, client, checked);
        let checkout = Checkout::of(&settings.place.folder);
        let elsewhere = checked.iter().filter(|document| checkout.is_elsewhere(document));
        let mut remembered = Self {
            elsewhere: elsewhere.map(|document| document.key.path.clone()).collect(),
            documents: checked.len(),
            partial: checked.iter().filter(|document| document.is_partial()).count(),
            checked_at: checked.iter().map(|document| document.checked_at).max(),
            ..Self::default()
        };
        if settings.configured.policy.documents.blind > Level::Fresh {
            remembered.gaps.extend(checked.iter().flat_map(|document| &document.gaps));
        }
        // Judges items in files the same way as a check does.
        let context = documents::context(settings, documents::version(settings).as_deref());
        let report = documents::as_checked(settings, checked, context.version())?;
        let stored = documents::rows(settings, registry, &report.items)?;
        let items = joined(stored.clone(), report.items.clone());
        let cited = citations::evidence_at_hand(settings, &items);
        let items = known(items, &|item| outside(item, &report, &cited), &context);
        // Omits the text of items, as of blocks. The text can be read from the store.
        let of_store = items.iter().filter(|each| each.item.path.is_none());
        let told = of_store.map(|each| KnowledgeReport { body: None, ..each.told(&context) });
        remembered.knowledge = told.filter(is_open).collect();
        remembered.knowledge.sort_by(worst_first);
        Ok((remembered, Findings::new(&report, stored, &nothing, &context)))
    }

    /// Returns the kinds of data that the check could not read, with the remedy: `the history is shallow; run …`.
    /// `None` if there are none.
    pub fn incomplete(&self) -> Option<String> {
        let gap = *self.gaps.first()?;
        let what = match gap {
            Gap::Shallow => "the history is shallow",
            Gap::Partial => "the history is partial",
            Gap::Unreadable => "parts of the history could not be read",
            Gap::Submodule => "a submodule is not checked out",
            Gap::Untrusted => "git does not trust the repository",
            Gap::Stopped => "git did not answer",
            Gap::NoGit => "there is no `git`",
        };
        Some(format!("{what}; {}", remedy(gap)))
    }

    /// Returns the age of the results: `checked 3d ago`, `checked 3d ago, at another commit`, or `not checked yet`.
    pub fn age(&self, now: Timestamp) -> String {
        match self.checked_at {
            Some(at) if !self.elsewhere.is_empty() => {
                format!("checked {}, at another commit", ago(now, at))
            }
            Some(at) => format!("checked {}", ago(now, at)),
            None => "not checked yet".into(),
        }
    }
}

/// Returns true if an item is not fresh and was not superseded in the store.
pub(crate) fn is_open(told: &KnowledgeReport) -> bool {
    let is_settled = told.path.is_none() && told.verdict.rests_on(SignalKind::Superseded);
    told.verdict.level != Level::Fresh && !is_settled
}
