//! Converts the options of `add` and `set` to the fields of an item.

use std::collections::BTreeSet;

use staleness::Timestamp;
use staleness::ids::ItemId;
use staleness::knowledge::{Citation, Item, ItemKind};
use staleness::registry::ItemPatch;

use crate::args::knowledge_args::FieldArgs;
use crate::commands::typed;
use crate::error::CliError;
use staleness_service::when;
use staleness_service::words::{id, word};

/// The word that clears a field.
const NONE: &str = "none";

/// Returns the given fields. Citations are left out, because they need the project.
pub(super) fn patch(args: &FieldArgs, now: Timestamp) -> Result<ItemPatch, CliError> {
    Ok(ItemPatch {
        kind: kind(args.kind.as_deref())?,
        body: args
            .body
            .as_deref()
            .map(|text| typed::text(text, Item::MAX_BODY_BYTES))
            .transpose()?,
        keywords: list(&args.keyword).map(|words| words.into_iter().collect()),
        version_context: args.version.as_deref().map(|text| some(text).map(str::to_owned)),
        evergreen: args.evergreen,
        due: args.due.as_deref().map(|text| time("--due", text, now)).transpose()?,
        expires_at: args.expires.as_deref().map(|text| time("--expires", text, now)).transpose()?,
        citations: None,
        supersedes: ids(&args.supersedes)?,
        related: ids(&args.related)?,
    })
}

/// Returns the given citations, each with the current digest.
pub(super) fn citations(
    args: &FieldArgs,
    cite: impl Fn(&str) -> Result<Citation, CliError>,
) -> Result<Option<BTreeSet<Citation>>, CliError> {
    list(&args.cite).map(|cited| cited.iter().map(|text| cite(text)).collect()).transpose()
}

pub(super) fn kind(text: Option<&str>) -> Result<Option<ItemKind>, CliError> {
    word(text, "kind", ItemKind::from_word, || ItemKind::ALL.map(ItemKind::as_str).join(", "))
}

fn some(text: &str) -> Option<&str> {
    let text = text.trim();
    (!text.is_empty() && text != NONE).then_some(text)
}

fn time(option: &str, text: &str, now: Timestamp) -> Result<Option<Timestamp>, CliError> {
    match some(text) {
        None => Ok(None),
        Some(text) => when::parse_for(option, text, now).map(Some),
    }
}

/// Returns the values of a repeatable option. `none` alone means an empty list.
fn list(values: &[String]) -> Option<Vec<String>> {
    match values {
        [] => None,
        [one] if one == NONE => Some(Vec::new()),
        values => Some(values.to_vec()),
    }
}

fn ids(values: &[String]) -> Result<Option<BTreeSet<ItemId>>, CliError> {
    list(values)
        .map(|values| values.iter().map(|text| id("id", text.as_str())).collect())
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_empties_and_silence_keeps() {
        let now = Timestamp::default();
        let args = FieldArgs {
            version: Some("none".into()),
            due: Some("none".into()),
            keyword: vec!["none".into()],
            related: vec!["a".into(), "none".into()],
            ..FieldArgs::default()
        };
        let patch = patch(&args, now).unwrap();
        assert_eq!((patch.version_context, patch.due), (Some(None), Some(None)));
        assert_eq!((patch.keywords, patch.expires_at), (Some(BTreeSet::new()), None));
        assert_eq!(patch.related.unwrap().len(), 2);
    }
}
