//! A week of two agents in one project: every text that a session start tells each of them.

use serde_json::json;

use crate::common::{Sandbox, line, told};
use crate::told::told_on;

const TOOLS: &str = "Tool status from `staleness`:";
const TRIAL: &str = "- Failing; may be tried again if no other tool fits: `mcp__github__search` (3 of the last 4 uses \
                     failed)";
const WORK: &str = "Work status from `staleness` (`staleness work show ID` for one):";
const RULE: &str = "- In force: constraint `generated`: \"Never edit files under src/gen\"";

/// A day of the week: what happens, and what Claude Code and Codex are told after it.
type Day =
    (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

const WEEK: &[Day] = &[
    (
        "2026-11-16",
        &[
            "claude github",
            "codex github",
            "work add plan 'Ship it' --id ship --status in_progress --agent claude-code",
        ],
        &[WORK, "- Open: plan `ship` (in progress)"],
        &[WORK, "- Open: plan `ship` (in progress)"],
    ),
    ("2026-11-17", &["claude github linear"], &[TOOLS, "- New: `mcp__linear__*`"], &[]),
    (
        "2026-11-18",
        &[
            "claude linear",
            "record mcp__linear__list --success --agent claude-code",
            "record mcp__linear__list --failure --agent claude-code",
            "record mcp__linear__list --failure --agent claude-code",
        ],
        &[
            TOOLS,
            "- Gone since the last session; do not call: `mcp__github__*` (removed from config)",
        ],
        &[],
    ),
    (
        "2026-11-19",
        &[
            "record mcp__linear__list --failure --agent claude-code",
            "record mcp__github__search --success --agent codex",
            "record mcp__github__search --failure --agent codex",
            "record mcp__github__search --failure --agent codex",
            "record mcp__github__search --failure --agent codex",
        ],
        &[
            TOOLS,
            "- Failing since the last session, avoid: `mcp__linear__list` (3 of the last 4 uses failed)",
        ],
        &[
            TOOLS,
            "- Failing since the last session, avoid: `mcp__github__search` (3 of the last 4 uses failed)",
        ],
    ),
    (
        "2026-11-20",
        &["record mcp__linear__list --success --agent claude-code", "claude github linear"],
        &[TOOLS, TRIAL, "- Available again: `mcp__github__*`, `mcp__linear__list`"],
        &[TOOLS, TRIAL],
    ),
    (
        "2026-11-21",
        &[
            "record mcp__github__search --success --agent codex",
            "work add handoff 'Review it' --id m --from claude --to codex --agent claude-code",
        ],
        &[
            TOOLS,
            "- Available again: `mcp__github__search`",
            WORK,
            "- Changed since your last session: handoff `m` (added, open, by this agent) for `codex`",
        ],
        &[
            TOOLS,
            "- Available again: `mcp__github__search`",
            WORK,
            "- For you: handoff `m` from `claude-code` \
             (take it: `staleness work claim m --agent codex --session codex-2026-11-21`)",
        ],
    ),
    (
        "2026-11-22",
        &[
            "work set m --status accepted --agent codex",
            "typed work add constraint 'Never edit files under src/gen' --id generated",
        ],
        &[
            WORK,
            "- Changed since your last session: constraint `generated` (added): \"Never edit files under src/gen\", \
             handoff `m` (open → accepted) for `codex`",
        ],
        &[
            WORK,
            "- Changed since your last session: constraint `generated` (added): \"Never edit files under src/gen\", \
             handoff `m` (open → accepted, by this agent)",
        ],
    ),
    (
        "2026-11-23",
        &[],
        &[
            WORK,
            "- Overdue (a plan that is done: `staleness work set ID --status done --agent claude-code`; if it continues: \
             `staleness work touch ID`; settle, which drops a plan: `staleness stale resolve ID --agent claude-code`): plan `ship` (in progress, without activity for 7 days)",
            RULE,
        ],
        &[
            WORK,
            "- Overdue (a plan that is done: `staleness work set ID --status done --agent codex`; if it continues: \
             `staleness work touch ID`; settle, which drops a plan: `staleness stale resolve ID --agent codex`): plan `ship` (in progress, without activity for 7 days)",
            RULE,
        ],
    ),
    ("2026-11-24", &["work touch ship"], &[WORK, RULE], &[WORK, RULE]),
];

#[test]
fn each_agent_is_told_what_concerns_it_and_nothing_else() {
    let sandbox = Sandbox::new();
    let mut wrong = String::new();
    for (day, acts, claude, codex) in WEEK {
        let now = ["--now", &format!("{day}T12:00:00Z")];
        for act in *acts {
            match act.split_once(' ').unwrap() {
                ("claude", servers) => sandbox.claude(&line(servers)),
                ("codex", servers) => sandbox.codex(&line(servers)),
                ("typed", command) => {
                    let run = [&now[..], &line(command)].concat();
                    assert!(sandbox.typed(&run, "NOTHING=1", "").success());
                }
                _ => drop(sandbox.ok(&[&now[..], &line(act)].concat())),
            }
        }
        for (client, expected) in [("claude-code", claude), ("codex", codex)] {
            let start = json!({ "session_id": format!("{client}-{day}"), "cwd": sandbox.project,
                                "hook_event_name": "SessionStart", "source": "startup" });
            let options = [&["--client", client][..], &now].concat();
            let text = told(&sandbox.hook_with(&options, start.to_string().as_bytes()));
            if text != expected.join("\n") {
                wrong += &format!("{day} {client}:\n{text}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn used_on(sandbox: &Sandbox, day: &str, agent: &str, outcome: &str, tools: &[&str]) {
    for tool in tools {
        let used = format!("record mcp__github__{tool} --{outcome} --agent {agent} --now {day}");
        sandbox.ok(&line(&used));
    }
}

/// Bug W6: one server is told as available again and as failing.
#[test]
fn w6_a_server_that_came_back_and_fails_is_told_once() {
    let sandbox = Sandbox::with_servers(&["github"]);
    told_on(&sandbox, "claude-code", 20);
    used_on(&sandbox, "2026-11-20", "claude-code", "success", &["list", "merge"]);
    used_on(&sandbox, "2026-11-20", "claude-code", "failure", &["list", "merge"].repeat(3));
    let fails = "- Failing; may be tried again if no other tool fits: `mcp__github__*` (all 2 of its tools in \
                 use are demoted";
    assert_eq!(told_on(&sandbox, "claude-code", 21), format!("{TOOLS}\n{fails})"));
    sandbox.claude(&[]);
    assert!(told_on(&sandbox, "claude-code", 22).contains("do not call: `mcp__github__*`"));
    sandbox.claude(&["github"]);
    let ago = "last used 3 days ago";
    assert_eq!(told_on(&sandbox, "claude-code", 23), format!("{TOOLS}\n{fails}, {ago})"));
}

/// A tool that recovered while its server was away was never told to fail.
#[test]
fn w6_a_server_that_came_back_speaks_for_a_tool_that_recovered_meanwhile() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.codex(&["github"]);
    told_on(&sandbox, "claude-code", 20);
    sandbox.start_of("codex", "x1");
    used_on(&sandbox, "2026-11-20", "codex", "success", &["list"]);
    sandbox.claude(&[]);
    assert!(told_on(&sandbox, "claude-code", 21).contains("do not call: `mcp__github__*`"));
    used_on(&sandbox, "2026-11-21", "codex", "failure", &["list"; 3]);
    assert_eq!(told_on(&sandbox, "claude-code", 22), "");
    used_on(&sandbox, "2026-11-22", "codex", "success", &["list"]);
    sandbox.claude(&["github"]);
    let told = told_on(&sandbox, "claude-code", 23);
    assert_eq!(told, format!("{TOOLS}\n- Available again: `mcp__github__*`"));
}

/// Bug W3: of what a person wrote an agent is told half a slug, once it is overdue.
#[cfg(unix)]
#[test]
fn w3_what_a_person_typed_is_quoted_when_it_is_overdue() {
    const RULE: &str = "Staging is read-only until Thursday";
    let sandbox = Sandbox::new();
    let add = ["work", "add", "trap", RULE, "--expires", "+1d"];
    assert!(sandbox.typed(&[&add[..], &["--id", "mine"]].concat(), "NOTHING=1", "").success());
    sandbox.ok(&[&add[..], &["--id", "theirs", "--agent", "codex"]].concat());
    let told = told_on(&sandbox, "claude-code", 22);
    let overdue =
        format!("trap `mine` (expired 1 day ago): \"{RULE}\", trap `theirs` (expired 1 day ago)");
    assert!(told.ends_with(&overdue), "{told}");
    let keep = "; still valid: `staleness work set ID --expires +30d --agent claude-code`): trap";
    assert!(told.contains(keep), "{told}");
}
