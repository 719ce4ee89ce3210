//! What items of the store cite, looked up in the project.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};

use staleness::ids::ItemKey;
use staleness::knowledge::{Citation, Cited, Evidence, Fact, Item, Lines};
use staleness_sources::git::{
    Anchor, CitationQuery, Cite, Commit, Limits, Oid, Program, Repo, Watch, cited_digest,
};

use crate::error::{CliError, in_words, quoted};
use crate::settings::Settings;

/// The largest file that is cited, in bytes.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// The commit that is checked out, in hexadecimal digits.
pub(crate) fn head(settings: &Settings) -> Option<String> {
    repo(settings).map(|repo| repo.head().id.to_string())
}

fn repo(settings: &Settings) -> Option<Repo> {
    let program = Program::of_environment()?;
    Repo::open(&program, &settings.place.folder, Limits::default()).ok()
}

/// Refuses a revision that the project's repository does not have.
pub(crate) fn check_revision(settings: &Settings, name: &str) -> Result<(), CliError> {
    match repo(settings).map(|mut repo| repo.revision(name)) {
        Some(Err(error)) => Err(CliError::invalid(format!("--since {}: {error}", quoted(name)))
            .hint("name a commit, branch or tag, such as HEAD~3; a shallow clone has few")),
        _ => Ok(()),
    }
}

/// Reads `PATH`, `PATH:L`, `PATH:L-L` or `PATH#SYMBOL`, with the digest of what is there now. The
/// path counts from the project's root; in a folder below it, also from there.
pub(crate) fn cite(settings: &Settings, text: &str) -> Result<Citation, CliError> {
    let refused = |what: String| CliError::invalid(format!("--cite {}: {what}", quoted(text)));
    let (path, lines, symbol) = parts(text).map_err(|what| refused(what.into()))?;
    let path = within(settings, path).map_err(&refused)?;
    let file = settings.place.folder.join(&path);
    let citation = Citation { lines, symbol, ..Citation::of_path(path) };
    let meta = std::fs::metadata(&file).map_err(|error| refused(in_words(&error)))?;
    if meta.is_dir() && citation.is_bare() {
        return Ok(citation);
    }
    let bytes = read(&file).map_err(&refused)?;
    if let Some(lines) = citation.lines {
        let count = bytes.split_inclusive(|byte| *byte == b'\n').count();
        if lines.last as usize > count {
            return Err(
                refused(format!("the file has {count} lines")).hint("name lines that are there")
            );
        }
    }
    let digest = cited_digest(&bytes, &citation);
    if digest.is_none() && !citation.is_bare() {
        return Err(refused("it is not in the file".into()));
    }
    Ok(Citation { digest, ..citation })
}

/// The same citation with the digest of what is there now; none where it is not there.
pub(crate) fn seen(settings: &Settings, citation: &Citation) -> Citation {
    let digest = now(settings, citation).and_then(|bytes| cited_digest(&bytes, citation));
    Citation { digest, ..citation.clone() }
}

/// What the file of a citation holds now.
fn now(settings: &Settings, citation: &Citation) -> Option<Vec<u8>> {
    let path = within(settings, &citation.path).ok()?;
    read(&settings.place.folder.join(path)).ok()
}

type Parts<'a> = (&'a str, Option<Lines>, Option<String>);

fn parts(text: &str) -> Result<Parts<'_>, &'static str> {
    if let Some((path, symbol)) = text.split_once('#') {
        let named = !path.is_empty() && !symbol.is_empty();
        return if named { Ok((path, None, Some(symbol.into()))) } else { Err("it is not whole") };
    }
    let numeric = |c: char| c.is_ascii_digit() || c == '-';
    let Some((path, range)) =
        text.rsplit_once(':').filter(|(_, range)| !range.is_empty() && range.chars().all(numeric))
    else {
        return if text.is_empty() { Err("it is empty") } else { Ok((text, None, None)) };
    };
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let number = |text: &str| text.parse::<u32>().map_err(|_| "lines are written 12 or 12-20");
    let lines = Lines { first: number(first)?, last: number(last)? };
    if lines.first == 0 || lines.last < lines.first {
        return Err("lines count from 1, the first before the last");
    }
    Ok((path, Some(lines), None))
}

/// The path from the project's root with `/` between the parts. Links are followed as far as they
/// stay in the project.
fn within(settings: &Settings, path: &str) -> Result<String, String> {
    let root = settings.place.folder.canonicalize().map_err(|error| in_words(&error))?;
    let outside = || "it leads out of the project".to_owned();
    let mut candidates = vec![root.join(path)];
    candidates.extend(std::env::current_dir().ok().map(|folder| folder.join(path)));
    let there = candidates.iter().find(|path| path.exists());
    let Some(found) = there else {
        let plain = normal(&root.join(path));
        let left = !plain.starts_with(&root);
        return Err(if left { outside() } else { "no such file or folder".into() });
    };
    let real = found.canonicalize().map_err(|error| in_words(&error))?;
    if !real.starts_with(&root) {
        return Err(outside());
    }
    // The name that was typed, not what a link in the project leads to.
    let plain = normal(found);
    let relative = plain.strip_prefix(&root).or_else(|_| real.strip_prefix(&root));
    let relative = relative.map_err(|_| outside())?;
    if relative.as_os_str().is_empty() {
        return Err("it is the project itself".into());
    }
    let parts: Option<Vec<&str>> =
        relative.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/")).ok_or_else(|| "its name is not UTF-8 text".into())
}

/// The path without `.` and `..`, whatever is there.
fn normal(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let meta = std::fs::metadata(path).map_err(|error| in_words(&error))?;
    if !meta.is_file() {
        return Err("it is no file".into());
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| in_words(&error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!("at most {MAX_FILE_BYTES} bytes are read"));
    }
    Ok(bytes)
}

/// What became of everything that items cite; every item that cites something is in it. Without a
/// history, digests tell.
pub(crate) fn evidence<'a>(
    settings: &Settings,
    items: impl Iterator<Item = &'a Item>,
) -> BTreeMap<ItemKey, Vec<Evidence>> {
    let cited: Vec<(&Item, &Citation)> = items
        .filter(|item| !item.is_done())
        .flat_map(|item| item.citations.iter().map(move |citation| (item, citation)))
        .collect();
    let mut found: BTreeMap<ItemKey, Vec<Evidence>> = BTreeMap::new();
    if cited.is_empty() {
        return found;
    }
    let queries: Vec<CitationQuery<'_>> = cited
        .iter()
        .map(|(item, citation)| {
            let commit = item.verified_commit.as_ref();
            let commit = commit.and_then(|hex| Oid::from_hex(hex.as_bytes()));
            let verified = commit.map_or(Anchor::At(item.anchored_at()), Anchor::Commit);
            CitationQuery { citation, verified }
        })
        .collect();
    let mut go_on = |_| ControlFlow::Continue(());
    let answers = repo(settings).and_then(|mut repo| {
        let answers = repo.cited(&queries, &mut Watch::new(&mut go_on)).ok()?;
        Some(answers)
    });
    let unknown = || vec![Cite::Unknown; cited.len()];
    for ((item, citation), answer) in cited.iter().zip(answers.unwrap_or_else(unknown)) {
        let evidence = found.entry(item.key.clone()).or_default();
        evidence.extend(fact(settings, citation, answer).map(Evidence::from));
    }
    found
}

fn fact(settings: &Settings, citation: &Citation, answer: Cite) -> Option<Fact> {
    let id = |commit: Option<Commit>| commit.map(|commit| commit.id.to_string());
    // The digest is of what was there; what is said of it is where.
    let place = Citation { digest: None, ..citation.clone() };
    match answer {
        Cite::Holds => None,
        Cite::Changed { commit, days_after } => {
            Some(Fact::SourceChanged { citation: place, commit: id(commit), days_after })
        }
        Cite::Missing { gone, renamed_to, commit } => {
            let commit = id(commit);
            Some(Fact::SourceMissing { citation: place, gone, renamed_to, commit })
        }
        // What git never had was on the disk when it was cited: its digest tells.
        Cite::NeverThere(_) | Cite::Unknown => {
            let before = citation.digest.as_ref()?;
            match now(settings, citation) {
                None => Some(Fact::SourceMissing {
                    citation: place,
                    gone: Cited::Path,
                    renamed_to: None,
                    commit: None,
                }),
                Some(bytes) => {
                    let digest = cited_digest(&bytes, citation);
                    (digest.as_ref() != Some(before)).then_some(Fact::SourceChanged {
                        citation: place,
                        commit: None,
                        days_after: None,
                    })
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_is_a_path_lines_of_it_or_a_symbol_in_it() {
        let lines = |first, last| Some(Lines { first, last });
        assert_eq!(parts("src/a.rs").unwrap(), ("src/a.rs", None, None));
        assert_eq!(parts("src/a.rs:12").unwrap(), ("src/a.rs", lines(12, 12), None));
        assert_eq!(parts("src/a.rs:12-20").unwrap(), ("src/a.rs", lines(12, 20), None));
        assert_eq!(parts("C:a.rs:3").unwrap(), ("C:a.rs", lines(3, 3), None));
        assert_eq!(parts("a.rs#Router").unwrap(), ("a.rs", None, Some("Router".into())));
        for wrong in ["", "a:0", "a:5-3", "a:1-2-3", "a:-", "#x", "a#"] {
            assert!(parts(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn dots_are_taken_out_of_a_path() {
        assert_eq!(normal(Path::new("/a/./b/../c")), Path::new("/a/c"));
        assert_eq!(normal(Path::new("/a/../../c")), Path::new("/c"));
    }
}
