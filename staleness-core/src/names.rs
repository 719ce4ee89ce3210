//! Tool names as clients spell them: MCP prefixes, rewritten server names, built-ins.

use crate::ids::{IdError, ServerKey, ToolName};
use crate::tool::ToolKind;

/// The separator between server and tool in `mcp__<server>__<tool>`.
const SEPARATOR: &str = "__";
const PREFIX: &str = "mcp__";
/// The prefix of MCP tools in clients that write a single `_` between server and tool.
const SHORT_PREFIX: &str = "mcp_";
/// The prefix of MCP tools in a client that omits the server.
const SERVERLESS_PREFIX: &str = "MCP:";
/// The maximum number of splits of a name with [`SHORT_PREFIX`] into server and tool.
const MAX_SPLITS: usize = 8;

/// Tools built into agent clients, in lower case. No configuration lists them; the names come from the public
/// documentation of the supported clients.
const BUILTINS: &[&str] = &[
    "agent",
    "agentoutputtool",
    "apply_patch",
    "askuserquestion",
    "bash",
    "bashoutput",
    "codebase_search",
    "create_file",
    "croncreate",
    "crondelete",
    "cronlist",
    "delete_file",
    "edit",
    "edit_file",
    "enterplanmode",
    "enterworktree",
    "exec_command",
    "exitplanmode",
    "exitworktree",
    "file_search",
    "glob",
    "google_web_search",
    "grep",
    "grep_search",
    "killbash",
    "killshell",
    "list_dir",
    "list_directory",
    "listmcpresourcestool",
    "local_shell",
    "ls",
    "lsp",
    "monitor",
    "multiedit",
    "notebookedit",
    "notebookread",
    "powershell",
    "read",
    "read_file",
    "read_many_files",
    "readmcpresourcetool",
    "replace",
    "run_shell_command",
    "run_terminal_cmd",
    "save_memory",
    "search_file_content",
    "sendmessage",
    "shell",
    "skill",
    "slashcommand",
    "task",
    "taskcreate",
    "taskget",
    "tasklist",
    "taskoutput",
    "taskstop",
    "taskupdate",
    "teamcreate",
    "teamdelete",
    "todoread",
    "todowrite",
    "toolsearch",
    "update_plan",
    "view",
    "view_image",
    "web_fetch",
    "web_search",
    "webfetch",
    "websearch",
    "write",
    "write_file",
    "write_stdin",
];

impl ServerKey {
    /// Converts a server's name to the form used in tool names: every character other than ASCII letters, digits, `_`
    /// and `-` becomes `_`, as in the clients. Two spellings of one server have equal keys. `None` if the result is not
    /// a valid id.
    pub fn of(server: &str) -> Option<Self> {
        let key: String = server
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' })
            .collect();
        Self::new(key).ok()
    }

    /// Returns every server to which the tool `name` could belong, shortest first: `mcp__a__b__c` may be tool `b__c` of
    /// server `a`, or tool `c` of server `a__b`. Empty if `name` is not the name of an MCP tool.
    pub fn owners_of(name: &str) -> Vec<Self> {
        let Some(rest) = name.strip_prefix(PREFIX) else {
            return Vec::new();
        };
        let mut servers = Vec::new();
        let pairs = rest.as_bytes().windows(SEPARATOR.len());
        for (at, _) in pairs.enumerate().filter(|(_, pair)| *pair == SEPARATOR.as_bytes()) {
            if at > 0 && at + SEPARATOR.len() < rest.len() {
                servers.extend(Self::of(&rest[..at]));
            }
        }
        servers.dedup();
        servers
    }

    /// Returns the part of an MCP tool's name after its server. `None` if the tool belongs to another server.
    pub fn tool_part<'a>(&self, name: &'a str) -> Option<&'a str> {
        part_behind(name, self.as_str())
    }

    /// Returns the server that a user may mean by `text`, which may be its name or the name of its entry
    /// (`mcp__<server>__*`).
    pub(crate) fn meant_by(text: &str) -> Option<Self> {
        Self::of(if text.starts_with(PREFIX) { spelled_server(text)? } else { text })
    }
}

/// Implements [`ServerKey::tool_part`] for a server key given as text.
pub(crate) fn part_behind<'a>(name: &'a str, server: &str) -> Option<&'a str> {
    let rest = name.strip_prefix(PREFIX)?;
    // A fast path: most names contain the key unchanged.
    if let Some(tail) = rest.strip_prefix(server) {
        return tail.strip_prefix(SEPARATOR);
    }
    let tail = rest.get(server.len()..)?;
    ServerKey::of(&rest[..server.len()])
        .is_some_and(|key| key.as_str() == server)
        .then(|| tail.strip_prefix(SEPARATOR))
        .flatten()
}

/// Returns true if a client or a person may use `text` to call the server's tool `name`: the tool's own part,
/// optionally preceded by the server and by the prefix that some clients add.
pub(crate) fn is_called(text: &str, server: &ServerKey, name: &ToolName) -> bool {
    const JOINTS: [&str; 6] = [SEPARATOR, "_", "-", ".", "/", ":"];
    let marks = [SHORT_PREFIX, SERVERLESS_PREFIX];
    let bare = marks.iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text);
    server.tool_part(name.as_str()).is_some_and(|own| {
        let rest = bare.strip_prefix(server.as_str()).and_then(|rest| rest.strip_suffix(own));
        bare == own && own != "*" || rest.is_some_and(|joint| JOINTS.contains(&joint))
    })
}

impl ToolName {
    /// Returns the name under which a configured server is stored: `mcp__<server>__*`. `None` if the server's
    /// name is not a valid id.
    pub fn of_server(server: &str) -> Option<Self> {
        IdError::check(server).ok()?;
        Self::new(format!("{PREFIX}{server}{SEPARATOR}*")).ok()
    }

    /// Returns true if the name is that of a whole server, which cannot be called.
    pub fn is_server_entry(&self) -> bool {
        self.spelled_server().is_some()
    }

    /// Returns the server name from which [`Self::of_server`] made this name. `None` for any other name.
    pub fn spelled_server(&self) -> Option<&str> {
        spelled_server(self.as_str())
    }

    /// Returns true if the name begins with `mcp__`, as those of MCP servers and their tools do.
    pub fn is_mcp(&self) -> bool {
        self.as_str().starts_with(PREFIX)
    }

    /// Returns the bare name of an MCP tool, if the client has omitted the server.
    pub(crate) fn serverless(&self) -> Option<&str> {
        self.as_str().strip_prefix(SERVERLESS_PREFIX)
    }

    /// Returns the tools that a name of the form `mcp_server_tool` may stand for, longest server name first.
    /// Empty for any other name.
    pub(crate) fn splits(text: &str) -> Vec<Self> {
        let rest = text.strip_prefix(SHORT_PREFIX).filter(|rest| !rest.starts_with('_'));
        let Some(rest) = rest else { return Vec::new() };
        let marks = rest.match_indices('_').map(|(at, _)| at);
        let names = marks
            .filter(|at| *at > 0 && at + 1 < rest.len())
            .filter_map(|at| {
                Self::new(format!("{PREFIX}{}{SEPARATOR}{}", &rest[..at], &rest[at + 1..])).ok()
            })
            .take(MAX_SPLITS);
        let mut names: Vec<Self> = names.collect();
        names.reverse();
        names
    }

    /// Returns the names that a user or a client may mean by `text`, most likely first: the text itself, the name of an
    /// MCP tool, of a server, of a command, of an agent.
    pub fn spellings(text: &str) -> Vec<Self> {
        let mut names: Vec<Self> = Self::new(text).into_iter().collect();
        names.extend(Self::splits(text));
        if let Some(server) = text.strip_prefix(PREFIX) {
            names.extend(Self::of_server(server.trim_end_matches(SEPARATOR)));
        } else if !text.starts_with('/') {
            names.extend(Self::of_server(text));
            names.extend(Self::new(format!("/{text}")));
            names.extend(Self::new(format!("agent:{text}")));
            names.extend(
                Self::new(format!("{PREFIX}{text}")).ok().filter(|_| text.contains(SEPARATOR)),
            );
        }
        names
    }
}

impl ToolKind {
    /// Guesses the kind of a tool from its name alone.
    pub fn of_name(name: &str) -> Self {
        if spelled_server(name).is_some() {
            Self::McpServer
        } else if name.starts_with(SERVERLESS_PREFIX) || !ServerKey::owners_of(name).is_empty() {
            Self::McpTool
        } else if name.starts_with('/') {
            Self::SlashCommand
        } else if is_builtin(name) {
            Self::Builtin
        } else if name.starts_with("agent:") {
            Self::Agent
        } else {
            Self::Unknown
        }
    }
}

fn spelled_server(entry: &str) -> Option<&str> {
    entry.strip_prefix(PREFIX)?.strip_suffix("__*").filter(|server| !server.is_empty())
}

fn is_builtin(name: &str) -> bool {
    BUILTINS.binary_search(&name.to_ascii_lowercase().as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(name: &str) -> Vec<String> {
        ServerKey::owners_of(name).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_table_of_builtins_is_sorted() {
        assert!(BUILTINS.is_sorted());
        assert_eq!(ToolKind::of_name("Bash"), ToolKind::Builtin);
    }

    #[test]
    fn every_split_of_a_name_is_a_candidate() {
        assert_eq!(keys("mcp__a__b__c"), ["a", "a__b"]);
        assert_eq!(keys("mcp__github__search"), ["github"]);
        assert_eq!(keys("mcp__a___b"), ["a", "a_"]);
        assert!(keys("Bash").is_empty());
        assert!(keys("mcp__a").is_empty());
        assert!(keys("mcp____x").is_empty());
    }

    #[test]
    fn clients_rewrite_server_names() {
        let key = ServerKey::of("my server.x").unwrap();
        assert_eq!(key.as_str(), "my_server_x");
        assert_eq!(key.tool_part("mcp__my_server_x__go"), Some("go"));
        assert_eq!(key.tool_part("mcp__my_server__go"), None);
    }

    #[test]
    fn server_entries_are_recognised_and_not_callable() {
        assert_eq!(ToolName::of_server("a").unwrap().as_str(), "mcp__a__*");
        for server in ["a", "my hub", "_", "__*"] {
            let entry = ToolName::of_server(server).unwrap();
            assert_eq!(entry.spelled_server(), Some(server));
            assert!(entry.is_server_entry());
        }
        assert!(!ToolName::new("mcp__a__b").unwrap().is_server_entry());
        assert!(ToolName::of_server("").is_none());
    }

    #[test]
    fn names_with_multibyte_characters_are_split_without_panic() {
        for name in ["mcp__\u{1f680}__x", "mcp__é__", "mcp__a__\u{1f680}", "mcp__ü"] {
            for key in ServerKey::owners_of(name) {
                let _ = key.tool_part(name);
            }
        }
    }
}
