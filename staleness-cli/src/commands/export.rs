//! `export`: every record and the journal as JSON Lines.

use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;

use staleness::store::Selection;
use staleness::transfer;

use crate::error::{CliError, ErrorKind};
use crate::output::{Output, Progress};
use crate::settings::{Access, Settings};

pub(crate) fn run(settings: &Settings, out: &Output) -> Result<(), CliError> {
    // A registry that is not there has nothing to export, and is not created for it.
    let registry = settings.open(Access::Look)?;
    let mut to = BufWriter::with_capacity(1 << 16, io::stdout());
    let mut written = writeln!(to, "{}", transfer::HEADER);
    let mut progress = Progress::new(out, "exported");
    let mut lines = Vec::new();
    registry.pages(&Selection::everything(), &mut |page| {
        lines.clear();
        progress.add(transfer::append_lines(&page, &mut lines));
        if written.is_ok() {
            written = to.write_all(&lines);
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    progress.end();
    match written.and_then(|()| to.flush()) {
        // A reader that went away is no error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::new(ErrorKind::Io, format!("writing to stdout: {error}")))
        }
        _ => Ok(()),
    }
}
