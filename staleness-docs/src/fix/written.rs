//! Writes paths in the style of a document: relative to its folder or to the project's root, with or without
//! percent-encoding.

use std::ops::Range;

use staleness_core::knowledge::{Citation, Cited, Fact, WordKind};

use crate::draft::names::NameSort;
use crate::draft::target;
use crate::paths::{self, folder_of};

/// Returns the part of a link destination to replace, and its replacement. The part is the path or the fragment.
pub(super) fn link(
    folder: &str,
    fact: &Fact,
    raw: &str,
    new: &str,
) -> Option<(Range<usize>, String)> {
    let end = raw.find(['#', '?']).unwrap_or(raw.len());
    match fact {
        Fact::SourceMissing { gone: Cited::Path, citation, .. } => {
            let old = target::of_link(raw)?.path;
            // The text may have changed since the check.
            if paths::resolve(folder, &old).as_ref() != Ok(&citation.path) {
                return None;
            }
            let path = match old.strip_prefix('/') {
                Some(_) => format!("/{new}"),
                None => relative(folder, &old, new),
            };
            let path = with_end(path, &old);
            let path = in_link(&path, raw[..end].contains('%'));
            let again = format!("{path}{}", &raw[end..]);
            let leads_to = paths::resolve(folder, &target::of_link(&again)?.path);
            (leads_to.as_deref() == Ok(new)).then_some((0..end, path))
        }
        Fact::SourceMissing { citation: Citation { symbol: Some(old), .. }, .. } => {
            let start = raw.find('#')? + 1;
            let is_plain = new.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
            (raw.get(start..)? == old && is_plain).then(|| (start..raw.len(), new.to_owned()))
        }
        _ => None,
    }
}

/// Returns the length of the part to replace at the beginning of a word, and its replacement. Line numbers after a path
/// stay.
pub(super) fn word(
    folder: &str,
    sort: NameSort,
    fact: &Fact,
    text: &str,
    new: &str,
) -> Option<(usize, String)> {
    match sort {
        NameSort::Link => None,
        NameSort::Import => {
            let Fact::SourceMissing { citation, .. } = fact else { return None };
            let is_it = paths::resolve(folder, text).as_ref() == Ok(&citation.path);
            is_it.then(|| (text.len(), relative(folder, text, new)))
        }
        NameSort::Word(WordKind::Path) => {
            let old = target::of_path(text)?;
            if let Fact::ReferenceDrift { word, .. } = fact
                && target::of_path(word)?.path != old.path
            {
                return None;
            }
            let path = with_end(path(folder, fact, &old.path, new)?, &old.path);
            let again = format!("{path}{}", &text[old.path.len()..]);
            let read = target::of_path(&again)?;
            (read.path == path && read.lines == old.lines).then_some((old.path.len(), path))
        }
        NameSort::Word(_) => match fact {
            Fact::ReferenceDrift { word, .. } if word == text => Some((text.len(), new.to_owned())),
            _ => None,
        },
    }
}

/// Returns the new path, relative to the same base as the old one.
fn path(folder: &str, fact: &Fact, old: &str, new: &str) -> Option<String> {
    let is_from = |base: &str| match (paths::resolve(base, old), fact) {
        (Ok(path), Fact::SourceMissing { citation, gone: Cited::Path, .. }) => {
            path == citation.path
        }
        // The old path may be incomplete, so compare its folder.
        (Ok(path), Fact::ReferenceDrift { .. }) => folder_of(&path) == folder_of(new),
        _ => false,
    };
    if old.starts_with('/') {
        return is_from("").then(|| format!("/{new}"));
    }
    if !folder.is_empty() && is_from(folder) {
        return Some(relative(folder, old, new));
    }
    if old.starts_with("../") {
        return None;
    }
    if old.starts_with("./") {
        return is_from("").then(|| format!("./{new}"));
    }
    let known = is_from("") || matches!(fact, Fact::ReferenceDrift { .. });
    known.then(|| new.to_owned())
}

/// Returns the path relative to a folder, with `./` if the old one had it.
fn relative(folder: &str, old: &str, new: &str) -> String {
    let parts = |path| str::split(path, '/').filter(|part| !part.is_empty());
    let shared = parts(folder).zip(parts(new)).take_while(|(a, b)| a == b).count();
    let up = parts(folder).count() - shared;
    let mut path = "../".repeat(up);
    if up == 0 && old.starts_with("./") {
        path.push_str("./");
    }
    path.push_str(&parts(new).skip(shared).collect::<Vec<_>>().join("/"));
    path
}

/// Adds the trailing `/` of the old path.
fn with_end(mut path: String, old: &str) -> String {
    if old.ends_with('/') && !path.ends_with('/') {
        path.push('/');
    }
    path
}

/// Escapes a path for a link destination. Special characters are percent-encoded. Non-ASCII characters are encoded if
/// the old path encoded them (`written`).
fn in_link(path: &str, written: bool) -> String {
    let mut uri = String::with_capacity(path.len());
    for c in path.chars() {
        let is_plain = c.is_ascii_alphanumeric() || "-._~/@+,:=!$*[]".contains(c);
        if is_plain || !c.is_ascii() && !written {
            uri.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                uri.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    uri
}
