//! The place that a repository was cloned from.

use super::timeline::History;

/// The place that a repository was cloned from. Its URL may hold a password: it is taken apart, and never told.
#[derive(Default)]
pub(crate) struct Origin {
    pub(crate) url: Option<String>,
    /// Its default branch, where the clone knows it.
    pub(crate) branch: Option<String>,
    /// Path of the project in the repository: empty, or ending in `/`.
    pub(crate) prefix: String,
}

impl History {
    /// Asks git. A repository without an origin has none, and that git fails here is no failure.
    pub(crate) fn origin(&self) -> Origin {
        let ask = |arguments: &[&str]| {
            let answer = self.place.start(arguments).ok()?.all().ok()?;
            let answer = String::from_utf8(answer).ok()?;
            Some(answer.trim().to_owned()).filter(|answer| !answer.is_empty())
        };
        let head = ["for-each-ref", "--format=%(symref:lstrip=3)", "refs/remotes/origin/HEAD"];
        let url = ask(&["config", "--get", "remote.origin.url"]);
        Origin { url, branch: ask(&head), prefix: self.place.prefix.clone() }
    }
}
