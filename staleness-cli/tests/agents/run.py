"""Runs whole sessions of real agent clients against a stand-in model, and checks what our hooks told the model.

Usage: run.py STALENESS MODULES [CLIENT…]
"""

import datetime
import sys
import tempfile
import time
from pathlib import Path

from clients import CLIENTS, Machine

TASK = "Review the migration of the orders table"
RULE = "Never edit files under src/gen"
FAILED = []


def check(client, what, holds, shown=""):
    if not holds:
        FAILED.append(f"{client.name}: {what}")
        print(f"FAILED: {client.name}: {what} {shown}")


def told(client, case, text, *, has=(), lacks=()):
    """Prints what a session was told, and checks it: without `has` it must be nothing."""
    print(f"\n-- {client.name}: {case}\n{text or '(nothing)'}")
    if not has:
        check(client, f"{case}: nothing is told", not text)
    for part in has:
        check(client, f"{case}: `{part}` is told", part in text)
    for part in lacks:
        check(client, f"{case}: `{part}` is not told", part not in text)


def outcomes(client, **expected):
    """Checks the outcomes of tools of the trial server. Some clients run their hooks in the background."""
    end = time.monotonic() + 10
    while True:
        tools = client.machine.tools()
        found = {tool: tools.get(f"mcp__trial__{tool}", {}).get("outcomes") for tool in expected}
        if found == expected or time.monotonic() > end:
            return check(client, f"the outcomes are {expected}", found == expected, found)
        time.sleep(0.1)


def play(name, other, *machine):
    with tempfile.TemporaryDirectory(prefix="staleness-") as root:
        machine = Machine(Path(root) / "home", *machine)
        client, other = CLIENTS[name](machine), CLIENTS[other](machine)
        for server in ["trial", "dropped", "shared"]:
            client.add(server)
        for server in ["shared", "theirs"]:
            other.add(server)

        told(client, "first session", client.session(("trial", "works"), ("trial", "breaks")))
        outcomes(client, works="S", breaks="F")

        client.add("added")
        client.remove("dropped")
        client.remove("shared")
        text = client.session()
        has = [client.tool(server, "*") for server in ["added", "dropped", "shared"]]
        told(client, "a server was added, two removed", text, has=has)

        other.add("elsewhere")
        other.remove("theirs")
        told(client, f"the same in {other.name} alone", client.session())

        client.session(("trial", "breaks"), ("trial", "breaks"))
        outcomes(client, breaks="FFF")
        breaks = client.tool("trial", "breaks")
        told(client, "a tool failed", client.session(), has=[f"avoid: `{breaks}`"])

        machine.mended.touch()
        text = client.session(("trial", "breaks"))
        told(client, "it still fails", text, has=[f"avoid: `{breaks}`"])
        outcomes(client, breaks="FFFS")
        again = f"Available again: `{breaks}`"
        told(client, "it works again", client.session(), has=[again], lacks=["avoid"])

        handoff = {"action": "add", "kind": "handoff", "text": TASK, "to": client.name}
        other.session(("staleness", "work_item", handoff))
        # Of text that another agent wrote only the id is told.
        has = ["For you: handoff `", f"from `{other.name}`", "--status accepted"]
        told(client, f"{other.name} hands over; the session is resumed", client.session(resume=True), has=has)
        told(client, "the handoff is still open", client.session(), has=has, lacks=[TASK])

        machine.type("work", "add", "constraint", RULE, "--id", "generated")
        has = [f'constraint `generated` (added): "{RULE}"']
        told(client, "a person typed a rule", client.session(), has=has)
        weeks_ago = (datetime.date.today() - datetime.timedelta(days=40)).isoformat()
        machine.staleness("--now", weeks_ago, "work", "add", "plan", "Move the orders", "--id", "orders")
        has = ["Overdue (settle: `staleness stale resolve ID`): plan `orders`", f'In force: constraint `generated`: "{RULE}"']
        told(client, "a plan is overdue", client.session(), has=has, lacks=["(added)"])
        told(client, "it still is", client.session(), has=has[1:], lacks=["Overdue"])


program, modules, *names = sys.argv[1:]
for name in names or CLIENTS:
    if name not in CLIENTS:
        sys.exit(f'unknown client "{name}": give {", ".join(CLIENTS)}')
    play(name, "claude-code" if name == "codex" else "codex", program, Path(modules))
if FAILED:
    sys.exit("\n".join(["", f"{len(FAILED)} expectations failed:", *FAILED]))
