//! Columns that fit the terminal.

use unicode_width::UnicodeWidthStr;

use super::{escape, fitting};

/// A function that paints a cell.
pub(crate) type Painter = fn(super::Paint, &str) -> String;
/// A cell's text, and how it is painted.
pub(crate) type Cell = (String, Option<Painter>);

/// The last column gets no less than this, in columns.
const LEAST: usize = 20;

/// Rows as text, indented by two columns: aligned columns, of which the last one is cut to what is left of the width.
pub(crate) fn table(
    rows: impl IntoIterator<Item = Vec<Cell>>,
    paint: super::Paint,
    width: usize,
) -> String {
    let safe = |(text, paint): Cell| (escape(&text).into_owned(), paint);
    let rows: Vec<Vec<Cell>> =
        rows.into_iter().map(|cells| cells.into_iter().map(safe).collect()).collect();
    // A pipe gets every cell whole.
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
            if last && !text.is_empty() && used + LEAST > width {
                // No room beside the others: it goes below them.
                used = 6;
                out.truncate(out.trim_end_matches(' ').len());
                out.push_str("\n      ");
            }
            let room = if last { width.saturating_sub(used).max(LEAST) } else { widths[column] };
            let shown = fitting(text, room);
            let pad = if last { 0 } else { widths[column] - shown.width() + 2 };
            used += shown.width() + pad;
            match painter {
                Some(painter) if !shown.is_empty() => out.push_str(&painter(paint, &shown)),
                _ => out.push_str(&shown),
            }
            out.extend(std::iter::repeat_n(' ', pad));
        }
        while out.ends_with(' ') {
            out.pop();
        }
        out.push('\n');
    }
    out
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
        let text = table(rows, Paint::new(ColorArg::Never), 40);
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
        let text = table(rows, Paint::new(ColorArg::Always), 40);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert_eq!(lines[0].trim_end(), format!("  {}", "x".repeat(30)));
        assert_eq!(lines[1], format!("      {}…", "y".repeat(33)));
        assert!(lines[2].ends_with('z'), "nothing is painted where there is nothing: {text}");
    }
}
