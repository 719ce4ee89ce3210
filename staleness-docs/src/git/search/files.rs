//! Searches files of commits for things of a lexicon.

use std::num::NonZero;
use std::ops::{ControlFlow, Range};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread::{self, ScopedJoinHandle};

use super::found::{Found, Numbered};
use crate::git::lines::{is_text, may_be_text};
use crate::git::objects::{Object, Objects, Oid, Place, Sort, Wanted, name_of};
use crate::git::process::{GitError, Watch};
use crate::nature::is_document;
use crate::symbols::{Lexicon, Naming};

/// Minimum number of files for reading them with separate git processes.
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

/// Searches files and passes the results to `found`, in order. A few files use the running git, many are divided among
/// several. Returns true if some files were left out because the budget is used up.
pub(crate) fn read(
    wanted: &[WantedFile],
    lexicon: &Lexicon,
    tools: &mut Tools<'_, '_>,
    found: &mut dyn FnMut(usize, Found),
) -> Result<bool, GitError> {
    let left = AtomicU64::new(*tools.bytes);
    let files = Files { wanted, lexicon, left: &left };
    let read = match wanted.len() {
        _ if !files.goes_on() => Ok(0),
        0..MANY => files.alone(tools, found),
        _ => files.together(tools, found),
    };
    *tools.bytes = left.into_inner();
    read.map(|read| read < wanted.len())
}

/// The files to search, and the lexicon.
#[derive(Clone, Copy)]
struct Files<'a> {
    wanted: &'a [WantedFile],
    lexicon: &'a Lexicon,
    /// Number of bytes that may still be read. The file that exceeds this budget is still searched.
    left: &'a AtomicU64,
}

impl Files<'_> {
    fn goes_on(&self) -> bool {
        self.left.load(Ordering::Relaxed) > 0
    }

    fn questions(&self, share: Range<usize>) -> Vec<Wanted> {
        self.wanted[share].iter().map(|(id, _)| Wanted::Object(*id)).collect()
    }

    /// Searches the file at an index.
    fn look(&self, at: usize, object: Object<'_>) -> Found {
        let (bytes, text) = match object {
            Object::TooLarge(bytes) => (bytes, None),
            Object::Found(_, Sort::Blob, text) => (text.len() as u64, Some(text)),
            _ => return Found { holes: true, unread: true, ..Found::default() },
        };
        let spend = |left: u64| Some(left.saturating_sub(bytes));
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend);
        let mut things = Vec::new();
        if let Some(text) = text.filter(|text| is_text(text)) {
            self.lexicon.scan(text, self.wanted[at].1, &mut things);
        }
        Found { unread: text.is_none(), ..Found::of(&mut things, false) }
    }

    /// Searches all files with the running git. Returns the number of files searched.
    fn alone(
        &self,
        tools: &mut Tools<'_, '_>,
        found: &mut dyn FnMut(usize, Found),
    ) -> Result<usize, GitError> {
        let (watch, of) = (&mut *tools.watch, self.wanted.len());
        let (mut done, mut ended) = (0, Ok(()));
        let answered = tools.objects.each(&self.questions(0..of), &mut |at, object| {
            found(at, self.look(at, object));
            done = at + 1;
            if at.is_multiple_of(STEP) {
                ended = watch(at, Some(of));
            }
            if ended.is_ok() && self.goes_on() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        answered.and(ended).map(|()| done)
    }

    /// Searches all files with several git processes. Returns the number of files searched.
    fn together(
        &self,
        tools: &mut Tools<'_, '_>,
        found: &mut dyn FnMut(usize, Found),
    ) -> Result<usize, GitError> {
        let of = self.wanted.len();
        let gits = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_GITS);
        // Consecutive versions of a file differ only slightly, so they stay in one share.
        let shares = (0..of).step_by(of.div_ceil(gits));
        let shares = shares.map(|from| from..of.min(from + of.div_ceil(gits)));
        let mut readers: Vec<(Range<usize>, Objects)> =
            shares.map(|share| (share, tools.objects.another(gits))).collect();
        let (done, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        (tools.watch)(0, Some(of))?;
        let read = thread::scope(|scope| {
            let (to, steps) = channel();
            let threads = readers.iter_mut().map(|(share, objects)| {
                let (to, done, is_over) = (to.clone(), &done, &is_over);
                let look = move || {
                    let mut all = Vec::with_capacity(share.len());
                    let answered =
                        objects.all(&self.questions(share.clone()), &mut |at, object| {
                            all.push(self.look(share.start + at, object));
                            let now = done.fetch_add(1, Ordering::Relaxed) + 1;
                            if now.is_multiple_of(STEP) {
                                // Fails only if the watcher cancelled, which ends the readers too.
                                let _ = to.send(now);
                            }
                            if self.goes_on() && !is_over.load(Ordering::Relaxed) {
                                ControlFlow::Continue(())
                            } else {
                                ControlFlow::Break(())
                            }
                        });
                    answered.map(|()| (share.start, all))
                };
                thread::Builder::new().spawn_scoped(scope, look).map_err(GitError::no_thread)
            });
            let threads: Vec<_> = threads.collect();
            drop(to);
            let mut ended = Ok(());
            for now in &steps {
                ended = (tools.watch)(now, Some(of));
                if ended.is_err() {
                    is_over.store(true, Ordering::Relaxed);
                    break;
                }
            }
            let join = |thread: Result<ScopedJoinHandle<'_, _>, GitError>| {
                thread?.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            let read: Vec<Result<_, GitError>> = threads.into_iter().map(join).collect();
            ended.and_then(|()| read.into_iter().collect::<Result<Vec<_>, _>>())
        });
        readers.iter().for_each(|(_, objects)| tools.objects.add(objects));
        let mut count = 0;
        for (from, all) in read? {
            count += all.len();
            (from..).zip(all).for_each(|(at, one)| found(at, one));
        }
        Ok(count)
    }
}
