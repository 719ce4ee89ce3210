//! Diffs of texts.

use std::fmt::Write;

use imara_diff::{
    Algorithm, BasicLineDiffPrinter, Diff, InternedInput, Token, UnifiedDiffConfig,
    UnifiedDiffPrinter,
};

use crate::output::{Output, escape};

/// Returns a unified diff of two texts, with their names.
pub(crate) fn unified([before, after]: [&str; 2], old: &str, new: &str) -> String {
    let mut diff = format!("--- {before}\n+++ {after}\n");
    let input = InternedInput::new(old, new);
    let mut lines = Diff::compute(Algorithm::Histogram, &input);
    lines.postprocess_lines(&input);
    let printer = Printer(BasicLineDiffPrinter(&input.interner));
    let _ = write!(diff, "{}", lines.unified_diff(&printer, UnifiedDiffConfig::default(), &input));
    diff
}

/// Colours a diff for a terminal, escaping its text.
pub(crate) fn painted(diff: &str, out: &Output) -> String {
    let mut text = String::new();
    for line in diff.lines() {
        let safe: Vec<_> = line.trim_end_matches('\r').split('\t').map(escape).collect();
        let safe = safe.join("\t");
        let line = match line.as_bytes().first() {
            _ if line.starts_with("---") || line.starts_with("+++") => out.paint.bold(&safe),
            Some(b'+') => out.paint.good(&safe),
            Some(b'-') => out.paint.bad(&safe),
            Some(b'@') => out.paint.dim(&safe),
            _ => safe,
        };
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Prints hunk headers like `diff -u`: the position of an empty range is the line before it.
struct Printer<'a>(BasicLineDiffPrinter<'a, str>);

impl UnifiedDiffPrinter for Printer<'_> {
    fn display_header(
        &self,
        mut f: impl Write,
        start_before: u32,
        start_after: u32,
        len_before: u32,
        len_after: u32,
    ) -> std::fmt::Result {
        let place = |start: u32, length: u32| format!("{},{length}", start + u32::from(length > 0));
        let (before, after) = (place(start_before, len_before), place(start_after, len_after));
        writeln!(f, "@@ -{before} +{after} @@")
    }

    fn display_context_token(&self, f: impl Write, token: Token) -> std::fmt::Result {
        self.0.display_context_token(f, token)
    }

    fn display_hunk(&self, f: impl Write, before: &[Token], after: &[Token]) -> std::fmt::Result {
        self.0.display_hunk(f, before, after)
    }
}
