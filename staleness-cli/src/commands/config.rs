//! `config`: shows the policy in force and its sources.

use serde_json::json;

use crate::args::ConfigCommand;
use crate::error::CliError;
use crate::output::{Cell, Output, Paint};
use crate::settings::Settings;

pub(crate) fn run(
    settings: &Settings,
    command: ConfigCommand,
    out: &Output,
) -> Result<(), CliError> {
    match command {
        ConfigCommand::Show => show(settings, out),
        ConfigCommand::Path => path(settings, out),
    }
}

fn show(settings: &Settings, out: &Output) -> Result<(), CliError> {
    let values = settings.configured.values()?;
    if out.json {
        return out.json(&json!({ "values": values }));
    }
    out.text(&out.table(values.into_iter().map(|each| -> Vec<Cell> {
        vec![
            (each.key, Some(Paint::bold)),
            (each.value.to_string(), None),
            (each.source, Some(Paint::dim)),
        ]
    })))
}

fn path(settings: &Settings, out: &Output) -> Result<(), CliError> {
    let user = settings.layers.user.as_ref().map(|(path, _)| path.clone());
    let files: Vec<_> = [("user", user), ("project", settings.layers.project.clone())]
        .into_iter()
        .filter_map(|(layer, path)| Some((layer, path?)))
        .collect();
    if out.json {
        let values: Vec<_> = files
            .iter()
            .map(|(layer, path)| {
                json!({ "key": layer, "value": path.display().to_string(),
                        "source": if path.is_file() { "file" } else { "missing" } })
            })
            .collect();
        return out.json(&json!({ "values": values }));
    }
    let rows = files.into_iter().map(|(layer, path)| -> Vec<Cell> {
        let there = if path.is_file() { "" } else { "(not there)" };
        vec![
            (layer.into(), Some(Paint::bold)),
            (format!("{} {there}", path.display()).trim().to_owned(), None),
        ]
    });
    out.text(&Output { width: usize::MAX, ..*out }.table(rows))
}
