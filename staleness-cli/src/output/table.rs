//! Columns that fit the terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::escape;

/// How a cell is painted.
pub(crate) type Painter = fn(super::Paint, &str) -> String;
/// A cell's text, and how it is painted.
pub(crate) type Cell = (String, Option<Painter>);

/// The last column gets no less than this, in columns.
const LEAST: usize = 20;

/// Rows of aligned columns; the last one is cut to what is left of the width.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty table.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a row of cells, each with how it is painted.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        let safe = |(text, paint): Cell| (escape(&text).into_owned(), paint);
        self.rows.push(cells.into_iter().map(safe).collect());
    }

    /// Returns true if there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as text, indented by two columns.
    pub(crate) fn render(&self, paint: super::Paint, width: usize) -> String {
        // A pipe gets every cell whole.
        let most = if width == usize::MAX { usize::MAX } else { 48 };
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|(text, _)| text.width()).max().unwrap_or(0).min(most)
            })
            .collect();
        let mut out = String::new();
        for row in &self.rows {
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
                let room =
                    if last { width.saturating_sub(used).max(LEAST) } else { widths[column] };
                let shown = fit(text, room);
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
}

/// The text, cut to `room` columns with an ellipsis.
fn fit(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    use super::super::Paint;
    use super::*;
    use crate::output::ColorArg;

    #[test]
    fn wide_characters_align_and_long_cells_are_cut() {
        let mut table = Table::new();
        table.row(vec![("日本".into(), None), ("x".repeat(100), None)]);
        table.row(vec![("abcdef".into(), None), ("y".into(), None)]);
        let text = table.render(Paint::new(ColorArg::Never), 40);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.iter().all(|line| line.width() <= 40), "{text}");
        assert!(lines[0].starts_with("  日本    x") && lines[0].ends_with('…'), "{text}");
        assert!(lines[1].starts_with("  abcdef  y"), "{text}");
    }

    #[test]
    fn without_room_the_last_column_goes_below() {
        let mut table = Table::new();
        table.row(vec![
            ("x".repeat(30), None),
            ("".into(), Some(Paint::dim)),
            ("y".repeat(50), None),
        ]);
        table.row(vec![("x".into(), None), ("z".into(), None), ("".into(), Some(Paint::dim))]);
        let text = table.render(Paint::new(ColorArg::Always), 40);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert_eq!(lines[0].trim_end(), format!("  {}", "x".repeat(30)));
        assert_eq!(lines[1], format!("      {}…", "y".repeat(33)));
        assert!(lines[2].ends_with('z'), "nothing is painted where there is nothing: {text}");
    }
}
