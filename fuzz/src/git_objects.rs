//! Fuzzes the output of git: objects, answers, lists of changes, and a whole check with a fake git.
//!
//! Input: a byte, and the outputs of git separated by lines of `%%`, in the order of [`ANSWERS`]. In the
//! first one, `@` stands for the repository's folder.

use std::fs;
use std::path::PathBuf;

use staleness_core::Timestamp;
use staleness_docs::git::{LazyRepo, Limits, Program, Repo};
use staleness_docs::{CheckOptions, Report};

use crate::{checked, put};

/// The faked commands, each identified by a word in its arguments. The first match counts.
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
/// Maximum size of the input, in bytes.
const MAX_INPUT: usize = 64 * 1024;

/// Checks a project with the fake git of the input.
pub fn run(data: &[u8]) {
    if let Some((_, answers)) = data.split_first() {
        whole(&answers[..answers.len().min(MAX_INPUT)]);
    }
}

/// Makes writes to a closed pipe an error, as in Rust programs. libFuzzer's own `main` lets them end the
/// process.
fn ignore_broken_pipes() {
    unsafe extern "C" {
        safe fn signal(number: i32, handler: usize) -> usize;
    }
    const SIGPIPE: i32 = 13;
    const SIG_IGN: usize = 1;
    signal(SIGPIPE, SIG_IGN);
}

/// A project, and a fake `git` that prints the answers next to it.
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
    let notes =
        "# Notes\n\nCall `old_name` of `src/a.rs` with `--some-flag`.\n\nSee src/a.rs:1-2.\n";
    for (name, text) in [
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/config", "[core]\n\trepositoryformatversion = 0\n"),
        ("CHANGELOG.md", "# 1.0\n"),
        ("AGENTS.md", notes),
    ] {
        put(&project, name, text);
    }
    let cases: String =
        ANSWERS.iter().map(|(word, file)| format!("*{word}*) cat \"$at/{file}\" ;;\n")).collect();
    // The script reads its input to the end, so that the program's writes to it succeed.
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
        let mut rest = answers;
        for (_, name) in ANSWERS {
            let end = rest.windows(4).position(|part| part == b"\n%%\n");
            let (answer, next) =
                end.map_or((rest, &[][..]), |end| (&rest[..end], &rest[end + 4..]));
            let answer = if name == "place" { with_folder(answer, place) } else { answer.to_vec() };
            fs::write(place.folder.path().join(name), answer).expect("an answer is written");
            rest = next;
        }
        report(place);
        ask(place);
    });
}

/// Replaces each `@` by the repository's folder, which the input cannot know.
fn with_folder(answer: &[u8], place: &Place) -> Vec<u8> {
    let folder = place.project.join(".git");
    let folder = folder.as_os_str().as_encoded_bytes();
    answer.split(|byte| *byte == b'@').collect::<Vec<_>>().join(folder)
}

fn report(place: &Place) -> Report {
    let options = CheckOptions::new(Timestamp::from_millis(1_790_812_800_000));
    let repo = || LazyRepo::new(Some(place.program.clone()), &place.project, Limits::default());
    checked(&place.project, repo, &options)
}

/// Runs queries that a check does not run.
fn ask(place: &Place) {
    let mut repo = match Repo::open(&place.program, &place.project, Limits::default()) {
        Ok(repo) => repo,
        Err(error) => return assert!(!error.to_string().contains('\n'), "one line: {error}"),
    };
    let _ = repo.latest_version_tag();
    let _ = repo.since("main");
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
            .with(report)
            .documents
            .iter()
            .flat_map(|document| &document.found)
            .map(|block| block.evidence.len())
            .sum();
        assert_ne!(found, 0, "a name and a file that are gone");
    }
}
