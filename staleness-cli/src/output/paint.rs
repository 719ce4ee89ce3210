//! Colours that respect the terminal.

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArg {
    /// Enabled if stdout is a terminal with colours, and NO_COLOR is not set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Colours text if colours are on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// Creates the painter. With `auto`, checks the terminal and `NO_COLOR`.
    pub(crate) fn new(choice: ColorArg) -> Self {
        let on = match choice {
            ColorArg::Always => true,
            ColorArg::Never => false,
            ColorArg::Auto => {
                anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
            }
        };
        Self { on }
    }

    fn with(self, style: Style, text: &str) -> String {
        if self.on { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// Paints a heading.
    pub(crate) fn bold(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    /// Paints less important text.
    pub(crate) fn dim(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    /// Paints a good value.
    pub(crate) fn good(self, text: &str) -> String {
        self.with(AnsiColor::Green.on_default(), text)
    }

    /// Paints a value that needs a review.
    pub(crate) fn warn(self, text: &str) -> String {
        self.with(AnsiColor::Yellow.on_default(), text)
    }

    /// Paints a value that must not be relied on.
    pub(crate) fn bad(self, text: &str) -> String {
        self.with(AnsiColor::Red.on_default().bold(), text)
    }
}
