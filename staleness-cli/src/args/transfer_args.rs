//! The arguments of `import` and `copy`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use staleness_sources::systems::System;

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file to import [default: stdin], or the file or folder of another system; - reads stdin.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub file: Option<PathBuf>,
    /// The system that the data is from, if it is not an export.
    #[arg(long, value_name = "SYSTEM")]
    pub from: Option<FormatArg>,
    /// The source to record for the imported tools [default: import, or the system and
    /// project].
    #[arg(long, value_name = "NAME", requires = "from")]
    pub source: Option<String>,
    /// Show how much would be imported without writing it.
    #[arg(long)]
    pub dry_run: bool,
}

/// A system to import from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// Outcomes, tools, knowledge, work and routes, one JSON object per line.
    Jsonl,
    /// The issues of beads: .beads, or a file that `bd export` wrote.
    Beads,
    /// The notes of a basic-memory project.
    BasicMemory,
    /// The observations and summaries of claude-mem for the project: ~/.claude-mem/claude-mem.db.
    ClaudeMem,
    /// The memories that Claude Code wrote for a project: ~/.claude/projects/PROJECT/memory.
    ClaudeMemory,
    /// The observations, tools and uses of Laminark for the project.
    Laminark,
    /// The routes of riglm2, with their vectors.
    Riglm2,
    /// The knowledge and checkpoints of sage: .sage.
    Sage,
    /// The plans, traps, constraints, handoffs, notes and instructions of brainclaw: .brainclaw.
    Brainclaw,
}

impl FormatArg {
    /// Returns the system, or `None` for JSON Lines, which may come from any system.
    pub(crate) fn system(self) -> Option<System> {
        System::from_word(self.to_possible_value()?.get_name())
    }
}

#[derive(Debug, Args)]
pub(crate) struct CopyArgs {
    /// The registry to copy: sqlite:PATH, redb:PATH or postgres://…
    #[arg(value_name = "FROM")]
    pub from: String,
    /// The registry to copy to: new or empty.
    #[arg(value_name = "TO")]
    pub to: String,
    /// Show how much would be copied without writing it.
    #[arg(long)]
    pub dry_run: bool,
}
