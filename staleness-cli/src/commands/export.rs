//! `export`: prints all records and the journal as JSON Lines.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::mem;
use std::ops::ControlFlow;

use staleness::store::Selection;
use staleness::{Registry, RegistryError, Wait};
use staleness_core::transfer::Record;

use crate::error::{CliError, ErrorKind};
use crate::output::{Output, Progress};
use crate::settings::{Access, Settings};
use staleness_service::save;

/// Prints the export through a temporary file, so that a slow reader does not block the store, and a damaged store
/// prints no partial export.
pub(crate) fn run(settings: &Settings, out: &Output) -> Result<(), CliError> {
    // A missing registry has nothing to export and is not created.
    let registry = settings.open(Access::Look)?;
    let mut file = spooled(&registry, Progress::new(out, "exported"))?;
    drop(registry);
    let mut stdout = io::stdout().lock();
    match io::copy(&mut file, &mut stdout).and_then(|_| stdout.flush()) {
        // A reader that closed the pipe is not an error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::new(ErrorKind::Io, format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Returns the export in an unnamed file that only this user can read.
pub(crate) fn spooled(registry: &Registry, mut progress: Progress) -> Result<File, CliError> {
    let trouble =
        |error: io::Error| CliError::new(ErrorKind::Io, format!("no temporary file: {error}"));
    let file = save::unnamed().map_err(|error| CliError::new(ErrorKind::Io, error.to_string()))?;
    let mut to = BufWriter::with_capacity(1 << 16, file);
    let mut written = Ok(());
    let mut lines = Vec::new();
    let mut begun = false;
    let read: Result<(), RegistryError> = registry
        .admin()
        .pages(&Selection::records(), &mut |page| {
            if !mem::replace(&mut begun, true) {
                written = writeln!(to, "{}", Record::header(page.floor.revision));
            }
            lines.clear();
            progress.add(page.append_lines(&mut lines));
            if written.is_ok() {
                written = to.write_all(&lines);
            }
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .wait();
    progress.end();
    read?;
    if !begun {
        written = writeln!(to, "{}", Record::HEADER);
    }
    written.map_err(trouble)?;
    let mut file = to.into_inner().map_err(|error| trouble(error.into_error()))?;
    file.rewind().map_err(trouble)?;
    Ok(file)
}
