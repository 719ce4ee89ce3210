"""Packs programs for a release: `archive.py FOLDER TARGET=PROGRAM…` writes to FOLDER.

For each target `staleness-TARGET.tar.gz`, which `cargo binstall`, Homebrew and action.yml expect. For each system with
packages of its own also an extension of Gemini CLI, which picks `OS.CPU.…` among the files of a release: it brings the
program, and says what `staleness init gemini` writes; the program for Linux on x86-64 is asked. The same input gives
the same bytes.
"""

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import about

# For those who want the C library of their system.
OTHERS = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"]
RUNNABLE = "x86_64-unknown-linux-musl"


def pack(path: Path, files: dict[str, tuple[bytes, int]]) -> None:
    """Writes an archive with these files, of name to content and mode."""
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for name, (content, mode) in files.items():
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = len(content), mode
                archive.addfile(entry, io.BytesIO(content))


def written(program: Path) -> str:
    """Returns what `init` writes for this client in an empty home."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "USERPROFILE": home}
        subprocess.run(
            [program, "--home", home, "init", "gemini"],
            cwd=home,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return Path(home, ".gemini/settings.json").read_text(encoding="utf-8")


def extension(text: str, system: about.System) -> dict[str, tuple[bytes, int]]:
    """Returns the texts of the extension for a system, made of what `init` writes."""
    settings = json.loads(text)
    ours = "${extensionPath}${/}" + system.program
    for server in settings["mcpServers"].values():
        server["command"] = ours
    # On Windows the client calls PowerShell, which takes a word in quotes for a text unless told to call it.
    call = f'& "{ours}"' if system.os == "win32" else f'"{ours}"'
    for entries in settings["hooks"].values():
        for hook in (hook for entry in entries for hook in entry["hooks"]):
            hook["command"] = f"{call} {hook['command'][hook['command'].index('hook --client') :]}"
    manifest = {
        "name": about.NAME,
        "version": about.VERSION,
        "description": about.DESCRIPTION,
        "mcpServers": settings["mcpServers"],
    }
    texts = {"gemini-extension.json": manifest, "hooks/hooks.json": {"hooks": settings["hooks"]}}
    return {name: ((json.dumps(text, indent=2) + "\n").encode(), 0o644) for name, text in texts.items()}


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    out, programs = Path(sys.argv[1]), about.built(sys.argv[2:], [*about.SYSTEMS, *OTHERS])
    runnable = programs.get(RUNNABLE)
    if runnable is None:
        sys.exit(f"a program for {RUNNABLE} is needed")
    settings = written(runnable)
    out.mkdir(parents=True, exist_ok=True)
    for target, program in programs.items():
        files = {licence.name: (licence.read_bytes(), 0o644) for licence in about.LICENCES}
        files[about.program("windows" in target)] = (program.read_bytes(), 0o755)
        stem = f"{about.NAME}-{target}"
        pack(out / f"{stem}.tar.gz", {f"{stem}/{name}": file for name, file in files.items()})
        if system := about.SYSTEMS.get(target):
            name = f"{system.os}.{system.cpu}.{about.NAME}.tar.gz"
            pack(out / name, extension(settings, system) | files)


main()
