//! Distinguishes definitions of names from uses, for many languages.
//!
//! This is a heuristic. It reads the line of the name, and for the members of an `enum` also the enclosing line.
//! Uses, imports, arguments and comments do not count.

use std::ops::Range;

use super::shapes;
use super::spot::{Spot, balanced, holds};

/// Keywords directly before a name that they define.
#[rustfmt::skip]
pub(super) const MAKING: [&[u8]; 33] = [
    b"#define", b"class", b"const", b"constexpr", b"def", b"define", b"defmacro", b"defp",
    b"enum", b"fn", b"fun", b"func", b"function", b"function*", b"interface", b"macro_rules!",
    b"mod", b"module", b"namespace", b"object", b"package", b"protocol", b"record", b"rpc",
    b"static", b"struct", b"sub", b"trait", b"type", b"union", b"val", b"var",
    b"TABLE",
];
/// Keywords that may precede the name of a member.
#[rustfmt::skip]
pub(super) const MODIFIERS: [&[u8]; 20] = [
    b"abstract", b"async", b"const", b"declare", b"default", b"export", b"extern", b"final",
    b"get", b"internal", b"override", b"private", b"protected", b"pub", b"public", b"readonly",
    b"set", b"static", b"virtual", b"volatile",
];
/// Prefixes that make an assignment define a member.
const OWNERS: [&[u8]; 5] = [b"self.", b"this.", b"cls.", b"exports.", b"module.exports."];
/// Keywords in lines that call or branch instead of defining something.
#[rustfmt::skip]
const USING: [&[u8]; 36] = [
    b"assert", b"await", b"case", b"catch", b"delete", b"do", b"echo", b"elif", b"else",
    b"except", b"for", b"go", b"guard", b"if", b"let", b"raise", b"try", b"in", b"match", b"new", b"not", b"return", b"switch", b"throw",
    b"unless", b"until", b"when", b"while", b"with", b"yield", b"co_await", b"co_return", b"co_yield",
    b"defer", b"print", b"sizeof",
];
/// Beginnings of lines that are comments or imports.
#[rustfmt::skip]
const NOT_MADE: [&[u8]; 12] = [
    b"//", b"/*", b"* ", b"# ", b"#!", b"-- ", b"use ", b"pub use ", b"import ", b"from ",
    b"include ", b"require ",
];

/// Returns true if the line begins as a comment or an import.
pub(super) fn is_aside(before: &[u8]) -> bool {
    NOT_MADE.iter().any(|begin| before.starts_with(begin)) || holds(before, b"// ")
}

/// Returns true if the line declares an item that belongs to another module: `const isSet: typeof
/// import('sets')['isSet']`.
pub(super) fn is_elsewhere(spot: &Spot<'_>) -> bool {
    // The name may be quoted.
    let rest = spot.after.trim_ascii_start();
    rest.strip_prefix(b"'").unwrap_or(rest).starts_with(b": typeof import(")
}

/// Returns true if the word defines its name. A key counts as the definition of a constant only with `:=`. `looks` is
/// the number of enclosing lines that may still be read.
pub(crate) fn makes(text: &[u8], word: &Range<usize>, looks: &mut u32) -> bool {
    let spot = Spot::new(text, word);
    let before = spot.before;
    if shapes::is_exported(&spot, looks) {
        return true;
    }
    if is_aside(before) || is_elsewhere(&spot) {
        return false;
    }
    let stem = before.trim_ascii_end();
    let last = stem.rsplit(|b| b.is_ascii_whitespace() || *b == b'(').next().unwrap_or_default();
    if stem.len() < before.len() && MAKING.contains(&last) {
        return true;
    }
    if shapes::declares(&spot) {
        return true;
    }
    // The text before the word is the receiver of a Go method.
    if before.starts_with(b"func (") && before.ends_with(b") ") {
        return true;
    }
    let constant = is_constant(&text[word.clone()]);
    if let Some(lead) = shapes::without_owner(before) {
        let lead = without_modifiers(lead);
        return (lead.is_empty() || is_type(lead)) && is_method(&spot, spot.after);
    }
    let lead = without_modifiers(before);
    if lead.is_empty() { first(&spot, constant, looks) } else { typed(&spot, lead, before, looks) }
}

/// Returns true for a name in capitals with `_`.
pub(crate) fn is_constant(name: &[u8]) -> bool {
    name.contains(&b'_') && !name.iter().any(u8::is_ascii_lowercase)
}

/// Returns true if the word is a definition, given that it comes first on its line.
fn first(spot: &Spot<'_>, constant: bool, looks: &mut u32) -> bool {
    let after = match spot.after {
        [b'"' | b'\'', rest @ ..] if matches!(spot.before, [.., b'"' | b'\'']) => rest,
        after => after,
    };
    let spaced = after.starts_with(b" ");
    let rest = after.trim_ascii_start();
    let rest = rest.strip_prefix(b"?").unwrap_or(rest);
    match rest {
        // A type signature in Haskell.
        [b':', b':', b' ', ..] => spaced && spot.depth() == 0,
        [b':', b':', ..] => false,
        // A variable set for another program: `NAME: 1`, `NAME=1`.
        [b':', ..] => !constant || rest.starts_with(b":="),
        [b'=', b'=' | b'>' | b'~', ..] => false,
        [b'=', ..] if spaced => true,
        [b'(', ..] => is_method(spot, rest) || is_variant(spot, rest, looks),
        _ => is_variant(spot, rest, looks),
    }
}

/// Returns true if the word is a definition, given that other text precedes it on its line.
fn typed(spot: &Spot<'_>, lead: &[u8], before: &[u8], looks: &mut u32) -> bool {
    if !is_type(lead) {
        return false;
    }
    let rest = spot.after.trim_ascii_start();
    match rest {
        [b'(', ..] => is_method(spot, rest) || is_declared(spot),
        [b';' | b'[', ..] | [b'=', ..] if !rest.starts_with(b"==") => {
            let begin = before.split(|b| *b == b' ').next().unwrap_or_default();
            MODIFIERS.contains(&begin) && !rest.starts_with(b"[")
                || rest.ends_with(b";") && shapes::is_field(spot, looks)
        }
        _ => false,
    }
}

/// Returns true if the text can be the type of a name that follows.
pub(super) fn is_type(lead: &[u8]) -> bool {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"_<>[],*&:~? ".contains(b);
    let words = || lead.split(|b| !(b.is_ascii_alphanumeric() || *b == b'_'));
    lead.iter().all(plain)
        && lead.iter().any(u8::is_ascii_alphabetic)
        && !holds(lead, b"<<")
        && !lead.starts_with(b"&")
        && !lead.ends_with(b":")
        && !words().any(|word| USING.contains(&word))
        && (lead.ends_with(b" ") || lead.ends_with(b"*") || lead.ends_with(b"&"))
}

/// Returns true if a parameter list follows, and after that only qualifiers and `;`.
pub(super) fn is_declared(spot: &Spot<'_>) -> bool {
    let wide = spot.wide();
    let Some(end) = balanced(wide) else { return false };
    let tail = wide[end..].split(|b| *b == b'\n').next().unwrap_or_default();
    let Some(tail) = tail.trim_ascii().strip_suffix(b";") else { return false };
    tail.trim_ascii().starts_with(b"throws ")
        || tail.split(|b| *b == b' ').all(|word| {
            matches!(word, b"" | b"const" | b"override" | b"final" | b"noexcept" | b"=" | b"0")
        })
}

/// Returns true if a body or a type follows the parameters: `(…) {`, `(…) { … }`, `(…): …`, or `(…)` and a
/// line with `{`.
pub(super) fn is_method(spot: &Spot<'_>, rest: &[u8]) -> bool {
    if !rest.starts_with(b"(") {
        return false;
    }
    let Some(end) = balanced(rest) else { return is_wrapped(spot, rest) };
    let tail = rest[end..].trim_ascii_start();
    match tail {
        [b':', ..] => !tail.starts_with(b"::"),
        [] => spot.next().starts_with(b"{"),
        [b'.' | b'&' | b'|' | b'?', ..] => false,
        _ if tail.ends_with(b"{") => true,
        // A block argument of a call begins with `|`.
        [b'{', ..] => tail.ends_with(b"}") && !tail[1..].trim_ascii_start().starts_with(b"|"),
        _ => tail.ends_with(b"}") && tail.contains(&b'{') && !holds(tail, b"=>"),
    }
}

/// Returns true if a body follows a parameter list of several lines.
fn is_wrapped(spot: &Spot<'_>, rest: &[u8]) -> bool {
    // A body or a string inside the list means that this is a call.
    if rest.ends_with(b"{") || rest.contains(&b'\'') || rest.contains(&b'"') {
        return false;
    }
    let wide = spot.wide();
    let Some(end) = balanced(wide) else { return false };
    let mut lines = wide[end..].split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
    match lines.next().unwrap_or_default() {
        [] => lines.next().is_some_and(|next| next.starts_with(b"{")),
        [b'.' | b'&' | b'|' | b'?', ..] => false,
        tail => tail.ends_with(b"{"),
    }
}

/// Returns true if the line may be a member of the enclosing `enum`, or of a Go `const` group, `struct` or `interface`.
fn is_variant(spot: &Spot<'_>, rest: &[u8], looks: &mut u32) -> bool {
    let plain = matches!(rest, [] | [b',' | b'{' | b'(' | b'=', ..]);
    let typed = spot.after.starts_with(b" ")
        && matches!(rest, [b'*' | b'[', ..] | [b'a'..=b'z' | b'A'..=b'Z', ..]);
    if !plain && !typed {
        return false;
    }
    let Some(above) = shapes::enclosing(spot, looks) else { return false };
    let is = |end: &[u8]| above.ends_with(end);
    if plain && (shapes::has_word(above, &[b"enum"]) || is(b"(Enum):")) {
        return true;
    }
    match rest {
        [] | [b'=', ..] => above == b"const (",
        [b'(', ..] => is(b"interface {") && balanced(rest).is_some(),
        [b'*' | b'[', ..] => is(b" struct {"),
        _ => typed && (is(b" struct {") || above == b"const (" && rest.contains(&b'=')),
    }
}

/// Strips modifiers, annotations, a quotation mark and an owner from the text before a word.
pub(super) fn without_modifiers(before: &[u8]) -> &[u8] {
    let mut rest = before;
    loop {
        rest = rest.trim_ascii_start();
        if let [b'"' | b'\''] | [b'-'] = rest {
            return &[];
        }
        if let Some(rest_of) = shapes::without_annotation(rest) {
            rest = rest_of;
            continue;
        }
        if let Some(owned) = OWNERS.iter().find_map(|owner| rest.strip_prefix(*owner)) {
            rest = owned;
            continue;
        }
        let end = rest.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len());
        if !MODIFIERS.contains(&&rest[..end]) {
            return if rest.ends_with(b".") && holds(rest, b".prototype.") { &[] } else { rest };
        }
        rest = &rest[end..];
        // `pub(crate)`
        if rest.starts_with(b"(") {
            rest = balanced(rest).map_or(rest, |end| &rest[end..]);
        }
    }
}

/// Returns true if code reads a variable of this name: `"NAME"`, `$NAME`, `env.NAME`. Backticks do not count,
/// because prose uses them.
pub(crate) fn reads(text: &[u8], word: &Range<usize>) -> bool {
    let before = &text[..word.start];
    let ends = |end: &[u8]| before.ends_with(end);
    is_between(text, word, b"\"'") || ends(b"$") || ends(b"${") || ends(b"env.")
}

/// Returns true if this part of a name is used to build longer names: it begins or ends with `_`, or is a whole string.
pub(crate) fn is_part(text: &[u8], word: &Range<usize>) -> bool {
    let part = &text[word.clone()];
    part.starts_with(b"_")
        || part.ends_with(b"_")
        || reads(text, word)
        || is_between(text, word, b"`")
}

/// Returns true if the same sign, one of `signs`, precedes and follows the word.
fn is_between(text: &[u8], word: &Range<usize>, signs: &[u8]) -> bool {
    let (before, after) = (text[..word.start].last(), text.get(word.end));
    before == after && before.is_some_and(|sign| signs.contains(sign))
}

/// Attributes that do not make a field a flag. At most [`MAX_ATTRIBUTES`] attributes of a field are read.
const OF_FIELDS: [&[u8]; 5] = [b"#[serde", b"#[cfg", b"#[doc", b"#[allow", b"#[schemars"];
const MAX_ATTRIBUTES: usize = 8;

/// Returns true if a library derives a flag from this field or parameter: `#[arg(long)] dry_run: bool`,
/// `dry_run: bool = Option(…)`, `dryRun: { type: … }`.
pub(crate) fn declares_option(text: &[u8], word: &Range<usize>) -> bool {
    let before = &text[..word.start];
    let name = &text[word.clone()];
    let owned = |owners: &[&[u8]]| owners.iter().any(|owner| before.ends_with(owner));
    if owned(&[b"argv.", b"program.", b"flags.", b"cli."])
        || name.iter().any(u8::is_ascii_uppercase) && owned(&[b"args.", b"opts.", b"options."])
        // A Ruby symbol.
        || before.ends_with(b":") && !before.ends_with(b"::")
    {
        return true;
    }
    let spot = Spot::new(text, word);
    let Some(value) = spot.after.trim_ascii_start().strip_prefix(b":") else { return false };
    let value = value.trim_ascii_start();
    if value.starts_with(b"{") || value.starts_with(b":") && !spot.after.starts_with(b"::") {
        return true;
    }
    if [&b"Option("[..], b"Argument(", b"Annotated["].iter().any(|call| holds(value, call)) {
        return true;
    }
    let is_attribute =
        |line: &&[u8]| line.ends_with(b"]") && (line.starts_with(b"#[") || line.ends_with(b")]"));
    let other = |line: &[u8]| OF_FIELDS.iter().any(|begin| line.starts_with(begin));
    let above = spot.earlier().map(<[u8]>::trim_ascii);
    let above = above.filter(|line| !line.is_empty() && !line.starts_with(b"//"));
    above.take(MAX_ATTRIBUTES).take_while(is_attribute).any(|line| !other(line))
}

#[cfg(test)]
pub(super) mod tests;
