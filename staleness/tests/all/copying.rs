//! Copies of a registry: carried on with wherever they were cut off, and the same in the end.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use proptest::prelude::*;
use staleness::journal::Revision;
use staleness::store::{Change, ChangeSet, Commit, Durability, RegistryStore, Selection, Step};
use staleness::{MemoryStore, Policy, Registry, RegistryError, Wait};
use staleness_conformance::arbitrary::{Reach, change_set};
use staleness_conformance::support::put;
use staleness_conformance::workload::exported;
use staleness_conformance::{Around, Fault, Faulty, Manner};
use staleness_core::transfer::{Compared, Comparison, Record, Standing};

fn registry(store: Arc<dyn RegistryStore>) -> Registry {
    Registry::new(store, Policy::default())
}

/// The lines of an export, without its header.
fn export(registry: &Registry) -> Vec<String> {
    let all = exported(registry, &Selection::records()).unwrap();
    all.lines().skip(1).map(str::to_owned).collect()
}

/// Compares lines; how each record of the original stands goes to `visit`, with the next line of the copy.
fn compare(
    original: &[String],
    copy: &[String],
    mut visit: impl FnMut(Standing, &str, Option<&str>),
) -> Vec<Compared> {
    let mut comparison = Comparison::new();
    let (mut one, mut other) = (original.iter().peekable(), copy.iter().peekable());
    loop {
        let lines = (one.peek().map(|line| line.as_str()), other.peek().map(|line| line.as_str()));
        let Some(standing) = comparison.next(lines.0, lines.1).unwrap() else { break };
        if standing != Standing::Foreign {
            visit(standing, one.next().unwrap_or(&String::new()), lines.1);
        }
        if standing != Standing::Missing {
            other.next();
        }
    }
    comparison.collections()
}

/// Copies lines into a registry that holds a part of them.
fn copy(lines: &[String], into: &Registry) -> Result<(), RegistryError> {
    let mut importer = into.admin().copier();
    let mut failed = None;
    compare(lines, &export(into), |standing, line, other| {
        let record = Record::read(line).unwrap();
        match standing {
            Standing::Same => importer.skip(record),
            _ if failed.is_some() => {}
            Standing::Older => {
                let seen = Record::read(other.unwrap()).unwrap();
                failed = importer.replace(record, &seen).wait().err();
            }
            _ => failed = importer.put(record).wait().err(),
        }
    });
    match failed {
        Some(error) => Err(error),
        None => importer.finish().wait().map(drop),
    }
}

/// A registry in which all of this was written. What carries a revision carries one of its own journal, and
/// nothing is recorded twice.
fn lived(lives: Vec<ChangeSet>) -> Registry {
    let store = Arc::new(MemoryStore::new());
    let last = lives.iter().filter(|set| !set.journal.is_empty()).count() as u64;
    let within = |revision: &mut Revision| revision.0 %= last + 1;
    let mut recorded = BTreeSet::new();
    for mut set in lives {
        for change in &mut set.projects {
            if let Change::Put(row) = change {
                within(&mut row.told);
            }
        }
        for change in &mut set.sessions {
            if let Change::Put(row) = change {
                within(&mut row.from_revision);
            }
        }
        for change in &mut set.cursors {
            if let Change::Put(row) = change {
                within(&mut row.revision);
            }
        }
        // No line tells of a route that nobody could have learned.
        set.routes.retain(|change| match change {
            Change::Put(row) => row.check().is_ok(),
            _ => true,
        });
        set.outcomes.retain(|row| recorded.insert(row.identity()));
        put(store.as_ref(), set).unwrap();
    }
    registry(store)
}

/// Prunes the commits whose bit is set, but for the last.
fn pruned(lives: Vec<ChangeSet>, bits: u8) -> Registry {
    let registry = lived(lives);
    let last = registry.admin().revision().wait().unwrap().0;
    let mut set = ChangeSet::default();
    set.pruned = (1..last).filter(|at| bits >> (at % 8) & 1 == 1).map(Revision).collect();
    set.floor.revision = set.pruned.last().copied().unwrap_or_default();
    put(registry.store().as_ref(), set).unwrap();
    registry
}

/// The last revision up to which anybody was told, and the last one of the journal.
fn revisions(lines: &[String]) -> (Revision, Revision) {
    let (mut told, mut written) = (Revision(0), Revision(0));
    for line in lines {
        match Record::read(line).unwrap() {
            Record::Project(row) => told = told.max(row.told),
            Record::Session(row) => told = told.max(row.from_revision),
            Record::Cursor(row) => told = told.max(row.revision),
            Record::Journal(entry) => written = written.max(entry.revision),
            _ => {}
        }
    }
    (told, written)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_copy_that_is_cut_off_anywhere_is_carried_on_with(
        lives in prop::collection::vec(change_set(Reach::Pool), 1..5),
        bits in prop_oneof![Just(0), any::<u8>()],
    ) {
        let lines = export(&pruned(lives, bits));
        for commits in 0.. {
            let store = Arc::new(Faulty::new(Arc::new(MemoryStore::new())));
            store.plan((0..commits).map(|_| None).chain([Some(Fault::Before)]));
            let into = registry(Arc::<Faulty>::clone(&store));
            let whole = copy(&lines, &into).is_ok();
            let there = export(&into);
            let (told, written) = revisions(&there);
            prop_assert!(told <= written, "{told:?} is spoken of, {written:?} is there");
            let halfway = compare(&lines, &there, |_, _, _| {});
            prop_assert!(halfway.iter().all(Compared::is_behind), "{halfway:?}");
            prop_assert!(!whole || halfway.iter().all(Compared::is_same), "{halfway:?}");
            if whole {
                // The plan goes on where nothing is left to write.
                break;
            }
            copy(&lines, &into).unwrap();
            prop_assert_eq!(export(&into), &lines[..]);
        }
    }

    #[test]
    fn a_copy_of_the_first_records_of_anything_is_carried_on_with(
        lives in prop::collection::vec(change_set(Reach::Pool), 1..4),
        bits in prop_oneof![Just(0), any::<u8>()],
    ) {
        let lines = export(&pruned(lives, bits));
        let revision = |line: &String| match Record::read(line).unwrap() {
            Record::Journal(entry) => Some(entry.revision),
            _ => None,
        };
        for cut in 0..lines.len() {
            // A revision is one commit.
            let next = revision(&lines[cut]);
            if cut > 0 && next.is_some() && next == revision(&lines[cut - 1]) {
                continue;
            }
            let into = registry(Arc::new(MemoryStore::new()));
            copy(&lines[..cut], &into).unwrap();
            copy(&lines, &into).unwrap();
            prop_assert_eq!(export(&into), &lines[..], "cut off behind {} records", cut);
        }
    }
}

const PROJECT: &str = r#"{"kind":"project","row":{"id":"p","root":"/work/p","first_seen_at":"2026-01-01T00:00:00Z","last_seen_at":"2026-01-02T00:00:00Z","config_digest":"000000000000000000000000000000ab","told":1}}"#;
const TOOL: &str = r#"{"kind":"tool","row":{"key":{"scope":"","name":"t"},"kind":"skill","server":null,"plugin":null,"description":null,"listings":[],"used_by":[],"presence":{"cause":"used","since":"2026-01-01T00:00:00Z","revived":false},"health":{"failing":null,"demotions":0,"last_demoted_at":null,"window":1},"hold":"none","ring":[{"mark":"S","at":"2026-01-01T00:00:00Z","op":"00000000000000ff"}],"uses":1,"discovered_at":"2026-01-01T00:00:00Z","last_used_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-03T00:00:00Z","defined_chars":null}}"#;
const SESSION: &str = r#"{"kind":"session","row":{"key":{"project":"p","id":"s"},"agent":"a","started_at":"2026-01-01T00:00:00Z","ended_at":null,"from_revision":0,"first_contact":true,"told_at":null}}"#;
const CURSOR: &str = r#"{"kind":"cursor","row":{"key":{"project":"p","agent":"a"},"revision":1,"session":"s","moved_at":"2026-01-01T00:30:00Z"}}"#;
const OUTCOME: &str = r#"{"kind":"outcome","row":{"seq":0,"op":"o1","tool":{"scope":"","name":"t"},"server":null,"credits":[],"mark":"S","at":"2026-01-01T00:00:00Z","project":"p","session":null,"agent":null,"client":null,"duration_ms":null}}"#;
const ADDED: &str = r#"{"kind":"journal","row":{"revision":1,"index":0,"at":"2026-01-01T00:00:00Z","subject":{"kind":"tool","scope":"","id":"t"},"action":"added","from":null,"to":"active","cause":"used","note":null,"session":null,"actor":null,"op":null,"clients":[]}}"#;

const ROUTE: &str = r#"{"kind":"route","row":{"key":{"project":"p","tool":"t","id":"00000000000000000000000000000001"},"query":"q","confidence":0.5,"uses":2,"created_at":"2026-01-01T00:00:00Z","last_used_at":"2026-01-01T00:00:00Z","model":null,"ops":""}}"#;

fn lines(text: &[&str]) -> Vec<String> {
    text.iter().map(|line| (*line).to_owned()).collect()
}

/// A registry that holds exactly these records.
fn holding(text: &[String]) -> Registry {
    let into = registry(Arc::new(MemoryStore::new()));
    copy(text, &into).unwrap();
    assert_eq!(export(&into), text);
    into
}

#[test]
fn what_has_changed_since_is_copied_verbatim() {
    let into = holding(&lines(&[PROJECT, TOOL, SESSION, CURSOR, OUTCOME, ADDED]));
    let later = lines(&[
        &PROJECT.replace("\"told\":1", "\"told\":2"),
        &TOOL.replace("\"uses\":1", "\"uses\":2"),
        &TOOL.replace("\"name\":\"t\"", "\"name\":\"u\""),
        &SESSION.replace("\"ended_at\":null", "\"ended_at\":\"2026-01-01T01:00:00Z\""),
        &CURSOR.replace("\"revision\":1", "\"revision\":2"),
        OUTCOME,
        &OUTCOME.replace("o1", "o2"),
        ADDED,
        &ADDED.replace("\"revision\":1", "\"revision\":2"),
    ]);
    let standing = compare(&later, &export(&into), |_, _, _| {});
    let counts = |each: &Compared| [each.same, each.missing, each.older, each.other, each.foreign];
    assert_eq!(standing.iter().map(counts).fold([0; 5], add), [2, 3, 4, 0, 0]);
    copy(&later, &into).unwrap();
    assert_eq!(export(&into), later);
}

fn add(all: [u64; 5], one: [u64; 5]) -> [u64; 5] {
    std::array::from_fn(|at| all[at] + one[at])
}

#[test]
fn what_is_not_of_the_original_is_told() {
    let all = lines(&[PROJECT, TOOL, SESSION, CURSOR, OUTCOME, ADDED]);
    let with = |at: usize, line: String| {
        let mut changed = all.clone();
        changed[at] = line;
        changed
    };
    let second = ADDED.replace("\"index\":0", "\"index\":1");
    let half = [&all[..], &[second]].concat();
    let third = |revision: &str| ADDED.replace("\"revision\":1", revision);
    let three = [&all[..], &[third("\"revision\":2"), third("\"revision\":3")]].concat();
    let gap = [&all[..], &three[7..]].concat();
    let ended = "\"ended_at\":\"2026-01-01T01:00:00Z\"";
    for (name, original, copy) in [
        ("tools", &all, with(1, TOOL.replace("01-03", "01-04").replace(":1,\"d", ":9,\"d"))),
        ("tools", &all, with(1, TOOL.replace("\"t\"", "\"a\""))),
        ("tools", &all, with(1, TOOL.replace("\"t\"", "\"z\""))),
        ("outcomes", &all, with(4, OUTCOME.replace("o1", "o0"))),
        ("journal", &all, with(5, ADDED.replace("used", "configured"))),
        ("journal", &all, half.clone()),
        ("journal", &half, all.clone()),
        ("journal", &three, gap),
        ("sessions", &all, with(2, SESSION.replace("\"ended_at\":null", ended))),
        ("sessions", &all, with(2, SESSION.replace("from_revision\":0", "from_revision\":1"))),
        ("sessions", &all, with(2, SESSION.replace("\"agent\":\"a\"", "\"agent\":\"b\""))),
        (
            "cursors",
            &with(3, CURSOR.replace("00:30", "00:31").replace(":1,\"s", ":0,\"s")),
            all.clone(),
        ),
        ("routes", &with(4, ROUTE.to_owned()), with(4, ROUTE.replace("\"uses\":2", "\"uses\":3"))),
        ("projects", &all, with(0, PROJECT.replace("\"told\":1", "\"told\":2"))),
        ("tools", &all, with(1, TOOL.replace("\"uses\":1", "\"uses\":2"))),
        ("sessions", &with(2, TOOL.replace("\"t\"", "\"u\"")), all.clone()),
    ] {
        let compared = compare(original, &copy, |_, _, _| {});
        let others: Vec<&str> =
            compared.iter().filter(|each| !each.is_behind()).map(|each| each.name).collect();
        assert_eq!(others, [name], "{copy:?}");
        let differ: Vec<&str> =
            compared.iter().filter(|each| !each.is_same()).map(|each| each.name).collect();
        assert!(differ.contains(&name), "{copy:?}");
    }
    let equal = compare(&all, &all, |standing, _, _| assert_eq!(standing, Standing::Same));
    assert!(equal.iter().all(Compared::is_same));
    assert!(Comparison::new().next(Some("nonsense"), None).is_err());
    assert!(
        Comparison::new().next(Some("{\"kind\":\"tool\""), Some("{\"kind\":\"tool\",")).is_err()
    );
}

#[test]
fn what_somebody_noted_in_the_copy_meanwhile_is_not_written_over() {
    let later = |uses: &str| TOOL.replace("01-03", "01-04").replace("\"uses\":1", uses);
    let ended = SESSION.replace("\"ended_at\":null", "\"ended_at\":\"2026-01-01T01:00:00Z\"");
    let also = SESSION.replace("\"ended_at\":null", "\"ended_at\":\"2026-01-01T02:00:00Z\"");
    for (compared, original, held) in [
        // Newer than the original's, and older, and not there any more as it was.
        (Some(TOOL), later("\"uses\":2"), later("\"uses\":3")),
        (Some(TOOL), later("\"uses\":3"), later("\"uses\":2")),
        (None, later("\"uses\":2"), TOOL.to_owned()),
        (Some(SESSION), also, ended),
    ] {
        let into = holding(&lines(&[&held]));
        let mut importer = into.admin().copier();
        match compared {
            Some(seen) => importer
                .replace(Record::read(&original).unwrap(), &Record::read(seen).unwrap())
                .wait(),
            None => importer.put(Record::read(&original).unwrap()).wait(),
        }
        .unwrap();
        let report = importer.finish().wait().unwrap();
        let (put, left) = (report.imported, report.skipped);
        assert_eq!(put, Default::default(), "{held}");
        assert_eq!(left.tools + left.sessions, 1, "{held}");
        assert_eq!(export(&into), [held]);
    }
    // What is as it was seen is replaced; what somebody took away is not brought back.
    for (held, put) in [(lines(&[TOOL]), 1), (Vec::new(), 0)] {
        let into = holding(&held);
        let mut importer = into.admin().copier();
        let original = Record::read(&later("\"uses\":2")).unwrap();
        importer.replace(original, &Record::read(TOOL).unwrap()).wait().unwrap();
        assert_eq!(importer.finish().wait().unwrap().imported.tools, put);
    }
}

/// Notes how many outcomes each step wrote, and how safe they had to be.
#[derive(Debug, Default)]
struct Notes(Mutex<Vec<(usize, Durability)>>);

#[async_trait]
impl Manner for Notes {
    async fn transact(
        &self,
        inner: &dyn RegistryStore,
        step: Arc<dyn Step>,
    ) -> Result<Commit, staleness::StoreError> {
        let durability = step.durability();
        let commit = inner.transact(step).await?;
        self.0.lock().unwrap().push((commit.changes.outcomes.len(), durability));
        Ok(commit)
    }
}

#[test]
fn a_server_that_crashes_leaves_no_hole_among_the_outcomes_of_a_copy() {
    let store = Arc::new(Around::<Notes>::new(Arc::new(MemoryStore::new())));
    let mut importer = registry(Arc::<Around<Notes>>::clone(&store)).admin().copier();
    for op in 0..5_001 {
        let outcome = OUTCOME.replace("o1", &format!("o{op}"));
        importer.put(Record::read(&outcome).unwrap()).wait().unwrap();
    }
    importer.finish().wait().unwrap();
    let written = store.manner().0.lock().unwrap();
    assert_eq!(*written, [(5_000, Durability::Full), (1, Durability::Full)]);
}
