//! The fields that mean something here, and the names that they have in use.

/// A field of front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Field {
    /// The item's id.
    Id,
    /// What sort of thing it is.
    Kind,
    /// Words under which it is found.
    Keywords,
    /// When it was written.
    Added,
    /// The version of the project that it was written for.
    VersionContext,
    /// When it was recalled last.
    LastRecalled,
    /// How often it was recalled.
    RecallCount,
    /// Whether time, versions and code leave it untouched.
    Evergreen,
    /// When it ceases to hold.
    Expires,
    /// When somebody last saw that it holds.
    Verified,
    /// What it rests on.
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
    /// Every field, in the order in which new ones are written.
    pub const ALL: [Self; 15] = [
        Self::Id,
        Self::Kind,
        Self::Keywords,
        Self::Added,
        Self::VersionContext,
        Self::LastRecalled,
        Self::RecallCount,
        Self::Evergreen,
        Self::Expires,
        Self::Verified,
        Self::Cite,
        Self::Supersedes,
        Self::Related,
        Self::Due,
        Self::Status,
    ];

    /// Its names, that for new fields first. A hyphen stands for an underscore, and capitals for
    /// small letters.
    #[must_use]
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Id => &["id"],
            Self::Kind => &["kind", "type"],
            Self::Keywords => &["keywords"],
            Self::Added => &["added", "added_at"],
            Self::VersionContext => &["version_context"],
            Self::LastRecalled => &["last_recalled", "recalled_at"],
            Self::RecallCount => &["recall_count"],
            Self::Evergreen => &["evergreen"],
            Self::Expires => &["expires", "expires_at", "stale_after"],
            Self::Verified => &["verified", "verified_at"],
            Self::Cite => &["cite", "citations"],
            Self::Supersedes => &["supersedes"],
            Self::Related => &["related"],
            Self::Due => &["due"],
            Self::Status => &["status"],
        }
    }

    /// The field that a key names.
    pub(super) fn of_key(key: &str) -> Option<Self> {
        let key = key.to_ascii_lowercase().replace('-', "_");
        Self::ALL.into_iter().find(|field| field.names().contains(&key.as_str()))
    }
}
