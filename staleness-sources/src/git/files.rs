//! Reading files of commits for the things that they hold.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::mpsc::channel;
use std::thread;

use super::families::{Kept, shares};
use super::found::Found;
use super::index::Tools;
use super::lines::is_text;
use super::objects::{Object, Objects, Sort, Wanted};
use super::scanner::Scanner;
use super::tokens::Lexicon;
use super::{GitError, Oid};

/// From so many files on they are read by gits of their own.
const MANY: usize = 512;
/// How many gits read at the same time, at most: each has its own memory for what it unpacks.
const MAX_GITS: usize = 4;
/// The watcher is told each time that so many were read.
const TOLD: usize = 256;

/// What came of reading.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    /// Whether the contents of some file are not known.
    pub(crate) blind: bool,
    /// Whether something was left out because there is too much.
    pub(crate) cut: bool,
}

/// A file to be read, and whether it holds settings of other programs only.
pub(crate) type WantedFile = (Oid, bool);

/// Reads files. A few share the git that is running already. Many are divided among as many gits as there
/// are processors, by what git keeps as differences of what: see [`super::families`]. What is left out
/// because there is too much is not handed to `found`.
///
/// # Errors
/// When git fails, or the watcher breaks.
pub(crate) fn read(
    wanted: &[WantedFile],
    lexicon: &Lexicon,
    tools: &mut Tools<'_, '_>,
    found: &mut dyn FnMut(usize, Found),
) -> Result<Reading, GitError> {
    let questions: Vec<Wanted> = wanted.iter().map(|(id, _)| Wanted::Object(*id)).collect();
    if wanted.len() < MANY {
        return alone(wanted, &questions, lexicon, tools, found);
    }
    let told = tools.objects.tell(&questions)?;
    let kept = told.iter().zip(wanted).enumerate().map(|(at, (told, (id, _)))| Kept {
        at,
        id: *id,
        packed: told.map_or(0, |told| told.packed),
        base: told.and_then(|told| told.base),
    });
    let gits = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_GITS);
    let shares = shares(&kept.collect::<Vec<_>>(), gits);
    together(wanted, &questions, &shares, lexicon, tools, found)
}

/// What looks at one file after the other.
struct Looker<'l> {
    scanner: Scanner<'l>,
    things: Vec<u32>,
    /// How many bytes may still be read.
    left: u64,
}

impl<'l> Looker<'l> {
    const fn new(lexicon: &'l Lexicon, left: u64) -> Self {
        Self { scanner: Scanner::new(lexicon), things: Vec::new(), left }
    }

    /// What is in the contents of an object; `None` for what is too large.
    fn look(&mut self, foreign: bool, object: Object<'_>) -> Option<Found> {
        self.things.clear();
        let holes = match object {
            Object::TooLarge(bytes) => {
                self.left = self.left.saturating_sub(bytes);
                return None;
            }
            Object::Found(_, Sort::Blob, text) => {
                self.left = self.left.saturating_sub(text.len() as u64);
                if is_text(text) {
                    self.scanner.scan(text, foreign, &mut self.things);
                }
                false
            }
            _ => true,
        };
        Some(Found::of(&mut self.things, holes))
    }
}

/// Reads files one after the other.
fn alone(
    wanted: &[WantedFile],
    questions: &[Wanted],
    lexicon: &Lexicon,
    tools: &mut Tools<'_, '_>,
    found: &mut dyn FnMut(usize, Found),
) -> Result<Reading, GitError> {
    let (watch, stage, of) = (&mut *tools.watch, tools.stage, wanted.len());
    let (mut reading, mut ended) = (Reading::default(), Ok(()));
    let mut looker = Looker::new(lexicon, *tools.bytes);
    let answered = tools.objects.each(questions, &mut |at, object| {
        let one = looker.look(wanted[at].1, object);
        reading.blind |= one.is_none();
        found(at, one.unwrap_or_default());
        if at.is_multiple_of(TOLD) {
            ended = watch.tell(stage, at, Some(of));
        }
        reading.cut |= looker.left == 0 && at + 1 < of;
        if ended.is_ok() && looker.left > 0 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    *tools.bytes = looker.left;
    answered.and(ended).map(|()| reading)
}

/// Reads files with several gits, of which each may read an equal part of what may be read, and what they
/// leave of it with one. What was found is handed over in the order of the files, whichever git was faster.
fn together(
    wanted: &[WantedFile],
    questions: &[Wanted],
    shares: &[Vec<usize>],
    lexicon: &Lexicon,
    tools: &mut Tools<'_, '_>,
    found: &mut dyn FnMut(usize, Found),
) -> Result<Reading, GitError> {
    let mut reading = Reading::default();
    let mut known: Vec<Option<Found>> = vec![None; wanted.len()];
    let mut gits: Vec<Objects> = shares.iter().map(|_| tools.objects.another()).collect();
    let part = *tools.bytes / shares.len().max(1) as u64;
    let ended = thread::scope(|scope| {
        let (to, steps) = channel();
        let readers = shares.iter().zip(&mut gits).map(|(share, objects)| {
            let to = to.clone();
            scope.spawn(move || {
                let mut looker = Looker::new(lexicon, part);
                let mut all = Vec::with_capacity(share.len());
                let asked: Vec<Wanted> = share.iter().map(|at| questions[*at].clone()).collect();
                let answered = objects.all(&asked, &mut |at, object| {
                    all.push(looker.look(wanted[share[at]].1, object));
                    // Nobody listens any more when the watcher broke.
                    let goes_on = !all.len().is_multiple_of(TOLD) || to.send(()).is_ok();
                    if goes_on && looker.left > 0 {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                });
                answered.map(|()| (all, looker.left))
            })
        });
        let readers: Vec<_> = readers.collect();
        drop(to);
        let mut ended = Ok(());
        for (step, ()) in steps.iter().enumerate() {
            ended = tools.watch.tell(tools.stage, step * TOLD, Some(wanted.len()));
            if ended.is_err() {
                break;
            }
        }
        drop(steps);
        let mut left = 0;
        for (reader, share) in readers.into_iter().zip(shares) {
            match reader.join().unwrap_or_else(|_| Err(GitError::garbled("nothing"))) {
                Ok((all, rest)) => {
                    left += rest;
                    for (at, one) in share.iter().zip(all) {
                        reading.blind |= one.is_none();
                        known[*at] = Some(one.unwrap_or_default());
                    }
                }
                Err(error) => ended = ended.and(Err(error)),
            }
        }
        ended.map(|()| left)
    });
    gits.iter().for_each(|git| tools.objects.add(git));
    *tools.bytes = ended?;
    let mut rest = Vec::new();
    for (at, one) in known.into_iter().enumerate() {
        match one {
            Some(one) => found(at, one),
            None => rest.push(at),
        }
    }
    // What one git may not read any more another one may have left.
    reading.cut = *tools.bytes == 0 && !rest.is_empty();
    if !reading.cut && !rest.is_empty() {
        let wanted: Vec<WantedFile> = rest.iter().map(|at| wanted[*at]).collect();
        let questions: Vec<Wanted> = rest.iter().map(|at| questions[*at].clone()).collect();
        let more = alone(&wanted, &questions, lexicon, tools, &mut |at, one| found(rest[at], one))?;
        reading.cut = more.cut;
        reading.blind |= more.blind;
    }
    Ok(reading)
}
