//! Many processes on one store.

use std::collections::BTreeSet;
use std::process::{Child, Stdio};
use std::thread;

use serde_json::json;

use crate::common::{Run, Sandbox, names};

fn start(sandbox: &Sandbox, args: &[String]) -> Child {
    sandbox.command().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn all_succeed(children: Vec<Child>) -> Vec<Run> {
    let runs: Vec<Run> =
        children.into_iter().map(|child| Run::of(child.wait_with_output().unwrap())).collect();
    for run in &runs {
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    }
    runs
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[test]
fn scans_and_records_of_several_projects_get_along() {
    let sandbox = Sandbox::scanned();
    sandbox.write("home/.claude/settings.json", r#"{"enableAllProjectMcpServers": true}"#);
    let projects: Vec<String> = (0..3)
        .map(|at| {
            let config = format!(r#"{{"mcpServers": {{"own-{at}": {{"command": "x"}}}}}}"#);
            sandbox.write(&format!("p{at}/.git/HEAD"), "");
            sandbox.write(&format!("p{at}/.mcp.json"), config);
            sandbox.root().join(format!("p{at}")).display().to_string()
        })
        .collect();
    for _ in 0..3 {
        let mut children = Vec::new();
        for project in &projects {
            children.push(start(&sandbox, &words(&format!("--project {project} scan"))));
            children.push(start(&sandbox, &words(&format!("--project {project} scan --json"))));
            children.push(start(
                &sandbox,
                &words(&format!("--project {project} record mcp__github__use --success")),
            ));
        }
        all_succeed(children);
    }
    let all = sandbox.json(&["tools", "--all-projects", "--status", "active"]);
    let found: BTreeSet<&str> = names(&all["tools"]).into_iter().collect();
    for name in
        ["mcp__github__*", "mcp__github__use", "mcp__own-0__*", "mcp__own-1__*", "mcp__own-2__*"]
    {
        assert!(found.contains(name), "{name}: {found:?}");
    }
    assert_eq!(sandbox.tool("mcp__github__use")["uses"], 9);
    let history = sandbox.json(&["tools", "history", "mcp__github__*"]);
    assert_eq!(history["entries"].as_array().unwrap().len(), 1, "{history}");
}

/// One by one they would all succeed, and so they do at once.
#[test]
fn of_several_that_change_fields_of_one_file_none_takes_back_what_another_wrote() {
    let sandbox = Sandbox::new();
    sandbox.write("project/src/a.rs", "");
    for round in 0..4 {
        let id = format!("item-{round}");
        let path = format!("project/docs/{id}.md");
        let text = format!("---\nid: {id}\nkind: reference\nkeywords: old\n---\n# One\n\nText.\n");
        let file = sandbox.write(&path, text);
        let fields = [
            "--version 1.2.3",
            "--expires 2031-02-03",
            "--keyword new",
            "--cite src/a.rs",
            "--evergreen",
        ];
        let args = |field: &&str| words(&format!("knowledge set {id} {field}"));
        all_succeed(fields.iter().map(|field| start(&sandbox, &args(field))).collect());
        let now = std::fs::read_to_string(file).unwrap();
        for word in ["1.2.3", "2031-02-03", "new", "src/a.rs", "evergreen"] {
            assert!(now.contains(word), "{word}: {now}");
        }
    }
}

#[test]
fn one_session_start_at_a_time_tells_a_change_and_nobody_is_left_out() {
    let sandbox = Sandbox::scanned();
    let other = sandbox.second_project();
    for project in [&sandbox.project, &other] {
        sandbox.session_start(project, "first", "startup");
    }
    sandbox.claude(&[]);
    let told: Vec<Option<String>> = thread::scope(|scope| {
        let starts: Vec<_> = [&sandbox.project, &other]
            .into_iter()
            .map(|project| {
                let sandbox = &sandbox;
                scope.spawn(move || sandbox.session_start(project, "second", "startup"))
            })
            .collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    for text in told {
        assert!(text.unwrap().contains("`mcp__github__*`"));
    }
    let stale = sandbox.json(&["tools", "--status", "stale"]);
    assert_eq!(json!(names(&stale["tools"])), json!(["mcp__github__*"]));
}
