//! Detects the formatting style of a JSON text, and formats values in that style.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use serde_json::Value as Json;

use super::container::Container;
use super::quote;

/// The formatting style of a text, with common defaults for properties that the text does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// The line ending: LF or CRLF.
    pub(super) newline: &'static str,
    /// One level of indentation.
    pub(super) unit: String,
    /// The space after a colon, or nothing.
    pub(super) colon: &'static str,
    /// The space after a comma on the same line, or nothing.
    pub(super) comma: &'static str,
    /// The space inside the braces of a one-line object, or nothing.
    pub(super) pad: &'static str,
}

impl Style {
    pub(super) fn of(text: &str, root: Option<&Value<'_>>) -> Self {
        let crlf = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
        let mut seen = PartialStyle::default();
        if let Some(root) = root {
            seen.look(text, root);
        }
        let blank = |seen: Option<bool>, otherwise: bool| {
            if seen.unwrap_or(otherwise) { " " } else { "" }
        };
        let colon = seen.colon.unwrap_or(true);
        Self {
            newline: if crlf { "\r\n" } else { "\n" },
            unit: seen.unit.unwrap_or_else(|| "  ".into()),
            colon: blank(seen.colon, true),
            comma: blank(seen.comma, colon),
            pad: blank(seen.pad, false),
        }
    }
}

/// The parts of the style detected so far.
#[derive(Debug, Default)]
struct PartialStyle {
    unit: Option<String>,
    colon: Option<bool>,
    comma: Option<bool>,
    pad: Option<bool>,
}

impl PartialStyle {
    fn look(&mut self, text: &str, value: &Value<'_>) {
        let Some(container) = Container::of(value) else { return };
        let is_blank = |at: usize| text.as_bytes().get(at) == Some(&b' ');
        if let Value::Object(object) = value {
            for member in &object.properties {
                let between = &text[member.range.start..member.value.range().start];
                self.colon.get_or_insert(between.ends_with([' ', '\n', '\t']));
            }
            if container.is_inline(text) && !container.items.is_empty() {
                self.pad.get_or_insert(is_blank(container.start + 1));
            }
        }
        for pair in container.items.windows(2) {
            let between = &text[pair[0].1..pair[1].0];
            if !between.contains('\n') {
                self.comma.get_or_insert(between.ends_with(' '));
            }
        }
        if let Some((first, _)) = container.items.first().filter(|_| !container.is_inline(text)) {
            let blanks = |at: usize| {
                let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
                super::leading(&text[line..]).to_owned()
            };
            let (outer, inner) = (blanks(container.start), blanks(*first));
            if let Some(unit) = inner.strip_prefix(&outer).filter(|unit| !unit.is_empty()) {
                self.unit.get_or_insert(unit.to_owned());
            }
        }
        match value {
            Value::Object(object) => {
                object.properties.iter().for_each(|member| self.look(text, &member.value));
            }
            Value::Array(list) => list.elements.iter().for_each(|each| self.look(text, each)),
            _ => {}
        }
    }
}

/// The style and the position for formatting a value.
#[derive(Clone, Debug)]
pub(super) struct Layout<'s> {
    pub(super) style: &'s Style,
    /// True to write the value on one line.
    pub(super) inline: bool,
    /// The indentation of the value's first line.
    pub(super) indent: String,
}

impl Layout<'_> {
    /// Returns the space after a colon, or nothing.
    pub(super) const fn colon(&self) -> &'static str {
        self.style.colon
    }

    pub(super) fn render(&self, value: &Json) -> String {
        let style = self.style;
        let (brackets, items): ([char; 2], Vec<(Option<&str>, &Json)>) = match value {
            Json::Object(object) => {
                (['{', '}'], object.iter().map(|(key, each)| (Some(key.as_str()), each)).collect())
            }
            Json::Array(list) => (['[', ']'], list.iter().map(|each| (None, each)).collect()),
            scalar => return scalar.to_string(),
        };
        let [open, close] = brackets;
        // Lists of scalars stay on one line.
        let short =
            open == '[' && items.iter().all(|(_, each)| !each.is_object() && !each.is_array());
        let inline = self.inline || short || items.is_empty();
        let indent = format!("{}{}", self.indent, style.unit);
        let inner = Layout { style, inline, indent: indent.clone() };
        let items: Vec<String> = items
            .into_iter()
            .map(|(key, each)| match key {
                Some(key) => format!("{}:{}{}", quote(key), style.colon, inner.render(each)),
                None => inner.render(each),
            })
            .collect();
        if inline {
            let pad = if open == '{' && !items.is_empty() { style.pad } else { "" };
            return format!("{open}{pad}{}{pad}{close}", items.join(&format!(",{}", style.comma)));
        }
        let newline = style.newline;
        let items = items.join(&format!(",{newline}{indent}"));
        format!("{open}{newline}{indent}{items}{newline}{}{close}", self.indent)
    }
}
