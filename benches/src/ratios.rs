//! Ratios: one row for each thing that is measured, and the table of all of them.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::race::{Samples, quick};

/// What a figure should be.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// Our time divided by the floor's is at most this.
    Times(f64),
    /// Our throughput divided by the floor's is at least this.
    Share(f64),
    /// Our time is at most this, in seconds.
    Within(f64),
    /// Nothing in particular: a figure for orientation, as time divided by the floor's.
    Open,
}

/// A row of the table, as it is printed.
#[derive(Clone, Debug)]
pub struct Row {
    cells: [String; 6],
}

impl Row {
    /// A row of times in seconds. A floor that is not a number is left out.
    #[must_use]
    pub fn new(work: impl Into<String>, floor: f64, ours: f64, goal: Goal) -> Self {
        let (ratio, wanted, met) = match goal {
            Goal::Times(most) => (ours / floor, format!("≤ {most}"), Some(ours / floor <= most)),
            Goal::Share(least) => (floor / ours, format!("≥ {least}"), Some(floor / ours >= least)),
            Goal::Within(most) => (ours / floor, format!("≤ {}", Time(most)), Some(ours <= most)),
            Goal::Open => (ours / floor, "–".into(), None),
        };
        let number =
            |number: f64| if number.is_nan() { "–".into() } else { format!("{number:.2}") };
        let floor = if floor.is_nan() { "–".into() } else { Time(floor).to_string() };
        let cells =
            [work.into(), floor, Time(ours).to_string(), number(ratio), wanted, word(met).into()];
        Self { cells }
    }

    /// A row of the medians of two contestants, per piece of work of which each sample holds `per`.
    #[must_use]
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

    /// A row of times by size: the smallest size and the largest, and the most by which ten times the
    /// size takes longer. At most ten is linear; beyond that a fifth is the machine's.
    #[must_use]
    pub fn of_growth(work: impl Into<String>, points: &[(f64, f64)]) -> Self {
        let [first, .., last] = points else {
            return Self::new(work, f64::NAN, f64::NAN, Goal::Open);
        };
        let step = |pair: &[(f64, f64)]| pair[1].1 / pair[0].1;
        let worst = points.windows(2).map(step).fold(0.0, f64::max);
        let cells = [
            work.into(),
            Time(first.1).to_string(),
            Time(last.1).to_string(),
            format!("{worst:.2}"),
            "≤ 10 + ⅕".into(),
            word(Some(worst <= 12.0)).into(),
        ];
        Self { cells }
    }

    /// A row of a size in kibibytes that should be at most `most`.
    #[must_use]
    pub fn of_memory(work: impl Into<String>, floor: u64, ours: u64, most: u64) -> Self {
        let cells = [
            work.into(),
            megabytes(floor),
            megabytes(ours),
            format!("{:.2}", ours as f64 / floor as f64),
            format!("≤ {}", megabytes(most)),
            word(Some(ours <= most)).into(),
        ];
        Self { cells }
    }
}

fn megabytes(kibibytes: u64) -> String {
    format!("{:.1} MB", kibibytes as f64 * 1_024.0 / 1e6)
}

const fn word(met: Option<bool>) -> &'static str {
    match met {
        Some(true) => "met",
        Some(false) => "**missed**",
        None => "",
    }
}

/// A time in the unit that suits it.
struct Time(f64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.0 {
            s if s < 1e-6 => (1e9, "ns"),
            s if s < 1e-3 => (1e6, "µs"),
            s if s < 1.0 => (1e3, "ms"),
            _ => (1.0, "s"),
        };
        let number = self.0 * scale;
        let digits = if number < 10.0 { 2 } else { usize::from(number < 100.0) };
        write!(f, "{number:.digits$} {unit}")
    }
}

const HEAD: [&str; 6] = ["work", "floor", "ours", "ratio", "goal", ""];

/// Prints rows as a table.
pub fn print(rows: &[Row]) {
    let head = Row { cells: HEAD.map(Into::into) };
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

/// Prints the rows of one bench and keeps them in `folder` for the table of all of them, unless the run is a
/// short one.
///
/// # Panics
/// When they cannot be kept.
pub fn keep(folder: &str, bench: &str, rows: &[Row]) {
    println!();
    print(rows);
    if quick() {
        return;
    }
    let lines: Vec<String> = rows.iter().map(|row| row.cells.join("\t")).collect();
    fs::create_dir_all(kept(folder)).expect("a folder for ratios");
    fs::write(kept(folder).join(bench), lines.join("\n")).expect("ratios are kept");
}

/// The rows that the benches kept in `folder`, in the order of their names.
///
/// # Panics
/// When what was kept cannot be read.
#[must_use]
pub fn read(folder: &str) -> Vec<Row> {
    let Ok(entries) = fs::read_dir(kept(folder)) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let rows = |path: &Path| -> Vec<Row> {
        let text = fs::read_to_string(path).expect("ratios");
        let cells = text.lines().map(|line| line.split('\t').map(Into::into).collect::<Vec<_>>());
        cells.filter_map(|cells| Some(Row { cells: cells.try_into().ok()? })).collect()
    };
    files.iter().flat_map(|path| rows(path)).collect()
}

fn kept(folder: &str) -> PathBuf {
    Path::new(folder).join("ratios")
}
