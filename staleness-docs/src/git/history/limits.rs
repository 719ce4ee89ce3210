//! Bounds on what is read of a history.

/// Bounds beyond which an answer is left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest file or folder of a commit that is read, in bytes.
    pub object_bytes: u64,
    /// Most commits that are looked back.
    pub commits: u32,
    /// Most bytes of one document's earlier versions that are compared.
    pub document_bytes: u64,
    /// Most bytes of files that are searched for words: of the checked-out commit for each question, and
    /// as many of all earlier commits for all questions.
    pub searched_bytes: u64,
    /// Most bytes of files that are read, compared and searched for citations, and lines where lines are
    /// looked for one by one: for all questions.
    pub compared_bytes: u64,
    /// Most versions of all documents together that are followed; of each 16 all the same.
    pub versions: usize,
    /// Most entries of folders that are visited for one question, over all commits. A folder counts as
    /// several files.
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
            visited: 1_000_000,
        }
    }
}
