//! Formats columns that fit the terminal.

use unicode_width::UnicodeWidthStr;

use super::{escape, fitting, wrap};

pub(crate) type Painter = fn(super::Paint, &str) -> String;
/// The text of a cell, and its painter.
pub(crate) type Cell = (String, Option<Painter>);

/// Minimum width of the last cell, in columns.
const LEAST: usize = 20;
/// Indentation of cells that wrap below their row, in columns.
const BELOW: usize = 6;

/// The treatment of a last cell that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    Cut,
    Wrapped,
}

/// Formats rows as aligned columns, indented by two spaces. Cells that do not fit continue on the next line, indented
/// further.
pub(crate) fn table(
    rows: impl IntoIterator<Item = Vec<Cell>>,
    last_cell: Last,
    paint: super::Paint,
    width: usize,
) -> String {
    let safe = |(text, paint): Cell| (escape(&text).into_owned(), paint);
    let rows: Vec<Vec<Cell>> =
        rows.into_iter().map(|cells| cells.into_iter().map(safe).collect()).collect();
    // Cells are not truncated in a pipe.
    let most = if width == usize::MAX { usize::MAX } else { 48 };
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|(text, _)| text.width()).max().unwrap_or(0).min(most)
        })
        .collect();
    let mut out = String::new();
    for row in &rows {
        let mut used = 2;
        out.push_str("  ");
        for (column, (text, painter)) in row.iter().enumerate() {
            let last = column + 1 == row.len();
            let needed = if last { LEAST } else { widths[column] };
            if used > BELOW && !text.is_empty() && used + needed > width {
                used = BELOW;
                new_line(&mut out, used);
            }
            let left = width.saturating_sub(used).max(LEAST);
            let shown = match last_cell {
                Last::Wrapped if last => wrap(text, left),
                _ if last => vec![fitting(text, left)],
                _ => vec![fitting(text, widths[column])],
            };
            let pad = if last { 0 } else { widths[column] - shown[0].width() + 2 };
            for (at, line) in shown.iter().enumerate() {
                if at > 0 {
                    new_line(&mut out, used);
                }
                match painter {
                    Some(painter) if !line.is_empty() => out.push_str(&painter(paint, line)),
                    _ => out.push_str(line),
                }
            }
            used += shown[0].width() + pad;
            out.extend(std::iter::repeat_n(' ', pad));
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    out
}

fn new_line(out: &mut String, indent: usize) {
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}

#[cfg(test)]
mod tests {
    use super::super::Paint;
    use super::*;
    use crate::output::ColorArg;

    #[test]
    fn wide_characters_align_and_long_cells_are_cut() {
        let rows = [
            vec![("日本".into(), None), ("x".repeat(100), None)],
            vec![("abcdef".into(), None), ("y".into(), None)],
        ];
        let text = table(rows, Last::Cut, Paint::new(ColorArg::Never), 40);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.iter().all(|line| line.width() <= 40), "{text}");
        assert!(lines[0].starts_with("  日本    x") && lines[0].ends_with('…'), "{text}");
        assert!(lines[1].starts_with("  abcdef  y"), "{text}");
    }

    #[test]
    fn without_room_the_last_column_goes_below() {
        let dim: Option<Painter> = Some(Paint::dim);
        let rows = [
            vec![("x".repeat(30), None), ("".into(), dim), ("y".repeat(50), None)],
            vec![("x".into(), None), ("z".into(), None), ("".into(), dim)],
        ];
        let text = table(rows, Last::Cut, Paint::new(ColorArg::Always), 40);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert_eq!(lines[0].trim_end(), format!("  {}", "x".repeat(30)));
        assert_eq!(lines[1], format!("      {}…", "y".repeat(33)));
        assert!(lines[2].ends_with('z'), "nothing is painted where there is nothing: {text}");
    }

    /// Bug L1: only the last column was fitted to the terminal width.
    #[test]
    fn l1_no_column_goes_beyond_the_terminal() {
        let cells = ["active", &"n".repeat(30), "SSSS", "claude-code, codex", "why, at length"];
        let row = || cells.iter().map(|cell| ((*cell).to_owned(), None)).collect();
        let text = table([row(), row()], Last::Cut, Paint::new(ColorArg::Never), 60);
        let (first, below) = ("active  ".to_owned() + &"n".repeat(30), "claude-code, codex");
        let one = format!("  {first}  SSSS\n      {below}  why, at length\n");
        assert_eq!(text, one.repeat(2));
    }

    #[test]
    fn a_last_cell_may_be_told_whole() {
        let row = vec![("key".to_owned(), None), ("one two three four five six".into(), None)];
        let text = table([row], Last::Wrapped, Paint::new(ColorArg::Never), 28);
        assert_eq!(text, "  key  one two three four\n       five six\n");
    }
}
