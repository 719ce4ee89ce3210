//! The fields that mean something here, and the names that they have in use.

/// A field of front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Field {
    /// The item's id.
    Id,
    /// Kind of the item.
    Kind,
    /// Words under which it is found.
    Keywords,
    /// When it was written.
    Added,
    /// The version of the project that it was written for.
    VersionContext,
    /// When it was recalled last.
    LastRecalled,
    /// Number of recalls.
    RecallCount,
    /// True if time, versions and code leave it untouched.
    Evergreen,
    /// When it ceases to hold.
    Expires,
    /// When somebody last saw that it holds.
    Verified,
    /// Citations that it rests on.
    Cite,
    /// The items that it stands for now.
    Supersedes,
    /// The items that it depends on.
    Related,
    /// When it should be done.
    Due,
    /// `done`, for a to-do that is.
    Status,
}

impl Field {
    /// Its names, that for new fields first. A hyphen stands for an underscore, and capitals for
    /// small letters.
    #[must_use]
    pub const fn names(self) -> &'static [&'static str] {
        NAMES[self as usize].1
    }

    /// The field that a key names.
    pub(super) fn of_key(key: &str) -> Option<Self> {
        let key = key.to_ascii_lowercase().replace('-', "_");
        NAMES.iter().find(|(_, names)| names.contains(&key.as_str())).map(|(field, _)| *field)
    }
}

/// Every field with its names, in the order of the fields.
const NAMES: [(Field, &[&str]); 15] = [
    (Field::Id, &["id"]),
    (Field::Kind, &["kind", "type"]),
    (Field::Keywords, &["keywords"]),
    (Field::Added, &["added", "added_at"]),
    (Field::VersionContext, &["version_context"]),
    (Field::LastRecalled, &["last_recalled", "recalled_at"]),
    (Field::RecallCount, &["recall_count"]),
    (Field::Evergreen, &["evergreen"]),
    (Field::Expires, &["expires", "expires_at", "stale_after"]),
    (Field::Verified, &["verified", "verified_at"]),
    (Field::Cite, &["cite", "citations"]),
    (Field::Supersedes, &["supersedes"]),
    (Field::Related, &["related"]),
    (Field::Due, &["due"]),
    (Field::Status, &["status"]),
];
