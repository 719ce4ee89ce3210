//! The test cases, one module per theme.

mod backup;
mod changes;
mod crash;
mod files;
mod journal;
mod lives;
mod looks;
mod model;
mod outcomes;
mod pages;
mod persistence;
mod processes;
mod pruning;
mod revisions;
mod routes;
mod rows;
mod runtime;
mod sessions;
mod snapshots;
mod threads;
mod tool_filters;
mod work;
mod wrappers;

use crate::case::Case;

/// Returns all cases, by theme.
pub fn cases() -> Vec<Case> {
    [
        rows::CASES,
        tool_filters::CASES,
        work::CASES,
        sessions::CASES,
        routes::CASES,
        outcomes::CASES,
        journal::CASES,
        pruning::CASES,
        changes::CASES,
        revisions::CASES,
        looks::CASES,
        snapshots::CASES,
        pages::CASES,
        persistence::CASES,
        backup::CASES,
        files::CASES,
        runtime::CASES,
        threads::CASES,
        processes::CASES,
        crash::CASES,
        lives::CASES,
        wrappers::CASES,
        model::CASES,
    ]
    .concat()
}
