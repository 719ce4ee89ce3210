//! The arguments of `knowledge`.

use clap::builder::BoolishValueParser;
use clap::{Args, Subcommand};

use super::documents_args::VersionArgs;
use super::tools_args::ScopeArgs;
use super::whole;

#[derive(Debug, Subcommand)]
pub(crate) enum KnowledgeCommand {
    /// Write something down: a fact, a preference, a to-do or a reference.
    Add {
        /// Its id [default: made of its first words].
        #[arg(long, value_name = "ID")]
        id: Option<String>,
        /// Note it for every project, not for this one alone.
        #[arg(long)]
        global: bool,
        #[command(flatten)]
        fields: FieldArgs,
        #[command(flatten)]
        how: DoArgs,
        #[command(flatten)]
        project: VersionArgs,
    },
    /// Everything that is known of one item.
    Show {
        /// Its id.
        id: String,
        #[command(flatten)]
        scope: ScopeArgs,
        #[command(flatten)]
        project: VersionArgs,
    },
    /// Every item that the project sees, with how far it can be trusted.
    List(KnowledgeListArgs),
    /// Find items by words; what cannot be relied on is marked.
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
    /// Say that items still hold: as of now, and of the commit that is checked out.
    Verify {
        #[command(flatten)]
        act: ActArgs,
        /// Why, for the history.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Change fields of items; what is not named stays. `none` empties a field.
    Set {
        #[command(flatten)]
        act: ActArgs,
        #[command(flatten)]
        fields: FieldArgs,
    },
    /// Say that to-dos are done.
    Done(ActArgs),
    /// Say that to-dos are to be done after all.
    Reopen(ActArgs),
    /// Say that one item stands for another now.
    Supersede {
        /// The item that no longer holds.
        #[arg(value_name = "OLD")]
        old: String,
        /// The item that stands for it.
        #[arg(long, value_name = "NEW")]
        by: String,
        #[command(flatten)]
        how: DoArgs,
        #[command(flatten)]
        scope: ScopeArgs,
        #[command(flatten)]
        project: VersionArgs,
    },
    /// Say that an item is wrong.
    Contradict {
        /// Its id.
        id: String,
        /// The person or agent that says so.
        #[arg(long, value_name = "WHO")]
        by: String,
        /// Why.
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
        /// Its id.
        id: String,
        /// Yes, remove it.
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
    /// Only this kind: knowledge, preference, todo, reference or document.
    #[arg(long, value_name = "K")]
    pub kind: Option<String>,
    /// Only this level: fresh, review or stale.
    #[arg(long, value_name = "L")]
    pub level: Option<String>,
    #[command(flatten)]
    pub project: VersionArgs,
}

/// The options that changes of an item share.
#[derive(Debug, Default, Args)]
pub(crate) struct DoArgs {
    /// Show how it would stand afterwards, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// The items that something is done to.
#[derive(Debug, Args)]
pub(crate) struct ActArgs {
    /// Their ids.
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    #[command(flatten)]
    pub how: DoArgs,
    #[command(flatten)]
    pub scope: ScopeArgs,
    #[command(flatten)]
    pub project: VersionArgs,
}

/// The fields of an item.
#[derive(Debug, Default, Args)]
pub(crate) struct FieldArgs {
    /// Its kind: knowledge, preference, todo, reference or document [default of a new item:
    /// knowledge].
    #[arg(long, value_name = "K")]
    pub kind: Option<String>,
    /// The text; - reads stdin.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub body: Option<String>,
    /// A word under which it is found; may be repeated.
    #[arg(long, value_name = "W")]
    pub keyword: Vec<String>,
    /// The version of the project that it was written for, or none [default of new knowledge and
    /// references: the project's].
    #[arg(long, value_name = "V")]
    pub version: Option<String>,
    /// It does not age; --evergreen=false takes that back.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new())]
    pub evergreen: Option<bool>,
    /// When it should be done: 2026-11-20, 2026-11-20T12:30:00Z, or +3d.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub due: Option<String>,
    /// When it ceases to hold.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub expires: Option<String>,
    /// A source that it rests on: a file of the project, or lines of one; may be repeated.
    #[arg(long, value_name = "PATH[:L[-L]]")]
    pub cite: Vec<String>,
    /// An item that it stands for; may be repeated.
    #[arg(long, value_name = "ID")]
    pub supersedes: Vec<String>,
    /// An item that it depends on; may be repeated.
    #[arg(long, value_name = "ID")]
    pub related: Vec<String>,
}
