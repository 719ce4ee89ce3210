//! The arguments of `tools` and `project`.

use clap::{Args, Subcommand, ValueEnum};

use super::routes_args::VectorArgs;
use super::whole;

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// Every tool that the project sees.
    List(ListArgs),
    /// The clients that load each MCP server, and what keeps the others from doing so.
    Matrix,
    /// Tools that clients load and never use, what they cost a session, and how to switch servers off.
    Unused(UnusedArgs),
    /// Everything that is known of one tool.
    Show {
        /// Its name; a server, command or agent by its short name too.
        name: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// The tools that worked best in this project lately.
    Rank {
        /// The maximum number of results.
        #[arg(long, value_name = "N", default_value = "20", allow_negative_numbers = true,
              value_parser = whole::<usize>)]
        limit: usize,
    },
    /// Active tools to use now.
    Suggest {
        /// The task, in words.
        query: Option<String>,
        /// Leave out what this session used last, and note for its outcomes what was suggested.
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// The maximum number of results.
        #[arg(long, value_name = "N", default_value = "5", allow_negative_numbers = true,
              value_parser = whole::<usize>)]
        limit: usize,
        #[command(flatten)]
        vector: VectorArgs,
        /// Show the parts of each score.
        #[arg(long)]
        explain: bool,
    },
    /// Search every tool by words and by what was learned, stale and demoted ones marked.
    Discover {
        /// The task, in words.
        query: String,
        /// The maximum number of results.
        #[arg(long, value_name = "N", default_value = "10", allow_negative_numbers = true,
              value_parser = whole::<usize>)]
        limit: usize,
        #[command(flatten)]
        vector: VectorArgs,
        /// Show the parts of each score.
        #[arg(long)]
        explain: bool,
    },
    /// Why a tool is what it is: every change, newest first.
    History {
        /// Its name.
        name: String,
        /// The maximum number of changes.
        #[arg(long, value_name = "N", default_value = "50", allow_negative_numbers = true,
              value_parser = whole::<u32>)]
        limit: u32,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Changes that a server made to a tool, or to any of its tools.
    Diff {
        /// The tool's name, or the server's.
        name: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Accept the changes of a server to a tool, or to all of its tools.
    Accept {
        /// Show what would be accepted, and write nothing.
        #[arg(long)]
        dry_run: bool,
        /// Accept only the version that `tools diff` showed with this digest.
        #[arg(long, value_name = "DIGEST")]
        seen: Option<String>,
        #[command(flatten)]
        hold: HoldArgs,
    },
    /// Lift a demotion, a pin or an ignore.
    Restore(HoldArgs),
    /// Demote a tool until it is restored.
    Demote(HoldArgs),
    /// Keep a tool active, whatever happens.
    Pin(HoldArgs),
    /// Never suggest or report a tool.
    Ignore(HoldArgs),
    /// Forget a tool and its outcomes.
    Forget {
        /// Its name.
        name: String,
        #[command(flatten)]
        scope: ScopeArgs,
        /// Yes, forget it.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct ListArgs {
    /// Only this status: active, stale, demoted or off.
    #[arg(long, value_name = "S")]
    pub status: Option<String>,
    /// Only this kind, such as mcp_server, mcp_tool or skill.
    #[arg(long, value_name = "K")]
    pub kind: Option<String>,
    /// The tools of every project.
    #[arg(long)]
    pub all_projects: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UnusedArgs {
    /// Days without a use, up to the client's last use of anything [default: as the policy says, 30].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32>)]
    pub days: Option<u32>,
    /// Show the change of each client's own file that switches these unused servers off.
    #[arg(long, value_name = "SERVER", num_args = 1..)]
    pub off: Vec<String>,
    /// Write that change.
    #[arg(long, requires = "off")]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HoldArgs {
    /// The tool's name.
    pub name: String,
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// Why, for the history.
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ScopeArgs {
    /// The entry that a bare name means [default: the project's, else the global one].
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<ScopeArg>,
}

/// A scope to look a name up in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// The global entry.
    Global,
    /// The project's own entry.
    Project,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectCommand {
    /// Every project that was seen.
    List,
    /// Forget a project with its tools and outcomes.
    Forget {
        /// Its id, or its root folder.
        id: String,
        /// Yes, forget it.
        #[arg(long)]
        yes: bool,
    },
}
