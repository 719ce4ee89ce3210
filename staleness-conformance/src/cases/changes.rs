//! Change sets: the effect of put, delete and a whole commit on rows.

use staleness_core::journal::Subject;
use staleness_core::project::Project;
use staleness_core::store::{Selection, ToolFilter, View};
use staleness_core::tool::Tool;

use crate::case::Case;
use crate::compare::assert_same;
use crate::context::{Context, act, everything, see};
use crate::rows::{
    TABLES, entry, global, local, outcome, project, project_id, samples, source, source_id, tool,
};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("changes::nothing_is_deleted_along_with_another_row", no_cascade),
    Case::new("changes::a_commit_tells_what_was_seen_and_written", told),
    Case::new("changes::one_commit_writes_all_collections", all_collections),
    Case::new("changes::twenty_thousand_tools_in_one_commit", many_tools),
    Case::new("changes::ten_thousand_appends_in_one_commit", many_appends),
    Case::new("changes::full_durability_writes_the_same", full),
];

fn two_of_each() -> Write {
    Write::new()
        .put(project("p"))
        .put(project("q"))
        .put(source(source_id(None, "c", "x")))
        .put(source(source_id(Some("p"), "c", "x")))
        .put(tool(global("x")))
        .put(tool(local("p", "x")))
}

fn no_cascade(context: &mut Context) {
    let store = context.store();
    act(
        store,
        two_of_each()
            .outcome(outcome(local("p", "x"), "one"))
            .entry(entry(Subject::project(&project_id("p"))))
            .entry(entry(Subject::tool(&local("p", "x")))),
    );
    let mut expected = everything(store);
    act(store, Write::new().delete::<Project>(project_id("p")).delete::<Tool>(local("p", "x")));
    expected.projects.remove(&project_id("p"));
    expected.tools.remove(&local("p", "x"));
    assert_same(&everything(store), &expected);
}

fn told(context: &mut Context) {
    let store = context.store();
    act(store, two_of_each());
    let mut changed = tool(global("x"));
    changed.uses = 7;
    let step = Write::new()
        .put(changed.clone())
        .delete::<Tool>(global("none"))
        .looking(Selection::new().peek(ToolFilter::Key(local("p", "x"))))
        .outcome(outcome(global("x"), "one"));
    let mut written = step.changes.clone();
    let commit = act(store, step);
    assert!(commit.view.tools.values().eq([&tool(global("x")), &tool(local("p", "x"))]));
    assert!(commit.view.projects.is_empty() && commit.view.outcomes.is_empty());
    written.outcomes[0].seq = commit.changes.outcomes[0].seq;
    assert_eq!(commit.changes, written);
    let seen = everything(store);
    assert_eq!(commit.revision, seen.revision);
    assert_eq!(seen.tools.get(&global("x")), Some(&changed));
}

fn all_collections(context: &mut Context) {
    let store = context.store();
    let mut write = Write::new();
    for turn in (0..50).map(|turn| turn.to_string()) {
        write = samples(write, Some("q"), &turn)
            .outcome(outcome(global("x"), &turn))
            .entry(entry(Subject::tool(&local("q", turn))));
    }
    let commit = act(store, write);
    let mut expected = View::default().with(&commit.changes);
    expected.revision = commit.revision;
    assert_same(&everything(store), &expected);
    assert_eq!(commit.changes.rows(), TABLES * 50);
}

fn many_tools(context: &mut Context) {
    let store = context.store();
    let rows = (0..20_000).map(|turn| tool(global(format!("tool {turn}"))));
    let commit = act(store, Write::new().puts(rows));
    assert_eq!(commit.changes.tools.len(), 20_000);
    let seen = see(store, Selection::new().peek(ToolFilter::All));
    assert_eq!(seen.tools.len(), 20_000);
    assert!(seen.tools.contains_key(&global("tool 19999")));
}

fn many_appends(context: &mut Context) {
    let store = context.store();
    let subject = Subject::tool(&global("x"));
    let commit = act(
        store,
        Write::new()
            .outcomes((0..10_000).map(|turn| outcome(global("x"), turn.to_string())))
            .entries((0..10_000).map(|_| entry(subject.clone()))),
    );
    let seen = everything(store);
    assert_eq!(seen.revision.0, 1);
    assert_eq!(seen.outcomes.len(), 10_000);
    assert_eq!(seen.journal.len(), 10_000);
    assert!(commit.changes.outcomes.iter().eq(seen.outcomes.values()));
    assert!(commit.changes.journal.iter().eq(seen.journal.values()));
}

fn full(context: &mut Context) {
    let store = context.store();
    let commit = act(
        store,
        two_of_each()
            .full()
            .outcome(outcome(global("x"), "one"))
            .entry(entry(Subject::tool(&global("x")))),
    );
    let seen = everything(store);
    assert_eq!(seen.revision, commit.revision);
    assert_eq!((seen.tools.len(), seen.outcomes.len(), seen.journal.len()), (2, 1, 1));
}
