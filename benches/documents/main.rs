//! Documents: how much of what owners mended in their documents our check told before they did.
//!
//! `cargo bench -p staleness-benches --bench documents -- LIST [NAME=REPORT]… [--json]` prints the table on stderr, and
//! with `--json` what it counts on stdout. Without a list it does nothing.
//!
//! A line of `LIST` is the folder of a repository with its whole history, a tab, and the beginnings of ids of commits
//! with blanks between, or `every 200`. Commits are those of the main line. They are checked out in a temporary
//! clone.
//!
//! A *mend* is a commit in which the owner took a name out of a living document when what it named was gone: a path,
//! a link, a linked heading, a command, a flag, an identifier (`names.rs`). It counts if it could be told at the last
//! chosen commit before. What was told was *mended later* if the name left a document that stayed.
//!
//! A line of `REPORT` is what the tool `NAME` found: the whole id of a chosen commit, a path, a line and the name as
//! the document writes it, with tabs between; its kind may follow.

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
