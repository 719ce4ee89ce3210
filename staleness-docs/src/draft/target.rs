//! Parses paths of the project as written in documents.

use std::borrow::Cow;

use staleness_core::knowledge::{Citation, Lines};

use super::traps;
use crate::nature::is_extension;
use crate::paths;

/// The longest path to look up, in bytes.
const MAX_PATH_BYTES: usize = 256;

/// A path as written, with its lines or symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target<'a> {
    /// The decoded path. A leading `/` means the project's root.
    pub(crate) path: Cow<'a, str>,
    pub(crate) lines: Option<Lines>,
    pub(crate) symbol: Option<&'a str>,
}

impl Target<'_> {
    /// Returns the citation of a path with the lines and the symbol of this target.
    pub(crate) fn citation(&self, path: String) -> Option<Citation> {
        let (lines, symbol) = (self.lines, self.symbol.map(str::to_owned));
        (!path.is_empty()).then_some(Citation { path, lines, symbol, digest: None })
    }
}

/// Parses a citation in the front matter or in an item. Its path starts at the project's root.
pub(crate) fn citation_of(text: &str) -> Option<Citation> {
    let target = of_cite(text)?;
    target.citation(paths::resolve("", &target.path).ok()?)
}

/// Returns true if a target is an absolute URL, not a path.
pub(crate) fn has_scheme(target: &str) -> bool {
    if target.starts_with("//") {
        return true;
    }
    let Some((scheme, _)) = target.split_once(':') else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        // `a.rs:42` is a file position, not a scheme.
        && !scheme.contains('.')
}

/// Parses the target of a link or an image. Returns `None` if it is not a file path.
pub(crate) fn of_link(dest: &str) -> Option<Target<'_>> {
    // Zola's `@/a.md` starts at the folder of its pages.
    let is_elsewhere = dest.starts_with(['#', '?']) || dest.starts_with("@/");
    if dest.is_empty() || is_elsewhere || has_scheme(dest) {
        return None;
    }
    let (path, fragment) = dest.split_once('#').unwrap_or((dest, ""));
    let path = path.split('?').next().unwrap_or_default();
    let path = decoded(path)?;
    // Templates are filled in before anyone follows the link.
    if path.is_empty() || path.len() > MAX_PATH_BYTES || is_template(&path) {
        return None;
    }
    Some(Target { path, lines: lines_of_fragment(fragment), symbol: None })
}

/// A GitHub URL of a file or folder: `https://github.com/OWNER/NAME/blob/BRANCH/PATH`.
pub(crate) struct Address<'a> {
    /// `OWNER/NAME`.
    pub(crate) repository: &'a str,
    /// A branch, a tag or a commit.
    pub(crate) branch: &'a str,
    /// The path from the root of the repository, with its fragment or query.
    pub(crate) path: &'a str,
}

pub(crate) fn of_address(link: &str) -> Option<Address<'_>> {
    let rest = link.strip_prefix("https://github.com/")?;
    let mut parts = rest.splitn(5, '/');
    let repository = rest.get(..parts.next()?.len() + 1 + parts.next()?.len())?;
    let kind = parts.next().filter(|kind| matches!(*kind, "blob" | "tree"));
    let (_, branch, path) = (kind?, parts.next()?, parts.next()?);
    Some(Address { repository, branch, path })
}

/// Parses an explicit citation: `path`, `path:42`, `path:40-60`, `path#L10`, `path#symbol`.
pub(crate) fn of_cite(text: &str) -> Option<Target<'_>> {
    let text = text.trim();
    if text.is_empty() || text.len() > 2 * MAX_PATH_BYTES || text.contains("://") {
        return None;
    }
    if text.contains(char::is_control) {
        return None;
    }
    if let Some((path, fragment)) = text.split_once('#') {
        let lines = lines_of_fragment(fragment);
        let symbol = (lines.is_none() && !fragment.is_empty()).then_some(fragment);
        return (!path.is_empty()).then_some(Target { path: path.into(), lines, symbol });
    }
    let (path, lines) = with_lines(text);
    Some(Target { path: path.into(), lines, symbol: None })
}

/// Parses a word of a text or a code span, if it has the shape of a path.
pub(crate) fn of_word(word: &str) -> Option<Target<'_>> {
    if word.len() > MAX_PATH_BYTES || word.starts_with(['~', '-', '@', '/', '=']) {
        return None;
    }
    // `a::b` and `https://a` are not paths.
    if !word.contains(['.', '/']) || word.contains("::") || word.contains("//") {
        return None;
    }
    let (path, lines) = match word.split_once("#L") {
        Some((path, _)) => (path, lines_of_fragment(word.split_once('#')?.1)),
        None => with_lines(word),
    };
    let signs = |c| matches!(c, '.' | '_' | '-' | '+' | '/' | '@' | '(' | ')' | '[' | ']' | ',');
    let plain = |c: char| c.is_ascii_alphanumeric() || signs(c) || c.is_alphanumeric();
    if path.is_empty()
        || !path.chars().all(plain)
        || path.bytes().all(|b| matches!(b, b'.' | b'/' | b'-'))
    {
        return None;
    }
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let folders = path.trim_end_matches('/').contains('/') || path.ends_with('/');
    let is_file = has_extension(name);
    if !is_file && (!folders || path.contains(['(', '[', ','])) {
        return None;
    }
    // Versions, dates and numbers contain the same separators.
    if !path.contains(|c: char| c.is_alphabetic()) {
        return None;
    }
    Some(Target { path: path.into(), lines, symbol: None })
}

/// Parses a path in a code span. If it begins with `/`, it starts at the project's root.
pub(crate) fn of_path(text: &str) -> Option<Target<'_>> {
    let Some(rest) = text.strip_prefix('/') else { return of_word(text) };
    let target = of_word(rest)?;
    Some(Target { path: text[..=target.path.len()].into(), ..target })
}

/// Returns true if a name has a known file extension.
pub(crate) fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && is_extension(end))
}

fn is_template(path: &str) -> bool {
    path.contains(|c: char| "<>{}$*|\"`".contains(c) || c.is_control())
}

/// Parses `path:42`, `path:42:7` and `path:40-60`.
fn with_lines(text: &str) -> (&str, Option<Lines>) {
    let numbers = |part: &str| {
        let mut ends = part.splitn(2, ['-', '–']);
        let first = ends.next().and_then(number)?;
        let last = ends.next().map_or(Some(first), number)?;
        (first <= last).then_some(Lines { first, last })
    };
    let Some((head, tail)) = text.rsplit_once(':') else {
        return (text, None);
    };
    let Some(lines) = numbers(tail) else {
        return (text, None);
    };
    // The second number is a column.
    match head.rsplit_once(':').map(|(path, middle)| (path, numbers(middle))) {
        Some((path, Some(lines))) => (path, Some(lines)),
        _ => (head, Some(lines)),
    }
}

/// Parses `L10`, `L10-L20`, `L10-20` and `L10C3-L20C5`.
pub(super) fn lines_of_fragment(fragment: &str) -> Option<Lines> {
    let one = |part: &str| {
        let part = part.strip_prefix('L').unwrap_or(part);
        number(part.split('C').next().unwrap_or_default())
    };
    let fragment = fragment.strip_prefix('L')?;
    let mut ends = fragment.splitn(2, '-');
    let first = one(ends.next()?)?;
    let last = ends.next().map_or(Some(first), one)?;
    (first <= last).then_some(Lines { first, last })
}

fn number(text: &str) -> Option<u32> {
    let fits = !text.is_empty() && text.len() <= 8 && text.bytes().all(|b| b.is_ascii_digit());
    if fits { text.parse().ok().filter(|number| *number > 0) } else { None }
}

/// Decodes percent-encoding such as `%20`. Returns `None` if the result is not UTF-8.
pub(super) fn decoded(text: &str) -> Option<Cow<'_, str>> {
    percent_encoding::percent_decode_str(text).decode_utf8().ok()
}

/// Returns true if a target outside the project is a page of the forge itself, such as `../issues`.
pub(crate) fn is_of_forge(path: &str) -> bool {
    #[rustfmt::skip]
    const PLACES: [&str; 16] = [
        "issues", "pulls", "pull", "releases", "wiki", "discussions", "actions", "security",
        "tree", "blob", "raw", "compare", "commits", "commit", "projects", "workflows",
    ];
    let mut parts = path.split('/').skip_while(|part| matches!(*part, ".." | "." | ""));
    path.contains("..") && parts.any(|part| PLACES.contains(&part))
}

/// Returns true if a path is too ambiguous to look up, because it usually means a file of the reader: a bare common
/// name, a hidden file, a common name or a folder in a hidden folder, or a file of a release.
pub(crate) fn says_too_little(path: &str) -> bool {
    let hidden = path.starts_with('.');
    match path.rsplit_once('/') {
        // `.vscode/settings.json`, `.github/workflows`
        Some((folder, name)) => {
            let is_usual = traps::is_usual_file(name);
            // Many paths end like `app/__init__.py`.
            hidden && (!has_extension(name) || is_usual) || is_usual && !folder.contains('/')
        }
        None => hidden || traps::is_usual_file(path) || is_release(path),
    }
}

/// Returns true for the file name of a release: `jquery-3.3.1.js`, `jquery.min.js`.
fn is_release(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if stem.ends_with(".min") {
        return true;
    }
    stem.match_indices('-').any(|(at, _)| {
        let version = stem[at + 1..].trim_start_matches('v');
        let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
        version.split('.').take_while(|part| is_number(part)).count() > 2
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(first: u32, last: u32) -> Option<Lines> {
        Some(Lines { first, last })
    }

    #[test]
    fn links_lead_to_paths_and_lines() {
        for (dest, path, at) in [
            ("docs/a.md", "docs/a.md", None),
            ("docs/a%20b.md#part", "docs/a b.md", None),
            ("../src/a.rs#L10", "../src/a.rs", lines(10, 10)),
            ("/src/a.rs#L10-L20", "/src/a.rs", lines(10, 20)),
            ("src/a.rs#L10C1-L12C3", "src/a.rs", lines(10, 12)),
            ("img.png?raw=true", "img.png", None),
        ] {
            let found = of_link(dest).unwrap();
            assert_eq!((&*found.path, found.lines), (path, at), "{dest}");
        }
        for dest in [
            "",
            "#part",
            "https://a/b",
            "mailto:a@b",
            "//cdn/x",
            "{{ url }}",
            "a/<b>.md",
            "%ff",
            "@/a.md",
        ] {
            assert_eq!(of_link(dest), None, "{dest}");
        }
    }

    #[test]
    fn words_are_paths_by_their_shape() {
        for (word, path, at) in [
            ("src/a.rs", "src/a.rs", None),
            ("src/a.rs:42", "src/a.rs", lines(42, 42)),
            ("src/a.rs:42:7", "src/a.rs", lines(42, 42)),
            ("src/a.rs:40-60", "src/a.rs", lines(40, 60)),
            ("src/a.rs#L4-L6", "src/a.rs", lines(4, 6)),
            ("router.rs", "router.rs", None),
            ("crates/", "crates/", None),
            ("app/[id]/page.tsx", "app/[id]/page.tsx", None),
        ] {
            let found = of_word(word).unwrap_or_else(|| panic!("{word}"));
            assert_eq!((&*found.path, found.lines), (path, at), "{word}");
        }
        let others = "|~/x/y.rs|a|1/2|2026/10/01|@scope/pkg|std::fs|https://a/b.rs|..|../|f(a/b)|\
                      --a/b";
        for word in others.split('|') {
            assert_eq!(of_word(word), None, "{word}");
        }
    }

    #[test]
    fn a_forge_serves_places_beside_the_project() {
        assert!(is_of_forge("../../issues/12"));
        assert!(!is_of_forge("../../src/a.rs"));
    }

    #[test]
    fn a_bare_name_that_may_be_of_any_project_says_too_little() {
        let any = "package.json .markdownlint.json .shop.toml jquery-3.3.1.js \
                   jquery-v3.3.1-rc.1.slim.js jquery.min.js .vscode/settings.json \
                   .github/workflows";
        for name in any.split(' ') {
            assert!(says_too_little(name), "{name}");
        }
        let own = "router.rs .github/labels.yml lib/jquery-3.3.1.js guide-2.0.md part-1.rs \
                   minutes.md";
        for name in own.split(' ') {
            assert!(!says_too_little(name), "{name}");
        }
    }

    #[test]
    fn citations_name_lines_or_a_symbol() {
        let found = of_cite("src/a.rs#Router").unwrap();
        assert_eq!((&*found.path, found.symbol), ("src/a.rs", Some("Router")));
        assert_eq!(of_cite("src/a.rs:3-4").unwrap().lines, lines(3, 4));
        assert_eq!(of_cite("Makefile").unwrap().path, "Makefile");
        assert_eq!(of_cite("https://a/b"), None);
    }
}
