// Shows the rows that the form asks for. What is asked is in the address, so that it can be sent.
const form = document.querySelector('form');
const shown = document.querySelector('output');
const cells = [...document.querySelectorAll('#cells tbody tr')];
const ends = [...document.querySelectorAll('#ends tbody tr')];
const texts = new Map([...cells, ...ends].map((row) => [row, row.textContent.toLowerCase()]));

function readForm() {
  return [...new window.FormData(form)].filter(([, value]) => value !== '');
}

function show() {
  const asked = readForm();
  const words = (asked.find(([name]) => name === 'search')?.[1] ?? '').toLowerCase().split(/\s+/);
  const choices = asked.filter(([name]) => name !== 'search');
  const hasWords = (row) => words.every((word) => texts.get(row).includes(word));
  for (const row of cells)
    row.hidden = !hasWords(row) || choices.some(([name, value]) => row.dataset[name] !== value);
  for (const row of ends) row.hidden = !hasWords(row);
  shown.textContent = `${cells.filter((row) => !row.hidden).length} of ${cells.length} cells`;
}

function readAddress() {
  form.reset();
  for (const [name, value] of new window.URLSearchParams(location.hash.slice(1)))
    if (form.elements[name] !== undefined) form.elements[name].value = value;
  show();
}

form.addEventListener('input', () => {
  show();
  history.replaceState(undefined, '', `#${new window.URLSearchParams(readForm())}`);
});
form.addEventListener('submit', (event) => event.preventDefault());
window.addEventListener('hashchange', readAddress);
readAddress();
