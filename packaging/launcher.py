"""Runs the program `staleness`, which this wheel installs beside its other commands."""

import os
import subprocess
import sys
import sysconfig


def main():
    name = "staleness.exe" if os.name == "nt" else "staleness"
    folders = [os.path.dirname(os.path.abspath(sys.argv[0])), sysconfig.get_path("scripts")]
    paths = [os.path.join(folder, name) for folder in folders]
    program = next((path for path in paths if os.path.isfile(path)), None)
    if program is None:
        sys.exit(f"{name} is in none of {', '.join(folders)}: install staleness-cli again")
    arguments = [program, *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(arguments))
    os.execv(program, arguments)
