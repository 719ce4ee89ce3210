//! The arguments of `import` and `copy`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file to import [default: stdin]; - reads stdin.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// The format of the file, if it is not an export.
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<FormatArg>,
    /// The source to record for the imported tools [default: import].
    #[arg(long, value_name = "NAME", requires = "from")]
    pub source: Option<String>,
    /// Show how much would be imported, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// A format of other systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// Outcomes, tools, knowledge, work and routes, one JSON object per line.
    Jsonl,
}

#[derive(Debug, Args)]
pub(crate) struct CopyArgs {
    /// The registry to copy: sqlite:PATH, redb:PATH or postgres://…
    #[arg(value_name = "FROM")]
    pub from: String,
    /// The registry to copy to: empty, or an unfinished or outdated copy of FROM.
    #[arg(value_name = "TO")]
    pub to: String,
    /// Show how much would be copied, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
}
