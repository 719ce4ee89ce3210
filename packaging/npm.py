"""Makes the npm packages: `npm.py FOLDER TARGET=PROGRAM…` writes a folder for each to FOLDER.

`staleness` holds a launcher of a few lines. It depends on a package for each system, of which npm installs the one
that fits. All systems are named, also those whose program is not given: a release gives all.
"""

import json
import shutil
import sys
from pathlib import Path

import about


def package(folder: Path, name: str, more: dict) -> None:
    folder.mkdir(parents=True)
    manifest = {
        "name": name,
        "version": about.VERSION,
        "description": about.DESCRIPTION,
        "keywords": about.KEYWORDS,
        "license": about.LICENSE,
        "homepage": about.REPOSITORY,
        "repository": {"type": "git", "url": f"git+{about.REPOSITORY}.git"},
        **more,
    }
    (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(f"{about.ABSTRACT}\n\n<{about.REPOSITORY}>\n", encoding="utf-8")
    for licence in about.LICENCES:
        shutil.copy(licence, folder)


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    out, programs = Path(sys.argv[1]), about.built(sys.argv[2:])
    for target, path in programs.items():
        system = about.SYSTEMS[target]
        files = [system.program]
        package(out / system.npm, system.npm, {"os": [system.os], "cpu": [system.cpu], "files": files})
        copy = out / system.npm / system.program
        shutil.copy(path, copy)
        copy.chmod(0o755)
    wanted = {
        "bin": {about.NAME: "launcher.js"},
        "files": ["launcher.js"],
        "engines": {"node": ">=18"},
        "optionalDependencies": {system.npm: about.VERSION for system in about.SYSTEMS.values()},
    }
    if about.MCP_NAME:
        wanted["mcpName"] = about.MCP_NAME
    package(out / about.NAME, about.NAME, wanted)
    launcher = (about.ROOT / "packaging/launcher.js").read_text(encoding="utf-8")
    absent = about.ABSENT.format(system="${process.platform} ${process.arch}")
    launcher = launcher.replace("@ABSENT@", absent).replace("@CODE@", str(about.ABSENT_CODE))
    (out / about.NAME / "launcher.js").write_text(launcher, encoding="utf-8")


main()
