//! Stores of every released format are read as ever, and raised by the first commit.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::dump::{bytes_of, format_of};
use crate::support::*;
use staleness_core::Timestamp;
use staleness_core::ids::{
    DocumentKey, ItemId, ItemKey, ModelId, ProjectId, Scope, ServerKey, SessionId, ToolKey,
    ToolName, WorkKey,
};
use staleness_core::knowledge::{Block, Document, Evidence, Fact, Item, ItemKind};
use staleness_core::route::{
    Confidence, Precision, Route, RouteKey, RouteVector, Suggestions, Vector,
};
use staleness_core::session::SessionKey;
use staleness_core::store::{
    Decision, Draft, Durability, ItemFilter, Refusal, RegistryStore, RouteFilter, Selection, Step,
    StoreError, SuggestionFilter, ToolFilter, VectorFilter, View, WorkFilter,
};
use staleness_core::transfer::append_lines;
use staleness_core::work::Aging;
use staleness_redb::{OpenOptions, RedbStore};
use tempfile::TempDir;

const LINES: &str = include_str!("fixtures/format-1.jsonl");

const LINES_2: &str = include_str!("fixtures/format-2.jsonl");
const LINES_3: &str = include_str!("fixtures/format-3.jsonl");
const LINES_4: &str = include_str!("fixtures/format-4.jsonl");
const LINES_5: &str = include_str!("fixtures/format-5.jsonl");

/// The file that the last program of format 1 left, byte for byte.
fn format_1() -> (TempDir, PathBuf) {
    dumped(include_str!("fixtures/format-1.txt"))
}

/// One of format 2: rows of every sort that it had, and a last outcome that was removed.
fn format_2() -> (TempDir, PathBuf) {
    dumped(include_str!("fixtures/format-2.txt"))
}

/// That of format 3: servers with their entries and tools, and work of every sort.
fn format_3() -> (TempDir, PathBuf) {
    dumped(include_str!("fixtures/format-3.txt"))
}

/// That of format 4: the same, and one item more.
fn format_4() -> (TempDir, PathBuf) {
    dumped(include_str!("fixtures/format-4.txt"))
}

/// That of format 5: rows of every sort, with routes, their vectors and what was suggested.
fn format_5() -> (TempDir, PathBuf) {
    dumped(include_str!("fixtures/format-5.txt"))
}

fn dumped(text: &str) -> (TempDir, PathBuf) {
    let (folder, path) = fresh();
    fs::write(&path, bytes_of(text)).unwrap();
    (folder, path)
}

fn lines(view: &View) -> String {
    let mut bytes = Vec::new();
    append_lines(view, &mut bytes);
    String::from_utf8(bytes).unwrap()
}

/// Adds an item, or refuses after everything was decided.
#[derive(Debug)]
struct Add {
    refuses: bool,
}

fn item() -> Item {
    let key = ItemKey { scope: Scope::Global, id: ItemId::new("new").unwrap() };
    Item::new(key, ItemKind::Knowledge, "It is new.", at(1))
}

impl Step for Add {
    fn selection(&self) -> Selection {
        Selection::new().lock_knowledge(ItemFilter::Key(item().key))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        if self.refuses {
            return Err(Refusal::Invalid("no".into()));
        }
        let mut draft = Draft::new(view, at(1));
        draft.put_item(item());
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Full
    }
}

/// Reads a file of an older format, as who may write and as who may not: it is sound, holds what the lines say, and
/// is not written to.
fn read_as_it_lies_there(path: &Path, expected: &str, more: impl Fn(&RedbStore, &View)) {
    let before = fs::read(path).unwrap();
    for options in [OpenOptions::new(), OpenOptions::new().read_only(true)] {
        let store = RedbStore::open(path, options).unwrap();
        check(&store).unwrap();
        let seen = everything(&store).unwrap();
        assert_eq!(lines(&seen), expected);
        more(&store, &seen);
    }
    assert!(fs::read(path).unwrap() == before, "a reader wrote to it");
}

/// Raises a file by its first commit, which adds an item and keeps everything; a refused one raises nothing.
fn raise(path: &Path, from: u64, expected: &str) -> (RedbStore, View) {
    let store = open(path);
    let before = found(&store);
    let refused = transact(&store, Arc::new(Add { refuses: true }));
    assert!(matches!(refused, Err(StoreError::Refused(_))));
    assert_eq!(format_of(path), from, "a step that writes nothing raises nothing");
    transact(&store, Arc::new(Add { refuses: false })).unwrap();
    assert_eq!(format_of(path), 5);
    check(&store).unwrap();
    assert_eq!(found(&store), before);
    let mut seen = everything(&store).unwrap();
    assert_eq!(seen.knowledge.remove(&item().key), Some(item()));
    assert_eq!(lines(&seen), expected);
    (store, seen)
}

#[test]
fn format_1_is_read_as_it_lies_there() {
    let (_folder, path) = format_1();
    read_as_it_lies_there(&path, LINES, |_, seen| {
        assert!(seen.knowledge.is_empty() && seen.documents.is_empty() && seen.work.is_empty());
    });
}

#[test]
fn format_1_is_raised_by_the_first_commit_and_keeps_everything() {
    let (_folder, path) = format_1();
    let (store, _) = raise(&path, 1, LINES);
    // The numbers go on behind the last one, which is 41.
    let commit = transact(&store, use_tool("later", 9)).unwrap();
    assert_eq!(commit.changes.outcomes[0].seq, 42);
}

/// What the new indexes find, in the order of keys: entries of servers, and work by age and by what it
/// refers to.
fn found(store: &RedbStore) -> (Vec<ToolKey>, Vec<Vec<WorkKey>>) {
    let scopes = [Scope::Global, Scope::Project(ProjectId::new("00112233445566ff").unwrap())];
    let see = |selection: Selection| pollster::block_on(store.view(Arc::new(selection))).unwrap();
    let server = ServerKey::new("s").unwrap();
    let entries = scopes.iter().fold(Selection::new(), |all, scope| {
        all.peek_tools(ToolFilter::Entries(scope.clone(), server.clone()))
    });
    let work = |filter| see(Selection::new().peek_work(filter)).work.into_keys().collect();
    let work = scopes.iter().flat_map(|scope| {
        let ages = |aging| WorkFilter::Aging { scope: scope.clone(), aging, until: Timestamp::MAX };
        let aging = Aging::ALL.map(ages);
        aging
            .into_iter()
            .chain([WorkFilter::Referring {
                scope: scope.clone(),
                to: Arc::new(["w1".into()].into()),
            }])
            .map(work)
    });
    (see(entries).tools.into_keys().collect(), work.collect())
}

/// The documents in the file of format 2; an export has no lines of them.
fn documents() -> Vec<Document> {
    let block = Block {
        line: 3,
        last_line: 4,
        title: "Run \"make\"".into(),
        digest: 5,
        anchored_at: Some(at(9)),
        anchor: Some("c0".into()),
        evidence: vec![Evidence {
            line: Some(3),
            column: Some(7),
            ..Fact::TemporalMarker { word: "soon".into() }.into()
        }],
    };
    let document = |project: &str, path: &str, loaded: bool, found: &[Block]| Document {
        key: DocumentKey { project: ProjectId::new(project).unwrap(), path: path.into() },
        loaded,
        checked_at: at(16),
        head: loaded.then(|| "c1".into()),
        digest: u128::MAX,
        blocks: 7,
        found: found.to_vec(),
    };
    let block = std::slice::from_ref(&block);
    vec![
        document("00112233445566ff", "AGENTS.md", true, block),
        document("00112233445566ff", "README.md", true, &[]),
        document("00112233445566ff", "docs/a.md", false, block),
        document("p", "README.md", false, &[]),
    ]
}

#[test]
fn format_2_is_read_as_it_lies_there() {
    let (_folder, path) = format_2();
    read_as_it_lies_there(&path, LINES_2, |store, seen| {
        assert!(seen.documents.values().eq(&documents()));
        assert!(seen.work.is_empty() && seen.sessions.is_empty() && seen.cursors.is_empty());
        assert_eq!(found(store).0.len(), 2);
    });
}

#[test]
fn format_2_is_raised_by_the_first_commit_and_keeps_everything() {
    let (_folder, path) = format_2();
    let (store, seen) = raise(&path, 2, LINES_2);
    assert!(seen.documents.values().eq(&documents()));
    // The last number that was given is 9, and its outcome is gone.
    let commit = transact(&store, use_tool("later", 9)).unwrap();
    assert_eq!(commit.changes.outcomes[0].seq, 10);
}

#[test]
fn format_3_is_read_through_indexes_that_it_does_not_have() {
    let (_folder, path) = format_3();
    read_as_it_lies_there(&path, LINES_3, |store, _| {
        let (entries, work) = found(store);
        assert_eq!(entries.len(), 2);
        let counts: Vec<usize> = work.iter().map(Vec::len).collect();
        assert_eq!(counts, [1, 2, 2, 1, 1, 1, 1, 4, 1, 2, 2, 1, 1, 1, 1, 4]);
    });
}

#[test]
fn format_3_is_raised_by_the_first_commit_and_finds_the_same() {
    let (_folder, path) = format_3();
    raise(&path, 3, LINES_3);
}

/// Puts a route with its vector, and what was suggested.
#[derive(Debug)]
struct Learn;

fn learned() -> (Route, RouteVector, Suggestions) {
    let project = ProjectId::new("p").unwrap();
    let tool = ToolName::new("t").unwrap();
    let key = RouteKey::of(&project, &tool, "q");
    let model = ModelId::new("m").unwrap();
    let vector = Vector::new(&[1.0, 2.0], Precision::F32).unwrap();
    let route = Route {
        key: key.clone(),
        query: "q".into(),
        confidence: Confidence::ONE,
        uses: 1,
        created_at: at(1),
        last_used_at: at(1),
        model: Some(model.clone()),
        ops: vec![7],
    };
    let session = SessionKey { project, id: SessionId::new("s").unwrap() };
    let suggestions = Suggestions { made: 3, ..Suggestions::new(session) };
    (route, RouteVector { key, model, vector }, suggestions)
}

impl Step for Learn {
    fn selection(&self) -> Selection {
        let (route, _, suggestions) = learned();
        Selection::new()
            .lock_routes(RouteFilter::Key(route.key.clone()))
            .lock_vectors(VectorFilter::Key(route.key))
            .lock_suggestions(SuggestionFilter::Key(suggestions.key))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, at(1));
        let (route, vector, suggestions) = learned();
        draft.put_route(route);
        draft.put_vector(vector);
        draft.put_suggestions(suggestions);
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Full
    }
}

#[test]
fn format_4_is_read_as_it_lies_there_and_raised_by_the_first_commit() {
    let (_folder, path) = format_4();
    read_as_it_lies_there(&path, LINES_4, |_, seen| {
        assert!(seen.routes.is_empty() && seen.vectors.is_empty() && seen.suggestions.is_empty());
    });

    let store = open(&path);
    transact(&store, Arc::new(Learn)).unwrap();
    assert_eq!(format_of(&path), 5);
    check(&store).unwrap();
    let mut seen = everything(&store).unwrap();
    let (route, vector, suggestions) = learned();
    assert_eq!(seen.routes.remove(&route.key), Some(route.clone()));
    assert_eq!(seen.vectors.get(&route.key), Some(vector));
    seen.vectors.remove(&route.key);
    assert_eq!(seen.suggestions.remove(&suggestions.key), Some(suggestions));
    assert_eq!(lines(&seen), LINES_4);
}

#[test]
fn format_5_is_read_as_it_lies_there_and_written_to() {
    let (_folder, path) = format_5();
    let before = fs::read(&path).unwrap();
    let reader = RedbStore::open(&path, OpenOptions::new().read_only(true)).unwrap();
    check(&reader).unwrap();
    let seen = everything(&reader).unwrap();
    assert_eq!(lines(&seen), LINES_5);
    assert_eq!((seen.vectors.len(), seen.suggestions.len(), seen.cursors.len()), (1, 1, 1));
    drop(reader);
    assert!(fs::read(&path).unwrap() == before, "a reader wrote to it");

    let store = open(&path);
    transact(&store, Arc::new(Learn)).unwrap();
    check(&store).unwrap();
    assert_eq!((format_of(&path), everything(&store).unwrap().routes.len()), (5, 2));
}

/// Whatever part of the raising commit reached the disk: redb's older root is whole.
#[test]
fn a_commit_that_raises_and_is_cut_off_leaves_a_store() {
    for ((_folder, path), all) in
        [(format_1(), LINES), (format_2(), LINES_2), (format_3(), LINES_3), (format_4(), LINES_4)]
    {
        let format = format_of(&path);
        // That of format 4 has the item already, and what changes nothing raises nothing.
        let raise = |store: &RedbStore| match format {
            4 => transact(store, Arc::new(Learn)).unwrap(),
            _ => transact(store, Arc::new(Add { refuses: false })).unwrap(),
        };
        let before = fs::read(&path).unwrap();
        raise(&open(&path));
        let after = fs::read(&path).unwrap();
        let header = 4_096;
        // Everything of the commit but its header, which is what makes it one.
        let mut cut = after;
        cut[..header].copy_from_slice(&before[..header]);
        // redb cuts a free end off after the commit.
        cut.extend(before.get(cut.len()..).unwrap_or_default());
        fs::write(&path, &cut).unwrap();
        assert_eq!(format_of(&path), format);
        let store = open(&path);
        assert_eq!(lines(&everything(&store).unwrap()), all);
        check(&store).unwrap();
        raise(&store);
        assert_eq!(format_of(&path), 5);
    }
}
