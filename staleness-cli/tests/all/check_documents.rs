//! What a check looks at, and what it makes of what it finds, with the real binary.

use serde_json::Value;

use crate::common::Sandbox;

/// The items of an answer, in order: `id kinds-of-signals`.
fn told(document: &Value) -> Vec<String> {
    let item = |item: &Value| {
        let signals = item["verdict"]["signals"].as_array().unwrap().iter();
        let kinds: Vec<&str> = signals.map(|signal| signal["kind"].as_str().unwrap()).collect();
        format!("{} {}", item["id"].as_str().unwrap(), kinds.join(" "))
    };
    document["items"].as_array().unwrap().iter().map(item).collect()
}

/// A document of `text` whose words and links rot, below this front matter.
fn with_front(front: &str) -> Sandbox {
    let sandbox = Sandbox::with_history();
    sandbox.write("project/src/a.rs", "fn main() { opt(\"--fast-path\"); }\n");
    sandbox.write("project/src/b.rs", "fn b() {}\n");
    sandbox.write("project/CITED.txt", "cited\n");
    let text = "# How\n\nSee [b](src/b.rs), with `--fast-path`, as of now.\n";
    sandbox.write("project/AGENTS.md", format!("---\n{front}\n---\n{text}"));
    sandbox.commit("2026-01-10T00:00:00Z");
    for path in ["src/b.rs", "CITED.txt"] {
        std::fs::remove_file(sandbox.project.join(path)).unwrap();
    }
    sandbox.write("project/src/a.rs", "fn main() {}\n");
    sandbox.write("project/Cargo.toml", "[package]\nname = \"a\"\nversion = \"3.0.0\"\n");
    sandbox.commit("2026-02-10T00:00:00Z");
    sandbox
}

#[test]
fn an_evergreen_document_hears_of_its_end_alone() {
    let fields = "version_context: 1.0.0\ncite: [CITED.txt]";
    let plain = with_front(fields);
    assert_eq!(told(&plain.json(&["check"])).len(), 2, "its front matter and its text");
    for front in [fields, "cite: [CITED.txt]"] {
        let sandbox = with_front(&format!("evergreen: true\n{front}"));
        for way in ["read", "taken over"] {
            let found = sandbox.check_now();
            assert_eq!(told(&found), [""; 0], "{way}");
            assert_eq!(found["counts"]["fresh"], 2, "{way}: {found:#}");
        }
        assert!(!sandbox.ok(&["review"]).contains("AGENTS.md"));
    }
    let ended = with_front(&format!("evergreen: true\nexpires: 2026-03-01\n{fields}"));
    for way in ["read", "taken over"] {
        assert_eq!(told(&ended.check_now()), ["AGENTS.md:3 expired"], "{way}");
    }
    // Whoever takes the word out hears the rest.
    let text = std::fs::read_to_string(ended.project.join("AGENTS.md")).unwrap();
    ended.write("project/AGENTS.md", text.replace("evergreen: true\n", ""));
    ended.commit("2026-02-11T00:00:00Z");
    assert!(told(&ended.check_now()).iter().any(|each| each.contains("version_drift")));
}
