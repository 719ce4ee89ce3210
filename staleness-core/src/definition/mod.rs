//! Definitions of tools as servers list them. A definition is pinned when it is first seen.

mod canonical;
mod change;
mod policy;
mod suspect;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::ids::ToolKey;
use crate::text::nested;
use crate::time::Timestamp;
use crate::tool::{ListingState, Tool};
use canonical::{canonical, count, hex};

pub(crate) use canonical::digest_of_all;
pub use change::{ChangeClass, Difference};
pub use policy::{DefinitionPolicy, Treatment};
pub use suspect::Finding;

/// The definition of a tool: the accepted version, and a later one if it changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The tool.
    pub key: ToolKey,
    /// The time at which the definition was first seen.
    pub pinned_at: Timestamp,
    /// The version that was seen last.
    #[serde(with = "nested")]
    pub current: DefinitionVersion,
    /// The time at which the current version was first seen.
    pub since: Timestamp,
    /// The previous version, or the last accepted one while a change is pending.
    #[serde(with = "nested")]
    pub previous: Option<DefinitionVersion>,
    /// The class of the change that awaits a person's decision.
    pub pending: Option<ChangeClass>,
    /// The number of changes seen.
    pub changes: u32,
    /// The class of the last change that the journal records, and its time.
    #[serde(with = "nested")]
    pub journalled: Option<(ChangeClass, Timestamp)>,
}

/// One version of a definition, by its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefinitionVersion {
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Part>,
    /// The description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Part>,
    /// The schema of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Part>,
    /// The schema of the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Part>,
    /// The hints on effects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Part>,
    /// The definitions of other tools that the same server lists under this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<Part>,
    /// The icons and `_meta`. Stored only if they contain a finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Part>,
    /// The findings in the complete text of every part.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub found: BTreeSet<Finding>,
    /// The time at which the server listed this version again after a pending version had replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed_again: Option<Timestamp>,
    /// The parameters of earlier accepted versions that later versions do not have, at most
    /// [`DefinitionVersion::MAX_LOST`].
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub lost: BTreeSet<String>,
    /// The worst version that was replaced before a person accepted it, if this version does not show its changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<Box<Self>>,
}

/// One part of a definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The SHA-256 of the part's canonical JSON, in hexadecimal digits.
    pub digest: String,
    /// The text of a title or description; canonical JSON for other parts. Truncated to
    /// [`DefinitionVersion::MAX_PART_BYTES`].
    pub text: String,
    /// The length of the complete text in characters, if it was truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chars: Option<u32>,
}

/// The parts of a definition, by their keys in a `tools/list` result.
const PARTS: [&str; 5] = ["title", "description", "inputSchema", "outputSchema", "annotations"];

/// Other keys of a tool that contain text from its server.
const METADATA: [&str; 2] = ["icons", "_meta"];

/// The minimum time between two journal entries for changes of the same class, in milliseconds.
const JOURNAL_AGAIN: i64 = Timestamp::DAY;

impl Part {
    fn new(value: &Value) -> Option<Self> {
        let json = match value {
            Value::Null => return None,
            value => canonical(value),
        };
        let digest = hex(&Sha256::digest(&json));
        let text = if let Value::String(text) = value { text } else { &json };
        let most = text.len().min(DefinitionVersion::MAX_PART_BYTES);
        let cut = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let chars = (cut < text.len()).then(|| count(text));
        Some(Self { digest, text: text[..cut].to_owned(), chars })
    }
}

fn members_of(object: &Map<String, Value>, keys: &[&str]) -> Map<String, Value> {
    let members = keys.iter().filter_map(|key| object.get_key_value(*key));
    members.map(|(key, value)| (key.clone(), value.clone())).collect()
}

impl DefinitionVersion {
    /// The maximum stored length of a part, in bytes. The digest covers the complete text.
    pub const MAX_PART_BYTES: usize = 16 * 1024;

    /// The maximum number of lost parameters to store.
    pub const MAX_LOST: usize = 100;

    /// Returns the definition of a tool from its entry in a `tools/list` result.
    pub fn of(tool: &Map<String, Value>) -> Self {
        let part = |key: &str| tool.get(key).and_then(Part::new);
        let name = tool.get("name").and_then(Value::as_str);
        let parts = PARTS.iter().filter_map(|key| tool.get(*key));
        let found = suspect::findings(name, parts);
        // A client may show the metadata to a model. It changes often, and icons contain addresses.
        let metadata = Value::Object(members_of(tool, &METADATA));
        let mut odd = suspect::findings(None, std::iter::once(&metadata));
        odd.retain(|each| !each.is_address() && !each.is_many());
        Self {
            title: part("title"),
            description: part("description"),
            input: part("inputSchema"),
            output: part("outputSchema"),
            annotations: part("annotations"),
            others: None,
            metadata: (!odd.is_empty()).then(|| Part::new(&metadata)).flatten(),
            found: suspect::bounded(&found | &odd),
            ..Self::default()
        }
    }

    /// Adds the definitions of other tools that the server lists under the same name, because a client may show any of
    /// them to a model.
    #[must_use]
    pub fn with_others(mut self, others: &[Self]) -> Self {
        let mut all = self.others();
        all.extend(others.iter().flat_map(Self::each));
        all.sort_by_cached_key(canonical);
        all.dedup();
        let found = others.iter().fold(self.found, |found, other| &found | &other.found);
        self.found = suspect::bounded(found);
        self.others = Part::new(&Value::Array(all));
        self
    }

    fn others(&self) -> Vec<Value> {
        let Some(part) = &self.others else { return Vec::new() };
        match serde_json::from_str(&part.text) {
            Ok(Value::Array(all)) if part.chars.is_none() => all,
            // The rest of the list is unknown.
            _ => vec![Value::from(vec![&*part.text, &*part.digest])],
        }
    }

    fn each(&self) -> Vec<Value> {
        let mut own = self.to_map();
        own.remove("others");
        std::iter::once(own.into()).chain(self.others()).collect()
    }

    /// Returns true if this version contains every tool of the other version.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        if self.is_same(other) || self.others.is_none() {
            return self.is_same(other);
        }
        let all = self.each();
        other.each().iter().all(|each| all.contains(each))
    }

    /// Merges the definitions of a tool from several lists. The order of the lists does not affect the result.
    pub(crate) fn union<'v>(versions: impl IntoIterator<Item = &'v Self>) -> Cow<'v, Self> {
        let mut all: Vec<&Self> = versions.into_iter().collect();
        all.sort_by_cached_key(|each| each.digest());
        all.dedup_by(|one, other| one.is_same(other));
        match all.as_slice() {
            [] => Cow::Owned(Self::default()),
            [one] => Cow::Borrowed(one),
            [first, others @ ..] => {
                let others: Vec<Self> = others.iter().map(|each| (*each).clone()).collect();
                Cow::Owned((*first).clone().with_others(&others))
            }
        }
    }

    /// Returns the parts by name. A truncated part includes the digest of its complete text.
    fn to_map(&self) -> Map<String, Value> {
        let value = |name: &str, part: &Part| match name {
            _ if part.chars.is_some() => Value::from(vec![&*part.text, &*part.digest]),
            "title" | "description" => part.text.as_str().into(),
            _ => serde_json::from_str(&part.text).unwrap_or_else(|_| part.text.as_str().into()),
        };
        self.parts().map(|(name, part)| (name.to_owned(), value(name, part))).collect()
    }

    /// Returns the definitions of all tools with this name. `None` if a part was truncated.
    fn all_of_its_name(&self) -> Option<Vec<Self>> {
        let others = self.others.as_ref().map_or("[]", |part| &part.text);
        let mut all: Vec<Map<String, Value>> = serde_json::from_str(others).ok()?;
        let mut own = self.to_map();
        own.remove("others");
        all.push(own);
        let is_cut = |each: &Map<String, Value>| each.values().any(Value::is_array);
        (!all.iter().any(is_cut)).then(|| all.iter().map(Self::of).collect())
    }

    /// Returns the names of the parameters and of the fields of the results. `None` if a part was truncated.
    fn names(&self) -> Option<BTreeSet<String>> {
        let all = self.all_of_its_name()?;
        let schemas = all.iter().flat_map(|each| each.input.iter().chain(&each.output));
        Some(schemas.flat_map(|part| change::names(&part.text)).collect())
    }

    /// Returns the existing parts, by their keys in a `tools/list` result. The keys `others` and `metadata` are this
    /// program's own.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &Part)> {
        let parts = [
            &self.title,
            &self.description,
            &self.input,
            &self.output,
            &self.annotations,
            &self.others,
            &self.metadata,
        ];
        let names = PARTS.into_iter().chain(["others", "metadata"]);
        names.zip(parts).filter_map(|(name, part)| Some((name, part.as_ref()?)))
    }

    /// Returns the number of characters of the description and the input schema.
    pub(crate) fn chars(&self) -> u32 {
        let parts = self.description.iter().chain(&self.input);
        let chars = parts.map(|part| part.chars.unwrap_or_else(|| count(&part.text)));
        chars.fold(0, u32::saturating_add)
    }

    /// Returns the SHA-256 of the digests of all parts, in hexadecimal digits.
    pub fn digest(&self) -> String {
        let lines = self.parts().map(|(name, part)| format!("{name} {}\n", part.digest));
        hex(&Sha256::digest(lines.collect::<String>()))
    }

    /// The number of digits of the digest by which a person identifies a version.
    pub const NAMED_BY: usize = 16;

    /// Returns true if `digits` are the first digits of the digest, and enough to identify it.
    pub(crate) fn is_named(&self, digits: &str) -> bool {
        digits.len() >= Self::NAMED_BY && self.digest().starts_with(digits)
    }

    fn is_same(&self, other: &Self) -> bool {
        let digests =
            |of: &Self| of.parts().map(|(n, p)| (n, p.digest.clone())).collect::<Vec<_>>();
        digests(self) == digests(other)
    }
}

impl Definition {
    /// Pins a definition when it is first seen. A suspicious definition is pending from the start.
    pub(crate) fn pin(
        key: ToolKey,
        version: DefinitionVersion,
        policy: &DefinitionPolicy,
        at: Timestamp,
    ) -> Self {
        let pending = Self::class_at_first_sight(&version).filter(|class| policy.waits(*class));
        Self {
            key,
            pinned_at: at,
            current: version,
            since: at,
            previous: None,
            pending,
            changes: 0,
            journalled: pending.map(|class| (class, at)),
        }
    }

    /// Returns the class of a version that is suspicious by itself. `None` if it is not.
    pub(crate) fn class_at_first_sight(version: &DefinitionVersion) -> Option<ChangeClass> {
        change::class(&change::differences(None, version))
    }

    /// Returns true if a person need not accept anything in this version.
    pub(crate) fn accepts(&self, version: &DefinitionVersion) -> bool {
        self.accepted().is_some_and(|accepted| accepted.contains(version))
    }

    /// Returns the class of a change in one list while the other lists still have the accepted version. `None` if
    /// nothing changed.
    pub(crate) fn class_of(
        &self,
        version: &DefinitionVersion,
        beside: &[&DefinitionVersion],
    ) -> Option<ChangeClass> {
        if self.accepts(version) {
            return None;
        }
        let now = DefinitionVersion::union(beside.iter().copied().chain([version]));
        change::class(&change::differences(self.accepted(), &now))
    }

    /// Returns the version that was last pinned or accepted. `None` while the first version is pending.
    pub fn accepted(&self) -> Option<&DefinitionVersion> {
        if self.pending.is_some() { self.previous.as_ref() } else { Some(&self.current) }
    }

    /// Returns the time at which the server reverted the pending change, listing the accepted version again. `None` if
    /// it did not.
    pub fn taken_back(&self) -> Option<Timestamp> {
        self.pending.and(self.previous.as_ref()?.listed_again)
    }

    /// Returns the version that the server lists now. No other version can be accepted.
    pub fn listed(&self) -> &DefinitionVersion {
        self.previous.as_ref().filter(|_| self.taken_back().is_some()).unwrap_or(&self.current)
    }

    /// Returns the description of the accepted version.
    pub(crate) fn description(&self) -> Option<String> {
        Tool::description_of(&self.accepted()?.description.as_ref()?.text)
    }

    /// Returns the differences of the current version, from the accepted version if it is pending, otherwise from the
    /// previous one.
    pub fn differences(&self) -> Vec<Difference> {
        if self.previous.is_none() && self.pending.is_none() {
            return Vec::new();
        }
        let before = self.previous.as_ref();
        let now = change::differences(before, &self.current);
        let mut all = self.current.worst.as_ref().map_or_else(Vec::new, |worst| {
            let mut of_worst = change::differences(before, worst);
            of_worst.retain(|each| Some(each.class) == self.pending && !now.contains(each));
            of_worst
        });
        all.extend(now);
        for each in all.iter_mut().filter(|_| self.key.name.is_server_entry()) {
            each.what = match each.what {
                change::DESCRIPTION => "changed instructions",
                change::DESCRIPTION_BEYOND => "instructions changed after the part that is stored",
                other => other,
            };
        }
        all
    }

    /// Returns the worst version that is replaced without having been accepted, if the new version does not show its
    /// changes.
    fn worst(&self, now: &[Difference], policy: &DefinitionPolicy) -> Option<DefinitionVersion> {
        let accepted = self.accepted();
        let all = [Some(&self.current), self.current.worst.as_deref()].into_iter().flatten();
        let all = all.map(|each| (change::differences(accepted, each), each));
        let (differences, worst) = all.max_by_key(|(differences, _)| change::class(differences))?;
        let is_hidden = |each: &Difference| {
            policy.state(Some(each.class)) == ListingState::Withheld && !now.contains(each)
        };
        let without = || DefinitionVersion { lost: BTreeSet::new(), worst: None, ..worst.clone() };
        differences.iter().any(is_hidden).then(without)
    }

    /// Records the version that a server lists now. Returns the class of a change if the journal should record one.
    pub(crate) fn see(
        &mut self,
        now: &DefinitionVersion,
        policy: &DefinitionPolicy,
        at: Timestamp,
    ) -> Option<ChangeClass> {
        self.follow(policy);
        let again = self.previous.as_mut().and_then(|previous| previous.listed_again.take());
        if now.is_same(&self.current) {
            return None;
        }
        let is_withheld = self.state(policy) == ListingState::Withheld;
        let accepted = self.accepted().cloned();
        let is_accepted = accepted.as_ref().is_some_and(|accepted| now.is_same(accepted));
        // A reverted change that withholds the tool stays pending: a person still has to review its text.
        if is_withheld && is_accepted {
            if let Some(previous) = &mut self.previous {
                previous.listed_again = again.or(Some(at));
            }
            return None;
        }
        let differences = change::differences(accepted.as_ref(), now);
        let class = change::class(&differences).unwrap_or(ChangeClass::Wording);
        let pending = (policy.waits(class) && !is_accepted).then_some(class);
        // The pending changes were already reported. The journal records what this version adds to them.
        let told = if self.pending.is_none_or(|waits| class > waits) {
            class
        } else {
            let step = change::class(&change::differences(Some(&self.current), now));
            class.min(step.unwrap_or(ChangeClass::Wording))
        };
        let mut lost = std::mem::take(&mut self.current.lost);
        // If a part is truncated, the lost parameters are unknown.
        if let Some(has) = now.names() {
            let had = accepted.as_ref().and_then(DefinitionVersion::names).unwrap_or_default();
            let all = lost.union(&had).filter(|name| !has.contains(*name));
            lost = all.take(DefinitionVersion::MAX_LOST).cloned().collect();
        }
        let worst = if is_withheld { self.worst(&differences, policy) } else { None };
        let now = DefinitionVersion { lost, worst: worst.map(Box::new), ..now.clone() };
        let before = std::mem::replace(&mut self.current, now);
        self.previous = if is_accepted { Some(before) } else { accepted };
        self.pending = if is_withheld { self.pending.max(pending) } else { pending };
        self.since = at;
        self.changes = self.changes.saturating_add(1);
        let is_news = self
            .journalled
            .is_none_or(|(known, when)| told > known || at.millis_since(when) >= JOURNAL_AGAIN);
        if is_news {
            self.journalled = Some((told, at));
        }
        is_news.then_some(told)
    }

    /// Accepts a pending change if the policy only counts changes of its class.
    pub(crate) fn follow(&mut self, policy: &DefinitionPolicy) {
        if self.pending.is_some_and(|class| !policy.waits(class)) {
            self.accept();
        }
    }

    /// Drops the pending change, for a client whose server did not make it.
    pub(crate) fn forget_pending(&mut self) {
        if let Some(accepted) = self.accepted().cloned() {
            (self.current, self.previous) = (accepted, None);
        }
        self.pending = None;
    }

    /// Returns the class of the pending change for a tool in this state. If the change withholds the tool only for
    /// another client's server, a usable tool has the most serious class that leaves it usable.
    pub(crate) fn waiting(
        &self,
        state: ListingState,
        policy: &DefinitionPolicy,
    ) -> Option<ChangeClass> {
        let pending = self.pending?;
        if state == ListingState::Configured || policy.state(Some(pending)) <= state {
            return Some(pending);
        }
        let classes = self.differences().into_iter().map(|each| each.class);
        classes.filter(|class| policy.state(Some(*class)) == state).max()
    }

    /// Accepts the version that the server lists now.
    pub(crate) fn accept(&mut self) {
        self.current.worst = None;
        if let Some(at) = self.taken_back()
            && let Some(previous) = &mut self.previous
        {
            previous.listed_again = None;
            std::mem::swap(previous, &mut self.current);
            self.since = at;
            self.current.worst = None;
        }
        self.pending = None;
    }

    /// Returns the state of a tool in a live list that contains this definition.
    pub(crate) fn state(&self, policy: &DefinitionPolicy) -> ListingState {
        policy.state(self.pending)
    }
}

#[cfg(test)]
mod tests;
