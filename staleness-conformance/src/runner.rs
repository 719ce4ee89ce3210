//! The test executable of a backend, including the roles of child processes.

use std::ffi::OsString;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::backend::Backend;
use crate::case::Case;
use crate::cases::cases;
use crate::child;

/// Runs the suite as a test executable: reports each case by name, supports the arguments of `cargo test`
/// (filters, `--list`, `--test-threads`), and exits.
///
/// The executable starts itself as a child process for cases with several processes. Children enter here too,
/// so this must be called first in `main`.
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

/// Reports all cases as ignored for `reason` and exits. For a backend without an available server.
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

/// Creates an ignored case that fails with `reason` if it is run anyway.
fn ignored(case: Case, reason: String) -> Trial {
    let failure = Failed::from(&reason);
    Trial::test(case.name, move || Err(failure)).with_kind(reason).with_ignored_flag(true)
}

/// Defines the `main` function of a backend's conformance test (a test target with `harness = false`). See
/// the crate documentation.
#[macro_export]
macro_rules! main {
    ($backend:expr) => {
        fn main() {
            $crate::run($backend)
        }
    };
}
