//! Evidence about stored items: their citations, and the names in their texts.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use staleness_core::ids::{ItemKey, Scope};
use staleness_core::knowledge::{Citation, Cited, Evidence, Fact, Item, Lines};

use crate::check::{Past, fact_of_citation, fact_of_word, word_of};
use crate::disk::exists;
use crate::draft::names::Names;
use crate::draft::target;
use crate::draft::{self, MAX_PLACES};
use crate::files::file;
use crate::git::{
    Anchor, CitationQuery, Cite, LazyRepo, Oid, Trace, Tracked, Word, WordQuery, cited_digest,
    seen_in,
};
use crate::paths;
use crate::project::ProjectPlace;
use crate::{Cancelled, Note, Progress};

/// The largest file to cite, in bytes.
const MAX_CITED_BYTES: u64 = 8 * 1024 * 1024;

/// Evidence about stored items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemReport {
    /// The items with evidence, in the given order.
    pub found: Vec<(ItemKey, Vec<Evidence>)>,
    /// Notes on ignored content.
    pub notes: Vec<Note>,
}

/// Looks up the citations and names of items, compared with the commit that was checked out when each item was verified
/// or written. For an item in a file, looks up only citations, because the text is checked with the file. Finished
/// to-dos are skipped. Lines in evidence are lines of the item's text.
///
/// A citation of a stored item existed when it was made ([`cite`] ensures this). If git has no answer, files on disk
/// and digests are compared. Git is not started if there is nothing to look up.
///
/// # Errors
/// If `progress` breaks.
pub fn item_evidence(
    place: &ProjectPlace,
    repo: &mut LazyRepo,
    items: &[Item],
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ItemReport, Cancelled> {
    let mut report = ItemReport::default();
    let items: Vec<&Item> = items.iter().filter(|item| !item.is_done()).collect();
    let mut found: Vec<Vec<Evidence>> = items.iter().map(|item| own_markers(item)).collect();
    let mut words = words_of(&items);
    let cites: Vec<(usize, &Citation)> = items
        .iter()
        .enumerate()
        .flat_map(|(at, item)| item.citations.iter().map(move |citation| (at, citation)))
        .collect();
    if !words.is_empty() || !cites.is_empty() {
        let mut past = Past::of(&place.folder, repo, progress)?;
        // An item that was verified at the checked-out commit cannot have lost anything since.
        words.retain(|(at, ..)| !past.is_head(anchor(items[*at])));
        let list: Vec<Word> = words.iter().map(|(.., word)| word.clone()).collect();
        let missing = past.missing(&list)?;
        let gone: Vec<_> =
            words.iter().zip(missing).filter(|(_, it)| *it).map(|(it, _)| it).collect();
        let queries: Vec<_> = gone
            .iter()
            .map(|(at, _, word)| WordQuery { word, anchor: anchor(items[*at]) })
            .collect();
        let traces = past.trace(&queries)?;
        for ((at, offset, word), trace) in gone.into_iter().zip(traces) {
            if let Trace::Gone { by, renamed_to } = trace {
                let fact = fact_of_word(word, by, renamed_to);
                let (line, column) =
                    crate::draft::place::Lines::new(&items[*at].body).place(*offset);
                found[*at].push(Evidence {
                    fact,
                    line: Some(line),
                    column: Some(column),
                    near: None,
                });
            }
        }
        let queries: Vec<_> = cites
            .iter()
            .map(|(at, citation)| CitationQuery { citation, verified: anchor(items[*at]) })
            .collect();
        let answers = past.cited(&queries)?;
        for ((at, citation), answer) in cites.into_iter().zip(answers) {
            let open = matches!(answer, Cite::NeverThere(_) | Cite::Unknown);
            // The digest belongs to the old contents, but the evidence concerns the place.
            let named = Citation { digest: None, ..citation.clone() };
            let by_disk = || on_disk(place, past.tracked(), items[at], citation);
            let by_disk = || open.then(by_disk).flatten();
            let since = Some(items[at].anchored_at());
            found[at].extend(
                fact_of_citation(&named, answer, since).or_else(by_disk).map(Evidence::from),
            );
        }
        report.notes = past.notes;
    }
    found.iter_mut().for_each(say_once);
    let keyed = items.iter().map(|item| item.key.clone()).zip(found);
    report.found = keyed.filter(|(_, evidence)| !evidence.is_empty()).collect();
    Ok(report)
}

/// Removes words for a cited file that is already reported as missing.
fn say_once(evidence: &mut Vec<Evidence>) {
    let plain = |path: &str| path.strip_prefix("./").unwrap_or(path).to_owned();
    let missing = |each: &Evidence| match &each.fact {
        Fact::SourceMissing { citation, gone: Cited::Path, .. } => Some(plain(&citation.path)),
        _ => None,
    };
    let missing: BTreeSet<String> = evidence.iter().filter_map(missing).collect();
    evidence.retain(|each| match &each.fact {
        Fact::ReferenceDrift { word, .. } => !missing.contains(&plain(word)),
        _ => true,
    });
}

/// Returns the temporal words in the item's text.
fn own_markers(item: &Item) -> Vec<Evidence> {
    if item.path.is_none() { Evidence::of_markers(&item.body) } else { Vec::new() }
}

/// Returns the words of all items, each with the index of its item and its offset.
fn words_of(items: &[&Item]) -> Vec<(usize, usize, Word)> {
    let (mut words, mut room) = (Vec::new(), MAX_PLACES);
    let of_store = |item: &Item| item.path.is_none() && !item.evergreen;
    for (at, item) in items.iter().enumerate().filter(|(_, item)| of_store(item)) {
        let mut names = Names::default();
        let Ok(draft) = draft::read("", &item.body, &mut names, &mut room) else { continue };
        let mut seen = BTreeSet::new();
        for mention in draft.mentions.iter().filter(|mention| seen.insert(mention.name)) {
            let (sort, text) = names.get(mention.name);
            words.extend(word_of(sort, text).map(|word| (at, mention.at, word)));
        }
    }
    words
}

fn anchor(item: &Item) -> Anchor {
    let commit = item.verified_commit.as_ref().and_then(|id| Oid::from_hex(id.as_bytes()));
    commit.map_or_else(|| Anchor::At(item.anchored_at()), Anchor::Commit)
}

/// Compares a citation with the files on disk, if git has no answer.
fn on_disk(
    place: &ProjectPlace,
    tracked: Option<&Tracked>,
    item: &Item,
    citation: &Citation,
) -> Option<Fact> {
    // A global item may concern another project.
    if item.key.scope == Scope::Global {
        return None;
    }
    let digest = citation.digest.as_ref();
    let was_there = digest.is_some() || item.path.is_none();
    let named = Citation { digest: None, ..citation.clone() };
    let missing = |gone| {
        let citation = named.clone();
        was_there.then_some(Fact::SourceMissing { citation, gone, renamed_to: None, commit: None })
    };
    let path = paths::resolve("", &citation.path).ok()?;
    let whole = place.folder.join(&path);
    if !exists(&place.folder, &path) {
        // An untracked file may be about to be committed, so its absence from the commit is not evidence yet.
        let is_tracked = tracked.is_some_and(|tracked| tracked.holds(&path));
        return if is_tracked { None } else { missing(Cited::Path) };
    }
    if citation.is_bare() {
        return None;
    }
    let fence = place.fence();
    let text = file::read(&whole, MAX_CITED_BYTES, Some(&fence)).ok()?.text;
    if let Some(symbol) = &citation.symbol
        && !text.contains(symbol.as_str())
    {
        return missing(Cited::Symbol);
    }
    match cited_digest(text.as_bytes(), citation) {
        None if citation.lines.is_some() => missing(Cited::Lines),
        None => None,
        now => digest.filter(|before| Some(*before) != now.as_ref()).map(|_| Fact::SourceChanged {
            citation: named.clone(),
            commit: None,
            days_after: None,
        }),
    }
}

/// Returns each citation of an item twice: as stored, and as it is now, with the current digest or without one. Lines
/// are traced from their position when the item was verified or written. Git is started only if the digest is not
/// conclusive.
pub fn seen(place: &ProjectPlace, repo: &mut LazyRepo, item: &Item) -> Vec<(Citation, Citation)> {
    repo.renew();
    let fence = place.fence();
    let mut now = |citation: &Citation| {
        let mut now = Citation { digest: None, ..citation.clone() };
        let path = paths::resolve("", &citation.path).ok();
        let read =
            |path: String| file::read(&place.folder.join(path), MAX_CITED_BYTES, Some(&fence)).ok();
        let Some(read) = path.and_then(read) else { return now };
        let text = read.text.as_bytes();
        if citation.lines.is_some() && citation.symbol.is_none() {
            now.lines = seen_in(citation, text).or_else(|| {
                let query = CitationQuery { citation, verified: anchor(item) };
                repo.get().ok()?.follow(&query, text).ok().flatten()
            });
            now.lines = now.lines.or(citation.lines);
        }
        now.digest = cited_digest(text, &now);
        now
    };
    item.citations.iter().map(|citation| (citation.clone(), now(citation))).collect()
}

/// Parses a citation: `path`, `path:42`, `path:40-60`, `path#symbol`. Adds the digest of the cited part, if
/// it exists.
///
/// # Errors
/// If the citation is invalid. The reason completes a sentence.
pub fn cite(place: &ProjectPlace, text: &str) -> Result<Citation, String> {
    let target =
        target::of_cite(text).ok_or("is not a path, path:LINE, path:LINE-LINE or path#SYMBOL")?;
    if target.lines.is_none() && names_lines(&target.path) {
        return Err("has an invalid line range; lines count from 1".into());
    }
    let path = paths::resolve("", &target.path).map_err(|_| "points outside the project")?;
    if path.is_empty() {
        return Err("names no file".to_owned());
    }
    let (lines, symbol) = (target.lines, target.symbol.map(str::to_owned));
    let mut citation = Citation { path, lines, symbol, digest: None };
    let whole = place.folder.join(&citation.path);
    let fence = place.fence();
    let meta = crate::disk::look(&whole, Some(&fence))?.ok_or("does not exist in the project")?;
    if meta.is_dir() {
        return if citation.is_bare() { Ok(citation) } else { Err("is a folder".to_owned()) };
    }
    // A binary file can only be cited as a whole.
    let Ok(text) = file::read(&whole, MAX_CITED_BYTES, Some(&fence)) else {
        return if citation.is_bare() { Ok(citation) } else { Err("is not text".to_owned()) };
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
        return Err("does not contain that symbol".to_owned());
    }
    citation.digest = cited_digest(text.text.as_bytes(), &citation);
    Ok(citation)
}

/// Returns true if a path ends with lines such as `:12-20`.
fn names_lines(path: &str) -> bool {
    let numeric = |tail: &str| {
        tail.contains(|c: char| c.is_ascii_digit())
            && tail.chars().all(|c| c.is_ascii_digit() || c == '-')
    };
    path.rsplit_once(':').is_some_and(|(_, tail)| numeric(tail))
}
