//! Reads objects by id through one long-lived `git cat-file --batch`.
//!
//! Requests go out in windows that are smaller than any pipe buffer, so neither side can block the other. Git
//! works on the next answers while the last one is processed.
//!
//! Large requests use a separate git with `--buffer`. It need not flush after each object, which saves three
//! system calls and two context switches per object.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::oid::Oid;
use super::place::Place;
use super::question::{Object, Sort, Unread, Wanted, header, is_missing};
use crate::git::process::{Call, GitError, Process};

/// Maximum number of request bytes in flight, unless one request is longer. Pipes hold at least 4 KiB.
const MAX_OPEN_BYTES: usize = 3_500;
/// Largest object to read and discard, in bytes. For a larger one, git is restarted and the sizes of the remaining
/// objects are checked first.
const MAX_DRAINED: u64 = 32 * 1024 * 1024;
/// Number of objects from which a separate git reads them. It starts without the delta bases that the long-lived git
/// has unpacked, so it is not worthwhile for a few hundred objects.
const MANY: usize = 4_096;
/// Maximum number of times that git may fail on an object, for all queries about a repository.
const MAX_RESTARTS: u32 = 32;

#[derive(Debug)]
pub(crate) struct Objects {
    place: Place,
    limit: u64,
    /// The largest object to read and discard, in bytes.
    drained: u64,
    process: Option<Process>,
    /// Number of failures so far, and the number allowed.
    restarts: u32,
    allowed: u32,
    /// Number of git processes started.
    #[cfg(test)]
    started: u32,
    buffer: Vec<u8>,
    pub(crate) unread: Unread,
}

/// One answer from git. The contents are in the buffer.
enum Reply {
    Object(Oid, Sort),
    Missing,
    /// Larger than the limit. This many bytes were read and discarded.
    TooLarge(u64),
    /// Too large even to discard.
    FarTooLarge,
}

/// The reason why reading answers stopped.
enum StopReason {
    /// All requests are answered.
    All,
    /// The callback broke.
    Enough,
    /// The last object is too large to discard.
    TooMuch,
}

/// For each request, true if its object is known to be too large to discard. Such objects are not requested.
type Far = Option<Arc<[bool]>>;

fn is_far(far: &Far, at: usize) -> bool {
    far.as_ref().is_some_and(|far| far[at])
}

impl Objects {
    /// Creates a reader. Git is started by the first request. Objects larger than `limit` are not read.
    pub(crate) fn new(place: Place, limit: u64) -> Self {
        Self {
            place,
            limit,
            drained: MAX_DRAINED.max(limit),
            process: None,
            restarts: 0,
            allowed: MAX_RESTARTS,
            #[cfg(test)]
            started: 0,
            buffer: Vec::new(),
            unread: Unread::default(),
        }
    }

    /// Requests all objects and passes the answers to `look` in order until `look` breaks.
    pub(crate) fn each(
        &mut self,
        wanted: &[Wanted],
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> Result<(), GitError> {
        self.look_up(wanted, MANY, look)
    }

    /// Requests all objects from a separate git process. For objects that are needed only once.
    pub(crate) fn all(
        &mut self,
        wanted: &[Wanted],
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> Result<(), GitError> {
        self.look_up(wanted, 1, look)
    }

    /// Creates another reader of the same repository, which may use one part in `of` of the remaining failures.
    pub(crate) fn another(&self, of: usize) -> Self {
        let of = u32::try_from(of.max(1)).unwrap_or(u32::MAX);
        Self {
            allowed: self.allowed.saturating_sub(self.restarts).div_ceil(of),
            ..Self::new(self.place.clone(), self.limit)
        }
    }

    /// Adds the counts of another reader.
    pub(crate) const fn add(&mut self, other: &Self) {
        self.restarts += other.restarts;
        self.unread.missing += other.unread.missing;
        self.unread.too_large += other.unread.too_large;
        self.unread.damaged += other.unread.damaged;
    }

    fn look_up(
        &mut self,
        wanted: &[Wanted],
        many: usize,
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> Result<(), GitError> {
        let (mut next, mut far) = (0, None);
        // The requests are copied once, even if git fails several times.
        let mut shared: Option<Arc<[Wanted]>> = None;
        while next < wanted.len() {
            let is_bulk = wanted.len() - next >= many;
            let mut process = match self.process.take() {
                kept if is_bulk => {
                    self.process = kept;
                    let all = shared.get_or_insert_with(|| wanted.into());
                    self.start_bulk("--batch", all, next, &far)?
                }
                Some(process) => process,
                None => self.start()?,
            };
            match self.converse(&mut process, is_bulk, wanted, &far, &mut next, look) {
                Ok(StopReason::Enough) => return Ok(()),
                Ok(StopReason::All) if is_bulk => {}
                Ok(StopReason::All) => self.process = Some(process),
                // Answers to the pending requests are still in the pipe, so this process cannot be reused.
                Ok(StopReason::TooMuch) => {
                    drop(process);
                    if far.is_some() {
                        self.broke_off(GitError::garbled("a malformed size"))?;
                    } else if next < wanted.len() {
                        let all = shared.get_or_insert_with(|| wanted.into());
                        far = Some(self.far(all, next)?);
                    }
                }
                Err(_) => {
                    self.broke_off(process.post_mortem())?;
                    self.unread.damaged += 1;
                    let flow = look(next, Object::Damaged);
                    next += 1;
                    if flow.is_break() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Counts a failure of git. Returns the failure if it is final or the limit is exceeded.
    fn broke_off(&mut self, reason: GitError) -> Result<(), GitError> {
        self.restarts += 1;
        if reason.is_final() || self.restarts > self.allowed { Err(reason) } else { Ok(()) }
    }

    /// Returns, for each object from index `from` onward, true if the object is too large to discard.
    fn far(&mut self, wanted: &Arc<[Wanted]>, from: usize) -> Result<Arc<[bool]>, GitError> {
        let mut far = vec![false; wanted.len()];
        let mut process = self.start_bulk("--batch-check", wanted, from, &None)?;
        let mut line = Vec::new();
        for far in &mut far[from..] {
            match process.record(b'\n', &mut line) {
                Ok(true) => *far = header(&line).is_some_and(|(.., size)| size > self.drained),
                // Other objects of this size are detected when they are read.
                _ => {
                    self.broke_off(process.post_mortem())?;
                    break;
                }
            }
        }
        Ok(far.into())
    }

    /// Requests one object and passes it to `look`.
    pub(crate) fn one<T>(
        &mut self,
        wanted: Wanted,
        look: impl FnOnce(Object<'_>) -> T,
    ) -> Result<T, GitError> {
        let (mut look, mut result) = (Some(look), None);
        self.each(&[wanted], &mut |_, object| {
            result = look.take().map(|look| look(object));
            ControlFlow::Continue(())
        })?;
        result.ok_or_else(|| GitError::garbled("no answer"))
    }

    fn start(&mut self) -> Result<Process, GitError> {
        Process::start_asked(self.command(&["cat-file", "--batch"]))
    }

    fn command(&mut self, arguments: &[&str]) -> Call {
        #[cfg(test)]
        {
            self.started += 1;
        }
        self.place.command(arguments)
    }

    /// Starts a git process that receives all requests from index `from` onward, except those marked in `far`.
    fn start_bulk(
        &mut self,
        what: &str,
        wanted: &Arc<[Wanted]>,
        from: usize,
        far: &Far,
    ) -> Result<Process, GitError> {
        let (wanted, far) = (Arc::clone(wanted), far.clone());
        let command = self.command(&["cat-file", what, "--buffer"]);
        Process::start_told(command, false, move |stdin| {
            let mut question = String::new();
            for at in (from..wanted.len()).filter(|at| !is_far(&far, *at)) {
                question.clear();
                wanted[at].write(&mut question);
                stdin.write_all(question.as_bytes())?;
            }
            Ok(())
        })
    }

    /// Reads the next answer. Returns the reason to stop, if there is one.
    fn hear(
        &mut self,
        process: &mut Process,
        wanted: &[Wanted],
        far: &Far,
        next: &mut usize,
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> io::Result<Option<StopReason>> {
        let is_known = is_far(far, *next);
        let reply = if is_known { Reply::TooLarge(0) } else { self.reply(process)? };
        let is_far = matches!(reply, Reply::FarTooLarge);
        let flow = look(*next, self.object(reply, &wanted[*next]));
        *next += 1;
        Ok(match flow {
            ControlFlow::Break(()) => Some(StopReason::Enough),
            ControlFlow::Continue(()) if is_far => Some(StopReason::TooMuch),
            ControlFlow::Continue(()) => None,
        })
    }

    /// Converts a reply to an answer. Counts objects that were not read.
    fn object(&mut self, reply: Reply, wanted: &Wanted) -> Object<'_> {
        match reply {
            Reply::Object(id, sort) => Object::Found(id, sort, &self.buffer),
            Reply::Missing => {
                self.unread.missing += u64::from(wanted.is_owed());
                Object::Missing
            }
            Reply::TooLarge(_) | Reply::FarTooLarge => {
                self.unread.too_large += 1;
                Object::TooLarge(if let Reply::TooLarge(bytes) = reply { bytes } else { 0 })
            }
        }
    }

    /// Sends requests and reads answers until all are answered, an object is too large to discard, or `look` breaks.
    /// `next` is the index of the next answer. `is_bulk` is true if git already has all requests.
    fn converse(
        &mut self,
        process: &mut Process,
        is_bulk: bool,
        wanted: &[Wanted],
        far: &Far,
        next: &mut usize,
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> io::Result<StopReason> {
        let longest = wanted.iter().map(Wanted::len).max().unwrap_or(0);
        let window = (MAX_OPEN_BYTES / longest.max(1)).clamp(1, wanted.len().max(1));
        let mut asked = if is_bulk { wanted.len() } else { *next };
        let mut questions = String::new();
        while *next < wanted.len() {
            // Refill when half of the window has been answered, so that git is never idle.
            if asked < wanted.len() && asked - *next <= window / 2 {
                let upto = wanted.len().min(*next + window);
                questions.clear();
                let some = (asked..upto).filter(|at| !is_far(far, *at));
                some.for_each(|at| wanted[at].write(&mut questions));
                process.ask(questions.as_bytes())?;
                asked = upto;
            }
            if let Some(heard) = self.hear(process, wanted, far, next, look)? {
                return Ok(heard);
            }
        }
        Ok(StopReason::All)
    }

    fn reply(&mut self, process: &mut Process) -> io::Result<Reply> {
        let mut line = Vec::new();
        if !process.record(b'\n', &mut line)? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let Some((id, sort, size)) = header(&line) else {
            return if is_missing(&line) {
                Ok(Reply::Missing)
            } else {
                Err(io::ErrorKind::InvalidData.into())
            };
        };
        if size > self.drained {
            return Ok(Reply::FarTooLarge);
        }
        let answers = process.answers();
        self.buffer.clear();
        // One more byte, because git ends the contents with an extra line feed.
        let read = if size > self.limit {
            io::copy(&mut answers.take(size + 1), &mut io::sink())?
        } else {
            answers.take(size + 1).read_to_end(&mut self.buffer)? as u64
        };
        if read != size + 1 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.buffer.pop();
        Ok(if size > self.limit { Reply::TooLarge(size) } else { Reply::Object(id, sort) })
    }
}

#[cfg(test)]
mod tests;
