//! Edits as agents are told of them: of their own items by others, and of others' items by themselves.

use crate::common::{Sandbox, line};
use crate::told::told_on;

/// Bug: what others did to an item that this agent had added was told without whom, as if the item were new.
#[test]
fn what_others_did_to_an_agents_own_item_is_told_with_their_names() {
    let sandbox = Sandbox::new();
    told_on(&sandbox, "claude-code", 20);
    let own = |text: &str| drop(sandbox.ok(&line(&format!("work {text} --agent claude-code"))));
    let codex = |text: &str| drop(sandbox.ok(&line(&format!("work {text} --agent codex"))));
    for id in ["blocked", "edited", "typed", "kept"] {
        own(&format!("add plan Move --id {id}"));
    }
    codex("set blocked --text 'Move all' --status blocked");
    codex("set edited --text 'Move all'");
    sandbox.ok(&line("work set typed --text 'Move all'"));
    let told = told_on(&sandbox, "claude-code", 21);
    for part in [
        "plan `blocked` (todo → blocked, by `codex`)",
        "plan `edited` (edited, by `codex`)",
        "plan `typed` (edited)",
        "plan `kept` (added, todo, by this agent)",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told_on(&sandbox, "gemini", 21).contains("plan `blocked`"), "for it, it is new");
}

/// Bug: an edit of a handoff by its receiver had no name, nor had a claim on one for somebody else.
#[test]
fn a_change_of_a_handoff_names_the_agent_unless_it_took_what_was_for_it() {
    let sandbox = Sandbox::new();
    let work = |text: &str| drop(sandbox.run(&line(&format!("work {text} --now 2026-11-20"))));
    for id in ["edited", "claimed", "accepted"] {
        work(&format!("add handoff Review --id {id} --to claude-code --agent codex"));
    }
    told_on(&sandbox, "codex", 20);
    let claude = |text: &str| {
        sandbox.ok(&line(&format!("work {text} --agent claude-code --now 2026-11-20T12:01:00Z")));
    };
    claude("set edited --text 'Look first'");
    claude("claim claimed --for 3d");
    claude("set accepted --status accepted");
    let told = told_on(&sandbox, "codex", 21);
    for part in [
        "handoff `edited` (edited, by `claude-code`) for `claude-code`",
        "handoff `claimed` (claimed) for `claude-code`",
        "handoff `accepted` (open → accepted) for `claude-code`",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

/// Bug: when an item was removed, those that had referred to it were told as edited.
#[test]
fn an_item_that_lost_a_link_is_not_told_as_edited() {
    let sandbox = Sandbox::new();
    let knowledge = |text: &str| drop(sandbox.ok(&line(&format!("knowledge {text}"))));
    knowledge("add --id tabs --body Tabs");
    knowledge("add --id spaces --body Spaces --supersedes tabs");
    knowledge("add --id width --body Four --related tabs");
    told_on(&sandbox, "codex", 20);
    knowledge("remove tabs --yes");
    let told = told_on(&sandbox, "codex", 21);
    assert!(told.contains("knowledge `tabs` (removed)") && !told.contains("edited"), "{told}");
    assert!(sandbox.ok(&["why", "width"]).contains("no longer related to tabs"));
}

/// Bug: an item that is over was told as a new one, once somebody had edited it.
#[test]
fn an_edit_of_what_is_over_says_so() {
    let sandbox = Sandbox::new();
    sandbox.ok(&line("work add constraint 'No deploys' --id deploy --status resolved"));
    sandbox.ok(&line("resume --agent codex"));
    sandbox.ok(&line("work set deploy --text 'No deploys at all'"));
    let told = sandbox.ok(&line("resume --agent codex --peek"));
    assert!(told.contains("  edited, resolved  "), "{told}");
}

/// Bug: who had claimed an item that became free was told as if it had freed it.
#[test]
fn who_changed_an_item_stands_before_what_became_of_it() {
    let sandbox = Sandbox::new();
    let work = |text: &str| drop(sandbox.ok(&line(&format!("work {text}"))));
    work("add plan First --id first --now 2026-11-20");
    work("add plan Then --id then --after first --now 2026-11-20");
    told_on(&sandbox, "claude-code", 20);
    work("claim then --agent claude-code --session s --for 5d --now 2026-11-20T12:01:00Z");
    work("set first --status done --agent codex --now 2026-11-20T12:02:00Z");
    let told = told_on(&sandbox, "claude-code", 21);
    let freed = "plan `then` (claimed, by this agent, no longer waits for anything)";
    assert!(told.contains(freed), "{told}");
}

/// Bug: an agent that edited a file of the project superseded a person's stored preference.
#[test]
fn a_file_of_the_project_supersedes_no_stored_preference() {
    let sandbox = Sandbox::new();
    for kind in ["preference", "knowledge"] {
        let add = format!("knowledge add --kind {kind} --id {kind} --body Tabs");
        sandbox.ok(&line(&add));
    }
    let front =
        "---\nid: new\ntype: knowledge\nsupersedes: [preference, knowledge]\n---\nSpaces.\n";
    sandbox.write("project/AGENTS.md", front);
    let level = |id: &str| sandbox.json(&["knowledge", "show", id])["verdict"]["level"].clone();
    assert_eq!(["preference", "knowledge"].map(level), ["fresh", "stale"]);
}
