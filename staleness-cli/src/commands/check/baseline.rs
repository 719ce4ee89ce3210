//! Baselines list known findings, so that a check reports only new ones.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use staleness::knowledge::{Context, Evidence, Fact};
use staleness_core::ids::stable_hash;

use crate::error::{CliError, ErrorKind, brief, in_words, text_within};
use crate::output::found::Compared;
use staleness_service::findings::{Finding, Findings};
use staleness_service::save::leads_out_of;

/// Version of the file format.
const FORMAT: u32 = 2;
/// Maximum size of a baseline, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Known findings. They do not include line numbers, so a finding that moves stays known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Baseline {
    findings: BTreeSet<BaselineEntry>,
}

/// One known finding: one fact against one text of one document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct BaselineEntry {
    path: String,
    kind: String,
    /// Digest of the text, in hexadecimal.
    block: String,
    /// Digest of the subject of the fact, such as the missing path. If the baseline is part of the project, a name in
    /// plain text would count as present.
    subject: String,
}

#[derive(Serialize, Deserialize)]
struct File {
    format: u32,
    findings: Vec<BaselineEntry>,
}

impl Baseline {
    pub(crate) fn of(findings: &Findings) -> Self {
        Self::listing(findings, |each| Box::new(each.told_evidence()))
    }

    /// Creates a baseline of all findings except weak ones.
    pub(crate) fn of_strong(findings: &Findings, context: &Context) -> Self {
        Self::listing(findings, |each| Box::new(each.strong_evidence(context)))
    }

    fn listing<'f>(
        findings: &'f Findings,
        evidence: impl Fn(&'f Finding) -> Box<dyn Iterator<Item = &'f Evidence> + 'f>,
    ) -> Self {
        let known = findings.groups.iter().flat_map(|group| &group.found).flat_map(|each| {
            let path = each.told.path.as_deref().unwrap_or_default();
            evidence(each).map(move |one| entry(path, &one.fact, each.digest))
        });
        Self { findings: known.collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.findings.len()
    }

    /// Returns true if the baseline lists a fact about the text with this digest.
    pub(crate) fn lists(&self, path: &str, fact: &Fact, digest: u64) -> bool {
        self.findings.contains(&entry(path, fact, digest))
    }

    /// Counts the findings of `now` that are new and known, and the entries that are gone. `all` also contains weak
    /// findings. Only entries of checked documents can be gone.
    pub(crate) fn compare(
        &self,
        now: &Self,
        all: &Self,
        checked: impl Fn(&str) -> bool,
    ) -> Compared {
        let known = self.findings.intersection(&now.findings).count();
        let gone = self.findings.difference(&all.findings).filter(|each| checked(&each.path));
        Compared { new: now.findings.len() - known, known, gone: gone.count() }
    }

    /// Reads a baseline. A link in the project must not lead out of it.
    pub(crate) fn read(project: &Path, path: &Path) -> Result<Self, CliError> {
        let trouble = |what: String| {
            CliError::invalid(format!("--baseline {}: {what}", brief(path)))
                .hint("make one with --write-baseline")
        };
        if leads_out_of(project, path) {
            return Err(trouble("is a link that points outside the project".into()));
        }
        let text = text_within(path, MAX_BYTES).map_err(trouble)?;
        // The error is not shown, because it would quote the file.
        let file: File = serde_json::from_str(&text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            trouble(format!("it is not a baseline (line {line}, column {column})"))
        })?;
        if file.format != FORMAT {
            let message = format!("its format is {}; this release reads {FORMAT}", file.format);
            return Err(trouble(message));
        }
        Ok(Self { findings: file.findings.into_iter().collect() })
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), CliError> {
        let file = File { format: FORMAT, findings: self.findings.iter().cloned().collect() };
        let mut text = serde_json::to_string_pretty(&file)
            .map_err(|error| CliError::new(ErrorKind::Io, format!("cannot write JSON: {error}")))?;
        text.push('\n');
        staleness_service::save::whole(path, text.as_bytes()).map_err(|error| {
            let what = in_words(&error);
            CliError::new(ErrorKind::Io, format!("--write-baseline {}: {what}", brief(path)))
        })
    }
}

/// Returns a stable hash of a finding's path, kind, block and subject, in 32 hex digits.
pub(crate) fn fingerprint(path: &str, kind: &str, digest: u64, about: &str) -> String {
    let text = format!("{path}\n{kind}\n{digest:016x}\n{about}");
    format!("{:032x}", stable_hash(text.as_bytes()))
}

fn entry(path: &str, fact: &Fact, digest: u64) -> BaselineEntry {
    BaselineEntry {
        path: path.into(),
        kind: fact.kind().as_str().into(),
        block: format!("{digest:016x}"),
        subject: format!("{:016x}", stable_hash(subject(fact).as_bytes()) as u64),
    }
}

/// Returns the subject of a fact, which later commits and releases do not change. Empty if the fact has none.
pub(crate) fn subject(fact: &Fact) -> String {
    match fact {
        Fact::SourceMissing { citation, .. }
        | Fact::SourceChanged { citation, .. }
        | Fact::BrokenLink { citation, .. } => {
            let lines = citation.lines.map(|lines| format!(":{}-{}", lines.first, lines.last));
            let symbol = citation.symbol.as_ref().map(|symbol| format!("#{symbol}"));
            format!("{}{}{}", citation.path, lines.unwrap_or_default(), symbol.unwrap_or_default())
        }
        Fact::ReferenceDrift { word, .. } | Fact::TemporalMarker { word } => word.clone(),
        Fact::Contradicted { by, .. } => by.clone(),
        Fact::VersionDrift { written_for, .. } => written_for.clone(),
        Fact::RelatedFresher { id } | Fact::RelatedStale { id } => id.clone(),
        Fact::Expired { at } | Fact::FutureDate { at } => at.to_string(),
        _ => String::new(),
    }
}
