/// A field of front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Field {
    /// Id of the item.
    Id,
    /// Kind of the item.
    Kind,
    /// Keywords for finding the item.
    Keywords,
    /// The time at which the item was written.
    Added,
    /// The project version for which the item was written.
    VersionContext,
    /// The time at which the item was last recalled.
    LastRecalled,
    /// Number of recalls.
    RecallCount,
    /// True if time, versions and code changes do not affect the item.
    Evergreen,
    /// The time at which the item expires.
    Expires,
    /// The time at which the item was last verified.
    Verified,
    /// Citations that support the item.
    Cite,
    /// Items that this one supersedes.
    Supersedes,
    /// Items on which this one depends.
    Related,
    /// The date at which the item is due.
    Due,
    /// `done` for a finished to-do.
    Status,
}

impl Field {
    /// Returns the names of the field. New fields use the first one. Case, and `-` instead of `_`, do not
    /// matter.
    pub const fn names(self) -> &'static [&'static str] {
        NAMES[self as usize].1
    }

    pub(super) fn of_key(key: &str) -> Option<Self> {
        let key = key.to_ascii_lowercase().replace('-', "_");
        NAMES.iter().find(|(_, names)| names.contains(&key.as_str())).map(|(field, _)| *field)
    }
}

/// All fields with their names, in the order of [`Field`].
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
