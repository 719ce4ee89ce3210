//! Tests of the suite itself.

mod broken;
mod catches;
