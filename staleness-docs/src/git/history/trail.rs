use crate::git::objects::Oid;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Version {
    /// The commit that made this version, as an index into the list of commits.
    pub(crate) commit: u32,
    /// The contents before. Null if the file was new.
    pub(crate) old: Oid,
}

/// The versions of one file, newest first, across renames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    pub(crate) versions: Vec<Version>,
    /// Earlier names of the file, newest first, each with the index of the commit that renamed it.
    pub(crate) names: Vec<(u32, String)>,
}
