//! The meaning of a word: the things that must exist for the word to exist.

use staleness_core::knowledge::WordKind;

use super::defined::is_constant;
use super::lexicon::{Lexicon, Role, WantedPath};

/// A word of a document that names a thing of the project.
///
/// | kind | what counts as the thing |
/// |---|---|
/// | path | a tracked file or folder whose path ends with the word (`router.rs`, `core/router.rs`), or equals it if the word begins with `./` or `/`; only a folder if the word ends in `/`; for a bare file name (`router.rs`), and a path of no source (`data/a.json`), also a string literal in code |
/// | flag | the flag itself (`--dry-run`), its name after a quotation mark (`"dry-run"`, `"dry_run"`, `"dryRun"`), or a field from which a library derives the flag (`#[arg(long)] dry_run`) |
/// | command | nothing: a command does not show what defines it |
/// | identifier | the identifier as a whole word; each part of a name joined by `::`, `.`, `->` or `#`, in any file; a trailing `()` or `!` is ignored; a file or folder of that name |
///
/// Flags and identifiers are searched in regular files that are not documents. The past needs more evidence: the
/// project *had* an identifier if it defined it or, for a name in capitals, read it from the environment. A single
/// lower-case name must have been a function, type or other item, not a field or parameter. A flag must have been
/// defined, not passed to another program. A bare file name must have been unique.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word {
    /// Kind of thing that the word names.
    pub kind: WordKind,
    /// The word as written.
    pub text: String,
}

/// Maximum number of parts in a word.
const MAX_PARTS: usize = 32;
/// Maximum number of places at which to split a constant.
const MAX_WORDS: usize = 8;

/// A thing that can be searched for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Thing {
    Path(WantedPath),
    Identifier(String),
    /// A single name that begins with a lower-case letter.
    Lone(String),
    /// Such a name before a dot. It may be a variable.
    Head(String),
    /// A name that proves only that the thing exists now.
    Related(String),
    Quoted(String),
    Flag(String),
    /// A file name or a path in a string literal.
    Filed(String),
    Placed(Role, String),
    /// Two parts of a longer name in one file.
    Both(String, String),
}

impl Thing {
    pub(crate) fn enter(&self, lexicon: &mut Lexicon) -> u32 {
        match self {
            Self::Path(path) => lexicon.path(path.clone()),
            Self::Identifier(text) | Self::Lone(text) | Self::Head(text) | Self::Related(text) => {
                lexicon.identifier(text.as_bytes())
            }
            Self::Quoted(text) => lexicon.quoted(text.as_bytes()),
            Self::Flag(text) => lexicon.flag(text.as_bytes()),
            Self::Filed(text) => lexicon.filed(text.as_bytes()),
            Self::Placed(role, text) => lexicon.placed(text.as_bytes(), *role),
            Self::Both(first, last) => lexicon.both(first.as_bytes(), last.as_bytes()),
        }
    }

    /// Returns the things that prove that an earlier commit had this one. An identifier must have been defined, because
    /// a name that is only used may belong to another project.
    pub(crate) fn earlier(&self) -> Option<Vec<Self>> {
        match self {
            Self::Identifier(text) => {
                let mut things = vec![Self::Placed(Role::Made, text.clone())];
                if is_constant(text.as_bytes()) {
                    things.push(Self::Placed(Role::Read, text.clone()));
                }
                Some(things)
            }
            // Fields, keys and parameters have the same names in many projects.
            Self::Lone(text) => Some(vec![Self::Placed(Role::Item, text.clone())]),
            Self::Head(text) => Some(vec![Self::Placed(Role::Head, text.clone())]),
            Self::Placed(Role::Part, _) | Self::Related(_) | Self::Filed(_) | Self::Both(..) => {
                None
            }
            // A bare folder name counts only at the root of the project, because deeper folders may share it.
            Self::Path(path) if path.folder && path.parts.len() == 1 => {
                Some(vec![Self::Path(WantedPath { anchored: true, ..path.clone() })])
            }
            other => Some(vec![other.clone()]),
        }
    }
}

/// Returns the groups of things that make up a word, which exists if one thing of each group exists. Returns `None` if
/// the word cannot be looked up.
pub(crate) fn meaning(word: &Word) -> Option<Vec<Vec<Thing>>> {
    match word.kind {
        WordKind::Path => path(&word.text).map(|path| {
            // A program may read files of this name even if the project contains none.
            let filed = path.filed_name().map(Thing::Filed);
            vec![[Thing::Path(path)].into_iter().chain(filed).collect()]
        }),
        WordKind::Flag => flag(&word.text),
        WordKind::Identifier => identifier(&word.text),
        WordKind::Command => None,
    }
}

pub(crate) fn path(text: &str) -> Option<WantedPath> {
    let (anchored, rest) = match text.strip_prefix("./").or_else(|| text.strip_prefix('/')) {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (folder, rest) = match rest.strip_suffix('/') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let parts: Vec<Box<[u8]>> = rest.split('/').map(|part| part.as_bytes().into()).collect();
    let bad = |part: &[u8]| matches!(part, b"" | b"." | b"..") || part.contains(&0);
    (parts.len() <= MAX_PARTS && !parts.iter().any(|part| bad(part))).then_some(WantedPath {
        parts,
        anchored,
        folder,
    })
}

fn flag(text: &str) -> Option<Vec<Vec<Thing>>> {
    let text = text.split(['=', ' ']).next()?;
    let name = text.strip_prefix("--").or_else(|| text.strip_prefix('-'))?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    // A single letter is too ambiguous.
    let named = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(plain);
    named.then(|| {
        let mut things = vec![Thing::Flag(text.to_owned()), Thing::Quoted(name.to_owned())];
        // An identifier never begins with a digit, so such a name finds nothing.
        for name in [name.replace('-', "_"), camel(name)] {
            things.push(Thing::Placed(Role::Option, name.clone()));
            things.push(Thing::Quoted(name));
        }
        // Libraries derive `--no-color` from `color`.
        if let Some(name) = name.strip_prefix("no-") {
            things.push(Thing::Related(name.replace('-', "_")));
            things.push(Thing::Related(name.to_owned()));
        }
        vec![things]
    })
}

/// Converts `dry-run` to `dryRun`.
fn camel(name: &str) -> String {
    let mut upper = false;
    let mut camel = String::with_capacity(name.len());
    for c in name.chars() {
        if matches!(c, '-' | '_') {
            upper = true;
        } else if std::mem::take(&mut upper) {
            camel.push(c.to_ascii_uppercase());
        } else {
            camel.push(c);
        }
    }
    camel
}

fn identifier(text: &str) -> Option<Vec<Vec<Thing>>> {
    let text = text.trim_start_matches(['@', '$', '&', '*', '.', '#']);
    let text = text.strip_suffix("()").or_else(|| text.strip_suffix('!')).unwrap_or(text);
    let text = text.replace("->", ".").replace("::", ".").replace('#', ".");
    let parts: Vec<&str> = text.split('.').collect();
    let good = |part: &&str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && !part.ends_with('-')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    };
    let is_small =
        |part: &str| part.trim_start_matches('_').starts_with(|c: char| c.is_ascii_lowercase());
    let things = |(at, part): (usize, &&str)| {
        let made = match is_small(part) && at == 0 {
            true if parts.len() > 1 => Thing::Head,
            true => Thing::Lone,
            false => Thing::Identifier,
        };
        let mut things = vec![made((*part).to_owned())];
        if is_constant(part.as_bytes()) {
            things.extend(fragments(part));
        }
        things
    };
    let good = parts.len() <= MAX_PARTS && parts.iter().all(good);
    good.then(|| parts.iter().enumerate().map(things).collect())
}

/// Returns the parts from which code may build a constant: for `A_LIB_DIR`, `A_` or `_DIR`, or `A` and `LIB_DIR` in one
/// file, and so on. `"MAX"` alone is not evidence of `MAX_SIZE`.
fn fragments(name: &str) -> impl Iterator<Item = Thing> {
    let long = |part: &str| part.bytes().filter(u8::is_ascii_alphabetic).count() > 1;
    let cuts = name.match_indices('_').take(MAX_WORDS).map(|(at, _)| at);
    cuts.flat_map(move |at| {
        let (first, last) = (&name[..at], &name[at + 1..]);
        let both = long(first) && long(last);
        let both = both.then(|| Thing::Both(first.to_owned(), last.to_owned()));
        let edges = [&name[..=at], &name[at..]].into_iter().filter(move |part| long(part));
        edges.map(|part| Thing::Placed(Role::Part, part.to_owned())).chain(both)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: WordKind, text: &str) -> Option<Vec<Vec<Thing>>> {
        meaning(&Word { kind, text: text.to_owned() })
    }

    #[test]
    fn a_flag_has_the_names_under_which_programs_define_it() {
        let things = of(WordKind::Flag, "--dry-run=yes").unwrap();
        assert_eq!(
            things,
            [[
                Thing::Flag("--dry-run".into()),
                Thing::Quoted("dry-run".into()),
                Thing::Placed(Role::Option, "dry_run".into()),
                Thing::Quoted("dry_run".into()),
                Thing::Placed(Role::Option, "dryRun".into()),
                Thing::Quoted("dryRun".into()),
            ]]
        );
        for bad in ["", "-", "--", "-v", "--x-", "--a;b", "dry-run", "--\u{e9}t\u{e9}"] {
            assert_eq!(of(WordKind::Flag, bad), None, "{bad}");
        }
    }

    #[test]
    fn of_joined_identifiers_each_is_looked_for() {
        for text in ["Router::route()", "Router.route", "Router#route", "Router->route!"] {
            assert_eq!(of(WordKind::Identifier, text).unwrap().len(), 2, "{text}");
        }
        for bad in ["", "()", "a b", "Vec<T>", "3d", "a..b", "a-", "a::"] {
            assert_eq!(of(WordKind::Identifier, bad), None, "{bad}");
        }
    }

    #[test]
    fn a_constant_is_there_while_code_puts_its_name_together() {
        let things = &of(WordKind::Identifier, "A1B_LIB_DIR").unwrap()[0];
        for part in ["A1B_", "_LIB_DIR", "_DIR", "A1B_LIB_"] {
            assert!(things.contains(&Thing::Placed(Role::Part, part.into())), "{part}");
        }
        for (first, last) in [("A1B", "LIB_DIR"), ("A1B_LIB", "DIR")] {
            assert!(things.contains(&Thing::Both(first.into(), last.into())), "{first} {last}");
            assert!(!things.contains(&Thing::Placed(Role::Part, first.into())), "{first}");
        }
        assert_eq!(of(WordKind::Identifier, "lib_dir").unwrap()[0].len(), 1);
        let earlier = things[0].earlier().unwrap();
        assert_eq!(earlier[0], Thing::Placed(Role::Made, "A1B_LIB_DIR".into()));
        assert_eq!(earlier[1], Thing::Placed(Role::Read, "A1B_LIB_DIR".into()));
        assert_eq!(things[1].earlier(), None);
    }

    #[test]
    fn a_lone_name_in_small_letters_was_an_item() {
        let earlier = |text: &str| of(WordKind::Identifier, text).unwrap()[0][0].earlier().unwrap();
        for text in ["old_name", "_oldName", "$old_name()"] {
            let [Thing::Placed(Role::Item, _)] = earlier(text)[..] else { panic!("{text}") };
        }
        for text in ["old.name", "old::Name"] {
            let [Thing::Placed(Role::Head, _)] = earlier(text)[..] else { panic!("{text}") };
        }
        for text in ["OldName", "_OldName", "OLD_NAME", "Old.name"] {
            assert!(matches!(earlier(text)[0], Thing::Placed(Role::Made, _)), "{text}");
        }
    }

    #[test]
    fn a_path_never_leaves_its_root() {
        assert!(of(WordKind::Path, "./src/a.rs").is_some());
        for bad in ["", "/", "../a", "a/../b", "a//b", "./"] {
            assert_eq!(of(WordKind::Path, bad), None, "{bad}");
        }
        assert_eq!(of(WordKind::Path, &"a/".repeat(MAX_PARTS + 2)), None);
    }
}
