//! Judges findings of tools at chosen commits by what the owners fixed later.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};
use staleness_benches::history::git;
use staleness_core::time::Timestamp;
use staleness_docs::git::{LazyRepo, Limits, Program};
use staleness_docs::project::ProjectPlace;
use staleness_docs::{CheckOptions, Report, check};

use crate::Fault;
use crate::timeline::Timeline;

/// A name that a tool reports as gone, in a document at a commit.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Finding {
    commit: String,
    document: String,
    line: usize,
    name: String,
    kind: String,
}

type Told = (String, Vec<Finding>);
/// A history, and our check's reports at the chosen commits.
type Seen<'a> = (&'a Timeline, &'a BTreeMap<usize, Report>);

/// Parses the report of another tool.
pub(crate) fn read_report(text: &str) -> Result<Vec<Finding>, Fault> {
    let finding = |line: &str| {
        let mut fields = line.split('\t').map(str::to_owned);
        let (commit, document) = (fields.next()?, fields.next()?);
        let (line, name) = (fields.next()?.parse().ok()?, fields.next()?);
        let name = Some(name).filter(|name| !name.is_empty())?;
        Some(Finding {
            commit,
            document,
            line,
            name,
            kind: fields.next().unwrap_or_else(|| "any".into()),
        })
    };
    let read =
        |line| finding(line).ok_or(format!("`{line}` is not commit, path, line, name").into());
    text.lines().map(read).collect()
}

/// Checks the documents of a checked-out commit, as of the commit's date.
fn check_at(folder: &Path, (commit, at): &(String, i64)) -> Result<(Report, Vec<Finding>), Fault> {
    let mut repo = LazyRepo::new(Program::of_environment(), folder, Limits::default());
    let options = CheckOptions::new(Timestamp::from_millis(at * 1_000));
    let place = ProjectPlace::of_folder(folder);
    let report = check(&place, &mut repo, &options, &mut |_| ControlFlow::Continue(()))?;
    let mut findings = Vec::new();
    for document in &report.documents {
        let path = &document.key.path;
        let text = std::fs::read_to_string(folder.join(path)).unwrap_or_default();
        for evidence in document.found.iter().flat_map(|block| &block.evidence) {
            let line = evidence.line.unwrap_or(0) as usize;
            let written = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
            if let Some((name, kind)) = lost(&serde_json::to_value(evidence)?, written) {
                let (commit, document) = (commit.clone(), path.clone());
                findings.push(Finding { commit, document, line, name, kind });
            }
        }
    }
    Ok((report, findings))
}

/// Returns the name that a fact reports as gone, as written in the line, and its kind. `None` for other
/// facts.
fn lost(fact: &Value, line: &str) -> Option<(String, String)> {
    let kind = fact["gone"].as_str().or(fact["sort"].as_str())?;
    let kind = if fact["fact"] == "broken_link" { "broken link" } else { kind };
    let (cited, word) = (&fact["citation"], fact["word"].as_str());
    let anchor = cited["symbol"].as_str().filter(|_| fact["gone"] == "heading");
    let whole = anchor.or(word).or(cited["path"].as_str())?;
    let mut ends = whole.match_indices('/').map(|(at, _)| &whole[at + 1..]);
    let part = if line.contains(whole) { None } else { ends.find(|end| line.contains(end)) };
    Some((part.unwrap_or(whole).to_owned(), kind.to_owned()))
}

/// A row of the table: one tool and one kind of name.
#[derive(Debug, Default)]
pub(crate) struct Row {
    /// Number of findings at all chosen commits.
    findings: usize,
    /// Number of different pairs of a document and a name among them.
    causes: usize,
    /// Number of these pairs that the owner mended later.
    mended: usize,
    /// Number of the owners' mends that could be reported at the last chosen commit before them.
    pub(crate) mends: usize,
    /// For reported mends, the days from the loss to the mend.
    pub(crate) days: Vec<i64>,
}

/// The results of all tools in all repositories.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) rows: BTreeMap<(String, String), Row>,
    blocks: usize,
    pub(crate) lines: Vec<Value>,
}

impl Figures {
    /// Judges the tools at commits of all repositories in a list.
    pub(crate) fn of(list: &str, reports: &[Told]) -> Result<Self, Fault> {
        let mut figures = Self::default();
        for line in list.lines() {
            let (folder, choice) = line.split_once('\t').ok_or(format!("`{line}` has no tab"))?;
            figures.add(folder, choice, reports).map_err(|why| format!("{folder}: {why}"))?;
        }
        Ok(figures)
    }

    /// Judges our check and other tools' reports at commits of one repository.
    fn add(&mut self, folder: &str, choice: &str, reports: &[Told]) -> Result<(), Fault> {
        let temp = tempfile::tempdir()?;
        let (clone, whole) = (temp.path().join("clone"), std::path::absolute(folder)?);
        // The clone has neither the settings nor the hooks of the original.
        let to = whole.to_str().ok_or("a path that is not UTF-8")?;
        run(temp.path(), &["clone", "--quiet", "--shared", "--no-checkout", "--", to, "clone"])?;
        let timeline = Timeline::read(&clone)?;
        let (mut checked, mut ours) = (BTreeMap::new(), Vec::new());
        for at in timeline.chosen(choice)? {
            let commit = &timeline.commits[at];
            run(&clone, &["checkout", "--quiet", "--force", "--detach", &commit.0])?;
            let (report, findings) = check_at(&clone, commit)?;
            self.blocks += report.counts.blocks;
            checked.insert(at, report);
            ours.extend(findings);
        }
        for told in reports.iter().chain([&("staleness".to_owned(), ours)]) {
            self.add_tool(folder, (&timeline, &checked), told);
        }
        Ok(())
    }

    fn add_tool(&mut self, folder: &str, (timeline, checked): Seen<'_>, (tool, findings): &Told) {
        let mut count = |kind: &str, add: &dyn Fn(&mut Row)| {
            for kind in [kind, "all"] {
                add(self.rows.entry((tool.clone(), kind.to_owned())).or_default());
            }
        };
        let place = |of: &Finding| checked.keys().find(|at| timeline.commits[**at].0 == of.commit);
        let findings: Vec<_> =
            findings.iter().filter_map(|each| Some((*place(each)?, each))).collect();
        let mut causes = BTreeSet::new();
        for (at, each) in &findings {
            count(&each.kind, &|row| row.findings += 1);
            if causes.insert((&each.document, &each.name)) {
                let mended = timeline.is_mended(&each.document, &each.name, *at);
                count(&each.kind, &|row| row.causes += 1);
                count(&each.kind, &|row| row.mended += usize::from(mended));
                self.lines
                    .push(json!({ "tool": tool, "in": folder, "told": each, "mended": mended }));
            }
        }
        for mend in &timeline.mends {
            let (document, name, kind) = (&mend.document, mend.name.text.as_str(), mend.name.kind);
            let Some((last, report)) = checked.range(mend.from..mend.at).next_back() else {
                continue;
            };
            let is_checked = report.documents.iter().any(|it| it.key.path == *document);
            if !is_checked || report.history.contains(document) {
                continue;
            }
            let told = findings.iter().any(|(at, each)| {
                let alike = each.name.contains(name) || name.contains(&*each.name);
                at == last && each.document == *document && alike
            });
            let [from, last, at] = [mend.from, *last, mend.at].map(|at| &timeline.commits[at]);
            let days = (at.1 - from.1) / 86_400;
            count(kind, &|row| row.mends += 1);
            count(kind, &|row| row.days.extend(told.then_some(days)));
            self.lines.push(json!({
                "tool": tool, "in": folder, "document": document, "name": name, "kind": kind, "told": told,
                "gone": from.0, "checked": last.0, "mended": at.0, "days": days,
            }));
        }
    }

    /// Returns the table as Markdown.
    pub(crate) fn table(&self) -> String {
        let share =
            |part: usize, of: usize| format!("{:.0} %", 100.0 * part as f64 / of.max(1) as f64);
        let mut text = "| tool | kind | causes | findings per 1,000 blocks | mended later | owners' mends | told \
            | days before |\n|---|---|---|---|---|---|---|---|\n"
            .to_owned();
        for ((tool, kind), row) in &self.rows {
            let (mut days, causes) = (row.days.clone(), row.causes);
            days.sort_unstable();
            let middle = days.get(days.len() / 2).map_or("–".to_owned(), i64::to_string);
            let rate = 1_000.0 * row.findings as f64 / self.blocks.max(1) as f64;
            let (mended, told) = (share(row.mended, causes), share(days.len(), row.mends));
            let mends = row.mends;
            text += &format!(
                "| {tool} | {kind} | {causes} | {rate:.2} | {mended} | {mends} | {told} | {middle} |\n"
            );
        }
        text
    }
}

fn run(folder: &Path, args: &[&str]) -> Result<(), Fault> {
    let done = git(folder).args(args).output()?;
    let why = || format!("git {}: {}", args[0], String::from_utf8_lossy(&done.stderr).trim());
    if done.status.success() { Ok(()) } else { Err(why().into()) }
}
