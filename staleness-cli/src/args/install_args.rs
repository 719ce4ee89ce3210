//! Arguments of `init` and `uninstall`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

pub(crate) use crate::install::client::{Client, Level};

use clap::ValueEnum;

/// Whose files, and of which client.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// The client.
    #[arg(value_name = "CLIENT", required_unless_present = "project")]
    client: Option<Client>,
    /// In your own configuration, for all projects (the default).
    #[arg(long)]
    user: bool,
    /// In the configuration of one project: the one named, else the current one.
    // It takes the place of the global option of this name, and keeps its meaning.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "not given, given alone, given with a folder")]
    project: Option<Option<PathBuf>>,
    /// Show the change, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
}

impl PlaceArgs {
    /// The client. `--project CLIENT` reads like a folder, and means the client of that name.
    pub(crate) fn client(&self) -> Option<Client> {
        self.client.or_else(|| self.swallowed())
    }

    /// Whose files.
    pub(crate) const fn level(&self) -> Level {
        if self.project.is_some() && !self.user { Level::Project } else { Level::User }
    }

    /// The client that was taken for the project's folder.
    pub(crate) fn swallowed(&self) -> Option<Client> {
        let word = self.project.as_ref()?.as_ref()?.to_str()?;
        Client::from_str(word, false).ok().filter(|_| self.client.is_none())
    }
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Add a skill that teaches the agent to act on verdicts (claude-code).
    #[arg(long)]
    pub skill: bool,
}
