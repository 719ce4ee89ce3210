//! The commands, one file each.

pub(crate) mod board;
pub(crate) mod check;
pub(crate) mod config;
pub(crate) mod copy;
mod definitions;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod install;
mod installed;
pub(crate) mod knowledge;
pub(crate) mod links;
pub(crate) mod lock;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
mod mounts;
pub(crate) mod overview;
mod probe;
pub(crate) mod project;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod resume;
pub(crate) mod review;
pub(crate) mod routes;
pub(crate) mod scan;
pub(crate) mod sessions;
mod shell;
pub(crate) mod stale;
pub(crate) mod statusline;
pub(crate) mod tools;
mod typed;
mod unused;
pub(crate) mod upkeep;
#[cfg(feature = "watch")]
pub(crate) mod watch;
pub(crate) mod work;
