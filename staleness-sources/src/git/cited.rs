//! Whether citations still hold.

use std::collections::{BTreeMap, HashMap};

use staleness_core::knowledge::{Citation, Cited};

use super::compared::{Case, Cases};
use super::lines::is_text;
use super::meaning::path;
use super::moved::Moved;
use super::objects::{Object, Sort, Wanted};
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

/// What is known of a citation without a look into its file.
enum Whole {
    Answer(Cite),
    /// The contents of its file have to be looked at, as they were and as they are.
    Compare {
        then: Option<Oid>,
        now: Oid,
    },
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
        let (mut anchors, mut files) = (HashMap::new(), BTreeMap::new());
        let (mut answers, mut done) = (vec![Cite::Unknown; citations.len()], 0);
        for (at, query) in citations.iter().enumerate() {
            watch.tell(Stage::Comparing, done, Some(citations.len()))?;
            let anchor = match anchors.get(&query.verified) {
                Some(anchor) => *anchor,
                None => {
                    let anchor = self.anchor(query.verified)?;
                    anchors.insert(query.verified, anchor);
                    anchor
                }
            };
            match self.cite(query.citation, anchor, &mut moved)? {
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
        self.moved = moved;
        // What is asked of one version of a file is asked together: it is read and compared once.
        for ((path, then, now), cases) in &files {
            watch.tell(Stage::Comparing, done, Some(citations.len()))?;
            self.compare(&Cases { path, then: *then, now: *now, cases }, &mut answers)?;
            done += cases.len();
        }
        Ok(answers)
    }

    /// What can be told of a citation without a look into its file.
    fn cite(
        &mut self,
        citation: &Citation,
        anchor: Option<(Oid, Option<usize>)>,
        moved: &mut Moved,
    ) -> Result<Whole, GitError> {
        let unknown = Ok(Whole::Answer(Cite::Unknown));
        let Some(wanted) = path(&citation.path) else { return unknown };
        let Some((commit, place)) = anchor else { return unknown };
        let now = self.look_up(self.head.id, &citation.path)?;
        let then = self.look_up(commit, &citation.path)?;
        Ok(Whole::Answer(match (then, now) {
            (None, None) => Cite::NeverThere(Cited::Path),
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
                Cite::Missing { gone: Cited::Path, renamed_to, commit }
            }
            (_, Some(_)) if citation.is_bare() => Cite::Holds,
            (then, Some((EntryKind::File, now))) => {
                let then = then.filter(|(kind, _)| *kind == EntryKind::File).map(|(_, id)| id);
                return Ok(Whole::Compare { then, now });
            }
            // Lines of a folder or of a link.
            _ => Cite::Unknown,
        }))
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
