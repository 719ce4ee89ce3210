//! Distinguishes the definition of an item (a function, type, module or top-level value) from other uses of its
//! name.
//!
//! Many projects use the same lower-case names for fields, keys, parameters and local variables, so the removal of one
//! says little about a document.

use std::ops::Range;

use super::defined::{MAKING, MODIFIERS, is_method, is_type, without_modifiers};
use super::spot::{Spot, balanced, holds};
use super::{defined, shapes};

/// Keywords before the name of a value. A value counts as an item only at the top level.
const VALUES: [&[u8]; 7] = [b"const", b"constexpr", b"let", b"mut", b"static", b"val", b"var"];
/// Keywords that define a name regardless of the text after it.
const PLAIN: [&[u8]; 7] = [b"#define", b"def", b"define", b"defp", b"rpc", b"sub", b"type"];
/// Words that may follow the name in a definition.
#[rustfmt::skip]
const JOINING: [&[u8]; 9] = [
    b"as", b"extends", b"for", b"implements", b"interface", b"is", b"struct", b"where", b"with",
];
/// Words that make a following keyword part of a sentence: `of type`, `the function`.
#[rustfmt::skip]
const SPEAKING: [&[u8]; 14] = [
    b"a", b"an", b"any", b"by", b"each", b"in", b"no", b"of", b"our", b"that", b"the", b"this",
    b"to", b"your",
];
/// Lines that open a group of values or types in Go.
const GROUPS: [&[u8]; 3] = [b"const (", b"type (", b"var ("];
/// Basic types of C, which precede a global variable at the top level.
const BASIC: [&[u8]; 6] = [b"bool", b"char", b"double", b"float", b"int", b"unsigned"];
/// Owners that stand for a module or class.
const EXPORTS: [&[u8]; 2] = [b"exports.", b".prototype."];

/// Returns true if the word defines an item. `looks` is the number of enclosing lines that may still be read.
pub(super) fn makes(text: &[u8], word: &Range<usize>, looks: &mut u32) -> bool {
    let spot = Spot::new(text, word);
    let before = spot.before;
    if shapes::is_exported(&spot, looks) {
        return true;
    }
    if defined::is_aside(before) || defined::is_elsewhere(&spot) {
        return false;
    }
    if let Some(made) = behind_making(&spot) {
        return made;
    }
    if shapes::declares_type(&spot) {
        return before != b"} " || spot.depth() == 0;
    }
    // The text before the word is the receiver of a Go method.
    if before.starts_with(b"func (") && before.ends_with(b") ") {
        return true;
    }
    if let Some(lead) = shapes::without_owner(before) {
        let lead = without_modifiers(lead);
        return (lead.is_empty() || is_type(lead)) && is_method(&spot, spot.after);
    }
    let lead = without_modifiers(before);
    if lead.is_empty() {
        return first(&spot, looks);
    }
    let rest = spot.after.trim_ascii_start();
    if lead.ends_with(b".") {
        return is_path(lead) && is_function(&spot);
    }
    is_type(lead)
        && match rest {
            [b'(', ..] => is_method(&spot, rest) || defined::is_declared(&spot),
            [b';', ..] | [b'=', ..] if !rest.starts_with(b"==") => {
                let begin = before.split(|b| *b == b' ').next().unwrap_or_default();
                let basic = BASIC.contains(&begin) && rest.ends_with(b";");
                (MODIFIERS.contains(&begin) || basic) && spot.depth() == 0
            }
            _ => false,
        }
}

/// Returns true if a keyword before the word makes it an item, or `None` if there is no keyword.
fn behind_making(spot: &Spot<'_>) -> Option<bool> {
    let before = spot.before;
    let (owner, stem) = match before {
        // `def self.name`, `function Thing:name`, `fun Thing.name`.
        [.., b'.' | b':'] => {
            let start = before.iter().rposition(u8::is_ascii_whitespace)?;
            (&before[start + 1..], before[..start].trim_ascii_end())
        }
        _ => (&[][..], before.trim_ascii_end()),
    };
    if stem.len() == before.len() {
        return None;
    }
    let start = stem.iter().rposition(|b| b.is_ascii_whitespace() || *b == b'(');
    let (lead, last) = stem.split_at(start.map_or(0, |at| at + 1));
    if !owner.is_empty() {
        // `fun List<String>.name`.
        let is_owner = |b: &u8| b.is_ascii_alphanumeric() || b"_.:$<>?".contains(b);
        let is_one =
            owner.iter().all(is_owner) && [&b"def"[..], b"fun", b"function"].contains(&last);
        return is_one.then_some(true);
    }
    if VALUES.contains(&last) {
        // A static method of a class.
        if last == b"static" && spot.after.starts_with(b"(") {
            return None;
        }
        if [&b"static"[..], b"const", b"constexpr"].contains(&last) && is_type_of(spot, last) {
            return Some(false);
        }
        let public = before.starts_with(b"export ") || before.starts_with(b"pub");
        let outside = without_modifiers(lead).is_empty() && (public || spot.depth() == 0);
        return Some(outside || is_function(spot));
    }
    // `DROP TABLE name` does not define a table.
    if last == b"TABLE" || before.ends_with(b"TABLE IF NOT EXISTS ") {
        return Some(holds(before, b"CREATE "));
    }
    // An OCaml function.
    if before == b"let rec " {
        return Some(spot.depth() == 0);
    }
    MAKING.contains(&last).then(|| goes_on(spot.after, last) && !is_spoken(lead))
}

/// Returns true if the word is the type in a declaration: `static old_t *name`.
fn is_type_of(spot: &Spot<'_>, last: &[u8]) -> bool {
    let rest = spot.after.trim_ascii_start();
    match rest {
        // The name is on the next line.
        [] => last == b"static",
        [b'*' | b'&' | b'<', ..] | [b':', b':', ..] => true,
        [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..] => {
            // In Go, the type of a constant follows its name.
            let end = rest.last().copied().unwrap_or_default();
            spot.before != b"const " || !holds(rest, b" = ") || b";{,(\\".contains(&end)
        }
        _ => false,
    }
}

/// Returns true if the text after a name continues a definition, not a sentence.
fn goes_on(after: &[u8], last: &[u8]) -> bool {
    let rest = after.trim_ascii_start();
    if PLAIN.contains(&last) {
        return true;
    }
    let word = rest.split(|b| !b.is_ascii_alphabetic()).next().unwrap_or_default();
    matches!(rest, [] | [b'(' | b'{' | b'<' | b'=' | b';' | b'[' | b':', ..])
        || rest.starts_with(b", do")
        || rest.len() < after.len() && JOINING.contains(&word)
}

fn is_spoken(lead: &[u8]) -> bool {
    let word = lead.trim_ascii_end().rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    SPEAKING.iter().any(|speaking| speaking.eq_ignore_ascii_case(word))
}

/// Returns true if the text consists of names and separators only.
fn is_path(lead: &[u8]) -> bool {
    lead.iter().all(|b| b.is_ascii_alphanumeric() || b"_.:$".contains(b))
}

/// Returns true if the word defines an item, given that it comes first on its line.
fn first(spot: &Spot<'_>, looks: &mut u32) -> bool {
    let (before, after) = (spot.before, spot.after);
    let quoted = matches!(before, [.., b'"' | b'\'']);
    let after = match after {
        [b'"' | b'\'', rest @ ..] if quoted => rest,
        after => after,
    };
    let spaced = after.starts_with(b" ");
    let rest = after.trim_ascii_start();
    if before.is_empty() && is_grouped(spot, rest, looks) {
        return true;
    }
    match rest {
        [b'(', ..] => is_method(spot, rest) || is_of_interface(spot, rest, looks),
        // A type signature in Haskell.
        [b':', b':', ..] => spaced && rest.starts_with(b":: ") && spot.depth() == 0,
        [b'=', b'=' | b'>' | b'~', ..] => false,
        [b'=', ..] if spaced && EXPORTS.iter().any(|owner| holds(before, owner)) => true,
        [b'=', ..] if spaced && !quoted => is_of_file(spot, looks) || is_function(spot),
        [b'<', b'-', ..] => spot.depth() == 0,
        // A value with a type: `name: int = 3`.
        [b':', ..] => {
            !spaced && !quoted && is_typed_value(rest) && is_of_file(spot, looks)
                || is_function(spot)
        }
        _ => false,
    }
}

/// Returns true if the line is at the top level of the file, and not in a TOML table.
fn is_of_file(spot: &Spot<'_>, looks: &mut u32) -> bool {
    if spot.depth() > 0 || spot.before.ends_with(b".") {
        return false;
    }
    let Some(left) = looks.checked_sub(1) else { return false };
    *looks = left;
    !spot.earlier().any(is_table)
}

/// Returns true if a line is the header of a TOML table.
fn is_table(line: &[u8]) -> bool {
    if !line.starts_with(b"[") {
        return false;
    }
    let comment = line.windows(3).position(|part| part == b"] #");
    let line = comment.map_or(line, |at| &line[..=at]).trim_ascii_end();
    // A line with a call is an attribute or part of a list.
    line.ends_with(b"]") && (!line.contains(&b'(') || line.ends_with(b"\"]") && holds(line, b".\""))
}

/// Returns true if a value with a type follows: `: int = 3`. A `=` in quotation marks or in a sentence does not count.
fn is_typed_value(rest: &[u8]) -> bool {
    let Some(end) = rest.windows(3).position(|part| part == b" = ") else { return false };
    let kind = &rest[..end];
    let quotes = kind.iter().filter(|b| matches!(b, b'"' | b'\'')).count();
    let is_sentence = kind.windows(3).any(|part| {
        part[0].is_ascii_alphanumeric() && part[1] == b' ' && part[2].is_ascii_alphanumeric()
    });
    quotes % 2 == 0 && !is_sentence
}

/// Returns true if the line is in a top-level group of values or types in Go.
fn is_grouped(spot: &Spot<'_>, rest: &[u8], looks: &mut u32) -> bool {
    let begins = matches!(rest, [] | [b'=' | b',' | b'*' | b'[', ..])
        || spot.after.starts_with(b" ") && rest[0].is_ascii_alphabetic();
    if !begins || spot.depth() == 0 {
        return false;
    }
    let Some(above) = shapes::above(spot, looks) else { return false };
    GROUPS.iter().any(|group| {
        let rest = above.strip_prefix(*group).map(<[u8]>::trim_ascii);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"//"))
    })
}

/// Returns true if the line declares a method of a Go interface.
fn is_of_interface(spot: &Spot<'_>, rest: &[u8], looks: &mut u32) -> bool {
    spot.before.is_empty()
        && balanced(rest).is_some()
        && shapes::enclosing(spot, looks).is_some_and(|above| above.ends_with(b"interface {"))
}

/// Returns true if the word is assigned a function: `= function`, `: async (a) =>`, `= a =>`.
fn is_function(spot: &Spot<'_>) -> bool {
    let wide = spot.wide();
    let wide = match wide {
        [b'"' | b'\'', rest @ ..] => rest.trim_ascii_start(),
        wide => wide,
    };
    let Some([b'=' | b':', value @ ..]) = wide.get(..) else { return false };
    let value = value.trim_ascii_start();
    let value = value.strip_prefix(b"async").map_or(value, <[u8]>::trim_ascii_start);
    let word = value.iter().position(|b| !b.is_ascii_alphanumeric() && !b"_$".contains(b));
    let (word, rest) = value.split_at(word.unwrap_or(value.len()));
    if word == b"function" {
        // `function of x` is prose.
        let rest = rest.trim_ascii_start();
        let rest = rest.strip_prefix(b"*").map_or(rest, <[u8]>::trim_ascii_start);
        let name = rest.iter().position(|b| !b.is_ascii_alphanumeric() && !b"_$".contains(b));
        return name.is_some_and(|end| rest[end..].trim_ascii_start().starts_with(b"("));
    }
    if word == b"func" && rest.starts_with(b"(") {
        return true;
    }
    let rest = if word.is_empty() && rest.starts_with(b"(") {
        balanced(rest).map_or(&[][..], |end| &rest[end..])
    } else if word.is_empty() {
        return false;
    } else {
        rest
    };
    let line = rest.split(|b| *b == b'\n').next().unwrap_or_default().trim_ascii_start();
    line.starts_with(b"=>") || word.is_empty() && line.starts_with(b":") && holds(line, b"=>")
}

#[cfg(test)]
mod tests;
