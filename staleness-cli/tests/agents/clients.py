"""The real agent clients, each driven by its own command line, in a home folder of its own."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from model import Call, Model

HERE = Path(__file__).parent
# Tells a request of the conversation from the other requests of a client.
MARKER = "Play the next turn of the script."
SECONDS = 120


def run(command, folder, env, text=None):
    """Runs a command to its end, or ends it with all that it started, and returns its standard output."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        text=True,
        stdin=subprocess.PIPE if text else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(text, SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise SystemExit(f"FAILED: {command[:3]} did not end in {SECONDS} seconds:\n{out}\n{err}") from None
    if process.returncode != 0:
        raise SystemExit(f"FAILED: {command} ended with {process.returncode}:\n{out}\n{err}")
    return out


class Machine:
    """A home folder with one project in it, and the program."""

    def __init__(self, root, program, modules):
        self.home = root
        self.program = program
        self.modules = modules
        self.mended = root / "mended"
        self.project = root / "project"
        self.project.mkdir(parents=True)
        self.env = {"HOME": str(root), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        self.git("init", "--quiet")

    def git(self, *args):
        run(["git", "-c", "user.name=Ana", "-c", "user.email=ana@example.org", *args], self.project, self.env)

    def staleness(self, *args):
        return run([self.program, *args], self.project, self.env)

    def type(self, *args):
        """Runs the program as a person does, at a terminal."""
        main, end = os.openpty()
        command = [self.program, *args]
        subprocess.run(command, cwd=self.project, env=self.env, stdin=end, stdout=end, stderr=end, check=True)
        os.close(end)
        os.close(main)

    def tools(self):
        """Returns the tools of the registry by name."""
        return {tool["name"]: tool for tool in json.loads(self.staleness("tools", "list", "--json"))["tools"]}


class Client:
    """A client on a machine, set up by `staleness init`."""

    # Commands that take from a session what it was told.
    clears = ()

    def __init__(self, machine):
        self.machine = machine
        self.model = Model(MARKER)
        self.env = machine.env | self.variables()
        self.prepare()
        machine.staleness("init", self.name)

    def prepare(self):
        pass

    def command(self, *args, text=None):
        program = self.machine.modules / "node_modules" / self.entry
        return run(["node", str(program), *args], self.machine.project, self.env, text)

    def server(self):
        return [sys.executable, str(HERE / "server.py"), str(self.machine.mended)]

    def remove(self, server):
        self.command("mcp", "remove", *self.scope, server)

    def session(self, *calls, resume=False, clear=None):
        """Runs a session in which the model makes these calls, and returns the text that our hook gave it.

        With `clear` it is the text that came after this command.
        """
        self.model.play(*([Call(self.tool(server, tool), *rest)] for server, tool, *rest in calls), ["Done."])
        self.clear(clear) if clear else self.converse(resume)
        requests = self.model.conversation()
        if not requests or self.model.turns:
            raise SystemExit(f"FAILED: {self.name} left the script after {len(requests)} requests")
        return "\n".join(self.told(requests[-1 if clear else 0]))


class ClaudeCode(Client):
    name = "claude-code"
    entry = "@anthropic-ai/claude-code/cli-wrapper.cjs"
    scope = ("--scope", "user")
    document = "CLAUDE.md"
    clears = ("/clear", "/compact")

    def variables(self):
        return {
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": "stand-in",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
        }

    def trust(self):
        """Trusts the project as the client's dialog does, which a session without a terminal skips."""
        path = self.machine.home / ".claude.json"
        state = json.loads(path.read_text())
        project = state.setdefault("projects", {}).setdefault(str(self.machine.project), {})
        project["hasTrustDialogAccepted"] = True
        path.write_text(json.dumps(state))

    def add(self, server, *command):
        self.command("mcp", "add", *self.scope, server, "--", *(command or self.server()))

    def tool(self, server, tool):
        return f"mcp__{server}__{tool}"

    def converse(self, resume):
        allowed = ["mcp__trial", "mcp__shared", "mcp__staleness"]
        self.command("-p", MARKER, *(["--continue"] if resume else []), "--allowedTools", *allowed)

    def clear(self, command):
        prompts = [{"type": "user", "message": {"role": "user", "content": text}} for text in (MARKER, command, MARKER)]
        stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        self.command("-p", *stream, text="".join(json.dumps(prompt) + "\n" for prompt in prompts))

    def told(self, request):
        for text in texts_after_answer(request["messages"], "assistant"):
            yield from re.findall(r"SessionStart hook additional context: (.*?)(?:\n\n|\Z)", text, re.S)


class Codex(Client):
    name = "codex"
    entry = "@openai/codex/bin/codex.js"
    scope = ()
    document = "AGENTS.md"

    def variables(self):
        return {}

    def prepare(self):
        folder = self.machine.home / ".codex"
        folder.mkdir()
        (folder / "config.toml").write_text(
            f"""\
check_for_update_on_startup = false
model = "stand-in"
model_provider = "stand-in"

[model_providers.stand-in]
name = "stand-in"
base_url = "{self.model.url}/v1"
wire_api = "responses"

[analytics]
enabled = false
"""
        )

    def trust(self):
        path = self.machine.home / ".codex/config.toml"
        if "trust_level" not in path.read_text():
            with path.open("a") as config:
                config.write(f"\n[projects.{json.dumps(str(self.machine.project))}]\ntrust_level = \"trusted\"\n")

    def add(self, server, *command):
        self.command("mcp", "add", server, "--", *(command or self.server()))

    def tool(self, server, tool):
        return f"mcp__{server}__{tool}"

    def converse(self, resume):
        options = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
        self.command("exec", *options, *(["resume", "--last"] if resume else []), MARKER)

    def told(self, request):
        for text in texts_after_answer(request["input"], "assistant", "developer"):
            # The client's own instructions are in tags, but for the first.
            if not text.startswith(("<", "You are ")):
                yield text


class Gemini(Client):
    name = "gemini"
    entry = "@google/gemini-cli/bundle/gemini.js"
    scope = ("--scope", "user")
    document = "GEMINI.md"

    def variables(self):
        return {
            "GOOGLE_GEMINI_BASE_URL": self.model.url,
            "GEMINI_API_KEY": "stand-in",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def prepare(self):
        folder = self.machine.home / ".gemini"
        folder.mkdir()
        settings = {
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
            "security": {"auth": {"selectedType": "gemini-api-key"}},
        }
        (folder / "settings.json").write_text(json.dumps(settings, indent=2))

    def trust(self):
        path = self.machine.home / ".gemini/trustedFolders.json"
        path.write_text(json.dumps({str(self.machine.project): "TRUST_FOLDER"}))

    def add(self, server, *command):
        self.command("mcp", "add", *self.scope, server, *(command or self.server()))

    def tool(self, server, tool):
        return f"mcp_{server}_{tool}"

    def converse(self, resume):
        model = ["--model", "gemini-2.5-pro", "--approval-mode", "yolo"]
        self.command("-p", MARKER, *model, *(["--resume", "latest"] if resume else []))

    def told(self, request):
        for text in texts_after_answer(request["contents"], "model"):
            yield from re.findall(rf"<hook_context>(.*?)</hook_context>\n\n{MARKER}", text, re.S)


def texts_after_answer(messages, answer, role=None):
    """Returns the texts that came after the last answer of the model: those of this session, if it was resumed."""
    start = max((at + 1 for at, message in enumerate(messages) if message.get("role") == answer), default=0)
    for message in messages[start:]:
        if role and message.get("role") != role:
            continue
        parts = message.get("content") or message.get("parts") or []
        for part in [{"text": parts}] if isinstance(parts, str) else parts:
            if "text" in part:
                yield part["text"]


CLIENTS = {client.name: client for client in (ClaudeCode, Codex, Gemini)}
