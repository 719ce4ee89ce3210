//! Documents as they were when they were checked last: what can be told without asking git.

use staleness::knowledge::{Context, Document, ItemKind, judge_document};
use staleness::report::KnowledgeReport;
use staleness::verdict::Level;
use staleness::{BlockingRegistry, Timestamp};

use super::check::findings::order;
use super::documents;
use crate::error::CliError;
use crate::settings::Settings;
use crate::when::ago;

/// What the last check found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remembered {
    /// How many documents were checked.
    pub documents: usize,
    /// How many of them are stale, and to be reviewed.
    pub stale: usize,
    pub review: usize,
    /// Blocks that cannot be trusted, worst first.
    pub doubtful: Vec<KnowledgeReport>,
    /// When documents were checked last.
    pub checked_at: Option<Timestamp>,
}

impl Remembered {
    /// Reads what the registry keeps of a project.
    pub(crate) fn read(settings: &Settings, registry: &BlockingRegistry) -> Result<Self, CliError> {
        let context = documents::context(settings, None);
        let all = registry.documents(&settings.project.id)?;
        let mut remembered = Self {
            documents: all.len(),
            checked_at: all.iter().map(|document| document.checked_at).max(),
            ..Self::default()
        };
        for document in &all {
            match judge_document(ItemKind::Document, document, &context).level {
                Level::Fresh => continue,
                Level::Review => remembered.review += 1,
                Level::Stale => remembered.stale += 1,
            }
            remembered.doubtful.extend(doubtful(document, &context));
        }
        let key = |told: &KnowledgeReport| (told.verdict.level, told.verdict.freshness);
        remembered.doubtful.sort_by(|a, b| {
            order(&key(a), &key(b))
                .then_with(|| (&a.path, a.line, &a.title).cmp(&(&b.path, b.line, &b.title)))
        });
        Ok(remembered)
    }

    /// How old this knowledge is: `checked 3d ago`.
    pub(crate) fn age(&self, now: Timestamp) -> String {
        match self.checked_at {
            Some(at) => format!("checked {}", ago(now, at)),
            None => "not checked yet".into(),
        }
    }
}

fn doubtful(document: &Document, context: &Context) -> Vec<KnowledgeReport> {
    let blocks = document.found.iter();
    blocks
        .map(|block| KnowledgeReport::of_block(ItemKind::Document, document, block, context))
        .filter(|told| told.verdict.level != Level::Fresh)
        .collect()
}
