//! Adds this program to the configuration of agent clients, and removes it.
//!
//! | module | content |
//! |---|---|
//! | [`client`] | the files of each client |
//! | [`part`] | adding and removing our part of one file |
//! | [`switch`] | disabling other servers in one file |
//! | [`json`], [`toml_server`] | editing one format in place |
//! | [`shell`] | recognising and writing our command lines |
//! | [`file`] | reading and replacing files |
//! | [`diff`] | rendering a change |
//!
//! All modules except `file` and `client` are pure. Our entries are not recorded anywhere: they are recognised by their
//! content. If nothing else changed, a file is restored from its backup.

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

/// The reason why a file cannot be edited. Contains no text from the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The line, from 1.
    pub line: usize,
    pub what: String,
}

impl Fault {
    /// Creates a fault at a byte offset of a text.
    fn at(text: &str, offset: usize, what: impl Into<String>) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        Self { line, what: what.into() }
    }
}
