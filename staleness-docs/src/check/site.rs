//! Addresses of a site's pages that differ from their paths.

use std::collections::HashSet;

use super::Check;
use crate::draft::{self, target};
use crate::front::Value;
use crate::nature::is_markdown;
use crate::paths;

/// Fields with addresses of a page, or addresses that redirect to it.
#[rustfmt::skip]
const ADDRESSES: [&str; 7] = [
    "alias", "aliases", "permalink", "redirect_from", "redirects", "slug", "url",
];
/// Fields of [`ADDRESSES`] that set the base of the page's relative links.
const OWN: [&str; 3] = ["permalink", "slug", "url"];
/// Files of redirects: either each line begins with an address that redirects to a page, or the file is JSON with
/// these addresses as `source`.
const REDIRECTS: [&str; 5] = ["_redirects", "docs.json", "mint.json", "redirects", "vercel.json"];
/// Maximum number of pages whose addresses are read.
const MAX_PAGES: usize = 20_000;
/// Maximum number of addresses to read from one list, and approximate maximum for all lists.
const MAX_LISTED: usize = 10_000;
const MAX_ADDRESSES: usize = 100_000;
/// The largest page whose addresses are read, in bytes.
const MAX_PAGE: u64 = 1 << 20;

/// Files that are copied into each published package.
const LEGAL: [&str; 5] = ["COPYING", "LICENCE", "LICENSE", "NOTICE", "PATENTS"];

/// Returns the sources of the page that a site may serve at a path: `guide/a` and `guide/a.html` from
/// `guide/a.md`. For a path written as a folder, the pages in the folder come first.
pub(super) fn pages_of(path: &str, is_folder: bool) -> Vec<String> {
    let page = path.strip_suffix(".html").unwrap_or(path);
    if page.is_empty() || page == path && target::has_extension(path) {
        return Vec::new();
    }
    let mut ends = [".md", ".mdx", "/index.md", "/index.mdx", "/README.md"];
    if is_folder {
        ends.rotate_left(2);
    }
    ends.iter().map(|end| format!("{page}{end}")).collect()
}

/// Returns true if a page sets its own address. The links of such a page to other pages start at that address, not at
/// its folder.
pub(super) fn has_address(path: &str, text: &str) -> bool {
    draft::front_of(path, text).ok().flatten().is_some_and(|front| front.get(&OWN).is_some())
}

impl Check<'_> {
    /// Returns true if the front matter of a page, or a list of redirects, defines a link path as an address of a
    /// page.
    pub(super) fn is_alias(&self, written: &str, path: &str) -> bool {
        let all = self.addresses.get_or_init(|| self.find_addresses());
        [written, path].iter().any(|it| all.contains(it.trim_matches('/')))
    }

    fn find_addresses(&self) -> HashSet<String> {
        let tracked = self.past.tracked().into_iter().flat_map(|tracked| tracked.iter());
        let is_list = |path: &str| REDIRECTS.contains(&path.rsplit('/').next().unwrap_or(path));
        let pages = tracked.map(|(path, _)| path).filter(|path| is_markdown(path) || is_list(path));
        let mut all = HashSet::new();
        for path in pages.take(MAX_PAGES) {
            if all.len() > MAX_ADDRESSES {
                break;
            }
            let read = self.fence.read_small(&self.place.folder.join(path), MAX_PAGE);
            if is_list(path) {
                let text = read.unwrap_or_default();
                let lines = text.lines().take(MAX_LISTED);
                let addresses = lines.filter_map(|line| line.split_whitespace().next());
                let sources = text.split("\"source\"").skip(1).take(MAX_LISTED);
                let sources = sources.filter_map(|rest| rest.split('"').nth(1));
                let addresses = addresses.chain(sources);
                all.extend(addresses.map(|address| address.trim_matches('/').to_owned()));
                continue;
            }
            let front = read.and_then(|text| draft::front_of(path, &text).ok().flatten());
            let values = match front.as_ref().and_then(|it| it.get(&ADDRESSES)) {
                Some(entry) => match &entry.value {
                    Value::Text(text) => std::slice::from_ref(text),
                    Value::List(list) => list,
                    Value::Other => continue,
                },
                None => continue,
            };
            for address in values {
                all.insert(address.trim_matches('/').to_owned());
                if let Ok(whole) = paths::resolve(paths::folder_of(path), address) {
                    all.insert(whole);
                }
            }
        }
        all
    }

    /// Returns true if a file in another format may be the source of the same page: `guide/a.vue` instead of
    /// `guide/a.md`.
    pub(super) fn is_of_other_format(&self, page: &str) -> bool {
        let (folder, name) = page.rsplit_once('/').unwrap_or(("", page));
        let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        let files = self.tree().folders.get(folder);
        files.is_some_and(|files| {
            files.iter().any(|file| stem(file) == stem(name) && !is_markdown(file))
        })
    }

    /// Returns true for the name of a licence or similar file in the root of the project. Published packages
    /// contain a copy of it.
    pub(super) fn is_published_copy(&self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or_default();
        let stem = name.split(['.', '-']).next().unwrap_or_default().to_ascii_uppercase();
        !folder.is_empty()
            && LEGAL.contains(&&*stem)
            && self.past.tracked().is_some_and(|tracked| tracked.kind(name).is_some())
    }
}
