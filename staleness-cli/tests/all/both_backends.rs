//! One life, kept twice, and with the feature `postgres` three times: whatever is asked, SQLite, redb and
//! Postgres answer with the same bytes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Run, Sandbox, fed, line};
#[cfg(feature = "postgres")]
use crate::postgres_places::Places;

/// A machine with one registry in each backend, all of which live through the same.
struct Twins {
    sandbox: Sandbox,
    /// The name of the file that either backend is to use.
    registry: &'static str,
    /// The first words of what was run, for the end: no command may be left out by mistake.
    asked: BTreeSet<String>,
    /// The third one.
    #[cfg(feature = "postgres")]
    places: Places,
}

/// Commands that name a file, or tell of one, which a server has none of.
#[cfg(feature = "postgres")]
const OF_FILES: [&str; 2] = ["backup", "doctor"];

const JSON: [&str; 1] = ["--json"];

/// Looks at everything that is known; none of them writes.
const LOOKS: &str = ",scan --dry-run,tools,tools list --all-projects --status stale,\
                     tools list --kind mcp_server,tools show github,tools show mcp__github__search,\
                     tools rank,tools suggest,tools suggest 'search issues' --explain --session s1,\
                     tools discover search --explain,tools history mcp__github__search,\
                     tools history linear,project list,prune --dry-run,config show,doctor,export,\
                     knowledge list,review,work,work list --status dropped,work show router,stale,\
                     board,session list,resume --agent codex --peek,\
                     resume --agent claude-code --since one-s,resume --agent ana --digest";

impl Twins {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/home");
        copy(&home, &sandbox.home);
        Self {
            sandbox,
            registry: "registry",
            asked: BTreeSet::new(),
            #[cfg(feature = "postgres")]
            places: Places::shared(),
        }
    }

    /// A workspace of the third registry, as it is named and as it is shown.
    #[cfg(feature = "postgres")]
    fn workspace(&self, registry: &str) -> (String, String) {
        let url = self.places.url(registry);
        let shown = url.parse::<staleness::StoreUrl>().unwrap().to_string();
        (url, shown)
    }

    /// Runs the same on the third registry.
    #[cfg(feature = "postgres")]
    fn third(&self, now: &str, args: &[&str], input: &str) -> Option<Run> {
        let (url, shown) = self.workspace(self.registry);
        if args.first().is_some_and(|command| OF_FILES.contains(command)) {
            return None;
        }
        let mut command = self.sandbox.command();
        command.args(["--now", now, "--store", &url]).args(args);
        let mut run = fed(command, input.as_bytes());
        for text in [&mut run.out, &mut run.err] {
            *text = alike(&text.replace(&shown, &format!("FOLDER/{}", self.registry)));
        }
        Some(run)
    }

    #[cfg(not(feature = "postgres"))]
    fn third(&self, _: &str, _: &[&str], _: &str) -> Option<Run> {
        None
    }

    /// Copies the third registry, as `backup` does with a file.
    #[cfg(feature = "postgres")]
    fn copy_third(&self) {
        let ((from, _), (to, _)) = (self.workspace("registry"), self.workspace("copy"));
        assert_eq!(self.sandbox.json(&["copy", &from, &to])["same"], true);
    }

    #[cfg(not(feature = "postgres"))]
    fn copy_third(&self) {}

    /// Runs a command on both registries; what it said, without what tells them apart.
    fn both(&mut self, now: &str, args: &[&str], input: &str) -> Run {
        self.asked.extend(args.first().map(ToString::to_string));
        let [one, other] = ["sqlite", "redb"].map(|scheme| {
            let folder = self.sandbox.root().join(scheme);
            let folder = folder.to_str().unwrap();
            let mut command = self.sandbox.command();
            let store = format!("{scheme}:{folder}/{}", self.registry);
            command.args(["--now", now, "--store", &store]);
            command.args(args.iter().map(|arg| arg.replace("FOLDER", folder)));
            let mut run = fed(command, input.as_bytes());
            for text in [&mut run.out, &mut run.err] {
                *text = text.replace(&format!("{scheme}:{folder}"), "FOLDER");
                *text = alike(&text.replace(folder, "FOLDER"));
            }
            run
        });
        assert_eq!(one, other, "{args:?} at {now}");
        if let Some(third) = self.third(now, args, input) {
            // Commands to paste do not repeat a URL, which may have a password.
            let option = format!(" --store FOLDER/{}", self.registry);
            let texts = |run: &Run| [&run.out, &run.err].map(|text| text.replace(&option, ""));
            assert_eq!(texts(&one), texts(&third), "{args:?} at {now}, in Postgres");
            assert_eq!(one.code, third.code, "{args:?} at {now}, in Postgres");
        }
        one
    }

    /// As [`Self::both`], for a command that must succeed.
    fn ok(&mut self, now: &str, args: &[&str]) -> String {
        let run = self.both(now, args, "");
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}: {run:?}");
        run.out
    }

    fn hook(&mut self, now: &str, args: &[&str], payload: &Value) -> String {
        let run = self.both(now, &[&["hook"], args].concat(), &payload.to_string());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{payload}: {run:?}");
        run.out
    }

    fn look(&mut self, now: &str, form: &[&str]) {
        for look in LOOKS.split(',').map(line) {
            self.both(now, &[&look[..], form].concat(), "");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

/// Without ids that were drawn (a person's acts have such) and sizes of files.
fn alike(text: &str) -> String {
    let text = blank(text, "\"op\":\"op-", char::is_ascii_hexdigit);
    let text = blank(&text, "FOLDER/registry, ", char::is_ascii_digit);
    let text = blank(&text, "FOLDER/copy, ", char::is_ascii_digit);
    let text = blank(&text, "FOLDER/moved, ", char::is_ascii_digit);
    blank(&text, "\"bytes\": ", char::is_ascii_digit)
}

/// Leaves out the characters of a kind that follow `mark`.
fn blank(text: &str, mark: &str, kind: fn(&char) -> bool) -> String {
    let mut parts = text.split(mark);
    let mut rest = parts.next().unwrap_or("").to_owned();
    for part in parts {
        rest.push_str(mark);
        rest.push_str(part.trim_start_matches(|c| kind(&c)));
    }
    rest
}

fn claude(event: &str, tool: &str, id: &str) -> Value {
    json!({ "session_id": "s1", "hook_event_name": event, "tool_name": tool, "tool_use_id": id,
            "tool_input": { "skill": "changelog" }, "duration_ms": 7 })
}

/// Four clients report uses, and are told what changed; `day` makes their ids differ.
fn clients_work(twins: &mut Twins, now: &str, day: &str) {
    let project = twins.sandbox.project.clone();
    let id = |name: &str| format!("{day}-{name}");
    let start = |source: &str| {
        json!({ "session_id": id("s"), "cwd": project, "hook_event_name": "SessionStart",
                "source": source })
    };
    twins.hook(now, &[], &start("startup"));
    for at in 0..3 {
        let failed = claude("PostToolUseFailure", "mcp__github__search", &id(&format!("f{at}")));
        twins.hook(now, &[], &failed);
    }
    twins.hook(now, &[], &claude("PostToolUse", "Skill", &id("skill")));
    twins.hook(now, &[], &claude("PostToolUse", "Bash", &id("bash")));
    let mut stopped = claude("PostToolUseFailure", "mcp__figma__draw", &id("stop"));
    stopped["is_interrupt"] = json!(true);
    twins.hook(now, &[], &stopped);
    let codex = json!({ "session_id": "c", "turn_id": "1", "hook_event_name": "PostToolUse",
        "tool_name": "mcp__sentry__trace", "tool_use_id": id("codex"), "cwd": project });
    twins.hook(now, &["--client", "codex"], &codex);
    let copilot = json!({ "sessionId": "p", "timestamp": 1_795_000_000_000_u64, "cwd": project,
        "toolName": "mcp__linear__list", "toolCallId": id("copilot"), "error": "x" });
    twins.hook(now, &["--client", "copilot", "--event", "postToolUseFailure"], &copilot);
    let cursor = json!({ "conversation_id": "u", "hook_event_name": "postToolUseFailure",
        "tool_name": "mcp__figma__draw", "tool_use_id": id("cursor"), "failure_type": "timeout",
        "workspace_roots": [project] });
    twins.hook(now, &[], &cursor);
    twins.hook(now, &["--client", "codex", "--event", "SessionStart"], &json!({ "cwd": project }));
    let told = twins.hook(now, &["--explain"], &start("resume"));
    assert!(told.contains("a session starts"), "{told}");
}

fn a_person_decides(twins: &mut Twins, now: &str) {
    for (verb, tool) in [
        ("demote", "mcp__figma__draw"),
        ("pin", "github"),
        ("ignore", "/review"),
        ("restore", "mcp__github__search"),
        ("restore", "github"),
    ] {
        twins.ok(now, &["tools", verb, tool, "--reason", "tried it", "--json"]);
    }
    twins.ok(now, &["tools", "forget", "mcp__sentry__trace", "--yes", "--json"]);
    for unknown in [&["tools", "pin", "nothing"][..], &["project", "forget", "x", "--yes"]] {
        assert_eq!(twins.both(now, &[unknown, &["--json"]].concat(), "").code, 3);
    }
}

/// Agents and people write work down, move it, settle it, and come back to it.
fn work_goes_on(twins: &mut Twins, now: &str, day: &str) {
    let id = |name: &str| format!("{day}-{name}");
    let (router, review, limit) = (id("router"), id("review"), id("limit"));
    for add in [
        &["plan", "Rewrite the router", "--id", &router, "--status", "in_progress"][..],
        &["handoff", "Review\nit", "--id", &review, "--from", "ana", "--to", "codex"],
        &["constraint", "No releases", "--id", &limit, "--expires", "+1d", "--ref", &router],
        &["note", "CI is slow", "--agent", "codex", "--global"],
    ] {
        twins.ok(now, &[&["work", "add"], add, &["--json"]].concat());
    }
    twins.ok(now, &["work", "step", &router, "wrote the trie", "--agent", "codex"]);
    twins.ok(now, &["work", "set", &review, "--status", "accepted", "--json"]);
    twins.ok(now, &["work", "reopen", &review]);
    twins.ok(now, &["work", "touch", &limit]);
    twins.both(now, &["stale", "resolve", "one-router", "--json"], "");
    twins.ok(now, &["session", "start", "--agent", "codex", "--id", &id("session"), "--json"]);
    twins.ok(now, &["resume", "--agent", "codex", "--session", &id("session"), "--json"]);
    twins.ok(now, &["session", "end", &id("session")]);
    twins.ok(now, &["knowledge", "add", "--id", &id("fact"), "--body", "It is so"]);
    assert_eq!(twins.both(now, &["work", "show", "nothing", "--json"], "").code, 3);
    let line = json!({ "type": "work", "id": id("foreign"), "kind": "plan", "text": "x",
                       "created": "2026-08-01" });
    let line = format!("{line}\n");
    twins.both(now, &["import", "--from", "jsonl", "--json"], &line);
    twins.both(now, &["stale", "--input", "-", "--json"], &line);
}

/// Copies the registry by import and by backup: both copies export the same as it does.
fn it_moves(twins: &mut Twins, now: &str) {
    // As from another machine: the ids of what a person did are no longer those of this one.
    let foreign = twins.ok(now, &["export"]);
    for args in [&["import", "--dry-run", "--json"][..], &["import", "--json"], &["import"]] {
        let run = twins.both(now, args, &foreign);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    }
    twins.ok(now, &["export"]);
    let lines = json!({ "type": "outcome", "tool": "lint", "result": "failure", "id": "1",
                        "at": "2026-10-01T00:00:00Z" });
    twins.both(now, &["import", "--from", "jsonl", "--json"], &format!("{lines}\n"));
    let run = twins.both(now, &["backup", "FOLDER/copy", "--json"], "");
    assert!(run.code == 0 && run.out.contains("\"FOLDER/copy\""), "{run:?}");
    assert_eq!(twins.both(now, &["backup", "FOLDER/copy"], "").code, 3, "it is not written over");
    twins.copy_third();
    let living = twins.ok(now, &["export"]);
    for registry in ["copy", "moved"] {
        twins.registry = registry;
        if registry == "moved" {
            twins.both(now, &["import", "--json"], &living);
        }
        assert_eq!(twins.ok(now, &["export"]), living, "{registry}");
        twins.look(now, &JSON);
    }
    twins.registry = "registry";
}

#[test]
#[cfg_attr(feature = "postgres", ignore = "needs a Postgres server")]
fn a_long_life_is_told_in_the_same_bytes() {
    let mut twins = Twins::new();
    let first = "2026-09-01T08:00:00Z";
    twins.look(first, &JSON);
    twins.ok(first, &["scan", "--json"]);
    twins.ok(first, &["scan"]);
    clients_work(&mut twins, first, "one");
    work_goes_on(&mut twins, first, "one");
    twins.look(first, &JSON);

    // A server goes, another fails and recovers, a list of live tools is taken in.
    let second = "2026-09-02T09:30:00.125Z";
    let config = twins.sandbox.home.join(".claude.json");
    let servers = fs::read_to_string(&config).unwrap();
    fs::write(&config, servers.replace("\"linear\"", "\"later\"")).unwrap();
    clients_work(&mut twins, second, "two");
    work_goes_on(&mut twins, second, "two");
    let list = twins.sandbox.write("list.json", r#"{"tools": [{"name": "open"}]}"#);
    let live = ["scan", "--tools-json", list.to_str().unwrap(), "--server", "github", "--json"];
    twins.ok(second, &live);
    for (outcome, id) in [("--success", "r1"), ("--failure", "r2"), ("--failure", "r2")] {
        let args = ["record", "mcp__github__search", outcome, "--id", id, "--session", "s1"];
        twins.ok(second, &[&args[..], &["--duration-ms", "3", "--agent", "a", "--json"]].concat());
    }
    a_person_decides(&mut twins, second);
    twins.look(second, &JSON);

    // A second project sees what is global, and is forgotten again.
    let other = twins.sandbox.second_project();
    let other = other.to_str().unwrap();
    twins.ok(second, &["--project", other, "record", "own", "--failure", "--id", "o"]);
    twins.ok(second, &["--project", other, "tools", "--json"]);
    twins.ok(second, &["project", "list"]);
    twins.ok(second, &["project", "forget", other, "--yes", "--json"]);
    twins.ok(second, &["project", "list", "--json"]);

    // The server returns, its file breaks, and a season later the old outcomes go.
    fs::write(&config, servers).unwrap();
    twins.ok(second, &["scan", "--json"]);
    fs::write(&config, "{ broken").unwrap();
    twins.both(second, &["scan", "--json"], "");
    it_moves(&mut twins, second);
    let third = "2027-01-15";
    clients_work(&mut twins, third, "three");
    work_goes_on(&mut twins, third, "three");
    let few = ["--set", "outcomes.keep_newest=4", "prune"];
    for form in [&["--dry-run", "--json"][..], &["--json"], &["--json"], &[]] {
        twins.ok(third, &[&few[..], form].concat());
    }
    twins.hook(third, &[], &json!({ "session_id": "s1", "hook_event_name": "SessionEnd" }));
    twins.look(third, &JSON);
    twins.look(third, &[]);

    let commands = ["scan", "hook", "record", "tools", "project", "doctor", "prune", "backup"];
    let more = ["export", "import", "config", "work", "stale", "session", "resume", "board"];
    for command in commands.iter().chain(&more) {
        assert!(twins.asked.contains(*command), "{command} was never run");
    }
}
