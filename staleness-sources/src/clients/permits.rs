//! Decides which servers Claude Code's settings block: the settings of the user and the project, and those that an
//! organization manages in a system folder.
//!
//! Checked with version 2.1.332. The denials in all settings add up, and so do the lists of allowed servers, unless the
//! organization allows only its own. If the lists of allowed servers contain a command, their names do not count for
//! servers with a command, and the same holds for URLs.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use staleness_core::ids::{Level, ServerKey};
use staleness_core::scan::{Found, SourceReading};
use staleness_core::tool::{ListingState, ToolKind};

use super::claude::{AllSettings, CLIENT, FILE};
use super::launch::Endpoint;
use super::servers::{self, Rules, is_called};
use super::settings::Settings;
use super::{Outside, list_in, reading, shapes, source};
use crate::draft::Draft;
use crate::folder::Lister;
use crate::json::{self, JsonFile, JsonText, Value};
use crate::text::is_there;
use staleness_docs::disk::shown;

/// Maximum number of patterns for tools to read from one file.
const MAX_PATTERNS: usize = 1_000;

/// The part in the id of the source with the organization's servers.
const MANAGED: &str = "managed";

/// The folder in which an organization manages Claude Code.
pub(super) fn managed_dir() -> &'static Path {
    Path::new(if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode"
    } else if cfg!(windows) {
        r"C:\Program Files\ClaudeCode"
    } else {
        "/etc/claude-code"
    })
}

/// An entry of a list of allowed or denied servers.
#[derive(Debug)]
enum Rule {
    Name(String),
    Command(Vec<String>),
    Url(String),
}

/// The lists of servers in one settings file.
#[derive(Debug, Default)]
pub(super) struct Permits {
    denied: Vec<Rule>,
    allowed: Option<Vec<Rule>>,
    /// Rules that deny tools: those without a pattern, and at most [`MAX_PATTERNS`] with one.
    tools_denied: HashSet<String>,
    patterns_denied: BTreeSet<String>,
    managed_only: bool,
}

impl Permits {
    pub(super) fn take(&mut self, file: &JsonText<'_>, faults: &mut Vec<String>) {
        let mut list = |key| rules(file, key, faults);
        self.denied = list("deniedMcpServers").unwrap_or_default();
        self.allowed = list("allowedMcpServers");
        self.managed_only = json::get_bool(&file.root, "allowManagedMcpServersOnly") == Some(true);
        let permissions = json::get(&file.root, "permissions").and_then(Value::as_object);
        let denied = permissions.and_then(|permissions| json::get(permissions, "deny"));
        let denied = denied.and_then(Value::as_array).map(|list| &*list.elements);
        let denied = denied.unwrap_or_default().iter().filter_map(json::as_str);
        // The client skips other forms that begin with a lower-case letter.
        let denied = denied.filter(|rule| rule.starts_with('*') || rule.starts_with("mcp_"));
        let (patterns, names): (Vec<&str>, _) = denied.partition(|rule| rule.ends_with('*'));
        self.patterns_denied = patterns.into_iter().take(MAX_PATTERNS).map(str::to_owned).collect();
        self.tools_denied = names.into_iter().map(str::to_owned).collect();
    }

    /// Returns true if a rule denies every tool that a server can have. `tools` is the prefix of their names.
    fn denies_all(&self, tools: &str) -> bool {
        self.tools_denied.contains(tools.strip_suffix("__").unwrap_or(tools))
            || self.patterns_denied.iter().any(|rule| has_form(rule, tools))
    }

    const fn is_empty(&self) -> bool {
        self.denied.is_empty() && self.allowed.is_none()
    }
}

fn rules(file: &JsonText<'_>, key: &str, faults: &mut Vec<String>) -> Option<Vec<Rule>> {
    let list = match json::get(&file.root, key)? {
        Value::Array(list) => list,
        other => {
            faults.push(file.fault(json::start(other), &format!("`{key}` is not a list")));
            return None;
        }
    };
    let objects = list.elements.iter().filter_map(Value::as_object);
    let rule = |object| {
        let text = |key| json::get_str(object, key).map(str::to_owned);
        let command = json::get(object, "serverCommand").and_then(Value::as_array);
        let words = command.map(|words| words.elements.iter().filter_map(json::as_str));
        text("serverName")
            .map(Rule::Name)
            .or_else(|| text("serverUrl").map(Rule::Url))
            .or_else(|| words.map(|words| Rule::Command(words.map(str::to_owned).collect())))
    };
    Some(objects.filter_map(rule).collect())
}

impl Rule {
    fn names(&self, found: &Found, end: &Endpoint) -> bool {
        match self {
            Self::Name(name) => is_called(found, name),
            Self::Command(words) => {
                let words: Vec<String> = words.iter().map(|word| Endpoint::expand(word)).collect();
                !words.is_empty() && words == end.command
            }
            Self::Url(pattern) => {
                end.url.as_ref().is_some_and(|url| fits(&Endpoint::expand(pattern), url))
            }
        }
    }

    /// Returns true for a command or URL, if the server is reached in the same way.
    const fn is_as_strict_for(&self, end: &Endpoint) -> bool {
        match self {
            Self::Name(_) => false,
            Self::Command(_) => end.url.is_none(),
            Self::Url(_) => end.url.is_some(),
        }
    }
}

/// Returns true if a URL fits a pattern with `*`. The host is compared without regard to case. A pattern without a path
/// fits any path.
fn fits(pattern: &str, url: &str) -> bool {
    let parts = |text: &str| {
        let begin = text.find("://").map_or(0, |at| at + 3);
        let end = text[begin..].find(['/', '?']).map_or(text.len(), |at| begin + at);
        let (host, path) = text.split_at(end);
        (host.to_ascii_lowercase().trim_end_matches('.').replace(".:", ":"), path.to_owned())
    };
    let ((host, path), (own_host, own_path)) = (parts(pattern), parts(url));
    has_form(&host, &own_host) && (path.is_empty() || has_form(&path, &own_path))
}

/// Returns true if a text has a form, in which each `*` stands for any text.
fn has_form(form: &str, text: &str) -> bool {
    let Some((first, others)) = form.split_once('*') else { return form == text };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut others: Vec<&str> = others.split('*').collect();
    let last = others.pop().unwrap_or_default();
    for part in others {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Reads the settings that an organization manages: the file, then its additions by name.
pub(super) fn managed(outside: &Outside<'_>) -> Vec<Settings> {
    let Some(dir) = outside.request.managed_dir else { return Vec::new() };
    let mut draft = Draft::new(source(CLIENT, Level::User, None, MANAGED), dir);
    let more = dir.join("managed-settings.d");
    let more = Lister::new(None).files(&more, ".json", false, &mut draft).unwrap_or_default();
    let mut paths: Vec<PathBuf> = more.into_iter().map(|(_, item)| item.path).collect();
    paths.sort();
    paths.insert(0, dir.join("managed-settings.json"));
    paths.iter().map(|path| Settings::read(outside, path, None)).collect()
}

impl AllSettings {
    pub(super) fn all(&self) -> impl Iterator<Item = &Settings> {
        self.managed.iter().chain(self.project.iter().rev()).chain([&self.user])
    }

    /// Returns true if any settings allow or deny servers, which requires knowing how the servers are reached.
    pub(super) fn needs_endpoints(&self) -> bool {
        self.all().any(|each| !each.permits.is_empty())
    }

    /// Returns the setting that blocks a server, if any. Unless the user trusts the project, its lists of allowed
    /// servers do not count.
    fn blocks(
        &self,
        found: &Found,
        end: &Endpoint,
        is_managed: bool,
        is_trusted: bool,
    ) -> Option<String> {
        let tools = format!("mcp__{}__", found.server.as_ref().map_or("", ServerKey::as_str));
        for each in self.all() {
            let by = |key: &str| Some(format!("by `{key}` in {}", each.path));
            if each.permits.denied.iter().any(|rule| rule.names(found, end)) {
                return by("deniedMcpServers");
            }
            if each.permits.denies_all(&tools) {
                return by("permissions.deny");
            }
        }
        let is_sealed = self.managed.iter().any(|each| each.permits.managed_only);
        let project = self.project.iter().rev().filter(|_| is_trusted && !is_sealed);
        let user = [&self.user].into_iter().filter(|_| !is_sealed);
        let lists = self.managed.iter().chain(project).chain(user);
        let lists: Vec<_> = lists.filter(|each| each.permits.allowed.is_some()).collect();
        let first = lists.first().filter(|_| !is_managed || end.has_variables)?;
        let allowed = || lists.iter().flat_map(|each| each.permits.allowed.iter().flatten());
        let is_strict = allowed().any(|rule| rule.is_as_strict_for(end));
        let counts = |rule: &&Rule| !is_strict || rule.is_as_strict_for(end);
        let is_allowed = allowed().filter(counts).any(|rule| rule.names(found, end));
        (!is_allowed).then(|| format!("by `allowedMcpServers` in {}", first.path))
    }

    /// Marks the servers that these settings block as switched off. Also reads the organization's own servers. If their
    /// file exists, the client loads no others.
    pub(super) fn govern(
        &self,
        outside: &Outside<'_>,
        sources: &mut Vec<SourceReading>,
        own: usize,
        is_trusted: bool,
    ) {
        let mut exclusive = None;
        if let Some(dir) = outside.request.managed_dir {
            let path = dir.join("managed-mcp.json");
            let content = outside.json(&path, None, &shapes::SERVERS);
            let file = JsonFile::of(&path, &content);
            if !matches!(file, JsonFile::Missing) {
                exclusive = Some(format!("by {}, which allows no others", shown(&path)));
            }
            let draft = Draft::new(source(CLIENT, Level::User, None, MANAGED), &path);
            let root_is_there = dir.parent().is_some_and(is_there);
            sources.push(reading(&file, draft, root_is_there, |draft, file| {
                servers::add_keyed(draft, file, &file.root, &Rules::plain(outside, &FILE));
            }));
        }
        let mut here = HashSet::new();
        for source in &mut sources[own..] {
            let is_managed = source.id.part == MANAGED;
            let others = exclusive.clone().filter(|_| !is_managed);
            let mut first = None;
            for found in &mut source.found {
                if found.kind != ToolKind::McpServer || found.state == ListingState::Refused {
                    continue;
                }
                let end = outside.endpoint(&source.id, &found.name);
                let blocked = self.blocks(found, &end, is_managed, is_trusted);
                // In other projects, other settings may allow the user's server.
                let is_here = others.is_none() && source.id.level == Level::User;
                let Some(why) = others.clone().or(blocked) else { continue };
                if let Some(starts) = &outside.starts {
                    starts.block(&source.id, &found.name, &why);
                }
                if is_here {
                    here.insert(found.name.clone());
                } else {
                    found.state = ListingState::Off;
                }
                first.get_or_insert_with(|| {
                    let server = found.name.spelled_server().unwrap_or_default();
                    format!("`{server}` is switched off {why}")
                });
            }
            source.error = source.error.take().or(first);
        }
        list_in(&mut sources[own..], Level::Local, ListingState::Off, |found| {
            here.contains(&found.name)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_fit_patterns_by_host_and_path() {
        for (pattern, url, expected) in [
            ("https://a.com/*", "https://A.com./mcp", true),
            ("https://a.com", "https://a.com/mcp", true),
            ("https://a.com", "https://a.com:8/mcp", false),
            ("https://*.a.com/*", "https://b.a.com/x", true),
            ("https://*.a.com/*", "https://evil.com/b.a.com/x", false),
            ("http://localhost:*/*", "http://localhost:80/", true),
            ("*://a.com/*", "http://a.com/x", true),
            ("https://a.com/Mcp", "https://a.com/mcp", false),
            ("https://a.com/a*a", "https://a.com/a", false),
            ("*", "http://b/c", true),
        ] {
            assert_eq!(fits(pattern, url), expected, "{pattern} {url}");
        }
    }
}
