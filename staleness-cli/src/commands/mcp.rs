//! `mcp`: serves agents over the Model Context Protocol.

use staleness_mcp::{Options, Server, serve_stdio};

use crate::args::Global;
use crate::error::{CliError, ErrorKind};

/// Serves stdin and stdout until the client disconnects.
pub(crate) fn run(global: &Global) -> Result<(), CliError> {
    let server = Server::new(Options::from(global))?;
    serve_stdio(&server).map_err(|error| {
        CliError::new(ErrorKind::Invalid, error.to_string())
            .hint("only clients start this; see `staleness --help` for other commands")
    })
}
