//! A repository that is opened when it is needed.

use std::path::{Path, PathBuf};

use super::history::Limits;
use super::process::{GitError, Program};
use super::repo::Repo;

/// The repository of a project, opened by the first question and no more than once. What one question
/// could not look at stays in doubt for those after it. The default is no repository.
#[derive(Debug, Default)]
pub struct LazyRepo {
    place: Option<(Program, PathBuf)>,
    limits: Limits,
    opened: Option<Result<Repo, GitError>>,
}

impl LazyRepo {
    /// The repository that the project's folder lies in, not opened yet. Without a program there is none.
    #[must_use]
    pub fn new(program: Option<Program>, folder: &Path, limits: Limits) -> Self {
        let place = program.map(|program| (program, folder.to_path_buf()));
        Self { place, limits, opened: None }
    }

    /// Begins a question, which may spend the whole budget of [`Limits`].
    pub fn renew(&mut self) {
        if let Some(Ok(repo)) = &mut self.opened {
            repo.renew();
        }
    }

    /// Returns the repository.
    ///
    /// # Errors
    /// Why there is no history to ask.
    pub fn get(&mut self) -> Result<&mut Repo, GitError> {
        let Self { place, limits, opened } = self;
        let opened = opened.get_or_insert_with(|| {
            let (program, folder) = place.as_ref().ok_or(GitError::NoProgram)?;
            Repo::open(program, folder, *limits)
        });
        opened.as_mut().map_err(|why| why.clone())
    }
}
