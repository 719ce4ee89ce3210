//! The clients with supported hooks.

use staleness_core::ids::ClientId;

/// A client with supported hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookClient {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// Copilot CLI.
    Copilot,
    /// Cursor.
    Cursor,
    /// Gemini CLI.
    Gemini,
    /// VS Code, which also runs the hooks of Claude Code.
    Vscode,
}

impl HookClient {
    /// All clients.
    pub const ALL: [Self; 6] =
        [Self::ClaudeCode, Self::Codex, Self::Copilot, Self::Cursor, Self::Gemini, Self::Vscode];

    /// Returns the client's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::Vscode => "vscode",
        }
    }

    /// Returns the client with this name. Inverse of [`HookClient::as_str`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.as_str() == name)
    }

    /// Returns the name by which the client's model calls a registry tool.
    pub fn calls(self, tool: &str) -> String {
        let own =
            tool.strip_prefix("mcp__").filter(|_| matches!(self, Self::Gemini | Self::Vscode));
        own.map_or_else(|| tool.to_owned(), |rest| format!("mcp_{}", rest.replacen("__", "_", 1)))
    }

    /// Returns the client's id in the registry.
    ///
    /// # Panics
    /// Never: the names are valid ids.
    pub fn id(self) -> ClientId {
        ClientId::new(self.as_str()).expect("the names of clients are valid ids")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ids_and_round_trip() {
        for client in HookClient::ALL {
            assert_eq!(client.id().as_str(), client.as_str());
            assert_eq!(HookClient::from_name(client.as_str()), Some(client));
        }
        assert_eq!(HookClient::from_name("vim"), None);
    }
}
