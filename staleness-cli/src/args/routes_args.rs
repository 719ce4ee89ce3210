//! Arguments of `routes`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use staleness_core::route::Precision;

use super::whole;

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum RoutesCommand {
    /// List the project's routes, most confident first.
    List,
    /// Find routes that are close to a query.
    Find(FindArgs),
    /// Record that a tool answered a query, or did not.
    Learn(LearnArgs),
    /// Remove weak, unused and surplus routes.
    Prune {
        /// Show what would be removed without removing it.
        #[arg(long)]
        dry_run: bool,
    },
    /// Forget a route, its vector and its text.
    Forget {
        /// The route's id.
        id: String,
        /// Confirm that it should be forgotten.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct FindArgs {
    /// The query to find routes for.
    pub query: String,
    #[command(flatten)]
    pub vector: VectorArgs,
    /// The maximum number of results.
    #[arg(long, value_name = "N", default_value = "5", allow_negative_numbers = true,
          value_parser = whole::<usize>)]
    pub limit: usize,
    /// Show the parts of each score.
    #[arg(long)]
    pub explain: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    /// The query that was asked.
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    pub query: String,
    /// The name by which the tool is called.
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub tool: String,
    /// The quality of the answer, from 0 (failed) to 1.
    #[arg(long, value_name = "0..1", default_value = "1", allow_hyphen_values = true)]
    pub signal: String,
    /// A unique id of this example. Learning it again changes nothing while it is among the
    /// route's last 16.
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    #[command(flatten)]
    pub vector: VectorArgs,
}

// A query's vector, and the model that computed it.
#[derive(Debug, Args)]
pub(crate) struct VectorArgs {
    /// The vector of the query: a JSON array, or little-endian f32 or f64; - reads stdin.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "model")]
    pub vector: Option<PathBuf>,
    /// The model that computed the vector.
    #[arg(long, value_name = "ID", requires = "vector")]
    pub model: Option<String>,
    /// The size of the file's numbers [default: the one that fits the model's dimensions, else a
    /// guess].
    #[arg(long, value_name = "P", requires = "vector")]
    pub precision: Option<PrecisionArg>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrecisionArg {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

impl From<PrecisionArg> for Precision {
    fn from(arg: PrecisionArg) -> Self {
        match arg {
            PrecisionArg::F32 => Self::F32,
            PrecisionArg::F64 => Self::F64,
        }
    }
}
