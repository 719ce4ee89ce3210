//! Moving in: `import --from SYSTEM PATH` and `stale --input PATH --from SYSTEM`.
//!
//! Databases of other systems are made from `tests/fixtures/systems`; each file says which version wrote it. Issues
//! are written by hand, as beads 1.0.5 exports them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::common::{Run, Sandbox};

pub(crate) const ISSUES: &str = include_str!("../fixtures/systems/beads.jsonl");
pub(crate) const CLAUDE_MEM: &str = include_str!("../fixtures/systems/claude-mem.sql");
const LAMINARK: &str = include_str!("../fixtures/systems/laminark.sql");
pub(crate) const RIGLM2: &str = include_str!("../fixtures/systems/riglm2.sql");

/// Makes a database in a folder of its own, as its program leaves it: with a log of new pages.
pub(crate) fn database(sandbox: &Sandbox, sql: &str) -> (PathBuf, Connection) {
    let path = sandbox.write("theirs/memory.db", "");
    let db = Connection::open(&path).unwrap();
    db.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    db.execute_batch(sql).unwrap();
    (path, db)
}

/// Imports, as JSON.
pub(crate) fn import(sandbox: &Sandbox, system: &str, path: &Path, more: &[&str]) -> Value {
    let args = ["import", "--json", "--from", system, path.to_str().unwrap()];
    serde_json::from_str(&sandbox.ok(&[&args[..], more].concat())).unwrap()
}

/// Imports what must be refused, and returns the reason.
pub(crate) fn refused(sandbox: &Sandbox, system: &str, path: &Path) -> String {
    let run = sandbox.run(&["import", "--from", system, path.to_str().unwrap()]);
    assert_eq!((run.code, run.out.as_str()), (3, ""), "{run:?}");
    assert!(run.err.contains("nothing was imported"), "{run:?}");
    run.err
}

/// Returns the counts that are not 0.
pub(crate) fn some(counts: &Value) -> Value {
    let counts = counts.as_object().unwrap().iter().filter(|(_, count)| **count != json!(0));
    Value::Object(counts.map(|(name, count)| (name.clone(), count.clone())).collect())
}

/// Imports with all that must hold for every system: a dry run tells the same and writes nothing, a second import adds
/// nothing, and the other side stays as it is.
pub(crate) fn moved(sandbox: &Sandbox, system: &str, path: &Path) -> Value {
    let before = files(path);
    let dry = import(sandbox, system, path, &["--dry-run"]);
    assert_eq!(some(&import(sandbox, system, path, &["--dry-run"])["skipped"]), json!({}));
    let real = import(sandbox, system, path, &[]);
    assert_eq!(dry, real);
    let again = import(sandbox, system, path, &[]);
    assert_eq!(some(&again["imported"]), json!({}), "{again}");
    assert_eq!(again["left"], real["left"]);
    assert!(files(path) == before, "changed");
    real
}

/// Returns the files of the other side with their bytes, those in its folders too.
fn files(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let path = path.canonicalize().unwrap();
    let folder = if path.is_file() { path.parent().unwrap() } else { &path };
    let (mut files, mut folders) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                files.insert(path.clone(), std::fs::read(path).unwrap());
            }
        }
    }
    assert_ne!(files.len(), 0);
    files
}

pub(crate) fn shown(sandbox: &Sandbox, of: &str, id: &str) -> Value {
    serde_json::from_str(&sandbox.ok(&[of, "show", id, "--json"])).unwrap()
}

#[test]
fn issues_of_beads_become_work() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("project/.beads/issues.jsonl", ISSUES);
    let report = moved(&sandbox, "beads", path.parent().unwrap());
    assert_eq!(some(&report["imported"]), json!({"knowledge": 1, "work": 4}));
    let left = json!({
        "deleted issues": 1, "event records": 1, "issue.date (unknown; the file's date was used)": 1,
        "issue.dependency.created_at": 1, "issue.dependency.created_by": 1, "issue.estimated_minutes": 1,
        "issue.owner": 1, "issue.started_at": 1, "issue.status=review": 1,
    });
    assert_eq!((&report["left"], &report["redacted"]), (&left, &json!(1)));

    let bug = shown(&sandbox, "work", "shop-1");
    let text = bug["text"].as_str().unwrap();
    assert!(text.starts_with("Checkout hangs on a timeout\n\nThe client waits forever."), "{text}");
    assert!(text.ends_with("(bug; priority 0; labels: checkout, network)"), "{text}");
    assert!(text.contains("password=[redacted]") && !text.contains("hunter2"), "{text}");
    assert_eq!(
        (&bug["status"], &bug["author"], &bug["to"]),
        (&json!("in_progress"), &json!("ana"), &json!("ben"))
    );
    assert_eq!((&bug["refs"], &bug["after"]), (&json!([]), &json!(["shop-2"])));
    assert_eq!(bug["steps"][0]["text"], "ben: Also on retries");
    assert_eq!(shown(&sandbox, "work", "shop-2")["status"], "done");
    let decision = shown(&sandbox, "work", "shop-4");
    assert_eq!(
        (&decision["kind"], &decision["steps"][0]["text"]),
        (&json!("decision"), &json!("closed"))
    );
    assert!(sandbox.ok(&["knowledge", "list"]).contains("Prices are in cents"));

    // A change there comes along; `stale` judges the same file without a registry.
    let later = ISSUES
        .replace("\"in_progress\"", "\"blocked\"")
        .replace("2026-03-02T09:30", "2026-03-05T09:30");
    sandbox.write("project/.beads/issues.jsonl", later);
    assert_eq!(some(&import(&sandbox, "beads", &path, &[])["imported"])["work"], 1);
    assert_eq!(shown(&sandbox, "work", "shop-1")["status"], "blocked");
    let judged = Sandbox::new();
    let stale = judged.ok(&["stale", "--from", "beads", "--input", path.to_str().unwrap()]);
    assert!(stale.contains("shop-1") && stale.contains("blocked, without activity"), "{stale}");
    // Bug: work that is deferred until a date was overdue before it.
    let day = |day: &str| {
        judged.ok(&["stale", "--from", "beads", "--now", day, "--input", path.to_str().unwrap()])
    };
    let issue = |fields: Value| {
        let mut all = json!({"id": "d-1", "title": "Later", "created_at": "2026-03-01T08:00:00Z",
            "updated_at": "2026-03-02T08:00:00Z"});
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        sandbox.write("project/.beads/issues.jsonl", all.to_string());
    };
    for status in ["open", "deferred"] {
        issue(json!({"status": status, "defer_until": "2026-09-01T08:00:00Z"}));
        assert!(
            !day("2026-08-31").contains("d-1") && day("2026-09-02").contains("d-1"),
            "{status}"
        );
    }
    issue(json!({"status": "open", "defer_until": "2026-03-02T07:00:00Z"}));
    assert!(day("2026-08-31").contains("to do, without activity"));
    assert!(!judged.store().exists());
}

#[test]
fn memories_of_claude_mem_become_knowledge_of_their_project() {
    let sandbox = Sandbox::new();
    // The program has it open, and its last rows are only in the log.
    let (path, _open) = database(&sandbox, CLAUDE_MEM);
    let report = moved(&sandbox, "claude-mem", &path);
    assert_eq!(some(&report["imported"]), json!({"knowledge": 2, "work": 1}));
    let left = json!({
        "observation.prompt_number": 2, "observations of the project blog": 1,
        "rows of the table sdk_sessions": 2, "rows of the table user_prompts": 1,
        "summary.prompt_number": 1,
    });
    assert_eq!(report["left"], left);
    let item = shown(&sandbox, "knowledge", "claude-mem-m-1-1");
    let body = item["body"].as_str().unwrap();
    assert!(body.starts_with("Checkout retried forever\n\nA timeout was not counted"), "{body}");
    assert!(
        body.contains("- Three retries are enough") && body.ends_with("`src/retry.rs`"),
        "{body}"
    );
    assert_eq!(item["keywords"], json!(["bugfix", "gotcha", "problem-solution"]));
    assert!(item["added_at"].as_str().unwrap().starts_with("2026-05-02T09:30:00"), "{item}");
    let note = shown(&sandbox, "work", "claude-mem-session-m-1-1");
    assert_eq!((&note["type"], &note["generated"]), (&json!("session_end"), &json!(true)));
}

#[test]
fn notes_of_basic_memory_become_knowledge() {
    let sandbox = Sandbox::new();
    let vault = sandbox.root().join("vault");
    sandbox.write(
        "vault/specs/Search Plan.md",
        "---\ntitle: Search Plan\ntype: spec\npermalink: specs/search-plan\ntags:\n- search\n- ranking\nstatus: draft\n\
         created: 2026-03-01\n---\n\n# Search Plan\n\n- [decision] BM25 first #ranking\n\n## Relations\n- \
         depends_on [[Index]]\n- see [[Nowhere]]\n",
    );
    sandbox.write("vault/Index.md", "Everything is in one index.\n");
    sandbox.write("vault/.obsidian/app.json", "{}");
    sandbox.write("vault/picture.png", "x");
    sandbox.write("vault/broken.md", b"\xff\xfe");
    sandbox.write("vault/long.md", "x".repeat((1 << 20) + 1));
    sandbox.write("vault/empty.md", "---\ntags:\n- later\n---\n");
    sandbox.write("vault/half.md", "---\ntitle: Half\ndescri");
    // A pipe would be waited for.
    let pipe = vault.join("pipe.md");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    let others = 1 + usize::from(made.is_ok_and(|made| made.success()));
    let report = moved(&sandbox, "basic-memory", &vault);
    assert_eq!(some(&report["imported"]), json!({"knowledge": 2}));
    let left = json!({
        "other files": others, "note is not UTF-8": 1, "note is over 1 MiB": 1, "note is half written": 1, "note.status": 1,
        "note that cannot be kept": 1, "note.date (unknown; the file's date was used)": 1,
    });
    assert_eq!(report["left"], left);
    let item = shown(&sandbox, "knowledge", "specs/search-plan");
    assert_eq!(item["keywords"], json!(["ranking", "search", "spec"]));
    assert_eq!(item["related"], json!(["Index"]));
    assert_eq!(item["added_at"], "2026-03-01T00:00:00Z");
    assert!(item["body"].as_str().unwrap().starts_with("# Search Plan\n\n- [decision]"), "{item}");
}

#[test]
fn memories_of_claude_code_become_knowledge() {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join("home/.claude/projects/-p");
    let memory = |name: &str, text: &str| {
        sandbox.write(&format!("home/.claude/projects/-p/memory/{name}.md"), text)
    };
    memory("MEMORY", "# Memory\n\n- [Tests](tests-first.md) — write tests first\n");
    memory(
        "tests-first",
        "---\nname: tests-first\ndescription: Write the test before the code\nmetadata:\n  node_type: memory\n  type: \
         feedback\n---\n\nSee [[deploys]]. **Why:** a bug came back.\n",
    );
    memory(
        "deploys",
        "---\nname: Deploys\ndescription: Where deploys run\ntype: reference\n---\nIn the pipeline.\n",
    );
    // Brackets of code are no links, and none goes over the end of a line.
    memory(
        "matrix",
        "---\nmetadata:\n  type: \"user\" # a person\n---\nWrite `[[1, 2],\n [3, 4]]`, `[[bin]]`, `[[ -f x ]]`.\n\nFor \
         [[Deploys|runs]], [[tests-first]], [[matrix]], [[MEMORY]], [[nowhere]].\n",
    );
    let report = moved(&sandbox, "claude-memory", &folder);
    assert_eq!(some(&report["imported"]), json!({"knowledge": 3}));
    let left = json!({
        "memory.date (unknown; the file's date was used)": 3, "the index MEMORY.md": 1,
    });
    assert_eq!(report["left"], left);
    let matrix = shown(&sandbox, "knowledge", "matrix");
    assert_eq!(matrix["related"], json!(["deploys", "tests-first"]));
    assert_eq!(matrix["kind"], "preference");
    let item = shown(&sandbox, "knowledge", "tests-first");
    assert_eq!((&item["kind"], &item["related"]), (&json!("preference"), &json!(["deploys"])));
    assert!(
        item["body"].as_str().unwrap().starts_with("Write the test before the code\n\nSee"),
        "{item}"
    );
    assert_eq!(shown(&sandbox, "knowledge", "deploys")["kind"], "reference");
}

/// Returns a database of Laminark whose rows belong to a project.
pub(crate) fn of_laminark(project: &Path) -> String {
    let hash: [u8; 32] = Sha256::digest(project.to_str().unwrap().as_bytes()).into();
    let hash: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    LAMINARK.replace("PROJECTHASH00000", &hash)
}

#[test]
fn tools_uses_and_observations_of_laminark_come_along() {
    let sandbox = Sandbox::new();
    let (path, _open) = database(&sandbox, &of_laminark(&sandbox.project));
    let report = moved(&sandbox, "laminark", &path);
    let imported = json!({"knowledge": 2, "outcomes": 4, "tools": 3, "work": 3});
    assert_eq!(some(&report["imported"]), imported);
    let left = json!({
        "deleted observations": 1, "records of other projects": 1, "rows of the table path_waypoints": 2,
        "thought branches without a title": 1, "tool.status=demoted": 1, "tool.usage_count": 2,
    });
    assert_eq!(report["left"], left);
    // The uses that failed there demote the tool here.
    let fork: Value =
        serde_json::from_str(&sandbox.ok(&["tools", "show", "mcp__github__fork", "--json"]))
            .unwrap();
    assert_eq!(fork["status"], "demoted", "{fork}");
    // Another project has other tools; these stay.
    let (other, theirs) = (sandbox.second_project(), Sandbox::new());
    let tools = of_laminark(&other).replace("mcp__github__search", "mcp__github__list");
    let (path, _open) = database(&theirs, &tools);
    let args = ["import", "--from", "laminark", path.to_str().unwrap()];
    sandbox.ok(&[&["--project", other.to_str().unwrap()], &args[..]].concat());
    let search = sandbox.ok(&["tools", "show", "mcp__github__search", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&search).unwrap()["status"], "active", "{search}");
    let trap = shown(&sandbox, "work", "9686daaf86eede508edd1660f2f50321");
    assert_eq!((&trap["kind"], &trap["status"]), (&json!("trap"), &json!("resolved")));
}

#[test]
fn routes_of_riglm2_come_with_their_vectors() {
    let sandbox = Sandbox::new();
    let (path, _open) = database(&sandbox, RIGLM2);
    let report = moved(&sandbox, "riglm2", &path);
    assert_eq!((some(&report["imported"]), &report["left"]), (json!({"routes": 2}), &json!({})));
    let export = sandbox.ok(&["export"]);
    let vectors = export.lines().filter(|line| line.contains("\"kind\":\"vector\"")).count();
    assert_eq!(vectors, 2, "{export}");
    assert!(
        export.contains("mcp__github__search") && export.contains("BGE-small-en-v1.5"),
        "{export}"
    );
}

#[test]
fn knowledge_of_sage_comes_with_its_checkpoints() {
    let sandbox = Sandbox::new();
    // As sage 4.2.3 wrote it.
    sandbox.write(
        "project/.sage/knowledge/global/cents.md",
        "---\nid: cents\ntype: knowledge\nkeywords:\n- prices\n- rounding\nsource: the ledger\nadded: \
         '2026-10-29'\n---\n\nPrices are in cents: floats lose some.",
    );
    sandbox.write(
        "project/.sage/knowledge/global/guide.md",
        "---\nid: guide\ntype: todo\nkeywords: []\nadded: '2026-10-29'\nstatus: pending\n---\n\nWrite the guide.",
    );
    sandbox.write(
        "project/.sage/checkpoints/2026-11-01_rounding.md",
        "---\nid: 2026-11-01_rounding\ntype: checkpoint\nts: '2026-11-01T10:00:00'\ntrigger: synthesis\nconfidence: \
         0.8\nmessage_count: 3\ntoken_estimate: 900\nfiles_changed:\n- src/price.rs\nrelated_knowledge:\n- cents\n---\n\n\
         # Where is it rounded?\n\n## Thesis\nTwice.\n",
    );
    // Bug: what sage had put away came as what holds.
    for (id, kind, status) in [("old", "knowledge", "deprecated"), ("put-away", "todo", "archived")]
    {
        let fields = format!("id: {id}\ntype: {kind}\nadded: '2026-10-29'\nstatus: {status}");
        sandbox.write(
            &format!("project/.sage/knowledge/global/{id}.md"),
            format!("---\n{fields}\n---\n\nUse floats."),
        );
    }
    sandbox.write("project/.sage/knowledge/index.yaml", "version: 1\nitems: []\n");
    let report = moved(&sandbox, "sage", &sandbox.project);
    assert_eq!(some(&report["imported"]), json!({"knowledge": 5}));
    for (id, key) in [("old", "expires_at"), ("put-away", "done_at")] {
        assert_ne!(shown(&sandbox, "knowledge", id)[key], json!(null), "{id}");
    }
    assert_eq!(report["left"], json!({"item.confidence": 1, "other files": 1}));
    assert_eq!(shown(&sandbox, "knowledge", "guide")["kind"], "todo");
    assert_eq!(shown(&sandbox, "knowledge", "cents")["keywords"], json!(["prices", "rounding"]));
    let checkpoint = shown(&sandbox, "knowledge", "2026-11-01_rounding");
    assert_eq!(checkpoint["related"], json!(["cents"]));
    assert!(
        checkpoint["body"].as_str().unwrap().ends_with("Files: `src/price.rs`"),
        "{checkpoint}"
    );
}

#[test]
fn records_of_brainclaw_keep_their_kind_and_state() {
    let sandbox = Sandbox::new();
    let record = |path: &str, fields: Value| {
        let mut all = json!({"schema_version": 1, "created_at": "2026-10-01T08:00:00.000Z", "author": "ana", "tags": []});
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        sandbox.write(&format!("project/.brainclaw/{path}.json"), all.to_string())
    };
    record(
        "coordination/plans/pln_1",
        json!({
            "id": "pln_1", "text": "Rewrite the router", "status": "in_progress", "priority": "high", "assignee": "ben",
            "updated_at": "2026-10-03T08:00:00.000Z", "depends_on": ["pln_0"], "related_paths": ["src/router.rs"],
            "estimated_effort": 120,
            "steps": [
                {"id": "s1", "text": "wrote the trie", "status": "done", "created_at": "x", "updated_at": "2026-10-02T08:00:00Z"},
                {"id": "s2", "text": "measure it", "status": "todo", "created_at": "x", "updated_at": "x"},
            ],
        }),
    );
    record(
        "memory/traps/trp_1",
        json!({"id": "trp_1", "text": "The cache lies", "severity": "high", "status": "expired"}),
    );
    record(
        "handoffs/hnd_1",
        json!({"id": "hnd_1", "text": "Take over", "from": "ana", "to": "ben", "status": "open"}),
    );
    record(
        "memory/instructions/ins_1",
        json!({"id": "ins_1", "text": "Test first", "active": true, "layer": "project"}),
    );
    record("coordination/claims/clm_1", json!({"id": "clm_1"}));
    let report = moved(&sandbox, "brainclaw", &sandbox.project);
    assert_eq!(some(&report["imported"]), json!({"knowledge": 1, "work": 3}));
    let left = json!({
        "files in coordination/claims/": 1, "instructions.author": 1, "instructions.layer": 1,
        "plan.estimated_effort": 1, "plan.step.created_at": 1, "plan.step.updated_at": 1,
    });
    assert_eq!(report["left"], left);
    let plan = shown(&sandbox, "work", "pln_1");
    assert_eq!(
        (&plan["status"], &plan["to"], &plan["after"]),
        (&json!("in_progress"), &json!("ben"), &json!(["pln_0"]))
    );
    assert_eq!(plan["steps"][0]["text"], "wrote the trie");
    let text =
        "Rewrite the router\n\n- [ ] measure it\n\nFiles: `src/router.rs`\n\n(priority high)";
    assert_eq!(plan["text"], text);
    assert_eq!(shown(&sandbox, "work", "trp_1")["status"], "resolved");
    assert_eq!(shown(&sandbox, "work", "hnd_1")["from"], "ana");

    let half = sandbox.write("project/.brainclaw/coordination/plans/pln_2.json", "{\"id\": ");
    assert!(refused(&sandbox, "brainclaw", &sandbox.project).contains("is the file incomplete"));
    std::fs::write(&half, "{\"id\": \"pln_2\"}").unwrap();
    assert!(refused(&sandbox, "brainclaw", &sandbox.project).contains("missing: text, created_at"));
    // Version 2 is the present one; what a later one means is unknown.
    for (version, is_known) in [(2, true), (3, false)] {
        record(
            "coordination/plans/pln_2",
            json!({"schema_version": version, "id": "pln_2", "text": "t", "status": "todo"}),
        );
        if is_known {
            import(&sandbox, "brainclaw", &sandbox.project, &["--dry-run"]);
        } else {
            assert!(
                refused(&sandbox, "brainclaw", &sandbox.project)
                    .contains("only 1 and 2 are supported")
            );
        }
    }
}

#[test]
fn what_a_system_did_not_write_is_refused() {
    let sandbox = Sandbox::new();
    let text = sandbox.write("text.jsonl", ISSUES.split_at(ISSUES.len() - 20).0);
    let large = sandbox.write("large.db", "SQLite format 3\0");
    std::fs::OpenOptions::new().write(true).open(&large).unwrap().set_len(5 << 30).unwrap();
    for (system, path, reason) in [
        ("beads", text, "the file incomplete"),
        (
            "beads",
            sandbox.write("other.jsonl", "\n{\"id\": 1}\n"),
            "line 2: not an issue of beads; missing: title, created_at",
        ),
        ("beads", sandbox.write("empty.jsonl", ""), "contains no record"),
        ("beads", sandbox.home.clone(), "bd export -o"),
        ("beads", sandbox.root().join("nowhere"), "does not exist"),
        ("beads", sandbox.write("long.jsonl", vec![b' '; 9 << 20]), "longer than"),
        ("claude-mem", sandbox.write("no.db", "text"), "not a SQLite database"),
        ("claude-mem", sandbox.home.clone(), "not a SQLite database"),
        ("claude-mem", large, "larger than 4 GiB"),
        ("basic-memory", sandbox.home.clone(), "contains no .md file"),
        ("basic-memory", sandbox.root().join("nowhere"), "does not exist"),
    ] {
        let err = refused(&sandbox, system, &path);
        assert!(err.contains(reason), "{system} {}: {err}", path.display());
    }
    assert!(!sandbox.store().exists());
    let Run { code, err, .. } = sandbox.run(&["import", "--from", "claude-mem"]);
    assert!(code == 2 && err.contains("usually ~/.claude-mem/claude-mem.db"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_data_is_refused_with_what_it_leads_to() {
    let sandbox = Sandbox::new();
    sandbox.write("vault/secret.md", "---\nid: secret\n---\nNot of this project.\n");
    sandbox.write("vault/traps/t.json", r#"{"id": "t", "text": "t", "created_at": "2026-10-01"}"#);
    sandbox.write("vault/issues.jsonl", ISSUES);
    let (project, vault) = (&sandbox.project, sandbox.root().join("vault").canonicalize().unwrap());
    let linked = |name: &str, target: &Path| {
        let link = project.join(name);
        std::os::unix::fs::symlink(target, &link).unwrap();
        link
    };
    let refused = |system: &str, path: &Path, target: &Path| {
        let err = refused(&sandbox, system, path);
        let expected = format!("give the path that it leads to: {}", target.display());
        assert!(err.contains(&expected), "{system} {}: {err}", path.display());
    };
    for (system, name) in [
        ("beads", ".beads"),
        ("sage", ".sage"),
        ("brainclaw", ".brainclaw"),
        ("claude-memory", "memory"),
    ] {
        let link = linked(name, &vault);
        for path in [project.clone(), link.clone(), link.join("")] {
            refused(system, &path, &vault);
        }
        // The folder above may be linked, for example to another disk.
        std::fs::remove_file(&link).unwrap();
        let above = linked("above", &sandbox.root());
        import(&sandbox, system, &above.join("vault"), &["--dry-run"]);
        std::fs::remove_file(&above).unwrap();
    }
    refused("basic-memory", &linked("notes", &vault), &vault);
    std::fs::create_dir(project.join(".beads")).unwrap();
    let issues = linked(".beads/issues.jsonl", &vault.join("issues.jsonl"));
    for path in [project, issues.parent().unwrap(), &issues] {
        refused("beads", path, &vault.join("issues.jsonl"));
    }
    assert!(!sandbox.store().exists());

    // A pipe of the shell is a link as well, to no file.
    let mut command = sandbox.command();
    command.args(["import", "--from", "beads", "/dev/stdin"]);
    assert_eq!(crate::common::fed(command, ISSUES.as_bytes()).code, 0);
}
