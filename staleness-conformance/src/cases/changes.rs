//! Change sets: what Put, Delete and a whole commit do to the rows.

use staleness_core::journal::Subject;
use staleness_core::store::{OutcomeRange, Selection, ToolFilter, View};

use crate::case::Case;
use crate::compare::assert_same;
use crate::context::{Context, act, everything, see};
use crate::rows::{
    at, entry, failing, global, local, name, outcome, project, project_id, source, source_id, tool,
};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("changes::put_creates_and_replaces_whole", put),
    Case::new("changes::delete_removes_one_row", delete),
    Case::new("changes::delete_of_an_absent_row_does_nothing", delete_absent),
    Case::new("changes::a_deleted_row_can_be_put_again", put_again),
    Case::new("changes::nothing_is_deleted_along_with_another_row", no_cascade),
    Case::new("changes::a_commit_tells_what_was_seen_and_written", told),
    Case::new("changes::one_commit_writes_all_collections", all_collections),
    Case::new("changes::twenty_thousand_tools_in_one_commit", many_tools),
    Case::new("changes::ten_thousand_appends_in_one_commit", many_appends),
    Case::new("changes::full_durability_writes_the_same", full),
];

fn put(context: &mut Context) {
    let store = context.store();
    let mut big = failing(tool(global("x")));
    big.description = Some("text".into());
    big.plugin = Some(name("plugin"));
    big.last_used_at = Some(at(1));
    big.health.last_demoted_at = Some(at(2));
    let mut first = source(source_id(None, "c", "x"));
    first.last_read_at = Some(at(1));
    let mut seen = project("p");
    seen.config_digest = 9;
    act(store, Write::new().project(seen).source(first).tool(big));
    let small = tool(global("x"));
    let second = source(source_id(None, "c", "x"));
    act(store, Write::new().project(project("p")).source(second.clone()).tool(small.clone()));
    let view = everything(store);
    assert_eq!(view.projects.into_values().collect::<Vec<_>>(), [project("p")]);
    assert_eq!(view.sources.into_values().collect::<Vec<_>>(), [second]);
    assert_eq!(view.tools.into_values().collect::<Vec<_>>(), [small]);
}

fn two_of_each() -> Write {
    Write::new()
        .project(project("p"))
        .project(project("q"))
        .source(source(source_id(None, "c", "x")))
        .source(source(source_id(Some("p"), "c", "x")))
        .tool(tool(global("x")))
        .tool(tool(local("p", "x")))
}

fn delete(context: &mut Context) {
    act(context.store(), two_of_each());
    act(
        context.store(),
        Write::new()
            .no_project(project_id("p"))
            .no_source(source_id(None, "c", "x"))
            .no_tool(local("p", "x")),
    );
    let view = everything(context.store());
    assert!(view.projects.into_keys().eq([project_id("q")]));
    assert!(view.sources.into_keys().eq([source_id(Some("p"), "c", "x")]));
    assert!(view.tools.into_keys().eq([global("x")]));
}

fn delete_absent(context: &mut Context) {
    act(context.store(), two_of_each());
    let before = everything(context.store());
    act(
        context.store(),
        Write::new()
            .no_project(project_id("none"))
            .no_source(source_id(Some("q"), "c", "x"))
            .no_tool(local("q", "x"))
            .range(OutcomeRange::OfTool(global("none")))
            .range(OutcomeRange::OfProject(project_id("none"))),
    );
    assert_same(&everything(context.store()), &before);
}

fn put_again(context: &mut Context) {
    let store = context.store();
    act(store, Write::new().tool(failing(tool(global("x")))));
    act(store, Write::new().no_tool(global("x")));
    assert!(everything(store).is_empty());
    act(store, Write::new().tool(tool(global("x"))));
    assert!(everything(store).tools.into_values().eq([tool(global("x"))]));
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
    act(store, Write::new().no_project(project_id("p")).no_tool(local("p", "x")));
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
        .tool(changed.clone())
        .no_tool(global("none"))
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
    let mut write = two_of_each();
    for turn in 0..50 {
        write = write
            .tool(tool(local("q", format!("tool {turn}"))))
            .source(source(source_id(Some("q"), "c", &turn.to_string())))
            .project(project(format!("project {turn}")))
            .outcome(outcome(global("x"), turn.to_string()))
            .entry(entry(Subject::tool(&local("q", format!("tool {turn}")))));
    }
    let commit = act(store, write);
    let mut expected = View::default().with(&commit.changes);
    expected.revision = commit.revision;
    assert_same(&everything(store), &expected);
    assert_eq!(commit.changes.rows(), 256);
}

fn many_tools(context: &mut Context) {
    let store = context.store();
    let rows = (0..20_000).map(|turn| tool(global(format!("tool {turn}"))));
    let commit = act(store, Write::new().tools(rows));
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
