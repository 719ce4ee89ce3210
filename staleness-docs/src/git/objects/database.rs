//! Objects by id, through one long-lived `git cat-file --batch`.
//!
//! Questions go out in windows that are smaller than any pipe's buffer, so neither side ever waits
//! for the other to read. Git works on the next answers while the last one is looked at.
//!
//! Many objects at once are asked of a git of their own (`--buffer`): it need not hand over each as
//! soon as it has it, which saves three system calls and two changes of process for every object.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::oid::Oid;
use super::place::Place;
use super::question::{Object, Sort, Unread, Wanted, header, is_missing};
use crate::git::process::{Call, GitError, Process, many};

/// Most bytes of questions that are open at once, unless one is longer: pipes hold 4 KiB at least.
const MAX_OPEN_BYTES: usize = 3_500;
/// Largest object that is read over. For a larger one git is started anew, after it was asked for all
/// such objects.
const MAX_DRAINED: u64 = 32 * 1024 * 1024;
/// From so many objects on they are asked of a git of their own. It begins without the bases that the
/// other one has unpacked already: for a few hundred objects at a time that costs more than it saves
/// (5.7 s against 4.8 on a repository of 10,000 commits).
const MANY: usize = 4_096;
/// Most times that git may break off over an object, for all questions about a repository.
const MAX_RESTARTS: u32 = 32;

#[derive(Debug)]
pub(crate) struct Objects {
    place: Place,
    limit: u64,
    /// The largest object that is read over.
    drained: u64,
    process: Option<Process>,
    /// Times that git broke off, and times that it may.
    restarts: u32,
    allowed: u32,
    /// Number of gits that were started.
    #[cfg(test)]
    started: u32,
    buffer: Vec<u8>,
    pub(crate) unread: Unread,
    /// Bytes of contents that were read.
    pub(crate) bytes: u64,
}

/// One answer as it stands on the wire; contents are in the buffer.
enum Reply {
    Object(Oid, Sort),
    Missing,
    /// Too large, and so many bytes of it read over.
    TooLarge(u64),
    /// Too large to be read over.
    FarTooLarge,
}

/// Why no more answers are heard.
enum Heard {
    /// All questions are answered.
    All,
    /// It was enough.
    Enough,
    /// The last answer is too large to be read over.
    TooMuch,
}

/// For each question whether its object is known to be too large to be read over: that is not asked.
type Far = Option<Arc<[bool]>>;

fn is_far(far: &Far, at: usize) -> bool {
    far.as_ref().is_some_and(|far| far[at])
}

impl Objects {
    /// Nothing is started before the first question. Larger objects than `limit` are not read.
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
            bytes: 0,
        }
    }

    /// Asks for all of them and shows the answers in order until `look` breaks.
    pub(crate) fn each(
        &mut self,
        wanted: &[Wanted],
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> Result<(), GitError> {
        self.look_up(wanted, MANY, look)
    }

    /// Asks for all of them in a git of its own: for questions that are asked once.
    pub(crate) fn all(
        &mut self,
        wanted: &[Wanted],
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> Result<(), GitError> {
        self.look_up(wanted, 1, look)
    }

    /// Connects to the same repository once more, as one of so many: each may break off a part of the
    /// remaining times.
    pub(crate) fn another(&self, of: usize) -> Self {
        let of = u32::try_from(of.max(1)).unwrap_or(u32::MAX);
        Self {
            allowed: self.allowed.saturating_sub(self.restarts).div_ceil(of),
            ..Self::new(self.place.clone(), self.limit)
        }
    }

    /// Counts what another one read and could not read.
    pub(crate) const fn add(&mut self, other: &Self) {
        self.restarts += other.restarts;
        self.bytes += other.bytes;
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
        // Copied once, however often git breaks off.
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
            let heard = if is_bulk {
                self.listen(&mut process, wanted, &far, &mut next, look)
            } else {
                self.converse(&mut process, wanted, &far, &mut next, look)
            };
            match heard {
                Ok(Heard::Enough) => return Ok(()),
                Ok(Heard::All) if is_bulk => {}
                Ok(Heard::All) => self.process = Some(process),
                // Questions are still open: their answers must not be taken for those of others.
                Ok(Heard::TooMuch) => {
                    drop(process);
                    if far.is_some() {
                        self.broke_off(GitError::garbled("a size"))?;
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

    /// Counts that git broke off.
    fn broke_off(&mut self, reason: GitError) -> Result<(), GitError> {
        self.restarts += 1;
        if reason.is_final() || self.restarts > self.allowed { Err(reason) } else { Ok(()) }
    }

    /// Tells for each object from a question on if it is too large to be read over.
    fn far(&mut self, wanted: &Arc<[Wanted]>, from: usize) -> Result<Arc<[bool]>, GitError> {
        let mut far = vec![false; wanted.len()];
        let mut process = self.start_bulk("--batch-check", wanted, from, &None)?;
        let mut line = Vec::new();
        for far in &mut far[from..] {
            match process.record(b'\n', &mut line) {
                Ok(true) => *far = header(&line).is_some_and(|(.., size)| size > self.drained),
                // What else is so large is found when it comes.
                _ => {
                    self.broke_off(process.post_mortem())?;
                    break;
                }
            }
        }
        Ok(far.into())
    }

    /// One object, handed to `look`.
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
        result.ok_or_else(|| GitError::garbled("nothing"))
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

    /// A git that is asked all of this from a question on, but what is not to be asked, and nothing else.
    fn start_bulk(
        &mut self,
        what: &str,
        wanted: &Arc<[Wanted]>,
        from: usize,
        far: &Far,
    ) -> Result<Process, GitError> {
        let (wanted, far) = (Arc::clone(wanted), far.clone());
        let command = self.command(&["cat-file", what, "--buffer"]);
        Process::start_told(command, many, move |stdin| {
            let mut question = String::new();
            for at in (from..wanted.len()).filter(|at| !is_far(&far, *at)) {
                question.clear();
                wanted[at].write(&mut question);
                stdin.write_all(question.as_bytes())?;
            }
            Ok(())
        })
    }

    /// Listens to a git that was asked everything: as [`Objects::converse`].
    fn listen(
        &mut self,
        process: &mut Process,
        wanted: &[Wanted],
        far: &Far,
        next: &mut usize,
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> io::Result<Heard> {
        while *next < wanted.len() {
            if let Some(heard) = self.hear(process, wanted, far, next, look)? {
                return Ok(heard);
            }
        }
        Ok(Heard::All)
    }

    /// Hears the next answer; why it is the last one, if it is.
    fn hear(
        &mut self,
        process: &mut Process,
        wanted: &[Wanted],
        far: &Far,
        next: &mut usize,
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> io::Result<Option<Heard>> {
        let is_known = is_far(far, *next);
        let reply = if is_known { Reply::TooLarge(0) } else { self.reply(process)? };
        let is_far = matches!(reply, Reply::FarTooLarge);
        let flow = look(*next, self.object(reply, &wanted[*next]));
        *next += 1;
        Ok(match flow {
            ControlFlow::Break(()) => Some(Heard::Enough),
            ControlFlow::Continue(()) if is_far => Some(Heard::TooMuch),
            ControlFlow::Continue(()) => None,
        })
    }

    /// Turns a reply into an answer; objects that were not looked at are counted.
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

    /// Asks and listens until every question is answered, one makes git unusable, or `look` breaks.
    /// `next` is the question that is answered next.
    fn converse(
        &mut self,
        process: &mut Process,
        wanted: &[Wanted],
        far: &Far,
        next: &mut usize,
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> io::Result<Heard> {
        let longest = wanted.iter().map(Wanted::len).max().unwrap_or(0);
        let window = (MAX_OPEN_BYTES / longest.max(1)).clamp(1, wanted.len().max(1));
        let mut asked = *next;
        let mut questions = String::new();
        while *next < wanted.len() {
            // Refilled while half of it is still open, so that git always has something to do.
            if asked - *next <= window / 2 {
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
        Ok(Heard::All)
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
        // One byte more: contents end with a line feed that is not theirs.
        let read = if size > self.limit {
            io::copy(&mut answers.take(size + 1), &mut io::sink())?
        } else {
            answers.take(size + 1).read_to_end(&mut self.buffer)? as u64
        };
        if read != size + 1 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.buffer.pop();
        self.bytes += size;
        Ok(if size > self.limit { Reply::TooLarge(size) } else { Reply::Object(id, sort) })
    }
}

#[cfg(test)]
mod tests;
