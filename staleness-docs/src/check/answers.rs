//! Turns questions about documents into answers.

use std::collections::{BTreeMap, HashMap, HashSet};

use staleness_core::knowledge::{Citation, Cited, Evidence, Fact, ItemKind, WordKind};
use staleness_core::time::Timestamp;

use super::block::explains;
use super::commands::things_of;
use super::doc::Doc;
use super::open::{Anchored, Answers, CiteAsked, Open, Place, anchored_asks};
use super::questions::{Ask, Asked, Missing, whole_of, word_of};
use super::{Check, commit_text};
use crate::draft::names::NameId;
use crate::git::{Anchor, CitationQuery, Cite, Commit, Dated, DatingQuery, Trace, Word, WordQuery};
use crate::nature::{is_for_agents, is_readme};
use crate::{Cancelled, Progress};

/// Minimum number of names in a document that one commit must remove to show that the document is about the removed
/// things.
const SEVERAL: usize = 5;

impl Check<'_> {
    /// Finds the names and command targets in the documents that the checked-out commit lacks.
    pub(super) fn missing(&mut self, docs: &[Doc]) -> Result<Missing, Cancelled> {
        if !self.past.is_there() {
            return Ok(Missing::default());
        }
        let (mut words, mut whole) = (Vec::new(), Vec::new());
        for (id, sort, text) in self.names.iter() {
            words.extend(word_of(sort, text).map(|word| (id, word)));
            whole.extend(whole_of(sort, text).map(|word| (id, word)));
        }
        let calls = self.calls();
        let mut all: Vec<Word> = words.iter().chain(&whole).map(|(_, word)| word.clone()).collect();
        all.extend(calls.iter().flat_map(|(_, call)| things_of(call)));
        self.past.tell(Progress::Looking { names: all.len() })?;
        let missing = self.past.missing(&all)?;
        let missing: HashSet<Word> = all
            .into_iter()
            .zip(missing)
            .filter(|(_, missing)| *missing)
            .map(|(it, _)| it)
            .collect();
        let is_missing = |word: &Word| missing.contains(word);
        let quoted = whole.into_iter().filter(|(_, word)| !is_missing(word)).map(|(id, _)| id);
        let quoted = quoted.collect();
        let commands = self.lost_commands(docs, calls, &|word| !is_missing(word));
        words.retain(|(_, word)| is_missing(word));
        let mut words: HashMap<NameId, Word> = words.into_iter().collect();
        let files = self.files_of(&words.values().collect::<Vec<_>>());
        words.retain(|_, word| !files.contains(&word.text));
        Ok(Missing { words, commands, quoted })
    }

    /// Answers the questions about documents, in the order of the documents.
    pub(super) fn answers(&mut self, held: &[Open<'_>]) -> Result<Vec<Answers>, Cancelled> {
        let looks_far = |ask: &Ask| {
            ask.link.is_some() || ask.span || ask.heading.is_some() || ask.command.is_some()
        };
        if held.iter().flat_map(|open| &open.asked).flat_map(|asked| &asked.asks).any(looks_far) {
            self.past.look_far();
        }
        let anchors = self.dated(held)?;
        let mut words: Vec<(usize, usize, usize, WordQuery<'_>)> = Vec::new();
        let mut cites: Vec<CiteAsked<'_>> = Vec::new();
        for ((at, block, ask), question, anchored) in anchored_asks(held, &anchors) {
            let verified = anchored.anchor;
            let of = |citation| (at, block, ask, CitationQuery { citation, verified });
            cites.extend(question.cites.iter().map(of));
            if let Some(word) = &question.word {
                words.push((at, block, ask, WordQuery { word, anchor: verified }));
            }
        }
        let queries: Vec<_> = words.iter().map(|(.., query)| *query).collect();
        let traces = self.past.trace(&queries)?;
        let queries: Vec<_> = cites.iter().map(|(.., query)| *query).collect();
        let cited = self.past.cited(&queries)?;
        let mut facts: BTreeMap<Place, Evidence> =
            self.headings(held, &anchors)?.into_iter().collect();
        // A citation outranks a word, and the nearer of two paths outranks the other.
        let mut cited = self.where_it_was(held, &cites, cited)?;
        facts.extend(self.whenever(held, &anchors, &cites, &mut cited)?);
        let mut broken = Vec::new();
        for ((at, block, ask, query), cite) in cites.iter().zip(cited) {
            let since = anchors[*at][*block].map(|anchored| anchored.at);
            let (block, ask) = (*block, *ask);
            let question = &held[*at].asked[block].asks[ask];
            let of = held[*at].asked[block].block;
            let open = &held[*at];
            if let (Cite::NeverThere(Cited::Path), Some(written)) = (&cite, &question.relative) {
                if question.cites.first() == Some(query.citation) {
                    let evidence = self.broken(&held[*at], query.citation, written);
                    broken.extend(evidence.map(|it| ((*at, block, ask), it)));
                }
            } else if let Some(fact) = fact_of_citation(query.citation, cite, since)
                && !(question.span
                    && (open.says_otherwise(of, question.at)
                        || fact.renamed_to().is_some_and(|new| {
                            open.shows_change(block, &query.citation.path, new)
                        })
                        || self.is_in_clone(&open.doc.draft, question.at)))
            {
                let near = self.only_home(&fact);
                facts.entry((*at, block, ask)).or_insert(Evidence { near, ..fact.into() });
            }
        }
        // A removed page that the link may mean takes precedence over a link that never worked.
        for (place, evidence) in broken {
            facts.entry(place).or_insert(evidence);
        }
        let mut uses = HashMap::new();
        for ((at, block, ask, query), trace) in words.iter().zip(traces) {
            let (open, asked) = (&held[*at], &held[*at].asked[*block]);
            let offset = asked.asks[*ask].at;
            if let Trace::Gone { by, renamed_to } = trace
                && !explains(open, query.word)
                && !open.says_otherwise(asked.block, offset)
                && !renamed_to
                    .as_ref()
                    .is_some_and(|new| open.shows_change(*block, &query.word.text, new))
                && (query.word.kind == WordKind::Identifier
                    || !self.is_in_clone(&open.doc.draft, offset))
                && !self.is_foreign_flag(&mut uses, (*at, open), query.word, offset)
                && (query.word.kind != WordKind::Identifier
                    || !self.is_of_foreign_module(&open.text, offset, &query.word.text))
            {
                let fact = fact_of_word(query.word, by, renamed_to);
                let near = self.only_home(&fact);
                facts.entry((*at, *block, *ask)).or_insert(Evidence { near, ..fact.into() });
            }
        }
        facts.extend(self.fates_of_commands(held, &anchors)?);
        weaken(held, &mut facts);
        let answers = anchors.into_iter().enumerate().map(|(at, anchors)| {
            let of_block = |block| {
                let of = (at, block, 0)..(at, block + 1, 0);
                facts.range(of).map(|((.., ask), fact)| (*ask, fact.clone())).collect()
            };
            Answers { facts: (0..anchors.len()).map(of_block).collect(), anchors }
        });
        Ok(answers.collect())
    }

    /// Returns the anchor of each block with questions. `None` if the anchor is unknown, for example for uncommitted
    /// text.
    fn dated(&mut self, held: &[Open<'_>]) -> Result<Vec<Vec<Option<Anchored>>>, Cancelled> {
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

/// Marks evidence about removed identifiers and flags, whose weight is halved because half of such names belong to
/// something else. Not marked are items, names with a new name, names in a README or a text for agents, which describe
/// the code beside them, and names of a document that lost several to one commit.
fn weaken(held: &[Open<'_>], facts: &mut BTreeMap<Place, Evidence>) {
    let describes_code =
        |doc: &Doc| is_readme(&doc.key.path) || doc.file.loaded || is_for_agents(&doc.key.path);
    let mut lost: HashMap<(usize, String), HashSet<String>> = HashMap::new();
    for ((at, ..), evidence) in &*facts {
        if let Fact::ReferenceDrift { word, commit: Some(commit), .. } = &evidence.fact {
            lost.entry((*at, commit.clone())).or_default().insert(word.clone());
        }
    }
    for ((at, ..), evidence) in facts {
        let Fact::ReferenceDrift { sort, commit, alone, renamed_to, .. } = &mut evidence.fact
        else {
            continue;
        };
        let together = commit.clone().and_then(|commit| lost.get(&(*at, commit)));
        *alone = matches!(sort, WordKind::Identifier | WordKind::Flag)
            && renamed_to.is_none()
            && held[*at].doc.kind == ItemKind::Document
            && !describes_code(held[*at].doc)
            && together.is_none_or(|words| words.len() < SEVERAL);
    }
}

/// Returns the end of the period that a date denotes: the end of the day for a date without a time.
fn end_of(at: Timestamp) -> Timestamp {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let millis = at.as_millis();
    if millis.rem_euclid(DAY) == 0 {
        Timestamp::from_millis(millis.saturating_add(DAY - 1))
    } else {
        at
    }
}

/// Creates the fact that a named thing was removed.
pub(crate) fn fact_of_word(word: &Word, by: Option<Commit>, renamed_to: Option<String>) -> Fact {
    let (commit, at) = (by.as_ref().map(commit_text), by.map(|commit| commit.at));
    let (word, sort) = (word.text.clone(), word.kind);
    Fact::ReferenceDrift { word, sort, renamed_to, commit, at, alone: false }
}

/// Creates the fact for the state of a citation. The days until the change are counted from `since`, or from the
/// verification if `since` is `None`.
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
