// Opens a report in a real browser, and looks at what a person would: no network, the script alone runs, the filter
// and the sorting work from the keyboard, dark, on paper and on a narrow screen.
// report.mjs PROGRAM CHROMIUM FOLDER EXAMPLES, with playwright-core in NODE_PATH. EXAMPLES is the home in examples.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [program, executablePath, folder, examples] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.NODE_PATH}/`)('playwright-core');
rmSync(folder, { recursive: true, force: true });
mkdirSync(`${folder}/home`, { recursive: true });
mkdirSync(`${folder}/project`);
const run = (...args) => execFileSync(program, ['--home', `${folder}/home`, '--project', `${folder}/project`,
  '--store', `sqlite:${folder}/r.db`, ...args], { encoding: 'utf8' });
const hostile = '"><script>document.title = 1</script><img src=//x onerror=alert(1)>';
writeFileSync(`${folder}/home/.claude.json`, JSON.stringify({
  mcpServers: { github: { command: 'x' }, files: { command: 'x' } },
}));
run('scan');
for (const [tool, result] of [['Bash', '--success'], ['mcp__github__search', '--failure']]) {
  for (const id of ['1', '2', '3']) run('record', tool, result, '--id', `${tool}${id}`, '--new');
}
run('knowledge', 'add', '--id', 'hostile', '--body', hostile);
run('work', 'add', 'plan', '--id', 'p10', 'ten');
run('work', 'add', 'plan', '--id', 'p9', 'nine');
run('report', '--html', `${folder}/report.html`);

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
const asked = [], said = [];
page.on('request', request => asked.push(request.url()));
page.on('console', message => said.push(message.text()));
page.on('pageerror', error => said.push(String(error)));
await page.goto(`file://${folder}/report.html`);
assert.equal(await page.title(), `staleness: ${folder}/project`);
assert.ok((await page.locator('#knowledge').textContent()).includes(hostile));
await page.screenshot({ path: `${folder}/light.png`, fullPage: true });

const shown = () => page.locator('#tools tbody tr:visible td:first-child').allTextContents();
assert.ok((await shown()).length > 3);
await page.getByRole('searchbox', { name: 'Filter all tables' }).fill('github failed');
assert.deepEqual(await shown(), ['mcp__github__search']);
// Its change of this week is shown too.
assert.match(await page.getByRole('status').textContent(), /^2 of \d+ rows$/);
await page.getByRole('searchbox').fill('');

const ids = () => page.locator('#work tbody td:nth-child(3)').allTextContents();
const head = page.locator('#work').getByRole('button', { name: 'id' });
await head.focus();
await page.keyboard.press('Enter');
assert.deepEqual(await ids(), ['p9', 'p10']);
await page.keyboard.press('Enter');
assert.deepEqual(await ids(), ['p10', 'p9']);
assert.equal(await page.locator('#work th').nth(2).getAttribute('aria-sort'), 'descending');

const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const light = await back();
await page.emulateMedia({ colorScheme: 'dark' });
assert.notEqual(await back(), light);
await page.screenshot({ path: `${folder}/dark.png`, fullPage: true });
await page.emulateMedia({ media: 'print' });
assert.equal(await page.locator('nav').isVisible(), false);
await page.emulateMedia({ media: 'screen' });
await page.setViewportSize({ width: 360, height: 700 });
const wide = await page.evaluate(() => document.documentElement.scrollWidth);
assert.ok(wide <= 360, `the page is ${wide} pixels wide`);
assert.deepEqual([asked, said], [[`file://${folder}/report.html`], []]);

// The picture of the README: the example home after some days.
const shop = `${folder}/shop`;
mkdirSync(shop);
const show = (...args) => execFileSync(program, ['--home', examples, '--project', shop, '--store', `sqlite:${folder}/s.db`,
  ...args], { encoding: 'utf8' });
const days = [26, 22, 19, 15, 13, 12, 8, 7, 6, 5, 2, 1];
for (const day of days) {
  const at = ['--now', `2026-11-${String(28 - day).padStart(2, '0')}T12:00:00Z`];
  show(...at, 'scan');
  for (const tool of ['Bash', 'Read', 'mcp__github__search_issues', 'mcp__linear__list_issues']) {
    for (const use of [1, 2, 3].slice(day % 3)) show(...at, 'record', tool, '--success', '--id', `${day}${tool}${use}`, '--new');
  }
  if (day < 7) show(...at, 'record', 'mcp__github__create_pr', '--failure', '--id', `f${day}`, '--new');
}
show('--now', '2026-11-28T12:00:00Z', 'report', '--html', `${folder}/shop.html`);
const picture = await browser.newPage({ viewport: { width: 1000, height: 960 } });
await picture.goto(`file://${folder}/shop.html`);
await picture.evaluate(name => { document.querySelector('h1').textContent = name; }, '/home/me/shop');
await picture.screenshot({ path: `${folder}/readme.png` });
await browser.close();
console.log(`ok; its pictures are in ${folder}`);
