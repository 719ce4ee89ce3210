//! Whether a word of code stands where the thing that it names is made.
//!
//! Looks at the line of the word, and for the members of an `enum` at what encloses it. A guess
//! across languages: what is only used, imported, passed on or spoken of does not count.

use std::ops::Range;

/// How far a line is read on either side of the word, in bytes.
const MAX_LINE: usize = 400;
/// How far back is looked for what encloses a line, in bytes.
const MAX_BACK: usize = 4_096;

/// Words that stand right before the name of what they make.
#[rustfmt::skip]
const MAKING: [&[u8]; 34] = [
    b"#define", b"class", b"const", b"constexpr", b"def", b"define", b"defmacro", b"defp",
    b"enum", b"fn", b"fun", b"func", b"function", b"function*", b"interface", b"macro_rules!",
    b"mod", b"module", b"namespace", b"object", b"package", b"protocol", b"record", b"rpc",
    b"static", b"struct", b"sub", b"trait", b"type", b"typedef", b"union", b"val", b"var",
    b"TABLE",
];
/// Words that may stand before the name of a member.
#[rustfmt::skip]
const MODIFIERS: [&[u8]; 20] = [
    b"abstract", b"async", b"const", b"declare", b"default", b"export", b"extern", b"final",
    b"get", b"internal", b"override", b"private", b"protected", b"pub", b"public", b"readonly",
    b"set", b"static", b"virtual", b"volatile",
];
/// What a member may be assigned to.
const OWNERS: [&[u8]; 5] = [b"self.", b"this.", b"cls.", b"exports.", b"module.exports."];
/// Words of a line that calls or decides rather than makes.
#[rustfmt::skip]
const USING: [&[u8]; 24] = [
    b"assert", b"await", b"case", b"catch", b"delete", b"do", b"echo", b"elif", b"else",
    b"except", b"for", b"if", b"in", b"match", b"new", b"not", b"return", b"switch", b"throw",
    b"unless", b"until", b"when", b"while", b"yield",
];
/// Beginnings of lines that bring in what is made elsewhere, and of comments.
#[rustfmt::skip]
const NOT_MADE: [&[u8]; 12] = [
    b"//", b"/*", b"* ", b"# ", b"#!", b"-- ", b"use ", b"pub use ", b"import ", b"from ",
    b"include ", b"require ",
];

/// Files with settings of other programs: what stands in them is named by those.
#[rustfmt::skip]
const FOREIGN: [&str; 28] = [
    "build.gradle", "cargo.lock", "cargo.toml", "clippy.toml", "composer.json", "deny.toml",
    "dockerfile", "go.mod", "go.sum", "lerna.json", "mkdocs.yml", "netlify.toml",
    "package-lock.json", "package.json", "pipfile", "pnpm-lock.yaml", "poetry.lock", "pom.xml",
    "pyproject.toml", "requirements.txt", "rustfmt.toml", "setup.cfg", "setup.py", "tox.ini",
    "tsconfig.json", "vercel.json", "yarn.lock", "docker-compose.yml",
];

/// Whether a file holds settings of other programs, by its path: hidden, or of a name that they give.
pub(crate) fn is_foreign(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with('.')
        || path.contains("/.")
        || FOREIGN.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// A word in a text, and its line.
struct Spot<'a> {
    text: &'a [u8],
    line: Range<usize>,
    before: &'a [u8],
    after: &'a [u8],
}

impl<'a> Spot<'a> {
    fn new(text: &'a [u8], word: &Range<usize>) -> Self {
        let from = word.start.saturating_sub(MAX_LINE);
        let start = text[from..word.start].iter().rposition(|byte| *byte == b'\n');
        let to = text.len().min(word.end + MAX_LINE);
        let end = text[word.end..to].iter().position(|byte| *byte == b'\n');
        let line = start.map_or(from, |at| from + at + 1)..end.map_or(to, |at| word.end + at);
        let (before, after) = (&text[line.start..word.start], &text[word.end..line.end]);
        Self { text, line, before: before.trim_ascii_start(), after: after.trim_ascii_end() }
    }

    /// The line that follows the line, without white space around it.
    fn next(&self) -> &'a [u8] {
        let rest = self.text.get(self.line.end + 1..).unwrap_or_default();
        let rest = &rest[..rest.len().min(MAX_LINE)];
        rest.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii()
    }

    /// The lines before the line, from the nearest on.
    fn earlier(&self) -> impl Iterator<Item = &'a [u8]> {
        let to = self.line.start.saturating_sub(1);
        self.text[to.saturating_sub(MAX_BACK)..to].rsplit(|byte| *byte == b'\n')
    }
}

/// Whether the word makes what it names, a constant only where the name is one (`MAX_BYTES`).
/// `looks` is how often what encloses a line may still be looked for.
pub(crate) fn makes(text: &[u8], word: &Range<usize>, looks: &mut u32) -> bool {
    let spot = Spot::new(text, word);
    let before = spot.before;
    if NOT_MADE.iter().any(|begin| before.starts_with(begin)) || holds(before, b"// ") {
        return false;
    }
    let stem = before.trim_ascii_end();
    let last = stem.rsplit(|b| b.is_ascii_whitespace() || *b == b'(').next().unwrap_or_default();
    if stem.len() < before.len() && MAKING.contains(&last) {
        return true;
    }
    // The receiver of a method in Go.
    if before.starts_with(b"func (") && before.ends_with(b") ") {
        return true;
    }
    let constant = is_constant(&text[word.clone()]);
    let lead = without_modifiers(before);
    if lead.is_empty() { first(&spot, constant, looks) } else { typed(&spot, lead, before) }
}

/// Whether a name is in capitals.
pub(crate) fn is_constant(name: &[u8]) -> bool {
    name.contains(&b'_') && !name.iter().any(u8::is_ascii_lowercase)
}

/// The word is the first of its line.
fn first(spot: &Spot<'_>, constant: bool, looks: &mut u32) -> bool {
    let after = match spot.after {
        [b'"' | b'\'', rest @ ..] if matches!(spot.before, [.., b'"' | b'\'']) => rest,
        after => after,
    };
    let spaced = after.starts_with(b" ");
    let rest = after.trim_ascii_start();
    let rest = rest.strip_prefix(b"?").unwrap_or(rest);
    match rest {
        [b':', b':', ..] => false,
        // A variable that is set for another program: `NAME: 1`, `NAME=1`.
        [b':', ..] => !constant || rest.starts_with(b":="),
        [b'=', b'=' | b'>' | b'~', ..] => false,
        [b'=', ..] if spaced => true,
        [b'(', ..] => is_method(spot, rest) || is_variant(spot, rest, looks),
        _ => is_variant(spot, rest, looks),
    }
}

/// Something stands before the word on its line: a type, when it makes something.
fn typed(spot: &Spot<'_>, lead: &[u8], before: &[u8]) -> bool {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"_<>[],*&:~? ".contains(b);
    let words = || lead.split(|b| !(b.is_ascii_alphanumeric() || *b == b'_'));
    if !lead.iter().all(plain)
        || lead.ends_with(b":")
        || words().any(|word| USING.contains(&word))
        || !lead.ends_with(b" ") && !lead.ends_with(b"*") && !lead.ends_with(b"&")
    {
        return false;
    }
    let rest = spot.after.trim_ascii_start();
    match rest {
        [b'(', ..] => is_method(spot, rest) || rest.ends_with(b");") && balanced(rest).is_some(),
        [b';', ..] | [b'=', ..] if !rest.starts_with(b"==") => {
            let begin = before.split(|b| *b == b' ').next().unwrap_or_default();
            MODIFIERS.contains(&begin)
        }
        _ => false,
    }
}

/// Whether `(…) {`, `(…): …` or `(…)` and a line with `{` follow.
fn is_method(spot: &Spot<'_>, rest: &[u8]) -> bool {
    let Some(end) = balanced(rest) else { return false };
    let tail = rest[end..].trim_ascii_start();
    match tail {
        [b':', ..] => !tail.starts_with(b"::"),
        [] => spot.next().starts_with(b"{"),
        _ => tail.ends_with(b"{") && !tail.starts_with(b".") && !tail.starts_with(b"&"),
    }
}

/// Where the bracket ends with which the text begins.
fn balanced(rest: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Whether the line can be a member of an `enum`, and stands in one.
fn is_variant(spot: &Spot<'_>, rest: &[u8], looks: &mut u32) -> bool {
    if !matches!(rest, [] | [b',' | b'{' | b'(' | b'=', ..]) || *looks == 0 {
        return false;
    }
    *looks -= 1;
    let depth = |line: &[u8]| line.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let own = depth(&spot.text[spot.line.start..]);
    let above = spot.earlier().find(|line| {
        let line = line.trim_ascii_end();
        depth(line) < own && depth(line) < line.len() && !line.ends_with(b")]")
    });
    above.is_some_and(|line| {
        line.split(|b| b.is_ascii_whitespace()).any(|word| word == b"enum")
            || line.ends_with(b"(Enum):")
    })
}

/// What is left before a word when modifiers, a quotation mark and an owner are taken away.
fn without_modifiers(before: &[u8]) -> &[u8] {
    let mut rest = before;
    loop {
        rest = rest.trim_ascii_start();
        if let [b'"' | b'\''] | [b'-'] = rest {
            return &[];
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

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Whether a program reads a variable of this name: `"NAME"`, `$NAME`, `env.NAME`.
pub(crate) fn reads(text: &[u8], word: &Range<usize>) -> bool {
    let (before, after) = (&text[..word.start], &text[word.end..]);
    let quoted =
        matches!(before.last(), Some(b'"' | b'\'' | b'`')) && before.last() == after.first();
    let ends = |end: &[u8]| before.ends_with(end);
    quoted || ends(b"$") || ends(b"${") || ends(b"env.")
}

/// Whether a field or parameter is what a library makes a flag of, without the flag being written
/// anywhere: `#[arg(long)] dry_run: bool`, `dry_run: bool = Option(…)`, `dryRun: { type: … }`.
pub(crate) fn declares_option(text: &[u8], word: &Range<usize>) -> bool {
    let before = &text[..word.start];
    let name = &text[word.clone()];
    let owned = |owners: &[&[u8]]| owners.iter().any(|owner| before.ends_with(owner));
    if owned(&[b"argv.", b"program.", b"flags.", b"cli."])
        || name.iter().any(u8::is_ascii_uppercase) && owned(&[b"args.", b"opts.", b"options."])
        // A symbol of Ruby.
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
    let mut above = spot.earlier().map(<[u8]>::trim_ascii);
    let above = above.find(|line| !line.is_empty() && !line.starts_with(b"//"));
    above.is_some_and(|line| {
        line.ends_with(b"]") && (line.starts_with(b"#[") || line.ends_with(b")]"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The word is what stands between `<` and `>` marks made of `«` and `»`.
    fn spot(marked: &str) -> (Vec<u8>, Range<usize>) {
        let start = marked.find('«').unwrap();
        let end = marked.find('»').unwrap() - '«'.len_utf8();
        (marked.replace(['«', '»'], "").into_bytes(), start..end)
    }

    fn is_made(marked: &str) -> bool {
        let (text, word) = spot(marked);
        makes(&text, &word, &mut 9)
    }

    #[test]
    fn a_name_is_made_where_it_is_defined() {
        for marked in [
            "pub fn «old_name»() {",
            "struct «OldThing»;",
            "    pub(crate) «max_width»: usize,",
            "  \"«max_width»\": 3,",
            "MAX = 1\n«MAX_WIDTH» = 3",
            "    self.«max_width» = 3",
            "exports.«makeThing» = makeThing",
            "  «makeThing»(a, b) {",
            "  async «makeThing»(a: A): Promise<B> {",
            "Thing.prototype.«makeThing» = function () {",
            "func (r *Thing) «MakeThing»(a int) {",
            "static int «make_thing»(int a)\n{",
            "int «make_thing»(int a);",
            "  public static final int «MAX_WIDTH» = 3;",
            "#define «MAX_WIDTH» 3",
            "#[derive(Debug)]\npub enum E {\n    A,\n    «OldVariant»(u8),\n}",
            "enum E {\n    A {\n        a: u8,\n    },\n    «OldVariant»,\n}",
            "class Color(Enum):\n    «OLD_RED» = 1",
            "«max_width»: 3",
            "type «OldType» = u8;",
        ] {
            assert!(is_made(marked), "{marked}");
        }
    }

    #[test]
    fn what_is_only_used_is_not_made() {
        for marked in [
            "use tower::{«ServiceBuilder»};",
            "use tower::{\n    «ServiceBuilder»,\n};",
            "import { «makeThing» } from 'thing'",
            "    «ServiceBuilder»::new()",
            "    «make_thing»(a);",
            "  it.«makeThing»('x', function () {",
            "  «makeThing»('x', function () {",
            "    if a && «make_thing»(b) {",
            "return «make_thing»(a);",
            "  «EXTERN_STATIC»: 1",
            "export «EXTERN_STATIC»=1",
            "// fn «old_name»() {",
            "# the class «OldThing» is",
            "thing(«max_width»=3)",
            "    «max_width»=3,",
            "a == «OldThing»",
            "let x = vec![\n    «OldThing»,\n];",
        ] {
            assert!(!is_made(marked), "{marked}");
        }
    }

    #[test]
    fn a_variable_is_read_by_its_whole_name() {
        for marked in ["var(\"«A_DIR»\")", "${«A_DIR»:-x}", "process.env.«A_DIR»"] {
            let (text, word) = spot(marked);
            assert!(reads(&text, &word), "{marked}");
        }
        for marked in ["\"«A_DIR»=1\"", "export «A_DIR»=1", "(«A_DIR»)"] {
            let (text, word) = spot(marked);
            assert!(!reads(&text, &word), "{marked}");
        }
    }

    #[test]
    fn a_field_is_a_flag_where_a_library_makes_it_one() {
        for marked in [
            "    #[arg(long)]\n    /// Says so.\n    «no_config»: bool,",
            "    #[arg(\n        long,\n    )]\n    pub «no_config»: bool,",
            "    «no_config»: bool = typer.Option(False),",
            "  flags: {\n    «noConfig»: { type: 'boolean' }",
            "option :«no_config», type: :boolean",
            "if (argv.«noConfig»)",
        ] {
            let (text, word) = spot(marked);
            assert!(declares_option(&text, &word), "{marked}");
        }
        for marked in ["struct A {\n    «no_config»: bool,", "self.«no_config»", "args.«no_config»"]
        {
            let (text, word) = spot(marked);
            assert!(!declares_option(&text, &word), "{marked}");
        }
    }
}
