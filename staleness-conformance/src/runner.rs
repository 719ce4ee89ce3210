//! The test executable of a backend: every case by name, and the roles of child processes.

use std::ffi::OsString;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::backend::Backend;
use crate::case::Case;
use crate::cases::cases;
use crate::child;

/// Runs the suite as the whole of a test executable: reports each case by name, understands the
/// arguments of `cargo test` (filters, `--list`, `--test-threads`), and exits.
///
/// The executable starts itself as a child process for the cases that need several. Those children
/// come here as well, so this must be the first thing that `main` does.
pub fn run(backend: impl Backend) -> ! {
    let backend: Arc<dyn Backend> = Arc::new(backend);
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|word| word == child::WORD) {
        child::play(backend.as_ref(), &arguments[2..]);
        std::process::exit(0);
    }
    let trials = cases().into_iter().map(|case| trial(&backend, case)).collect();
    libtest_mimic::run(&Arguments::from_iter(arguments), trials).exit()
}

/// Reports every case as ignored for `reason`, and exits: the suite of a backend whose server is not there.
pub fn ignore(reason: &str) -> ! {
    let trials = cases().into_iter().map(|case| ignored(case, reason.to_owned())).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit()
}

fn trial(backend: &Arc<dyn Backend>, case: Case) -> Trial {
    let missing = backend.capabilities().missing(case.needs);
    if !missing.is_empty() {
        return ignored(case, format!("{} lacks: {}", backend.name(), missing.join(", ")));
    }
    let backend = Arc::clone(backend);
    Trial::test(case.name, move || case.verify(backend).map_err(Failed::from))
}

/// A case that fails with `reason` if it is run all the same.
fn ignored(case: Case, reason: String) -> Trial {
    let failure = Failed::from(&reason);
    Trial::test(case.name, move || Err(failure)).with_kind(reason).with_ignored_flag(true)
}

/// The `main` of a backend's conformance test (a test target with `harness = false`). See the
/// documentation of this crate.
#[macro_export]
macro_rules! main {
    ($backend:expr) => {
        fn main() {
            $crate::run($backend)
        }
    };
}
