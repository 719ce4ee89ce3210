//! A history, read once from its first commit to its last: what there was, and what its owners mended.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use staleness_benches::history::git;
use staleness_docs::is_markdown;

use crate::Fault;
use crate::names::{Name, names, of_line, of_path};

/// A commit (`at`) in which the owner took a name out of a document that stayed, when what it named was gone. The
/// document named it since the commit `from`.
#[derive(Debug)]
pub(crate) struct Mend {
    pub(crate) document: String,
    pub(crate) name: Name,
    pub(crate) from: usize,
    pub(crate) at: usize,
}

/// The main line of a history: first parents, from the commit that `HEAD` names.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// The commits by age: their ids, and their seconds since 1970.
    pub(crate) commits: Vec<(String, i64)>,
    pub(crate) mends: Vec<Mend>,
    /// Lines of documents: the commit that added one (1) or removed it (-1).
    documents: HashMap<String, Vec<(usize, i32, String)>>,
    removed: HashSet<(String, usize)>,
    /// The number of files, lines or words that make a thing exist, and the commit since which none does.
    things: HashMap<u64, (i32, Option<usize>)>,
    /// The names in each document: how often, and since which commit.
    named: HashMap<String, HashMap<Name, (i32, usize)>>,
    /// The file that a diff is about, and the lines that are left of its part.
    path: String,
    left: usize,
    /// Changes of the commit that is being read: to things, and to lines of documents.
    changes: Vec<(u64, i32)>,
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

    /// Returns the places of commits: those of ids that begin so, with blanks between, or as `every N` the last one and
    /// each N before.
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

    /// Returns true if a commit after `since` took the last line with `text` out of a document that stayed.
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
            // Both paths are the same. One in quotation marks has rare signs, and is left out.
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

    /// Ends a commit: tells the mends in it, then what it made and removed.
    fn close(&mut self) {
        let at = self.commits.len().saturating_sub(1);
        // A heading is gone only where its document is there.
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
