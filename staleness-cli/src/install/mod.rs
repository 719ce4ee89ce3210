//! Putting this program into the configuration of agent clients, and taking it out again.
//!
//! | module | what |
//! |---|---|
//! | [`client`] | which files of a client get what |
//! | [`part`] | what is put into one file, and taken out: text in, text out |
//! | [`switch`] | switching other servers off in one file |
//! | [`json`], [`toml_server`] | editing one format in place |
//! | [`shell`] | command lines, and which of them are ours |
//! | [`file`] | reading and replacing files |
//! | [`diff`] | what a change looks like |
//!
//! All but `file` and `client` are pure. Nothing records what was written: our entries are known by what
//! they say, and a file is restored from the backup beside it when nothing else changed.

pub(crate) mod client;
pub(crate) mod diff;
pub(crate) mod file;
mod hooks;
mod json;
pub(crate) mod part;
mod server;
pub(crate) mod shell;
pub(crate) mod switch;
mod toml_server;

/// Why a file cannot be edited. It holds no text of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The fault, in words.
    pub what: String,
}

impl Fault {
    /// Something wrong at a place of a text.
    fn at(text: &str, offset: usize, what: impl Into<String>) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        Self { line, what: what.into() }
    }
}
