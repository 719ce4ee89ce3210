//! Errors of the command line: those of the service, each with an exit code.

pub(crate) use staleness_service::error::{brief, in_words, quoted, text_within};
pub(crate) use staleness_service::{ErrorKind, ServiceError as CliError};

/// Returns the exit code: 2 for usage errors, 3 for rejected values and invalid input, 4 for store errors.
pub(crate) const fn exit_code(error: &CliError) -> u8 {
    match error.kind {
        ErrorKind::Usage => 2,
        ErrorKind::Store => 4,
        _ => 3,
    }
}
