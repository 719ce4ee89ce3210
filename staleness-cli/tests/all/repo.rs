//! Projects with a history: real repositories with commits at fixed times.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Run, Sandbox};

impl Sandbox {
    /// A machine whose project is a repository without a commit.
    pub(crate) fn with_history() -> Self {
        let sandbox = Self::new();
        std::fs::remove_dir(sandbox.project.join(".git")).unwrap();
        sandbox.git("2026-01-01T00:00:00Z", &["init", "--quiet", "--initial-branch=main"]);
        sandbox
    }

    /// Runs git in the project at a time.
    pub(crate) fn git(&self, at: &str, args: &[&str]) {
        let output = Command::new("git")
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", at)
            .env("GIT_COMMITTER_DATE", at)
            .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
            .args(args)
            .current_dir(&self.project)
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
    }

    /// Commits everything that there is in the project at a time.
    pub(crate) fn commit(&self, at: &str) {
        self.git(at, &["add", "--all"]);
        self.git(at, &["commit", "--quiet", "--message", at]);
    }

    /// Checks at the present moment: the result is kept, as that of a named moment is not.
    pub(crate) fn check_now(&self) -> Value {
        self.check_now_of(&[])
    }

    /// As [`Self::check_now`], for these documents alone.
    pub(crate) fn check_now_of(&self, paths: &[&str]) -> Value {
        let program = Path::new(env!("CARGO_BIN_EXE_staleness"));
        let mut command = self.command_of(program);
        let run = Run::of(command.args(["check", "--json"]).args(paths).output().unwrap());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
        serde_json::from_str(&run.out).unwrap()
    }

    /// A project whose documents have rotted: a file was renamed and a flag went.
    pub(crate) fn rotted() -> Self {
        let sandbox = Self::with_history();
        let flag = "fn main() {\n    if arg == \"--fast-path\" {\n        run();\n    }\n}\n";
        sandbox.write("project/src/main.rs", flag);
        let router: String = (1..=40).map(|at| format!("pub fn route_{at}() {{}}\n")).collect();
        sandbox.write("project/src/router.rs", &router);
        sandbox.write("project/AGENTS.md", AGENTS);
        sandbox.write("project/docs/fine.md", "# Fine\n\nSee [the program](../src/main.rs).\n");
        sandbox.commit("2026-01-10T00:00:00Z");
        std::fs::remove_file(sandbox.project.join("src/router.rs")).unwrap();
        sandbox.write("project/src/routing.rs", &router);
        sandbox.write("project/src/main.rs", "fn main() {\n    run();\n}\n");
        sandbox.commit("2026-02-10T00:00:00Z");
        sandbox
    }
}

/// A document: line 3 cites a file that will be renamed, line 5 a flag that will go.
pub(crate) const AGENTS: &str = "\
# How to work here

The routes are listed in [the router](src/router.rs).

Run it with `--fast-path` when you are in a hurry.

Commit often.
";
