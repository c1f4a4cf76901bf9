// Shows the rows that the form asks for. What is asked is in the address, so that it can be sent. The address of a row is
// its id: whoever opens the page with it sees the row, whatever was asked before.
const form = document.querySelector('form');
const shown = document.querySelector('output');
const cells = [...document.querySelectorAll('#cells tbody tr')];
const ends = [...document.querySelectorAll('#ends tr[data-killer]')];
const rows = [...cells, ...ends];
const groups = [...document.querySelectorAll('.group')].filter((group) =>
  group.querySelector('tr[data-killer]'),
);
const texts = new Map(rows.map((row) => [row, readText(row)]));

/** All that the page says of a row: the variant and its versions are above it. */
function readText(row) {
  const versions = row.closest('table').previousElementSibling;
  const above = versions?.className === 'versions' ? versions.textContent : '';
  const told = [...row.cells].map((cell) => cell.textContent).join(' ');
  return `${row.dataset.variant}/${told} ${above}`.toLowerCase();
}

/**
 * A word is found at the beginning of a word. If it ends in a number, the number ends there too: `v1` is not in `v1.34.2`,
 * and `1.34` is, because it names a release and its patches.
 */
function compileWord(word) {
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const begin = /^\d/.test(word) ? '(?<![\\d.])' : /^\p{L}/u.test(word) ? '(?<![\\p{L}\\p{N}])' : '';
  const end = !/\d$/.test(word) ? '' : word.includes('.') ? '(?!\\d)' : '(?!\\d|\\.\\d)';
  const form = new RegExp(`${begin}${escaped}${end}`, 'u');
  return (text) => form.test(text);
}

function readForm() {
  return [...new window.FormData(form)].filter(([, value]) => value !== '');
}

function show() {
  const asked = readForm();
  const search = asked.find(([name]) => name === 'search')?.[1] ?? '';
  const words = search.toLowerCase().split(/\s+/).filter(Boolean).map(compileWord);
  const choices = asked.filter(([name]) => name !== 'search');
  // Nobody judged the row of an end: it has no verdict to choose by.
  const fits = (row) =>
    words.every((knows) => knows(texts.get(row))) &&
    choices.every(([name, value]) => row.dataset[name] === undefined || row.dataset[name] === value);
  for (const row of rows) row.hidden = !fits(row);
  for (const group of groups) showGroup(group, asked.length > 0);
  const count = cells.filter((row) => !row.hidden).length;
  shown.textContent = asked.length === 0 ? `${cells.length} cells` : `${count} of ${cells.length} cells`;
}

/** A filter opens what has a row that fits; without one, groups are closed as they were at first. */
function showGroup(group, isFiltered) {
  const fitting = group.querySelectorAll('tr[data-killer]:not([hidden])').length;
  group.hidden = fitting === 0;
  group.open = isFiltered && fitting > 0;
  for (const table of group.querySelectorAll('table')) {
    const isEmpty = table.querySelector('tbody tr:not([hidden])') === null;
    table.hidden = isEmpty;
    if (table.previousElementSibling?.className === 'versions') table.previousElementSibling.hidden = isEmpty;
  }
}

/** Shows what the address names, opened. */
function open(target) {
  if (target.closest('[hidden]') !== null) {
    form.reset();
    show();
  }
  const group = target.closest('.group');
  if (group !== null) group.open = true;
  target.scrollIntoView({ block: target.matches('tr') ? 'center' : 'start' });
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readAddress() {
  const hash = location.hash.slice(1);
  const settings = [...new window.URLSearchParams(hash)].filter(
    ([name]) => form.elements[name] !== undefined,
  );
  const target = settings.length > 0 ? null : document.getElementById(decode(hash));
  if (target !== null) {
    open(target);
    return;
  }
  form.reset();
  for (const [name, value] of settings) form.elements[name].value = value;
  show();
  if (hash !== '' && settings.length === 0) shown.textContent = `nothing here is called ${decode(hash)}`;
}

form.addEventListener('input', () => {
  show();
  history.replaceState(undefined, '', `#${new window.URLSearchParams(readForm())}`);
});
form.addEventListener('submit', (event) => event.preventDefault());
window.addEventListener('hashchange', readAddress);
form.reset();
readAddress();
