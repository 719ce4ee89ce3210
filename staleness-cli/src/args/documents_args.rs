//! The arguments of `check` and `review`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{LevelArg, whole};

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Files and folders, or - for a text on stdin [default: the tracked documents, and the memory and
    /// instruction files of the agent clients].
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Exit with 1 when something is at this level or worse.
    #[arg(long, value_name = "LEVEL")]
    pub fail_on: Option<LevelArg>,
    /// The output format [default: table, and json with --json].
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<ReportFormat>,
    /// Report only what is new since this revision, such as main or HEAD~3.
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,
    /// Tell which documents a diff touches and which it breaks: from this revision to the files on disk
    /// [default: from HEAD; if nothing was changed, the last commit].
    #[arg(long, value_name = "REV", num_args = 0..=1,
          conflicts_with_all = ["since", "fix", "write_baseline"])]
    pub impact: Option<Option<String>>,
    /// Report only what this file does not list.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath,
          conflicts_with = "write_baseline")]
    pub baseline: Option<PathBuf>,
    /// List everything that is found now in this file, for --baseline.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath,
          conflicts_with_all = ["since", "fail_on", "paths"])]
    pub write_baseline: Option<PathBuf>,
    /// Compare what the project gives to agents with agents.lock, and exit with 1 when something moved.
    #[arg(long, conflicts_with_all = ["paths", "fail_on", "since", "baseline", "write_baseline", "fix"])]
    pub locked: bool,
    /// Write the present names of what was renamed into the documents, where history leaves one answer.
    #[arg(long, conflicts_with_all = ["format", "write_baseline"])]
    pub fix: bool,
    /// With --fix: show the changes, and write nothing.
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

/// The version of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct VersionArgs {
    /// The project's version [default: as Cargo.toml, package.json, pyproject.toml, VERSION or the
    /// latest tag says].
    #[arg(long = "current-version", id = "current_version", value_name = "V")]
    pub current: Option<String>,
}

/// An output format for findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For a person.
    Table,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0, for code scanning and editors.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
}
