//! Names as they are shown: quoted, and without characters that are unsafe in a terminal.

/// Returns true if a terminal would interpret or hide a character.
pub fn is_unsafe(c: char) -> bool {
    // These are characters that Unicode allows a terminal to omit, and the blank Braille pattern.
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The separator between the agent and the session of a claim's holder.
pub(crate) const IN_SESSION: &str = " in session ";

/// Returns the holder of a claim in words: an agent, and its session if known.
pub(crate) fn holder(agent: &str, session: Option<&str>) -> String {
    // The names are quoted as JSON, so that the text can be parsed whatever they contain.
    let quoted = |name: &str| serde_json::Value::from(name).to_string();
    let session = session.map(|id| format!("{IN_SESSION}{}", quoted(id)));
    quoted(agent) + session.as_deref().unwrap_or_default()
}
