// Drives `staleness mcp` with the MCP Inspector's command line: every tool, one process each; and counts
// what a model pays in tokens. Then the SDK for TypeScript over HTTP.
//
// Usage: node inspector.mjs STALENESS MODULES

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [program, modules] = process.argv.slice(2);
const load = createRequire(join(modules, "package.json"));
const { countTokens } = load("gpt-tokenizer/encoding/o200k_base");
const { Client } = load("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = load("@modelcontextprotocol/sdk/client/streamableHttp.js");
const root = mkdtempSync(join(tmpdir(), "staleness-"));
const project = join(root, "project");
let passed = 0;

function check(what, holds, shown) {
  if (!holds) {
    console.error(`FAILED: ${what}: ${JSON.stringify(shown)}`);
    process.exit(1);
  }
  passed += 1;
}

const env = { HOME: root, XDG_DATA_HOME: join(root, "data"), PATH: process.env.PATH };

function inspect(...args) {
  const command = [join(modules, "node_modules/.bin/mcp-inspector"), "--cli", program, "mcp", ...args];
  const done = spawnSync(process.execPath, command, { cwd: project, env, encoding: "utf8", timeout: 60_000 });
  try {
    return JSON.parse(done.stdout);
  } catch {
    return { trouble: done.stdout + done.stderr, status: done.status };
  }
}

const call = (tool, args = {}) =>
  inspect(
    "--method", "tools/call", "--tool-name", tool,
    ...Object.entries(args).flatMap(([name, value]) => ["--tool-arg", `${name}=${value}`]),
  );

async function overHttp() {
  const [token, tokens] = ["0123456789abcdef".repeat(2), join(root, "tokens")];
  writeFileSync(tokens, `${token} ${project}\n`, { mode: 0o600 });
  const server = spawn(program, ["mcp", "--http", "0", "--tokens", tokens], { cwd: root, env });
  try {
    const [line] = await once(server.stderr.setEncoding("utf8"), "data");
    const url = new URL(line.split(/\s+/)[1]);
    const connect = async (bearer) => {
      const requestInit = { headers: { Authorization: `Bearer ${bearer}` } };
      const transport = new StreamableHTTPClientTransport(url, { requestInit });
      const client = new Client({ name: "typescript", version: "1.0.0" });
      await client.connect(transport);
      return [client, transport];
    };
    const stranger = await connect("x".repeat(32)).catch((error) => error);
    check("another token is refused over HTTP", stranger instanceof Error, stranger);
    const [client, transport] = await connect(token);
    const { tools } = await client.listTools();
    check("over HTTP the same tools are listed", tools.length === 12, tools);
    const call = (name, args) => client.callTool({ name, arguments: args });
    const added = await call("work_item", { action: "add", kind: "plan", text: "Ship it", id: "ship" });
    check("over HTTP a plan is added", added.isError === false, added);
    const all = await Promise.all(Array.from({ length: 50 }, () => call("work_item", { action: "list" })));
    check("fifty calls at once are answered", all.every((each) => each.content[0].text.includes("ship")), all);
    const { resources } = await client.listResources();
    check("over HTTP resources are listed", resources.length === 2, resources);
    await transport.terminateSession();
    const ended = await call("tool_status", {}).catch((error) => error);
    check("an ended session is refused", ended instanceof Error, ended);
    await client.close();
    server.kill();
    const [code] = await once(server, "exit");
    check("over HTTP a signal ends it", code === 0, code);
  } finally {
    server.kill("SIGKILL");
  }
}

try {
  mkdirSync(project);
  writeFileSync(join(project, "README.md"), "# A project\n\nNothing to see.\n");
  execFileSync("git", ["init", "-q"], { cwd: project });

  const listed = inspect("--method", "tools/list");
  check("twelve tools are listed", listed.tools?.length === 12, listed);
  const tokens = countTokens(JSON.stringify(listed));
  check("tools/list is under 5,000 tokens", tokens < 5000, tokens);
  const shown = listed.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const forModel = countTokens(JSON.stringify(shown));
  check("of which a model reads under 2,500", forModel < 2500, forModel);
  console.log(`tools/list: ${tokens} tokens, of which a model reads ${forModel} (o200k_base)`);

  const calls = [
    ["record_outcome", { name: "mcp__a__b", outcome: "success" }],
    ["tool_status", { name: "mcp__a__b" }],
    ["discover_tools", { query: "b" }],
    ["suggest_tool", {}],
    ["check_documents", {}],
    ["save_knowledge", { body: "The router matches the longest prefix", id: "router" }],
    ["recall_knowledge", { query: "router matches longest prefix" }],
    ["verify_knowledge", { ids: '["router"]', still: "holds" }],
    ["work_item", { action: "add", kind: "trap", text: "never twice", id: "twice", expires: "-1d" }],
    ["list_stale", {}],
    ["settle_work", { id: "twice" }],
    ["resume_session", {}],
  ];
  for (const [tool, args] of calls) {
    const result = call(tool, args);
    check(`${tool} answers`, result.isError === false && result.structuredContent, result);
    const text = countTokens(result.content[0].text);
    const data = countTokens(JSON.stringify(result.structuredContent));
    check(`${tool} stays within its budget`, text < 700 && data < 1500, [text, data]);
    console.log(`${tool}: ${text} tokens of text, ${data} structured`);
  }
  const names = new Set(calls.map(([tool]) => tool));
  check("every tool was called", listed.tools.every((tool) => names.has(tool.name)), [...names]);

  const refused = call("tool_status", { name: "nobody" });
  check("an unknown name is a tool's error", refused.isError === true, refused);
  const unknown = call("forget_everything");
  check("an unknown tool is refused", unknown.status !== 0, unknown);

  const resources = inspect("--method", "resources/list");
  check("two resources are listed", resources.resources?.length === 2, resources);
  const policy = inspect("--method", "resources/read", "--uri", "staleness://policy");
  check("a resource is read", policy.contents?.[0].text.includes("tools.unseen_days = 30"), policy);
  await overHttp();
} finally {
  rmSync(root, { recursive: true, force: true });
}
console.log(`${passed} passed, 0 failed`);
