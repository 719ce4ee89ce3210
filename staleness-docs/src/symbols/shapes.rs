//! Definitions that can be recognised from one line, and the line that encloses a given one.

use super::spot::{Spot, balanced, depth, holds};

/// Keywords of a line that opens a block of fields.
const FIELDS: [&[u8]; 6] = [b"class", b"struct", b"union", b"interface", b"message", b"record"];
/// Keywords before a block whose members may be on the same line.
const BLOCKS: [&[u8]; 5] = [b"enum", b"struct", b"union", b"interface", b"type"];

pub(super) fn has_word(line: &[u8], words: &[&[u8]]) -> bool {
    line.split(|b| b.is_ascii_whitespace()).any(|word| words.contains(&word))
}

/// Returns the line that encloses this one, trimmed. `looks` is the number of enclosing lines that may still be read.
pub(super) fn enclosing<'a>(spot: &Spot<'a>, looks: &mut u32) -> Option<&'a [u8]> {
    above(spot, looks).map(<[u8]>::trim_ascii)
}

/// Returns the enclosing line with its white space.
pub(super) fn above<'a>(spot: &Spot<'a>, looks: &mut u32) -> Option<&'a [u8]> {
    *looks = looks.checked_sub(1)?;
    let own = spot.depth();
    let access = [&b"public:"[..], b"private:", b"protected:"];
    spot.earlier().find(|line| {
        let text = line.trim_ascii();
        depth(line) < own && !text.is_empty() && !text.ends_with(b")]") && !access.contains(&text)
    })
}

/// Returns true if the line is among the fields of a type.
pub(super) fn is_field(spot: &Spot<'_>, looks: &mut u32) -> bool {
    enclosing(spot, looks).is_some_and(|above| has_word(above, &FIELDS) && !above.contains(&b'('))
}

/// Returns true if the word is the name under which a module exports something: `export { a as name }`, `pub use a as
/// name`.
pub(super) fn is_exported(spot: &Spot<'_>, looks: &mut u32) -> bool {
    let before = spot.before;
    before.ends_with(b" as ")
        && (before.starts_with(b"export {")
            || before.starts_with(b"pub use ")
            || !before.starts_with(b"import ")
                && matches!(spot.after, [] | [b',' | b' ', ..])
                && enclosing(spot, looks).is_some_and(|above| above == b"export {"))
}

/// Returns the text before an owner such as `Thing::`.
pub(super) fn without_owner(before: &[u8]) -> Option<&[u8]> {
    let rest = before.strip_suffix(b"::")?;
    let part = |b: &u8| b.is_ascii_alphanumeric() || b"_:<>".contains(b);
    Some(&rest[..rest.iter().rposition(|b| !part(b)).map_or(0, |at| at + 1)])
}

/// Returns the text after an annotation such as `@Input() `.
pub(super) fn without_annotation(text: &[u8]) -> Option<&[u8]> {
    let name = text.strip_prefix(b"@")?;
    let end = name.iter().position(|b| !b.is_ascii_alphanumeric() && !b"_.".contains(b))?;
    let rest = &name[end..];
    let rest = if rest.starts_with(b"(") { &rest[balanced(rest)?..] } else { rest };
    (end > 0 && rest.starts_with(b" ")).then_some(rest)
}

fn last_word(before: &[u8]) -> &[u8] {
    let mut words = before.trim_ascii_end().rsplit(|b| !b.is_ascii_alphanumeric() && *b != b'_');
    words.next().unwrap_or_default()
}

/// Returns true if the line declares the word as a type or a service.
pub(super) fn declares_type(spot: &Spot<'_>) -> bool {
    let before = spot.before;
    let after = spot.after.trim_ascii_start();
    let only = |words: &[u8]| before == words;
    match last_word(before) {
        b"message" | b"service" if only(b"message ") || only(b"service ") => {
            return after.starts_with(b"{");
        }
        b"data" | b"newtype" if only(b"data ") || only(b"newtype ") => {
            return after.contains(&b'=') || after.is_empty() || after.ends_with(b"where");
        }
        b"using" => return after.starts_with(b"=") && !after.starts_with(b"=="),
        _ => {}
    }
    if before.starts_with(b"typedef ") {
        return after == b";" && before.ends_with(b" ")
            || after.starts_with(b")(") && before.ends_with(b"(*");
    }
    only(b"} ") && after == b";"
}

pub(super) fn declares(spot: &Spot<'_>) -> bool {
    let before = spot.before;
    let after = spot.after.trim_ascii_start();
    match last_word(before) {
        b"let" if before.ends_with(b"let ") => return is_let(spot, after),
        b"mut" | b"ref" if holds(before, b"static ") => return after.starts_with(b":"),
        b"private" | b"public" | b"protected" | b"readonly" if holds(before, b"constructor(") => {
            return true;
        }
        _ => {}
    }
    if before.ends_with(b"def self.") {
        return true;
    }
    if before.starts_with(b"attr_") {
        return before.ends_with(b":");
    }
    declares_type(spot) || is_inline(before, after)
}

/// Returns true for a `let` at the top level, after a word such as `public`, or with a type and no `;`. Local
/// variables do not count.
fn is_let(spot: &Spot<'_>, after: &[u8]) -> bool {
    spot.before != b"let "
        && spot.before.iter().all(|b| b.is_ascii_lowercase() || *b == b' ')
        && !has_word(spot.before, &[b"if", b"while", b"guard", b"else", b"case"])
        || spot.before == b"let "
            && (spot.depth() == 0 || after.starts_with(b":") && !after.ends_with(b";"))
}

/// Returns true if the word is a member of a block that begins on its line, or is bound by destructuring.
fn is_inline(before: &[u8], after: &[u8]) -> bool {
    let Some(open) = before.iter().position(|b| matches!(b, b'{' | b'[')) else { return false };
    let (head, inner) = (&before[..open], &before[open + 1..]);
    if inner.iter().any(|b| matches!(b, b'}' | b'{' | b']' | b'"' | b'\''))
        || head.iter().any(|b| matches!(b, b'"' | b'\'' | b'(' | b'`'))
    {
        return false;
    }
    let stem = inner.trim_ascii_end();
    let starts = stem.is_empty() || stem.ends_with(b",") || stem.ends_with(b";");
    if [&b"const"[..], b"let", b"var"].contains(&head.trim_ascii()) {
        let end = after.iter().position(|b| matches!(b, b'}' | b']'));
        let value = end.map(|end| after[end + 1..].trim_ascii_start());
        return (starts || stem.ends_with(b":"))
            && value.is_some_and(|value| {
                value.starts_with(b"=") && !holds(value, b"require(") && !holds(value, b"import(")
            });
    }
    if before[open] != b'{' || !has_word(head, &BLOCKS) || holds(head, b"=>") {
        return false;
    }
    if has_word(head, &[b"enum"]) {
        return starts && matches!(after, [b',' | b'}' | b'(' | b'{' | b'=', ..]);
    }
    let member = stem.rsplit(|b| matches!(b, b',' | b';')).next().unwrap_or_default();
    let public = member.trim_ascii_start().starts_with(b"pub") && !member.contains(&b':');
    let named =
        (starts || public) && matches!(after, [b':' | b'?', ..]) && !after.starts_with(b"::");
    // A C field: a type, the name and `;`.
    let typed = !starts && !member.contains(&b':') && after.starts_with(b";");
    named || typed
}
