//! `mcp`: serves agents over the Model Context Protocol.

use std::net::SocketAddr;

use staleness_mcp::{Options, ServeError, Server, serve_stdio};

use crate::args::{Global, McpArgs};
use crate::error::{CliError, ErrorKind};

/// Serves HTTP until a signal stops the process. Without `--http`, serves stdin and stdout until the client
/// disconnects.
pub(crate) fn run(global: &Global, args: &McpArgs) -> Result<(), CliError> {
    let server = Server::new(Options::from(global))?;
    if let Some(address) = args.http {
        return serve_http(&server, args, address);
    }
    serve_stdio(&server).map_err(|error| {
        invalid(&error)
            .hint("only clients start this server; see `staleness --help` for other commands")
    })
}

fn invalid(error: &ServeError) -> CliError {
    CliError::new(ErrorKind::Invalid, error.to_string())
}

#[cfg(feature = "http")]
fn serve_http(server: &Server, args: &McpArgs, address: SocketAddr) -> Result<(), CliError> {
    let (tokens, hosts) = (args.tokens.clone().unwrap_or_default(), args.host.clone());
    let options = staleness_mcp::HttpOptions { address, tokens, hosts };
    let started = |address: SocketAddr, tokens| {
        let tokens = staleness_core::text::counted(tokens, "token", "tokens");
        anstream::eprintln!("serving http://{address}/mcp for {tokens}");
        if !address.ip().is_loopback() {
            anstream::eprintln!(
                "warning: the connection is not encrypted; put a TLS proxy in front of this server"
            );
        }
    };
    staleness_mcp::serve_http(server, &options, started).map_err(|error| invalid(&error))
}

#[cfg(not(feature = "http"))]
fn serve_http(_: &Server, _: &McpArgs, _: SocketAddr) -> Result<(), CliError> {
    Err(CliError::new(ErrorKind::Invalid, "this build cannot serve HTTP")
        .hint("build it with `--features http`"))
}
