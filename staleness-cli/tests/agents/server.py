"""An MCP server on standard input and output. Its tool `works` works; `breaks` fails until the given file exists.

Usage: server.py FILE
"""

import json
import sys
from pathlib import Path

MENDED = Path(sys.argv[1])
SCHEMA = {"type": "object", "properties": {}}


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "trial", "version": "1"},
        }
    if method == "tools/list":
        tools = ["works", "breaks"]
        return {"tools": [{"name": tool, "description": f"It {tool}.", "inputSchema": SCHEMA} for tool in tools]}
    if method == "tools/call":
        fails = params["name"] == "breaks" and not MENDED.exists()
        return {"content": [{"type": "text", "text": "broken" if fails else "fine"}], "isError": fails}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = answer(message["method"], message.get("params"))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
