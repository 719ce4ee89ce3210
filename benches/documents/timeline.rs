//! Reads a history once from the first commit to the last: what existed, and what the owners fixed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use staleness_benches::history::git;
use staleness_docs::is_markdown;

use crate::Fault;
use crate::names::{Name, names, of_line, of_path};

/// A commit (`at`) in which the owner removed a name from a document that still exists, after the named thing
/// was gone. The document contained the name since the commit `from`.
#[derive(Debug)]
pub(crate) struct Mend {
    pub(crate) document: String,
    pub(crate) name: Name,
    pub(crate) from: usize,
    pub(crate) at: usize,
}

/// The main line of a history: the first parents of `HEAD`.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// Commits, oldest first, with id and seconds since 1970.
    pub(crate) commits: Vec<(String, i64)>,
    pub(crate) mends: Vec<Mend>,
    /// Lines of each document: the commit, 1 if it added the line or -1 if it removed it, and the text.
    documents: HashMap<String, Vec<(usize, i32, String)>>,
    removed: HashSet<(String, usize)>,
    /// For each thing, the number of files, lines or words that make it exist, and the commit since when none
    /// does.
    things: HashMap<u64, (i32, Option<usize>)>,
    /// The names in each document: their number, and the commit since when they are there.
    named: HashMap<String, HashMap<Name, (i32, usize)>>,
    /// The file of the current diff.
    path: String,
    /// Number of lines left in the current hunk.
    left: usize,
    /// Changes of the current commit to things.
    changes: Vec<(u64, i32)>,
    /// Changes of the current commit to lines of documents.
    edits: BTreeMap<String, Vec<(usize, i32, String)>>,
}

impl Timeline {
    pub(crate) fn read(repo: &Path) -> Result<Self, Fault> {
        let args = "log --first-parent --diff-merges=first-parent --reverse --no-renames --no-color --no-ext-diff \
            --no-textconv --unified=0 --patch --src-prefix=a/ --dst-prefix=b/ --format=%x00%H/%ct HEAD --";
        let mut log = git(repo);
        let mut child = log.args(args.split_whitespace()).stdout(Stdio::piped()).spawn()?;
        let (mut this, mut line) = (Self::default(), Vec::new());
        let mut lines = BufReader::new(child.stdout.take().ok_or("no pipe")?);
        while lines.read_until(b'\n', &mut line)? > 0 {
            this.line(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
        this.close();
        let is_read = child.wait()?.success() && !this.commits.is_empty();
        if is_read { Ok(this) } else { Err("its history cannot be read".into()) }
    }

    /// Returns the indexes of the chosen commits: those with the given id prefixes, or with `every N`, the
    /// last one and every N-th before it.
    pub(crate) fn chosen(&self, choice: &str) -> Result<Vec<usize>, Fault> {
        let step = choice.strip_prefix("every ").and_then(|step| step.parse::<usize>().ok());
        let is_chosen = |at: &usize| match step {
            Some(step) => step > 0 && (self.commits.len() - 1 - at).is_multiple_of(step),
            None => choice.split(' ').any(|id| id.len() > 6 && self.commits[*at].0.starts_with(id)),
        };
        let found: Vec<usize> = (0..self.commits.len()).filter(is_chosen).collect();
        let none = || format!("`{choice}`: no such commit of the main line").into();
        if found.is_empty() { Err(none()) } else { Ok(found) }
    }

    /// Returns true if a commit after `since` removed the last line with `text` from a document that still
    /// exists.
    pub(crate) fn is_mended(&self, document: &str, text: &str, since: usize) -> bool {
        let (mut count, mut named) = (0, false);
        let mut edits = self.documents.get(document).into_iter().flatten().peekable();
        while let Some((at, sign, line)) = edits.next() {
            count += sign * i32::from(line.contains(text));
            named |= count > 0;
            let is_last = edits.peek().is_none_or(|next| next.0 != *at);
            if named && count <= 0 && *at > since && is_last {
                return !self.removed.contains(&(document.to_owned(), *at));
            }
        }
        false
    }

    fn line(&mut self, line: &str) {
        let at = self.commits.len().saturating_sub(1);
        let (path, changes) = (&self.path, &mut self.changes);
        if self.left > 0 && line.starts_with(['+', '-']) {
            self.left -= 1;
            let (sign, text) = (if line.starts_with('+') { 1 } else { -1 }, &line[1..]);
            of_line(path, text, &mut |thing| changes.push((thing, sign)));
            if is_markdown(path) {
                self.edits.entry(path.clone()).or_default().push((at, sign, text.to_owned()));
            }
        } else if let Some((id, time)) =
            line.strip_prefix('\0').and_then(|line| line.split_once('/'))
        {
            self.close();
            self.commits.push((id.to_owned(), time.parse().unwrap_or(0)));
        } else if let Some(paths) = line.strip_prefix("diff --git ") {
            // Both paths are the same. Quoted paths with unusual characters are skipped.
            let path = paths.strip_prefix("a/").and_then(|path| path.get(..paths.len() / 2 - 2));
            self.path = path.unwrap_or_default().to_owned();
        } else if let Some(part) = line.strip_prefix("@@ -") {
            let size =
                |side: &str| side.trim().split_once(',').map_or(Ok(1), |(_, size)| size.parse());
            self.left = part.split(['+', '@']).take(2).filter_map(|side| size(side).ok()).sum();
        } else if line.starts_with("new file") || line.starts_with("deleted file") {
            let sign = if line.starts_with('n') { 1 } else { -1 };
            of_path(path, &mut |thing| changes.push((thing, sign)));
            if sign < 0 {
                self.removed.insert((path.clone(), at));
            }
        }
    }

    /// Ends a commit: finds its mends, then applies what it added and removed.
    fn close(&mut self) {
        let at = self.commits.len().saturating_sub(1);
        // A missing heading only counts if its document exists.
        let stands = |file: u64| self.things.get(&file).is_some_and(|it| it.1.is_none());
        let gone = |name: &Name| {
            name.file.is_none_or(stands).then(|| self.things.get(&name.thing)?.1).flatten()
        };
        for (document, edits) in std::mem::take(&mut self.edits) {
            let mut net: BTreeMap<Name, i32> = BTreeMap::new();
            for (_, sign, line) in &edits {
                for name in names(&document, line) {
                    *net.entry(name).or_default() += sign;
                }
            }
            let stays = !self.removed.contains(&(document.clone(), at));
            let known = self.named.entry(document.clone()).or_default();
            for (name, change) in net {
                let (count, since) = known.remove(&name).unwrap_or((0, at));
                if count + change > 0 {
                    known.insert(name, (count + change, since));
                } else if let (true, Some(gone)) = (count > 0 && stays, gone(&name)) {
                    let (document, from) = (document.clone(), since.max(gone));
                    self.mends.push(Mend { document, name, from, at });
                }
            }
            self.documents.entry(document).or_default().extend(edits);
        }
        for (key, change) in &self.changes {
            self.things.entry(*key).or_default().0 += change;
        }
        for (key, _) in self.changes.drain(..) {
            let (count, gone) = self.things.entry(key).or_default();
            *gone = if *count > 0 { None } else { gone.or(Some(at)) };
        }
    }
}
