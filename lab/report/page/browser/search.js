/* exported createSearch */
/** Which cells are shown: those that fit the menus, and that know every word. */

/** A number is found as a whole, `cgroup=v1` from its beginning, any other word wherever it is. */
function compileWord(word) {
  if (/^\d+$/.test(word)) {
    const number = new RegExp(`(?<![\\d.])${word}(?!\\d|\\.\\d)`);
    return (text) => number.test(text);
  }
  if (word.includes('=')) return (text) => text.includes(` ${word}`);
  return (text) => text.includes(word);
}

function createSearch(cells, filter, readTexts) {
  const groups = [...document.querySelectorAll('.group')];
  const open = new Map();
  let newest = 0;

  /** Shows what fits; resolves to the addresses, or to nothing when it was asked again meanwhile. */
  async function apply(settings) {
    const turn = (newest += 1);
    const words = (settings.get('text') ?? '').toLowerCase().split(/\s+/).filter(Boolean).map(compileWord);
    const texts = words.length === 0 ? new Map() : await readTexts();
    if (turn !== newest) return undefined;
    const [verdict, killer] = [settings.get('verdict'), settings.get('killer')];
    const isFiltered = ['text', 'verdict', 'killer'].some((name) => settings.has(name));
    const shown = new Set();
    for (const cell of cells) {
      const { dataset } = cell;
      const fits =
        (verdict === undefined || dataset.verdict === verdict) &&
        (killer === undefined || dataset.killer === killer) &&
        words.every((knows) => knows(texts.get(dataset.cell) ?? ''));
      cell.hidden = !fits;
      if (fits) shown.add(dataset.cell);
    }
    for (const group of groups) showGroup(group, isFiltered);
    filter.querySelector('output').textContent = isFiltered ? `${shown.size} of ${cells.length} cells` : '';
    return shown;
  }

  /** A filter opens what has a cell that fits; without one it is as it was before. */
  function showGroup(group, isFiltered) {
    const all = group.querySelectorAll('.cell').length;
    const fitting = group.querySelectorAll('.cell:not([hidden])').length;
    group.hidden = isFiltered && fitting === 0;
    const count = group.querySelector('.count');
    count.textContent = fitting === all ? all : `${fitting} of ${all}`;
    if (group.tagName !== 'DETAILS') return;
    if (isFiltered) {
      if (!open.has(group)) open.set(group, group.open);
      group.open = true;
    } else if (open.has(group)) {
      group.open = open.get(group);
      open.delete(group);
    }
  }
  return { apply };
}
