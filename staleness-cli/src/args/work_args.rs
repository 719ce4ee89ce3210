//! The arguments of `work`, `stale`, `session` and `resume`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::tools_args::ScopeArgs;
use super::{FormatArg, LevelArg};

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum WorkCommand {
    /// Add a plan, trap, constraint, handoff, candidate, note or decision.
    Add(Box<WorkAddArgs>),
    /// List the project's work items, open ones first.
    List(WorkListArgs),
    /// Show everything about a work item.
    Show {
        /// The item's id.
        id: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Change fields of an item.
    Set(Box<WorkSetArgs>),
    /// Record a step taken on an item.
    Step {
        /// The item's id.
        id: String,
        /// The step taken; - reads stdin.
        text: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Mark an item as still relevant, without changing it.
    Touch {
        /// The item's id.
        id: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Reopen a closed item.
    Reopen {
        /// The item's id.
        id: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Claim a plan or handoff, so that no other agent begins it. Claim it again to renew.
    Claim(WorkClaimArgs),
    /// Give up the claim on an item.
    Release {
        /// The item's id.
        id: String,
        /// The session that releases it. If another session of the same agent holds the claim, that session is
        /// informed.
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// List the plans and handoffs that can be started: open, unclaimed, and not waiting for anything.
    Ready,
}

#[derive(Debug, Args)]
pub(crate) struct WorkClaimArgs {
    /// The item's id.
    pub id: String,
    /// The time until the claim expires after the last event of the session: 30m, 2h, 1d [default: from the
    /// policy].
    #[arg(long = "for", value_name = "TIME")]
    pub lasts: Option<String>,
    /// The session that works on the item; its hooks renew the claim [default: the agent's only
    /// one, else a new one].
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    #[command(flatten)]
    pub scope: ScopeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct WorkAddArgs {
    /// plan, trap, constraint, handoff, candidate, note or decision.
    pub kind: String,
    /// The text of the item; - reads stdin.
    pub text: String,
    /// The state [default: the first of its kind]. A plan is todo, in_progress, blocked, done or
    /// dropped; a trap or constraint active or resolved; a handoff open, accepted or closed; a
    /// candidate pending, accepted or rejected; a note visible or archived; a decision made.
    #[arg(long, value_name = "S")]
    pub status: Option<String>,
    /// The item's id [default: made from its first words].
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Add the item for every project, not only for this one.
    #[arg(long)]
    pub global: bool,
    /// The author [default: the agent].
    #[arg(long, value_name = "A")]
    pub author: Option<String>,
    /// The agent that hands over.
    #[arg(long, value_name = "A")]
    pub from: Option<String>,
    /// The agent that should take over.
    #[arg(long, value_name = "A")]
    pub to: Option<String>,
    /// Proposed by a program, not by a person.
    #[arg(long)]
    pub generated: bool,
    /// The type of note: observation, session_start or session_end [default: observation].
    #[arg(long = "type", value_name = "T")]
    pub note: Option<String>,
    /// The expiry date: 2026-11-20, 2026-11-20T12:30:00Z, or +3d.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub expires: Option<String>,
    /// An item that this one refers to; may be repeated.
    #[arg(long = "ref", value_name = "ID")]
    pub refs: Vec<String>,
    /// An item that must end before this one is ready; may be repeated.
    #[arg(long, value_name = "ID")]
    pub after: Vec<String>,
    /// Show what would be added without writing it.
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WorkSetArgs {
    /// The item's id.
    pub id: String,
    /// The state.
    #[arg(long, value_name = "S")]
    pub status: Option<String>,
    /// The text of the item; - reads stdin.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub text: Option<String>,
    /// The expiry date, or none.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub expires: Option<String>,
    /// The agent that should take over, or none.
    #[arg(long, value_name = "A")]
    pub to: Option<String>,
    /// An item that this one refers to, or none; may be repeated. Replaces the earlier ones.
    #[arg(long = "ref", value_name = "ID")]
    pub refs: Vec<String>,
    /// An item that must end before this one is ready, or none; may be repeated. Replaces the earlier ones.
    #[arg(long, value_name = "ID")]
    pub after: Vec<String>,
    #[command(flatten)]
    pub scope: ScopeArgs,
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct WorkListArgs {
    /// List only this kind: plan, trap, constraint, handoff, candidate, note or decision.
    #[arg(long, value_name = "K")]
    pub kind: Option<String>,
    /// List only this state, such as in_progress. Archived notes are hidden by default.
    #[arg(long, value_name = "S")]
    pub status: Option<String>,
    /// List only open items.
    #[arg(long)]
    pub open: bool,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum StaleCommand {
    /// List overdue items, oldest first, with the command that settles each.
    List(StaleListArgs),
    /// Settle an overdue item; `work reopen` undoes it.
    Resolve {
        /// The item's id.
        id: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct StaleListArgs {
    /// Judge the work and knowledge in this file of JSON Lines or of another system, without storing it; - reads stdin.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub input: Option<PathBuf>,
    /// The system that the file is from [default: jsonl].
    #[arg(long, value_name = "SYSTEM", requires = "input")]
    pub from: Option<FormatArg>,
    /// Exit with 1 if something is at this level or worse.
    #[arg(long, value_name = "LEVEL")]
    pub fail_on: Option<LevelArg>,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum SessionCommand {
    /// Start a session, or continue one.
    Start {
        /// The session's id [default: a new one].
        #[arg(long, value_name = "ID")]
        id: Option<String>,
    },
    /// End a session.
    End {
        /// The session's id.
        id: String,
    },
    /// List the project's sessions, latest first.
    List,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The current session. If it lost its context, it gets everything since its start again.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Start from this session or time, without marking anything as read.
    #[arg(long, value_name = "SESSION|TIME", allow_hyphen_values = true)]
    pub since: Option<String>,
    /// Show the changes without marking them as read.
    #[arg(long)]
    pub peek: bool,
    /// Show everything that is open now, without marking anything as read.
    #[arg(long, conflicts_with = "since")]
    pub digest: bool,
}
