//! Whether citations still hold.

use std::ops::Range;

use staleness_core::knowledge::{Citation, Cited, Lines};
use staleness_core::time::Timestamp;

use super::lines::{Numbers, Text, is_text, split};
use super::meaning::path;
use super::moved::Moved;
use super::objects::{Object, Sort, Wanted};
use super::seen::is_telling;
use super::symbol;
use super::trace::between;
use super::tree::EntryKind;
use super::{Anchor, Commit, GitError, Oid, Repo, Stage, Watch};

/// A citation, and when it was seen to hold.
#[derive(Clone, Copy, Debug)]
pub struct CitationQuery<'a> {
    /// What is cited.
    pub citation: &'a Citation,
    /// When it was verified, or written.
    pub verified: Anchor,
}

/// What became of what a citation names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cite {
    /// It is there, and as it was then.
    Holds,
    /// The cited lines, or the item that the symbol names, were changed.
    Changed {
        /// The first commit that changed them, when that was found.
        commit: Option<Commit>,
        /// Whole days between the verification and that commit.
        days_after: Option<i64>,
    },
    /// A part of it was there then and is gone.
    Missing {
        /// Which part.
        gone: Cited,
        /// Where the file is now, when it was renamed.
        renamed_to: Option<String>,
        /// The commit that removed it, when that was found.
        commit: Option<Commit>,
    },
    /// A part of it is not there, and was not there then either.
    NeverThere(Cited),
    /// It cannot be told.
    Unknown,
}

/// What a citation says of one version of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Same,
    Changed,
    Gone(Cited),
    Unknown,
}

/// The version of the file that was seen to hold.
pub(super) struct Verified<'a> {
    pub(super) citation: &'a Citation,
    pub(super) file: Oid,
    pub(super) bytes: Vec<u8>,
    /// The cited lines, counted from 0; none for a symbol that cannot be delimited.
    pub(super) lines: Option<Range<usize>>,
    pub(super) place: Option<usize>,
    pub(super) at: Timestamp,
}

impl Repo {
    /// What became of these citations; the answers are in the order of the questions.
    ///
    /// The lines of a citation are those of its file when it was verified. They are followed to
    /// where they are now: lines that only moved are not changed, nor are those whose ends differ
    /// in white space. What was seen may be committed later only: the digest of a citation tells in which
    /// version it stands. A symbol stands for its item, from its first line to the end of its block,
    /// where that can be told; else only its disappearance counts.
    ///
    /// # Errors
    /// When git fails, or the watcher breaks.
    pub fn cited(
        &mut self,
        citations: &[CitationQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Cite>, GitError> {
        let mut moved = std::mem::take(&mut self.moved);
        let mut answers = Vec::with_capacity(citations.len());
        for query in citations {
            watch.tell(Stage::Comparing, answers.len(), Some(citations.len()))?;
            answers.push(self.cite(query, &mut moved)?);
        }
        self.moved = moved;
        Ok(answers)
    }

    fn cite(&mut self, query: &CitationQuery<'_>, moved: &mut Moved) -> Result<Cite, GitError> {
        let citation = query.citation;
        let Some(wanted) = path(&citation.path) else { return Ok(Cite::Unknown) };
        let Some((commit, place)) = self.anchor(query.verified)? else { return Ok(Cite::Unknown) };
        let now = self.look_up(self.head.id, &citation.path)?;
        let then = self.look_up(commit, &citation.path)?;
        match (then, now) {
            (None, None) => Ok(Cite::NeverThere(Cited::Path)),
            (Some(_), None) => {
                let gone = match place {
                    Some(place) => self.removal(&citation.path, place)?,
                    None => None,
                };
                let renamed_to = match gone {
                    Some(gone) => {
                        let exact = super::tokens::WantedPath { anchored: true, ..wanted };
                        moved.find(self, &exact, gone)?
                    }
                    None => None,
                };
                let commit =
                    gone.map(|gone| self.past().map(|past| past.commits[gone])).transpose()?;
                Ok(Cite::Missing { gone: Cited::Path, renamed_to, commit })
            }
            (_, Some(_)) if citation.is_bare() => Ok(Cite::Holds),
            (then, Some((EntryKind::File, now))) => {
                let then = then.filter(|(kind, _)| *kind == EntryKind::File).map(|(_, id)| id);
                self.compare(query, then, now, commit, place)
            }
            // Lines of a folder or of a link.
            _ => Ok(Cite::Unknown),
        }
    }

    /// What became of lines or a symbol of a file that is there.
    fn compare(
        &mut self,
        query: &CitationQuery<'_>,
        then: Option<Oid>,
        now: Oid,
        commit: Oid,
        place: Option<usize>,
    ) -> Result<Cite, GitError> {
        let citation = query.citation;
        let Some(text) = self.text(now)? else { return Ok(Cite::Unknown) };
        if let Some(verified) = self.seen(query, then, (commit, place))? {
            return self.became(&verified, now, &text);
        }
        let Some(before) = then else {
            // The file is younger than the citation: only what it lacks can be told.
            return Ok(lack(citation, &text).map_or(Cite::Holds, Cite::NeverThere));
        };
        let Some(bytes) = self.text(before)? else { return Ok(Cite::Unknown) };
        if let Some(part) = lack(citation, &bytes) {
            return Ok(match lack(citation, &text) {
                Some(part) => Cite::NeverThere(part),
                None if part == Cited::Symbol => Cite::Holds,
                None => Cite::Unknown,
            });
        }
        let at = self.moment(query.verified, commit)?;
        let lines = extent(citation, &bytes);
        self.became(&Verified { citation, file: before, bytes, lines, place, at }, now, &text)
    }

    /// What became of what was seen to hold.
    fn became(&mut self, verified: &Verified<'_>, now: Oid, text: &[u8]) -> Result<Cite, GitError> {
        match verified.state(now, Some(text)) {
            State::Same => Ok(Cite::Holds),
            State::Unknown => Ok(Cite::Unknown),
            State::Gone(gone) => {
                let commit = self.first_change(verified)?;
                Ok(Cite::Missing { gone, renamed_to: None, commit })
            }
            State::Changed => {
                let commit = self.first_change(verified)?;
                let days_after = commit.map(|commit| commit.at.days_since(verified.at));
                Ok(Cite::Changed { commit, days_after })
            }
        }
    }

    /// The commit after the verification in which what is cited ceased to be as it was.
    fn first_change(&mut self, verified: &Verified<'_>) -> Result<Option<Commit>, GitError> {
        let Some(mut same) = verified.place else { return Ok(None) };
        if self.state_at(same, verified)? != State::Same {
            return Ok(None);
        }
        let mut changed = 0;
        while let Some(middle) = between(changed, same) {
            match self.state_at(middle, verified)? {
                State::Same => same = middle,
                State::Unknown => return Ok(None),
                State::Changed | State::Gone(_) => changed = middle,
            }
        }
        Ok(self.past()?.commits.get(changed).copied())
    }

    fn state_at(&mut self, place: usize, verified: &Verified<'_>) -> Result<State, GitError> {
        if place >= self.past()?.commits.len() {
            return Ok(State::Unknown);
        }
        match self.held_at(place, &verified.citation.path)? {
            Some((EntryKind::File, file)) if file == verified.file => Ok(State::Same),
            Some((EntryKind::File, file)) => {
                let text = self.text(file)?;
                Ok(verified.state(file, text.as_deref()))
            }
            _ => Ok(State::Gone(Cited::Path)),
        }
    }

    pub(super) fn look_up(
        &mut self,
        commit: Oid,
        path: &str,
    ) -> Result<Option<(EntryKind, Oid)>, GitError> {
        match self.past.as_mut().and_then(|past| past.place(commit)) {
            Some(place) => self.held_at(place, path),
            None => self.trees.find(&mut self.objects, &self.place, commit, path),
        }
    }

    /// The text of a file in a commit, if there is one.
    ///
    /// # Errors
    /// When git fails.
    pub fn text_at(&mut self, commit: Oid, path: &str) -> Result<Option<String>, GitError> {
        let Some((EntryKind::File, file)) = self.look_up(commit, path)? else { return Ok(None) };
        Ok(self.text(file)?.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// The contents of a text file.
    pub(crate) fn text(&mut self, file: Oid) -> Result<Option<Vec<u8>>, GitError> {
        self.objects.one(Wanted::Object(file), |object| match object {
            Object::Found(_, Sort::Blob, bytes) if is_text(bytes) => Some(bytes.to_vec()),
            _ => None,
        })
    }
}

impl Verified<'_> {
    /// What another version of the file makes of the citation.
    fn state(&self, file: Oid, text: Option<&[u8]>) -> State {
        if file == self.file {
            return State::Same;
        }
        let Some(text) = text else { return State::Unknown };
        if let Some(symbol) = &self.citation.symbol
            && !symbol::holds(text, symbol)
        {
            return State::Gone(Cited::Symbol);
        }
        let Some(lines) = self.lines.clone() else { return State::Same };
        let mut numbers = Numbers::default();
        let (old, new) = (numbers.text(&self.bytes), numbers.text(text));
        if kept(&old, &new, lines.clone()).is_some() {
            return State::Same;
        }
        // The same lines somewhere else, when they say enough to be known again.
        if self.is_telling(&lines) && old.as_often(lines.clone(), &new) {
            return State::Same;
        }
        if self.citation.symbol.is_none() && lines.start >= new.len() {
            return State::Gone(Cited::Lines);
        }
        State::Changed
    }

    fn is_telling(&self, lines: &Range<usize>) -> bool {
        let lines: Vec<&[u8]> = split(&self.bytes).skip(lines.start).take(lines.len()).collect();
        is_telling(&lines)
    }

    /// Where the cited lines are in another version, or what is in their place.
    pub(super) fn lines_in(&self, text: &[u8]) -> Option<Range<usize>> {
        let lines = self.lines.clone()?;
        let mut numbers = Numbers::default();
        let (old, new) = (numbers.text(&self.bytes), numbers.text(text));
        if let Some(first) = kept(&old, &new, lines.clone()) {
            return Some(first..first + lines.len());
        }
        if self.is_telling(&lines) && old.as_often(lines.clone(), &new) {
            let first = old.nearest(lines.clone(), &new)?;
            return Some(first..first + lines.len());
        }
        let origins = old.origins(&new);
        let after = |line: usize| Some((*origins.get(line)?)? as usize);
        let start = match lines.start.checked_sub(1) {
            Some(before) => after(before)? + 1,
            None => 0,
        };
        let end = if lines.end == origins.len() { new.len() } else { after(lines.end)? };
        (start < end).then_some(start..end)
    }
}

/// Where these lines are in the new text, if all are, with nothing between them that was not there.
fn kept(old: &Text, new: &Text, lines: Range<usize>) -> Option<usize> {
    let targets = old.origins(new);
    let targets = targets.get(lines)?;
    let first = (*targets.first()?)?;
    let is_kept = targets.iter().zip(first..).all(|(target, wanted)| *target == Some(wanted));
    is_kept.then_some(first as usize)
}

/// The part of a citation that a text does not have.
fn lack(citation: &Citation, text: &[u8]) -> Option<Cited> {
    if let Some(symbol) = &citation.symbol
        && !symbol::holds(text, symbol)
    {
        return Some(Cited::Symbol);
    }
    citation.lines.filter(|lines| !within(lines, text)).map(|_| Cited::Lines)
}

fn within(lines: &Lines, text: &[u8]) -> bool {
    lines.first >= 1 && lines.first <= lines.last && lines.last as usize <= split(text).count()
}

/// The lines that a citation means, counted from 0.
pub(super) fn extent(citation: &Citation, text: &[u8]) -> Option<Range<usize>> {
    match (&citation.lines, &citation.symbol) {
        (Some(lines), _) => {
            within(lines, text).then(|| lines.first as usize - 1..lines.last as usize)
        }
        (None, Some(symbol)) => symbol::extent(text, symbol),
        (None, None) => None,
    }
}
