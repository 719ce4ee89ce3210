//! Tests of SQLite on disks that fail and lose power.

mod errors;
mod power;
mod support;
