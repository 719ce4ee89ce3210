//! Program options that decide where a target is looked up.

use super::shell::join;

/// The longest target name, in bytes.
const MAX_NAME_BYTES: usize = 100;

/// The place where a target is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A folder. Empty for the folder of the document.
    Folder(String),
    /// A workspace package, by name or folder.
    Workspace(String),
    /// A manifest named in the command.
    File(String),
}

/// Options of a program that take a value, by what the value names.
pub(super) struct Options {
    folder: &'static [&'static str],
    workspace: &'static [&'static str],
    file: &'static [&'static str],
    other: &'static [&'static str],
    /// Options that make a command irrelevant.
    silent: &'static [&'static str],
    /// True if options may also follow the target.
    anywhere: bool,
}

const NONE: Options =
    Options { folder: &[], workspace: &[], file: &[], other: &[], silent: &[], anywhere: false };

pub(super) const NPM: Options = Options {
    folder: &["--prefix", "-C"],
    workspace: &["-w", "--workspace"],
    silent: &["--if-present", "-g", "--global"],
    anywhere: true,
    ..NONE
};
pub(super) const YARN: Options = Options { folder: &["--cwd"], silent: &["--if-present"], ..NONE };
pub(super) const PNPM: Options = Options {
    folder: &["-C", "--dir", "--prefix"],
    workspace: &["-F", "--filter"],
    silent: &["--if-present", "-g", "--global"],
    ..NONE
};
pub(super) const BUN: Options = Options {
    folder: &["--cwd"],
    workspace: &["-F", "--filter"],
    silent: &["--if-present"],
    ..NONE
};
pub(super) const DENO: Options =
    Options { folder: &["--cwd"], file: &["-c", "--config"], silent: &["--eval"], ..NONE };
pub(super) const COMPOSER: Options =
    Options { folder: &["-d", "--working-dir"], silent: &["-l"], ..NONE };
pub(super) const MAKE: Options = Options {
    folder: &["-C", "--directory"],
    file: &["-f", "--file", "--makefile"],
    other: &["-I", "-o", "-W", "--eval"],
    anywhere: true,
    ..NONE
};
pub(super) const JUST: Options = Options {
    folder: &["-d", "--working-directory"],
    file: &["-f", "--justfile"],
    silent: &["--set", "-g", "--global-justfile"],
    ..NONE
};
pub(super) const TASK: Options = Options {
    folder: &["-d", "--dir"],
    file: &["-t", "--taskfile"],
    silent: &["-g", "--global"],
    other: &["-o", "--output", "-C", "--concurrency"],
    anywhere: true,
    ..NONE
};
pub(super) const POE: Options = Options { folder: &["-C", "--directory", "--root"], ..NONE };
pub(super) const HOOKS: Options = Options {
    file: &["-c", "--config"],
    other: &["--hook-stage", "--from-ref", "--to-ref", "--color"],
    silent: &["--files"],
    anywhere: true,
    ..NONE
};
pub(super) const RUN: Options = Options {
    folder: &["--directory", "-C"],
    other: &["--with", "--python", "-p", "--extra", "--group", "--package", "--env-file"],
    silent: &["--no-project", "--script"],
    ..NONE
};

pub(super) struct Parsed<'w, 'a> {
    /// Words that are not options, and the words after the last parsed option.
    pub(super) words: Vec<&'a str>,
    pub(super) rest: &'w [&'a str],
    pub(super) place: Place,
    /// Options that select the place, as written.
    pub(super) kept: String,
}

/// Separates options from other arguments. Returns `None` if the command is irrelevant.
pub(super) fn take<'w, 'a>(
    args: &'w [&'a str],
    options: &Options,
    folder: &str,
) -> Option<Parsed<'w, 'a>> {
    let mut taken = Parsed {
        words: Vec::new(),
        rest: &[],
        place: Place::Folder(folder.to_owned()),
        kept: String::new(),
    };
    let mut at = 0;
    while let Some(word) = args.get(at).copied() {
        at += 1;
        if word == "--" {
            break;
        }
        if !word.starts_with('-') {
            if !options.anywhere {
                at -= 1;
                break;
            }
            taken.words.push(word);
            continue;
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        if options.silent.contains(&name) {
            return None;
        }
        let of = |list: &[&str]| list.contains(&name);
        if !of(options.folder) && !of(options.workspace) && !of(options.file) && !of(options.other)
        {
            // `-Cdocs`
            let glued = |list: &[&str]| list.iter().any(|it| it.len() == 2 && word.starts_with(it));
            if !word.starts_with("--") && (glued(options.folder) || glued(options.file)) {
                return None;
            }
            continue;
        }
        let value = match value {
            Some(value) => value,
            None => {
                at += 1;
                args.get(at - 1)?
            }
        };
        if of(options.other) {
            continue;
        }
        taken.place = if of(options.workspace) {
            Place::Workspace(
                Some(value).filter(|it| is_name(it))?.trim_start_matches("./").to_owned(),
            )
        } else if of(options.folder) {
            Place::Folder(join(folder, value)?)
        } else {
            Place::File(join(folder, value)?)
        };
        taken.kept.push_str(&format!(" {name} {value}"));
    }
    taken.rest = args.get(at..).unwrap_or_default();
    Some(taken)
}

/// Returns true if a word can be a target name, and is not a placeholder.
pub(crate) fn is_name(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_-.:/@+".contains(c);
    word.len() <= MAX_NAME_BYTES
        && word.starts_with(|c: char| c.is_alphanumeric() || "_@.".contains(c))
        && word.ends_with(char::is_alphanumeric)
        && word.chars().all(plain)
        && !word.contains("..")
}
