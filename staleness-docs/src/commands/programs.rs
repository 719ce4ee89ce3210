//! Programs that are recognised by name.

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

/// Foreign programs, whose flags and arguments are not the project's. The words are fixed, so nobody can force hash
/// collisions.
static FOREIGN: LazyLock<HashSet<&'static str, FixedState>> = LazyLock::new(|| {
    let words = "

    ./gradlew 7z ansible apk apt apt-get awk aws az babel bash bat bazel black brew bun
    bundle bunx cargo cat cc cd chmod choco chown clang cmake codex composer conda corepack
    coverage cp ctest curl deno diff dnf docker docker-compose dotnet echo emacs emerge env
    eslint export fd ffmpeg find flake8 fzf gcc gcloud gdb gem gh git go gofmt golangci-lint
    gpg gradle grep gunicorn hatch helm hg isort java javac jest journalctl jq just kubectl
    lerna less lldb ln ls make mamba man meson micromamba minikube mix mkdir mocha mv mvn
    mypy ninja nix nix-env node nox npm npx nvm nx openssl pacman pdm perl php pip pip3 pipenv pipx
    pkg-config pkgconf pnpm podman poetry powershell pre-commit prettier pylint pytest python python3 rake rm
    rollup rsync ruby ruff rustc rustup sbt scoop scp sed set sh snap ssh strace sudo swift
    systemctl tar terraform tmux tox tsc turbo twine uv uvicorn uvx valgrind vim vite vitest
    webpack wget xcodebuild
";
    words.split_ascii_whitespace().collect()
});

/// Commands of package managers that are not scripts.
#[rustfmt::skip]
const BUILT_IN: &[&str] = &[
    "about", "access", "add", "approve-builds", "archive", "audit", "autoclean", "bin", "browse",
    "bugs", "bump", "cache", "check-platform-reqs", "ci", "clear-cache", "clearcache", "config", "constraints",
    "create", "create-project", "dedupe", "depends", "diagnose", "dist-tag", "dlx",
    "doctor", "dump-autoload", "dumpautoload", "env", "exec", "explain", "fetch", "fund", "global", "help",
    "home", "i", "import", "info", "init", "install", "install-completion", "install-test", "it", "licenses", "link", "list", "ln",
    "login", "logout", "ls", "node", "npm", "outdated", "owner", "pack", "patch", "patch-commit", "plugin",
    "pm", "policies", "prohibits", "prune", "publish", "rb", "rebuild", "reinstall", "remove", "repl", "require", "rm", "root", "run",
    "run-script", "search", "self-update", "selfupdate", "set", "setup", "show", "stage", "status", "store",
    "suggests", "tag", "team", "un", "uninstall", "unlink", "unplug", "up", "update", "upgrade", "upgrade-interactive",
    "validate", "version", "versions", "view", "why", "workspace", "workspaces", "x",
];

/// Cargo subcommands that work on the project's own packages.
#[rustfmt::skip]
const OF_CARGO: &[&str] = &[
    "b", "bench", "build", "c", "check", "clippy", "d", "doc", "fix", "fmt", "llvm-cov", "miri", "nextest", "package",
    "publish", "r", "run", "rustc", "rustdoc", "t", "test", "tree",
];
/// Other cargo subcommands.
#[rustfmt::skip]
const OTHERS_OF_CARGO: &[&str] = &[
    "add", "audit", "binstall", "clean", "config", "deny", "expand", "fetch", "fuzz", "generate", "generate-lockfile",
    "help", "info", "init", "install", "locate-project", "login", "logout", "metadata", "new", "outdated", "owner",
    "pkgid", "read-manifest", "remove", "report", "rm", "search", "uninstall", "update", "vendor", "verify-project",
    "version", "watch", "yank",
];

/// Modules of Python's standard library that people run.
#[rustfmt::skip]
const OF_PYTHON: &[&str] = &[
    "ast", "asyncio", "base64", "build", "cProfile", "calendar", "celery", "code", "compileall", "dis", "django",
    "doctest", "ensurepip", "flask", "gzip", "http", "idlelib", "inspect", "ipykernel", "json", "pdb", "platform",
    "playwright", "pre_commit", "profile", "pstats", "py_compile", "pydoc", "random", "site", "sphinx", "sqlite3",
    "streamlit", "sysconfig", "tarfile", "this", "timeit", "tkinter", "tokenize", "trace", "unittest", "venv",
    "virtualenv", "webbrowser", "zipapp", "zipfile",
];

/// Returns true if a command line begins with a foreign program.
pub(crate) fn is_foreign(word: &str) -> bool {
    FOREIGN.contains(word)
}

pub(super) fn is_foreign_module(module: &str) -> bool {
    let first = module.split('.').next().unwrap_or(module);
    is_foreign(first) || OF_PYTHON.contains(&first)
}

/// Returns true if a word after a package manager is a built-in command, not a script.
pub(super) fn is_built_in(word: &str) -> bool {
    BUILT_IN.contains(&word)
}

/// Returns true if a cargo subcommand takes packages, binaries and features of the project.
pub(super) fn is_of_cargo(word: &str) -> bool {
    OF_CARGO.contains(&word)
}

/// Returns true if a cargo subcommand is well known, and so not an alias.
pub(super) fn is_known_to_cargo(word: &str) -> bool {
    is_of_cargo(word) || OTHERS_OF_CARGO.contains(&word)
}
