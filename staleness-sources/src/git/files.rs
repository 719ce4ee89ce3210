//! Reading files of commits for the things that they hold.

use std::ops::ControlFlow;

use super::found::Found;
use super::index::Tools;
use super::lines::is_text;
use super::objects::{Object, Sort, Wanted};
use super::scanner::Scanner;
use super::tokens::Lexicon;
use super::{GitError, Oid};

/// From so many files on they are read by a git of their own.
const MANY: usize = 512;
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

/// Reads files. Small parts of a question share the git that is running already; `at_once` everything is
/// asked of a git of its own, which unpacks the next files while words are looked for in one. What is left
/// out because there is too much is not handed to `found`.
///
/// Two gits at the same time, each for one half, took no less time: a file that one of them unpacks is
/// what the other one's files are kept as differences of, so both unpack much of the same.
///
/// # Errors
/// When git fails, or the watcher breaks.
pub(crate) fn read(
    wanted: &[WantedFile],
    at_once: bool,
    lexicon: &Lexicon,
    tools: &mut Tools<'_, '_>,
    found: &mut dyn FnMut(usize, Found),
) -> Result<Reading, GitError> {
    let (watch, stage, of, left) =
        (&mut *tools.watch, tools.stage, wanted.len(), &mut *tools.bytes);
    let questions: Vec<Wanted> = wanted.iter().map(|(id, _)| Wanted::Object(*id)).collect();
    let (mut reading, mut ended) = (Reading::default(), Ok(()));
    let (mut things, mut scanner) = (Vec::new(), Scanner::new(lexicon));
    let mut look = |at: usize, object: Object<'_>| {
        things.clear();
        let mut holes = false;
        match object {
            Object::Found(_, Sort::Blob, text) => {
                *left = left.saturating_sub(text.len() as u64);
                if is_text(text) {
                    scanner.scan(text, wanted[at].1, &mut things);
                }
            }
            Object::TooLarge => reading.blind = true,
            _ => holes = true,
        }
        found(at, Found::of(&mut things, holes));
        if at.is_multiple_of(TOLD) {
            ended = watch.tell(stage, at, Some(of));
        }
        reading.cut |= *left == 0 && at + 1 < of;
        if ended.is_ok() && *left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    if at_once && of >= MANY {
        tools.objects.all(&questions, &mut look)?;
    } else {
        tools.objects.each(&questions, &mut look)?;
    }
    ended.map(|()| reading)
}
