//! Finds out when blocks of documents were last edited.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};

use staleness_core::knowledge::Lines;

use super::changes::Held;
use super::commits::Past;
use super::follow::{Trail, Version};
use super::timeline::{Anchor, History};
use crate::git::lines::{Numbers, Text, is_text};
use crate::git::objects::{Commit, Object, Objects, Oid, Sort, TrackedKind, Wanted};
use crate::git::process::{GitError, Watch};
use crate::symbols::split;

/// Number of versions of a document to read at once: in the first batch, and in the largest.
const STEPS: (usize, usize) = (2, 32);

/// Minimum number of documents at which two threads date one half each.
const HALVED: usize = 32;

/// A document and the blocks to date in it.
#[derive(Clone, Copy, Debug)]
pub struct DatingQuery<'a> {
    /// Path of the document, relative to the project's folder.
    pub path: &'a str,
    /// Text of the document on disk.
    pub text: &'a [u8],
    /// The blocks as line ranges in that text. A block may be a single line.
    pub blocks: &'a [Lines],
}

/// The time of the last edit of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dated {
    /// The commit that last edited the block. If the history before that commit is unknown, the edit may be older.
    By(Commit),
    /// The last edit is not committed yet.
    Uncommitted,
    /// The time cannot be determined: the committed document cannot be read as text.
    Unknown,
}

impl Dated {
    /// Returns the commit, if any.
    pub const fn commit(&self) -> Option<Commit> {
        match self {
            Self::By(commit) => Some(*commit),
            Self::Uncommitted | Self::Unknown => None,
        }
    }
}

/// A block without a date yet, with its lines in the current version.
struct Block {
    at: usize,
    lines: Vec<u32>,
}

impl History {
    pub(crate) fn date(
        &mut self,
        documents: &[DatingQuery<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Vec<Dated>>, GitError> {
        if documents.is_empty() {
            return Ok(Vec::new());
        }
        let paths: Vec<&str> = documents.iter().map(|document| document.path).collect();
        let mut trails = self.trails(&paths, watch)?;
        for (path, trail) in paths.iter().zip(&mut trails).filter(|(_, it)| !it.names.is_empty()) {
            self.names.insert((*path).to_owned(), std::mem::take(&mut trail.names));
        }
        self.past()?;
        let mut asked = Vec::with_capacity(documents.len());
        for (document, trail) in documents.iter().zip(&trails) {
            asked.push(DatedDocument { document, trail, newest: self.held_at(0, document.path)? });
        }
        let Some(past) = &self.past else { return Err(GitError::garbled("no answer")) };
        let most = self.limits.document_bytes;
        let of = Some(documents.len());
        let (near, far) = asked.split_at(if asked.len() < HALVED { 0 } else { asked.len() / 2 });
        let mut others = self.objects.another(1);
        let is_over = AtomicBool::new(false);
        // One half compares versions while the other waits for git to unpack one.
        let (dates, near) = thread::scope(|scope| {
            let help = || {
                date_each(near, past, &mut others, most, &mut |_| {
                    let goes_on = !is_over.load(Ordering::Relaxed);
                    if goes_on { Ok(()) } else { Err(GitError::Cancelled) }
                })
            };
            let helper = match near.is_empty() {
                true => None,
                false => match thread::Builder::new().spawn_scoped(scope, help) {
                    Ok(helper) => Some(helper),
                    Err(why) => return (Err(GitError::no_thread(why)), None),
                },
            };
            let dates = date_each(far, past, &mut self.objects, most, &mut |done| {
                watch(near.len() + done, of)
            });
            is_over.store(dates.is_err(), Ordering::Relaxed);
            (dates, helper.map(ScopedJoinHandle::join))
        });
        self.objects.add(&others);
        let dates = dates?;
        let near = near.transpose().map_err(|_| GitError::garbled("no answer"))?.transpose()?;
        Ok(near.unwrap_or_default().into_iter().chain(dates).collect())
    }
}

impl History {
    /// Returns the name of a document at a time, if it differs from the current one, and the commit that renamed it.
    pub(crate) fn name_at(
        &mut self,
        path: &str,
        at: Anchor,
    ) -> Result<Option<(String, Commit)>, GitError> {
        if !self.names.contains_key(path) {
            return Ok(None);
        }
        let Some((_, Some(place))) = self.anchor(at)? else { return Ok(None) };
        let names = self.names.get(path).map_or(&[][..], Vec::as_slice);
        let since = names.iter().take_while(|(commit, _)| (*commit as usize) < place);
        let (Some((_, name)), Some((commit, _))) = (since.last(), names.first()) else {
            return Ok(None);
        };
        let (name, commit) = (name.clone(), *commit as usize);
        Ok(self.past()?.commits.get(commit).map(|commit| (name, *commit)))
    }
}

/// A document, its versions, and its contents in the checked-out commit.
struct DatedDocument<'a> {
    document: &'a DatingQuery<'a>,
    trail: &'a Trail,
    newest: Option<Held>,
}

/// Dates the blocks of each document in turn. `goes_on` receives the number of documents done.
fn date_each(
    asked: &[DatedDocument<'_>],
    past: &Past,
    objects: &mut Objects,
    most: u64,
    goes_on: &mut dyn FnMut(usize) -> Result<(), GitError>,
) -> Result<Vec<Vec<Dated>>, GitError> {
    let mut dates = Vec::with_capacity(asked.len());
    for DatedDocument { document, trail, newest } in asked {
        goes_on(dates.len())?;
        let mut dating = Dating {
            objects: &mut *objects,
            past,
            numbers: Numbers::default(),
            dates: vec![Dated::Unknown; document.blocks.len()],
            left: most,
        };
        match newest {
            Some((TrackedKind::File, newest)) => dating.run(document, *newest, trail)?,
            Some(_) => {}
            None => dating.dates.fill(Dated::Uncommitted),
        }
        dates.push(dating.dates);
    }
    Ok(dates)
}

struct Dating<'a> {
    objects: &'a mut Objects,
    past: &'a Past,
    numbers: Numbers,
    dates: Vec<Dated>,
    left: u64,
}

impl Dating<'_> {
    fn run(
        &mut self,
        document: &DatingQuery<'_>,
        newest: Oid,
        trail: &Trail,
    ) -> Result<(), GitError> {
        if document.blocks.is_empty() {
            return Ok(());
        }
        let mut texts = HashMap::new();
        self.read(&[newest], &mut texts)?;
        let Some(Some(committed)) = texts.remove(&newest) else { return Ok(()) };
        let mut open = self.place(document, &committed);
        let mut current = committed;
        let mut step = STEPS.0;
        let mut versions = trail.versions.iter();
        while !open.is_empty() {
            let some: Vec<&Version> = versions.by_ref().take(step).collect();
            let Some(last) = some.last() else { break };
            let last = last.commit;
            let wanted: Vec<Oid> =
                some.iter().map(|version| version.old).filter(|old| !old.is_null()).collect();
            let mut texts = HashMap::new();
            self.read(&wanted, &mut texts)?;
            for version in some {
                current = match texts.get(&version.old) {
                    Some(Some(old)) => {
                        self.step(&mut open, &current, old, version.commit);
                        old.clone()
                    }
                    // The file was new, or its earlier version is not text.
                    _ => {
                        self.end(&mut open, version.commit);
                        break;
                    }
                };
            }
            if self.left == 0 {
                self.end(&mut open, last);
            }
            step = (step * 2).min(STEPS.1);
        }
        // If the first version was not found, the blocks date from the oldest known commit or earlier.
        let edge = trail.versions.last().map(|version| version.commit);
        let edge = edge.or_else(|| u32::try_from(self.past.commits.len().checked_sub(1)?).ok());
        self.end(&mut open, edge.unwrap_or(u32::MAX));
        Ok(())
    }

    /// Finds the blocks in the committed text. Missing blocks count as uncommitted.
    fn place(&mut self, document: &DatingQuery<'_>, committed: &Text) -> Vec<Block> {
        let text = self.numbers.text(document.text);
        let blank: Vec<bool> =
            split(document.text).map(|line| line.trim_ascii().is_empty()).collect();
        let origins = text.origins(committed);
        let mut open = Vec::new();
        for (at, block) in document.blocks.iter().enumerate() {
            let first = (block.first.max(1) - 1) as usize;
            let end = (block.last as usize).min(text.len());
            let of = |skip: bool| {
                (first..end)
                    .filter(|line| !(skip && blank[*line]))
                    .map(|line| origins[line])
                    .collect::<Option<Vec<u32>>>()
            };
            let all_blank = (first..end).all(|line| blank[line]);
            match of(!all_blank) {
                None => self.dates[at] = Dated::Uncommitted,
                Some(lines) if lines.is_empty() => {}
                Some(lines) => open.push(Block { at, lines }),
            }
        }
        open
    }

    /// Steps from one version to the previous one. Dates each block that has a line which the older version lacks.
    fn step(&mut self, open: &mut Vec<Block>, new: &Text, old: &Text, commit: u32) {
        let origins = new.origins(old);
        let date = self.by(commit);
        let dates = &mut self.dates;
        open.retain_mut(|block| {
            let before: Option<Vec<u32>> =
                block.lines.iter().map(|line| origins.get(*line as usize).copied()?).collect();
            match before {
                Some(lines) => block.lines = lines,
                None => dates[block.at] = date,
            }
            dates[block.at] == Dated::Unknown
        });
    }

    /// Dates the remaining blocks.
    fn end(&mut self, open: &mut Vec<Block>, commit: u32) {
        let date = self.by(commit);
        for block in open.drain(..) {
            self.dates[block.at] = date;
        }
    }

    fn by(&self, commit: u32) -> Dated {
        let commit = self.past.commits.get(commit as usize);
        commit.map_or(Dated::Unknown, |commit| Dated::By(*commit))
    }

    /// Adds versions to `texts`. A version that is not text becomes `None`.
    fn read(
        &mut self,
        ids: &[Oid],
        texts: &mut HashMap<Oid, Option<Text>>,
    ) -> Result<(), GitError> {
        let wanted: Vec<Wanted> = ids.iter().map(|id| Wanted::Object(*id)).collect();
        let (numbers, left) = (&mut self.numbers, &mut self.left);
        self.objects.each(&wanted, &mut |at, object| {
            let text = match object {
                Object::Found(_, Sort::Blob, bytes) => {
                    *left = left.saturating_sub(bytes.len() as u64);
                    is_text(bytes).then(|| numbers.text(bytes))
                }
                _ => None,
            };
            texts.insert(ids[at], text);
            std::ops::ControlFlow::Continue(())
        })
    }
}
