//! Any record survives its line of an export, byte for byte.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use staleness::ids::ProjectId;
use staleness::knowledge::Item;
use staleness::store::View;
use staleness::{MemoryStore, Policy, Registry, Wait};
use staleness_conformance::arbitrary::{
    Reach, item, journal_entry, outcome, project, revision, source, tool,
};
use staleness_core::journal::JournalEntry;
use staleness_core::outcome::Outcome;
use staleness_core::transfer::Record;

/// A view of one record.
fn view_of(record: &Record) -> View {
    let mut view = View::default();
    match record.clone() {
        Record::Project(row) => drop(view.projects.insert(row.id.clone(), row)),
        Record::Source(row) => drop(view.sources.insert(row.id.clone(), row)),
        Record::Tool(row) => drop(view.tools.insert(row.key.clone(), *row)),
        Record::Item(row) => drop(view.knowledge.insert(row.key.clone(), *row)),
        // The number is the store's: it must not show.
        Record::Outcome(row) => drop(view.outcomes.insert(7, Outcome { seq: 7, ..row })),
        Record::Journal(row) => drop(view.journal.insert((row.revision, row.index), row)),
        other => panic!("a new kind of record: {other:?}"),
    }
    view
}

fn line_of(record: &Record) -> String {
    let mut bytes = Vec::new();
    assert_eq!(view_of(record).append_lines(&mut bytes), 1);
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.ends_with('\n') && !text.trim_end_matches('\n').contains('\n'), "{text:?}");
    text.trim_end_matches('\n').to_owned()
}

fn record() -> impl Strategy<Value = Record> {
    let wide = Reach::Wide;
    prop_oneof![
        project(wide).prop_map(Record::Project),
        source(wide).prop_map(Record::Source),
        tool(wide).prop_map(|row| Record::Tool(Box::new(row))),
        item(wide).prop_map(|row| Record::Item(Box::new(row))),
        outcome(wide).prop_map(Record::Outcome),
        (journal_entry(wide), revision(), any::<u32>()).prop_map(|(entry, revision, index)| {
            Record::Journal(JournalEntry { revision, index, ..entry })
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_record_survives_its_line(record in record()) {
        let line = line_of(&record);
        let read = Record::read(&line).unwrap_or_else(|why| panic!("{why}: {line}"));
        prop_assert_eq!(&read, &record);
        prop_assert_eq!(line_of(&read), line);
    }

    #[test]
    fn an_item_that_is_imported_again_stays_as_it_was(item in item(Reach::Pool)) {
        // Links belong to two items, and are put in step.
        let links = BTreeSet::new();
        let item = Item { supersedes: links.clone(), superseded_by: links, ..item };
        let registry = Registry::new(Arc::new(MemoryStore::new()), Policy::default());
        for _ in 0..2 {
            let mut importer = registry.admin().importer(false).wait().unwrap();
            importer.put(Record::Item(Box::new(item.clone()))).wait().unwrap();
            importer.finish().wait().unwrap();
        }
        let project = item.key.scope.project().cloned().unwrap_or_else(|| ProjectId::of_root("/"));
        prop_assert_eq!(registry.knowledge().rows(&project).wait().unwrap(), [item]);
    }

    /// Whatever is cut off or changed: an error, or another record, and no panic.
    #[test]
    fn a_damaged_line_is_no_panic(record in record(), at in any::<prop::sample::Index>(), with in any::<char>()) {
        let line = line_of(&record);
        let cuts: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
        let at = cuts[at.index(cuts.len())];
        prop_assert!(Record::read(&line[..at]).is_err());
        let mut changed = line;
        changed.insert(at, with);
        let _ = Record::read(&changed);
    }
}
