//! The command line as parsed by clap.
//!
//! Options that several commands share have no documentation comment, because clap would print it as the command's
//! description.

pub(crate) mod documents_args;
pub(crate) mod install_args;
pub(crate) mod knowledge_args;
#[cfg(feature = "mcp")]
mod mcp_args;
pub(crate) mod routes_args;
pub(crate) mod tools_args;
mod transfer_args;
pub(crate) mod work_args;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use staleness::verdict::Level;

use crate::output::ColorArg;

pub(crate) use documents_args::{CheckArgs, ReviewArgs};
pub(crate) use install_args::{InitArgs, PlaceArgs};
pub(crate) use knowledge_args::KnowledgeCommand;
#[cfg(feature = "mcp")]
pub(crate) use mcp_args::McpArgs;
pub(crate) use tools_args::ProjectCommand;
pub(crate) use transfer_args::{CopyArgs, FormatArg, ImportArgs};
pub(crate) use work_args::{ResumeArgs, SessionCommand, StaleCommand, WorkCommand};

/// The end of the long help.
const AFTER_HELP: &str = "\
Exit codes: 0 done, 1 findings (--fail-on), 2 unknown option or missing argument, 3 refused value, bad \
input or configuration, 4 store error or a failed check of `doctor`. `hook` always exits 0.

Examples:
  staleness init claude-code         connect an agent client: hooks and MCP server
  staleness scan                     record what the clients have configured
  staleness                          what cannot be trusted here
  staleness tools show github        everything about one tool
  staleness tools history github     every change of the tool, with its cause
  staleness check                    outdated statements in the documents
  staleness review                   everything that needs attention, and what to do
  staleness board                    work in progress, waiting and stuck
  staleness resume --agent NAME      what changed for an agent while it was away";

/// Can this still be trusted? Watches the tools, documents, knowledge and work that AI agents rely on.
///
/// Without a command, prints an overview of the current project. It reads the registry and your
/// agent clients' configuration, and writes nothing.
#[derive(Debug, Parser)]
#[command(name = "staleness", version, args_override_self = true, after_long_help = AFTER_HELP)]
pub(crate) struct Cli {
    /// Exit with 1 if something is at this level or worse (overview only).
    #[arg(long, value_name = "LEVEL")]
    pub fail_on: Option<LevelArg>,
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Parses `staleness hook …` without building the other commands, which would delay every hook. Arguments rejected
/// here, including help, are parsed by [`Cli`].
#[derive(Debug, Parser)]
#[command(
    name = "staleness hook",
    args_override_self = true,
    disable_help_flag = true,
    disable_version_flag = true
)]
pub(crate) struct HookCli {
    #[command(flatten)]
    pub global: Global,
    #[command(flatten)]
    pub hook: HookArgs,
}

impl HookCli {
    /// Returns the hook call, if the arguments clearly are one.
    pub(crate) fn of(args: &[OsString]) -> Option<Self> {
        let (program, rest) = args.split_first()?;
        let (command, rest) = rest.split_first()?;
        let hook = command == "hook";
        hook.then(|| Self::try_parse_from([program].into_iter().chain(rest)).ok()).flatten()
    }
}

/// Options that every command accepts.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The registry to use: sqlite:PATH, redb:PATH, postgres://… or memory: [default:
    /// staleness/registry.db in your data folder].
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "STALENESS_STORE",
        hide_env_values = true
    )]
    pub store: Option<String>,
    /// The project: its git root, or the folder itself [default: STALENESS_PROJECT, else
    /// CLAUDE_PROJECT_DIR, else the current folder].
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub project: Option<PathBuf>,
    /// The folder with the user's client files [default: your home folder].
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath,
          env = "STALENESS_HOME", hide_env_values = true)]
    pub home: Option<PathBuf>,
    /// A policy file to use instead of the user's.
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath,
          env = "STALENESS_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// The agent that runs this command, such as codex. Answers are for its client [default:
    /// STALENESS_AGENT].
    #[arg(long, global = true, value_name = "NAME")]
    pub agent: Option<String>,
    /// Set one policy value, such as tools.unseen_days=14; may be repeated [env: STALENESS_SET,
    /// separated by semicolons].
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Evaluate and record as of this time: 2026-11-20, 2026-11-20T12:30:00Z, or -3d. With this
    /// option, `check` records nothing.
    #[arg(long, global = true, value_name = "TIME", allow_hyphen_values = true)]
    pub now: Option<String>,
    /// Print exactly one JSON document.
    #[arg(long, global = true)]
    pub json: bool,
    /// Print only results.
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print details on stderr.
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// When to use colour.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorArg,
}

/// The lowest level that makes a command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelArg {
    /// Findings to review, or worse.
    Review,
    /// Only stale findings.
    Stale,
}

impl From<LevelArg> for Level {
    fn from(least: LevelArg) -> Self {
        match least {
            LevelArg::Review => Self::Review,
            LevelArg::Stale => Self::Stale,
        }
    }
}

/// Parses a whole number, with a readable error.
fn whole<T: std::str::FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "not a whole number in range (0 or more)")
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read the agent clients' configuration, and record what was added or removed.
    Scan(ScanArgs),
    /// Handle a client's hook payload from stdin: record outcomes, and report changes to the agent.
    Hook(HookArgs),
    /// Record one use of a tool.
    Record(RecordArgs),
    /// List, rank, suggest and inspect tools.
    Tools {
        #[command(subcommand)]
        command: Option<tools_args::ToolsCommand>,
        #[command(flatten)]
        list: tools_args::ListArgs,
    },
    /// Manage routes: which tool answered which query.
    Routes {
        #[command(subcommand)]
        command: Option<routes_args::RoutesCommand>,
    },
    /// Find outdated statements in the project's documents.
    Check(CheckArgs),
    /// Write agents.lock: digests of the tools, instructions and other content that this project's files give to
    /// agents, for `check --locked`.
    Lock(LockArgs),
    /// Explain the state of a tool, route, document, item or work item: its cause, and when it began.
    Why {
        /// A name, a path or an id.
        name: String,
    },
    /// Show what depends on a tool, route, document, item or work item.
    Impact {
        /// A name, a path or an id.
        name: String,
    },
    /// Manage facts, preferences, to-dos and references, and see which are still true.
    Knowledge {
        #[command(subcommand)]
        command: Option<Box<KnowledgeCommand>>,
        #[command(flatten)]
        list: knowledge_args::KnowledgeListArgs,
    },
    /// List tools, documents, knowledge and work that need attention, worst first.
    Review(ReviewArgs),
    /// Manage plans, traps, constraints, handoffs, candidates, notes and decisions.
    Work {
        #[command(subcommand)]
        command: Option<WorkCommand>,
        #[command(flatten)]
        list: work_args::WorkListArgs,
    },
    /// List work that is stuck, expired or unanswered, and how to settle it.
    Stale {
        #[command(subcommand)]
        command: Option<StaleCommand>,
        #[command(flatten)]
        list: work_args::StaleListArgs,
    },
    /// Start, end and list agent sessions.
    Session {
        #[command(subcommand)]
        command: SessionCommand,
    },
    /// Show an agent what changed while it was away.
    Resume(ResumeArgs),
    /// Show on one screen the work in progress, waiting and overdue, and the tools that need
    /// attention.
    Board,
    /// Write a page for a browser: tools, uses, changes, documents, knowledge, work and costs.
    Report {
        /// The file to write; it is replaced if it exists.
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        html: PathBuf,
    },
    /// Show tools, documents, knowledge and work on a live screen.
    ///
    /// The screen follows the registry. Keys filter, open the evidence, pin a tool, verify or
    /// settle an item, and undo a change.
    #[cfg(feature = "watch")]
    Watch,
    /// Print one line for the status bar of a client: how much needs attention.
    ///
    /// Takes the folder from the JSON that Claude Code passes on stdin. Without --agent, it counts
    /// the tools of all clients. Errors of the registry do not change its exit code.
    Statusline,
    /// Check the documents, and print the result as a badge: SVG, or with --json for a badge service.
    Badge,
    /// List known projects, or forget one.
    Project {
        #[command(subcommand)]
        command: ProjectCommand,
    },
    /// Connect an agent client: add hooks and the MCP server.
    ///
    /// Everything else in the client's files stays, including comments and order. A copy of each
    /// changed file is kept beside it until `uninstall`.
    Init(InitArgs),
    /// Remove what `init` added.
    Uninstall(PlaceArgs),
    /// Check that everything is in order.
    Doctor,
    /// Delete old usage data, sessions and journal entries, and weak routes. Keeps items and what
    /// a person decided.
    Prune(PruneArgs),
    /// Write a consistent copy of the registry while others write.
    Backup {
        /// The file to write; it must not exist.
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Print every record and the journal as JSON Lines, for `import`.
    Export,
    /// Import an export, or data from other systems.
    Import(ImportArgs),
    /// Copy a whole registry into another one, of any backend, and compare the two.
    ///
    /// FROM may be in use: the copy is a snapshot. TO must be empty, or already hold the same
    /// records; any other TO stays unchanged. After an interruption, copy to a new TO. The exit code
    /// is 0 only if both registries hold the same records in the end.
    Copy(CopyArgs),
    /// Show the policy in force, or the files that it is read from.
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Serve editors over the Language Server Protocol, on stdin and stdout: findings of a document
    /// when it is opened and saved, their evidence, and fixes.
    Lsp,
    /// Serve agents over the Model Context Protocol, on stdin and stdout or over HTTP.
    #[cfg(feature = "mcp")]
    Mcp(McpArgs),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

#[derive(Debug, Args)]
pub(crate) struct ScanArgs {
    /// Show the changes without writing them.
    #[arg(long)]
    pub dry_run: bool,
    /// A file with an MCP tools/list result, used as a source of its own; - reads stdin.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub tools_json: Option<PathBuf>,
    /// The server that sent the list. Its tools become mcp__NAME__tool.
    #[arg(long, value_name = "NAME", requires = "tools_json")]
    pub server: Option<String>,
    /// Ask configured servers for their tools: start or connect to the named ones, or those that their clients
    /// would start, and stop them afterwards.
    #[arg(long, value_name = "SERVER", num_args = 0.., conflicts_with = "tools_json")]
    pub probe: Option<Vec<String>>,
}

#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// The client that sent the payload: claude-code, codex, copilot, cursor, gemini or vscode.
    #[arg(long, value_name = "CLIENT")]
    pub client: Option<String>,
    /// The event, if the payload does not name it.
    #[arg(long, value_name = "NAME")]
    pub event: Option<String>,
    /// Explain how the payload would be handled, without handling it.
    #[arg(long)]
    pub explain: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    /// The tool's name.
    pub name: String,
    /// Record a new tool, even if its name is similar to a known one.
    #[arg(long)]
    pub new: bool,
    #[command(flatten)]
    pub outcome: OutcomeArgs,
    /// A unique id of this use. Recording it again changes nothing.
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// The session of the use.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// The duration in milliseconds.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64>)]
    pub duration_ms: Option<u64>,
}

// The outcome of a use, given by exactly one option.
#[derive(Clone, Copy, Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct OutcomeArgs {
    /// The call succeeded.
    #[arg(long)]
    pub success: bool,
    /// The call failed.
    #[arg(long)]
    pub failure: bool,
    /// The call was aborted, which says nothing about the tool.
    #[arg(long)]
    pub interrupted: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LockArgs {
    /// Show the changes without writing them.
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PruneArgs {
    /// Show what would be removed without removing it.
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Clone, Copy, Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum ConfigCommand {
    /// Show every policy value, and where it comes from.
    Show,
    /// Show the files that the policy is read from.
    Path,
}
