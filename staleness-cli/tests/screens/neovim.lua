-- Neovim as a language client: opens a document, looks at a finding, applies its fix and saves. PROGRAM, STORE, HOME and
-- FILE come from the environment.
local function need(what, message)
  if not what then
    io.stderr:write('failed: ' .. message .. '\n')
    vim.cmd('cquit 1')
  end
end
local program, file = os.getenv('PROGRAM'), os.getenv('FILE')
vim.cmd('edit ' .. file)
local client = vim.lsp.start_client({
  name = 'staleness',
  cmd = { program, '--store', os.getenv('STORE'), '--home', os.getenv('HOME'), 'lsp' },
  root_dir = vim.fn.fnamemodify(file, ':h'),
})
vim.lsp.buf_attach_client(0, client)
need(vim.wait(10000, function() return #vim.diagnostic.get(0) > 0 end, 20), 'no finding is shown')
local found = vim.diagnostic.get(0)[1]
need(found.source == 'staleness' and found.lnum == 2, vim.inspect(found))
local hover = vim.lsp.buf_request_sync(0, 'textDocument/hover', {
  textDocument = vim.lsp.util.make_text_document_params(),
  position = { line = found.lnum, character = found.col },
}, 5000)
need(hover[client].result.contents.value:find('src/new.rs', 1, true), vim.inspect(hover))
local actions = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', {
  textDocument = vim.lsp.util.make_text_document_params(),
  range = {
    start = { line = found.lnum, character = found.col }, ['end'] = { line = found.lnum, character = found.end_col },
  },
  context = { diagnostics = {} },
}, 5000)
vim.lsp.util.apply_workspace_edit(actions[client].result[1].edit, 'utf-16')
need(vim.fn.getline(3) == 'See [it](src/new.rs).', vim.fn.getline(3))
local began = vim.loop.hrtime()
vim.cmd('write')
need(vim.wait(10000, function() return #vim.diagnostic.get(0) == 0 end, 5), 'the finding stays')
io.stdout:write(string.format('neovim: ok; %d ms after the save\n', (vim.loop.hrtime() - began) / 1e6))
vim.cmd('qall!')
