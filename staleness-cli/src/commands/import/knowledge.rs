//! Imports knowledge of other systems, one item per line.

use std::collections::BTreeSet;

use serde::Deserialize;
use staleness::ids::{ItemId, ItemKey};
use staleness::knowledge::{Item, ItemKind};
use staleness::scan::ProjectRef;

use super::home::scope_of;
use super::moment::Moment;

/// A line to import. Its fields have the names of this program or of other systems.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnowledgeLine {
    id: ItemId,
    #[serde(alias = "text")]
    body: String,
    kind: Option<ItemKind>,
    keywords: Option<BTreeSet<String>>,
    #[serde(alias = "added_at")]
    added: Moment,
    #[serde(alias = "updated_at")]
    updated: Option<Moment>,
    version_context: Option<String>,
    #[serde(alias = "recalled_at")]
    last_recalled: Option<Moment>,
    #[serde(default, alias = "recalls")]
    recall_count: u64,
    evergreen: Option<bool>,
    due: Option<Moment>,
    #[serde(alias = "stale_after", alias = "expires_at")]
    expires: Option<Moment>,
    #[serde(alias = "verified_at")]
    verified: Option<Moment>,
    #[serde(alias = "done_at")]
    done: Option<Moment>,
    related: Option<BTreeSet<ItemId>>,
    project: Option<String>,
    #[serde(default)]
    global: bool,
}

impl KnowledgeLine {
    /// Returns the key and the project of the item. The project is `here` if the line names none, and `None` for a
    /// global item.
    pub(super) fn key(&self, here: &ProjectRef) -> Result<(ItemKey, Option<ProjectRef>), String> {
        let (scope, project) = scope_of(self.global, self.project.as_deref(), here)?;
        Ok((ItemKey { scope, id: self.id.clone() }, project))
    }

    /// Returns the item with the values in the line. Values that the line lacks come from the known item, if there is
    /// one. A verification of a different text is dropped.
    pub(super) fn item(&self, key: ItemKey, known: Option<&Item>) -> Result<Item, String> {
        if self.done.is_some() && self.kind != Some(ItemKind::Todo) {
            return Err("only a to-do can be done".into());
        }
        let at = |moment: &Option<Moment>| moment.as_ref().map(|Moment(at)| *at);
        let Moment(added_at) = self.added;
        let new = Item::new(key, ItemKind::Knowledge, "", added_at);
        let known = known.cloned().unwrap_or(new);
        let verified = known.verified_at.filter(|_| known.body == self.body);
        let verified_at = at(&self.verified).max(verified);
        let item = Item {
            kind: self.kind.unwrap_or(known.kind),
            body: self.body.clone(),
            keywords: self.keywords.clone().unwrap_or(known.keywords),
            // A line names no file. If the known item is in a file, the importer keeps the file and its text.
            path: None,
            added_at,
            updated_at: at(&self.updated).unwrap_or(added_at),
            version_context: self.version_context.clone().or(known.version_context),
            evergreen: self.evergreen.unwrap_or(known.evergreen),
            due: at(&self.due).or(known.due),
            expires_at: at(&self.expires).or(known.expires_at),
            verified_at,
            verified_commit: known
                .verified_commit
                .filter(|_| verified.is_some() && verified_at == verified),
            verifications: self.verified.is_some().into(),
            related: self.related.clone().unwrap_or(known.related),
            done_at: at(&self.done).max(known.done_at),
            recalls: self.recall_count.max(known.recalls),
            recalls_since_edit: 0,
            recalled_at: at(&self.last_recalled).max(known.recalled_at),
            ..known
        };
        item.check().map_err(|refusal| refusal.to_string())?;
        Ok(item)
    }
}

#[cfg(test)]
mod tests {
    use staleness::registry::Act;
    use staleness::{Timestamp, Wait};
    use staleness_core::ids::OpId;
    use staleness_core::knowledge::{Citation, Contradiction};
    use staleness_core::transfer::Record;

    use super::*;

    fn day(day: i64) -> Timestamp {
        "2026-01-01T00:00:00Z".parse::<Timestamp>().unwrap().minus_days(-day)
    }

    /// Returns a to-do that was edited on day 2, verified on day 3 and contradicted on day 4.
    fn known(here: &ProjectRef) -> Item {
        let id = |text: &str| ItemId::new(text).unwrap();
        let key = ItemKey { scope: staleness::ids::Scope::Project(here.id.clone()), id: id("i") };
        let said = Contradiction { by: "me".into(), reason: "no".into(), at: day(4) };
        Item {
            keywords: ["k".to_owned()].into(),
            updated_at: day(2),
            version_context: Some("1.2.0".into()),
            evergreen: true,
            due: Some(day(30)),
            expires_at: Some(day(90)),
            verified_at: Some(day(3)),
            verified_commit: Some("c0".into()),
            verifications: 2,
            citations: [Citation::of_path("src/a.rs")].into(),
            related: [id("other")].into(),
            contradicted: Some(said),
            recalls: 5,
            recalls_since_edit: 4,
            recalled_at: Some(day(6)),
            recall_op: Some(OpId::new("o").unwrap()),
            ..Item::new(key, ItemKind::Todo, "Do it.", day(0))
        }
    }

    #[test]
    fn what_a_line_does_not_state_of_a_known_item_stays() {
        let here = ProjectRef::of_root("/work/p");
        let known = known(&here);
        let registry = staleness::open("memory:").unwrap();
        let put = |row: Item, act: Option<Act>| {
            let mut importer = registry.admin().importer(false).wait().unwrap();
            if let Some(act) = act {
                importer = importer.by(act);
            }
            importer.put(Record::Item(Box::new(row))).wait().unwrap();
            importer.finish().wait().unwrap().imported.knowledge
        };
        put(known.clone(), None);
        let get = || registry.knowledge().rows(&here.id).wait().unwrap().remove(0);
        let take = |fields: &str| {
            let line = format!("{{\"id\":\"i\",{fields}}}");
            let line: KnowledgeLine = serde_json::from_str(&line).unwrap();
            let (key, _) = line.key(&here).unwrap();
            let act = Act::new(OpId::new("import").unwrap(), day(20));
            put(line.item(key, Some(&get())).unwrap(), Some(act))
        };

        let older = "\"text\":\"Older.\",\"added\":\"2026-01-02\",\"recalls\":9";
        assert_eq!(take(older), 1);
        assert_eq!(get(), Item { recalls: 9, ..known.clone() }, "counters alone");

        let newer = "\"text\":\"New.\",\"added\":\"2026-01-01\",\"updated\":\"2026-01-11\"";
        let left = Item {
            body: "New.".into(),
            updated_at: day(10),
            // Somebody verified another text.
            verified_at: None,
            verified_commit: None,
            recalls: 9,
            recalls_since_edit: 0,
            ..known
        };
        for written in [1, 0] {
            assert_eq!(take(newer), written);
            assert_eq!(get(), left);
        }

        // An imported verification clears an earlier contradiction, as everywhere.
        assert_eq!(take(&format!("{newer},\"verified\":\"2026-01-13\"")), 1);
        let left = Item { verified_at: Some(day(12)), contradicted: None, ..left };
        assert_eq!(get(), left);

        // The verification of the same text stays, even if the kind changes.
        let same = "\"text\":\"New.\",\"added\":\"2026-01-01\",\"updated\":\"2026-01-15\"";
        assert_eq!(take(&format!("{same},\"kind\":\"reference\",\"keywords\":[]")), 1);
        let kind = ItemKind::Reference;
        assert_eq!(get(), Item { kind, keywords: [].into(), updated_at: day(14), ..left });
    }
}
