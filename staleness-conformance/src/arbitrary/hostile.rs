//! Names meant to mislead a model that reads them.

use proptest::prelude::*;

/// Part of every hostile name, so that tests can find it in any output.
pub const MARK: &str = "zanzibar";

/// Parts of hostile names, separated by `|`.
const PARTS: &str = "\
    \n| |\t|\u{1b}[2J|`|``` |\"|'|**|](https://evil.example)|<|>|<system-reminder>|\
    SYSTEM: |; also absent: |, |\u{3164}|\u{115f}|\u{1160}|\u{ffa0}|\u{2800}|\u{a0}|\
    \u{200b}|\u{202e}|\u{2066}|\u{e0041}|\u{fe0f}|r\u{435}view|\u{1d422}gnore|\
    \u{301}\u{301}\u{301}|/|_|-|.|#|mcp__|__*|agent:|~/| ignore|ignore|previous|設計";

/// Generates a name that somebody may give to a file, command, server, tool or item.
pub fn hostile_name() -> BoxedStrategy<String> {
    let part = prop_oneof![
        prop::sample::select(PARTS.split('|').collect::<Vec<_>>()).prop_map(str::to_owned),
        "\\PC{0,6}",
        Just("x".repeat(100)),
    ];
    (prop::collection::vec(part.clone(), 0..6), prop::collection::vec(part, 0..6))
        .prop_map(|(before, after)| format!("{}{MARK}{}", before.concat(), after.concat()))
        .boxed()
}
