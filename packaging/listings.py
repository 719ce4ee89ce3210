"""Fills what names a release elsewhere: `listings.py FOLDER` reads the archives there and writes beside them.

- `SHA256SUMS`
- `staleness.rb`, a formula for Homebrew
- `server.json`, for the MCP registry: of a repository on GitHub alone, whose name is the right to one there
"""

import hashlib
import json
import re
import sys
from pathlib import Path

import about

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"


def formula(sums: dict[str, str]) -> str:
    """Returns the formula with the facts of this release. Each `@NAME@` of the template is one."""
    licences = ", ".join(json.dumps(each) for each in about.LICENSE.split(" OR "))
    facts = {
        "DESCRIPTION": about.DESCRIPTION,
        "REPOSITORY": about.REPOSITORY,
        "VERSION": about.VERSION,
        "LICENCES": licences,
        **{name.removeprefix(f"{about.NAME}-").removesuffix(".tar.gz"): sums[name] for name in sums},
    }
    template = (about.ROOT / "packaging/staleness.rb").read_text(encoding="utf-8")
    missing = set(re.findall(r"@([\w-]+)@", template)) - set(facts)
    if missing:
        sys.exit(f"the formula needs archives of {', '.join(sorted(missing))}")
    return re.sub(r"@([\w-]+)@", lambda match: facts[match[1]], template)


def server() -> dict:
    def package(registry: str, identifier: str, hint: str) -> dict:
        return {
            "registryType": registry,
            "identifier": identifier,
            "version": about.VERSION,
            "runtimeHint": hint,
            "packageArguments": [{"type": "positional", "value": "mcp"}],
            "transport": {"type": "stdio"},
        }

    return {
        "$schema": SCHEMA,
        "name": about.MCP_NAME,
        "title": about.NAME,
        "description": about.DESCRIPTION,
        "version": about.VERSION,
        "repository": {"url": about.REPOSITORY, "source": "github"},
        "packages": [package("npm", about.NAME, "npx"), package("pypi", about.CRATE["name"], "uvx")],
    }


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = Path(sys.argv[1])
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.glob("*.tar.gz"))}
    lines = "".join(f"{digest}  {name}\n" for name, digest in sums.items())
    (out / "SHA256SUMS").write_text(lines, encoding="utf-8")
    (out / "staleness.rb").write_text(formula(sums), encoding="utf-8")
    if about.MCP_NAME:
        (out / "server.json").write_text(json.dumps(server(), indent=2) + "\n", encoding="utf-8")


main()
