//! Looks up citations in the history.

use std::collections::BTreeMap;

use staleness_core::knowledge::{Citation, Cited};

use super::compared::{Case, Cases};
use super::query::{CitationQuery, Cite};
use super::room::Citations;
use crate::git::objects::{Oid, TrackedKind};
use crate::git::process::{GitError, Watch};
use crate::symbols::{WantedPath, path};

/// The result of a lookup by path alone, without reading the cited file.
enum Whole {
    Answer(Cite),
    /// The old and the new contents of the file must be compared.
    Compare {
        then: Option<Oid>,
        now: Oid,
    },
}

impl Citations<'_> {
    pub(crate) fn cited(
        &mut self,
        citations: &[CitationQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Cite>, GitError> {
        let mut files = BTreeMap::new();
        let (mut answers, mut done) = (vec![Cite::Unknown; citations.len()], 0);
        for (at, query) in citations.iter().enumerate() {
            watch(done, Some(citations.len()))?;
            let anchor = self.history.anchor(query.verified)?;
            match self.cite(query.citation, anchor)? {
                Whole::Answer(answer) => {
                    answers[at] = answer;
                    done += 1;
                }
                Whole::Compare { then, now } => {
                    let (mut case, mut then) = (Case { at, query, anchor, lines: None }, then);
                    if let Some(anchor) = anchor
                        && let Some(seen) = self.seen(query.citation, then, anchor)?
                    {
                        then = Some(seen.file);
                        case.anchor = Some((anchor.0, seen.place));
                        case.lines = Some(seen.lines);
                    }
                    let key = (&*query.citation.path, then, now);
                    let cases: &mut Vec<Case<'_>> = files.entry(key).or_default();
                    cases.push(case);
                }
            }
        }
        // Citations of the same two versions are grouped, so that each version is read and compared once.
        for ((path, then, now), cases) in &files {
            watch(done, Some(citations.len()))?;
            self.compare(&Cases { path, then: *then, now: *now, cases }, &mut answers)?;
            done += cases.len();
        }
        Ok(answers)
    }

    pub(crate) fn removals(
        &mut self,
        paths: &[&str],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Cite>, GitError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let is_whole = self.history.list_all(watch)?;
        let mut answers = Vec::with_capacity(paths.len());
        for text in paths {
            watch(answers.len(), Some(paths.len()))?;
            let removal = self.history.past()?.changes.last_removal(text);
            answers.push(match (path(text), removal) {
                (Some(wanted), Some(removal)) => self.removed_in(wanted, removal)?,
                (Some(_), None) if is_whole => Cite::NeverThere(Cited::Path),
                _ => Cite::Unknown,
            });
        }
        Ok(answers)
    }

    /// Returns the answer for a path that was removed by the commit at `removal`.
    fn removed_in(&mut self, path: WantedPath, removal: usize) -> Result<Cite, GitError> {
        if self.history.past()?.changes.comes_and_goes(&path.parts.join(&b'/')) {
            return Ok(Cite::Unknown);
        }
        let exact = WantedPath { anchored: true, ..path };
        let renamed_to = self.moved.find(self.history, &exact, removal)?;
        let commit = self.history.past()?.commits.get(removal).copied();
        Ok(Cite::Missing { gone: Cited::Path, renamed_to, commit })
    }

    /// Answers a citation as far as this is possible without reading its file.
    fn cite(
        &mut self,
        citation: &Citation,
        anchor: Option<(Oid, Option<usize>)>,
    ) -> Result<Whole, GitError> {
        let unknown = Ok(Whole::Answer(Cite::Unknown));
        let Some(wanted) = path(&citation.path) else { return unknown };
        let Some((commit, place)) = anchor else { return unknown };
        let now = self.history.look_up(self.history.head.id, &citation.path)?;
        let then = self.history.look_up(commit, &citation.path)?;
        Ok(Whole::Answer(match (then, now) {
            (None, None) => Cite::NeverThere(Cited::Path),
            (Some(_), None) => {
                let gone = match place {
                    Some(place) => self.history.removal(&citation.path, place)?,
                    None => None,
                };
                match gone {
                    Some(gone) => self.removed_in(wanted, gone)?,
                    None => Cite::Missing { gone: Cited::Path, renamed_to: None, commit: None },
                }
            }
            (_, Some(_)) if citation.is_bare() => Cite::Holds,
            (then, Some((TrackedKind::File, now))) => {
                let then = then.filter(|(kind, _)| *kind == TrackedKind::File).map(|(_, id)| id);
                return Ok(Whole::Compare { then, now });
            }
            // Citations of lines in a folder or a symbolic link cannot be checked.
            _ => Cite::Unknown,
        }))
    }
}
