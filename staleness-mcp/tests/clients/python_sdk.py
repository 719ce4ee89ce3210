"""Drives `staleness mcp` with the MCP SDK for Python: every tool, errors, progress, cancellation, the end of input; over
HTTP too.

Usage: python_sdk.py STALENESS
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

PROGRAM = sys.argv[1]
PASSED = []


def check(what, holds, shown=""):
    if not holds:
        raise SystemExit(f"FAILED: {what}: {shown}")
    PASSED.append(what)


def git(folder, *args):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run(["git", *identity, *args], cwd=folder, check=True, capture_output=True)


def project(root):
    """A repository whose README names a file that is gone."""
    folder = root / "project"
    folder.mkdir()
    (folder / "router.py").write_text("prefix = 1\n")
    (folder / "README.md").write_text("It begins in `router.py`.\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "both")
    git(folder, "rm", "-q", "router.py")
    git(folder, "commit", "-qm", "gone")
    return folder


class Client:
    def __init__(self, session):
        self.session = session
        self.called = set()

    async def call(self, tool, arguments=None, **more):
        self.called.add(tool)
        return await self.session.call_tool(tool, arguments or {}, **more)

    async def data(self, tool, arguments=None, **more):
        result = await self.call(tool, arguments, **more)
        check(f"{tool} answers", not result.is_error, result.content)
        check(f"{tool} says it in words", bool(result.content[0].text), result)
        return result.structured_content

    async def refused(self, tool, arguments, what):
        result = await self.call(tool, arguments)
        text = result.content[0].text
        check(f"{tool} refuses {arguments}", result.is_error and what in text and "Next: " in text, text)


async def every_tool(client):
    listed = await client.session.list_tools()
    names = [tool.name for tool in listed.tools]
    check("twelve tools are listed", len(names) == 12, names)
    for tool in listed.tools:
        hints = tool.annotations
        said = [hints.read_only_hint, hints.idempotent_hint, hints.destructive_hint, hints.open_world_hint]
        check(f"{tool.name} is annotated", None not in said, said)

    tool = "mcp__github__search"
    for _ in range(3):
        await client.data("record_outcome", {"name": tool, "outcome": "failure"})
    status = await client.data("tool_status", {"name": tool})
    check("three failures demote", status["status"] == "demoted", status)
    found = await client.data("discover_tools", {"query": "search github"})
    check("a demoted tool is marked", found["tools"][0]["mark"] == "[demoted]", found)
    check("and not suggested", (await client.data("suggest_tool"))["tools"] == [])
    await client.data("record_outcome", {"name": tool, "outcome": "success"})
    offered = await client.data("suggest_tool")
    check("one success restores", offered["tools"][0]["name"] == tool, offered)

    saved = await client.data("save_knowledge", {"body": "The router matches the longest prefix"})
    ids = [saved["item"]["id"]]
    found = await client.data("recall_knowledge", {"query": "router matches longest prefix"})
    check("what was saved is recalled", found["items"][0]["id"] == ids[0], found)
    verified = await client.data("verify_knowledge", {"ids": ids, "still": "holds"})
    check("and verified", "verified_at" in verified["items"][0], verified)

    added = await client.data(
        "work_item", {"action": "add", "kind": "trap", "text": "never twice", "expires": "-2d"}
    )
    trap = added["item"]["id"]
    stale = await client.data("list_stale", {"kind": "work"})
    check("an expired trap is stale", stale["items"][0]["id"] == trap, stale)
    check("and settled", (await client.data("settle_work", {"id": trap}))["to"] == "resolved")

    told = []

    async def progress(done, total, message):
        told.append((done, message))

    checked = await client.data("check_documents", progress_callback=progress)
    check("a document that rotted is found", checked["items"][0]["path"] == "README.md", checked)
    check("progress grows", told and told == sorted(told), told)

    digest = await client.data("resume_session")
    check("the first contact is a digest", digest["source"] == "digest", digest)
    again = await client.data("resume_session")
    check("news are told once", again["summary"] == "nothing changed", again)
    check("every tool was called", client.called == set(names), set(names) - client.called)


async def errors(client, elsewhere):
    try:
        await client.session.call_tool("forget_everything", {})
        check("an unknown tool is refused", False)
    except Exception as error:
        check("an unknown tool is an error of the protocol", "forget_everything" in str(error), error)
    await client.refused("tool_status", {}, "`name` is required")
    await client.refused("tool_status", {"name": "x", "color": 1}, "unknown parameter 'color'")
    await client.refused("record_outcome", {"name": "x", "outcome": "meh"}, "`outcome` cannot be 'meh'")
    await client.refused("tool_status", {"name": "nobody"}, "no tool named")
    await client.refused("list_stale", {"project": "/nowhere/at/all"}, elsewhere)


async def resources(client):
    listed = await client.session.list_resources()
    uris = [str(resource.uri) for resource in listed.resources]
    check("two resources are listed", uris == ["staleness://overview", "staleness://policy"], uris)
    for uri in uris:
        read = await client.session.read_resource(uri)
        check(f"{uri} is read", len(read.contents[0].text) > 20, read)


async def cancelled(client):
    with anyio.move_on_after(0) as scope:
        await client.session.call_tool("check_documents", {})
    check("a call that nobody waits for is given up", scope.cancelled_caught)
    status = await client.data("list_stale")
    check("and the server goes on", status["counts"]["total"] >= 0, status)


def the_end(folder, env):
    """Input ends: so does the process, within a second."""
    server = subprocess.Popen(
        [PROGRAM, "mcp"], cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    }
    server.stdin.write(json.dumps(hello).encode() + b"\n")
    server.stdin.flush()
    check("it introduces itself", b'"staleness"' in server.stdout.readline())
    gone = time.monotonic()
    server.stdin.close()
    code = server.wait(timeout=10)
    check("the end of input ends it within a second", time.monotonic() - gone < 1.0 and code == 0, code)


async def play(session, elsewhere):
    hello = await session.initialize()
    check("it says who it is", hello.server_info.name == "staleness", hello)
    client = Client(session)
    await every_tool(client)
    await errors(client, elsewhere)
    await resources(client)
    await cancelled(client)


def machine(root):
    folder = project(root)
    return folder, {"HOME": str(root), "XDG_DATA_HOME": str(root / "data"), "PATH": os.environ["PATH"]}


async def over_http(root):
    folder, env = machine(root)
    token, tokens = "0123456789abcdef" * 2, root / "tokens"
    tokens.write_text(f"{token} {folder}\n")
    tokens.chmod(0o600)
    command = [PROGRAM, "mcp", "--http", "0", "--tokens", str(tokens)]
    server = subprocess.Popen(command, cwd=root, env=env, stderr=subprocess.PIPE, text=True)
    try:
        url = server.stderr.readline().split()[1]
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            create_mcp_http_client(headers=headers) as http,
            streamable_http_client(url, http_client=http) as streams,
            ClientSession(*streams[:2]) as session,
        ):
            await play(session, "your token is for another project")
        server.terminate()
        code = server.wait(timeout=10)
        check("over HTTP a signal ends it", code == 0, code)
    finally:
        server.kill()


async def main():
    with tempfile.TemporaryDirectory() as root:
        root = Path(root).resolve()
        folder, env = machine(root)
        server = StdioServerParameters(command=PROGRAM, args=["mcp"], cwd=str(folder), env=env)
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await play(session, "not a folder")
        the_end(folder, env)
    with tempfile.TemporaryDirectory() as root:
        await over_http(Path(root).resolve())
    print(f"{len(PASSED)} passed, 0 failed")


anyio.run(main)
