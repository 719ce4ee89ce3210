//! Parses the values of fields.

use std::collections::BTreeSet;

use staleness_core::ids::ItemId;
use staleness_core::knowledge::ItemKind;
use staleness_core::time::Timestamp;

use super::Field;
use super::read::{Entry, Front, Value};
use crate::date;

/// The fields of a file that could be parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) id: Option<ItemId>,
    /// The kind, if the whole file is an item.
    pub(crate) kind: Option<ItemKind>,
    pub(crate) keywords: BTreeSet<String>,
    pub(crate) added: Option<Timestamp>,
    pub(crate) version_context: Option<String>,
    pub(crate) last_recalled: Option<Timestamp>,
    pub(crate) recalls: u64,
    pub(crate) evergreen: bool,
    pub(crate) expires: Option<Timestamp>,
    pub(crate) verified: Option<Timestamp>,
    /// Citations as written, with their lines.
    pub(crate) cite: Vec<(String, u32)>,
    pub(crate) supersedes: BTreeSet<ItemId>,
    pub(crate) related: BTreeSet<ItemId>,
    pub(crate) due: Option<Timestamp>,
    pub(crate) done: bool,
    /// The line of each field to which a finding may refer.
    pub(crate) lines: Vec<(Field, u32)>,
    /// Values that could not be parsed: the line and the reason.
    pub(crate) faults: Vec<(u32, String)>,
}

impl Fields {
    pub(crate) fn line(&self, field: Field) -> Option<u32> {
        self.lines.iter().find(|(each, _)| *each == field).map(|(_, line)| *line)
    }
}

pub(crate) fn fields(front: &Front) -> Fields {
    let mut fields = Fields::default();
    for entry in &front.entries {
        let Some(field) = Field::of_key(&entry.key) else {
            continue;
        };
        if field == Field::Kind && is_of_others(front, entry) {
            continue;
        }
        fields.lines.retain(|(each, _)| *each != field);
        fields.lines.push((field, entry.line));
        if let Err(why) = fields.take(field, entry) {
            fields.faults.push((entry.line, format!("`{}` {why}", entry.key)));
        }
    }
    fields
}

/// Returns true if `type` probably belongs to another program, because most of the fields beside it do.
fn is_of_others(front: &Front, entry: &Entry) -> bool {
    let known = front.entries.iter().filter(|each| Field::of_key(&each.key).is_some()).count() - 1;
    entry.key.eq_ignore_ascii_case("type") && 2 * known < front.entries.len() - 1
}

impl Fields {
    fn take(&mut self, field: Field, entry: &Entry) -> Result<(), String> {
        match field {
            Field::Id => {
                self.id = text(entry)?.map(ItemId::new).transpose().map_err(|e| e.to_string())?
            }
            Field::Kind => {
                // An unknown kind may belong to another program.
                self.kind = text(entry)?
                    .and_then(|word| ItemKind::from_word(&word.to_ascii_lowercase()))
                    .filter(|kind| *kind != ItemKind::Document);
            }
            Field::Keywords => self.keywords = words(entry)?.into_iter().collect(),
            Field::Added => self.added = day(entry)?,
            Field::VersionContext => {
                self.version_context =
                    text(entry)?.map(str::to_owned).filter(|word| word != "none");
            }
            Field::LastRecalled => self.last_recalled = day(entry)?,
            Field::RecallCount => {
                let number = text(entry)?.map(str::parse).transpose();
                self.recalls = number.map_err(|_| "is not a number")?.unwrap_or(0);
            }
            Field::Evergreen => self.evergreen = flag(entry)?,
            Field::Expires => self.expires = day(entry)?,
            Field::Verified => self.verified = day(entry)?,
            Field::Cite => self.cite = words(entry)?.into_iter().map(|w| (w, entry.line)).collect(),
            Field::Supersedes => self.supersedes = ids(entry)?,
            Field::Related => self.related = ids(entry)?,
            Field::Due => self.due = day(entry)?,
            Field::Status => {
                let done = |word: &str| matches!(word, "done" | "completed" | "complete");
                self.done = text(entry)?.is_some_and(|word| done(&word.to_ascii_lowercase()));
            }
        }
        Ok(())
    }
}

fn text(entry: &Entry) -> Result<Option<&str>, String> {
    match &entry.value {
        Value::Text(text) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
        Value::List(list) if list.is_empty() => Ok(None),
        Value::List(_) | Value::Other => Err("is not one value on one line".to_owned()),
    }
}

fn day(entry: &Entry) -> Result<Option<Timestamp>, String> {
    let Some(text) = text(entry)? else {
        return Ok(None);
    };
    let at = date::parse(text).ok_or_else(|| format!("is not a date; use {}", date::FORMS));
    at.map(Some)
}

fn flag(entry: &Entry) -> Result<bool, String> {
    match text(entry)?.map(str::to_ascii_lowercase).as_deref() {
        Some("true" | "yes" | "on") => Ok(true),
        None | Some("false" | "no" | "off") => Ok(false),
        Some(_) => Err("is not true or false".to_owned()),
    }
}

/// Returns the words of a list. A single value may contain several words, separated by commas.
fn words(entry: &Entry) -> Result<Vec<String>, String> {
    match &entry.value {
        Value::Text(text) => {
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            Ok(words.map(str::to_owned).collect())
        }
        Value::List(list) => Ok(list.clone()),
        Value::Other => Err("is not a list of values".to_owned()),
    }
}

fn ids(entry: &Entry) -> Result<BTreeSet<ItemId>, String> {
    words(entry)?.into_iter().map(|word| ItemId::new(word).map_err(|why| why.to_string())).collect()
}
