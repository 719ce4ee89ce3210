//! The clients with supported hooks.

use serde::Serialize;
use staleness_core::ids::ClientId;
use staleness_core::wording;

wording! {
    /// A client with supported hooks.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    pub enum HookClient {
        /// Claude Code.
        ClaudeCode = "claude-code",
        /// Codex CLI.
        Codex = "codex",
        /// Copilot CLI.
        Copilot = "copilot",
        /// Cursor.
        Cursor = "cursor",
        /// Gemini CLI.
        Gemini = "gemini",
        /// VS Code, which also runs the hooks of Claude Code.
        Vscode = "vscode",
    }
}

impl HookClient {
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
            assert_eq!(HookClient::from_word(client.as_str()), Some(client));
        }
        assert_eq!(HookClient::from_word("vim"), None);
    }
}
