//! Reading files of commits for the things that they hold.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::found::Found;
use super::index::Tools;
use super::lines::is_text;
use super::objects::{Object, Objects, Sort, Wanted};
use super::scanner::Scanner;
use super::tokens::Lexicon;
use super::{GitError, Oid};

/// From so many files on they are read in two halves at the same time.
const HALVED: usize = 512;
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

/// Reads files as a part of one question: small parts share the git that is running already. What is
/// left out because there is too much is not handed to `found`.
///
/// # Errors
/// When git fails, or the watcher breaks.
pub(crate) fn read_some(
    wanted: &[WantedFile],
    lexicon: &Lexicon,
    tools: &mut Tools<'_, '_>,
    found: &mut dyn FnMut(usize, Found),
) -> Result<Reading, GitError> {
    let (watch, stage, of) = (&mut *tools.watch, tools.stage, wanted.len());
    let mut ended = Ok(());
    let reader = Reader { lexicon, wanted, left: tools.bytes };
    let reading = reader.read(tools.objects, false, &mut |at, file| {
        found(at, file);
        if at % TOLD == 0 {
            ended = watch.tell(stage, at, Some(of));
        }
        ended.is_ok()
    })?;
    ended.map(|()| reading)
}

/// Reads all files that a question needs: many in two halves, each by a git of its own, so that git
/// unpacks one file while words are looked for in another.
///
/// # Errors
/// As [`read_some`].
pub(crate) fn read_all(
    wanted: &[WantedFile],
    lexicon: &Lexicon,
    tools: &mut Tools<'_, '_>,
    found: &mut dyn FnMut(usize, Found),
) -> Result<Reading, GitError> {
    if wanted.len() < HALVED {
        return read_some(wanted, lexicon, tools, found);
    }
    let (near, far) = wanted.split_at(wanted.len() / 2);
    // Each half has a part of what may be read, so that the same is read every time.
    let half = *tools.bytes / 2;
    let (mut left, mut far_left) = (*tools.bytes - half, half);
    let (watch, stage, of) = (&mut *tools.watch, tools.stage, wanted.len());
    let mut ended = Ok(());
    let is_over = AtomicBool::new(false);
    let mut others = tools.objects.another();
    let (near_read, far_read) = thread::scope(|scope| {
        let helper = scope.spawn(|| {
            let mut files = Vec::with_capacity(far.len());
            let reader = Reader { lexicon, wanted: far, left: &mut far_left };
            let reading = reader.read(&mut others, true, &mut |at, file| {
                files.push((at, file));
                !is_over.load(Ordering::Relaxed)
            });
            (reading, files)
        });
        let reader = Reader { lexicon, wanted: near, left: &mut left };
        let reading = reader.read(tools.objects, true, &mut |at, file| {
            found(at, file);
            if at % TOLD == 0 {
                ended = watch.tell(stage, 2 * at, Some(of));
            }
            ended.is_ok()
        });
        if reading.is_err() || ended.is_err() {
            is_over.store(true, Ordering::Relaxed);
        }
        (reading, helper.join())
    });
    *tools.bytes = left + far_left;
    tools.objects.add(&others);
    ended?;
    let near_read = near_read?;
    let (far_read, files) = far_read.map_err(|_| GitError::garbled("nothing"))?;
    let far_read = far_read?;
    for (at, file) in files {
        found(near.len() + at, file);
    }
    Ok(Reading { blind: near_read.blind | far_read.blind, cut: near_read.cut | far_read.cut })
}

struct Reader<'a> {
    lexicon: &'a Lexicon,
    wanted: &'a [WantedFile],
    /// Bytes that may still be read.
    left: &'a mut u64,
}

impl Reader<'_> {
    /// Reads until `found` says that it was enough.
    fn read(
        self,
        objects: &mut Objects,
        at_once: bool,
        found: &mut dyn FnMut(usize, Found) -> bool,
    ) -> Result<Reading, GitError> {
        let Self { lexicon, wanted, left } = self;
        let questions: Vec<Wanted> = wanted.iter().map(|(id, _)| Wanted::Object(*id)).collect();
        let mut reading = Reading::default();
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
            let goes_on = found(at, Found::of(&mut things, holes));
            reading.cut |= *left == 0 && at + 1 < wanted.len();
            if goes_on && *left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        if at_once {
            objects.all(&questions, &mut look)?;
        } else {
            objects.each(&questions, &mut look)?;
        }
        Ok(reading)
    }
}
