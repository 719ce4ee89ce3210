//! Parses quoted values.

/// Returns the text in quotes at the beginning of `text`, with YAML escapes resolved, and the offset after the closing
/// quote. `None` if the closing quote is missing.
pub(super) fn unquote(text: &str, quote: char) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut chars = text.strip_prefix(quote)?.chars();
    while let Some(c) = chars.next() {
        if c == quote {
            // Two single quotes mean one.
            if quote == '\'' && chars.as_str().starts_with('\'') {
                chars.next();
                out.push('\'');
                continue;
            }
            return Some((out, text.len() - chars.as_str().len()));
        }
        if c != '\\' || quote == '\'' {
            out.push(c);
            continue;
        }
        match chars.next()? {
            'n' | 't' | 'r' | '0' | ' ' | '_' => out.push(' '),
            // An escaped line end continues the line.
            '\n' => chars = chars.as_str().trim_start().chars(),
            digits @ ('x' | 'u' | 'U') => {
                let count = match digits {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let code = chars.as_str().get(..count);
                let decoded = code
                    .and_then(|code| u32::from_str_radix(code, 16).ok())
                    .and_then(char::from_u32);
                if let Some(decoded) = decoded {
                    out.push(decoded);
                    chars = chars.as_str()[count..].chars();
                } else {
                    out.push(char::REPLACEMENT_CHARACTER);
                }
            }
            other => out.push(other),
        }
    }
    None
}
