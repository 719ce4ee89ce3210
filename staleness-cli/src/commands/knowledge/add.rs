//! `knowledge add`: adds an item.

use serde_json::json;
use staleness_service::knowledge::{NewItem, World, add as write};

use super::fields;
use crate::args::knowledge_args::FieldArgs;
use crate::error::{CliError, ErrorKind};
use crate::output::{Output, knowledge};
use staleness_service::citations;

pub(super) struct Add<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) global: bool,
    pub(super) fields: &'a FieldArgs,
}

pub(super) fn run(world: &World<'_>, add: &Add<'_>, out: &Output) -> Result<(), CliError> {
    let settings = world.settings;
    let mut fields = fields::patch(add.fields, settings.now)?;
    if fields.body.as_deref().is_none_or(|body| body.trim().is_empty()) {
        let kind = if add.fields.body.is_some() { ErrorKind::Invalid } else { ErrorKind::Usage };
        return Err(CliError::new(kind, "the text is missing")
            .hint("give it with --body TEXT, or --body - for stdin"));
    }
    fields.citations = fields::citations(add.fields, |text| citations::cite(settings, text))?;
    let id = add.id.map(fields::id).transpose()?;
    let told = write(world, NewItem { id, global: add.global, fields })?;
    out.done(&json!({ "item": told }), || knowledge::noted(&told, world.dry_run, out))
}
