//! Links to the project's own files on GitHub.

use super::Check;
use crate::draft::{Draft, target};
use crate::git::Origin;
use crate::manifest;

/// Names of the default branch to assume if git does not know it.
const DEFAULTS: [&str; 2] = ["main", "master"];

/// The project's repositories on GitHub, as lower-case `owner/name`, and their default branch.
#[derive(Debug, Default)]
pub(super) struct Own {
    repositories: Vec<String>,
    /// The address of the repository on any host.
    address: Option<String>,
    branch: Option<String>,
    /// The checked-out branch, if any. The contents of other branches are unknown.
    checked_out: Option<String>,
    /// Path of the project in the repository: empty, or ending in `/`.
    prefix: String,
}

impl Own {
    /// Returns the project path, beginning with `/`, of a link to a file on the default branch.
    fn path_of(&self, link: &str) -> Option<String> {
        let address = target::of_address(link)?;
        let is_default = address.branch == "HEAD"
            || match &self.branch {
                Some(branch) => address.branch == branch,
                None => DEFAULTS.contains(&address.branch),
            };
        let meant = match address.branch {
            "HEAD" => self.branch.as_deref(),
            branch => Some(branch),
        };
        let is_here =
            self.checked_out.as_deref().zip(meant).is_none_or(|(here, meant)| here == meant);
        let is_own = self.repositories.contains(&address.repository.to_ascii_lowercase());
        let path = address.path.strip_prefix(&*self.prefix)?;
        (is_default && is_here && is_own && !path.is_empty()).then(|| format!("/{path}"))
    }
}

impl Check<'_> {
    /// Returns the project path, beginning with `/`, of a link to one of the project's own files on GitHub.
    pub(super) fn own_path(&self, link: &str) -> Option<String> {
        target::of_address(link)?;
        self.own.get_or_init(|| self.find_own()).path_of(link)
    }

    /// Returns true if the project builds a program of this name: either the project has this name, or it has a folder
    /// for the program.
    pub(super) fn is_own_program(&self, name: &str) -> bool {
        let own = self.own.get_or_init(|| self.find_own());
        own.repositories.iter().any(|of| of.rsplit('/').next() == Some(name))
            || self.past.tracked().is_some_and(|tracked| tracked.holds(&format!("cmd/{name}")))
    }

    /// Returns true if the commands before an offset enter a clone of another repository, judged by its name.
    pub(super) fn is_in_clone(&self, draft: &Draft, at: usize) -> bool {
        let next = draft.clones.partition_point(|(from, _)| *from <= at);
        let name = next.checked_sub(1).and_then(|last| draft.clones[last].1.as_deref());
        name.is_some_and(|name| !self.is_own_repository(name))
    }

    /// Returns true if the front matter of a text names another repository, from which the text was copied. Like site
    /// generators, accepts blank lines before the front matter.
    pub(super) fn is_taken_over(&self, text: &str) -> bool {
        let text = text.trim_start();
        let Some(fence) = ["+++", "---"].into_iter().find(|fence| text.starts_with(fence)) else {
            return false;
        };
        let own = self.own.get_or_init(|| self.find_own());
        let front = text.lines().skip(1).take_while(|line| line.trim_end() != fence);
        front.into_iter().any(|line| {
            let (key, url) = line.split_once([':', '=']).unwrap_or_default();
            let url = url.trim().trim_matches(['"', '\'']);
            matches!(key.trim(), "repo" | "repository")
                && url.contains("://")
                && !on_github(url).is_some_and(|it| own.repositories.contains(&it))
                && own.address != Some(address_of(url))
        })
    }

    fn is_own_repository(&self, name: &str) -> bool {
        let own = self.own.get_or_init(|| self.find_own());
        let name = name.to_ascii_lowercase();
        let mut names = own.repositories.iter().map(|of| of.rsplit('/').next());
        own.repositories.is_empty() || names.any(|of| of == Some(&name))
    }

    fn find_own(&self) -> Own {
        let field = |name: &str, keys: &[&str]| {
            manifest::field(&self.fence, &self.place.folder, name, keys)
        };
        let origin = self.past.origin();
        let urls = [
            origin.as_ref().and_then(|origin| origin.url.clone()),
            field("Cargo.toml", &["package repository", "workspace package repository"]),
            field("package.json", &["repository", "repository url"]),
        ];
        let address = urls[0].as_deref().map(address_of);
        let repositories = urls.iter().flatten().filter_map(|url| on_github(url)).collect();
        let Origin { branch, checked_out, prefix, .. } = origin.unwrap_or_default();
        Own { repositories, address, branch, checked_out, prefix }
    }
}

/// Returns the host and path of a repository's URL. `git@host:a/b.git` and `https://host/a/b` give the same
/// result.
fn address_of(url: &str) -> String {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let url = url.split_once('@').map_or(url, |(_, rest)| rest).trim_end_matches('/');
    url.strip_suffix(".git").unwrap_or(url).replace(':', "/").to_ascii_lowercase()
}

/// Parses the address of a GitHub repository in its various forms. Returns lower-case `owner/name`.
fn on_github(url: &str) -> Option<String> {
    let path = match url.split_once("github.com") {
        Some((_, path)) => path.trim_start_matches([':', '/']),
        None => url.strip_prefix("github:").unwrap_or(url),
    };
    let mut parts = path.split(['/', '#', '?']);
    let (owner, name) = (parts.next()?, parts.next()?);
    let name = name.strip_suffix(".git").unwrap_or(name);
    let plain = |part: &str| {
        let sign = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !part.is_empty() && part.chars().all(sign)
    };
    (plain(owner) && plain(name)).then(|| format!("{owner}/{name}").to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_known_however_it_is_written() {
        for url in [
            "https://github.com/Owner/na.me",
            "https://github.com/Owner/na.me.git",
            "https://token@github.com/Owner/na.me/",
            "git@github.com:Owner/na.me.git",
            "git+https://github.com/Owner/na.me.git#main",
            "ssh://git@github.com/Owner/na.me",
            "github:Owner/na.me",
            "Owner/na.me",
        ] {
            assert_eq!(on_github(url).as_deref(), Some("owner/na.me"), "{url}");
        }
        for url in ["https://gitlab.com/owner/name", "/srv/git/name", "name", "gitlab:owner/name"] {
            assert_eq!(on_github(url), None, "{url}");
        }
    }

    #[test]
    fn an_address_is_that_of_a_file_on_the_default_branch() {
        let repositories = vec!["o/n".to_owned()];
        let prefix = "sub/".into();
        let checked_out = Some("main".into());
        let own = Own { repositories, address: None, branch: None, checked_out, prefix };
        let of = |path: &str| own.path_of(&format!("https://github.com/{path}"));
        assert_eq!(of("o/N/blob/main/sub/a.md#x").as_deref(), Some("/a.md#x"));
        assert_eq!(of("o/n/tree/HEAD/sub/b").as_deref(), Some("/b"));
        for path in [
            "o/n/blob/v1.0/sub/a.md",
            "o/n/blob/0123456789012345678901234567890123456789/sub/a.md",
            "o/n/blob/main/a.md",
            "o/n/blob/main/sub/",
            "o/n/raw/main/sub/a.md",
            "o/n/blob/main",
            "o/other/blob/main/sub/a.md",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
        let on_main = Own { branch: Some("dev".into()), ..own };
        assert_eq!(on_main.path_of("https://github.com/o/n/blob/dev/sub/a.md"), None);
        let own = Own { checked_out: None, ..on_main };
        assert_eq!(own.path_of("https://github.com/o/n/blob/main/sub/a.md"), None);
        assert!(own.path_of("https://github.com/o/n/blob/dev/sub/a.md").is_some());
    }
}
