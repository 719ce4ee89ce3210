//! Hooks in a JSON file: one command per event.

use serde_json::{Value as Json, json};

use super::Fault;
use super::json::{Doc, Step};
use super::shell::{Call, Program};

/// Maximum number of our hooks in a file, more than any valid file has.
const MOST: usize = 200;

/// The JSON structure of a client's hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `{"hooks": {EVENT: [{"hooks": [{"type": "command", "command": …}]}]}}`
    Nested,
    /// `{"version": 1, "hooks": {EVENT: [{"command": …}]}}`
    Flat,
}

/// Returns the pattern of tools for a hook of this event, or `None` for all tools. Of the events that `init` writes,
/// only those of Codex CLI have a pattern.
fn matcher(event: &str) -> Option<&'static str> {
    matches!(event, "PreToolUse" | "PermissionRequest").then_some("mcp__.*")
}

/// The hooks to write to one file.
#[derive(Clone, Debug)]
pub(crate) struct Hooks {
    pub shape: Shape,
    pub events: &'static [&'static str],
    /// The arguments after `hook`.
    pub arguments: &'static [&'static str],
    pub program: Program,
}

/// The author of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// Written by `init`.
    Ours,
    /// A hook that a person wrote to run this program.
    ByHand,
    /// A hook that runs something else.
    Other,
}

/// A hook found in a file.
#[derive(Clone, Debug)]
struct Handler {
    event: String,
    /// The indexes in the nested lists that lead to the hook.
    places: Vec<usize>,
    command: String,
    /// True if the hook's matcher differs from the one that `init` writes for the event.
    narrowed: bool,
}

impl Handler {
    /// Returns the hook's object in the value of the file.
    fn place<'v>(&self, value: &'v mut Json) -> &'v mut Json {
        let entry = &mut value["hooks"][&self.event][self.places[0]];
        match self.places.get(1) {
            Some(place) => &mut entry["hooks"][*place],
            None => entry,
        }
    }
}

impl Hooks {
    /// Adds our hooks, or updates them.
    pub(super) fn install(&self, doc: &mut Doc) -> Result<(), Fault> {
        let value = doc.value()?;
        self.shape_is_known(doc, &value)?;
        // Removes hooks for events that only earlier versions used, and duplicates.
        for handler in self.superfluous(&self.handlers(&value))?.into_iter().rev() {
            self.take_out(doc, handler, &Json::Null)?;
        }
        let mut value = doc.value()?;
        if self.shape == Shape::Flat && value.get("version").is_none() {
            value["version"] = 1.into();
        }
        let all = self.handlers(&value);
        for event in self.events {
            let known =
                all.iter().find(|each| each.event == *event && self.owner(each) != Owner::Other);
            match known {
                Some(handler) if self.owner(handler) == Owner::Ours => {
                    handler.place(&mut value)["command"] = self.command().into();
                }
                Some(_) => {}
                None => match &mut value["hooks"][event] {
                    Json::Array(list) => list.push(self.entry(event)),
                    none => *none = json!([self.entry(event)]),
                },
            }
        }
        doc.change_to(&value)
    }

    /// Removes our hooks, and containers that become empty, unless those were in `kept`.
    pub(super) fn remove(&self, doc: &mut Doc, kept: &Json) -> Result<(), Fault> {
        let all = self.handlers(&doc.value()?);
        let ours: Vec<Handler> =
            all.into_iter().filter(|each| self.owner(each) == Owner::Ours).collect();
        self.few(doc, &ours)?;
        for handler in ours.into_iter().rev() {
            self.take_out(doc, handler, kept)?;
        }
        Ok(())
    }

    /// Returns the programs that our hooks run.
    pub(super) fn programs(&self, value: &Json) -> Vec<String> {
        self.handlers(value)
            .iter()
            .filter(|each| self.owner(each) == Owner::Ours)
            .filter_map(|each| Some(Call::of_line(&each.command)?.program.into_owned()))
            .collect()
    }

    /// Returns the events with a manually written hook that runs this program.
    pub(super) fn by_hand(&self, value: &Json) -> Vec<String> {
        let all = self.handlers(value);
        let by_hand = all.iter().filter(|each| self.owner(each) == Owner::ByHand);
        let mut events: Vec<String> = by_hand.map(|each| each.event.clone()).collect();
        events.dedup();
        events
    }

    fn command(&self) -> String {
        self.program.hook(self.arguments)
    }

    fn entry(&self, event: &str) -> Json {
        let command = self.command();
        match self.shape {
            Shape::Flat => json!({ "command": command }),
            Shape::Nested => {
                let handler = json!({ "type": "command", "command": command });
                match matcher(event) {
                    Some(matcher) => json!({ "matcher": matcher, "hooks": [handler] }),
                    None => json!({ "hooks": [handler] }),
                }
            }
        }
    }

    fn owner(&self, handler: &Handler) -> Owner {
        if !handler.narrowed && self.program.wrote_hook(&handler.command, self.arguments) {
            return Owner::Ours;
        }
        match Call::of_line(&handler.command) {
            Some(call) if call.is_named() && call.command == "hook" => Owner::ByHand,
            _ => Owner::Other,
        }
    }

    /// Returns true if an entry's matcher differs from the one that `init` writes for the event.
    fn is_narrowed(&self, event: &str, entry: &Json) -> bool {
        let ours = matcher(event).filter(|_| self.events.contains(&event));
        entry.get("matcher").map(Json::as_str) != ours.map(Some)
    }

    /// Returns all hooks of a file in order.
    fn handlers(&self, value: &Json) -> Vec<Handler> {
        let mut all = Vec::new();
        let Some(events) = value.get("hooks").and_then(Json::as_object) else { return all };
        for (event, list) in events {
            for (at, each) in list.as_array().into_iter().flatten().enumerate() {
                let mut add = |places: Vec<usize>, handler: &Json| {
                    if let Some(command) = handler.get("command").and_then(Json::as_str) {
                        let narrowed = self.is_narrowed(event, each);
                        let (event, command) = (event.clone(), command.to_owned());
                        all.push(Handler { event, places, command, narrowed });
                    }
                };
                match self.shape {
                    Shape::Flat => add(vec![at], each),
                    Shape::Nested => {
                        let inner = each.get("hooks").and_then(Json::as_array);
                        for (place, handler) in inner.into_iter().flatten().enumerate() {
                            add(vec![at, place], handler);
                        }
                    }
                }
            }
        }
        all
    }

    /// Returns our hooks for events that no longer need one, and duplicates.
    fn superfluous(&self, all: &[Handler]) -> Result<Vec<Handler>, Fault> {
        let ours: Vec<&Handler> =
            all.iter().filter(|each| self.owner(each) == Owner::Ours).collect();
        if ours.len() > MOST {
            return Err(Fault {
                line: 1,
                what: format!("has more than {MOST} hooks of this program"),
            });
        }
        let first = |handler: &Handler| {
            all.iter()
                .find(|each| each.event == handler.event && self.owner(each) != Owner::Other)
                .is_some_and(|each| each.places == handler.places)
        };
        let more = ours
            .into_iter()
            .filter(|each| !self.events.contains(&each.event.as_str()) || !first(each));
        Ok(more.cloned().collect())
    }

    fn few(&self, doc: &Doc, ours: &[Handler]) -> Result<(), Fault> {
        if ours.len() <= MOST {
            return Ok(());
        }
        let line = doc.line_of(&[Step::Key("hooks")]);
        Err(Fault { line, what: format!("has more than {MOST} hooks of this program") })
    }

    /// Removes a hook, and containers that become empty, unless those were in `kept`.
    fn take_out(&self, doc: &mut Doc, handler: Handler, kept: &Json) -> Result<(), Fault> {
        let mut value = doc.value()?;
        let list = &mut value["hooks"][&handler.event];
        let entry = handler.places[0];
        let is_rest = handler.places.get(1).is_some_and(|place| {
            let inner = &mut list[entry]["hooks"];
            inner.as_array_mut().map(|inner| inner.remove(*place));
            !is_empty(inner)
        });
        if !is_rest {
            list.as_array_mut().map(|list| list.remove(entry));
        }
        if is_empty(list) && kept["hooks"].get(&handler.event).is_none() {
            value["hooks"].as_object_mut().map(|events| events.shift_remove(&handler.event));
        }
        if is_empty(&value["hooks"]) && kept.get("hooks").is_none() {
            value.as_object_mut().map(|root| root.shift_remove("hooks"));
        }
        doc.change_to(&value)
    }

    /// Rejects hooks with a structure that the client does not use.
    fn shape_is_known(&self, doc: &Doc, value: &Json) -> Result<(), Fault> {
        let fault = |path: &[Step<'_>], what: &str| {
            Err(Fault { line: doc.line_of(path), what: what.into() })
        };
        let events = match value.get("hooks") {
            None | Some(Json::Null) => return Ok(()),
            Some(Json::Object(events)) => events,
            Some(_) => return fault(&[Step::Key("hooks")], "`hooks` is not an object"),
        };
        for event in self.events {
            let is_list = |list: &Json| list.is_array() || list.is_null();
            if events.get(*event).is_some_and(|list| !is_list(list)) {
                let path = [Step::Key("hooks"), Step::Key(event)];
                return fault(&path, &format!("the hooks of {event} are not a list"));
            }
        }
        Ok(())
    }
}

/// Returns true for null and for empty containers.
fn is_empty(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Array(list) => list.is_empty(),
        Json::Object(object) => object.is_empty(),
        _ => false,
    }
}
