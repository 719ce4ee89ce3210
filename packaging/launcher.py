"""Runs the program `staleness`, which this wheel installs beside its other commands."""

import os
import subprocess
import sys
from importlib.metadata import files


def main():
    name = "staleness.exe" if os.name == "nt" else "staleness"
    program = next((each.locate() for each in files("staleness-cli") or [] if each.name == name), None)
    if program is None or not os.path.isfile(program):
        sys.exit(f"{name} is not where it was installed: install staleness-cli again")
    arguments = [str(program), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(arguments))
    os.execv(arguments[0], arguments)


if __name__ == "__main__":
    main()
