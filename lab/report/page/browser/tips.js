/* exported createTips, openMarks */
/** What a square of the map or a mark on a time axis means, shown beside it as long as it is pointed at or has the focus. */

const POINTED = '.square[aria-label], .mark[aria-label]';

function createTips() {
  const tip = document.createElement('div');
  tip.id = 'tip';
  tip.hidden = true;
  tip.setAttribute('aria-hidden', 'true'); // it is the name of the element
  document.body.append(tip);

  let shown;

  function show(element) {
    shown = element;
    tip.textContent = element.getAttribute('aria-label');
    tip.hidden = false;
    const { left, bottom, top } = element.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const isBelow = bottom + 8 + height < window.innerHeight;
    tip.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - width - 8))}px`;
    tip.style.top = `${isBelow ? bottom + 8 : Math.max(8, top - 8 - height)}px`;
  }
  const hide = () => (tip.hidden = true);
  const onEnter = ({ target }) => {
    const element = target.closest?.(POINTED);
    if (element) show(element);
    else hide();
  };
  document.addEventListener('pointerover', onEnter);
  document.addEventListener('focusin', onEnter);
  document.addEventListener('focusout', hide);
  // What has got the focus is often scrolled into sight.
  document.addEventListener('scroll', () => !tip.hidden && show(shown), true);
  return {
    /** @returns whether there was one. */
    close: () => {
      const wasOpen = !tip.hidden;
      hide();
      return wasOpen;
    },
  };
}

/**
 * Gives each mark of the time axes on a page the whole record as its name: it is in the lists of that page, or in those of
 * the page of its twin. Each axis is one stop of the Tab key; arrows go from mark to mark.
 *
 * @param readPage HTML of the page of a cell.
 */
async function openMarks(view, address, readPage) {
  const axes = [...view.querySelectorAll('svg.timeline')];
  for (const axis of axes) {
    const of = axis.dataset.of ?? address;
    const page = of === address ? view : parsePage(await readPage(of));
    nameMarks(axis, page);
  }
  view.addEventListener('keydown', onMarkArrow);
}

function parsePage(html) {
  const template = document.createElement('template');
  template.innerHTML = html;
  return template.content;
}

function nameMarks(axis, page) {
  const [proofs, others] = ['.proofs > li', '.others li'].map((list) => [...page.querySelectorAll(list)]);
  const marks = [...axis.querySelectorAll('.mark')];
  axis.setAttribute('role', 'group');
  for (const [index, mark] of marks.entries()) {
    const { proof, other } = mark.dataset;
    const record = proof === undefined ? others[Number(other)] : proofs[Number(proof) - 1];
    const title = mark.querySelector('title');
    mark.setAttribute('aria-label', spell(record ?? title));
    mark.setAttribute('role', 'img');
    mark.setAttribute('tabindex', index === 0 ? '0' : '-1');
    title?.remove();
  }
}

/** The text of an element on one line, with a blank between its parts. */
function spell(element) {
  const parts = [...(element?.childNodes ?? [])].map((part) => part.textContent);
  return parts.join(' ').replaceAll(/\s+/g, ' ').trim();
}

function onMarkArrow(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const axis = event.target.closest?.('.mark')?.closest('svg');
  if (!axis || step === undefined) return;
  event.preventDefault();
  const marks = [...axis.querySelectorAll('.mark')];
  const next = marks[marks.indexOf(event.target.closest('.mark')) + step];
  if (next === undefined) return;
  for (const mark of marks) mark.setAttribute('tabindex', mark === next ? '0' : '-1');
  next.focus();
}
