//! From questions to answers.

use std::collections::{BTreeMap, HashMap};

use staleness_core::ids::stable_hash;
use staleness_core::knowledge::{Citation, Document, Fact, Lines as LineRange};
use staleness_core::time::Timestamp;

use super::block::explains;
use super::doc::Doc;
use super::questions::{Asked, ask_when, word_of};
use super::{Check, commit_text};
use crate::draft::names::NameId;
use crate::draft::place::Lines;
use crate::files::file;
use crate::git::{Anchor, CitationQuery, Cite, Commit, Dated, DatingQuery, Trace, Word, WordQuery};
use crate::{Cancelled, Progress};

/// About how many bytes a question takes, and a block with questions.
const QUESTION_BYTES: usize = 256;

/// A document with questions, and its text.
pub(super) struct Open<'d> {
    pub(super) doc: &'d Doc,
    pub(super) text: String,
    pub(super) asked: Vec<Asked>,
    /// Number of blocks left out that have nothing but temporal words.
    pub(super) passed: usize,
    /// The blocks as lines, in the order of `asked`.
    places: Vec<LineRange>,
}

/// A citation that is asked about, and whose: the document, the block and the question.
pub(super) type CiteAsked<'a> = (usize, usize, usize, CitationQuery<'a>);

/// When what a block says was last known to hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchored {
    pub(super) at: Timestamp,
    pub(super) commit: Option<Commit>,
    anchor: Anchor,
}

impl Check<'_> {
    /// Looks up everything, and makes documents of the answers.
    pub(super) fn look(&mut self, docs: Vec<Doc>) -> Result<Vec<Document>, Cancelled> {
        let missing = self.missing()?;
        let mut documents = Vec::with_capacity(docs.len());
        let mut held: Vec<Open<'_>> = Vec::new();
        let mut size = 0;
        let may_hold = if self.past.is_there() { self.options.held_bytes } else { 0 };
        for (done, doc) in docs.iter().enumerate() {
            self.past.tell(Progress::Tracing { done, of: docs.len() })?;
            let (mut asked, leaving) = self.asks(doc, &missing);
            let passed = ask_when(&mut asked, doc);
            if self.rests_on_disk.take() {
                self.told.insert(doc.key.path.clone());
            }
            if asked.is_empty() && leaving.is_empty() && doc.draft.marks.is_empty() {
                documents.push(self.document(doc, None, &[], &[])?);
                continue;
            }
            let fence = doc.file.inside.then_some(&self.fence);
            let read = file::read(&doc.file.path, self.options.policy.max_file_bytes, fence);
            // A file that changes while it is checked is checked the next time.
            let Some(read) = read.ok().filter(|it| stable_hash(it.text.as_bytes()) == doc.text)
            else {
                self.told.insert(doc.key.path.clone());
                documents.push(self.document(doc, None, &[], &[])?);
                continue;
            };
            if !leaving.is_empty() {
                self.note_leaving(&doc.key.path, leaving, &read.text);
            }
            let questions: usize = asked.iter().map(|asked| asked.asks.len() + 1).sum();
            size += read.text.len() + questions * QUESTION_BYTES;
            let mut lines = Lines::new(&read.text);
            let place = |asked: &Asked| {
                let range = asked
                    .block
                    .map_or(0..doc.draft.body.max(1), |at| doc.draft.blocks[at].range.clone());
                let (first, last) = lines.span(&range);
                LineRange { first, last }
            };
            let places = asked.iter().map(place).collect();
            held.push(Open { doc, text: read.text, asked, passed, places });
            if size > may_hold {
                self.answer(&mut held, &mut documents)?;
                size = 0;
            }
        }
        self.answer(&mut held, &mut documents)?;
        Ok(documents)
    }

    /// The names that are nowhere in the checked-out commit, with what they were looked up as.
    fn missing(&mut self) -> Result<HashMap<NameId, Word>, Cancelled> {
        if !self.past.is_there() {
            return Ok(HashMap::new());
        }
        let ids = 0..NameId::try_from(self.names.len()).unwrap_or(NameId::MAX);
        let (ids, words): (Vec<NameId>, Vec<Word>) = ids
            .filter_map(|id| {
                let (sort, text) = self.names.get(id);
                Some((id, word_of(sort, text)?))
            })
            .unzip();
        self.past.tell(Progress::Looking { names: words.len() })?;
        let missing = self.past.missing(&words)?;
        let missing = ids.into_iter().zip(words).zip(missing);
        let mut missing: HashMap<NameId, Word> =
            missing.filter(|(_, missing)| *missing).map(|(pair, _)| pair).collect();
        let files = self.files_of(&missing.values().collect::<Vec<_>>());
        missing.retain(|_, word| !files.contains(&word.text));
        Ok(missing)
    }

    /// Answers the questions about the documents that are held.
    fn answer(
        &mut self,
        held: &mut Vec<Open<'_>>,
        documents: &mut Vec<Document>,
    ) -> Result<(), Cancelled> {
        let held = std::mem::take(held);
        let anchors = self.anchors(&held)?;
        let mut words: Vec<(usize, usize, usize, WordQuery<'_>)> = Vec::new();
        let mut cites: Vec<CiteAsked<'_>> = Vec::new();
        for (at, open) in held.iter().enumerate() {
            for (block, asked) in open.asked.iter().enumerate() {
                let Some(anchored) = anchors[at][block] else { continue };
                for (ask, question) in asked.asks.iter().enumerate() {
                    let verified = anchored.anchor;
                    let of = |citation| (at, block, ask, CitationQuery { citation, verified });
                    cites.extend(question.cites.iter().map(of));
                    if let Some(word) = &question.word {
                        let query = WordQuery { word, anchor: anchored.anchor };
                        words.push((at, block, ask, query));
                    }
                }
            }
        }
        let queries: Vec<_> = words.iter().map(|(.., query)| *query).collect();
        let traces = self.past.trace(&queries)?;
        let foreign =
            self.foreign(&queries, &traces, &held.iter().map(|open| open.doc).collect::<Vec<_>>());
        let queries: Vec<_> = cites.iter().map(|(.., query)| *query).collect();
        let cited = self.past.cited(&queries)?;
        let mut facts: BTreeMap<(usize, usize, usize), Fact> = BTreeMap::new();
        // A citation says more than a word, and the nearer path more than the other.
        let cited = self.where_it_was(&held, &cites, cited)?;
        for ((at, block, ask, query), cite) in cites.iter().zip(cited) {
            let since = anchors[*at][*block].map(|anchored| anchored.at);
            if let Some(fact) = fact_of_citation(query.citation, cite, since) {
                facts.entry((*at, *block, *ask)).or_insert(fact);
            }
        }
        for ((at, block, ask, query), trace) in words.iter().zip(traces) {
            if let Trace::Gone { by, renamed_to } = trace
                && !foreign.owns(*at, query.word)
                && !explains(&held[*at], held[*at].asked[*block].block, query.word)
            {
                let fact = fact_of_word(query.word, by, renamed_to);
                facts.entry((*at, *block, *ask)).or_insert(fact);
            }
        }
        for (at, open) in held.iter().enumerate() {
            let facts: Vec<Vec<(usize, Fact)>> = (0..open.asked.len())
                .map(|block| {
                    let of = (at, block, 0)..(at, block + 1, 0);
                    facts.range(of).map(|((.., ask), fact)| (*ask, fact.clone())).collect()
                })
                .collect();
            let document = self.document(open.doc, Some(open), &facts, &anchors[at])?;
            documents.push(document);
        }
        Ok(())
    }

    /// When each block that is asked about was last known to hold; `None` when nothing can be said
    /// of it, as of one that somebody is still working on.
    fn anchors(&mut self, held: &[Open<'_>]) -> Result<Vec<Vec<Option<Anchored>>>, Cancelled> {
        let dated: Vec<usize> = (0..held.len())
            .filter(|at| held[*at].doc.file.tracked && !held[*at].places.is_empty())
            .collect();
        let queries: Vec<DatingQuery<'_>> = dated
            .iter()
            .map(|at| DatingQuery {
                path: &held[*at].doc.key.path,
                text: held[*at].text.as_bytes(),
                blocks: &held[*at].places,
            })
            .collect();
        let unknown = queries.iter().map(|query| vec![Dated::Unknown; query.blocks.len()]);
        let dates = self.past.ask(unknown.collect(), |repo, watch| repo.date(&queries, watch))?;
        let mut dates: HashMap<usize, Vec<Dated>> = dated.into_iter().zip(dates).collect();
        let mut all = Vec::with_capacity(held.len());
        for (at, open) in held.iter().enumerate() {
            let dates = dates.remove(&at);
            let anchor = |(place, asked): (usize, &Asked)| {
                let date = dates.as_ref().and_then(|dates| dates.get(place));
                self.anchor(open.doc, asked, date)
            };
            let anchors: Vec<_> = open.asked.iter().enumerate().map(anchor).collect();
            all.push(anchors);
        }
        for anchored in all.iter_mut().flatten().flatten() {
            if anchored.commit.is_none() {
                anchored.commit = self.past.commit_at(anchored.at);
            }
        }
        Ok(all)
    }

    fn anchor(&self, doc: &Doc, asked: &Asked, date: Option<&Dated>) -> Option<Anchored> {
        let draft = &doc.draft;
        let directive = asked.block.and_then(|at| draft.blocks[at].verified).or(draft.verified);
        let verified = directive.or(draft.fields.verified).filter(|at| *at <= self.options.now);
        let of_time = |at| {
            let anchor = Anchor::At(end_of(at).min(self.options.now));
            Anchored { at, commit: None, anchor }
        };
        if !doc.file.tracked {
            return Some(of_time(verified.or(draft.fields.added).unwrap_or(doc.written)));
        }
        let edited = match date {
            Some(Dated::Uncommitted) => return None,
            date => date.and_then(|date| date.commit()),
        };
        match (edited, verified) {
            (Some(commit), verified) if verified.is_none_or(|at| end_of(at) < commit.at) => {
                let anchor = Anchor::Commit(commit.id);
                Some(Anchored { at: commit.at, commit: Some(commit), anchor })
            }
            (_, Some(at)) => Some(of_time(at)),
            (_, None) => None,
        }
    }
}

/// The end of what a date means: of the whole day, when it names a day and no time.
fn end_of(at: Timestamp) -> Timestamp {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let millis = at.as_millis();
    if millis.rem_euclid(DAY) == 0 {
        Timestamp::from_millis(millis.saturating_add(DAY - 1))
    } else {
        at
    }
}

/// Turns the removal of a word into a fact.
pub(crate) fn fact_of_word(word: &Word, by: Option<Commit>, renamed_to: Option<String>) -> Fact {
    let (commit, at) = (by.as_ref().map(commit_text), by.map(|commit| commit.at));
    Fact::ReferenceDrift { word: word.text.clone(), sort: word.kind, renamed_to, commit, at }
}

/// Turns an answer into a fact. Days to a change are counted from `since`, else as the question was.
pub(crate) fn fact_of_citation(
    citation: &Citation,
    cite: Cite,
    since: Option<Timestamp>,
) -> Option<Fact> {
    let citation = citation.clone();
    match cite {
        Cite::Missing { gone, renamed_to, commit } => {
            let commit = commit.as_ref().map(commit_text);
            Some(Fact::SourceMissing { citation, gone, renamed_to, commit })
        }
        Cite::Changed { commit, days_after } => {
            let days = |commit: &Commit| since.map(|since| commit.at.days_since(since));
            let days_after = commit.as_ref().and_then(days).or(days_after);
            let commit = commit.as_ref().map(commit_text);
            Some(Fact::SourceChanged { citation, commit, days_after })
        }
        Cite::Holds | Cite::NeverThere(_) | Cite::Unknown => None,
    }
}
