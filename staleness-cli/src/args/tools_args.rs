//! The arguments of `tools` and `project`.

use clap::{Args, Subcommand, ValueEnum};

use super::routes_args::VectorArgs;
use super::whole;

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum ToolsCommand {
    /// List the tools of this project.
    List(ListArgs),
    /// Show which clients load each MCP server, and why the others do not.
    Matrix,
    /// List tools that clients load but never use, and their cost per session.
    Unused(UnusedArgs),
    /// Show everything about a tool.
    Show {
        /// The tool's name, or the short name of a server, command or agent.
        name: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// List the tools that recently worked best in this project.
    Rank {
        /// The maximum number of results.
        #[arg(long, value_name = "N", default_value = "20", allow_negative_numbers = true,
              value_parser = whole::<usize>)]
        limit: usize,
    },
    /// Suggest active tools to use now.
    Suggest {
        /// The task, in words.
        query: Option<String>,
        /// Leave out what this session just used, and remember what was suggested to the session.
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
    /// Search every tool by words and learned routes. Stale and demoted tools are marked.
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
    /// List the changes of a tool and their causes, newest first.
    History {
        /// The tool's name.
        name: String,
        /// The maximum number of changes.
        #[arg(long, value_name = "N", default_value = "50", allow_negative_numbers = true,
              value_parser = whole::<u32>)]
        limit: u32,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Show how a server changed a tool, or any of its tools.
    Diff {
        /// The tool's name, or the server's.
        name: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Accept a server's changes to a tool, or to all of its tools.
    Accept {
        /// Show what would be accepted without writing it.
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
    /// Keep a tool active, even if it fails.
    Pin(HoldArgs),
    /// Never suggest or report a tool.
    Ignore(HoldArgs),
    /// Forget a tool, or a server with its tools, and their outcomes.
    Forget {
        /// The tool's name.
        name: String,
        #[command(flatten)]
        scope: ScopeArgs,
        /// Confirm that it should be forgotten.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct ListArgs {
    /// List only this status: active, stale, demoted or off.
    #[arg(long, value_name = "S")]
    pub status: Option<String>,
    /// List only this kind, such as mcp_server, mcp_tool or skill.
    #[arg(long, value_name = "K")]
    pub kind: Option<String>,
    /// List the tools of every project.
    #[arg(long)]
    pub all_projects: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UnusedArgs {
    /// Days without use, up to the client's last use of any tool [default: from the policy, 30].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32>)]
    pub days: Option<u32>,
    /// Also list what is used, with its cost.
    #[arg(long, conflicts_with = "off")]
    pub all: bool,
    /// Show how to disable these unused servers in each client's own files.
    #[arg(long, value_name = "SERVER", num_args = 1..)]
    pub off: Vec<String>,
    /// Write the change that --off shows.
    #[arg(long, requires = "off")]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HoldArgs {
    /// The tool's name.
    pub name: String,
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// The reason, for the history.
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ScopeArgs {
    /// The entry that a bare name means [default: the project's, else the global one].
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<ScopeArg>,
}

/// The scope in which to look up a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// The global entry.
    Global,
    /// The project's own entry.
    Project,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum ProjectCommand {
    /// List known projects.
    List,
    /// Forget a project with its tools and outcomes.
    Forget {
        /// The project's id or root folder.
        id: String,
        /// Confirm that it should be forgotten.
        #[arg(long)]
        yes: bool,
    },
}
