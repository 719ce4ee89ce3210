/// Limits of a query. Answers that would exceed them stay unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest file or folder of a commit to read, in bytes.
    pub object_bytes: u64,
    /// Maximum number of commits to look back.
    pub commits: u32,
    /// Maximum number of bytes to compare in one document's earlier versions.
    pub document_bytes: u64,
    /// Maximum number of bytes to search for words: in the checked-out commit per query, and in all earlier
    /// commits for all queries together.
    pub searched_bytes: u64,
    /// Maximum number of bytes to read and compare for citations, for all queries together. Line-by-line
    /// comparisons are charged per line.
    pub compared_bytes: u64,
    /// Maximum number of versions to follow, for all documents together. Each document gets 16 in any case.
    pub versions: usize,
    /// Maximum number of files to list per query, over all commits.
    pub visited: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            object_bytes: 8 * 1024 * 1024,
            commits: 200_000,
            document_bytes: 32 * 1024 * 1024,
            searched_bytes: 4 * 1024 * 1024 * 1024,
            compared_bytes: 1024 * 1024 * 1024,
            versions: 2_000_000,
            visited: 10_000_000,
        }
    }
}
