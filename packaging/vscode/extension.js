// Starts `staleness lsp` for documents.
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = async () => {
  const command = vscode.workspace.getConfiguration('staleness').get('program');
  const languages = ['markdown', 'mdx', 'restructuredtext', 'asciidoc'];
  client = new LanguageClient('staleness', 'staleness', { command, args: ['lsp'] }, {
    documentSelector: languages.map(language => ({ scheme: 'file', language })),
  });
  await client.start();
};

exports.deactivate = () => client?.stop();
