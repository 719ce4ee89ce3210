//! Turns answers into evidence.

use staleness_core::knowledge::{Block, Cited, Document, Evidence, Fact, ItemKind};

use super::block::{as_one, block_of};
use super::bounds::Bounds;
use super::doc::{self, Doc};
use super::open::{Answers, Open};
use super::questions::{Ask, Asked};
use super::{Check, commit_text};
use crate::Note;
use crate::disk::exists;
use crate::draft::place::Lines;
use crate::files::file;

/// Maximum number of temporal words to report per block. Only the strongest one counts.
const MAX_MARKS: usize = 16;
/// The largest file whose lines are counted if there is no history, in bytes.
const MAX_COUNTED: u64 = 16 * 1024 * 1024;

impl Check<'_> {
    /// Returns a document with the evidence against its blocks. Without questions, only the front matter can
    /// give evidence.
    pub(super) fn document(
        &mut self,
        doc: &Doc,
        answered: Option<(&Open<'_>, &Answers)>,
    ) -> Document {
        let (mut found, mut bounds) = (Vec::new(), Bounds::default());
        if let Some((open, answers)) = answered {
            let mut lines = Lines::new(&open.text);
            bounds.pass_by(open.passed);
            let answered = answers.facts.iter().zip(&answers.anchors);
            for (asked, (facts, anchored)) in open.asked.iter().zip(answered) {
                let mut evidence = self.evidence_of(open, asked, facts, &mut lines);
                if evidence.is_empty() || !bounds.admit(&mut evidence, &mut self.listed) {
                    continue;
                }
                let block = block_of(open, asked.block, &mut lines);
                found.push(Block {
                    anchored_at: anchored.map(|it| it.at),
                    anchor: anchored.and_then(|it| it.commit).as_ref().map(commit_text),
                    evidence,
                    ..block
                });
            }
        }
        let mut document = Document {
            key: doc.key.clone(),
            loaded: doc.file.loaded,
            checked_at: self.options.now,
            head: self.report.head.clone(),
            digest: doc.digest,
            gaps: Vec::new(),
            blocks: doc.draft.count
                + u32::from(found.first().is_some_and(|block| block.digest == 0)),
            found,
        };
        if doc.kind == ItemKind::Document {
            doc::add_front(self, &doc.draft.fields, &mut document);
        } else {
            as_one(&mut document, doc, answered.map(|(open, _)| open));
            document.found.iter_mut().for_each(|block| bounds.fit(&mut block.evidence));
        }
        self.leave_out(doc, bounds);
        document
    }

    /// Returns the evidence in a block, without the suppressed kinds.
    fn evidence_of(
        &mut self,
        open: &Open<'_>,
        asked: &Asked,
        facts: &[(usize, Evidence)],
        lines: &mut Lines<'_>,
    ) -> Vec<Evidence> {
        let doc = open.doc;
        let mut evidence: Vec<Evidence> = facts
            .iter()
            .map(|(ask, fact)| evidence_at(lines, asked.asks[*ask].at, fact.clone()))
            .collect();
        if !self.past.is_there() {
            for ask in &asked.asks {
                let fact = self.without_history(ask);
                evidence.extend(fact.map(|fact| evidence_at(lines, ask.at, fact)));
            }
        }
        let marks = asked.block.map_or(0..0, |at| doc.draft.blocks[at].marks.clone());
        for mark in doc.draft.marks[marks].iter().take(MAX_MARKS) {
            // A phrase may continue on the next line.
            let word = open.text.get(mark.clone()).unwrap_or_default();
            let word = word.split_whitespace().collect::<Vec<_>>().join(" ");
            let fact = Fact::TemporalMarker { word };
            evidence.push(evidence_at(lines, mark.start, fact));
        }
        let before = evidence.len();
        evidence.retain(|evidence| !doc.leaves_aside(asked.block, evidence.fact.kind()));
        if evidence.len() < before {
            self.report.counts.ignored += before - evidence.len();
            self.told.insert(doc.key.path.clone());
        }
        evidence
    }

    /// Reports how many findings in a document are not listed.
    fn leave_out(&mut self, doc: &Doc, bounds: Bounds) {
        let count = bounds.left_out();
        if count == 0 {
            return;
        }
        let (path, line) = (&doc.key.path, None);
        let text = format!("{count} more findings of the same kind were left out");
        self.report.notes.push(Note { path: Some(path.clone()), line, text });
        self.partial.insert(path.clone());
        // An item is a single block, which is always listed.
        if doc.kind == ItemKind::Document {
            self.report.unlisted.extend(bounds.unlisted(path));
        }
    }

    /// Returns the fact for a citation that can be checked without a history: the file is missing, or is shorter than
    /// the cited lines.
    fn without_history(&mut self, ask: &Ask) -> Option<Fact> {
        let citation = ask.cites.first()?.clone();
        let path = self.place.folder.join(&citation.path);
        let gone = if !exists(&self.place.folder, &citation.path) {
            Cited::Path
        } else {
            let lines = citation.lines?;
            let count = self.counted.entry(citation.path.clone()).or_insert_with(|| {
                let read = file::read(&path, MAX_COUNTED, Some(&self.fence)).ok()?;
                Some(u32::try_from(read.text.lines().count()).unwrap_or(u32::MAX))
            });
            ((*count)? < lines.last).then_some(Cited::Lines)?
        };
        Some(Fact::SourceMissing { citation, gone, renamed_to: None, commit: None })
    }
}

fn evidence_at(lines: &mut Lines<'_>, at: usize, evidence: impl Into<Evidence>) -> Evidence {
    let (line, column) = lines.place(at);
    Evidence { line: Some(line), column: Some(column), ..evidence.into() }
}
