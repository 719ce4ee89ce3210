//! Searches files of commits for things of a lexicon.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use super::found::{Found, Numbered};
use crate::git::lines::{is_text, may_be_text};
use crate::git::objects::{Object, Objects, Oid, Place, Sort, Wanted, name_of};
use crate::git::process::{GitError, Watch};
use crate::nature::is_document;
use crate::symbols::{Lexicon, Naming};

/// Number of files from which separate git processes read them.
const MANY: usize = 512;
/// Maximum number of git processes that read at once. Each has its own cache of unpacked objects.
const MAX_GITS: usize = 4;
/// Number of files between two progress reports.
const STEP: usize = 256;

/// The repository, rules and budgets of a search.
pub(crate) struct Tools<'a, 'w> {
    pub(crate) place: &'a Place,
    pub(crate) objects: &'a mut Objects,
    pub(crate) watch: &'a mut Watch<'w>,
    /// Number of bytes that may still be read.
    pub(crate) bytes: &'a mut u64,
    /// Number of files that may still be listed.
    pub(crate) visits: u64,
}

/// Determines if words existed at commits, given by their index in the list of commits.
pub(crate) trait Finder {
    /// Searches the commits at these indices, which are sorted.
    fn look(&mut self, places: &[usize], tools: &mut Tools<'_, '_>) -> Result<(), GitError>;

    /// Returns true if the word existed at that commit, or `None` if this is unknown.
    fn has(&self, word: &Numbered, place: usize) -> Option<bool>;
}

/// Returns true if the contents of a file may hold things of a lexicon.
pub(crate) fn is_searched(lexicon: &Lexicon, path: &str) -> bool {
    lexicon.has_words() && may_be_text(name_of(path.as_bytes())) && !is_document(path)
}

/// A file to search, and the owner of the names in it.
pub(crate) type WantedFile = (Oid, Naming);

/// Searches files and passes the results to `found`. A few files are read by the running git, many are divided among
/// several processes. Returns true if some files were omitted because the budget is used up.
pub(crate) fn read(
    wanted: &[WantedFile],
    lexicon: &Lexicon,
    tools: &mut Tools<'_, '_>,
    found: &mut dyn FnMut(usize, Found),
) -> Result<bool, GitError> {
    if *tools.bytes == 0 && !wanted.is_empty() {
        return Ok(true);
    }
    let questions: Vec<Wanted> = wanted.iter().map(|(id, _)| Wanted::Object(*id)).collect();
    let files = Files { wanted, questions: &questions, lexicon };
    if wanted.len() < MANY {
        let all: Vec<usize> = (0..wanted.len()).collect();
        return files.alone(&all, tools, found);
    }
    let gits = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_GITS);
    files.together(gits, tools, found)
}

/// Searches one file after another.
struct Looker<'l> {
    lexicon: &'l Lexicon,
    things: Vec<u32>,
    /// Number of bytes read, and the limit. The file that exceeds the limit is still searched.
    spent: u64,
    may: u64,
}

impl<'l> Looker<'l> {
    const fn new(lexicon: &'l Lexicon, may: u64) -> Self {
        Self { lexicon, things: Vec::new(), spent: 0, may }
    }

    const fn goes_on(&self) -> bool {
        self.spent < self.may
    }

    fn look(&mut self, naming: Naming, object: Object<'_>) -> Found {
        self.things.clear();
        let (holes, unread) = match object {
            Object::TooLarge(bytes) => {
                self.spent += bytes;
                (false, true)
            }
            Object::Found(_, Sort::Blob, text) => {
                self.spent += text.len() as u64;
                if is_text(text) {
                    self.lexicon.scan(text, naming, &mut self.things);
                }
                (false, false)
            }
            _ => (true, true),
        };
        Found { unread, ..Found::of(&mut self.things, holes) }
    }
}

/// The files to search, their requests, and the lexicon.
struct Files<'a> {
    wanted: &'a [WantedFile],
    questions: &'a [Wanted],
    lexicon: &'a Lexicon,
}

impl Files<'_> {
    fn asked(&self, share: &[usize]) -> Vec<Wanted> {
        share.iter().map(|at| self.questions[*at].clone()).collect()
    }

    /// Searches these files in order. All other files must be finished.
    fn alone(
        &self,
        share: &[usize],
        tools: &mut Tools<'_, '_>,
        found: &mut dyn FnMut(usize, Found),
    ) -> Result<bool, GitError> {
        let (watch, of) = (&mut *tools.watch, self.wanted.len());
        let before = of - share.len();
        let (mut cut, mut ended) = (false, Ok(()));
        let mut looker = Looker::new(self.lexicon, *tools.bytes);
        let answered = tools.objects.each(&self.asked(share), &mut |at, object| {
            found(share[at], looker.look(self.wanted[share[at]].1, object));
            if at.is_multiple_of(STEP) {
                ended = watch(before + at, Some(of));
            }
            cut |= !looker.goes_on() && at + 1 < share.len();
            if ended.is_ok() && looker.goes_on() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        *tools.bytes = tools.bytes.saturating_sub(looker.spent);
        answered.and(ended).map(|()| cut)
    }

    /// Searches files with several git processes. Each may use an equal share of the budget; the running git then reads
    /// the files that are left. Results are passed on in the order of the files.
    fn together(
        &self,
        gits: usize,
        tools: &mut Tools<'_, '_>,
        found: &mut dyn FnMut(usize, Found),
    ) -> Result<bool, GitError> {
        let of = self.wanted.len();
        let mut known: Vec<Option<Found>> = vec![None; of];
        // Consecutive versions of a file differ only slightly, so they stay in one share.
        let all: Vec<usize> = (0..of).collect();
        let shares: Vec<&[usize]> = all.chunks(of.div_ceil(gits)).collect();
        let part = tools.bytes.div_ceil(gits as u64);
        let mut gits: Vec<Objects> = shares.iter().map(|_| tools.objects.another(gits)).collect();
        let (done, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        (tools.watch)(0, Some(of))?;
        let ended = thread::scope(|scope| {
            let (to, steps) = channel();
            let readers = shares.iter().zip(&mut gits).map(|(share, objects)| {
                let (to, done, is_over) = (to.clone(), &done, &is_over);
                let look = move || {
                    let mut looker = Looker::new(self.lexicon, part);
                    let mut all = Vec::with_capacity(share.len());
                    let answered = objects.all(&self.asked(share), &mut |at, object| {
                        all.push(looker.look(self.wanted[share[at]].1, object));
                        let now = done.fetch_add(1, Ordering::Relaxed) + 1;
                        if now.is_multiple_of(STEP) {
                            // Fails only if the watcher cancelled, which ends the readers too.
                            let _ = to.send(now);
                        }
                        if looker.goes_on() && !is_over.load(Ordering::Relaxed) {
                            ControlFlow::Continue(())
                        } else {
                            ControlFlow::Break(())
                        }
                    });
                    answered.map(|()| (all, looker.spent))
                };
                thread::Builder::new().spawn_scoped(scope, look).map_err(GitError::no_thread)
            });
            let readers: Vec<_> = readers.collect();
            drop(to);
            let mut ended = Ok(());
            for now in &steps {
                ended = (tools.watch)(now, Some(of));
                if ended.is_err() {
                    is_over.store(true, Ordering::Relaxed);
                    break;
                }
            }
            let mut spent = 0;
            for (reader, share) in readers.into_iter().zip(&shares) {
                let read =
                    reader.and_then(|it| it.join().unwrap_or_else(|panic| resume_unwind(panic)));
                match read {
                    Ok((all, bytes)) => {
                        spent += bytes;
                        for (at, one) in share.iter().zip(all) {
                            known[*at] = Some(one);
                        }
                    }
                    Err(error) => ended = ended.and(Err(error)),
                }
            }
            ended.map(|()| spent)
        });
        gits.iter().for_each(|git| tools.objects.add(git));
        *tools.bytes = tools.bytes.saturating_sub(ended?);
        let mut rest = Vec::new();
        for (at, one) in known.into_iter().enumerate() {
            match one {
                Some(one) => found(at, one),
                None => rest.push(at),
            }
        }
        if rest.is_empty() {
            return Ok(false);
        }
        if *tools.bytes == 0 {
            return Ok(true);
        }
        // Other shares may have left some of the budget.
        self.alone(&rest, tools, found)
    }
}
