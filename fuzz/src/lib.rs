//! The fuzz targets, one module each. A module's `run` takes the fuzzer's bytes and panics if a requirement
//! is violated.
//!
//! They are ordinary functions: `cargo test --lib` runs all seeds without a fuzzer.

pub mod client_config;
pub mod git_objects;
pub mod hook_payload;
pub mod import_lines;
pub mod markdown;
pub mod mcp_messages;
mod peak;
mod plant;
pub mod redb_codec;
#[cfg(test)]
mod seeds;
pub mod settings;
pub mod sqlite_cells;
pub mod sqlite_vs_redb;
pub mod steps_vs_model;
pub mod store_url;
pub mod vector_file;

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use staleness_docs::git::LazyRepo;
use staleness_docs::project::ProjectPlace;
use staleness_docs::{CheckOptions, Report, check};
use staleness_service::ServiceError;

/// The function of a target.
pub type Run = fn(&[u8]);

/// All targets by name.
pub const TARGETS: [(&str, Run); 13] = [
    ("client_config", client_config::run),
    ("git_objects", git_objects::run),
    ("hook_payload", hook_payload::run),
    ("import_lines", import_lines::run),
    ("markdown", markdown::run),
    ("mcp_messages", mcp_messages::run),
    ("redb_codec", redb_codec::run),
    ("settings", settings::run),
    ("sqlite_cells", sqlite_cells::run),
    ("sqlite_vs_redb", sqlite_vs_redb::run),
    ("steps_vs_model", steps_vs_model::run),
    ("store_url", store_url::run),
    ("vector_file", vector_file::run),
];

/// A text that must not be kept or revealed where it was planted.
const SECRET: &str = "PLANTED-s3cr3t-PLANTED";

/// Asserts that a text is one line without terminal control characters.
fn one_line(text: &str) {
    assert!(!text.contains(char::is_control), "{text:?}");
}

/// Asserts that an error is one line of fewer than `limit` bytes, as text and as JSON. Returns the text.
fn refused(error: &ServiceError, limit: usize) -> String {
    let line = error.render(false);
    one_line(&line);
    assert!(line.len() < limit, "{} bytes, not {limit}", line.len());
    assert!(!error.render(true).contains('\n'), "{error:?}");
    line
}

/// Writes a file and its parent folders.
fn put(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder is made");
    fs::write(path, bytes).expect("a file is written");
}

/// Checks a folder's documents twice, and asserts that both reports are the same.
fn checked(folder: &Path, repo: impl Fn() -> LazyRepo, options: &CheckOptions<'_>) -> Report {
    let place = ProjectPlace::of_folder(folder);
    let look = || {
        check(&place, &mut repo(), options, &mut |_| ControlFlow::Continue(()))
            .expect("nobody ends it")
    };
    let report = look();
    assert_eq!(look(), report, "the same twice");
    report.notes.iter().for_each(|note| one_line(&note.text));
    report
}
