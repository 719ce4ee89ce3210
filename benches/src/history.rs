//! Generates a repository with a history: source files that are moved and deleted, with functions that are
//! added, changed and removed, and documents that name them.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use staleness_conformance::disk::Draws;

use crate::process::run;

const VERBS: [&str; 12] = [
    "load", "store", "parse", "render", "merge", "split", "flush", "encode", "verify", "trim",
    "resolve", "attach",
];
const NOUNS: [&str; 16] = [
    "packet", "frame", "session", "token", "buffer", "ledger", "window", "cursor", "shard",
    "batch", "record", "schema", "volume", "invoice", "stream", "quota",
];
/// Number of commits per document.
pub const COMMITS: usize = 20;
/// Number of functions per file.
const FUNCTIONS: usize = 16;
/// Number of blocks per document.
const BLOCKS: usize = 40;
/// Number of files per folder. To find one file, git reads its whole folder.
const FOLDER: usize = 32;
/// Time of the first commit, in seconds since 1970.
const BEGIN: u64 = 1_600_000_000;
/// Time between two commits, in seconds.
const STEP: u64 = 9_000;

/// The history in `git fast-import` format.
struct History {
    draws: Draws,
    stream: String,
    commits: u64,
    /// The functions of each source file, and how often each was changed.
    sources: Vec<Vec<(String, usize)>>,
    /// For each source file, how often it was moved or replaced.
    moves: Vec<usize>,
    /// The blocks of each document.
    documents: Vec<Vec<String>>,
    made: u64,
}

impl History {
    fn below(&mut self, limit: usize) -> usize {
        self.draws.below(limit as u64) as usize
    }

    fn function(&mut self) -> String {
        self.made += 1;
        let (verb, noun) = (VERBS[self.below(VERBS.len())], NOUNS[self.below(NOUNS.len())]);
        format!("{verb}_{noun}_{}", self.made)
    }

    fn source_path(&self, at: usize) -> String {
        let moves = self.moves[at];
        let (noun, part) = (NOUNS[(at + moves) % NOUNS.len()], at / (NOUNS.len() * FOLDER));
        format!("src/{noun}/{part}/{}_{at}.rs", VERBS[(at + moves) % VERBS.len()])
    }

    fn functions(&mut self) -> Vec<(String, usize)> {
        (0..FUNCTIONS).map(|_| (self.function(), 0)).collect()
    }

    fn document_path(at: usize) -> String {
        format!("docs/{}/guide-{at}.md", at / FOLDER)
    }

    fn source(&mut self, at: usize) -> String {
        let mut text = String::new();
        for (name, edits) in &self.sources[at] {
            writeln!(
                text,
                "/// Does what `{name}` is for, within the limits of its caller.\n\
                 pub fn {name}(input: &str, limit: usize) -> Result<usize, Error> {{\n    \
                 let part = input.len().min(limit) + {edits};\n    check(part)?;\n    Ok(limit)\n}}\n"
            )
            .expect("a text");
        }
        text
    }

    /// Generates a paragraph with up to four names, mostly existing functions and files, and rarely names
    /// that never existed.
    fn block(&mut self) -> String {
        let mut text = String::from("The part that takes this in hands it on to the next one");
        for _ in 0..=self.below(4) {
            let at = self.below(self.sources.len());
            let function = self.below(self.sources[at].len());
            let named = match self.below(20) {
                0 => format!("never_{}_{at}", NOUNS[function % NOUNS.len()]),
                1..4 => self.source_path(at),
                _ => self.sources[at][function].0.clone(),
            };
            write!(text, " and waits for `{named}`").expect("a text");
        }
        text + " until the answer has come back."
    }

    fn document(&self, at: usize) -> String {
        format!("# Guide {at}\n\n{}\n", self.documents[at].join("\n\n"))
    }

    /// Writes a commit that deletes `gone`, if given, and writes `files`.
    fn commit(&mut self, gone: Option<&str>, files: &[(String, String)]) {
        let when = BEGIN + self.commits * STEP;
        self.commits += 1;
        let mut out = format!(
            "commit refs/heads/main\ncommitter A <a@example.org> {when} +0000\ndata 8\nA change\n"
        );
        if let Some(path) = gone {
            writeln!(out, "D {path}").expect("a text");
        }
        for (path, text) in files {
            writeln!(out, "M 100644 inline {path}\ndata {}\n{text}", text.len()).expect("a text");
        }
        self.stream += &out;
    }

    /// Writes a commit: changes one or two functions (one in twelve is added, removed or renamed) and
    /// sometimes rewrites a paragraph. One commit in a hundred moves a source file unchanged, and one in four
    /// hundred replaces one.
    fn change(&mut self) {
        let mut files = Vec::new();
        let fate = self.below(400);
        if fate < 5 {
            let at = self.below(self.sources.len());
            let gone = self.source_path(at);
            self.moves[at] += 1;
            if fate == 0 {
                self.sources[at] = self.functions();
            }
            files.push((self.source_path(at), self.source(at)));
            return self.commit(Some(&gone), &files);
        }
        for _ in 0..=self.below(2) {
            let at = self.below(self.sources.len());
            let place = self.below(self.sources[at].len());
            let name = (self.function(), 0);
            match self.below(36) {
                0 => self.sources[at].push(name),
                1 if self.sources[at].len() > 4 => drop(self.sources[at].remove(place)),
                2 => self.sources[at][place] = name,
                _ => self.sources[at][place].1 += 1,
            }
            files.push((self.source_path(at), self.source(at)));
        }
        if self.below(7) == 0 {
            let (at, place) = (self.below(self.documents.len()), self.below(BLOCKS));
            self.documents[at][place] = self.block();
            files.push((Self::document_path(at), self.document(at)));
        }
        self.commit(None, &files);
    }
}

/// Returns a git command in a folder, without the settings of the user or the machine.
pub fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// Creates a repository with this number of documents, and four source files and [`COMMITS`] commits for
/// each, in one pack. Checks out the last commit.
pub fn repository(folder: &Path, documents: usize) {
    let mut history = History {
        draws: Draws(7),
        stream: String::new(),
        commits: 0,
        sources: vec![Vec::new(); documents * 4],
        moves: vec![0; documents * 4],
        documents: Vec::new(),
        made: 0,
    };
    let mut first = vec![(
        "Cargo.toml".to_owned(),
        "[package]\nname = \"bench\"\nversion = \"1.0.0\"\n".to_owned(),
    )];
    for at in 0..history.sources.len() {
        history.sources[at] = history.functions();
        first.push((history.source_path(at), history.source(at)));
    }
    for at in 0..documents {
        let blocks = (0..BLOCKS).map(|_| history.block()).collect();
        history.documents.push(blocks);
        first.push((History::document_path(at), history.document(at)));
    }
    history.commit(None, &first);
    (1..documents * COMMITS).for_each(|_| history.change());
    run(git(folder).args(["init", "--quiet", "--initial-branch=main"]), "");
    run(git(folder).args(["fast-import", "--quiet", "--force"]), &history.stream);
    drop(history);
    run(git(folder).args(["repack", "-a", "-d", "-q"]), "");
    run(git(folder).args(["reset", "--quiet", "--hard", "main"]), "");
}
