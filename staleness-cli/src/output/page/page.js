const filter = document.querySelector('.filter');
const box = filter.querySelector('input');
const rows = [...document.querySelectorAll('tbody tr')].map(row => [row, row.textContent.toLowerCase()]);
filter.hidden = false;
box.addEventListener('input', () => {
  const words = box.value.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const [row, text] of rows) {
    row.hidden = !words.every(word => text.includes(word));
    shown += !row.hidden;
  }
  filter.querySelector('output').textContent = `${shown} of ${rows.length} rows`;
});
for (const button of document.querySelectorAll('th button')) {
  button.addEventListener('click', () => {
    const head = button.parentElement, body = head.closest('table').tBodies[0];
    const up = head.getAttribute('aria-sort') !== 'ascending';
    for (const other of head.parentElement.children) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const key = row => row.cells[head.cellIndex].dataset.key ?? row.cells[head.cellIndex].textContent;
    const sorted = [...body.rows].map(row => [key(row), row]);
    sorted.sort(([a], [b]) => (up ? 1 : -1) * a.localeCompare(b, 'en', { numeric: true }));
    body.append(...sorted.map(([, row]) => row));
  });
}
