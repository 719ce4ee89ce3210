//! Whole trees of client files, and payloads as clients send them.

mod claude;
mod clients;
mod documents_bounds;
mod documents_cites;
mod documents_dates;
mod documents_drift;
mod documents_files;
mod documents_history;
mod documents_hostile;
mod documents_ignored;
mod documents_items;
mod documents_known;
mod documents_meant;
mod documents_memory;
mod documents_others;
mod documents_project;
mod documents_since;
mod documents_superseded;
mod git_cited;
mod git_dates;
mod git_hostile;
#[cfg(unix)]
mod git_limits;
#[cfg(unix)]
mod git_pipes;
mod git_repo;
mod git_times;
mod git_words;
mod hooks;
mod outlines;
mod plugins;
mod projects;
mod random;
mod strict;
mod traps;
mod tree;
