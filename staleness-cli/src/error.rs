//! Errors of the command line: those of the service, each with an exit code.

pub(crate) use staleness_service::error::{brief, in_words, quoted, text_within};
pub(crate) use staleness_service::{ErrorKind, ServiceError as CliError};

/// The exit code: 2 usage, 3 refused values and bad input, 4 store trouble.
pub(crate) const fn exit_code(error: &CliError) -> u8 {
    match error.kind {
        ErrorKind::Usage => 2,
        ErrorKind::Store => 4,
        _ => 3,
    }
}
