//! Edits JSON text in place. All bytes outside our entries stay unchanged.
//!
//! The parser returns the positions of values, and each edit replaces a few ranges of the text. Removing an item
//! exactly undoes adding it.

mod container;
mod style;

use std::collections::HashSet;

use jsonc_parser::ast::{self, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, parse_to_ast};
use serde_json::Value as Json;

use self::container::Container;
use self::style::{Layout, Style};
use super::Fault;
use staleness_docs::JSONC_OPTIONS;
use staleness_sources::live::repaired;

/// The byte-order mark, which some editors write at the start of a text.
pub(super) const BOM: char = '\u{feff}';

/// One step on the path to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// A member of an object.
    Key(&'a str),
    /// An element of a list, from 0.
    At(usize),
}

/// A text being edited. It is empty, or its root is an object.
#[derive(Clone, Debug)]
pub(crate) struct Doc {
    bom: bool,
    /// The text in a form that the parser accepts. It has the same length as the file's text.
    text: String,
    /// The text of the file, which may contain an escape for half of a surrogate pair.
    own: String,
}

/// The replacement of a range of the text.
#[derive(Clone, Debug)]
struct Splice {
    from: usize,
    to: usize,
    text: String,
}

impl Splice {
    const fn remove(from: usize, to: usize) -> Self {
        Self { from, to, text: String::new() }
    }

    const fn insert(at: usize, text: String) -> Self {
        Self { from: at, to: at, text }
    }
}

impl Doc {
    /// Parses a text. An empty text, or one with only comments, counts as `{}`.
    pub(crate) fn new(text: &str) -> Result<Self, Fault> {
        let (bom, body) = match text.strip_prefix(BOM) {
            Some(body) => (true, body),
            None => (false, text),
        };
        let text = repaired(body.as_bytes()).into_owned();
        let doc = Self { bom, text, own: body.to_owned() };
        match doc.parse()? {
            None => {}
            Some(root @ Value::Object(_)) => {
                // Clients differ on which of two members with the same key counts.
                if let Some(at) = twice(&root) {
                    return Err(Fault::at(&doc.text, at, "has a duplicate key in an object"));
                }
            }
            Some(other) => {
                return Err(Fault::at(&doc.text, other.range().start, "is not a JSON object"));
            }
        }
        Ok(doc)
    }

    pub(crate) fn finish(self) -> String {
        if self.bom { format!("{BOM}{}", self.own) } else { self.own }
    }

    /// Returns the parsed value, or an empty object if there is none.
    pub(crate) fn value(&self) -> Result<Json, Fault> {
        Ok(self.parse()?.map_or_else(|| Json::Object(serde_json::Map::new()), Into::into))
    }

    /// Returns the line, from 1, on which a value begins.
    pub(crate) fn line_of(&self, path: &[Step<'_>]) -> usize {
        let at =
            self.parse().ok().flatten().and_then(|root| Some(find(&root, path)?.range().start));
        Fault::at(&self.text, at.unwrap_or(0), "").line
    }

    /// Edits the text so that its value becomes `wanted`. All other bytes stay unchanged.
    pub(crate) fn change_to(&mut self, wanted: &Json) -> Result<(), Fault> {
        let now = self.value()?;
        self.change(&mut Vec::new(), &now, wanted)?;
        if self.value()? == *wanted {
            return Ok(());
        }
        let what = "cannot be changed safely: a key may be duplicated";
        Err(Fault { line: 1, what: what.into() })
    }

    fn change<'v>(
        &mut self,
        path: &mut Vec<Step<'v>>,
        now: &'v Json,
        wanted: &'v Json,
    ) -> Result<(), Fault> {
        match (now, wanted) {
            _ if now == wanted => Ok(()),
            (Json::Object(now), Json::Object(wanted)) => {
                for key in now.keys().filter(|key| !wanted.contains_key(*key)) {
                    self.remove(&[path, &[Step::Key(key)][..]].concat())?;
                }
                for (key, value) in wanted {
                    let Some(old) = now.get(key) else {
                        self.insert(path, key, value)?;
                        continue;
                    };
                    path.push(Step::Key(key));
                    self.change(path, old, value)?;
                    path.pop();
                }
                Ok(())
            }
            (Json::Array(now), Json::Array(wanted)) => {
                let mut left = wanted.iter().peekable();
                let is_gone = |(_, each): &(usize, &Json)| left.next_if_eq(each).is_none();
                let gone: Vec<_> = now.iter().enumerate().filter(is_gone).collect();
                if left.peek().is_none() {
                    let mut gone = gone.into_iter().rev();
                    return gone.try_for_each(|(at, _)| {
                        self.remove(&[path, &[Step::At(at)][..]].concat())
                    });
                }
                if wanted.len() < now.len() {
                    return self.replace(path, &wanted.clone().into());
                }
                for (at, each) in wanted.iter().enumerate() {
                    let Some(old) = now.get(at) else {
                        self.push(path, each)?;
                        continue;
                    };
                    path.push(Step::At(at));
                    self.change(path, old, each)?;
                    path.pop();
                }
                Ok(())
            }
            _ => self.replace(path, wanted),
        }
    }

    /// Adds a member at the end of the object at `path`, which must exist.
    fn insert(&mut self, path: &[Step<'_>], key: &str, value: &Json) -> Result<(), Fault> {
        if self.parse()?.is_none() {
            self.begin();
        }
        self.add(path, |layout| {
            format!("{}:{}{}", quote(key), layout.colon(), layout.render(value))
        })
    }

    /// Adds an element at the end of the list at `path`, which must exist.
    fn push(&mut self, path: &[Step<'_>], value: &Json) -> Result<(), Fault> {
        self.add(path, |layout| layout.render(value))
    }

    fn replace(&mut self, path: &[Step<'_>], value: &Json) -> Result<(), Fault> {
        let Some(root) = self.parse()? else { return Ok(()) };
        let Some(old) = find(&root, path) else { return Ok(()) };
        let style = Style::of(&self.text, Some(&root));
        let range = old.range();
        let line = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let inline = path
            .split_last()
            .and_then(|(_, parent)| Container::of(find(&root, parent)?))
            .is_some_and(|parent| parent.is_inline(&self.text));
        let layout = Layout { style: &style, inline, indent: leading(&self.text[line..]).into() };
        let splice = Splice { from: range.start, to: range.end, text: layout.render(value) };
        self.apply(vec![splice]);
        Ok(())
    }

    /// Removes the member or element at `path`, and its comma.
    fn remove(&mut self, path: &[Step<'_>]) -> Result<(), Fault> {
        let Some(root) = self.parse()? else { return Ok(()) };
        let Some((last, parent)) = path.split_last() else { return Ok(()) };
        let Some(parent) = find(&root, parent) else { return Ok(()) };
        let Some(container) = Container::of(parent) else { return Ok(()) };
        let index = match last {
            Step::At(index) => Some(*index),
            Step::Key(key) => parent.as_object().and_then(|object| position(object, key)),
        };
        let Some(index) = index.filter(|index| *index < container.items.len()) else {
            return Ok(());
        };
        let splices = container.without(&self.text, index);
        self.apply(splices);
        Ok(())
    }

    fn parse(&self) -> Result<Option<Value<'_>>, Fault> {
        // The parser's messages may quote the file, which may contain secrets.
        parse_to_ast(&self.text, &CollectOptions::default(), &JSONC_OPTIONS)
            .map(|parsed| parsed.value)
            .map_err(|error| Fault::at(&self.text, error.range().start, "is not valid JSON"))
    }

    /// Adds an empty object to a text without a value.
    fn begin(&mut self) {
        let newline = Style::of(&self.text, None).newline;
        for text in [&mut self.text, &mut self.own] {
            *text = match text.trim_end() {
                "" => format!("{{}}{newline}"),
                comments => format!("{comments}{newline}{{}}{newline}"),
            };
        }
    }

    fn add(
        &mut self,
        path: &[Step<'_>],
        item: impl FnOnce(&Layout<'_>) -> String,
    ) -> Result<(), Fault> {
        let Some(root) = self.parse()? else { return Ok(()) };
        let Some(container) = find(&root, path).and_then(Container::of) else { return Ok(()) };
        let style = Style::of(&self.text, Some(&root));
        // An empty container follows the style of the one around it.
        let around = path
            .split_last()
            .and_then(|(_, parent)| Container::of(find(&root, parent)?))
            .is_some_and(|parent| parent.is_inline(&self.text));
        let splices = container.with(&self.text, &style, around, item);
        self.apply(splices);
        Ok(())
    }

    /// Applies splices, which must not overlap. Splices at the same position keep their order.
    fn apply(&mut self, mut splices: Vec<Splice>) {
        splices.sort_by_key(|splice| splice.from);
        for splice in splices.into_iter().rev() {
            for text in [&mut self.text, &mut self.own] {
                text.replace_range(splice.from..splice.to, &splice.text);
            }
        }
    }
}

fn find<'v, 't>(root: &'v Value<'t>, path: &[Step<'_>]) -> Option<&'v Value<'t>> {
    path.iter().try_fold(root, |value, step| match (value, step) {
        (Value::Object(object), Step::Key(key)) => {
            position(object, key).map(|at| &object.properties[at].value)
        }
        (Value::Array(list), Step::At(at)) => list.elements.get(*at),
        _ => None,
    })
}

/// Returns the byte offset of a duplicate key at any depth.
fn twice(value: &Value<'_>) -> Option<usize> {
    match value {
        Value::Object(object) => {
            let mut seen = HashSet::new();
            object.properties.iter().find_map(|member| {
                let known = !seen.insert(member.name.as_str());
                if known { Some(member.range().start) } else { twice(&member.value) }
            })
        }
        Value::Array(list) => list.elements.iter().find_map(twice),
        _ => None,
    }
}

fn position(object: &ast::Object<'_>, key: &str) -> Option<usize> {
    object.properties.iter().position(|member| member.name.as_str() == key)
}

/// Returns the whitespace at the beginning of a line.
fn leading(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Quotes a string as JSON.
fn quote(text: &str) -> String {
    Json::from(text).to_string()
}

#[cfg(test)]
mod tests;
