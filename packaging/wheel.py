"""Makes the Python wheels: `wheel.py FOLDER TARGET=PROGRAM…` writes one for each system to FOLDER.

One more wheel, for all other systems, says that there is no program for them; installers prefer one that fits. The
project is called `staleness-cli`, since PyPI has another `staleness`; both names are commands. The same input gives
the same bytes.

It is the build backend of pyproject.toml too, which pre-commit installs: a wheel of nothing but a dependency.
"""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

import about

PROJECT = about.CRATE["name"]
MODULE = PROJECT.replace("-", "_")
ABSENT = f'''import platform
import sys


def main():
    print(f"""{about.ABSENT.format(system="{platform.system()} {platform.machine()}")}""", file=sys.stderr)
    sys.exit({about.ABSENT_CODE})


if __name__ == "__main__":
    main()
'''


def write(folder: Path, project: str, tags: str, files: dict, requires=(), commands=()) -> str:
    """Writes a wheel with these files, of name to content and mode, and returns its name."""
    stem = f"{project.replace('-', '_')}-{about.VERSION}"
    marker = f"<!-- mcp-name: {about.MCP_NAME} -->\n\n" if about.MCP_NAME else ""
    metadata = [
        "Metadata-Version: 2.4",
        f"Name: {project}",
        f"Version: {about.VERSION}",
        f"Summary: {about.DESCRIPTION}",
        f"License-Expression: {about.LICENSE}",
        *(f"License-File: {licence.name}" for licence in about.LICENCES),
        f"Keywords: {','.join(about.KEYWORDS)}",
        f"Project-URL: Repository, {about.REPOSITORY}",
        "Requires-Python: >=3.8",
        *(f"Requires-Dist: {each}" for each in requires),
        "Description-Content-Type: text/markdown",
        "",
        f"{marker}{about.ABSTRACT}\n\n<{about.REPOSITORY}>",
    ]
    wheel = [
        "Wheel-Version: 1.0",
        f"Generator: {about.NAME}",
        f"Root-Is-Purelib: {str(tags == 'any').lower()}",
        *(f"Tag: py3-none-{tag}" for tag in tags.split(".")),
    ]
    scripts = ["[console_scripts]", *(f"{each} = {MODULE}:main" for each in commands)]
    files = dict(files)
    info = f"{stem}.dist-info"
    for name, lines in {"METADATA": metadata, "WHEEL": wheel, "entry_points.txt": scripts}.items():
        files[f"{info}/{name}"] = ("\n".join([*lines, ""]).encode(), 0o644)
    for licence in about.LICENCES:
        files[f"{info}/licenses/{licence.name}"] = (licence.read_bytes(), 0o644)
    record = []
    for name, (content, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        record.append(f"{name},sha256={digest},{len(content)}\n")
    files[f"{info}/RECORD"] = ("".join([*record, f"{info}/RECORD,,\n"]).encode(), 0o644)
    path = folder / f"{stem}-py3-none-{tags}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, (content, mode) in files.items():
            entry = zipfile.ZipInfo(name)
            entry.create_system = 3  # Unix: what follows are its permissions.
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return path.name


def build_wheel(folder: str, _settings: object = None, _metadata: object = None) -> str:
    """Builds what pre-commit installs: the wheel of this version, by way of a dependency."""
    return write(Path(folder), f"{PROJECT}-hook", "any", {}, requires=[f"{PROJECT}=={about.VERSION}"])


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    out, programs = Path(sys.argv[1]), about.built(sys.argv[2:])
    out.mkdir(parents=True, exist_ok=True)
    absent = {f"{MODULE}.py": (ABSENT.encode(), 0o644)}
    write(out, PROJECT, "any", absent, commands=[about.NAME, PROJECT])
    launcher = (about.ROOT / "packaging/launcher.py").read_bytes()
    for target, path in programs.items():
        system = about.SYSTEMS[target]
        script = f"{MODULE}-{about.VERSION}.data/scripts/{system.program}"
        files = {f"{MODULE}.py": (launcher, 0o644), script: (path.read_bytes(), 0o755)}
        write(out, PROJECT, system.wheel, files, commands=[PROJECT])


if __name__ == "__main__":
    main()
