//! Whole trees of client files, and payloads as clients send them.

mod claude;
mod clients;
mod documents_drift;
mod documents_files;
mod documents_project;
mod git_dates;
mod git_hostile;
mod git_repo;
mod git_words;
mod hooks;
mod plugins;
mod projects;
mod random;
mod traps;
mod tree;
