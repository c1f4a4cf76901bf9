/* global openPages, openTexts, createSearch, createGrid, createTips, openMarks, listenToKeys */
/**
 * What the page does beyond HTML: it shows one cell alone, filters, and turns the map. All of it is in the address of the
 * page behind `#`, so that a link keeps it: `#cell=<address>`, `#text=…&verdict=…&killer=…&rows=…&columns=…`.
 */
const byId = (id) => document.getElementById(id);
const overview = byId('overview');
const cellView = byId('cell');
const filter = byId('filter');
const axes = byId('axes');
const unknown = byId('unknown');
const title = document.title;
const cells = [...document.querySelectorAll('.cell[data-cell]')];

const pages = openPages();
const readTexts = openTexts();
const search = createSearch(cells, filter, readTexts);
const grid = createGrid(axes);
const tips = createTips();

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
/** The cell that is shown; undefined: all of them. */
let current;

async function route() {
  if (/^#[^=]+$/.test(location.hash)) return; // a place of this page
  const wanted = readHash();
  const address = wanted.get('cell');
  wanted.delete('cell');
  // A link to a cell leaves the filter as it is.
  if (address === undefined || wanted.size > 0) settings = wanted;
  dropUnknownAxes();
  fillForms();
  const filtered = applySettings();
  if (address !== undefined && pages.has(address)) {
    await filtered; // its neighbours are those that fit
    await showCell(address);
  } else {
    showOverview();
    showUnknown(address);
  }
}

/** Whoever made the link may have named anything. */
function dropUnknownAxes() {
  for (const { name, options } of axes.querySelectorAll('select'))
    if (![...options].some(({ value }) => value === settings.get(name))) settings.delete(name);
}

async function applySettings() {
  grid.turn(settings);
  const shown = await search.apply(settings);
  if (shown !== undefined) grid.dim(shown);
}

async function showCell(address) {
  current = address;
  const html = await readPage(address);
  if (current !== address) return; // somebody was faster
  cellView.innerHTML = html;
  // Its id is for readers without a script: the browser would scroll to it.
  cellView.querySelector('article')?.removeAttribute('id');
  overview.hidden = true;
  cellView.hidden = false;
  document.body.classList.add('one-cell');
  document.title = `${address} - ${title}`;
  cellView.querySelector('.back')?.setAttribute('href', writeHash(settings));
  linkNeighbours(address);
  for (const button of cellView.querySelectorAll('.copy')) button.hidden = false;
  window.scrollTo(0, 0);
  cellView.querySelector('h2')?.focus({ preventScroll: true });
  await openMarks(cellView, address, readPage);
}

/** HTML of the page of a cell, or why it cannot be shown. */
async function readPage(address) {
  try {
    return await pages.read(address);
  } catch (error) {
    const text = document.createElement('p');
    text.className = 'problem';
    text.textContent = `This browser cannot unpack the page: ${error.message}. In a terminal: npx whodunit why ${address}`;
    return `<nav><a class="back" href="#">all cells</a></nav>${text.outerHTML}`;
  }
}

/** Leads to the neighbours among the cells that the filter lets through. */
function linkNeighbours(address) {
  const shown = listShown();
  const at = shown.indexOf(address);
  if (at < 0) return; // the filter hides it: its neighbours in the whole list stay
  for (const [name, neighbour] of [
    ['previous', shown[at - 1]],
    ['next', shown[at + 1]],
  ]) {
    const link = cellView.querySelector(`nav .${name}`);
    if (neighbour === undefined) link?.remove();
    else if (link) link.href = writeHash(new Map([['cell', neighbour]]));
  }
}

function listShown() {
  return cells.filter((cell) => !cell.hidden).map((cell) => cell.dataset.cell);
}

function showOverview() {
  const last = current;
  current = undefined;
  cellView.replaceChildren();
  cellView.hidden = true;
  overview.hidden = false;
  document.body.classList.remove('one-cell');
  document.title = title;
  if (isSearchWanted) filter.elements.text.focus();
  else if (last !== undefined) focusCell(cells.find((cell) => cell.dataset.cell === last));
  isSearchWanted = false;
}

/** @returns whether the cell could be given the focus. */
function focusCell(cell) {
  const link = cell?.querySelector('.address');
  if (!link?.checkVisibility()) return false;
  link.focus();
  link.scrollIntoView({ block: 'nearest' });
  return true;
}

/** Says that there is no such cell, and which ones have the nearest names. */
function showUnknown(address) {
  unknown.hidden = address === undefined;
  if (address === undefined) return;
  unknown.replaceChildren(`This run has no cell ${address}. The nearest names are: `);
  for (const known of listNearest(address)) {
    const link = document.createElement('a');
    link.href = writeHash(new Map([['cell', known]]));
    link.textContent = known;
    unknown.append(link, ' ');
  }
}

/** The three addresses that have most of the same groups of three letters. */
function listNearest(address) {
  const groupsOf = (text) => new Set(Array.from(text, (_, at) => text.slice(at, at + 3)));
  const wanted = groupsOf(address);
  const likeness = (known) => {
    const groups = groupsOf(known);
    const common = [...groups].filter((group) => wanted.has(group)).length;
    return common / (groups.size + wanted.size - common);
  };
  return cells
    .map(({ dataset }) => ({ known: dataset.cell, score: likeness(dataset.cell) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ known }) => known);
}

function fillForms() {
  for (const form of [filter, axes])
    for (const field of form.elements)
      if (field.name !== undefined) field.value = settings.get(field.name) ?? field.dataset.standard ?? '';
}

function onChange(form) {
  const changed = new Map(settings);
  for (const { name, value, dataset } of form.elements)
    if (name) changed.set(name, value === dataset.standard ? '' : value.trim());
  settings = new Map([...changed].filter(([, value]) => value !== ''));
  history.replaceState(null, '', writeHash(settings));
  void applySettings();
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

let isSearchWanted = false;

listenToKeys({
  isCell: () => current !== undefined,
  search: () => {
    if (current === undefined) return filter.elements.text.focus();
    isSearchWanted = true;
    location.hash = writeHash(settings);
  },
  leave: () => {
    if (tips.close()) return;
    if (current !== undefined) {
      location.hash = writeHash(settings);
      return;
    }
    document.activeElement?.blur();
    for (const field of filter.elements) if (field.name) field.value = '';
    onChange(filter);
  },
  go: (step) => {
    if (current !== undefined)
      return cellView.querySelector(step > 0 ? 'nav .next' : 'nav .previous')?.click();
    const seen = cells.filter((cell) => cell.querySelector('.address')?.checkVisibility());
    const at = seen.findIndex((cell) => cell.contains(document.activeElement));
    focusCell(seen[at < 0 ? (step > 0 ? 0 : seen.length - 1) : at + step]);
  },
});
for (const form of [filter, axes]) {
  form.hidden = false;
  form.addEventListener('input', () => onChange(form));
  form.addEventListener('submit', (event) => event.preventDefault());
}
document.addEventListener('click', onCopy);
window.addEventListener('hashchange', route);
void route();
