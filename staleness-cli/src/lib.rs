//! The command line of staleness, as a library: `main.rs` only calls [`main`].

mod args;
mod commands;
mod error;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod install;
mod manual;
mod output;
mod settings;
mod usage;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind as ClapKind};
use clap::{CommandFactory, Parser};

use args::{Cli, Command, HookCli};
use error::{CliError, ErrorKind};
use output::{Output, Paint};
use settings::Settings;
use staleness_service::limits;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    limits::outlive_file_size();
    let args: Vec<OsString> = std::env::args_os().collect();
    if let Some(HookCli { global, hook }) = HookCli::of(&args) {
        commands::hook::run(&global, &hook, &Output::plain(global.verbose));
        return ExitCode::SUCCESS;
    }
    let as_json = args.iter().any(|arg| arg == "--json");
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return refused(&error, &args, as_json),
    };
    let out = Output {
        json: cli.global.json,
        quiet: cli.global.quiet,
        verbose: cli.global.verbose,
        paint: Paint::new(cli.global.color),
        width: width(),
    };
    match run(&cli, &out) {
        Ok(code) => ExitCode::from(code),
        Err(error) => report(&located(error, &cli), as_json),
    }
}

/// Adds the store's location to a store error.
fn located(mut error: CliError, cli: &Cli) -> CliError {
    // A copy has two stores, and its errors already name the store.
    if error.kind == ErrorKind::Store
        && !matches!(cli.command, Some(Command::Copy(_)))
        && let Ok(url) = settings::store_url(&(&cli.global).into())
        && !error.message.contains(&url.to_string())
    {
        error.message = format!("{url}: {}", error.message);
    }
    error
}

fn run(cli: &Cli, out: &Output) -> Result<u8, CliError> {
    // The doctor reports an unreadable policy and continues.
    let lenient = matches!(cli.command, Some(Command::Doctor));
    let settings = || {
        let settings = Settings::new(&cli.global, None, lenient)?;
        out.note(&format!(
            "project {} ({}), home {}, store {}",
            settings.project.root,
            settings.project.id,
            settings.home.display(),
            settings.url
        ));
        Ok::<_, CliError>(settings)
    };
    let Some(command) = &cli.command else {
        let settings = settings()?;
        warn_of_home(&settings, out);
        return Ok(u8::from(commands::overview::run(&settings, cli.fail_on, out)?));
    };
    if cli.fail_on.is_some() && !matches!(command, Command::Hook(_)) {
        let message = "--fail-on only works with `check`, with `stale`, or without a command";
        return Err(CliError::new(ErrorKind::Usage, message)
            .hint("leave it out, or put it after `check` or `stale`"));
    }
    if let Some(list) = misplaced(command) {
        return Err(CliError::new(ErrorKind::Usage, "an option comes before its command")
            .hint(format!("put it after: `staleness {list} --…`")));
    }
    match command {
        Command::Hook(args) => commands::hook::run(&cli.global, args, out),
        Command::Scan(args) => {
            let settings = settings()?;
            warn_of_home(&settings, out);
            commands::scan::run(&settings, args, out)?;
        }
        Command::Record(args) => commands::record::run(&settings()?, args, out)?,
        Command::Tools { command, list } => {
            commands::tools::run(&settings()?, command.as_ref(), list, out)?;
        }
        Command::Routes { command } => commands::routes::run(&settings()?, command.as_ref(), out)?,
        Command::Check(args) => {
            let settings = settings()?;
            warn_of_home(&settings, out);
            return Ok(u8::from(commands::check::run(&settings, args, out)?));
        }
        Command::Lock(args) => commands::lock::run(&settings()?, args.dry_run, out)?,
        Command::Why { name } => commands::links::why(&settings()?, name, out)?,
        Command::Impact { name } => commands::links::impact(&settings()?, name, out)?,
        Command::Knowledge { command, list } => {
            commands::knowledge::run(&settings()?, command.as_deref(), list, out)?;
        }
        Command::Review(args) => commands::review::run(&settings()?, args, out)?,
        Command::Work { command, list } => {
            commands::work::run(&settings()?, command.as_ref(), list, out)?;
        }
        Command::Stale { command, list } => {
            return Ok(u8::from(commands::stale::run(&settings()?, command.as_ref(), list, out)?));
        }
        Command::Session { command } => commands::sessions::run(&settings()?, command, out)?,
        Command::Resume(args) => commands::resume::run(&settings()?, args, out)?,
        Command::Board => commands::board::run(&settings()?, out)?,
        Command::Lsp => commands::check::lsp::run(&cli.global, out)?,
        Command::Report { html } => commands::report::run(&settings()?, html, out)?,
        #[cfg(feature = "watch")]
        Command::Watch => commands::watch::run(&cli.global, out)?,
        Command::Statusline => commands::statusline::run(&cli.global, out)?,
        Command::Badge => commands::check::badge::run(&settings()?, out)?,
        Command::Project { command } => commands::project::run(&settings()?, command, out)?,
        Command::Init(args) => {
            commands::install::init(&cli.global, args, out)?;
        }
        Command::Uninstall(args) => commands::install::uninstall(&cli.global, args, out)?,
        Command::Doctor => return commands::doctor::run(&settings()?, out),
        Command::Prune(args) => commands::upkeep::prune(&settings()?, args, out)?,
        Command::Backup { file } => commands::upkeep::backup(&settings()?, file, out)?,
        Command::Export => commands::export::run(&settings()?, out)?,
        Command::Import(args) => commands::import::run(&settings()?, args, out)?,
        Command::Copy(args) => commands::copy::run(args, out)?,
        Command::Config { command } => commands::config::run(&settings()?, *command, out)?,
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => commands::mcp::run(&cli.global, args)?,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "staleness", &mut script);
            out.text(&String::from_utf8_lossy(&script))?;
        }
        Command::Man => {
            let page = manual::page(Cli::command())
                .map_err(|error| CliError::new(ErrorKind::Io, error.to_string()))?;
            out.text(&page)?;
        }
    }
    Ok(0)
}

/// Rejects options of `list` that precede another subcommand. They would have no effect there, and a CI check that
/// relies on one would always pass.
fn misplaced(command: &Command) -> Option<&'static str> {
    let (given, list) = match command {
        Command::Tools { command: Some(_), list } => (*list != Default::default(), "tools list"),
        Command::Knowledge { command: Some(_), list } => {
            (*list != Default::default(), "knowledge list")
        }
        Command::Work { command: Some(_), list } => (*list != Default::default(), "work list"),
        Command::Stale { command: Some(_), list } => (*list != Default::default(), "stale list"),
        _ => return None,
    };
    given.then_some(list)
}

/// Returns the terminal's width in columns. Without a terminal, lines are not wrapped.
fn width() -> usize {
    let stdout = std::io::stdout();
    terminal_size::terminal_size_of(stdout).map_or(usize::MAX, |(width, _)| usize::from(width.0))
}

/// Warns if the home folder does not exist, because it was probably mistyped.
fn warn_of_home(settings: &Settings, out: &Output) {
    if !settings.own_home && !settings.home.is_dir() {
        let home = settings.home.display();
        out.warn(&format!("warning: home {home} is not a folder, so only the project was read"));
    }
}

fn report(error: &CliError, as_json: bool) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "{}", error.render(as_json));
    ExitCode::from(error::exit_code(error))
}

/// Handles a command line that clap rejected. A hook still exits with 0.
fn refused(error: &clap::Error, args: &[OsString], as_json: bool) -> ExitCode {
    if matches!(error.kind(), ClapKind::DisplayHelp | ClapKind::DisplayVersion) {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if usage::calls_hook(args) {
        if args.iter().any(|arg| arg == "--verbose" || arg == "-v") {
            let _ = report(&usage::one_line(error, args), as_json);
        }
        return ExitCode::SUCCESS;
    }
    if error.kind() == ClapKind::InvalidSubcommand
        && let Some(ContextValue::String(command)) = error.get(ContextKind::InvalidSubcommand)
        && cfg!(not(feature = "mcp"))
        && command == "mcp"
    {
        let message = "`staleness mcp` is not part of this build";
        let left_out = CliError::new(ErrorKind::NotOffered, message)
            .hint("build with the feature `mcp`, which is on by default");
        return report(&left_out, as_json);
    }
    report(&usage::one_line(error, args), as_json)
}
