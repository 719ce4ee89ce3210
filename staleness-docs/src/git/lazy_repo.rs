use std::path::{Path, PathBuf};

use super::history::Limits;
use super::process::{GitError, Program};
use super::repo::Repo;

/// The repository of a project. The first query opens it. Contents that one query could not read stay unknown for later
/// ones. By default there is no repository.
#[derive(Debug, Default)]
pub struct LazyRepo {
    place: Option<(Program, PathBuf)>,
    limits: Limits,
    opened: Option<Result<Repo, GitError>>,
}

impl LazyRepo {
    /// Creates a handle for the repository that contains `folder`. Without a git program, every query fails.
    pub fn new(program: Option<Program>, folder: &Path, limits: Limits) -> Self {
        let place = program.map(|program| (program, folder.to_path_buf()));
        Self { place, limits, opened: None }
    }

    /// Begins a query with the full budget of [`Limits`].
    pub fn renew(&mut self) {
        if let Some(Ok(repo)) = &mut self.opened {
            repo.renew();
        }
    }

    /// Returns the repository.
    ///
    /// # Errors
    /// If there is no git program or the repository cannot be opened.
    pub fn get(&mut self) -> Result<&mut Repo, GitError> {
        let Self { place, limits, opened } = self;
        let opened = opened.get_or_insert_with(|| {
            let (program, folder) = place.as_ref().ok_or(GitError::NoProgram)?;
            Repo::open(program, folder, *limits)
        });
        opened.as_mut().map_err(|why| why.clone())
    }
}
