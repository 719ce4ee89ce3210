//! Extracts outlines of JSON files: only the parts that readers need.
//!
//! A client's file may contain megabytes of history and half a million servers. To bound memory, only the outline is
//! parsed into a tree.

use std::path::Path;

use jsonc_parser::tokens::Token;
use jsonc_parser::{Scanner, ScannerOptions};

use crate::json::{Fault, fault_of};
use crate::text::{Content, Liberties, json_text, line_at};
use staleness_docs::JSONC_OPTIONS;
use staleness_docs::disk::shown;

/// Maximum number of values in an outline.
const MAX_VALUES: usize = 50_000;

/// Maximum size of an outline, in bytes.
const MAX_BYTES: usize = 2 << 20;

/// Maximum nesting of objects, members and lists. The parser has the same limit.
const MAX_DEPTH: usize = 512;

/// The parts of a value to keep. A member without a shape is dropped with its key.
///
/// The type of a value is always kept. Contents that are not needed are replaced by an empty string, list or object, or
/// by 0.
pub(crate) struct Shape {
    /// True to keep the text of a string.
    pub(crate) text: bool,
    /// Shapes of members to keep, by key.
    pub(crate) members: &'static [(&'static str, &'static Self)],
    /// The shape of all other members.
    pub(crate) others: Option<&'static Self>,
    pub(crate) elements: Option<&'static Self>,
    /// True for a member of a launch, which may contain secrets. Its texts are kept only to start it, and so is the
    /// whole member unless the shape of its object names it.
    pub(crate) starts: bool,
}

impl Shape {
    /// Keeps only the type of a value, and the value of a Boolean.
    pub(crate) const PLAIN: Self =
        Self { text: false, members: &[], others: None, elements: None, starts: false };

    /// Keeps these members of an object.
    pub(crate) const fn of(members: &'static [(&'static str, &'static Self)]) -> Self {
        Self { members, ..Self::PLAIN }
    }

    /// Keeps all members of an object, each with this shape.
    pub(crate) const fn map(others: &'static Self) -> Self {
        Self { others: Some(others), ..Self::PLAIN }
    }

    fn member(&self, key: &str, to_start: bool) -> Option<&'static Self> {
        let named = self.members.iter().find(|(name, _)| *name == key);
        let others = || self.others.filter(|shape| to_start || self.starts || !shape.starts);
        named.map(|(_, shape)| *shape).or_else(others)
    }
}

/// Creates the outline of a file. With `to_start`, the outline keeps the members of launches and must not be stored.
pub(crate) fn outline_of_file(
    path: &Path,
    bytes: Vec<u8>,
    shape: &'static Shape,
    to_start: bool,
) -> Content {
    match json_text(path, bytes) {
        Content::Text(text, Liberties { mark, .. }) => match outline(&text, shape, to_start) {
            Ok((outline, liberties)) => Content::Text(outline, Liberties { mark, ..liberties }),
            Err((line, what)) => Content::Failed(format!("{}:{line}: {what}", shown(path))),
        },
        other => other,
    }
}

/// Creates the outline of a text: JSON without comments, in which each kept value stays on its original line. Also
/// returns the places that are not strict JSON.
pub(crate) fn outline(
    text: &str,
    shape: &'static Shape,
    to_start: bool,
) -> Result<(String, Liberties), Fault> {
    let options = ScannerOptions {
        allow_single_quoted_strings: JSONC_OPTIONS.allow_single_quoted_strings,
        allow_hexadecimal_numbers: JSONC_OPTIONS.allow_hexadecimal_numbers,
        allow_unary_plus_numbers: JSONC_OPTIONS.allow_unary_plus_numbers,
        allow_bare_decimal_point_numbers: JSONC_OPTIONS.allow_bare_decimal_point_numbers,
        allow_non_finite_numbers: JSONC_OPTIONS.allow_non_finite_numbers,
        allow_extended_string_escapes: JSONC_OPTIONS.allow_extended_string_escapes,
    };
    let scanner = Scanner::new(text, &options);
    let liberties = Liberties::default();
    let mut outliner =
        Outliner { text, scanner, out: String::new(), copied: 0, values: 0, liberties, to_start };
    let Some(token) = outliner.next()? else { return Err((1, "the file is empty")) };
    outliner.value(Some(token), Some(shape), Within { start: 0, depth: 0 })?;
    match outliner.next()? {
        None => Ok((outliner.out, outliner.liberties)),
        Some(_) => Err(outliner.invalid()),
    }
}

#[derive(Clone, Copy)]
struct Within {
    /// Byte offset of the enclosing member or list.
    start: usize,
    /// Number of enclosing objects, members and lists.
    depth: usize,
}

struct Outliner<'t> {
    text: &'t str,
    scanner: Scanner<'t>,
    out: String,
    /// Byte offset in `text` up to which newlines were copied to `out`.
    copied: usize,
    values: usize,
    liberties: Liberties,
    to_start: bool,
}

impl<'t> Outliner<'t> {
    /// Returns the next token that is not a comment.
    fn next(&mut self) -> Result<Option<Token<'t>>, Fault> {
        loop {
            let end = self.scanner.token_end();
            let token = self.scanner.scan().map_err(|error| fault_of(self.text, &error))?;
            self.look_for_odd_characters(end, token.as_ref());
            match token {
                Some(Token::CommentLine(_) | Token::CommentBlock(_)) => {
                    let start = self.scanner.token_start();
                    self.liberties.comment.get_or_insert_with(|| line_at(self.text, start));
                }
                token => return Ok(token),
            }
        }
    }

    /// Checks a string token, and the whitespace between it and the previous token's `end`, for characters
    /// that strict JSON does not allow.
    fn look_for_odd_characters(&mut self, end: usize, token: Option<&Token<'t>>) {
        if self.liberties.character.is_some() {
            return;
        }
        let start = token.map_or(self.text.len(), |_| self.scanner.token_start());
        let blanks = &self.text.as_bytes()[end..start];
        let mut odd = blanks.iter().position(|byte| !b" \t\r\n".contains(byte)).map(|at| end + at);
        if odd.is_none() && matches!(token, Some(Token::String(_))) {
            let string = &self.text.as_bytes()[start..self.scanner.token_end()];
            odd = string.iter().position(|byte| *byte < b' ').map(|at| start + at);
        }
        self.liberties.character = odd.map(|at| line_at(self.text, at));
    }

    /// Returns the token after a comma. Strict JSON does not allow a closing bracket there.
    fn after_comma(&mut self) -> Result<Option<Token<'t>>, Fault> {
        let comma = self.scanner.token_start();
        let token = self.next()?;
        if matches!(token, Some(Token::CloseBrace | Token::CloseBracket)) {
            self.liberties.comma.get_or_insert_with(|| line_at(self.text, comma));
        }
        Ok(token)
    }

    fn value(
        &mut self,
        token: Option<Token<'t>>,
        shape: Option<&'static Shape>,
        within: Within,
    ) -> Result<(), Fault> {
        if within.depth > MAX_DEPTH {
            return Err(self.fault(within.start, "nested too deeply"));
        }
        if shape.is_some() {
            self.values += 1;
            if self.values > MAX_VALUES {
                let at = self.scanner.token_start();
                return Err(self.fault(at, "more than 50000 values"));
            }
        }
        match token {
            Some(Token::OpenBrace) => self.object(shape, within.depth + 1),
            Some(Token::OpenBracket) => self.list(shape, within.depth + 1),
            Some(Token::String(_)) if shape.is_some_and(|shape| self.keeps_text(shape)) => {
                self.keep_token()
            }
            Some(Token::String(_)) => self.put(shape, "\"\""),
            Some(Token::Boolean(true)) => self.put(shape, "true"),
            Some(Token::Boolean(false)) => self.put(shape, "false"),
            Some(Token::Number(_)) => self.put(shape, "0"),
            Some(Token::Null) => self.put(shape, "null"),
            _ => Err(self.invalid()),
        }
    }

    const fn keeps_text(&self, shape: &Shape) -> bool {
        shape.text && (self.to_start || !shape.starts)
    }

    fn object(&mut self, shape: Option<&'static Shape>, depth: usize) -> Result<(), Fault> {
        let start = self.scanner.token_start();
        self.put(shape, "{")?;
        let mut separator = "";
        let mut token = self.next()?;
        loop {
            let at = self.scanner.token_start();
            let member = match &token {
                Some(Token::CloseBrace) => break,
                Some(Token::String(key)) => {
                    shape.and_then(|shape| shape.member(key, self.to_start))
                }
                Some(_) => return Err(self.invalid()),
                None => return Err(self.fault(start, "unexpected end of file")),
            };
            if member.is_some() {
                self.put(member, separator)?;
                self.keep_token()?;
                self.out.push(':');
                separator = ",";
            }
            if !matches!(self.next()?, Some(Token::Colon)) {
                return Err(self.invalid());
            }
            token = self.next()?;
            self.value(token, member, Within { start: at, depth: depth + 1 })?;
            let end = self.scanner.token_end();
            token = self.next()?;
            token = match token {
                Some(Token::Comma) => self.after_comma()?,
                Some(
                    Token::String(_)
                    | Token::Word(_)
                    | Token::Number(_)
                    | Token::Boolean(_)
                    | Token::Null,
                ) => return Err(self.fault(end, INVALID)),
                token => token,
            };
        }
        // The line of a closing bracket is not needed.
        self.out.extend(shape.map(|_| '}'));
        Ok(())
    }

    fn list(&mut self, shape: Option<&'static Shape>, depth: usize) -> Result<(), Fault> {
        let start = self.scanner.token_start();
        let element = shape.and_then(|shape| shape.elements);
        self.put(shape, "[")?;
        let mut separator = "";
        let mut token = self.next()?;
        loop {
            match token {
                Some(Token::CloseBracket) => break,
                None => return Err(self.fault(start, "unexpected end of file")),
                _ => {}
            }
            self.put(element, separator)?;
            separator = ",";
            self.value(token, element, Within { start, depth })?;
            let end = self.scanner.token_end();
            token = self.next()?;
            token = match token {
                Some(Token::Comma) => self.after_comma()?,
                Some(
                    Token::OpenBrace
                    | Token::OpenBracket
                    | Token::String(_)
                    | Token::Number(_)
                    | Token::Boolean(_)
                    | Token::Null,
                ) => return Err(self.fault(end, INVALID)),
                token => token,
            };
        }
        self.out.extend(shape.map(|_| ']'));
        Ok(())
    }

    /// Writes `text` in the line of the current token, if `kept` is set.
    fn put(&mut self, kept: Option<&'static Shape>, text: &str) -> Result<(), Fault> {
        if kept.is_some() {
            self.copy_line_ends(text.len())?;
            self.out.push_str(text);
        }
        Ok(())
    }

    /// Writes the current token unchanged.
    fn keep_token(&mut self) -> Result<(), Fault> {
        let end = self.scanner.token_end();
        self.copy_line_ends(end - self.scanner.token_start())?;
        self.out.push_str(&self.text[self.copied..end]);
        self.copied = end;
        Ok(())
    }

    /// Copies the newlines before the current token. Errors if the newlines and `more` bytes exceed the limit.
    fn copy_line_ends(&mut self, more: usize) -> Result<(), Fault> {
        let start = self.scanner.token_start();
        let skipped = &self.text.as_bytes()[self.copied..start];
        let lines = skipped.iter().filter(|byte| **byte == b'\n').count();
        if self.out.len() + lines + more > MAX_BYTES {
            return Err(self.fault(start, "more than 2 MiB of text and lines"));
        }
        self.out.extend(std::iter::repeat_n('\n', lines));
        self.copied = start;
        Ok(())
    }

    fn fault(&self, offset: usize, what: &'static str) -> Fault {
        (line_at(self.text, offset), what)
    }

    /// Creates the error for an unexpected token.
    fn invalid(&self) -> Fault {
        self.fault(self.scanner.token_start(), INVALID)
    }
}

const INVALID: &str = "not valid JSON";

#[cfg(test)]
#[path = "outline_tests.rs"]
pub(crate) mod tests;
