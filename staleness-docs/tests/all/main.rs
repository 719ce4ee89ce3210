//! Whole projects with and without a history, and hostile ones.

mod bounds;
mod bygone;
mod cites;
mod commands;
mod dates;
mod drift;
mod files;
mod flags;
mod git_cited;
mod git_dates;
mod git_hostile;
#[cfg(unix)]
mod git_limits;
mod git_parts;
#[cfg(unix)]
mod git_pipes;
mod git_repo;
mod git_times;
mod git_words;
mod history;
mod hostile;
mod ignored;
mod impact;
mod items;
mod known;
mod links;
mod meant;
mod memory;
mod others;
mod pages;
mod places;
mod project;
mod projects;
mod since;
mod superseded;
mod text;
