//! The part of this program in one file of a client, put in and taken out: text in, text out.

use serde_json::Value as Json;
use staleness_core::ids::stable_hash;

use super::Fault;
use super::hooks::Hooks;
use super::json::Doc;
use super::server::Server;
use super::switch::Switches;
use super::toml_server::TomlServer;

/// The skill: what it says is the same everywhere. In the place of [`HASH`] stands the hash of this text.
const SKILL: &str = include_str!("skill.md");
const HASH: &str = "{hash}";
/// The text before the hash.
const MARK: &str = "<!-- Written by `staleness init` (";

/// The part of this program in one file.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Hooks in a JSON file.
    Hooks(Hooks),
    /// The MCP server in a JSON file.
    Server(Server),
    /// Both in one JSON file.
    Both(Hooks, Server),
    /// The MCP server in a TOML file.
    Toml(TomlServer),
    /// The skill, which is a file of its own.
    Skill,
    /// Switches of other servers, which `uninstall` leaves as they are.
    Switches(Switches),
}

/// The result of `uninstall` for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// It stays as it is.
    Same,
    /// It has this text.
    Text(String),
    /// It goes: there was none before.
    Gone,
}

impl Part {
    /// The hooks and the server that go into a JSON file.
    const fn json(&self) -> (Option<&Hooks>, Option<&Server>) {
        match self {
            Self::Hooks(hooks) => (Some(hooks), None),
            Self::Server(server) => (None, Some(server)),
            Self::Both(hooks, server) => (Some(hooks), Some(server)),
            Self::Toml(_) | Self::Skill | Self::Switches(_) => (None, None),
        }
    }

    /// The text with our entries, which were brought up to date if they were there. A file that is not
    /// there is an empty text.
    ///
    /// Nothing else of what the text says changes: the result is read again, and refused otherwise.
    pub(crate) fn install(&self, text: &str) -> Result<String, Fault> {
        let edited = match self {
            Self::Toml(server) => server.install(text)?,
            Self::Skill => return skill(text),
            Self::Switches(switches) => return switches.install(text),
            _ => {
                let (hooks, server) = self.json();
                edited(text, |doc| {
                    hooks.map_or(Ok(()), |hooks| hooks.install(doc))?;
                    server.map_or(Ok(()), |server| server.install(doc))
                })?
            }
        };
        self.same_but_for_us(text, &edited)?;
        Ok(edited)
    }

    /// The text without our entries. What is empty without them goes too, unless it was there in `kept`,
    /// the text before `init`.
    pub(crate) fn remove(&self, text: &str, kept: &str) -> Result<String, Fault> {
        let kept = Doc::new(kept).and_then(|doc| doc.value()).unwrap_or(Json::Null);
        let edited = match self {
            Self::Toml(server) => server.remove(text)?,
            Self::Skill if is_untouched(text) => return Ok(String::new()),
            Self::Skill => return Ok(text.to_owned()),
            _ => {
                let (hooks, server) = self.json();
                edited(text, |doc| {
                    server.map_or(Ok(()), |server| server.remove(doc, &kept))?;
                    hooks.map_or(Ok(()), |hooks| hooks.remove(doc, &kept))
                })?
            }
        };
        self.same_but_for_us(text, &edited)?;
        Ok(edited)
    }

    /// Returns the result of `uninstall`. `before`: the text before `init`, where it was kept.
    ///
    /// When the text without our entries is what the earlier one comes to with our entries put in and
    /// taken out again, nothing else has changed, and the earlier one is restored byte for byte.
    pub(crate) fn uninstall(&self, text: &str, before: Option<&str>) -> Result<After, Fault> {
        let bare = self.remove(text, "")?;
        if bare == text {
            return Ok(After::Same);
        }
        // An earlier text that holds our entries is none from before them: it tells nothing.
        let before = before.filter(|text| self.remove(text, "").is_ok_and(|bare| bare == *text));
        let earlier = before.unwrap_or_default();
        let there_and_back = || self.install(earlier).and_then(|text| self.remove(&text, ""));
        if there_and_back().is_ok_and(|text| text == bare) {
            return Ok(before.map_or(After::Gone, |text| After::Text(text.to_owned())));
        }
        Ok(After::Text(self.remove(text, earlier)?))
    }

    /// Returns true if a text holds entries of ours.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Skill => text.contains(MARK),
            _ => !self.programs(text).is_empty(),
        }
    }

    /// Returns true if it has the client start the MCP server.
    pub(crate) const fn is_server(&self) -> bool {
        matches!(self, Self::Server(_) | Self::Toml(_))
    }

    /// The programs that our entries call.
    pub(crate) fn programs(&self, text: &str) -> Vec<String> {
        let value = || Doc::new(text).and_then(|doc| doc.value()).unwrap_or(Json::Null);
        if let Self::Toml(server) = self {
            return server.program(text).into_iter().collect();
        }
        let (hooks, server) = self.json();
        let mut programs = hooks.map_or_else(Vec::new, |hooks| hooks.programs(&value()));
        programs.extend(server.and_then(|server| server.program(&value())));
        programs
    }

    /// Returns notes on what stays in a text: hooks written by hand, or an edited skill.
    pub(crate) fn notes(&self, text: &str) -> Vec<String> {
        match self {
            Self::Hooks(hooks) | Self::Both(hooks, _) => {
                let value = Doc::new(text).and_then(|doc| doc.value()).unwrap_or(Json::Null);
                let events = hooks.by_hand(&value);
                let note = |event| format!("the hook of {event} that was written by hand stays");
                events.into_iter().map(note).collect()
            }
            Self::Skill if self.is_in(text) && !is_untouched(text) => {
                vec!["the skill was edited, and stays".into()]
            }
            _ => Vec::new(),
        }
    }

    /// The texts that `init` writes: what a diff may show of a file that holds other people's secrets.
    pub(crate) fn words(&self) -> Vec<String> {
        let fixed = ["command", "stdio"].map(str::to_owned);
        match self {
            Self::Hooks(hooks) => {
                [vec![hooks.program.hook(hooks.arguments)], fixed.into()].concat()
            }
            Self::Both(hooks, server) => {
                [Self::Hooks(hooks.clone()).words(), Self::Server(server.clone()).words()].concat()
            }
            Self::Server(Server { program, .. }) | Self::Toml(TomlServer { program }) => {
                [vec![program.path.clone()], program.server(), fixed.into()].concat()
            }
            Self::Skill => Vec::new(),
            Self::Switches(switches) => switches.words(),
        }
    }

    /// Returns a fault if two texts differ in more than our entries and what is empty.
    fn same_but_for_us(&self, before: &str, after: &str) -> Result<(), Fault> {
        let strip = |text: &str| -> Result<Json, Fault> {
            let mut value = match self {
                Self::Toml(_) | Self::Skill => Json::Null,
                _ => Doc::new(text)?.value()?,
            };
            let (hooks, server) = self.json();
            hooks.inspect(|hooks| hooks.strip(&mut value));
            server.inspect(|server| server.strip(&mut value));
            Ok(value)
        };
        let same = match self {
            Self::Toml(server) => server.strip(before)? == server.strip(after)?,
            _ => strip(before)? == strip(after)?,
        };
        if same {
            return Ok(());
        }
        let what =
            "is written in a way in which nothing can be changed safely: one key may stand twice";
        Err(Fault { line: 1, what: what.into() })
    }
}

fn edited(text: &str, edit: impl FnOnce(&mut Doc) -> Result<(), Fault>) -> Result<String, Fault> {
    let mut doc = Doc::new(text)?;
    edit(&mut doc)?;
    Ok(doc.finish())
}

fn skill(text: &str) -> Result<String, Fault> {
    let wanted = SKILL.replacen(HASH, &hash(SKILL), 1);
    if uniform(text) == wanted {
        return Ok(text.to_owned());
    }
    if text.is_empty() || is_untouched(text) {
        return Ok(wanted);
    }
    let what = if text.contains(MARK) {
        "was edited by hand; keep it and leave --skill out, or remove it"
    } else {
        "is another skill of this name, and `init` did not write it"
    };
    Err(Fault { line: 1, what: what.into() })
}

/// Returns true if a skill is as some version of this program wrote it.
fn is_untouched(text: &str) -> bool {
    let text = uniform(text);
    let Some((front, back)) = text.split_once(MARK) else { return false };
    let Some((written, back)) = back.split_once(')') else { return false };
    hash(&format!("{front}{MARK}{HASH}){back}")) == written
}

fn hash(text: &str) -> String {
    format!("{:032x}", stable_hash(text.as_bytes()))
}

/// A text with plain line ends: version control may have changed them.
fn uniform(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
pub(crate) mod tests;
