//! Command-line parsers exposed to the fuzz targets. Not part of the stable API.

use std::io::Read;
use std::path::Path;

use staleness_core::registry::ImportReport;
use staleness_service::ServiceError;
use staleness_service::settings::{Access, Settings};

use crate::args::{FormatArg, ImportArgs};
use crate::commands::check::baseline::Baseline;
use crate::commands::{export, import};
use crate::output::{Output, Progress};

fn silent() -> Output {
    Output { quiet: true, ..Output::plain(false) }
}

/// Imports a file: an export, or lines of another system.
///
/// # Errors
/// Errors of `import`.
pub fn imported(
    settings: &Settings,
    file: &Path,
    foreign: bool,
    dry_run: bool,
) -> Result<ImportReport, ServiceError> {
    let args = ImportArgs {
        file: Some(file.to_owned()),
        from: foreign.then_some(FormatArg::Jsonl),
        source: None,
        dry_run,
    };
    import::taken(settings, &args, &silent()).map(|(report, _)| report)
}

/// Returns the output of `export`.
///
/// # Errors
/// Errors of `export`.
pub fn exported(settings: &Settings) -> Result<String, ServiceError> {
    let registry = settings.open(Access::Look)?;
    let mut text = String::new();
    let mut file = export::spooled(&registry, Progress::new(&silent(), "exported"))?;
    file.read_to_string(&mut text)
        .map_err(|error| ServiceError::invalid(format!("an export is not text: {error}")))?;
    Ok(text)
}

/// Reads a baseline and writes it again. Returns the number of findings in it.
///
/// # Errors
/// A message if the baseline cannot be read.
pub fn baseline(from: &Path, to: &Path) -> Result<usize, ServiceError> {
    let known = Baseline::read(Path::new("/"), from)?;
    known.write(to)?;
    Ok(known.len())
}
