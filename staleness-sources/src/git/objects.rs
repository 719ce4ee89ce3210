//! Objects by id, through one long-lived `git cat-file --batch`.
//!
//! Questions go out in windows that are smaller than any pipe's buffer, so neither side ever waits
//! for the other to read. Git works on the next answers while the last one is looked at.
//!
//! Many objects at once are asked of a git of their own (`--buffer`): it need not hand over each as
//! soon as it has it, which saves three system calls and two changes of process for every object.

use std::fmt::Write as _;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::PathBuf;

use super::process::Process;
use super::{GitError, Oid, Program};

/// How many bytes of questions are open at once, unless one is longer: pipes hold 4 KiB at least.
const MAX_OPEN_BYTES: usize = 3_500;
/// What is larger than the limit is read over up to this size; beyond it git is started anew.
const MAX_DRAINED: u64 = 32 * 1024 * 1024;
/// From so many objects on they are asked of a git of their own. It begins without the bases that the
/// other one has unpacked already: for a few hundred objects at a time that costs more than it saves
/// (5.7 s against 4.8 on a repository of 10,000 commits).
const MANY: usize = 4_096;
/// How often git may break off over an object before it is given up.
const MAX_RESTARTS: u32 = 32;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// An object.
    Object(Oid),
    /// The commit of that id, or that the tag of that id names.
    Commit(Oid),
    /// The commit that is checked out.
    Head,
    /// The tree of the commit, or the folder in it that has this path.
    Tree(Oid, String),
}

impl Wanted {
    fn len(&self) -> usize {
        match self {
            Self::Tree(_, folder) => 80 + folder.len(),
            _ => 80,
        }
    }

    fn write(&self, questions: &mut String) {
        let _ = match self {
            Self::Object(id) => writeln!(questions, "{id}"),
            Self::Commit(id) => writeln!(questions, "{id}^{{commit}}"),
            Self::Head => writeln!(questions, "HEAD^{{commit}}"),
            Self::Tree(id, folder) if folder.is_empty() => writeln!(questions, "{id}^{{tree}}"),
            Self::Tree(id, folder) => writeln!(questions, "{id}:{folder}"),
        };
    }
}

/// What sort of object it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Blob,
    Tree,
    Commit,
    Tag,
}

/// The answer to a question.
#[derive(Debug)]
pub(crate) enum Object<'a> {
    /// The object: its id, its sort and its contents.
    Found(Oid, Sort, &'a [u8]),
    /// The repository does not hold it: a shallow or partial clone, or there is no such thing.
    Missing,
    /// It is larger than the limit.
    TooLarge,
    /// Git cannot read it.
    Damaged,
}

/// What was not looked at, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// Objects that the repository should hold and does not.
    pub missing: u64,
    /// Objects larger than the limit.
    pub too_large: u64,
    /// Objects that git cannot read.
    pub damaged: u64,
}

/// The open connection.
#[derive(Debug)]
pub(crate) struct Objects {
    program: Program,
    folder: PathBuf,
    limit: u64,
    process: Option<Process>,
    restarts: u32,
    buffer: Vec<u8>,
    pub(crate) unread: Unread,
    /// Bytes of contents that were read.
    pub(crate) bytes: u64,
}

/// One answer as it stands on the wire; contents are in the buffer.
enum Reply {
    Object(Oid, Sort),
    Missing,
    /// Too large, and read over.
    TooLarge,
    /// Too large to be read over.
    FarTooLarge,
}

impl Objects {
    /// Nothing is started before the first question. Larger objects than `limit` are not read.
    pub(crate) fn new(program: Program, folder: PathBuf, limit: u64) -> Self {
        Self {
            program,
            folder,
            limit,
            process: None,
            restarts: 0,
            buffer: Vec::new(),
            unread: Unread::default(),
            bytes: 0,
        }
    }

    /// Asks for all of them and shows the answers in order until `look` breaks.
    ///
    /// # Errors
    /// When git cannot be started, or breaks off again and again.
    pub(crate) fn each(
        &mut self,
        wanted: &[Wanted],
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> Result<(), GitError> {
        self.look_up(wanted, MANY, look)
    }

    /// The same, all of them of a git of their own: for questions that are asked once.
    ///
    /// # Errors
    /// As [`Objects::each`].
    pub(crate) fn all(
        &mut self,
        wanted: &[Wanted],
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> Result<(), GitError> {
        self.look_up(wanted, 1, look)
    }

    /// The same repository, to be asked at the same time.
    pub(crate) fn another(&self) -> Self {
        Self::new(self.program.clone(), self.folder.clone(), self.limit)
    }

    /// Counts what another one read and could not read.
    pub(crate) const fn add(&mut self, other: &Self) {
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
        let mut next = 0;
        while next < wanted.len() {
            let is_bulk = wanted.len() - next >= many;
            let mut process = match self.process.take() {
                kept if is_bulk => {
                    self.process = kept;
                    self.start_bulk(&wanted[next..])?
                }
                Some(process) => process,
                None => self.start()?,
            };
            let heard = if is_bulk {
                self.listen(&mut process, wanted.len(), &mut next, look)
            } else {
                self.converse(&mut process, wanted, &mut next, look)
            };
            match heard {
                Ok(true) if is_bulk => {}
                Ok(true) if next == wanted.len() => self.process = Some(process),
                // Questions are still open: their answers must not be taken for those of others.
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(_) => {
                    let reason = process.post_mortem();
                    self.restarts += 1;
                    if self.restarts > MAX_RESTARTS || reason == GitError::NotTrusted {
                        return Err(reason);
                    }
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

    /// One object, handed to `look`.
    ///
    /// # Errors
    /// As [`Objects::each`].
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

    fn start(&self) -> Result<Process, GitError> {
        let mut command = self.program.command(&self.folder);
        command.args(["cat-file", "--batch"]);
        Process::start_asked(command)
    }

    /// A git that is asked all of this and nothing else.
    fn start_bulk(&self, wanted: &[Wanted]) -> Result<Process, GitError> {
        let mut command = self.program.command(&self.folder);
        command.args(["cat-file", "--batch", "--buffer"]);
        let wanted = wanted.to_vec();
        Process::start_told(command, move |stdin| {
            let mut question = String::new();
            wanted.iter().try_for_each(|wanted| {
                question.clear();
                wanted.write(&mut question);
                stdin.write_all(question.as_bytes())
            })
        })
    }

    /// Listens to a git that was asked everything, up to question `of`: as [`Objects::converse`].
    fn listen(
        &mut self,
        process: &mut Process,
        of: usize,
        next: &mut usize,
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> io::Result<bool> {
        while *next < of {
            let reply = self.reply(process)?;
            let far = matches!(reply, Reply::FarTooLarge);
            let flow = look(*next, self.object(reply));
            *next += 1;
            if flow.is_break() {
                return Ok(false);
            }
            if far {
                break;
            }
        }
        Ok(true)
    }

    /// What an answer says; what was not looked at is counted.
    fn object(&mut self, reply: Reply) -> Object<'_> {
        match reply {
            Reply::Object(id, sort) => Object::Found(id, sort, &self.buffer),
            Reply::Missing => {
                self.unread.missing += 1;
                Object::Missing
            }
            Reply::TooLarge | Reply::FarTooLarge => {
                self.unread.too_large += 1;
                Object::TooLarge
            }
        }
    }

    /// Asks and listens until every question is answered, one makes git unusable, or `look` breaks
    /// (`false`). `next` is the question that is answered next.
    fn converse(
        &mut self,
        process: &mut Process,
        wanted: &[Wanted],
        next: &mut usize,
        look: &mut dyn FnMut(usize, Object<'_>) -> ControlFlow<()>,
    ) -> io::Result<bool> {
        let longest = wanted.iter().map(Wanted::len).max().unwrap_or(0);
        let window = (MAX_OPEN_BYTES / longest.max(1)).clamp(1, wanted.len().max(1));
        let mut asked = *next;
        let mut questions = String::new();
        while *next < wanted.len() {
            // Refilled while half of it is still open, so that git always has something to do.
            if asked - *next <= window / 2 {
                let upto = wanted.len().min(*next + window);
                questions.clear();
                wanted[asked..upto].iter().for_each(|wanted| wanted.write(&mut questions));
                process.ask(questions.as_bytes())?;
                asked = upto;
            }
            let reply = self.reply(process)?;
            let far = matches!(reply, Reply::FarTooLarge);
            let flow = look(*next, self.object(reply));
            *next += 1;
            if flow.is_break() {
                return Ok(false);
            }
            if far {
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// Reads one answer.
    fn reply(&mut self, process: &mut Process) -> io::Result<Reply> {
        let mut line = Vec::new();
        if !process.record(b'\n', &mut line)? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let Some((id, sort, size)) = header(&line) else {
            return if line.ends_with(b" missing") {
                Ok(Reply::Missing)
            } else {
                Err(io::ErrorKind::InvalidData.into())
            };
        };
        if size > MAX_DRAINED.max(self.limit) {
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
        Ok(if size > self.limit { Reply::TooLarge } else { Reply::Object(id, sort) })
    }
}

/// Reads `<id> <sort> <size>`.
fn header(line: &[u8]) -> Option<(Oid, Sort, u64)> {
    let mut words = line.split(|byte| *byte == b' ');
    let id = Oid::from_hex(words.next()?)?;
    let sort = match words.next()? {
        b"blob" => Sort::Blob,
        b"tree" => Sort::Tree,
        b"commit" => Sort::Commit,
        b"tag" => Sort::Tag,
        _ => return None,
    };
    let size = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    words.next().is_none().then_some((id, sort, size))
}
