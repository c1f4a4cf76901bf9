/* exported createGrid */
/** The map: rows and columns can be chosen, arrow keys go from square to square, and it says how much is out of sight. */

const STANDARD = { rows: 'scenario', columns: 'variant' };

function createGrid(axes) {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  /** On which axes the variants differ, and what their heads are called. */
  const variants = new Map(Object.entries(read('variants')));
  const names = new Map(Object.entries(read('variant-names')));
  const squares = [...document.querySelectorAll('#map a.square')].map(describeSquare);
  const table = document.querySelector('.heat');
  const measure = createColumnNote(table);
  let turned = 'scenario variant';

  const choices = ['scenario', 'variant', ...Object.keys([...variants.values()][0] ?? {})];
  for (const select of axes.querySelectorAll('select')) {
    select.append(...choices.map((name) => new Option(name)));
    select.dataset.standard = STANDARD[select.name];
  }

  function valueOf({ scenario, variant }, axis) {
    return { scenario, variant }[axis] ?? variants.get(variant)?.[axis] ?? '';
  }

  /** Puts the squares into the chosen rows and columns. A box may have several, or none. */
  function turn(settings) {
    const rows = settings.get('rows') ?? STANDARD.rows;
    const columns = settings.get('columns') ?? STANDARD.columns;
    if (turned === `${rows} ${columns}`) return;
    turned = `${rows} ${columns}`;
    const heads = [...new Set(squares.map((square) => valueOf(square, columns)))];
    const boxes = new Map();
    for (const square of squares) {
      const [row, column] = [valueOf(square, rows), valueOf(square, columns)];
      if (!boxes.has(row)) boxes.set(row, new Map());
      const own = boxes.get(row);
      if (!own.has(column)) own.set(column, []);
      own.get(column).push(square.element);
    }
    const head = table.tHead.rows[0];
    head.replaceChildren(head.cells[0], ...heads.map((name) => headOf('col', columns, name)));
    table.tBodies[0].replaceChildren(
      ...[...boxes].map(([name, own]) => {
        const row = document.createElement('tr');
        row.append(headOf('row', rows, name), ...boxesOf(heads.map((column) => own.get(column) ?? [])));
        return row;
      }),
    );
    measure();
  }

  function headOf(scope, axis, name) {
    const cell = document.createElement('th');
    cell.scope = scope;
    cell.title = name;
    const text = document.createElement('span');
    text.textContent = axis === 'variant' ? (names.get(name) ?? name) : name;
    cell.append(text);
    return cell;
  }

  /** Cells that the filter hides are pale, as long as there is one. */
  function dim(shown) {
    for (const { element, address } of squares) element.classList.toggle('dim', !shown.has(address));
  }

  new ResizeObserver(measure).observe(table.parentElement);
  table.addEventListener('keydown', onArrow);
  return { turn, dim };
}

/** Says how many columns are out of sight. */
function createColumnNote(table) {
  const box = table.parentElement;
  const note = document.getElementById('more-columns');
  return () => {
    const heads = [...table.tHead.rows[0].cells].slice(1);
    const room = box.getBoundingClientRect().left + box.clientLeft + box.clientWidth + 1;
    const seen = heads.filter((head) => head.getBoundingClientRect().right + box.scrollLeft <= room).length;
    note.hidden = box.scrollWidth <= box.clientWidth || seen === heads.length;
    box.classList.toggle('more', !note.hidden);
    note.textContent = note.hidden
      ? ''
      : `${seen} of ${heads.length} columns fit: scroll to the right, or choose an axis as columns.`;
  };
}

/** A square, and the cell that its link names. */
function describeSquare(element) {
  const address = decodeURIComponent(element.getAttribute('href').slice('#cell='.length));
  const at = address.lastIndexOf('/');
  return { element, address, variant: address.slice(0, at), scenario: address.slice(at + 1) };
}

/** A box for each list of squares. Neighbours that have nothing are one box, as `heat-map.ts` writes them. */
function boxesOf(lists) {
  const boxes = [];
  for (const own of lists) {
    const last = boxes.at(-1);
    if (own.length === 0 && last !== undefined && last.childElementCount === 0) last.colSpan += 1;
    else boxes.push(boxOf(own));
  }
  return boxes;
}

function boxOf(own) {
  const cell = document.createElement('td');
  cell.classList.toggle('many', own.length > 6);
  cell.append(...own);
  return cell;
}

/** The column in which a box begins. */
function columnOf(box) {
  const before = [...box.parentElement.cells].slice(0, box.cellIndex);
  return before.reduce((sum, { colSpan }) => sum + colSpan, 0);
}

/** The box of a row in a column; undefined behind the last one. */
function boxIn(row, column) {
  let left = column;
  for (const box of row?.cells ?? []) {
    if (left < box.colSpan) return box;
    left -= box.colSpan;
  }
  return undefined;
}

/** Arrow keys go from square to square, as they are seen. */
function onArrow(event) {
  const box = event.target.closest('td');
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!box || step === undefined || !event.target.matches('a.square')) return;
  event.preventDefault();
  let row = box.parentElement;
  let column = columnOf(box);
  for (;;) {
    column += step[1];
    row = step[0] < 0 ? row.previousElementSibling : step[0] > 0 ? row.nextElementSibling : row;
    const next = column < 0 ? undefined : boxIn(row, column);
    if (next === undefined) return;
    const square = next.querySelector('a.square');
    if (square !== null) return square.focus();
  }
}
