// VS Code's own implementation of the protocol as a client: vscode.mjs PROGRAM STORE HOME FILE, with
// vscode-languageserver-protocol in NODE_PATH.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

const [program, store, home, file] = process.argv.slice(2);
const lsp = createRequire(`${process.env.NODE_PATH}/`)('vscode-languageserver-protocol/node');
const server = spawn(program, ['--store', store, '--home', home, 'lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
const connection = lsp.createProtocolConnection(
  new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
const shown = new Promise(resolve => connection.onNotification(lsp.PublishDiagnosticsNotification.type, resolve));
connection.listen();
const uri = pathToFileURL(file).href;
const told = await connection.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid, capabilities: {}, rootUri: pathToFileURL(dirname(file)).href, workspaceFolders: null,
});
assert.equal(told.capabilities.textDocumentSync.save, true);
await connection.sendNotification(lsp.InitializedNotification.type, {});
await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type,
  { textDocument: { uri, languageId: 'markdown', version: 1, text: readFileSync(file, 'utf8') } });
const { diagnostics: [found] } = await shown;
assert.ok(lsp.Diagnostic.is(found), JSON.stringify(found));
const textDocument = { uri };
const hover = await connection.sendRequest(lsp.HoverRequest.type, { textDocument, position: found.range.start });
assert.ok(lsp.Hover.is(hover), JSON.stringify(hover));
const actions = await connection.sendRequest(lsp.CodeActionRequest.type,
  { textDocument, range: found.range, context: { diagnostics: [found] } });
assert.ok(actions.length === 2 && actions.every(it => lsp.CodeAction.is(it)), JSON.stringify(actions));
assert.equal(actions[0].edit.documentChanges[0].edits[0].newText, 'src/new.rs');
await connection.sendRequest(lsp.ShutdownRequest.type);
await connection.sendNotification(lsp.ExitNotification.type);
assert.equal(await new Promise(resolve => server.on('exit', resolve)), 0);
console.log('vscode: ok');
