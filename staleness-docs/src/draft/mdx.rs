//! Converts MDX to Markdown. All other syntax becomes blank, so that offsets stay the same.

use super::plain::Fence;

/// Returns the Markdown of an MDX document. Imports, exports, comments and lines with only a component tag become
/// blank.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut fence: Option<Fence> = None;
    let mut left_out: Option<Part> = None;
    let mut is_begin = true;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if fence.is_some() {
            fence = fence.filter(|open| !open.is_closed_by(line));
        } else if left_out.is_none() {
            left_out = part(line, trimmed, is_begin);
            fence = Fence::opened_by(line).filter(|_| left_out.is_none());
        }
        // Imports may follow the front matter directly.
        is_begin = matches!(trimmed, "" | "---") || matches!(left_out, Some(Part::Module));
        match &left_out {
            Some(_) => plain.extend(line.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' })),
            None => plain.push_str(line),
        }
        left_out = left_out.filter(|part| match part {
            Part::Module => !trimmed.is_empty(),
            Part::Comment => !trimmed.ends_with("*/}"),
            Part::Tag => false,
        });
    }
    plain
}

/// A part of an MDX document that is not Markdown.
enum Part {
    /// Imports and exports, up to a blank line.
    Module,
    Comment,
    Tag,
}

fn part(line: &str, trimmed: &str, is_begin: bool) -> Option<Part> {
    if is_begin && (line.starts_with("import ") || line.starts_with("export ")) {
        return Some(Part::Module);
    }
    if trimmed.starts_with("{/*") {
        return Some(Part::Comment);
    }
    let tag = trimmed.strip_prefix('<').filter(|tag| tag.ends_with('>'))?;
    let name = tag.strip_prefix('/').unwrap_or(tag);
    (!name.contains('<') && name.starts_with(|c: char| c.is_ascii_uppercase())).then_some(Part::Tag)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_markdown_is_blank_and_places_stay() {
        let text = "---\nid: a\n---\nimport Tabs from '@theme/Tabs'\nimport X from \"./x.js\"\n\n\
                    <Tabs value={`a.rs`}>\nCall `é()`.\n</Tabs>\n\n{/* old\nnews */}\n\
                    ```js\n<Tabs>\nimport y\n```\nA\nimport of goods\n<b>c</b>\n";
        let plain = plain(text);
        assert_eq!(plain.len(), text.len());
        for kept in ["id: a", "Call `é()`.", "<Tabs>\nimport y\n", "import of goods", "<b>c</b>"] {
            assert_eq!(plain.find(kept), text.rfind(kept), "{kept}");
        }
        for gone in ["@theme", "./x.js", "value", "</Tabs>", "news"] {
            assert!(!plain.contains(gone), "{gone}");
        }
    }

    #[test]
    fn a_fence_ends_with_as_many_signs() {
        let text = "````md\n```\n<Tabs>\n```\n````\n\n~~~ `x`\n```\nimport x\n~~~\n";
        assert_eq!(plain(text), text);
    }

    proptest! {
        #[test]
        fn every_line_stays_where_it_is(text in "(import |<A>|\\{/\\*|\\*/\\}|```|é|\r|\n| |x){0,40}") {
            let plain = plain(&text);
            prop_assert_eq!(plain.len(), text.len());
            let breaks = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert_eq!(breaks(&plain), breaks(&text));
        }
    }
}
