// Drives `staleness mcp` with the MCP Inspector's command line: every tool, one process each; and counts
// what a model pays in tokens.
//
// Usage: node inspector.mjs STALENESS MODULES

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [program, modules] = process.argv.slice(2);
const { countTokens } = createRequire(join(modules, "package.json"))("gpt-tokenizer/encoding/o200k_base");
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
} finally {
  rmSync(root, { recursive: true, force: true });
}
console.log(`${passed} passed, 0 failed`);
