//! The arguments of `knowledge`.

use clap::builder::BoolishValueParser;
use clap::{Args, Subcommand};

use super::documents_args::VersionArgs;
use super::tools_args::ScopeArgs;
use super::whole;

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum KnowledgeCommand {
    /// Add a fact, a preference, a to-do or a reference.
    Add {
        /// The item's id [default: made from its first words].
        #[arg(long, value_name = "ID")]
        id: Option<String>,
        /// Add the item for every project, not only for this one.
        #[arg(long)]
        global: bool,
        #[command(flatten)]
        fields: FieldArgs,
        #[command(flatten)]
        how: DoArgs,
        #[command(flatten)]
        project: VersionArgs,
    },
    /// Show everything about an item.
    Show {
        /// The item's id.
        id: String,
        #[command(flatten)]
        scope: ScopeArgs,
        #[command(flatten)]
        project: VersionArgs,
    },
    /// List the project's items, each with its verdict.
    List(KnowledgeListArgs),
    /// Find items by words. Doubtful items are marked.
    Recall {
        /// The words to search for.
        query: String,
        /// The maximum number of results.
        #[arg(long, value_name = "N", default_value = "10", allow_negative_numbers = true,
              value_parser = whole::<usize>)]
        limit: usize,
        /// Do not count this as a recall.
        #[arg(long)]
        peek: bool,
        #[command(flatten)]
        project: VersionArgs,
    },
    /// Mark items as still true, as of now and the checked-out commit.
    Verify {
        #[command(flatten)]
        act: ActArgs,
        /// The reason, for the history.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Change fields of items. `none` clears a field.
    Set {
        #[command(flatten)]
        act: ActArgs,
        #[command(flatten)]
        fields: FieldArgs,
    },
    /// Mark to-dos as done.
    Done(ActArgs),
    /// Reopen to-dos.
    Reopen(ActArgs),
    /// Mark an item as replacing another.
    Supersede {
        /// The item to replace.
        #[arg(value_name = "OLD")]
        old: String,
        /// The item that replaces it.
        #[arg(long, value_name = "NEW")]
        by: String,
        #[command(flatten)]
        how: DoArgs,
        #[command(flatten)]
        scope: ScopeArgs,
        #[command(flatten)]
        project: VersionArgs,
    },
    /// Mark an item as wrong.
    Contradict {
        /// The item's id.
        id: String,
        /// The person or agent who contradicts the item.
        #[arg(long, value_name = "WHO")]
        by: String,
        /// The reason.
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        how: DoArgs,
        #[command(flatten)]
        scope: ScopeArgs,
        #[command(flatten)]
        project: VersionArgs,
    },
    /// Remove an item; its history stays.
    Remove {
        /// The item's id.
        id: String,
        /// Confirm the removal.
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        how: DoArgs,
        #[command(flatten)]
        scope: ScopeArgs,
        #[command(flatten)]
        project: VersionArgs,
    },
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct KnowledgeListArgs {
    /// List only this kind: knowledge, preference, todo, reference or document.
    #[arg(long, value_name = "K")]
    pub kind: Option<String>,
    /// List only this level: fresh, review or stale.
    #[arg(long, value_name = "L")]
    pub level: Option<String>,
    #[command(flatten)]
    pub project: VersionArgs,
}

// Options shared by all commands that change an item.
#[derive(Debug, Default, Args)]
pub(crate) struct DoArgs {
    /// Show the result without writing it.
    #[arg(long)]
    pub dry_run: bool,
}

// The items to change.
#[derive(Debug, Args)]
pub(crate) struct ActArgs {
    /// The items' ids.
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    #[command(flatten)]
    pub how: DoArgs,
    #[command(flatten)]
    pub scope: ScopeArgs,
    #[command(flatten)]
    pub project: VersionArgs,
}

#[derive(Debug, Default, Args)]
pub(crate) struct FieldArgs {
    /// The kind: knowledge, preference, todo, reference or document [default of a new item:
    /// knowledge].
    #[arg(long, value_name = "K")]
    pub kind: Option<String>,
    /// The text; - reads stdin.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub body: Option<String>,
    /// A search keyword; may be repeated.
    #[arg(long, value_name = "W")]
    pub keyword: Vec<String>,
    /// The project version that the item was written for, or none [default for new knowledge and
    /// references: the current version].
    #[arg(long, value_name = "V")]
    pub version: Option<String>,
    /// The item never ages; --evergreen=false undoes this.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new())]
    pub evergreen: Option<bool>,
    /// The due date: 2026-11-20, 2026-11-20T12:30:00Z, or +3d.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub due: Option<String>,
    /// The expiry date.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub expires: Option<String>,
    /// A source that the item relies on: a project file, or lines of one; may be repeated.
    #[arg(long, value_name = "PATH[:L[-L]]")]
    pub cite: Vec<String>,
    /// An item that this one replaces; may be repeated.
    #[arg(long, value_name = "ID")]
    pub supersedes: Vec<String>,
    /// An item that this one depends on; may be repeated.
    #[arg(long, value_name = "ID")]
    pub related: Vec<String>,
}
