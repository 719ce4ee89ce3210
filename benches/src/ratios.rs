//! Table rows with ratios of measurements, and the table of all rows.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::race::{Samples, quick};

/// The benches in the table, in order.
const BENCHES: [&str; 7] = ["hooks", "stores", "search", "core", "check", "mcp", "growth"];

/// The goal of a row.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// Our time is at most this many times the floor's.
    Times(f64),
    /// Our throughput is at least this share of the floor's.
    Share(f64),
    /// Our time is at most this, in seconds.
    Within(f64),
}

/// The goal for times measured at growing sizes.
#[derive(Clone, Copy, Debug)]
pub enum Growth {
    /// The largest size takes at most this many times as long as the smallest.
    InAll(f64),
    /// Each tenfold increase in size takes at most this many times as long.
    Step(f64),
}

/// A row of the table, formatted.
#[derive(Clone, Debug)]
pub struct Row {
    cells: [String; 6],
}

impl Row {
    /// Creates a row from times in seconds. A floor of NaN is left out.
    pub fn new(work: impl Into<String>, floor: f64, ours: f64, goal: Goal) -> Self {
        let ratio = ours / floor;
        let (ratio, wanted, met) = match goal {
            Goal::Times(most) => (ratio, format!("≤ {most}"), ratio <= most),
            Goal::Share(least) => (floor / ours, format!("≥ {least}"), floor / ours >= least),
            Goal::Within(most) => (ratio, format!("≤ {}", time(most)), ours <= most),
        };
        let number =
            |number: f64| if number.is_nan() { "–".into() } else { format!("{number:.2}") };
        Self::with(work, [time(floor), time(ours), number(ratio), wanted], met)
    }

    /// Creates a row from the medians of two contestants. Each sample has `per` units of work.
    pub fn of(
        work: impl Into<String>,
        floor: &Samples,
        ours: &Samples,
        per: usize,
        goal: Goal,
    ) -> Self {
        let per = per as f64;
        Self::new(work, floor.median() / per, ours.median() / per, goal)
    }

    /// Creates a row from times by size: the smallest size's in place of the floor, the largest size's, and
    /// the ratio for the goal.
    pub fn of_growth(work: impl Into<String>, points: &[(f64, f64)], goal: Growth) -> Self {
        let (first, last) = (points[0], points[points.len() - 1]);
        let step = |pair: &[(f64, f64)]| pair[1].1 / pair[0].1;
        let (ratio, most, what) = match goal {
            Growth::InAll(most) => (last.1 / first.1, most, "in all"),
            Growth::Step(most) => (points.windows(2).map(step).fold(0.0, f64::max), most, "a step"),
        };
        let wanted = format!("≤ {most} {what}");
        let cells = [time(first.1), time(last.1), format!("{ratio:.2}"), wanted];
        Self::with(work, cells, ratio <= most)
    }

    /// Creates a row for memory in KiB. The goal is at most `most` megabytes.
    pub fn of_memory(work: impl Into<String>, ours: u64, most: u64) -> Self {
        let megabytes = ours as f64 * 1_024.0 / 1e6;
        let (ours, wanted) = (format!("{megabytes:.1} MB"), format!("≤ {most} MB"));
        Self::with(work, ["–".into(), ours, "–".into(), wanted], megabytes <= most as f64)
    }

    fn with(work: impl Into<String>, cells: [String; 4], met: bool) -> Self {
        let [floor, ours, ratio, goal] = cells;
        let word = if met { "met" } else { "**missed**" };
        Self { cells: [work.into(), floor, ours, ratio, goal, word.into()] }
    }
}

/// Formats a time in seconds in a suitable unit.
fn time(seconds: f64) -> String {
    if seconds.is_nan() {
        return "–".into();
    }
    format!("{:.2?}", Duration::from_secs_f64(seconds))
}

/// Formats a number with thousands separators.
pub fn thousands(number: u64) -> String {
    if number >= 1_000 {
        format!("{},{:03}", thousands(number / 1_000), number % 1_000)
    } else {
        number.to_string()
    }
}

/// Prints rows as a table.
pub fn print(rows: &[Row]) {
    let head = Row { cells: ["work", "floor", "ours", "ratio", "goal", ""].map(Into::into) };
    let all = || [&head].into_iter().chain(rows);
    let width =
        |column: usize| all().map(|row| row.cells[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    for (line, row) in all().enumerate() {
        let mut text = String::from("|");
        for (cell, width) in row.cells.iter().zip(widths) {
            text += &format!(" {cell:width$} |");
        }
        println!("{text}");
        if line == 0 {
            let rules = widths.map(|width| "-".repeat(width + 2));
            println!("|{}|", rules.join("|"));
        }
    }
}

/// Prints the rows of one bench. Unless it is a quick run, also saves them in `folder` for the table.
pub fn keep(folder: &str, bench: &str, rows: &[Row]) {
    assert!(BENCHES.contains(&bench), "{bench} has no place in the table");
    println!();
    print(rows);
    if quick() {
        return;
    }
    let lines: Vec<String> = rows.iter().map(|row| row.cells.join("\t")).collect();
    fs::create_dir_all(kept(folder)).expect("a folder for ratios");
    fs::write(kept(folder).join(bench), lines.join("\n")).expect("ratios are kept");
}

/// Reads the rows saved in `folder`. Benches that have not run are left out.
pub fn read(folder: &str) -> Vec<Row> {
    let rows = |bench: &str| -> Vec<Row> {
        let text = fs::read_to_string(kept(folder).join(bench)).unwrap_or_default();
        let cells = text.lines().map(|line| line.split('\t').map(Into::into).collect::<Vec<_>>());
        cells.filter_map(|cells| Some(Row { cells: cells.try_into().ok()? })).collect()
    };
    BENCHES.into_iter().flat_map(rows).collect()
}

fn kept(folder: &str) -> PathBuf {
    Path::new(folder).join("ratios")
}
