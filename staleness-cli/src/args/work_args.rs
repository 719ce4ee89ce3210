//! The arguments of `work`, `stale`, `session` and `resume`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::LevelArg;
use super::tools_args::ScopeArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum WorkCommand {
    /// Write down a plan, trap, constraint, handoff, candidate, note or decision.
    Add(Box<WorkAddArgs>),
    /// Every work item that the project sees; open ones first.
    List(WorkListArgs),
    /// Everything that is known of one item.
    Show {
        /// Its id.
        id: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Change an item; what is not named stays.
    Set(Box<WorkSetArgs>),
    /// Note a step that was taken on an item.
    Step {
        /// Its id.
        id: String,
        /// The step that was taken; - reads stdin.
        text: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Say that somebody still cares for an item, without changing it.
    Touch {
        /// Its id.
        id: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Bring an item that has ended back to the state before.
    Reopen {
        /// Its id.
        id: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
}

#[derive(Debug, Args)]
pub(crate) struct WorkAddArgs {
    /// plan, trap, constraint, handoff, candidate, note or decision.
    pub kind: String,
    /// The text of the item; - reads stdin.
    pub text: String,
    /// Its state [default: the first of its kind]. A plan is todo, in_progress, blocked, done or
    /// dropped; a trap or constraint active or resolved; a handoff open, accepted or closed; a
    /// candidate pending, accepted or rejected; a note visible or archived; a decision made.
    #[arg(long, value_name = "S")]
    pub status: Option<String>,
    /// Its id [default: made of its first words].
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Note it for every project, not for this one alone.
    #[arg(long)]
    pub global: bool,
    /// Its author [default: the agent].
    #[arg(long, value_name = "A")]
    pub author: Option<String>,
    /// The agent that hands over.
    #[arg(long, value_name = "A")]
    pub from: Option<String>,
    /// The agent that should take over.
    #[arg(long, value_name = "A")]
    pub to: Option<String>,
    /// A program proposed it, no person.
    #[arg(long)]
    pub generated: bool,
    /// The type of note: observation, session_start or session_end [default: observation].
    #[arg(long = "type", value_name = "T")]
    pub note: Option<String>,
    /// When it ceases to hold: 2026-11-20, 2026-11-20T12:30:00Z, or +3d.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub expires: Option<String>,
    /// An item that it refers to; may be repeated.
    #[arg(long = "ref", value_name = "ID")]
    pub refs: Vec<String>,
    /// Show what would be written down, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WorkSetArgs {
    /// Its id.
    pub id: String,
    /// Its state.
    #[arg(long, value_name = "S")]
    pub status: Option<String>,
    /// The text of the item; - reads stdin.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub text: Option<String>,
    /// When it ceases to hold, or none.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub expires: Option<String>,
    /// The agent that should take over, or none.
    #[arg(long, value_name = "A")]
    pub to: Option<String>,
    /// An item that it refers to, or none; may be repeated. Replaces those of before.
    #[arg(long = "ref", value_name = "ID")]
    pub refs: Vec<String>,
    #[command(flatten)]
    pub scope: ScopeArgs,
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct WorkListArgs {
    /// Only this kind: plan, trap, constraint, handoff, candidate, note or decision.
    #[arg(long, value_name = "K")]
    pub kind: Option<String>,
    /// Only this state, such as in_progress; archived notes are listed when asked for.
    #[arg(long, value_name = "S")]
    pub status: Option<String>,
    /// Only what has not ended.
    #[arg(long)]
    pub open: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StaleCommand {
    /// Overdue items, oldest first, with the command that settles each.
    List(StaleListArgs),
    /// Settle an overdue item; `work reopen` takes it back.
    Resolve {
        /// Its id.
        id: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct StaleListArgs {
    /// Judge the work items in this file of JSON Lines, and store nothing; - reads stdin.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub input: Option<PathBuf>,
    /// Exit with 1 when something is at this level or worse.
    #[arg(long, value_name = "LEVEL")]
    pub fail_on: Option<LevelArg>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// Begin a session, or go on with one that is known.
    Start {
        /// The session's id [default: a fresh one].
        #[arg(long, value_name = "ID")]
        id: Option<String>,
    },
    /// End a session.
    End {
        /// Its id.
        id: String,
    },
    /// The sessions of the project, the latest first.
    List,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The session in which it asks: one that lost its context is told everything since it began.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Begin where this session began, or at this time; nothing counts as told.
    #[arg(long, value_name = "SESSION|TIME", allow_hyphen_values = true)]
    pub since: Option<String>,
    /// Only look: the same is told next time.
    #[arg(long)]
    pub peek: bool,
    /// All that is open now, whatever changed; nothing counts as told.
    #[arg(long, conflicts_with = "since")]
    pub digest: bool,
}
