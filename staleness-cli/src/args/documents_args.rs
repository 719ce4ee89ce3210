//! The arguments of `check` and `review`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{LevelArg, whole};

#[derive(Debug, Default, Args)]
pub(crate) struct CheckArgs {
    /// Files and folders, or - for a text on stdin [default: the tracked documents, and the memory and
    /// instruction files of the agent clients].
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// The text of the single document in `paths`, if it may differ from the file.
    #[arg(skip)]
    pub unsaved: Option<String>,
    /// Exit with 1 if something is at this level or worse.
    #[arg(long, value_name = "LEVEL")]
    pub fail_on: Option<LevelArg>,
    /// The output format [default: table, and json with --json].
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<ReportFormat>,
    /// Report only findings that are new since this revision, such as main or HEAD~3.
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,
    /// List the documents that a diff touches or breaks. The diff is from this revision to the files on
    /// disk [default: HEAD; if nothing changed, the last commit].
    #[arg(long, value_name = "REV", num_args = 0..=1,
          conflicts_with_all = ["since", "fix", "write_baseline"])]
    pub impact: Option<Option<String>>,
    /// Report only findings that are not in this file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath,
          conflicts_with = "write_baseline")]
    pub baseline: Option<PathBuf>,
    /// Write all current findings to this file, for --baseline.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath,
          conflicts_with_all = ["since", "fail_on", "paths"])]
    pub write_baseline: Option<PathBuf>,
    /// Compare what the project gives to agents with agents.lock. Exit with 1 if they differ.
    #[arg(long, conflicts_with_all = ["paths", "fail_on", "since", "baseline", "write_baseline", "fix"])]
    pub locked: bool,
    /// Replace old names in the documents with the new ones if git history is unambiguous.
    #[arg(long, conflicts_with_all = ["format", "write_baseline"])]
    pub fix: bool,
    /// With --fix: show the changes without writing them.
    #[arg(long, requires = "fix")]
    pub dry_run: bool,
    /// With --fix: write without asking.
    #[arg(long, requires = "fix", conflicts_with = "dry_run")]
    pub yes: bool,
    #[command(flatten)]
    pub version: VersionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// The maximum number of results.
    #[arg(long, value_name = "N", default_value = "20", allow_negative_numbers = true,
          value_parser = whole::<usize>)]
    pub limit: usize,
    #[command(flatten)]
    pub version: VersionArgs,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct VersionArgs {
    /// The project's version [default: from Cargo.toml, package.json, pyproject.toml, VERSION or
    /// the latest tag].
    #[arg(long = "current-version", id = "current_version", value_name = "V")]
    pub current: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Text for people.
    Table,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0, for code scanning and editors.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
}
