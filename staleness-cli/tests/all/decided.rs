//! Tests that an agent changes nothing that a person said, ended or installed.

use crate::common::{Run, Sandbox, fed, line};
use crate::told::told_on;

/// Runs a command as a person at a terminal.
#[cfg(unix)]
fn typed(sandbox: &Sandbox, text: &str) {
    let text = format!("{text} --now 2026-11-03");
    assert!(sandbox.typed(&line(&text), "NOTHING=1", "").success(), "{text}");
}

/// Asserts that codex may not run these commands, and why.
fn refused(sandbox: &Sandbox, all: &[(&str, &str)]) {
    for (text, why) in all {
        let run = sandbox.run(&line(&format!("{text} --agent codex --now 2026-11-04")));
        assert!(run.code == 3 && run.err.contains(why), "{text}: {run:?}");
    }
}

/// Bug: an agent rewrote a decision, a plan and a handoff that a person had typed, and ended a trap before its time.
#[cfg(unix)]
#[test]
fn an_agent_carries_out_what_a_person_typed_and_changes_none_of_it() {
    let sandbox = Sandbox::new();
    let typed = |text: &str| typed(&sandbox, text);
    typed("work add decision 'We use Postgres' --id db");
    typed("work add plan 'Move the orders' --id move");
    typed("work add handoff 'Review it' --id h --to codex");
    typed("work add trap 'Staging is read-only' --id trap --expires 2026-11-20");
    typed("work add candidate 'Use Kafka' --id kafka");
    typed("work add note 'Bea knows the keys' --id note");
    refused(
        &sandbox,
        &[
            ("work set db --text MySQL", "change it, as with `staleness work set db --text TEXT`"),
            ("work set move --text Other", "a person wrote \"move\""),
            ("work set move --status dropped", "drop it, with `staleness work set move --status"),
            ("work set move --after kafka", "a person wrote \"move\""),
            ("work set move --to gemini", "a person wrote \"move\""),
            ("work set h --text Nothing", "a person wrote \"h\""),
            ("work set trap --status resolved", "a person wrote \"trap\""),
            ("work set trap --expires +90d", "a person wrote \"trap\""),
            ("work set kafka --status rejected", "a person wrote \"kafka\""),
            ("work set note --status archived", "a person wrote \"note\""),
            ("work step db MySQL", "a person wrote \"db\""),
        ],
    );
    for text in [
        "work set move --status in_progress",
        "work step move 'the first half'",
        "work set move --status done",
        "work set h --status accepted",
    ] {
        sandbox.ok(&line(&format!("{text} --agent codex --now 2026-11-04")));
    }
}

/// Bug: an agent reopened what a person had dropped, and it was quoted as the person's wish.
#[test]
fn an_agent_reopens_nothing_that_a_person_ended() {
    let sandbox = Sandbox::new();
    let ok = |text: &str| sandbox.ok(&line(&format!("{text} --now 2026-11-03")));
    ok("work add plan 'Move to MySQL' --id mysql");
    ok("work set mysql --status dropped");
    ok("work add plan Own --id own --agent codex");
    ok("work set own --status dropped --agent codex");
    let why = "a person made \"mysql\" dropped, so only a person can reopen it";
    refused(&sandbox, &[("work reopen mysql", why), ("work set mysql --status todo", why)]);
    ok("work reopen own --agent codex");
    ok("work reopen mysql");
}

/// Bug: a hook told an agent how to extend a person's rule that had expired, and to drop a person's plan.
#[cfg(unix)]
#[test]
fn an_agent_is_told_to_ask_about_what_a_person_typed() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "codex", 2);
    typed(&sandbox, "work add constraint 'No merges' --id freeze --expires 2026-11-05");
    let told = told_on(&sandbox, "codex", 6);
    let title = "Overdue (settle (ask the user about theirs): `staleness stale resolve ID --agent codex`): constraint";
    assert!(told.contains(title), "{told}");
    let set = line("work set freeze --expires +30d --agent codex --now 2026-11-06");
    assert_eq!(sandbox.run(&set).code, 3);
    typed(&sandbox, "work add plan Move --id move --status in_progress");
    let told = told_on(&sandbox, "codex", 30);
    assert!(told.contains("settle, which drops a plan (ask the user about theirs): "), "{told}");
    sandbox.ok(&line("stale resolve freeze --agent codex --now 2026-11-30"));
    let told = told_on(&sandbox, "claude-code", 30);
    assert!(told.contains("touch ID`; else ask the user): plan `move`"), "{told}");
    let resolve = sandbox.run(&line("stale resolve move --agent codex --now 2026-11-30"));
    assert!(resolve.code == 3 && resolve.err.contains("ask the user"), "{resolve:?}");
}

/// Bug: an agent deleted a person's note, doubted a preference for all, and spoke in a person's name.
#[test]
fn an_agent_deletes_doubts_and_says_nothing_for_a_person() {
    let sandbox = Sandbox::new();
    let ok = |text: &str| sandbox.ok(&line(&format!("{text} --now 2026-11-03")));
    ok("knowledge add --id keys --body Keys");
    ok("knowledge add --kind preference --id tabs --body Tabs");
    ok("knowledge add --id own --body Own --agent codex");
    let name = "\"codex\" cannot act as \"ana\"";
    refused(
        &sandbox,
        &[
            ("knowledge remove keys --yes", "there is no record that an agent wrote \"keys\""),
            ("knowledge set keys --kind todo", "there is no record that an agent wrote \"keys\""),
            (
                "knowledge contradict tabs --by codex --reason no",
                "ask the user whether it is still",
            ),
            ("knowledge contradict keys --by ana --reason no", name),
            ("work add handoff Deploy --id dep --from ana --to claude-code", name),
            ("work add plan Deploy --id dep --author ana", name),
        ],
    );
    // Bug: what a person wrote into an agent's item was the agent's.
    ok("knowledge add --kind preference --id rule --body Stub --agent codex");
    ok("knowledge set rule --body 'Never on Friday'");
    let why = "there is no record that an agent wrote \"rule\"";
    for edit in ["--body Always", "--keyword friday", "--supersedes own"] {
        refused(&sandbox, &[(&format!("knowledge set rule {edit}"), why)]);
    }
    // Bug: an agent without its name spoke as anybody, and lifted what a person had said.
    ok("knowledge contradict keys --by ana --reason no");
    for text in [
        "knowledge contradict own --by ana --reason no",
        "knowledge verify keys",
        "work add note Hi --id hi --author ana",
    ] {
        let mut command = sandbox.command();
        command.args(line(text)).env("CLAUDECODE", "1");
        let run = Run::of(command.output().unwrap());
        assert!(run.code == 2 && run.err.contains("no agent given"), "{text}: {run:?}");
    }
    ok("knowledge verify keys");
    ok("knowledge contradict keys --by codex --reason no --agent codex");
    ok("knowledge remove own --yes --agent codex");
}

/// Bug: what an agent forgot was pinned anew with what its server had changed.
#[test]
fn an_agent_forgets_no_tool_and_removes_no_client() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.ok(&["scan"]);
    refused(
        &sandbox,
        &[
            ("tools forget github --yes", "an agent cannot delete a tool's records"),
            ("uninstall claude-code", "an agent cannot remove what the user installed"),
        ],
    );
}

/// Bug: an agent demoted a server that only another client has, and again what a person had restored.
#[test]
fn an_agent_demotes_only_its_own_tools_and_none_that_a_person_restored() {
    let sandbox = Sandbox::with_servers(&["github"]);
    sandbox.ok(&["scan"]);
    refused(&sandbox, &[("tools demote github", "is not one of your client's tools")]);
    let ok = |text: &str| sandbox.ok(&line(text));
    ok("tools demote github --agent claude-code");
    ok("tools restore github");
    let run = sandbox.run(&line("tools demote github --agent claude-code"));
    assert!(run.code == 3 && run.err.contains("only a person can demote"), "{run:?}");
}

/// Bug: a person's own edit through a pipe took the protection off a rule without a word.
#[cfg(unix)]
#[test]
fn a_person_hears_that_a_piped_text_is_protected_no_more() {
    let sandbox = Sandbox::new();
    typed(&sandbox, "work add constraint 'Never edit src/gen' --id gen");
    let mut command = sandbox.command();
    command.args(line("work set gen --text -"));
    let run = fed(command, b"Never edit src/out");
    assert!(run.code == 0 && run.err.contains("was not typed at a terminal"), "{run:?}");
}

/// Bug: an agent accepted or claimed what was handed to a person, who was not shown it again.
#[test]
fn only_a_person_takes_what_is_handed_to_a_person() {
    let sandbox = Sandbox::new();
    sandbox.run(&line("work add handoff Approve --id a --to ana --agent codex --now 2026-11-20"));
    for taking in [
        "set a --status accepted --agent codex",
        "set a --status accepted --agent cursor",
        "set a --status accepted --to ana --agent codex",
        "claim a --agent cursor",
    ] {
        let run = sandbox.run(&line(&format!("work {taking}")));
        assert!(run.code == 3 && run.err.contains("leave it to \"ana\""), "{taking}: {run:?}");
    }
    assert!(sandbox.ok::<&str>(&[]).contains("handed to a person\n  handoff  open  a"));
    sandbox.ok(&line("work set a --status accepted"));
}

/// Bug: the rules of agents looked like those of the person, and left no room for these.
#[cfg(unix)]
#[test]
fn a_rule_of_an_agent_names_it_and_comes_after_those_of_a_person() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "claude-code", 3);
    typed(&sandbox, "work add constraint 'Ask first' --id ask");
    for at in 10..40 {
        sandbox.ok(&line(&format!(
            "work add constraint Push --id push-{at} --agent codex --now 2026-11-04"
        )));
    }
    let told = told_on(&sandbox, "claude-code", 5);
    assert!(told.contains("constraint `ask` (added): \"Ask first\", constraint"), "{told}");
    assert!(told.contains("constraint `push-39` (added, by `codex`)"), "{told}");
    let told = told_on(&sandbox, "claude-code", 6);
    assert!(
        told.contains("In force: constraint `ask`: \"Ask first\", constraint `push-10` by `codex`"),
        "{told}"
    );
}
