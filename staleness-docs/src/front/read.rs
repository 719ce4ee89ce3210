//! Reads the fields of front matter and their positions.

use std::ops::Range;

use super::quoted::unquote;

/// The largest front matter to read, in bytes.
const MAX_BYTES: usize = 64 * 1024;
/// Maximum number of fields to read.
const MAX_ENTRIES: usize = 1_000;
/// Maximum number of entries to read per list.
const MAX_LIST: usize = 1_000;

/// Syntax of front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Between lines of `---`.
    Yaml,
    /// Between lines of `+++`.
    Toml,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A single value without its quotes.
    Text(String),
    List(Vec<String>),
    /// Nested fields, or a value that cannot be parsed.
    Other,
}

/// One top-level field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(super) key: String,
    pub(crate) value: Value,
    /// The byte range of the field's lines, including line ends.
    pub(super) lines: Range<usize>,
    /// The byte range of the field's value, without a trailing comment. Empty if the value is on other lines.
    pub(super) place: Range<usize>,
    /// True if the whole field is on one line.
    pub(super) one_line: bool,
    /// Line of the field in the file, counted from 1.
    pub(crate) line: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Front {
    pub(super) style: Style,
    pub(super) entries: Vec<Entry>,
    /// Offset of the closing line.
    pub(super) end: usize,
    /// Offset of the text after the front matter.
    pub(crate) body: usize,
}

impl Front {
    /// Returns the last field with one of these names, in lower case with `_` for `-`.
    pub(crate) fn get<'a>(&'a self, names: &'a [&'a str]) -> Option<&'a Entry> {
        self.named(names).last()
    }

    /// Returns all fields with one of these names.
    pub(super) fn named<'a>(&'a self, names: &'a [&'a str]) -> impl Iterator<Item = &'a Entry> {
        self.entries.iter().filter(move |entry| {
            let key = entry.key.to_ascii_lowercase().replace('-', "_");
            names.contains(&key.as_str())
        })
    }
}

/// Reads the front matter of a text. Returns `None` if the text has no front matter.
pub(crate) fn read(text: &str) -> Result<Option<Front>, &'static str> {
    let skipped = text.len() - text.trim_start_matches('\u{feff}').len();
    let rest = &text[skipped..];
    let style = match rest.lines().next().map(str::trim_end) {
        Some("---") => Style::Yaml,
        Some("+++") => Style::Toml,
        _ => return Ok(None),
    };
    let mut front = Front { style, entries: Vec::new(), end: 0, body: 0 };
    let start = skipped + rest.find('\n').map_or(rest.len(), |at| at + 1);
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let closes = match style {
            Style::Yaml => matches!(line.trim_end(), "---" | "..."),
            Style::Toml => line.trim_end() == "+++",
        };
        if closes {
            front.end = at;
            front.body = at + line.len();
            front.entries = entries(text, &lines, style)?;
            let says_else = || lines.iter().any(|line| is_text(&text[line.clone()]));
            if style == Style::Yaml && front.entries.is_empty() && says_else() {
                // The text is between two horizontal rules.
                return Ok(None);
            }
            return Ok(Some(front));
        }
        lines.push(at..at + line.len());
        at += line.len();
        if at - start > MAX_BYTES {
            // A horizontal rule before a long text is not front matter.
            let looks_so =
                lines.first().is_some_and(|line| key(&text[line.clone()], style).is_some());
            return if looks_so { Err("has front matter of more than 64 KiB") } else { Ok(None) };
        }
    }
    Ok(None)
}

/// Returns the start of front matter that is a single mapping in braces, which is not supported.
pub(crate) fn in_braces(text: &str) -> Option<usize> {
    let mut lines = text.split_inclusive('\n');
    let rule = lines.next()?;
    if rule.trim_start_matches('\u{feff}').trim_end() != "---" {
        return None;
    }
    let (mut at, mut first, mut last) = (rule.len(), None, "");
    for line in lines {
        let is_end = matches!(line.trim_end(), "---" | "...");
        if is_end || first.is_none() && is_text(line) && !opens_mapping(line) {
            return first.filter(|_| is_end && last.ends_with('}'));
        }
        if is_text(line) {
            first = first.or(Some(at));
            last = line.trim_end();
        }
        at += line.len();
    }
    None
}

/// Returns true if a line begins a mapping. `{{`, `{%` and `{#` begin a template expression.
fn opens_mapping(line: &str) -> bool {
    let inner = line.trim_start().strip_prefix('{');
    inner.is_some_and(|inner| !inner.starts_with(['{', '%', '#']))
}

/// Returns true if a line is neither empty nor a comment.
fn is_text(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

fn entries(text: &str, lines: &[Range<usize>], style: Style) -> Result<Vec<Entry>, &'static str> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = &text[lines[at].clone()];
        if style == Style::Toml && line.starts_with('[') {
            break;
        }
        let Some((name, value_at)) = key(line, style) else {
            at += 1;
            continue;
        };
        if all.len() == MAX_ENTRIES {
            return Err("has front matter of more than 1000 fields");
        }
        let first = &line[value_at..];
        let more = continuation(text, &lines[at + 1..], first, style);
        let rest: Vec<&str> =
            lines[at + 1..=at + more].iter().map(|range| &text[range.clone()]).collect();
        let (value, place) = value(first, &rest, style);
        let offset = lines[at].start + value_at;
        all.push(Entry {
            key: name,
            value,
            lines: lines[at].start..lines[at + more].end,
            place: offset + place.start..offset + place.end,
            one_line: more == 0,
            line: u32::try_from(at).unwrap_or(u32::MAX - 2) + 2,
        });
        at += more + 1;
    }
    Ok(all)
}

/// Returns the key at the start of a line, and the offset of its value.
fn key(line: &str, style: Style) -> Option<(String, usize)> {
    let sign = match style {
        Style::Yaml => ':',
        Style::Toml => '=',
    };
    let first = line.chars().next()?;
    let (name, rest) = if let quote @ ('"' | '\'') = first {
        let end = line[1..].find(quote)? + 1;
        (&line[1..end], &line[end + 1..])
    } else {
        let end = line.find(|c: char| c == sign || c.is_whitespace())?;
        (&line[..end], &line[end..])
    };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || name.starts_with('-') || !name.chars().all(plain) {
        return None;
    }
    let rest = rest.trim_start_matches([' ', '\t']).strip_prefix(sign)?;
    let spaced = rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']);
    (spaced || style == Style::Toml).then(|| (name.to_owned(), line.len() - rest.len()))
}

/// Counts the lines that continue the value that begins with `first`.
fn continuation(text: &str, lines: &[Range<usize>], first: &str, style: Style) -> usize {
    // Computed once, because the first line may be as long as all others together.
    let first = first.trim();
    let open = first.starts_with('[') && !without_comment(first, style).trim_end().ends_with(']');
    let mut count = 0;
    match style {
        Style::Yaml => {
            let nothing = strip_comment(first, style).is_empty();
            let mut last = 0;
            for range in lines {
                let line = &text[range.clone()];
                count += 1;
                if line.trim().is_empty() {
                    continue;
                }
                // A list may have the same indentation as its key.
                let list = nothing && (line.starts_with("- ") || line.trim() == "-");
                if !(line.starts_with([' ', '\t']) || list || open && line.starts_with(']')) {
                    break;
                }
                last = count;
            }
            last
        }
        Style::Toml => {
            let text_block = ["\"\"\"", "'''"]
                .into_iter()
                .find(|quote| first.starts_with(quote) && !first[3..].contains(quote));
            for range in lines {
                let line = &text[range.clone()];
                if text_block.is_none() && !open {
                    break;
                }
                count += 1;
                let ends = match text_block {
                    Some(quote) => line.contains(quote),
                    None => without_comment(line, style).trim_end().ends_with(']'),
                };
                if ends {
                    break;
                }
            }
            count
        }
    }
}

/// Parses a value. Also returns its range on the line of the key.
fn value(first: &str, rest: &[&str], style: Style) -> (Value, Range<usize>) {
    let lead = first.len() - first.trim_start_matches([' ', '\t']).len();
    let line = first.trim_end();
    let from = lead.min(line.len());
    let shown = &line[from..];
    if let Some(quote @ ('"' | '\'')) = shown.chars().next() {
        let triple =
            style == Style::Toml && shown.get(..3).is_some_and(|s| s == "\"\"\"" || s == "'''");
        if triple || !rest.is_empty() {
            return (Value::Other, from..line.len());
        }
        return match unquote(shown, quote) {
            Some((text, end)) => (Value::Text(text), from..from + end),
            None => (Value::Other, from..line.len()),
        };
    }
    let plain = if shown.starts_with('[') {
        without_comment(shown, style)
    } else {
        strip_comment(shown, style)
    };
    let plain = plain.trim_end();
    let place = from..from + plain.len();
    if plain.starts_with('[') {
        let lines = std::iter::once(plain).chain(rest.iter().copied());
        return (between_brackets(lines, style), place);
    }
    if plain.starts_with(['{', '|', '>']) && style == Style::Yaml || plain.starts_with('{') {
        return (Value::Other, place);
    }
    if rest.is_empty() {
        let empty = style == Style::Yaml && matches!(plain, "~" | "null" | "Null" | "NULL");
        return (Value::Text(if empty { String::new() } else { plain.to_owned() }), place);
    }
    // A bracketed list may begin below its key.
    let below = rest.iter().position(|line| is_text(line)).map_or(&[][..], |at| &rest[at..]);
    if plain.is_empty() && below.first().is_some_and(|line| line.trim_start().starts_with('[')) {
        return (between_brackets(below.iter().copied(), style), place);
    }
    if plain.is_empty() && rest.iter().all(|line| is_of_list(line)) {
        let items = rest.iter().filter_map(|line| line.trim().strip_prefix('-'));
        return (
            Value::List(
                items
                    .map(|item| scalar(item, style))
                    .filter(|item| !item.is_empty())
                    .take(MAX_LIST)
                    .collect(),
            ),
            place,
        );
    }
    (Value::Other, place)
}

/// Parses a bracketed list on one or more lines.
fn between_brackets<'a>(lines: impl Iterator<Item = &'a str>, style: Style) -> Value {
    let lines: Vec<&str> = lines.map(|line| without_comment(line.trim(), style)).collect();
    let whole = lines.join(" ");
    let inner = whole.trim().strip_prefix('[').and_then(|text| text.trim_end().strip_suffix(']'));
    inner.map_or(Value::Other, |inner| Value::List(flow(inner, style)))
}

fn is_of_list(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#') || line == "-" || line.starts_with("- ")
}

/// Parses a single value without quotes and comment.
fn scalar(text: &str, style: Style) -> String {
    let text = text.trim();
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            unquote(text, quote).map_or_else(|| text[1..].to_owned(), |(text, _)| text)
        }
        _ => strip_comment(text, style).trim_end().to_owned(),
    }
}

/// Splits the entries of a bracketed list.
fn flow(inner: &str, style: Style) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = inner.trim();
    while !rest.is_empty() && all.len() < MAX_LIST {
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let quoted = quote.and_then(|quote| unquote(rest, quote));
        let from = quoted.map_or(0, |(_, end)| end);
        let end = rest[from..].find(',').map_or(rest.len(), |at| from + at);
        let item = scalar(&rest[..end], style);
        if !item.is_empty() {
            all.push(item);
        }
        rest = rest.get(end + 1..).unwrap_or_default().trim_start();
    }
    all
}

/// Strips the comment after an unquoted value. In TOML, no space is needed before the comment.
pub(super) fn strip_comment(text: &str, style: Style) -> &str {
    &text[..(0..text.len()).find(|at| begins_comment(text, *at, style)).unwrap_or(text.len())]
}

#[cfg(test)]
std::thread_local! {
    /// Number of bytes searched for comments.
    pub(super) static LOOKED_AT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Strips the trailing comment of a line in a list. A `#` in quotes does not begin a comment.
fn without_comment(line: &str, style: Style) -> &str {
    #[cfg(test)]
    LOOKED_AT.set(LOOKED_AT.get() + line.len());
    let mut at = 0;
    // True if an item of the list may begin here.
    let mut begins = true;
    while let Some(c) = line[at..].chars().next() {
        if begins_comment(line, at, style) {
            return &line[..at];
        }
        let is_quote = begins && matches!(c, '"' | '\'');
        let quoted = is_quote.then(|| unquote(&line[at..], c)).flatten().map(|(_, end)| end);
        begins = matches!(c, '[' | ',') || begins && c.is_whitespace();
        at += quoted.unwrap_or(c.len_utf8());
    }
    line
}

fn begins_comment(text: &str, at: usize, style: Style) -> bool {
    let bytes = text.as_bytes();
    let alone = || style == Style::Toml || at == 0 || matches!(bytes[at - 1], b' ' | b'\t');
    bytes[at] == b'#' && alone()
}
