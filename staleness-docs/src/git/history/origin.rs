use super::timeline::History;

/// The remote that a repository was cloned from. Its URL may hold a password, so it is only parsed and never
/// shown.
#[derive(Default)]
pub(crate) struct Origin {
    pub(crate) url: Option<String>,
    /// Default branch of the remote, if the clone knows it.
    pub(crate) branch: Option<String>,
    /// The branch that is checked out locally.
    pub(crate) checked_out: Option<String>,
    /// Path of the project in the repository: empty, or ending in `/`.
    pub(crate) prefix: String,
}

impl History {
    /// Asks git for the remote. A failure counts as no remote.
    pub(crate) fn origin(&self) -> Origin {
        let ask = |arguments: &[&str]| {
            let answer = self.place.start(arguments).ok()?.all().ok()?;
            let answer = String::from_utf8(answer).ok()?;
            Some(answer.trim().to_owned()).filter(|answer| !answer.is_empty())
        };
        let head = ["for-each-ref", "--format=%(symref:lstrip=3)", "refs/remotes/origin/HEAD"];
        let url = ask(&["config", "--get", "remote.origin.url"]);
        let checked_out = ask(&["symbolic-ref", "--quiet", "--short", "HEAD"]);
        Origin { url, branch: ask(&head), checked_out, prefix: self.place.prefix.clone() }
    }
}
