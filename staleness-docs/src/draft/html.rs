//! Finds links in HTML attributes without a full parser.

use std::ops::Range;

/// Elements with contents that are not HTML.
const RAW: [&str; 4] = ["script", "style", "pre", "textarea"];

/// Returns true if a block of HTML may contain links. Comments and raw elements may not.
pub(crate) fn may_link(html: &str) -> bool {
    let Some(inner) = html.trim_start().strip_prefix('<') else { return false };
    let name = inner.strip_prefix('/').unwrap_or(inner);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    end > 0 && !RAW.iter().any(|raw| raw.eq_ignore_ascii_case(&name[..end]))
}

/// Finds the values of `href` and `src` that are in quotes and contain no escapes. The `src` of a component is omitted,
/// because the component decides how to resolve it: `<Video src="a.mp4" />`.
pub(crate) fn links(html: &str) -> impl Iterator<Item = Range<usize>> {
    let mut is_component = false;
    let after = move |(at, sign): (usize, &str)| {
        let (before, start) = (&html[..at], at + sign.len());
        if sign == "<" {
            is_component =
                matches!(html.as_bytes()[start..], [b'A'..=b'Z', b'a'..=b'z' | b'0'..=b'9', ..]);
            return None;
        }
        let name = before.strip_suffix("href").or_else(|| before.strip_suffix("src"))?;
        let apart = name.ends_with(|c: char| c.is_ascii_whitespace());
        let quote = html[start..].chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let value = &html[start + 1..];
        let value = &value[..value.find(quote)?];
        let is_inner = is_component && before.ends_with("src") && !value.starts_with(['.', '/']);
        let plain = !value.is_empty()
            && !value.contains(|c: char| c.is_whitespace() || "<>&{}`\\".contains(c));
        (apart && plain && !is_inner).then(|| start + 1..start + 1 + value.len())
    };
    html.match_indices(['<', '=']).filter_map(after)
}

pub(crate) enum Piece<'a> {
    /// A tag, with its brackets.
    Tag(&'a str),
    Text(&'a str),
}

/// Splits HTML into tags and text, each with its offset. Comments are omitted.
pub(crate) fn pieces(html: &str) -> impl Iterator<Item = (usize, Piece<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at;
            let rest = html.get(start..).filter(|rest| !rest.is_empty())?;
            let end = |sign: &str| rest.find(sign).map_or(rest.len(), |at| at + sign.len());
            if rest.starts_with("<!--") {
                at += end("-->");
            } else if rest.starts_with('<') {
                at += end(">");
                return Some((start, Piece::Tag(&html[start..at])));
            } else {
                at += rest.find('<').unwrap_or(rest.len());
                return Some((start, Piece::Text(&html[start..at])));
            }
        }
    })
}

/// Returns the level of a heading tag, and true if it opens the heading.
pub(crate) fn heading(tag: &str) -> Option<(u8, bool)> {
    let inner = tag.strip_prefix('<')?;
    let (inner, opens) = inner.strip_prefix('/').map_or((inner, true), |inner| (inner, false));
    let [b'h' | b'H', level @ b'1'..=b'6', b' ' | b'\t' | b'\r' | b'\n' | b'>', ..] =
        inner.as_bytes()
    else {
        return None;
    };
    Some((level - b'0', opens))
}

/// Returns the values of `id` and `name` in a tag.
pub(crate) fn ids(tag: &str) -> impl Iterator<Item = &str> {
    let after = |(at, _): (usize, &str)| {
        let name = tag[..at].trim_ascii_end();
        let name = name.strip_suffix("id").or_else(|| name.strip_suffix("name"))?;
        // Check this first, because reading the value after every `=` would take quadratic time.
        if !name.ends_with(|c: char| c.is_ascii_whitespace()) {
            return None;
        }
        let value = tag[at + 1..].trim_ascii_start();
        match value.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            Some(quote) => value[1..].split(quote).next(),
            None => value.split(|c: char| c.is_ascii_whitespace() || c == '>').next(),
        }
    };
    tag.match_indices('=').filter_map(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_simple_attributes_are_links() {
        let html = r#"<img alt="src=x" src="a.png" srcset="b.png" data-src="c.png"> <a href='d.md#x' class=y> <Video src="e.mp4" href="f.md"> <Image src="./g.png"> <IMG src="h.png">"#;
        let found: Vec<&str> = links(html).map(|place| &html[place]).collect();
        assert_eq!(found, ["a.png", "d.md#x", "f.md", "./g.png", "h.png"]);
        for html in ["<a href=a.md>", "<a href=\"{{ x }}\">", "<a href=\"a&amp;b\">", "<a href=\""]
        {
            assert_eq!(links(html).count(), 0, "{html}");
        }
    }

    #[test]
    fn comments_and_scripts_hold_no_links() {
        assert!(may_link("<p>") && may_link("  </a>") && may_link("<h1 x>"));
        for html in ["<!-- <a>", "<script src=\"a.js\">", "<PRE>", "<?x", "<![CDATA[", "x", ""] {
            assert!(!may_link(html), "{html}");
        }
    }
}
