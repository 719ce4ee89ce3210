//! Evidence about items of the store: what they cite, and what their texts name.

use std::ops::ControlFlow;

use staleness_core::ids::ItemKey;
use staleness_core::knowledge::{Citation, Evidence, Fact, Item, Lines, marker_evidence};

use super::check::{Past, ask_of_word, commit_text, fact_of_citation};
use super::draft;
use super::names::Names;
use super::{Cancelled, Note, Progress, file, target};
use crate::git::{Anchor, CitationQuery, Oid, Program, Trace, Word, WordQuery, cited_digest};
use crate::project::ProjectPlace;
use crate::text::Fence;

/// The largest file that a citation is made of, in bytes.
const MAX_CITED_BYTES: u64 = 8 * 1024 * 1024;

/// What was found about items of the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemReport {
    /// The evidence about each item that there is some about, in the order of the items.
    pub found: Vec<(ItemKey, Vec<Evidence>)>,
    /// What was noticed and left aside.
    pub notes: Vec<Note>,
}

/// Looks up what items of the store cite and name, as of the commit that was checked out when each
/// was verified or written. Items that live in files are left out: they are checked with their files.
/// Lines in evidence are those of the item's text.
///
/// # Errors
/// When `progress` breaks.
pub fn item_evidence(
    place: &ProjectPlace,
    git: Option<&Program>,
    items: &[Item],
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ItemReport, Cancelled> {
    let mut report = ItemReport::default();
    let items: Vec<&Item> = items.iter().filter(|item| item.path.is_none()).collect();
    let mut past = Past::open(place, git, &mut report.notes)?;
    let mut found: Vec<Vec<Evidence>> =
        items.iter().map(|item| marker_evidence(&item.body)).collect();
    // The words of all items at once, each with its item and the place in its text.
    let mut words: Vec<(usize, usize, Word)> = Vec::new();
    for (at, item) in items.iter().enumerate().filter(|(_, item)| !item.evergreen) {
        let mut names = Names::default();
        let Ok(draft) = draft::read(&item.body, &mut names) else { continue };
        let mut seen = std::collections::BTreeSet::new();
        for mention in draft.mentions.iter().filter(|mention| seen.insert(mention.name)) {
            let (sort, text) = names.get(mention.name);
            words.extend(ask_of_word(sort, text).map(|word| (at, mention.at, word)));
        }
    }
    let list: Vec<Word> = words.iter().map(|(.., word)| word.clone()).collect();
    let missing = past.missing(&list, &mut report.notes, progress)?;
    let gone: Vec<_> = words.iter().zip(missing).filter(|(_, it)| *it).map(|(it, _)| it).collect();
    let queries: Vec<_> =
        gone.iter().map(|(at, _, word)| WordQuery { word, anchor: anchor(items[*at]) }).collect();
    let traces = past.trace(&queries, &mut report.notes, progress)?;
    for ((at, offset, word), trace) in gone.into_iter().zip(traces) {
        if let Trace::Gone { by, renamed_to } = trace {
            let commit = by.as_ref().map(commit_text);
            let (word, sort) = (word.text.clone(), word.kind);
            let fact = Fact::ReferenceDrift { word, sort, renamed_to, commit };
            let (line, column) = super::place::Lines::new(&items[*at].body).place(*offset);
            found[*at].push(Evidence { fact, line: Some(line), column: Some(column) });
        }
    }
    let cites: Vec<(usize, &Citation)> = items
        .iter()
        .enumerate()
        .flat_map(|(at, item)| item.citations.iter().map(move |citation| (at, citation)))
        .collect();
    let queries: Vec<_> = cites
        .iter()
        .map(|(at, citation)| CitationQuery { citation, verified: anchor(items[*at]) })
        .collect();
    let answers = past.cited(&queries, &mut report.notes, progress)?;
    for ((at, citation), answer) in cites.into_iter().zip(answers) {
        let by_digest = || (!past.is_there()).then(|| without_history(place, citation)).flatten();
        if let Some(fact) = fact_of_citation(citation, answer, None).or_else(by_digest) {
            found[at].push(fact.into());
        }
    }
    let keyed = items.iter().map(|item| item.key.clone()).zip(found);
    report.found = keyed.filter(|(_, evidence)| !evidence.is_empty()).collect();
    Ok(report)
}

fn anchor(item: &Item) -> Anchor {
    let commit = item.verified_commit.as_ref().and_then(|id| Oid::from_hex(id.as_bytes()));
    commit.map_or_else(|| Anchor::At(item.anchored_at()), Anchor::Commit)
}

/// What the files on disk tell where there is no history: whether a whole file is there, and whether
/// the digest of a part of one still holds.
fn without_history(place: &ProjectPlace, citation: &Citation) -> Option<Fact> {
    let digest = citation.digest.as_ref();
    if digest.is_none() && !citation.is_bare() {
        return None;
    }
    let citation = citation.clone();
    let path = target::resolve("", &citation.path).ok()?;
    let path = place.folder.join(path);
    if path.symlink_metadata().is_err() {
        let gone = staleness_core::knowledge::Cited::Path;
        return Some(Fact::SourceMissing { citation, gone, renamed_to: None, commit: None });
    }
    if citation.is_bare() {
        return None;
    }
    let fence = Fence::of_project(place);
    let text = file::read(&path, MAX_CITED_BYTES, Some(&fence)).ok()?.text;
    let now = cited_digest(text.as_bytes(), &citation);
    (now.as_ref() != digest).then_some(Fact::SourceChanged {
        citation,
        commit: None,
        days_after: None,
    })
}

/// Reads a citation that a person writes: `path`, `path:42`, `path:40-60`, `path#symbol`. It gets
/// the digest of what it cites, when that is there.
///
/// # Errors
/// What is wrong with it, as the end of a sentence.
pub fn cite(place: &ProjectPlace, text: &str) -> Result<Citation, String> {
    let target =
        target::of_cite(text).ok_or("is no path, path:LINE, path:LINE-LINE or path#SYMBOL")?;
    let path = target::resolve("", &target.path).map_err(|_| "leaves the project")?;
    if path.is_empty() {
        return Err("names no file".to_owned());
    }
    let (lines, symbol) = (target.lines, target.symbol.map(str::to_owned));
    let mut citation = Citation { path, lines, symbol, digest: None };
    let whole = place.folder.join(&citation.path);
    let fence = Fence::of_project(place);
    match crate::text::look(&whole, Some(&fence)) {
        crate::text::Target::Missing => return Err("does not exist in the project".to_owned()),
        crate::text::Target::Failed(why) => return Err(why.to_owned()),
        crate::text::Target::There(meta) if meta.is_dir() => {
            return if citation.is_bare() { Ok(citation) } else { Err("is a folder".to_owned()) };
        }
        crate::text::Target::There(_) => {}
    }
    // A picture can be cited as a whole.
    let Ok(text) = file::read(&whole, MAX_CITED_BYTES, Some(&fence)) else {
        return if citation.is_bare() { Ok(citation) } else { Err("is no text".to_owned()) };
    };
    if let Some(Lines { last, .. }) = citation.lines {
        let count = text.text.lines().count();
        if u32::try_from(count).unwrap_or(u32::MAX) < last {
            return Err(format!("has {count} lines"));
        }
    }
    if let Some(symbol) = &citation.symbol
        && !text.text.contains(symbol.as_str())
    {
        return Err("does not hold that symbol".to_owned());
    }
    citation.digest = cited_digest(text.text.as_bytes(), &citation);
    Ok(citation)
}
