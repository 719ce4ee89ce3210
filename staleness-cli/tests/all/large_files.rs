//! A large configuration file is read once, and every change of it is noticed.

use crate::common::{Sandbox, names};

const SECRET: &str = "s3cr3t";

/// Writes the user's file of Claude Code, 2 MB of history included.
fn write(sandbox: &Sandbox, server: &str) {
    let history = format!("\"{SECRET}\",\n").repeat(200_000) + "\"\"";
    let text = format!(
        "{{\"history\": [{history}], \"mcpServers\": {{\"{server}\": {{\"env\": {{\"KEY\": \"{SECRET}\"}}}}}}}}"
    );
    sandbox.write("home/.claude.json", text);
}

fn fresh(sandbox: &Sandbox) -> Vec<String> {
    let list = sandbox.json(&["tools", "list", "--status", "active"]);
    names(&list["tools"]).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_large_file_that_changed_between_two_session_starts_is_noticed() {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join("data/staleness/registry.db.outlines");
    for (session, server) in [("s1", "a"), ("s2", "a"), ("s3", "b"), ("s4", "b")] {
        // Of the same size each time.
        write(&sandbox, server);
        sandbox.session_start(&sandbox.project, session, "startup");
        assert_eq!(fresh(&sandbox), [format!("mcp__{server}__*")]);
        let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(Result::unwrap).collect();
        assert_eq!(files.len(), 1);
        let outline = std::fs::read_to_string(files[0].path()).unwrap();
        assert!(!outline.contains(SECRET) && outline.contains("mcpServers"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(folder.clone()), mode(files[0].path())), (0o700, 0o600));
        }
    }
}

#[test]
fn commands_that_only_look_remember_no_large_file() {
    let sandbox = Sandbox::scanned();
    write(&sandbox, "a");
    let before = sandbox.files();
    for args in [&[][..], &["scan", "--dry-run"], &["doctor"], &["board"]] {
        sandbox.run(args);
        let after = sandbox.files();
        assert!(before.keys().eq(after.keys()), "{args:?}");
    }
}
