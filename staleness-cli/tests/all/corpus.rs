//! Configuration files as people have them: the shapes of every supported client, with comments,
//! trailing commas, byte-order marks, CRLF, tabs, empty and minified ones.

/// A file of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ClaudeSettings,
    ClaudeServers,
    CodexHooks,
    CodexToml,
    CursorHooks,
    CursorServers,
    VscodeServers,
    GeminiSettings,
}

use Kind::{
    ClaudeServers, ClaudeSettings, CodexHooks, CodexToml, CursorHooks, CursorServers,
    GeminiSettings, VscodeServers,
};

/// Texts that must come back byte for byte.
pub(crate) fn corpus() -> Vec<(Kind, String)> {
    let texts: Vec<_> = BLANK.iter().copied().chain(texts()).collect();
    let mut all: Vec<_> = texts.iter().map(|(kind, text)| (*kind, (*text).to_owned())).collect();
    // The same as other editors would have left them.
    for (kind, text) in texts.into_iter().filter(|(_, text)| text.contains("\n  ")).step_by(3) {
        all.push((kind, text.replace('\n', "\r\n")));
        all.push((kind, format!("\u{feff}{text}")));
        if kind != CodexToml {
            all.push((kind, text.replace("  ", "\t")));
        }
        all.push((kind, text.trim_end().to_owned()));
    }
    all
}

/// Returns the texts of a file, each of which ends before the line end above the next `=== KIND`.
fn texts() -> impl Iterator<Item = (Kind, &'static str)> {
    let blocks = include_str!("../fixtures/client-files.txt").split("=== ").skip(1);
    blocks.map(|block| {
        let (kind, text) = block.split_once('\n').unwrap();
        let all = [
            ClaudeSettings,
            ClaudeServers,
            CodexHooks,
            CodexToml,
            CursorHooks,
            CursorServers,
            VscodeServers,
            GeminiSettings,
        ];
        let kind = all.into_iter().find(|each| format!("{each:?}") == kind).unwrap();
        (kind, text.strip_suffix('\n').unwrap())
    })
}

const BLANK: [(Kind, &str); 5] = [
    (ClaudeSettings, ""),
    (ClaudeSettings, "\n"),
    (ClaudeSettings, "\u{feff}"),
    (CodexToml, ""),
    (CodexToml, "\n\n"),
];
