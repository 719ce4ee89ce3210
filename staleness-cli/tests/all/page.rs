//! The report for a browser: one page that holds everything, asks no network and runs nothing but its own script.

use serde_json::json;

use crate::common::Sandbox;

fn page(sandbox: &Sandbox) -> String {
    sandbox.ok(&["report", "--html", "report.html"]);
    std::fs::read_to_string(sandbox.project.join("report.html")).unwrap()
}

/// Returns the part of a page from the heading of a section to the next.
fn section<'a>(page: &'a str, id: &str) -> &'a str {
    let from = page.find(&format!("<section id=\"{id}\">")).unwrap();
    &page[from..from + page[from..].find("</section>").unwrap()]
}

#[test]
fn a_report_shows_every_part_of_the_registry() {
    let sandbox = Sandbox::rotted();
    sandbox.check_now();
    sandbox.claude(&["github", "files"]);
    sandbox.codex(&["github"]);
    sandbox.ok(&["scan"]);
    for id in ["1", "2", "3"] {
        sandbox.ok(&["record", "mcp__github__search", "--failure", "--id", id, "--new"]);
    }
    sandbox.ok(&["knowledge", "add", "--body", "The port is 8080.", "--id", "port"]);
    sandbox.ok(&["work", "add", "plan", "--id", "p1", "Ship it"]);
    let page = page(&sandbox);
    let has = |id: &str, parts: &[&str]| {
        let section = section(&page, id);
        parts
            .iter()
            .for_each(|part| assert!(section.contains(part), "{id} lacks {part}: {section}"));
    };
    has("clients", &["claude-code", "codex", "<td>files<", "class=\"configured\""]);
    has("uses", &["0 succeeded, 3 failed", "<rect class=\"bad\""]);
    has("tools", &["<td>mcp__github__search<td class=\"demoted\">demoted<", "<td>F<"]);
    has("changes", &["tool mcp__github__search", "failing: demoted"]);
    has("documents", &["class=\"stale\"", "AGENTS.md:"]);
    has("knowledge", &["port", "The port is 8080."]);
    has("work", &["<td>p1<", "Ship it"]);
    has("cost", &["claude-code", "unknown", "mcp__github__*", "AGENTS.md", "always loaded"]);
}

#[test]
fn ten_thousand_tools_are_all_on_a_page_of_two_megabytes() {
    let sandbox = Sandbox::new();
    let line = |at: usize| {
        let (name, server) = (format!("tool_number_{at}"), format!("server{}", at / 50));
        json!({ "type": "tool", "name": name, "kind": "mcp_tool", "server": server }).to_string()
    };
    let lines: Vec<String> = (0..10_000).map(line).collect();
    sandbox.write("project/tools.jsonl", lines.join("\n"));
    sandbox.ok(&["import", "--from", "jsonl", "tools.jsonl"]);
    let page = page(&sandbox);
    assert_eq!(section(&page, "tools").matches("__tool_number_").count(), 10_000);
    assert!(page.len() <= 2_000_000, "{}", page.len());
}

#[test]
fn names_and_texts_that_are_markup_stay_text() {
    let sandbox = Sandbox::new();
    let hostile = "\"><script>alert(1)</script><img src=x onerror=alert(1)>";
    let name = "x<script>alert(1)</script>";
    sandbox.write(
        "home/.claude.json",
        json!({ "mcpServers": { name: { "command": hostile } } }).to_string(),
    );
    sandbox.ok(&["scan"]);
    sandbox.ok(&["knowledge", "add", "--body", hostile, "--id", "k"]);
    sandbox.ok(&["work", "add", "plan", "--id", "w", hostile]);
    let page = page(&sandbox);
    assert_eq!((page.matches("<script").count(), page.matches("<img").count()), (1, 0), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    for text in page.split('<').skip(1).filter_map(|tag| tag.split('>').next()) {
        assert!(!text.contains(" src=") && !text.contains("=\"http"), "{text}");
    }
    assert!(!page.contains("url(") && !page.contains("@import"));
    assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"));
}

#[test]
fn a_report_of_nothing_says_so_and_one_that_cannot_be_written_names_the_file() {
    let sandbox = Sandbox::new();
    let page = page(&sandbox);
    for text in
        ["No MCP server is known.", "No success or failure", "No tool is known.", "Not checked yet"]
    {
        assert!(page.contains(text), "{text}: {page}");
    }
    let run = sandbox.run(&["report", "--html", "no/such/folder/report.html"]);
    assert!(run.code != 0 && run.err.contains("no/such/folder/report.html"), "{run:?}");
    assert_eq!(sandbox.run(&["report"]).code, 2);
    sandbox.write("home/.claude.json", "{");
    assert!(self::page(&sandbox).contains("claude-code/user/mcp (failed): "));
}

#[cfg(unix)]
#[test]
fn a_report_is_private_and_written_to_a_file_of_the_project() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let sandbox = Sandbox::new();
    let told = sandbox.json(&["report", "--html", "r.html"]);
    assert_eq!(told, json!({ "file": "r.html" }));
    let mode = sandbox.project.join("r.html").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
    let outside = sandbox.write("bashrc", "mine");
    symlink(&outside, sandbox.project.join("link.html")).unwrap();
    for (file, why) in [("link.html", "a link that points outside"), (".", "not a file")] {
        let run = sandbox.run(&["report", "--html", file]);
        assert!(run.code != 0 && run.err.contains(why), "{run:?}");
    }
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "mine");
}
