//! Commands of a project: the targets defined in its manifests, and those called in lines of documents.
//!
//! | target | defined by | called as |
//! |---|---|---|
//! | script | `scripts` of `package.json` | `npm run lint`, `npm test`, `yarn lint`, `pnpm --filter web lint`, `bun run lint` |
//! | make target | a makefile and its includes | `make lint`, `make -C docs html` |
//! | recipe, alias, module | a justfile and its imports | `just lint` |
//! | task | a taskfile | `task lint` |
//! | alias | `.cargo/config.toml` | `cargo xtask` |
//! | binary, example, feature, package | `Cargo.toml`, `src/bin`, `examples` | `cargo run --bin shop`, `cargo test -p shop -F tls` |
//! | script | `composer.json`, `deno.json`, `pyproject.toml` | `composer lint`, `deno task lint`, `poetry run lint`, `poe lint` |
//! | module | a Python package of the project | `python -m shop` |
//! | hook | `.pre-commit-config.yaml` | `pre-commit run lint` |
//! | subcommand | source code of the project's own program | `shop sync` |
//!
//! This module only parses text. It executes nothing and reads no files.

mod call;
mod manifest;
mod options;
mod own;
mod programs;
mod shell;

pub(crate) use call::{Call, calls};
pub(crate) use manifest::{Targets, defines, files, read};
pub(crate) use options::{Place, is_name};
pub(crate) use own::{caller, own_from, script};
pub(crate) use programs::is_foreign;
pub(crate) use shell::{Language, Shell, lines};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum TargetKind {
    /// A script of `package.json`.
    Script,
    /// A program of a dependency, which `yarn` and similar tools run like a script.
    Tool,
    Make,
    Just,
    Task,
    /// A cargo alias.
    Alias,
    Binary,
    Example,
    Feature,
    Package,
    Composer,
    Deno,
    /// A script or task of `pyproject.toml`.
    Python,
    /// A Python module.
    Module,
    /// A pre-commit hook.
    Hook,
    /// A subcommand of one of the project's own programs.
    Subcommand,
}
