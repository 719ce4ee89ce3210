//! Measures how many of the outdated names that owners later fixed in their documents our check reported
//! before.
//!
//! `cargo bench -p staleness-benches --bench documents -- LIST [NAME=REPORT]… [--json]` prints the table on
//! stderr, and with `--json` the counts on stdout. Without a list it does nothing.
//!
//! A line of `LIST` has the folder of a repository with its whole history, a tab, and prefixes of commit ids
//! separated by spaces, or `every 200`. The commits must be on the main line. They are checked out in a
//! temporary clone.
//!
//! A *mend* is a commit in which the owner removed a name from a living document after the thing it named was
//! gone: a path, a link, a linked heading, a command, a flag, or an identifier (`names.rs`). It counts if it
//! could be reported at the last chosen commit before. A finding was *mended later* if the name was removed
//! from a document that still exists.
//!
//! A line of `REPORT` is a finding of the tool `NAME`: the full id of a chosen commit, a path, a line, the
//! name as written, and optionally its kind, separated by tabs.

mod names;
mod referee;
mod timeline;

use std::fs::read_to_string;

use referee::{Figures, read_report};

type Fault = Box<dyn std::error::Error>;

fn main() -> Result<(), Fault> {
    let (mut list, mut reports, mut is_json) = (String::new(), Vec::new(), false);
    for arg in std::env::args().skip(1).filter(|arg| arg != "--bench" && arg != "--quick") {
        match arg.split_once('=') {
            None if arg == "--json" => is_json = true,
            None => list = read_to_string(arg)?,
            Some((tool, path)) => {
                reports.push((tool.to_owned(), read_report(&read_to_string(path)?)?))
            }
        }
    }
    let figures = Figures::of(&list, &reports)?;
    if is_json {
        figures.lines.iter().for_each(|line| println!("{line}"));
    }
    if !list.is_empty() {
        eprint!("{}", figures.table());
    }
    Ok(())
}
