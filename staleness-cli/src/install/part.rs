//! The part of a client's file that belongs to this program, and functions to add and remove it.

use serde_json::Value as Json;
use staleness_core::ids::stable_hash;

use super::Fault;
use super::hooks::Hooks;
use super::json::Doc;
use super::server::Server;
use super::shell::Program;
use super::switch::Switches;
use super::toml_server::TomlServer;

/// The text of the skill. [`HASH`] is replaced by the hash of this text.
const SKILL: &str = include_str!("skill.md");
const HASH: &str = "{hash}";
/// The text before the hash in an installed skill.
const MARK: &str = "<!-- Written by `staleness init` (";

/// The content that this program writes to one file.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Hooks, the MCP server or both in a JSON file.
    Json(Option<Hooks>, Option<Server>),
    /// The MCP server in a TOML file.
    Toml(TomlServer),
    /// The skill, in a separate file.
    Skill,
    /// Flags that disable other servers, which `uninstall` does not change.
    Switches(Switches),
}

/// The result of `uninstall` for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The file stays unchanged.
    Same,
    /// The file gets this text.
    Text(String),
    /// The file is deleted, because it did not exist before.
    Gone,
}

impl Part {
    /// Returns the hooks and the server for a JSON file.
    const fn json(&self) -> (Option<&Hooks>, Option<&Server>) {
        match self {
            Self::Json(hooks, server) => (hooks.as_ref(), server.as_ref()),
            Self::Toml(_) | Self::Skill | Self::Switches(_) => (None, None),
        }
    }

    /// Returns the text with our entries added or updated. A missing file counts as an empty text.
    ///
    /// The result is parsed again, and rejected if anything else has changed.
    pub(crate) fn install(&self, text: &str) -> Result<String, Fault> {
        match self {
            Self::Toml(server) => server.checked(text, server.install(text)?),
            Self::Skill => skill(text),
            Self::Switches(switches) => switches.install(text),
            Self::Json(hooks, server) => edited(text, |doc| {
                hooks.iter().try_for_each(|hooks| hooks.install(doc))?;
                server.iter().try_for_each(|server| server.install(doc))
            }),
        }
    }

    /// Returns the text without our entries. Containers that become empty are removed too, unless they were in `kept`,
    /// which is the text before `init`.
    pub(crate) fn remove(&self, text: &str, kept: &str) -> Result<String, Fault> {
        let kept = Doc::new(kept).and_then(|doc| doc.value()).unwrap_or(Json::Null);
        match self {
            Self::Toml(server) => server.checked(text, server.remove(text)?),
            Self::Skill if is_untouched(text) => Ok(String::new()),
            Self::Skill | Self::Switches(_) => Ok(text.to_owned()),
            Self::Json(hooks, server) => edited(text, |doc| {
                server.iter().try_for_each(|server| server.remove(doc, &kept))?;
                hooks.iter().try_for_each(|hooks| hooks.remove(doc, &kept))
            }),
        }
    }

    /// Returns the result of `uninstall`. `before` is the text before `init`, if there is a backup.
    ///
    /// If adding our entries to `before` and removing them gives the same text as removing them now, nothing else has
    /// changed. Then `before` is restored exactly.
    pub(crate) fn uninstall(&self, text: &str, before: Option<&str>) -> Result<After, Fault> {
        let bare = self.remove(text, "")?;
        if bare == text {
            return Ok(After::Same);
        }
        // A backup that contains our entries was made after `init`, so it cannot be used.
        let before = before.filter(|text| self.remove(text, "").is_ok_and(|bare| bare == *text));
        let earlier = before.unwrap_or_default();
        let there_and_back = || self.install(earlier).and_then(|text| self.remove(&text, ""));
        if there_and_back().is_ok_and(|text| text == bare) {
            return Ok(before.map_or(After::Gone, |text| After::Text(text.to_owned())));
        }
        Ok(After::Text(self.remove(text, earlier)?))
    }

    /// Returns true if a text contains our entries.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Skill => text.contains(MARK),
            _ => !self.programs(text).is_empty(),
        }
    }

    /// Returns true if this part makes the client start the MCP server.
    pub(crate) const fn is_server(&self) -> bool {
        matches!(self, Self::Json(None, Some(_)) | Self::Toml(_))
    }

    /// Returns the programs that our entries run.
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

    /// Returns true if a hook in the text runs this program. `None` if this part has no hooks.
    pub(crate) fn has_hooks(&self, text: &str) -> Option<bool> {
        let hooks = self.json().0?;
        let value = Doc::new(text).and_then(|doc| doc.value()).unwrap_or(Json::Null);
        Some(!hooks.programs(&value).is_empty() || !hooks.by_hand(&value).is_empty())
    }

    /// Returns notes on content that `init` and `uninstall` leave unchanged: hooks written by hand, or an edited skill.
    pub(crate) fn notes(&self, text: &str) -> Vec<String> {
        match self {
            Self::Json(Some(hooks), _) => {
                let value = Doc::new(text).and_then(|doc| doc.value()).unwrap_or(Json::Null);
                let events = hooks.by_hand(&value);
                let note = |event| format!("your own {event} hook stays");
                events.into_iter().map(note).collect()
            }
            Self::Skill if self.is_in(text) && !is_untouched(text) => {
                vec!["the skill was edited, so it stays".into()]
            }
            _ => Vec::new(),
        }
    }

    /// Returns the texts that `init` writes, which a diff may show.
    pub(crate) fn words(&self) -> Vec<String> {
        let fixed = ["command", "stdio"].map(str::to_owned);
        let of_server = |program: &Program| [vec![program.path.clone()], program.server()].concat();
        match self {
            Self::Json(hooks, server) => {
                let hook = hooks.iter().map(|hooks| hooks.program.hook(hooks.arguments));
                let server = server.iter().flat_map(|server| of_server(&server.program));
                hook.chain(server).chain(fixed).collect()
            }
            Self::Toml(TomlServer { program }) => [of_server(program), fixed.into()].concat(),
            Self::Skill => Vec::new(),
            Self::Switches(switches) => switches.words(),
        }
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
        "is another skill with this name, not written by `init`"
    };
    Err(Fault { line: 1, what: what.into() })
}

/// Returns true if a skill has exactly the text that a version of this program wrote.
fn is_untouched(text: &str) -> bool {
    let text = uniform(text);
    let Some((front, back)) = text.split_once(MARK) else { return false };
    let Some((written, back)) = back.split_once(')') else { return false };
    hash(&format!("{front}{MARK}{HASH}){back}")) == written
}

fn hash(text: &str) -> String {
    format!("{:032x}", stable_hash(text.as_bytes()))
}

/// Normalises line endings, because version control may have converted them.
fn uniform(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
pub(crate) mod tests;
