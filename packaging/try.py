"""Installs the packages and runs them as a newcomer would: `try.py TARGET PROGRAM`, on a system of that kind.

Makes all packages, with PROGRAM for TARGET and something else for the other systems, and serves those of npm on the
loopback address. Needs npm, and the packages of PyPI that TOOLS names; git makes the repository with the finding.
"""

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import venv
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import about

TOOLS = ["uv==0.13.9", "pre-commit==4.7.0"]
FINDING = "src/router.rs is now src/routing.rs"
WINDOWS = os.name == "nt"


def run(arguments: list, folder: Path, environment: dict, code: int = 0, timeout: int = 300) -> str:
    """Returns what a command writes; it has to end with this code."""
    program = shutil.which(str(arguments[0]), path=environment["PATH"]) or str(arguments[0])
    ended = subprocess.run(
        [program, *map(str, arguments[1:])],
        cwd=folder,
        env=environment,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout,
    )
    if ended.returncode != code:
        sys.exit(f"{' '.join(map(str, arguments))} ended with {ended.returncode}, not {code}:\n{ended.stdout}")
    return ended.stdout


def expect(text: str, said: str, of: str) -> None:
    if text not in said:
        sys.exit(f"{of} does not say {text!r}:\n{said}")
    print(f"{of}: {text}")


def repository(folder: Path, environment: dict) -> Path:
    """Makes a repository with a document that names a file by an earlier name."""
    (folder / "src").mkdir(parents=True)
    (folder / "README.md").write_text("The routes are in `src/router.rs`.\n", encoding="utf-8")
    (folder / "src/router.rs").write_text("pub fn route() {}\n", encoding="utf-8")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (
        ["init", "-q"],
        ["add", "."],
        ["commit", "-qm", "first"],
        ["mv", "src/router.rs", "src/routing.rs"],
        ["commit", "-qm", "second"],
    ):
        run([*git, *arguments], folder, environment)
    return folder


def registry(packages: Path) -> str:
    """Serves the packages in the folders below this one to npm, and returns the address."""
    kept = {}
    for folder in packages.iterdir():
        if folder.is_dir():
            name = json.loads(run(["npm", "pack", "--json", folder], packages, dict(os.environ)))[0]["filename"]
            kept[folder.name] = (
                json.loads((folder / "package.json").read_text(encoding="utf-8")),
                (packages / name).read_bytes(),
            )

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            name, _, file = self.path.strip("/").partition("/")
            manifest, content = kept.get(name, (None, None))
            if manifest and not file:
                digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
                dist = {"tarball": f"{address}/{name}/package.tgz", "integrity": f"sha512-{digest}"}
                versions = {about.VERSION: {**manifest, "dist": dist}}
                content = json.dumps(
                    {"name": name, "dist-tags": {"latest": about.VERSION}, "versions": versions}
                ).encode()
            self.send_response(200 if manifest else 404)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return address


def only(folder: Path, names: list[str]) -> str:
    """Returns a search path with these programs alone. On Windows, the usual one."""
    if WINDOWS:
        return os.environ["PATH"]
    folder.mkdir()
    for name in names:
        # What is called `python3` may be a script that needs more.
        (folder / name).symlink_to(sys.executable if name == "python3" else shutil.which(name))
    return str(folder)


def attempt(work: Path, target: str, program: Path) -> None:
    outside = {
        **os.environ,
        "HOME": str(work),
        "USERPROFILE": str(work),
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    project = repository(work / "project", outside)
    wrong = about.ROOT / "LICENSE-MIT"
    systems = [f"{each}={program if each == target else wrong}" for each in about.SYSTEMS]
    tools = about.ROOT / "packaging"

    run([sys.executable, tools / "npm.py", work / "npm", *systems], work, outside)
    npm = {
        **outside,
        "PATH": only(work / "node", ["git", "node", "npm", "npx", "sh"]),
        "npm_config_cache": str(work / "cache"),
        "npm_config_registry": registry(work / "npm"),
        "npm_config_update_notifier": "false",
    }
    expect(FINDING, run(["npx", "--yes", "staleness", "check"], project, npm), "npx staleness check")
    run(["npx", "--yes", "staleness", "check", "--fail-on", "stale"], project, npm, code=1)
    bare = work / "bare"
    bare.mkdir()
    run(["npm", "install", "--omit=optional", "--prefix", bare, "staleness"], bare, npm)
    said = run(["node", bare / "node_modules/staleness/launcher.js", "check"], project, npm, about.ABSENT_CODE)
    expect("has no built program for this system", said, "npm without the system's package")

    wheels = work / "wheels"
    run([sys.executable, tools / "wheel.py", wheels, *systems], work, outside)
    venv.create(work / "tools", with_pip=True)
    bin_folder = work / "tools" / ("Scripts" if WINDOWS else "bin")
    run(
        [bin_folder / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *TOOLS],
        work,
        outside,
        timeout=600,
    )
    python = {
        **outside,
        "PATH": only(work / "python", ["dirname", "git", "python3", "realpath"]),
        "UV_CACHE_DIR": str(work / "uv"),
        "UV_PYTHON_DOWNLOADS": "never",
    }
    local = ["--no-index", "--find-links", wheels]
    for command in ("staleness-cli", "staleness", "python -m staleness_cli"):
        uvx = [bin_folder / "uvx", *local, "--from", "staleness-cli", *command.split(), "check"]
        expect(FINDING, run(uvx, project, python), f"uvx --from staleness-cli {command} check")
    run([bin_folder / "uvx", *local, "staleness-cli", "check", "--fail-on", "stale"], project, python, code=1)
    absent = wheels / f"staleness_cli-{about.VERSION}-py3-none-any.whl"
    said = run([bin_folder / "uvx", *local, "--from", absent, "staleness", "check"], project, python, about.ABSENT_CODE)
    expect("has no built program for this system", said, "the wheel for other systems")

    hook = {**outside, "PRE_COMMIT_HOME": str(work / "hooks"), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
    arguments = [bin_folder / "pre-commit", "try-repo", about.ROOT, "staleness-check", "--verbose", "--all-files"]
    expect(FINDING, run(arguments, project, hook, code=1), "pre-commit")


def main() -> None:
    if len(sys.argv) != 3 or sys.argv[1] not in about.SYSTEMS:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        attempt(Path(folder), sys.argv[1], Path(sys.argv[2]).resolve())


main()
