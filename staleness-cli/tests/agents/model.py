"""A stand-in for three model services on the loopback address.

It plays a script: a list of turns, each a list of steps, each step a text or a call of a tool. A request of the
conversation takes the next turn; every other request (a title, a classification) gets a short text. All request
bodies are kept, so that a test sees each word that reached the model.
"""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Call:
    """A call of a tool that the model asks for."""

    name: str
    arguments: dict = field(default_factory=dict)
    id: str = ""


@dataclass
class Request:
    path: str
    body: dict


@dataclass
class Model:
    """The server, with the turns it still has to give and the requests it got."""

    marker: str
    turns: list = field(default_factory=list)
    requests: list = field(default_factory=list)
    calls: int = 0

    def __post_init__(self):
        model = self
        self.lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def do_POST(self):
                model.answer(self)

            def do_GET(self):
                send_json(self, {"data": [], "models": []})

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def play(self, *turns):
        """Sets the turns of the next session and forgets the requests of the last one."""
        with self.lock:
            self.turns = [list(turn) for turn in turns]
            self.requests = []

    def conversation(self):
        """Returns the bodies of the requests that belong to the conversation."""
        with self.lock:
            return [request.body for request in self.requests if self.marker in json.dumps(request.body)]

    def next_turn(self, body):
        if self.marker not in json.dumps(body) or not body.get("tools"):
            return ["ok"]
        turn = self.turns.pop(0) if self.turns else ["Done."]
        for step in turn:
            if isinstance(step, Call):
                self.calls += 1
                step.id = f"call_{self.calls}"
        return turn

    def answer(self, handler):
        data = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        try:
            body = json.loads(data or b"{}")
        except ValueError:
            body = {"unreadable": True}
        path = handler.path.split("?")[0]
        with self.lock:
            self.requests.append(Request(path, body))
            speaks = next((speak for end, speak in SERVICES.items() if path.endswith(end)), None)
            turn = self.next_turn(body) if speaks else []
        if not speaks:
            return send_json(handler, {"totalTokens": 10, "input_tokens": 10})
        speaks(handler, turn, body)


def send_json(handler, value):
    send(handler, "application/json", json.dumps(value).encode())


def send_events(handler, events):
    lines = []
    for event in events:
        if "type" in event:
            lines.append(f"event: {event['type']}\n")
        lines.append(f"data: {json.dumps(event)}\n\n")
    send(handler, "text/event-stream", "".join(lines).encode())


def send(handler, kind, data):
    handler.send_response(200)
    handler.send_header("content-type", kind)
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def messages(handler, turn, body):
    """Anthropic Messages."""
    blocks = [
        {"type": "tool_use", "id": f"toolu_{step.id}", "name": step.name, "input": step.arguments}
        if isinstance(step, Call)
        else {"type": "text", "text": step}
        for step in turn
    ]
    reason = "tool_use" if any(isinstance(step, Call) for step in turn) else "end_turn"
    usage = {"input_tokens": 10, "output_tokens": 10}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model", "stand-in")}
    if not body.get("stream"):
        return send_json(
            handler, {**message, "content": blocks, "stop_reason": reason, "stop_sequence": None, "usage": usage}
        )
    start = {**message, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    events = [{"type": "message_start", "message": start}]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    events += [
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    send_events(handler, events)


def responses(handler, turn, body):
    """OpenAI Responses. The tools of an MCP server are in a namespace of their own."""
    spaces = {tool["name"] for tool in body.get("tools", []) if tool.get("type") == "namespace"}
    events = [{"type": "response.created", "response": {"id": "resp_1"}}]
    for step in turn:
        if isinstance(step, Call):
            item = {"type": "function_call", "call_id": step.id, "arguments": json.dumps(step.arguments)}
            space = next((space for space in spaces if step.name.startswith(space)), None)
            if space:
                item |= {"namespace": space, "name": step.name.removeprefix(space).removeprefix("__")}
            else:
                item["name"] = step.name
        else:
            content = [{"type": "output_text", "text": step}]
            item = {"type": "message", "role": "assistant", "id": "msg_1", "content": content}
        events.append({"type": "response.output_item.done", "item": item})
    usage = {"input_tokens": 10, "input_tokens_details": None, "output_tokens": 10}
    usage |= {"output_tokens_details": None, "total_tokens": 20}
    events.append({"type": "response.completed", "response": {"id": "resp_1", "usage": usage}})
    send_events(handler, events)


def generate(handler, turn, _body):
    """Gemini generateContent."""
    parts = [
        {"functionCall": {"id": step.id, "name": step.name, "args": step.arguments}}
        if isinstance(step, Call)
        else {"text": step}
        for step in turn
    ]
    value = {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
    }
    if "streamGenerateContent" in handler.path:
        send_events(handler, [value])
    else:
        send_json(handler, value)


SERVICES = {
    "/v1/messages": messages,
    "/responses": responses,
    ":generateContent": generate,
    ":streamGenerateContent": generate,
}
