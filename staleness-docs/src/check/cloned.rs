//! Commands that a document gives for a clone of another repository.

use super::Check;

/// The longest text to search for a clone, in bytes.
const MAX_READ: usize = 256 * 1024;

impl Check<'_> {
    /// Returns true if a section clones another repository and goes into it before an offset.
    pub(super) fn is_in_clone(&self, text: &str, at: usize) -> bool {
        let before = text.get(..at).filter(|before| before.len() <= MAX_READ).unwrap_or_default();
        entered(before).is_some_and(|name| !self.is_own_repository(name))
    }
}

/// Returns the name of the repository that the section at the end of a text clones and goes into.
fn entered(text: &str) -> Option<&str> {
    let (mut cloned, mut inside, mut is_fence) = (None, None, false);
    for line in text.lines() {
        is_fence ^= line.trim_start().starts_with("```");
        if line.starts_with('#') && !is_fence {
            (cloned, inside) = (None, None);
        }
        for command in line.split("&&").flat_map(|part| part.split(';')) {
            let command = command.trim().trim_start_matches(['$', '>', '`', ' ']);
            if let Some((_, rest)) = command.split_once("git clone ") {
                let mut words = rest.split_whitespace().map(|word| word.trim_matches(['`', '"']));
                let url = words.find(|word| !word.starts_with('-') && word.contains('/'));
                let name = url.and_then(|url| url.trim_end_matches('/').rsplit(['/', ':']).next());
                let name = name.map(|name| name.trim_end_matches(".git"));
                cloned = name.map(|name| (name, words.next().unwrap_or(name)));
            } else if let Some(to) = command.strip_prefix("cd ")
                && let Some((name, folder)) = cloned
                && to.trim().trim_end_matches(['/', '`']) == folder
            {
                inside = Some(name);
            }
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::entered;

    #[test]
    fn a_section_goes_into_what_it_clones() {
        let clone = "# A\n```sh\n$ git clone https://host/me/till.git\n";
        for text in ["$ cd till\n", "# x\ncd till/ && make\n", "```\n\nThen:\n```\ncd till\n"] {
            assert_eq!(entered(&format!("{clone}{text}")), Some("till"), "{text}");
        }
        for text in ["", "cd other\n", "cd till\n```\n# B\n"] {
            assert_eq!(entered(&format!("{clone}{text}")), None, "{text}");
        }
        assert_eq!(entered("git clone -b x git@host:me/till y; cd y\n"), Some("till"));
    }
}
