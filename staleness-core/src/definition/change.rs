//! Compares two versions of a definition and classifies each difference.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::suspect::{COMMENT, ENV, Finding, MANY, NOT_SHOWN, TOOL, words_of};
use super::{DefinitionVersion, Part};
use crate::text::wording;

wording! {
    /// The class of a change, from least to most serious.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum ChangeClass {
        /// Only wording changed.
        Wording = "wording",
        /// The tool accepts more input: a new optional parameter, or more values.
        Widened = "widened",
        /// The tool accepts less input: a removed parameter, a new required one, or fewer values.
        Narrowed = "narrowed",
        /// The tool may have more effects: a hint now says that it writes, destroys, or reaches other systems.
        Effects = "effects",
        /// The definition contains suspicious text: a new address, orders to the model, or hidden characters.
        Suspicious = "suspicious",
    }
}

/// One difference between two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The class of the difference.
    pub class: ChangeClass,
    /// A description in this program's own words. The name may follow it.
    pub what: &'static str,
    /// The path of a parameter, or a host. The server chose this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Difference {
    /// Returns the description without the name.
    pub fn alone(&self) -> &'static str {
        match self.what {
            ADDRESS => "names a new address",
            NAMED => "names another tool",
            what => what.trim_end_matches(':'),
        }
    }
}

const ADDRESS: &str = "names the address";
const NAMED: &str = "names the tool";

const MAX_DIFFERENCES: usize = 100;

/// The maximum length of a name, in characters.
const MAX_NAME: usize = 200;

/// Returns the most serious class. `None` if there are no differences.
pub(super) fn class(differences: &[Difference]) -> Option<ChangeClass> {
    differences.iter().map(|each| each.class).max()
}

/// Returns the differences from the accepted version: first suspicious ones, then a deprecation, then the others from
/// the most serious class to the least. Without an accepted version, returns only findings that are suspicious by
/// themselves, which addresses are not.
pub(super) fn differences(
    before: Option<&DefinitionVersion>,
    now: &DefinitionVersion,
) -> Vec<Difference> {
    let mut all = Differences(BTreeSet::new());
    if let Some(before) = before {
        if digest(&before.others) == digest(&now.others) {
            all.parts(before, now);
        } else {
            all.all_of_its_name(before, now);
        }
    }
    // A new text may repeat an accepted order with a different meaning, so accepting one text does not accept another:
    // its orders count as new.
    let mut known = before.map(|before| before.found.clone()).unwrap_or_default();
    let is_new = |each: &Finding| matches!(each, Finding::Text(_)) && !known.contains(each);
    if now.found.iter().any(is_new) {
        known.retain(|each| !matches!(each, Finding::Order(_) | Finding::Hidden));
    }
    if before.is_some_and(|before| !before.is_same(now)) {
        known.remove(&Finding::Order(MANY.to_owned()));
    }
    for finding in now.found.difference(&known) {
        match finding {
            Finding::Address(_, _) if before.is_none() => {}
            Finding::Address(host, _) => {
                let (what, name) = match host.as_str() {
                    COMMENT => (NOT_SHOWN, None),
                    ENV => ("mentions secret files", None),
                    tool if tool.starts_with(TOOL) => (NAMED, Some(tool)),
                    host => (ADDRESS, Some(host)),
                };
                all.add(ChangeClass::Suspicious, what, name);
            }
            Finding::Order(what) => all.add(ChangeClass::Suspicious, words_of(what), None),
            Finding::Text(_) => {}
            Finding::Hidden => all.add(ChangeClass::Suspicious, "contains hidden characters", None),
            Finding::Mixed(word) => {
                all.add(ChangeClass::Suspicious, "contains look-alike letters:", Some(word));
            }
        }
    }
    let mut all: Vec<_> = all.0.into_iter().collect();
    all.reverse();
    all.sort_by_key(|(class, what, _)| (*class != ChangeClass::Suspicious, *what != DEPRECATED));
    let told = all.into_iter().take(MAX_DIFFERENCES);
    told.map(|(class, what, name)| Difference { class, what, name }).collect()
}

fn digest(part: &Option<Part>) -> Option<&str> {
    part.as_ref().map(|part| part.digest.as_str())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

struct Differences(BTreeSet<(ChangeClass, &'static str, Option<String>)>);

pub(super) const DESCRIPTION: &str = "changed description";
pub(super) const DESCRIPTION_BEYOND: &str = "description changed after the part that is stored";
const LOST: &str = "lost";
const MORE: &str = "also takes";
const DEPRECATED: &str = "now says that it is deprecated";
const NEW: &str = "now has a schema for";
const OPENED: &str = "now allows unknown fields in";
const CLOSED: &str = "no longer allows unknown fields in";
const DEFAULT: &str = "changed the default of";

/// A placeholder for the whole input or output while the side is unknown.
const ALL: &str = "*";

impl Differences {
    fn add(&mut self, class: ChangeClass, what: &'static str, name: Option<&str>) {
        let name = name.map(|name| name.chars().take(MAX_NAME).collect());
        self.0.insert((class, what, name));
    }

    fn parts(&mut self, before: &DefinitionVersion, now: &DefinitionVersion) {
        if digest(&before.title) != digest(&now.title) {
            self.add(ChangeClass::Wording, "changed title", None);
        }
        if digest(&before.description) != digest(&now.description) {
            let text = |part: &Option<Part>| part.as_ref().map(|part| part.text.clone());
            let what = match text(&before.description) == text(&now.description) {
                true => DESCRIPTION_BEYOND,
                false => DESCRIPTION,
            };
            self.add(ChangeClass::Wording, what, None);
            let is_deprecated = |part: &Option<Part>| {
                text(part).is_some_and(|text| text.to_lowercase().contains("deprecated"))
            };
            if is_deprecated(&now.description) && !is_deprecated(&before.description) {
                self.add(ChangeClass::Wording, DEPRECATED, None);
            }
        }
        self.schemas(&before.input, &now.input, Side::Input);
        self.schemas(&before.output, &now.output, Side::Output);
        self.hints(&before.annotations, &now.annotations);
    }

    /// Compares each new tool of this name with the most similar removed one, or with the most similar old one if none
    /// was removed. The order of the tools does not matter.
    fn all_of_its_name(&mut self, before: &DefinitionVersion, now: &DefinitionVersion) {
        const OTHERS: &str = "changed other tools with its name";
        let (Some(old), Some(new)) = (before.all_of_its_name(), now.all_of_its_name()) else {
            self.parts(before, now);
            return self.add(ChangeClass::Narrowed, OTHERS, None);
        };
        let without = |all: &[DefinitionVersion], other: &[DefinitionVersion]| {
            let is_same = |each: &DefinitionVersion| other.iter().any(|other| other.is_same(each));
            all.iter().filter(|each| !is_same(each)).cloned().collect::<Vec<_>>()
        };
        let (gone, new) = (without(&old, &new), without(&new, &old));
        let like = if gone.is_empty() { &old } else { &gone };
        for now in &new {
            let compared = like.iter().map(|before| {
                let mut all = Self(BTreeSet::new());
                all.parts(before, now);
                all.0
            });
            let least = compared.min_by_key(|all| (all.last().map(|each| each.0), all.len()));
            // An additional tool is reported as such below. Its own differences are reported only if they may add
            // effects or are suspicious.
            let is_told = |class| !gone.is_empty() || class > ChangeClass::Narrowed;
            self.0.extend(least.into_iter().flatten().filter(|each| is_told(each.0)));
        }
        if new.len() > gone.len() {
            self.add(ChangeClass::Narrowed, OTHERS, None);
        } else if new.is_empty() && !gone.is_empty() {
            self.add(ChangeClass::Wording, OTHERS, None);
        }
    }

    fn schemas(&mut self, before: &Option<Part>, now: &Option<Part>, side: Side) {
        if digest(before) == digest(now) {
            return;
        }
        let parsed = |part: &Part| serde_json::from_str::<Value>(&part.text).ok();
        let mut found = Self(BTreeSet::new());
        match (before, now) {
            (Some(before), Some(now)) => match (parsed(before), parsed(now)) {
                (Some(old), Some(new)) => found.schema(&old, &new, ""),
                // A truncated part cannot be parsed.
                _ => found.add(ChangeClass::Narrowed, "changed schema, too large to compare", None),
            },
            (None, _) => found.add(ChangeClass::Widened, NEW, Some(ALL)),
            (_, None) => found.add(ChangeClass::Narrowed, LOST, Some(ALL)),
        }
        if found.0.is_empty() {
            let [before, now] = [before, now].map(|part| part.as_ref().and_then(parsed));
            let what = match before.as_ref().map(descriptions) == now.as_ref().map(descriptions) {
                true => "changed schema, with the same rules",
                false => "changed parameter descriptions",
            };
            found.add(ChangeClass::Wording, what, None);
        }
        for (class, what, name) in found.0 {
            let class = match (side, what) {
                // A reader of an answer misses fields that were removed. It can ignore all other changes.
                (Side::Output, MORE | NEW | DEFAULT) => ChangeClass::Wording,
                (Side::Output, _) if what != LOST => class.min(ChangeClass::Widened),
                _ => class,
            };
            let is_all = side == Side::Input && name.as_deref() == Some(ALL);
            let what = match what {
                OPENED if is_all => "now allows unknown fields at the top level",
                CLOSED if is_all => "no longer allows unknown fields at the top level",
                what => what,
            };
            let name = name.filter(|_| !is_all || !what.ends_with("level"));
            let name = name.map(|name| match (side, name.as_str()) {
                (Side::Input, ALL) => "input".to_owned(),
                (Side::Input, _) => name,
                (Side::Output, ALL) => "output".to_owned(),
                (Side::Output, _) => format!("output:{name}"),
            });
            self.0.insert((class, what, name));
        }
    }

    fn schema(&mut self, old: &Value, new: &Value, path: &str) {
        use ChangeClass::{Narrowed, Widened};
        let named = Some(if path.is_empty() { ALL } else { path });
        let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else {
            if old != new {
                self.add(Narrowed, "changed rule for", named);
            }
            return;
        };
        let (had, has) = (members(old, "properties"), members(new, "properties"));
        let (needed, needs) = (texts(old, "required"), texts(new, "required"));
        let described = had.into_iter().chain(has).flat_map(Map::keys).map(String::as_str);
        let names: BTreeSet<&str> = described.chain(needed.union(&needs).copied()).collect();
        for name in names {
            let path = below(path, name);
            let (was, is) = [had, has].map(|all| all.and_then(|all| all.get(name))).into();
            let is_new = needs.contains(name) && !needed.contains(name);
            match (was, is) {
                (Some(was), Some(is)) => self.schema(was, is, &path),
                (Some(_), None) => self.add(Narrowed, LOST, Some(&path)),
                (None, Some(_)) if !is_new => self.add(Widened, MORE, Some(&path)),
                (None, _) => {}
            }
            if is_new {
                self.add(Narrowed, "now requires", Some(&path));
            } else if needed.contains(name)
                && !needs.contains(name)
                && was.is_some() == is.is_some()
            {
                self.add(Widened, "no longer requires", Some(&path));
            }
        }
        if let (Some(old), Some(new)) = (old.get("items"), new.get("items")) {
            self.schema(old, new, path);
        }
        // A call that omits the parameter has another meaning now.
        let default =
            |of: &Map<String, Value>| of.get("default").filter(|it| !it.is_null()).cloned();
        if default(old).is_some_and(|old| default(new) != Some(old)) {
            self.add(Narrowed, DEFAULT, named);
        }
        self.values(old.get("enum").map(elements), new.get("enum").map(elements), named);
        // The protocol allows only objects at the top level, even without a schema.
        let types = |of: &Map<String, Value>| {
            let root = || path.is_empty().then(|| BTreeSet::from(["object".to_owned()]));
            of.get("type").or(any_of_types(of).as_ref()).map(types).or_else(root)
        };
        self.values(types(old), types(new), named);
        let both = |key: &str| old.contains_key(key) && new.contains_key(key);
        let is_compared = |key: &str| match key {
            "properties" | "required" | "enum" | "type" => true,
            "items" => both(key),
            _ => WORDS.contains(&key),
        };
        let rest = |key: &&String| !is_compared(key.as_str());
        let keys: BTreeSet<&String> = old.keys().chain(new.keys()).filter(rest).collect();
        for key in keys {
            let is_open = key == "additionalProperties";
            let rule = |of: &Map<String, Value>| {
                let is_types = key == "anyOf" && any_of_types(of).is_some();
                of.get(key).filter(|rule| !(is_types || is_open && **rule == true)).cloned()
            };
            let (old, new) = (rule(old), rule(new));
            if old == new {
                continue;
            }
            let (class, what) = match (&old, &new) {
                (Some(_), None) if is_open => (Widened, OPENED),
                (None, Some(_)) if is_open => (Narrowed, CLOSED),
                (old, new) => match limit(key, old.as_ref(), new.as_ref()) {
                    Some(told) => told,
                    None if new.is_none() => (Widened, "drops a rule for"),
                    None if old.is_none() => (Narrowed, "has a new rule for"),
                    None => (Narrowed, "changed rule for"),
                },
            };
            self.add(class, what, named);
        }
    }

    /// Compares sets of allowed values. An absent set allows every value.
    fn values(
        &mut self,
        old: Option<BTreeSet<String>>,
        new: Option<BTreeSet<String>>,
        named: Option<&str>,
    ) {
        let is_fewer = match (&old, &new) {
            (Some(old), Some(new)) => !old.is_subset(new),
            (old, new) => old.is_none() && new.is_some(),
        };
        if old == new {
        } else if is_fewer {
            self.add(ChangeClass::Narrowed, "takes fewer values for", named);
        } else {
            self.add(ChangeClass::Widened, "takes more values for", named);
        }
    }

    fn hints(&mut self, before: &Option<Part>, now: &Option<Part>) {
        if digest(before) == digest(now) {
            return;
        }
        let what = match (before, now) {
            (None, _) => "now has hints",
            (_, None) => "no longer has hints",
            _ => "changed hints",
        };
        self.add(ChangeClass::Wording, what, None);
        // The rest of a truncated part is unknown.
        let is_cut = |part: &Option<Part>| {
            part.as_ref().is_some_and(|part| serde_json::from_str::<Value>(&part.text).is_err())
        };
        if is_cut(before) || is_cut(now) {
            self.add(ChangeClass::Effects, "changed hints, too large to compare", None);
        }
        let (before, now) = (risks(before), risks(now));
        for ((what, was), (_, is)) in before.into_iter().zip(now) {
            if is && !was {
                self.add(ChangeClass::Effects, what, None);
            }
        }
    }
}

/// Keys of a schema that do not restrict the valid values.
const WORDS: [&str; 9] = [
    "title",
    "description",
    "default",
    "examples",
    "$comment",
    "$schema",
    "$id",
    "deprecated",
    "x-order",
];

/// Returns the effect of changing a rule that limits a value, a length or a number of elements. `None` for other rules.
fn limit(
    key: &str,
    old: Option<&Value>,
    new: Option<&Value>,
) -> Option<(ChangeClass, &'static str)> {
    use ChangeClass::{Narrowed, Widened};
    let is_least = key.starts_with("min") || key == "exclusiveMinimum";
    if !is_least && !key.starts_with("max") && key != "exclusiveMaximum" {
        return None;
    }
    let none = if is_least { f64::NEG_INFINITY } else { f64::INFINITY };
    let number = |rule: Option<&Value>| rule.map_or(Some(none), Value::as_f64);
    let (old, new) = (number(old)?, number(new)?);
    Some(match (is_least, new > old) {
        (true, true) => (Narrowed, "raises the minimum for"),
        (true, false) => (Widened, "lowers the minimum for"),
        (false, true) => (Widened, "raises the maximum for"),
        (false, false) => (Narrowed, "lowers the maximum for"),
    })
}

/// Returns the names of all properties in a schema.
pub(super) fn names(schema: &str) -> BTreeSet<String> {
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let mut all = BTreeSet::new();
    let mut left = vec![&schema];
    while let Some(value) = left.pop() {
        match value {
            Value::Object(schema) => {
                let properties = members(schema, "properties").into_iter().flat_map(Map::keys);
                all.extend(properties.map(|name| name.chars().take(MAX_NAME).collect::<String>()));
                left.extend(schema.values());
            }
            Value::Array(elements) => left.extend(elements),
            _ => {}
        }
    }
    all
}

fn descriptions(schema: &Value) -> Vec<&str> {
    let mut all = Vec::new();
    let mut left = vec![schema];
    while let Some(value) = left.pop() {
        match value {
            Value::Object(members) => {
                all.extend(members.get("description").and_then(Value::as_str));
                left.extend(members.values());
            }
            Value::Array(elements) => left.extend(elements),
            _ => {}
        }
    }
    all
}

/// Returns the risks of a tool according to its hints. A missing hint has the default of the protocol.
fn risks(part: &Option<Part>) -> [(&'static str, bool); 4] {
    let hints: Value =
        part.as_ref().and_then(|part| serde_json::from_str(&part.text).ok()).unwrap_or(Value::Null);
    let hint = |key: &str, default: bool| hints[key].as_bool().unwrap_or(default);
    let writes = !hint("readOnlyHint", false);
    [
        ("may now write", writes),
        ("may now destroy", writes && hint("destructiveHint", true)),
        ("is no longer safe to repeat", writes && !hint("idempotentHint", false)),
        ("may now reach other systems", hint("openWorldHint", true)),
    ]
}

fn members<'v>(schema: &'v Map<String, Value>, key: &str) -> Option<&'v Map<String, Value>> {
    schema.get(key).and_then(Value::as_object)
}

fn texts<'v>(schema: &'v Map<String, Value>, key: &str) -> BTreeSet<&'v str> {
    let list = schema.get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn elements(list: &Value) -> BTreeSet<String> {
    list.as_array().into_iter().flatten().map(ToString::to_string).collect()
}

/// Returns the types of a schema whose `anyOf` consists only of types. `None` for other schemas.
fn any_of_types(schema: &Map<String, Value>) -> Option<Value> {
    let all = schema.get("anyOf").filter(|_| !schema.contains_key("type"))?.as_array()?;
    let one = |of: &Value| of.as_object().filter(|of| of.len() == 1)?.get("type").cloned();
    all.iter().map(one).collect()
}

/// Returns the types that a schema allows. `number` includes integers.
fn types(value: &Value) -> BTreeSet<String> {
    let one = value.as_str().map(ToOwned::to_owned);
    let many = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut types: BTreeSet<String> = one.into_iter().chain(many.map(ToOwned::to_owned)).collect();
    if types.contains("number") {
        types.insert("integer".to_owned());
    }
    types
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests;
