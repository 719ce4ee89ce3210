//! Edits of JSON objects and lists: adding and removing an item.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{Scanner, ScannerOptions};

use super::style::{Layout, Style};
use super::{Splice, leading};

/// An object or list, as positions in the text.
#[derive(Debug)]
pub(super) struct Container {
    /// Byte offset of the opening bracket.
    pub(super) start: usize,
    /// Byte offset of the closing bracket.
    pub(super) close: usize,
    /// Start and end of each member or element, as byte offsets.
    pub(super) items: Vec<(usize, usize)>,
}

/// The text between two items: whitespace, comments and at most one comma.
#[derive(Debug)]
struct Gap {
    /// Byte offset of the comma.
    comma: Option<usize>,
    /// Byte offset of the end of the last comma or comment, or of the gap's start if there is none.
    end: usize,
    /// True if the gap ends with a line comment.
    line_comment: bool,
    comments: bool,
}

impl Gap {
    fn of(text: &str, from: usize, to: usize) -> Self {
        let mut gap = Self { comma: None, end: from, line_comment: false, comments: false };
        let mut tokens = Scanner::new(&text[from..to], &ScannerOptions::default());
        while let Ok(Some(token)) = tokens.scan() {
            gap.end = from + tokens.token_end();
            gap.line_comment = matches!(token, Token::CommentLine(_));
            match token {
                Token::Comma => gap.comma = Some(from + tokens.token_start()),
                _ => gap.comments = true,
            }
        }
        gap
    }
}

impl Container {
    /// Returns the positions of an object or list, or `None` for other values.
    pub(super) fn of(value: &Value<'_>) -> Option<Self> {
        let items = match value {
            Value::Object(object) => object
                .properties
                .iter()
                .map(|member| (member.range.start, member.value.range().end))
                .collect(),
            Value::Array(list) => {
                list.elements.iter().map(|each| (each.range().start, each.range().end)).collect()
            }
            _ => return None,
        };
        let range = value.range();
        Some(Self { start: range.start, close: range.end - 1, items })
    }

    /// Returns the byte offset after the opening bracket.
    const fn open(&self) -> usize {
        self.start + 1
    }

    /// Returns true if items share lines. An empty container is inline if it has no newline.
    pub(super) fn is_inline(&self, text: &str) -> bool {
        let to = self.items.first().map_or(self.close, |first| first.0);
        !text[self.open()..to].contains('\n')
    }

    /// Returns the edits that add an item at the end. `around` is true if the container around this one is inline.
    pub(super) fn with(
        &self,
        text: &str,
        style: &Style,
        around: bool,
        item: impl FnOnce(&Layout<'_>) -> String,
    ) -> Vec<Splice> {
        let newline = style.newline;
        let outer = self.indent(text);
        let Some(last) = self.items.last() else {
            let gap = Gap::of(text, self.open(), self.close);
            if around && self.is_inline(text) {
                let layout = Layout { style, inline: true, indent: outer };
                let blank = if gap.comments { " " } else { style.pad };
                let item = format!("{blank}{}{}", item(&layout), style.pad);
                return vec![Splice { from: gap.end, to: self.close, text: item }];
            }
            let indent = format!("{outer}{}", style.unit);
            let layout = Layout { style, inline: false, indent: indent.clone() };
            let item = format!("{newline}{indent}{}{newline}{outer}", item(&layout));
            return vec![Splice { from: gap.end, to: self.close, text: item }];
        };
        let before = self.items.len().checked_sub(2).map_or(self.open(), |at| self.items[at].1);
        let gap = Gap::of(text, last.1, self.close);
        let inline = !text[before..last.0].contains('\n') && !gap.line_comment;
        let indent = self.indent_of_items(text).unwrap_or_else(|| format!("{outer}{}", style.unit));
        let layout = Layout { style, inline, indent: indent.clone() };
        let item = item(&layout);
        let trailing = if gap.comma.is_some() { "," } else { "" };
        let item = if inline {
            format!("{}{item}{trailing}", style.comma)
        } else {
            format!("{newline}{indent}{item}{trailing}")
        };
        let mut splices = vec![Splice::insert(gap.end, item)];
        if gap.comma.is_none() {
            splices.insert(0, Splice::insert(last.1, ",".into()));
        }
        splices
    }

    /// Returns the edits that remove an item with the whitespace before it and one comma. Comments stay, because they
    /// may be about anything.
    pub(super) fn without(&self, text: &str, index: usize) -> Vec<Splice> {
        let (from, to) = self.items[index];
        let previous = index.checked_sub(1).map_or(self.open(), |at| self.items[at].1);
        let next = self.items.get(index + 1).map_or(self.close, |next| next.0);
        let before = Gap::of(text, previous, from);
        let after = Gap::of(text, to, next);
        if self.items.len() == 1 && !before.comments && !after.comments {
            return vec![Splice::remove(self.open(), self.close)];
        }
        let first_inline = index == 0 && !text[self.open()..from].contains('\n');
        if first_inline && self.items.len() > 1 && !after.comments {
            return vec![Splice::remove(from, next)];
        }
        let mut splices = vec![Splice::remove(before.end, to)];
        match (after.comma, before.comma) {
            (Some(comma), _) if text[to..comma].trim().is_empty() => splices[0].to = comma + 1,
            (Some(comma), _) => splices.push(Splice::remove(comma, comma + 1)),
            (None, Some(comma)) if comma + 1 == before.end => {
                splices[0].from = text[..comma].trim_end().len();
            }
            (None, Some(comma)) => splices.push(Splice::remove(comma, comma + 1)),
            (None, None) => {}
        }
        splices
    }

    /// Returns the indentation of the line with the opening bracket.
    fn indent(&self, text: &str) -> String {
        let line = text[..self.start].rfind('\n').map_or(0, |at| at + 1);
        leading(&text[line..]).to_owned()
    }

    /// Returns the indentation of the last item that begins a line.
    fn indent_of_items(&self, text: &str) -> Option<String> {
        self.items.iter().rev().find_map(|(from, _)| {
            let line = text[self.open()..*from].rfind('\n')? + self.open() + 1;
            let blanks = &text[line..*from];
            (leading(blanks) == blanks).then(|| blanks.to_owned())
        })
    }
}
