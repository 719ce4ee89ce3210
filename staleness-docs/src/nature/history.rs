//! Recognises history documents, which refer to removed files and symbols on purpose.

/// The reason why a file counts as history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum History {
    No,
    /// The policy says that the file is not history.
    Never,
    /// The file's name, its folder or its first lines suggest history. The file's own front matter, or a client that
    /// loads the file, overrides this guess.
    ByName,
    /// The policy lists it as history.
    ByPolicy,
}

impl History {
    pub(crate) const fn is_so(self) -> bool {
        matches!(self, Self::ByName | Self::ByPolicy)
    }
}

/// Words at the start or end of the names of history documents, in lower case and without separators.
#[rustfmt::skip]
const PARTS: [&str; 21] = [
    "breakingchange", "breakingchanges", "changelog", "changelogs", "decisionrecord",
    "decisionrecords", "migrationguide", "migrationguides", "migrationnotes", "postmortem",
    "postmortems", "releasehistory", "releaselog", "releasenote", "releasenotes", "upgradeguide",
    "upgradeguides", "upgradenotes", "upgradingguide", "versionhistory", "whatsnew",
];

/// Words that mean history only as the whole name. Together with other words they are ambiguous.
#[rustfmt::skip]
const WHOLE: [&str; 14] = [
    "changes", "decisions", "deprecated", "deprecation", "deprecations", "history", "migrate", "migrating", "migration",
    "news", "plan", "releases", "upgrade", "upgrading",
];

/// Words in capitals at the end of a name that mark a record of finished work: `QUEUE_REPORT`.
const FINISHED: [&str; 7] = ["AUDIT", "HANDOFF", "HANDOVER", "LOG", "REPORT", "RESULTS", "SUMMARY"];

/// Words before `to` and `from` in the names of migration guides.
const MOVING: [&str; 5] = ["migrate", "migrating", "migration", "upgrade", "upgrading"];

/// Words at the start or end of the titles of sections about removed features.
const GONE: [&str; 5] = ["deprecated", "deprecations", "discontinued", "obsolete", "removed"];

/// Number of lines at the beginning of a document that may contain the fields of a proposal, or say that a program
/// wrote the document.
const HEAD_LINES: usize = 24;
/// States of a proposal or a decision.
#[rustfmt::skip]
const STATES: [&str; 17] = [
    "accepted", "approved", "completed", "deferred", "draft", "final", "implementable", "implemented", "obsoleted",
    "partially", "proposed", "provisional", "rejected", "resolved", "shipped", "verified", "withdrawn",
];
/// Fields with the author or the date of a proposal.
const MADE: [&str; 6] = ["author", "authors", "created", "creation", "date", "deciders"];

/// Phrases with which a document says that it is outdated.
#[rustfmt::skip]
const ABOUT: [[&str; 2]; 8] = [
    ["content", "below"], ["this", "document"], ["this", "documentation"], ["this", "file"], ["this", "guide"], ["this", "page"],
    ["this", "section"], ["this", "tutorial"],
];
const OUTDATED: [&str; 5] = ["archived", "deprecated", "obsolete", "outdated", "superseded"];
/// Maximum length of a phrase that says that a document is outdated, in words.
const SAID: usize = 5;
/// Minimum number of versions at which a document counts as a list of versions.
const VERSIONS: usize = 3;

/// Folders that contain history documents.
#[rustfmt::skip]
const FOLDERS: [&str; 42] = [
    ".changeset", ".changes", ".plan", ".planning", ".plans", "adr", "adrs", "announce", "announcements", "archive", "archived", "archives", "attic",
    "changelog.d", "changes", "decisions", "deprecated", "for-removal", "graveyard", "historical", "history", "legacy",
    "migration", "migrations", "news", "newsfragments", "obsolete", "phases", "plans", "previous-versions", "proposals",
    "prps", "releases", "rfc", "rfcs", "staged-for-removal", "to-delete", "to-remove", "upgrade", "upgrading", "versioned-docs",
    "wip",
];

/// Folders with conversations, if they are in a hidden folder or in `context`. Elsewhere, the name belongs to a
/// feature.
const CHATS: [&str; 3] = ["chats", "conversations", "transcripts"];
/// Names of lists of versions. A document of this name may also explain how to write such a list.
const LISTS: [&str; 4] = ["changes", "history", "news", "releases"];

/// Returns true if a path looks like that of a history document.
pub(crate) fn is_by_name(path: &str) -> bool {
    let (folders, name) = named(path);
    let words = words(plain(name));
    // A guide for moving from another program needs current names.
    let is_from_another = is_move(&words, &["from"]) && !words.iter().any(|word| is_number(word));
    let is_folder = |folder: &&str| {
        let folder = plain(folder).to_ascii_lowercase().replace([' ', '_'], "-");
        let is_part = PARTS.contains(&self::words(&folder).concat().as_str());
        let is_archive = folder.rsplit(['-', '.']).next() == Some("archive");
        (is_part || FOLDERS.contains(&folder.trim_start_matches('-')) || is_archive)
            && !(is_from_another && folder.starts_with("migrat"))
    };
    let is_chats = folders
        .windows(2)
        .any(|pair| CHATS.contains(&pair[1]) && (pair[0].starts_with('.') || pair[0] == "context"));
    let mut above = folders.iter().rev().skip_while(|folder| is_number(folder));
    let is_post = matches!(above.next(), Some(&("blog" | "_posts")));
    let is_name = is_name(name, &words) && !is_from_another || is_dated(&self::words(name));
    // `release/api_1.10`
    let numbers = words.iter().filter(|word| is_number(word)).count();
    let is_of_release = numbers > 1 && folders.last() == Some(&"release");
    folders.iter().any(is_folder) || is_chats || is_post || is_of_release || is_name
}

/// Returns true if the name of a history document means a list of versions.
pub(crate) fn is_list(path: &str) -> bool {
    matches!(&words(named(path).1)[..], [word] if LISTS.contains(&&**word))
}

/// Returns true if the title of a section says that it lists removed features, or describes an upgrade between
/// versions.
pub(crate) fn is_of_the_past(title: &str) -> bool {
    let words = words(title);
    let mut rest = words.iter().skip_while(|word| !matches!(&***word, "from" | "to"));
    let is_gone = |word: Option<&String>| word.is_some_and(|word| GONE.contains(&&**word));
    is_gone(words.first())
        || is_gone(words.last())
        || matches!(&words[..], [.., first, last] if first == "breaking" && last == "changes")
        || words.first().is_some_and(|word| MOVING.contains(&&**word))
            && rest.any(|word| is_number(word))
}

/// Returns true if a document is a record. Its first lines say that it is outdated, or have the fields of a
/// proposal: a known status with an author or date, or only one of these if it also has goals and non-goals. A
/// feed of updates or a list of versions is a record too.
pub(crate) fn is_record(path: &str, text: &str) -> bool {
    let is_titled = |title: &[&str]| {
        text.lines().any(|line| line.starts_with('#') && words(line).iter().eq(title))
    };
    let is_plan = || !is_readme(path) && is_titled(&["goals"]) && is_titled(&["non", "goals"]);
    if text.matches("<Update label=").nth(1).is_some()
        || is_list_of_versions(text)
        || is_generated(text)
    {
        return true;
    }
    let mut lines = text.lines().take(HEAD_LINES).map(words).filter(|words| !words.is_empty());
    let (mut status, mut made) = (false, false);
    while let Some(words) = lines.next() {
        let state = match &words[..] {
            // A heading with the value below it.
            [key] if key == "status" => lines.next().and_then(|words| words.first().cloned()),
            [key, value, ..] if key == "status" => Some(value.clone()),
            _ => None,
        };
        let is_over =
            |state: &str| OUTDATED.contains(&state) || matches!(state, "executed" | "historical");
        if state.as_deref().is_some_and(is_over) {
            return true;
        }
        status |= state.is_some_and(|state| STATES.contains(&&*state));
        made |= words.len() > 1 && MADE.contains(&&*words[0]);
        if (0..words.len()).any(|at| says_outdated(words[at..].get(..SAID).unwrap_or(&words[at..])))
        {
            return true;
        }
    }
    status && made || (status || made) && is_plan()
}

/// Returns true if a comment in the first lines says that a program wrote the document. Such a document must be fixed
/// elsewhere.
fn is_generated(text: &str) -> bool {
    let head: Vec<&str> = text.lines().take(HEAD_LINES).collect();
    head.join("\n").split("<!--").skip(1).any(|rest| {
        let comment = words(rest.split("-->").next().unwrap_or_default()).join(" ");
        comment.contains("do not edit") && comment.contains("generated")
    })
}

/// Returns true if most headings of one level are versions, the newest first: `# Release 0.19.0`, `## [1.2] - 2026-01-02`.
fn is_list_of_versions(text: &str) -> bool {
    ["# ", "## "].iter().any(|level| {
        let titles = text.lines().filter_map(|line| line.strip_prefix(level));
        let all: Vec<Option<Vec<u64>>> = titles.map(version_of).collect();
        let versions: Vec<&Vec<u64>> = all.iter().flatten().collect();
        versions.len() >= VERSIONS
            && 2 * versions.len() > all.len()
            && versions.first() > versions.last()
    })
}

/// Returns the numbers of the version that a title begins with.
fn version_of(title: &str) -> Option<Vec<u64>> {
    let title = title.trim().to_ascii_lowercase();
    let words = ["release ", "version "].iter().find_map(|word| title.strip_prefix(word));
    let title = words.unwrap_or(&title).trim_start_matches(['[', 'v']);
    let end = title.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(title.len());
    let numbers = title[..end].trim_end_matches('.');
    numbers.contains('.').then(|| numbers.split('.').map(|it| it.parse().ok()).collect())?
}

/// Returns true for words such as `this page is now outdated`.
fn says_outdated(words: &[String]) -> bool {
    let is_any = |word: &String, any: &[&str]| any.contains(&&**word);
    let [this, page, is, rest @ ..] = words else { return false };
    ABOUT.contains(&[&**this, &**page])
        && is_any(is, &["has", "is", "was"])
        && rest.iter().any(|word| is_any(word, &OUTDATED))
}

/// Returns the folders and the name of a document. A README or an index takes the name of its folder, which it
/// describes, unless the folder is hidden.
fn named(path: &str) -> (Vec<&str>, &str) {
    let mut folders: Vec<&str> = path.split('/').collect();
    let name = folders.pop().unwrap_or_default();
    if !is_readme(name) && stem(name) != "index" {
        return (folders, stem(name));
    }
    let folder = folders.last().copied().unwrap_or_default();
    folders.truncate(folders.len() - usize::from(is_readme(name) && !folders.is_empty()));
    (folders, if folder.starts_with('.') { "" } else { folder })
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

pub(crate) fn is_readme(path: &str) -> bool {
    stem(path.rsplit('/').next().unwrap_or(path)).eq_ignore_ascii_case("readme")
}

/// Returns a name without a leading number that sets the order of pages on a site: `08-migration-guides`.
fn plain(name: &str) -> &str {
    let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.strip_prefix(['-', '_', '.']).filter(|_| rest.len() < name.len());
    rest.unwrap_or(name)
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_at(words: &[String], at: usize, any: &[&str]) -> bool {
    words.get(at).is_some_and(|word| any.contains(&&**word))
}

fn is_move(words: &[String], to: &[&str]) -> bool {
    is_at(words, 0, &MOVING) && is_at(words, 1, to)
}

fn is_name(name: &str, words: &[String]) -> bool {
    let is_part = |words: &[String]| PARTS.contains(&words.concat().as_str());
    let parts = (0..=words.len()).any(|at| is_part(&words[..at]) || is_part(&words[at..]));
    // `rfc-7231` is an external standard.
    let is_record = words.get(1).is_some_and(|word| match &*words[0] {
        "adr" => is_number(word),
        "rfc" => !is_number(word),
        _ => false,
    });
    // `HISTORY-JAVA.md`
    let is_in_capitals =
        !name.contains(char::is_lowercase) && words.iter().any(|it| LISTS.contains(&&**it));
    // The name may also contain versions or years.
    let is_aside = |word: &&String| !is_number(word) && !matches!(&***word, "v" | "x" | "to");
    let rest: Vec<&String> = words.iter().filter(is_aside).collect();
    let whole = matches!(rest[..], [word] if WHOLE.contains(&&**word));
    let last = words.last().filter(|_| words.len() > 1).map_or("", |word| word);
    let mut ends = name.split(['-', '_']).filter(|_| words.len() > 1);
    let is_of_a_day = matches!(last, "announcement" | "plan" | "proposal")
        || matches!(name, "HANDOFF" | "HANDOVER")
        || ends.next() == Some("PLAN")
        || ends.next_back().is_some_and(|word| FINISHED.contains(&word));
    let is_phase = words.windows(2).any(|pair| pair[0] == "phase" && is_number(&pair[1]));
    // `release-2.1.0` is a record, but `release` may be a guide.
    let is_release = matches!(rest[..], [word] if word == "release") && words.len() > 1;
    // `v1.2`, `1.2.0`, `1.2-to-1.3`
    let numbers = words.iter().filter(|word| is_number(word)).count();
    let is_bare = rest.is_empty() && (numbers > 2 || numbers == 2 && name.starts_with(['v', 'V']));
    let is_of_versions = is_in_capitals || is_release || is_bare || is_move(words, &["to", "from"]);
    parts || whole || is_record || is_of_a_day || is_phase || is_of_versions
}

/// Returns true if a name contains a date, or begins with a month: `2026-01-02-standup`, `20260102`, `2026-01`.
fn is_dated(words: &[String]) -> bool {
    let is_day = |year: &str, month: &str, day: &str| {
        let number = |text: &str| text.parse::<u16>().unwrap_or(0);
        (1990..2100).contains(&number(year))
            && (1..=12).contains(&number(month))
            && (1..=31).contains(&number(day))
            && (month.len(), day.len()) == (2, 2)
    };
    let is_month = matches!(words, [year, month, ..] if is_day(year, month, "01"));
    is_month
        || words.windows(3).any(|words| is_day(&words[0], &words[1], &words[2]))
        || words.iter().filter(|word| word.len() == 8 && word.is_ascii()).any(|word| {
            let ((year, rest), day) = (word.split_at(4), &word[6..]);
            is_day(year, &rest[..2], day)
        })
}

/// Returns true if a name begins with a serial number: `0042-queues.md`.
pub(super) fn is_numbered(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.bytes().take_while(u8::is_ascii_digit).count() > 2
}

/// Splits a name into lower-case words: `WhatsNew-2.0` gives `whats`, `new`, `2` and `0`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let is_new = before.is_ascii_lowercase() && c.is_ascii_uppercase()
            || before.is_ascii_digit() != c.is_ascii_digit();
        if is_new || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_that_are_history_are_known_by_their_names() {
        let history = "CHANGELOG.md CHANGELOG-v1.md ChangeLog.md CHANGELOG.zh-CN.md \
                       v2-changelog.md CHANGES.md HISTORY.md docs/history-2023.md NEWS.md \
                       Release-Notes.md release-notes-2.md docs/releases.md \
                       docs/v3.0-release-notes.md UPGRADING-2.0.md upgrade.md upgrade-guide.md \
                       upgrade-v1-to-v2.md upgrading-from-2.md MIGRATING.md MIGRATION.md \
                       docs/migration_guide.md docs/migrating-to-v2.md vue-migration-guide.md \
                       breaking-changes.md WhatsNew.md what's-new-in-2.md DEPRECATIONS.md \
                       adr-0001-x.md adr0001.md postmortem-database.md docs/adr/0001-x.md \
                       docs/decisions/0002-y.md archive/a.md docs/Legacy/b.md obsolete/x.md \
                       docs/plans/queue.md .claude/plans/a.md .planning/ROADMAP.md \
                       work/phases/x.md PHASE_3.md docs/phase2-api.md PLAN.md \
                       docs/queue-plan.md IMPLEMENTATION_PLAN.md reports/2026-01-02-load.md \
                       notes/load_20260102.md website/versioned_docs/version-1.0/a.md docs/blog/announcing-v3.md \
                       site/_posts/hello.md docs/blog/2024/12/05/react.md .archive/tags.md \
                       docs/08-migration-guides/29-x.md docs/29-migration-guide-4-0.md \
                       docs/3.8-announcement.md docs/migration/README.md archive/b/README.md \
                       doc/deprecated.rst docs/proposals/queue.md doc/announce/sprint.rst \
                       docs/release-2.1.0.md java/HISTORY-JAVA.md docs/staged-for-removal/a.md \
                       to-delete/a.md context/chats/a.md .agent/conversations/a.md \
                       docs/_deprecated/a.md website/blog/2023-08-15-reading/index.mdx \
                       docs/migration/index.md docs/legacy/index.md \
                       site/release_note/0.2.0.md docs/previous-versions/a.md \
                       notes/v0.19.0.md design/rfc-channels.md wip/events.md \
                       doc/release/api_1.10.rst DECISIONS.md docs/PLAN_queue.md \
                       TEST_SUMMARY.md docs/QUEUE-REPORT.md HANDOVER.md docs/queue-proposal.md \
                       PRPs/queue.md docs/queue-archive/a.md old_release_log.rst audits/2017-03.md audits/2017-03-queue.md 5.2-to-5.3.mdx v1.2.md";
        let with_blank = ["release notes/v0.1.md", "docs/Release Notes.md"];
        for path in history.split(' ').chain(with_blank) {
            assert!(is_by_name(path), "{path}");
        }
    }

    #[test]
    fn a_section_about_the_past_is_known_by_its_title() {
        for title in [
            "Upgrading from Rails 3.2 to Rails 4.0",
            "Migrating to v2",
            "Upgrade from 1.x",
            "Deprecated APIs",
            "Removed in 2.0",
            "Old queue (deprecated)",
            "Breaking changes",
            "v2 to v3 breaking changes",
        ] {
            assert!(is_of_the_past(title), "{title}");
        }
        for title in [
            "Upgrading",
            "Upgrading from Django",
            "2 ways to upgrade",
            "The upgrade to 2",
            "To 2",
            "How removed rows are kept",
            "Deprecation policy",
            "Changes",
        ] {
            assert!(!is_of_the_past(title), "{title}");
        }
    }

    #[test]
    fn a_record_is_known_by_its_text() {
        for head in [
            "SEP      15\nAuthor   A\nStatus   Final\n",
            "# A queue\n\n* Author: [A](a)\n* Status: **Implemented (2.1)**\n",
            "| Status | Draft |\n| Created | May |\n",
            "# 1. A queue\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n",
            "---\nstatus: implementable\ncreation-date: 2026-01-02\n---\n",
            "# Queues\n\n> **Warning**: This page is now outdated.\n",
            "# Queues\n\n**Status:** HISTORICAL, as it was written.\n",
            "> [!WARNING]\n> This documentation is outdated.\n",
            "# Queues\n\nThe content below is deprecated, and will be removed.\n",
            "# Queues\n\nAuthor: A\n\n## Goals\n\nx\n\n## Non-Goals\n\nx\n",
            "<Update label=\"2\">\nx\n</Update>\n<Update label=\"1\">\n",
            "# Upcoming\n# Release 0.19.10\n## Bugs\n# Release 0.19.9\n# Release 0.18.0:\n",
            "# Queues\n## [1.2.0] - 2026-01-02\n## v1.1\n## 1.0\n",
            "<!-- This file is auto-generated from a.rs.\n     DO NOT EDIT. -->\n# Queues\n",
        ] {
            assert!(is_record("docs/a.md", head), "{head}");
        }
        for head in [
            "# Shop\n\nStatus: draft\n",
            "Author: A\nStatus: experimental\n",
            "Author: A\n\n## Status\n\n[badge](b)\n",
            "# Queues\n\nThis page is not executed. See below.\n",
            "Author: A\nThe status is final.\n",
            "# Queues\n\nx\n\n## Goals\n\nx\n\n## Non-Goals\n\nx\n",
            "# Queues\n\nVersion 2 is the present one.\n\nBreaking changes are in a.md.\n",
            "# Queues\n\nThe call `a` is deprecated. This page lists deprecated calls.\n",
            "# Queues\n\nThe client in `gen/` is generated. Do not edit it by hand.\n",
            &format!("Author: A\n{}Status: final\n", "\n".repeat(30)),
        ] {
            assert!(!is_record("docs/a.md", head), "{head}");
        }
        let plan = "Date: 2026-01-02\n\n# Goals\n\n# Non-Goals\n";
        assert!(is_record("docs/a.md", plan) && !is_record("docs/README.md", plan));
    }

    #[test]
    fn trap_a_name_that_begins_like_that_of_history_is_none() {
        let others = "README.md docs/architecture.md docs/newsletter.md docs/newsletter-api/x.md \
                      docs/history-api.md docs/historyapi.md docs/browser-history.md \
                      docs/changestream.md docs/change-requests.md docs/tracking-changes.md \
                      docs/releases-api.md docs/release.md docs/upgradeable-contracts.md \
                      docs/upgrade-service.md docs/migration-db.md docs/migrate-style.md \
                      docs/adrenaline.md docs/adr.md docs/planner.md docs/planning.md \
                      docs/two-phase-commit.md docs/phases.md docs/rfc-2026-13-02.md \
                      docs/sha-12345678.md docs/release/signing.md docs/api_1.10.md docs/2.md docs/1.2.md docs/v2.md \
                      docs/2017-sales.md blog/README.md blog/api/x.md .md \
                      .changeset/README.md .changes/README.md docs/adr/README.md announcement.md \
                      upgrading-from-django.md docs/migration/migrating-from-django.md \
                      docs/background-removal/use.md docs/plan/limits.md docs/plan-limits.md \
                      docs/SUMMARY.md docs/test-summary.md .claude/commands/handoff.md \
                      docs/archives-api/a.md packages/conversations/a.md docs/chats/a.md";
        for path in others.split(' ') {
            assert!(!is_by_name(path), "{path}");
        }
    }
}
