//! Arguments of `init` and `uninstall`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

pub(crate) use crate::install::client::{Client, Level};

// A client, and the files to edit: the user's or a project's.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// The client [default for init: ask about each installed one].
    #[arg(value_name = "CLIENT")]
    client: Option<Client>,
    /// Use your own configuration, which applies to all projects (the default).
    #[arg(long)]
    user: bool,
    /// Use the configuration of one project [default: the current one].
    // Replaces the global option of the same name, and means the same.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "not given, given alone, given with a folder")]
    project: Option<Option<PathBuf>>,
    /// Show the change without writing it.
    #[arg(long)]
    pub dry_run: bool,
}

impl PlaceArgs {
    /// Returns the client. `--project CLIENT` parses as a folder, but means the client with that name.
    pub(crate) fn client(&self) -> Option<Client> {
        self.client.or_else(|| self.swallowed())
    }

    pub(crate) const fn level(&self) -> Level {
        if self.project.is_some() && !self.user { Level::Project } else { Level::User }
    }

    /// Returns the folder of the last `--project` before the command. If a `--project` without a folder follows the
    /// command, clap drops that folder. `args` are the arguments of the process.
    pub(crate) fn named_before(&self, args: &[OsString]) -> Option<PathBuf> {
        if !matches!(self.project, Some(None)) {
            return None;
        }
        let mut words = args.iter().map(|arg| arg.to_string_lossy()).peekable();
        let mut named = None;
        while let Some(word) = words.next() {
            match (word.strip_prefix("--project="), words.peek()) {
                (Some(folder), _) => named = Some(folder.into()),
                (None, Some(next)) if word == "--project" && !next.starts_with('-') => {
                    let client = Client::from_str(next, false).is_ok();
                    named = if client { named } else { Some(next.as_ref().into()) };
                }
                _ => {}
            }
        }
        named
    }

    /// Returns the client that clap parsed as the project's folder.
    pub(crate) fn swallowed(&self) -> Option<Client> {
        let word = self.project.as_ref()?.as_ref()?.to_str()?;
        Client::from_str(word, false).ok().filter(|_| self.client.is_none())
    }
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Add a skill that teaches the agent to act on verdicts (only claude-code).
    #[arg(long)]
    pub skill: bool,
    /// Set up each installed client without asking.
    #[arg(long, visible_alias = "all", conflicts_with = "client")]
    pub yes: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_before_the_command_is_found_again() {
        let of = |line: &str, project: Option<Option<PathBuf>>| {
            let args: Vec<OsString> = line.split(' ').map(Into::into).collect();
            PlaceArgs { client: None, user: false, project, dry_run: false }.named_before(&args)
        };
        let alone = || Some(None);
        for line in ["s --project /a init cursor --project", "s --project=/a init --project cursor"]
        {
            assert_eq!(of(line, alone()), Some("/a".into()), "{line}");
            assert_eq!(of(line, Some(Some("/b".into()))), None, "{line}");
        }
        for line in
            ["s init cursor --project", "s init --project --dry-run", "s init --project cursor"]
        {
            assert_eq!(of(line, alone()), None, "{line}");
        }
    }
}
