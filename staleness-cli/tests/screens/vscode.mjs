// The extension of packaging/vscode and VS Code's own client, with a stand-in for the editor around them:
// vscode.mjs PROGRAM HOME FILE, with vscode-languageclient in NODE_PATH.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [program, home, file] = process.argv.slice(2);
process.env.HOME = home;
const installed = createRequire(`${process.env.NODE_PATH}/`);
const { CancellationTokenSource, Disposable, Emitter } = installed('vscode-jsonrpc/node');

class Uri {
  constructor(href) { this.href = href; }
  static parse(href) { return new Uri(href); }
  static file(path) { return new Uri(pathToFileURL(path).href); }
  get scheme() { return new URL(this.href).protocol.slice(0, -1); }
  get fsPath() { return fileURLToPath(this.href); }
  toString() { return this.href; }
}
class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(...at) { this.start = new Position(at[0], at[1]); this.end = new Position(at[2], at[3]); } }
class Diagnostic { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } }
class MarkdownString { value = ''; appendText(text) { this.value += text; } }
class Hover { constructor(contents, range) { Object.assign(this, { contents, range }); } }
class CodeActionKind { constructor(value) { this.value = value; } append(part) { return new CodeActionKind(part); } }
CodeActionKind.Empty = new CodeActionKind('');
class CodeAction { constructor(title, kind) { Object.assign(this, { title, kind }); } }
class WorkspaceEdit { edits = []; replace(_, range, newText) { this.edits.push({ range, newText }); } }

// All else that an editor has: it can be called, extended and waited for, and does nothing.
const anything = new Proxy(function () {}, {
  get: (target, key) => key === 'prototype' ? target.prototype : isAsked(key) ? anything : undefined,
  apply: () => anything,
});
// A promise would have `then`.
const isAsked = key => key !== 'then' && typeof key !== 'symbol';
const otherwise = given =>
  new Proxy(given, { get: (target, key) => key in target ? target[key] : isAsked(key) ? anything : undefined });

const [opened, changed, saved, shown] = [1, 2, 3, 4].map(() => new Emitter());
const document = {
  uri: Uri.file(file), languageId: 'markdown', version: 1,
  text: readFileSync(file, 'utf8'), getText() { return this.text; },
};
const providers = {};
const register = name => (_, provider) => { providers[name] = provider; return Disposable.create(() => {}); };
const vscode = otherwise({
  CancellationTokenSource, CodeAction, CodeActionKind, Diagnostic, EventEmitter: Emitter, Hover, MarkdownString,
  Position, Range, Uri, WorkspaceEdit, version: '1.91.0',
  Disposable,
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  languages: otherwise({
    match: (selectors, it) => [selectors].flat().some(one => one.language === it.languageId) ? 10 : 0,
    createDiagnosticCollection: () => otherwise({ set: (_, found) => shown.fire(found) }),
    registerHoverProvider: register('hover'), registerCodeActionsProvider: register('actions'),
  }),
  window: otherwise({ activeTextEditor: undefined, showErrorMessage: async text => assert.fail(text) }),
  workspace: otherwise({
    textDocuments: [document], workspaceFolders: undefined,
    getConfiguration: () => ({ get: (key, given) => key === 'program' ? program : given, inspect() {} }),
    onDidOpenTextDocument: opened.event, onDidChangeTextDocument: changed.event, onDidSaveTextDocument: saved.event,
  }),
});
const load = Module._load;
Module._load = function (name, ...rest) { return name === 'vscode' ? vscode : load.call(this, name, ...rest); };

const next = () => new Promise(resolve => shown.event(resolve));
const extension = installed(fileURLToPath(new URL('../../../packaging/vscode/extension.js', import.meta.url)));
const first = next();
await extension.activate();
const [found] = await first;
assert.ok(found instanceof Diagnostic && found.source === 'staleness', JSON.stringify(found));
const token = new CancellationTokenSource().token;
const hover = await providers.hover.provideHover(document, found.range.start, token);
assert.match(JSON.stringify(hover.contents), /src\/new\.rs/);
const context = { diagnostics: [found], only: undefined, triggerKind: 1 };
const actions = await providers.actions.provideCodeActions(document, found.range, context, token);
assert.equal(actions.length, 2, JSON.stringify(actions));
const [edit] = actions[0].edit.edits;
assert.equal(edit.newText, 'src/new.rs');
// The name is written in the editor, and saved later.
const rows = document.text.split('\n');
const { start, end } = edit.range;
rows[start.line] = rows[start.line].slice(0, start.character) + edit.newText + rows[start.line].slice(end.character);
Object.assign(document, { text: rows.join('\n'), version: 2 });
for (const settle of [() => changed.fire({ document, contentChanges: [{ text: document.text }] }), () => {
  writeFileSync(file, document.text);
  saved.fire(document);
}]) {
  const left = next();
  settle();
  assert.deepEqual(await left, []);
}
await extension.deactivate();
console.log('vscode: ok');
