//! Arguments of `mcp`.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, ValueHint};

// The transport: stdin and stdout by default.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Serve over streamable HTTP at this address. A port alone means this machine only.
    #[arg(long, value_name = "[IP:]PORT", value_parser = address, requires = "tokens")]
    pub http: Option<SocketAddr>,
    /// A file of bearer tokens. Each line has a token and the folder of the project that it gives access to.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "http")]
    pub tokens: Option<PathBuf>,
    /// A host name by which clients reach the server, such as that of a proxy in front of it.
    #[arg(long, value_name = "NAME", requires = "http")]
    pub host: Vec<String>,
}

fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let port = text.parse().map(|port: u16| (Ipv4Addr::LOCALHOST, port).into());
    port.or_else(|_| text.parse()).map_err(|_| "neither a port nor an IP address with a port")
}
