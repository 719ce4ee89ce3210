//! Generates knowledge items with words, versions and relations.

use staleness::Timestamp;
use staleness::ids::{ItemId, ItemKey, Scope};
use staleness::knowledge::{Item, ItemKind};
use staleness::scan::ProjectRef;
use staleness_conformance::disk::Draws;

/// Word stems of the items' texts.
const STEMS: [&str; 24] = [
    "deploy", "router", "ledger", "session", "token", "schema", "migrate", "retry", "index",
    "queue", "buffer", "cursor", "window", "planner", "digest", "anchor", "lease", "quota",
    "shard", "batch", "invoice", "stream", "socket", "filter",
];
const ENDS: [&str; 8] = ["", "s", "ing", "ed", "er", "-path", "_id", "ment"];
/// Number of bytes of text per item.
const BODY: usize = 300;

/// Generates items of a project: about 300 bytes of text each, of every kind, added within the last 400 days.
/// One in three names a version, one in two is related to another, and one in twenty supersedes another.
pub fn items(project: &ProjectRef, count: usize, now: Timestamp) -> Vec<Item> {
    let mut draws = Draws(7);
    let mut next = |limit: usize| draws.below(limit as u64) as usize;
    let scope = Scope::Project(project.id.clone());
    let id = |at: usize| ItemId::new(format!("item-{at:06}")).expect("a valid id");
    (0..count)
        .map(|at| {
            let mut body = String::with_capacity(BODY + 24);
            while body.len() < BODY {
                body += STEMS[next(STEMS.len())];
                body += ENDS[next(ENDS.len())];
                // One word in eight occurs in few items.
                if next(8) == 0 {
                    body += &next(count).to_string();
                }
                body.push(' ');
            }
            let key = ItemKey { scope: scope.clone(), id: id(at) };
            let added = now.plus_millis(-(next(400) as i64) * Timestamp::DAY);
            let mut item = Item::new(key, ItemKind::ALL[at % ItemKind::ALL.len()], body, added);
            item.version_context = (at % 3 == 0).then(|| format!("2.{}.0", next(8)));
            if at % 2 == 0 {
                item.related.insert(id(next(count)));
            }
            if at % 20 == 0 {
                item.supersedes.insert(id(next(count)));
            }
            item
        })
        .collect()
}
