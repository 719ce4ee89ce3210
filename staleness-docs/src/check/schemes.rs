//! Forms of links that lead nowhere in most documents, because a site or a component resolves them in its own way.

use std::collections::HashMap;

use super::Check;
use super::questions::Existing;
use crate::draft::{html, target};
use crate::nature::is_markdown;
use crate::paths;

/// Maximum number of documents to read for their links, and size of the largest one in bytes.
const MAX_DOCUMENTS: usize = 20_000;
const MAX_BYTES: u64 = 1 << 20;
/// Minimum number of documents in which no link of a form works, and their number for each one in which some do.
const MANY: usize = 4;
const FOR_EACH: usize = 4;

/// For each form of links, the numbers of documents in which some lead to a file, and in which none does.
pub(super) type Schemes = HashMap<String, [usize; 2]>;

/// Returns the form of a relative link: whether it begins with `../`, has a folder, and its extension.
fn form(written: &str) -> String {
    let path = written.trim_end_matches('/');
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let end = name.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
    let is_above = folders.starts_with("..");
    let is_deep = !folders.trim_matches(['.', '/']).is_empty();
    format!("{is_above} {is_deep} {end}")
}

/// Returns the relative paths that a document links to, as written.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.match_indices("](").map(|(at, sign)| {
        let rest = &text[at + sign.len()..];
        let is_end = |byte: u8| byte.is_ascii_whitespace() || byte == b')';
        &rest[..rest.bytes().position(is_end).unwrap_or(rest.len())]
    });
    targets
        .chain(html::links(text).map(|place| &text[place]))
        .filter(|link| !target::has_scheme(link) && !link.contains(['{', '<', '$']))
        .map(|link| link.split(['#', '?']).next().unwrap_or_default())
        .filter(|path| !path.is_empty() && !path.starts_with(['/', '~']))
}

impl Check<'_> {
    /// Returns true if most links of the same form lead nowhere.
    pub(super) fn is_scheme(&self, written: &str) -> bool {
        let all = self.schemes.get_or_init(|| self.find_schemes());
        let [there, lost] = all.get(&form(written)).copied().unwrap_or_default();
        !is_markdown(written) && lost >= MANY && lost > FOR_EACH * there
    }

    fn find_schemes(&self) -> Schemes {
        let tracked = self.past.tracked().into_iter().flat_map(|tracked| tracked.iter());
        let documents = tracked.map(|(path, _)| path).filter(|path| is_markdown(path));
        let mut all = Schemes::new();
        for path in documents.take(MAX_DOCUMENTS) {
            let read = self.fence.read_small(&self.place.folder.join(path), MAX_BYTES);
            let mut forms: HashMap<String, bool> = HashMap::new();
            for link in read.iter().flat_map(|text| links(text)) {
                let to = paths::resolve(paths::folder_of(path), link);
                let is_there = to.is_ok_and(|to| self.existing(&to) != Existing::No);
                *forms.entry(form(link)).or_default() |= is_there;
            }
            for (form, is_there) in forms {
                all.entry(form).or_default()[usize::from(!is_there)] += 1;
            }
        }
        all
    }
}
