/* exported listenToKeys */
/** Keys for those who read many cells. They do nothing while somebody writes, nor together with Ctrl, Alt or Meta. */

const FORWARD = ['j', 'ArrowRight'];
const BACK = ['k', 'ArrowLeft'];

/**
 * @param page what the keys do: `isCell()`, `search()`, `leave()` (what is open, then the cell, then the filter), and
 *   `go(step)` to another cell.
 */
function listenToKeys(page) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const { key, target } = event;
    if (key === 'Escape') return page.leave();
    if (target.closest?.('input, select, textarea')) return;
    if (key === '/') {
      event.preventDefault();
      return page.search();
    }
    // Arrows belong to what has the focus: the map, a time axis, or what can be scrolled.
    const isFree = !key.startsWith('Arrow') || (page.isCell() && !target.closest?.('[tabindex="0"], .mark'));
    if (!isFree) return;
    if (FORWARD.includes(key)) page.go(1);
    if (BACK.includes(key)) page.go(-1);
  });
}
