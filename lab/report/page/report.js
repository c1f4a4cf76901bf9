/**
 * What the page does beyond HTML: it shows one cell alone, filters, and turns the map. All of it is in the address of the
 * page behind `#`, so that a link keeps it: `#cell=<address>`, `#text=…&verdict=…&killer=…&rows=…&columns=…`.
 */
const byId = (id) => document.getElementById(id);
const overview = byId('overview');
const cellView = byId('cell');
const filter = byId('filter');
const axes = byId('axes');
const title = document.title;

/** The section of each cell. The parser keeps it as text while scripts run. */
const pages = new Map(
  [...document.querySelectorAll('noscript')].map((element) => [element.dataset.page, element]),
);
const cells = [...document.querySelectorAll('.cell[data-cell]')];
const texts = new Map();

/** Reads what stands behind `#`. A `+` stays a `+`: names of variants have it. */
function readHash() {
  const pairs = location.hash
    .slice(1)
    .split('&')
    .filter((pair) => pair.includes('='))
    .map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), decode(pair.slice(at + 1))];
    });
  return new Map(pairs.filter(([name, value]) => name !== '' && value !== ''));
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand
  }
}

function writeHash(values) {
  const pairs = [...values].filter(([, value]) => value !== '');
  return `#${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2F', '/')}`).join('&')}`;
}

/** What is filtered and how the map is turned, without the cell. */
let settings = new Map();

function route() {
  if (/^#[^=]+$/.test(location.hash)) return; // a place of this page
  const wanted = readHash();
  const address = wanted.get('cell');
  wanted.delete('cell');
  // A link to a cell leaves the filter as it is.
  if (address === undefined || wanted.size > 0) settings = wanted;
  fillForms();
  applyFilter();
  turnMap();
  if (address !== undefined && pages.has(address)) showCell(address);
  else showOverview(address);
}

function showCell(address) {
  cellView.innerHTML = pages.get(address).textContent;
  overview.hidden = true;
  cellView.hidden = false;
  document.body.classList.add('one-cell');
  document.title = `${address} - ${title}`;
  cellView.querySelector('.back').href = writeHash(settings);
  linkNeighbours(address);
  for (const button of cellView.querySelectorAll('.copy')) button.hidden = false;
  window.scrollTo(0, 0);
  cellView.querySelector('h2').focus({ preventScroll: true });
}

/** Leads to the neighbours among the cells that the filter lets through. */
function linkNeighbours(address) {
  const shown = cells.filter((cell) => !cell.hidden).map((cell) => cell.dataset.cell);
  const at = shown.indexOf(address);
  if (at < 0) return; // the filter hides it: its neighbours in the whole list stay
  for (const [name, neighbour] of [
    ['previous', shown[at - 1]],
    ['next', shown[at + 1]],
  ]) {
    const link = cellView.querySelector(`nav .${name}`);
    if (neighbour === undefined) link?.remove();
    else link.href = writeHash(new Map([['cell', neighbour]]));
  }
}

function showOverview(unknown) {
  const last = cellView.querySelector('article')?.id.slice('cell='.length);
  cellView.replaceChildren();
  cellView.hidden = true;
  overview.hidden = false;
  document.body.classList.remove('one-cell');
  document.title = title;
  if (unknown !== undefined) filter.querySelector('output').textContent = `this run has no cell ${unknown}`;
  const link = cells.find((cell) => cell.dataset.cell === last)?.querySelector('.address');
  if (link?.checkVisibility()) link.focus();
}

function fillForms() {
  for (const form of [filter, axes])
    for (const field of form.elements)
      if (field.name !== undefined) field.value = settings.get(field.name) ?? field.dataset.standard ?? '';
}

/** Every word has to be found in what the page says of the cell. */
function applyFilter() {
  const words = (settings.get('text') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const [verdict, killer] = [settings.get('verdict'), settings.get('killer')];
  const isFiltered = ['text', 'verdict', 'killer'].some((name) => settings.has(name));
  const shown = new Set();
  for (const cell of cells) {
    const { dataset } = cell;
    const fits =
      (verdict === undefined || dataset.verdict === verdict) &&
      (killer === undefined || dataset.killer === killer) &&
      words.every((word) => textOf(cell).includes(word));
    cell.hidden = !fits;
    if (fits) shown.add(dataset.cell);
  }
  for (const group of document.querySelectorAll('.group')) {
    group.hidden = isFiltered && group.querySelector('.cell:not([hidden])') === null;
    if (group.tagName === 'DETAILS') group.open = isFiltered || group.open;
  }
  if (isFiltered || document.querySelector('.dim') !== null)
    for (const square of document.querySelectorAll('a.square'))
      square.classList.toggle('dim', !shown.has(`${square.dataset.variant}/${square.dataset.scenario}`));
  filter.querySelector('output').textContent = isFiltered ? `${shown.size} of ${cells.length} cells` : '';
}

function textOf(cell) {
  const known = texts.get(cell) ?? cell.textContent.toLowerCase();
  texts.set(cell, known);
  return known;
}

/** The names that rows and columns may have: scenario, variant, and the axes on which the variants differ. */
const variants = JSON.parse(byId('variants').textContent);
const variantNames = JSON.parse(byId('variant-names').textContent);
const standard = { rows: 'scenario', columns: 'variant' };
const squares = [...document.querySelectorAll('a.square')];
let turned = 'scenario variant';

for (const select of axes.querySelectorAll('select')) {
  const names = ['scenario', 'variant', ...Object.keys(Object.values(variants)[0] ?? {})];
  select.append(...names.map((name) => new Option(name)));
  select.dataset.standard = standard[select.name];
}

/** Puts the squares into the chosen rows and columns. A box may have several, or none. */
function turnMap() {
  const rows = settings.get('rows') ?? standard.rows;
  const columns = settings.get('columns') ?? standard.columns;
  if (turned === `${rows} ${columns}`) return;
  turned = `${rows} ${columns}`;
  const valueOf = ({ dataset }, axis) => dataset[axis] ?? variants[dataset.variant]?.[axis] ?? '';
  const heads = [...new Set(squares.map((square) => valueOf(square, columns)))];
  const boxes = new Map();
  for (const square of squares) {
    const row = valueOf(square, rows);
    if (!boxes.has(row)) boxes.set(row, new Map());
    const own = boxes.get(row);
    own.set(valueOf(square, columns), [...(own.get(valueOf(square, columns)) ?? []), square]);
  }
  const table = document.querySelector('.heat');
  const head = table.tHead.rows[0];
  head.replaceChildren(head.cells[0], ...heads.map((name) => headOf('col', columns, name)));
  const bodyRows = [...boxes].map(([name, own]) => {
    const row = document.createElement('tr');
    row.append(headOf('row', rows, name), ...heads.map((each) => boxOf(own.get(each) ?? [])));
    return row;
  });
  table.tBodies[0].replaceChildren(...bodyRows);
}

function headOf(scope, axis, name) {
  const cell = document.createElement('th');
  cell.scope = scope;
  cell.title = name;
  const text = document.createElement('span');
  text.textContent = axis === 'variant' ? (variantNames[name] ?? name) : name;
  cell.append(text);
  return cell;
}

function boxOf(own) {
  const cell = document.createElement('td');
  cell.append(...own);
  return cell;
}

function onChange(form) {
  const changed = new Map(settings);
  for (const { name, value, dataset } of form.elements)
    if (name) changed.set(name, value === dataset.standard ? '' : value.trim());
  settings = new Map([...changed].filter(([, value]) => value !== ''));
  history.replaceState(null, '', writeHash(settings));
  applyFilter();
  turnMap();
}

/** Arrow keys go from square to square, as they are seen. */
function onArrow(event) {
  const box = event.target.closest?.('.heat td');
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!box || step === undefined || !event.target.matches('a.square')) return;
  event.preventDefault();
  let row = box.parentElement;
  let column = box.cellIndex;
  for (;;) {
    column += step[1];
    row = step[0] < 0 ? row.previousElementSibling : step[0] > 0 ? row.nextElementSibling : row;
    const next = row?.cells[column];
    if (next === undefined) return;
    const square = next.querySelector('a.square');
    if (square !== null) return square.focus();
  }
}

async function onCopy({ target }) {
  if (!target.matches?.('.copy')) return;
  const code = target.parentElement.querySelector('code');
  try {
    await navigator.clipboard.writeText(code.textContent);
    target.textContent = 'copied';
  } catch {
    getSelection().selectAllChildren(code); // the browser does not let a page copy: Ctrl-C does
  }
}

for (const form of [filter, axes]) {
  form.hidden = false;
  form.addEventListener('input', () => onChange(form));
  form.addEventListener('submit', (event) => event.preventDefault());
}
document.addEventListener('keydown', onArrow);
document.addEventListener('click', onCopy);
window.addEventListener('hashchange', route);
route();
