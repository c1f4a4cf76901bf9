import { addElement, createStylesheet } from './stylesheet.ts';

/**
 * Renders the stylesheet that gives a volume its backing file where that file is, outside any pool
 * (docs/decisions/0003-base-image-in-place.md).
 */
export function renderOverlayStylesheet(basePath: string): string {
  const sheet = createStylesheet();
  sheet.extend('/volume', {}, (at) => {
    const backing = addElement(at, 'backingStore');
    addElement(backing, 'path', {}, basePath);
    addElement(backing, 'format', { type: 'raw' });
  });
  return sheet.render();
}
