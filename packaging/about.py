"""What all packages say of the program, read from its manifests, and the systems it is built for."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

try:
    import tomllib
except ImportError:  # Python before 3.11, with which pre-commit may run.
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]
CRATE = tomllib.loads((ROOT / "staleness-cli/Cargo.toml").read_text(encoding="utf-8"))["package"]

NAME = "staleness"
VERSION: str = WORKSPACE["version"]
DESCRIPTION: str = CRATE["description"]
LICENSE: str = WORKSPACE["license"]
KEYWORDS: list[str] = WORKSPACE["keywords"]
LICENCES = [ROOT / "LICENSE-MIT", ROOT / "LICENSE-APACHE"]
REPOSITORY: str = WORKSPACE["repository"]
# The program's name in the MCP registry, where a repository on GitHub gives the right to a name.
OWNER = re.fullmatch(r"https://github\.com/([\w.-]+)/([\w.-]+)", REPOSITORY)
MCP_NAME = f"io.github.{OWNER[1]}/{OWNER[2]}" if OWNER else None
# The part of the README that makes sense without the repository.
ABSTRACT = (ROOT / "README.md").read_text(encoding="utf-8").split("\n```", 1)[0].strip()


class System(NamedTuple):
    """A system with packages of its own: its names in Node.js, and the tags of its wheel."""

    os: str
    cpu: str
    wheel: str

    @property
    def npm(self) -> str:
        return f"{NAME}-{self.os}-{self.cpu}"

    @property
    def program(self) -> str:
        return program(self.os == "win32")


# On Linux the static program runs with every C library.
SYSTEMS = {
    "x86_64-unknown-linux-musl": System(
        "linux", "x64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"
    ),
    "aarch64-unknown-linux-musl": System(
        "linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"
    ),
    "x86_64-apple-darwin": System("darwin", "x64", "macosx_10_12_x86_64"),
    "aarch64-apple-darwin": System("darwin", "arm64", "macosx_11_0_arm64"),
    "x86_64-pc-windows-msvc": System("win32", "x64", "win_amd64"),
}

# Said by the packages on all other systems.
ABSENT = f"""{NAME} {VERSION} has no built program for this system ({{system}}).
Build it with Rust: cargo install --locked {CRATE["name"]}"""
# As shells do for a program that is not there: no exit code of the program itself, which hooks read.
ABSENT_CODE = 127


def program(windows: bool) -> str:
    """Returns the name of the program's file."""
    return f"{NAME}.exe" if windows else NAME


def built(arguments: list[str], targets: Iterable[str] = SYSTEMS) -> dict[str, Path]:
    """Reads arguments such as `x86_64-apple-darwin=target/…/staleness`."""
    programs = {}
    for argument in arguments:
        target, equals, path = argument.partition("=")
        if not equals or target not in targets or not Path(path).is_file():
            sys.exit(f"{argument}: expected TARGET=PROGRAM, with a file and one of {', '.join(targets)}")
        programs[target] = Path(path).resolve()
    return programs


if __name__ == "__main__":
    print(REPOSITORY, f"v{VERSION}")
