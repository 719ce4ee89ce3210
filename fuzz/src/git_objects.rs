//! What git writes: objects, answers, lists of changes, and a whole check against a git that answers
//! anything.
//!
//! Input, by its first byte: `g` is followed by the answers of a git, apart by lines of `%%`, in the
//! order of [`ANSWERS`], the first with `@` for the folder of the repository; any other byte by bytes that are
//! read as everything that git writes.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use staleness_core::Timestamp;
use staleness_sources::documents::{CheckOptions, Report, check};
use staleness_sources::git::fuzzing::{
    change, commit_header, committed_at, compared, is_missing, lines, object_header, scanned, told,
    tree,
};
use staleness_sources::git::{Limits, Oid, Program, Repo};
use staleness_sources::project::ProjectPlace;

use crate::peak;

/// The commands whose answers an input gives, each by a word of its arguments; the first that fits.
const ANSWERS: [(&str, &str); 8] = [
    ("--is-inside-work-tree", "place"),
    ("--batch-check", "told"),
    ("--batch", "objects"),
    ("ls-tree", "files"),
    ("--diff-filter=R", "renames"),
    ("diff-tree", "changes"),
    ("rev-list", "commits"),
    ("for-each-ref", "tags"),
];
/// More answers than this are no longer read, in bytes.
const MAX_INPUT: usize = 64 * 1024;

/// Reads the input as what its first byte says.
pub fn run(data: &[u8]) {
    match data.split_first() {
        Some((b'g', answers)) => whole(&answers[..answers.len().min(MAX_INPUT)]),
        Some((_, bytes)) => {
            let ((), most) = peak::measured(|| pieces(bytes));
            let bound = (1 << 20) + 1024 * bytes.len();
            assert!(most <= bound, "{most} bytes in use for {}", bytes.len());
        }
        None => {}
    }
}

/// Every reader of a piece of what git writes.
fn pieces(bytes: &[u8]) {
    for id_len in [20, 32] {
        let entries = tree(bytes, id_len);
        let taken: usize = entries.iter().map(|(name, ..)| name.len() + 2 + id_len).sum();
        assert!(taken <= bytes.len(), "entries stand apart");
        for (name, _, id) in entries {
            assert!(!name.contains(&0) && id.as_bytes().len() == id_len);
        }
    }
    let _ = committed_at(bytes);
    for line in bytes.split(|byte| *byte == b'\n') {
        id(Oid::from_hex(line), line);
        id(object_header(line).map(|(id, _)| id), line);
        assert!(object_header(line).is_none() || !is_missing(line), "there, or missing");
        let _ = told(line);
        id(commit_header(line).map(|(id, _)| id), line);
        if let Some((_, new, _)) = change(line.strip_prefix(b":").unwrap_or(line)) {
            id(Some(new), line);
        }
    }
    let half = bytes.len() / 2;
    let parts: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
    let (old, new) = match parts[..] {
        [old, new, ..] => (old, new),
        _ => bytes.split_at(half),
    };
    versions(old, new);
    let words: Vec<&[u8]> = old.split(|byte| *byte == b' ').take(16).collect();
    let texts = [new, old, new, bytes];
    for foreign in [false, true] {
        let (remembered, anew) = scanned(&words, &texts, foreign);
        assert_eq!(remembered, anew, "what was seen before changes nothing");
    }
}

/// An id stands in the line as it reads.
fn id(found: Option<Oid>, line: &[u8]) {
    let Some(found) = found else { return };
    let digits = found.to_string();
    assert!(matches!(digits.len(), 40 | 64));
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    assert!(line.contains(&digits), "{digits} is not in {line:?}");
}

/// Lines that are said to have stayed did, in their order; all others changed.
fn versions(old: &[u8], new: &[u8]) {
    let (origins, changed) = compared(old, new);
    let (old, new) = (lines(old), lines(new));
    assert_eq!(origins.len(), new.len());
    let mut before = None;
    for (at, origin) in origins.iter().enumerate() {
        let line = u32::try_from(at + 1).expect("few lines");
        let is_changed = changed.iter().any(|part| (part.first..=part.last).contains(&line));
        assert_eq!(is_changed, origin.is_none(), "line {line}");
        let Some(origin) = origin else { continue };
        assert_eq!(old[*origin as usize], new[at], "line {line} stayed");
        assert!(before.is_none_or(|before| before < *origin), "lines stay in their order");
        before = Some(*origin);
    }
}

/// Elsewhere a pipe that nobody reads is an error, as Rust has it; libFuzzer's own `main` leaves it as
/// the end of the process.
fn ignore_broken_pipes() {
    unsafe extern "C" {
        safe fn signal(number: i32, handler: usize) -> usize;
    }
    const SIGPIPE: i32 = 13;
    const SIG_IGN: usize = 1;
    signal(SIGPIPE, SIG_IGN);
}

/// A project, and beside it a `git` that answers what lies there.
struct Place {
    folder: tempfile::TempDir,
    project: PathBuf,
    program: Program,
}

thread_local! {
    static PLACE: Place = place();
}

fn place() -> Place {
    use std::os::unix::fs::PermissionsExt;

    ignore_broken_pipes();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let project = folder.path().join("project");
    for name in ["objects", "refs"] {
        fs::create_dir_all(project.join(".git").join(name)).expect("a folder");
    }
    let file = |name: &str, text: &str| {
        fs::write(project.join(name), text).expect("a file is written");
    };
    file(".git/HEAD", "ref: refs/heads/main\n");
    file(".git/config", "[core]\n\trepositoryformatversion = 0\n");
    file("CHANGELOG.md", "# 1.0\n");
    file(
        "AGENTS.md",
        "# Notes\n\nCall `old_name` of `src/a.rs` with `--some-flag`.\n\nSee src/a.rs:1-2.\n",
    );
    let cases: String =
        ANSWERS.iter().map(|(word, file)| format!("*{word}*) cat \"$at/{file}\" ;;\n")).collect();
    // It listens to the last question: who asks one that nobody hears would see nothing of the answers.
    let script =
        format!("#!/bin/sh\nat=${{0%/*}}\ncase \"$*\" in\n{cases}esac\nexec cat >/dev/null\n");
    let git = folder.path().join("git");
    fs::write(&git, script).expect("a program is written");
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let program = Program::find(folder.path().as_os_str()).expect("a git");
    Place { folder, project, program }
}

fn whole(answers: &[u8]) {
    PLACE.with(|place| {
        let mut rest = Some(answers);
        for (_, name) in ANSWERS {
            let (answer, next) = match rest {
                Some(all) => match all.windows(4).position(|part| part == b"\n%%\n") {
                    Some(end) => (&all[..end], Some(&all[end + 4..])),
                    None => (all, None),
                },
                None => (&[][..], None),
            };
            let answer = if name == "place" { with_folder(answer, place) } else { answer.to_vec() };
            fs::write(place.folder.path().join(name), answer).expect("an answer is written");
            rest = next;
        }
        let report = checked(place);
        assert_eq!(checked(place), report, "the same twice");
        for note in &report.notes {
            assert!(!note.text.contains(char::is_control), "{:?}", note.text);
        }
        ask(place);
    });
}

/// An answer with the folder of the repository for each `@`: no input can know it.
fn with_folder(answer: &[u8], place: &Place) -> Vec<u8> {
    let folder = place.project.join(".git");
    let folder = folder.as_os_str().as_encoded_bytes();
    answer.split(|byte| *byte == b'@').collect::<Vec<_>>().join(folder)
}

fn checked(place: &Place) -> Report {
    let project = ProjectPlace::of_folder(Path::new(&place.project));
    let mut options = CheckOptions::new(Timestamp::from_millis(1_790_812_800_000));
    options.git = Some(&place.program);
    check(&project, &options, &mut |_| ControlFlow::Continue(())).expect("nobody ends it")
}

/// What a check does not ask.
fn ask(place: &Place) {
    let repo = match Repo::open(&place.program, &place.project, Limits::default()) {
        Ok(repo) => repo,
        Err(error) => {
            let told = error.to_string();
            assert!(!told.contains('\n'), "an error is one line: {told:?}");
            return;
        }
    };
    let mut repo = repo;
    let _ = repo.latest_version_tag();
    let _ = repo.since("main", &|path| path.ends_with(".md"));
    let _ = repo.tracked();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gets_to_what_the_history_says() {
        let answers = include_bytes!("../seeds/git_objects/history");
        whole(&answers[1..]);
        let found: usize = PLACE
            .with(checked)
            .documents
            .iter()
            .flat_map(|document| &document.found)
            .map(|block| block.evidence.len())
            .sum();
        assert_ne!(found, 0, "a name and a file that are gone");
    }
}
