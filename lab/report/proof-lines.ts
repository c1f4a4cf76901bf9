import type { CellResult } from '../model/formats.ts';

/** The proof of a cell, one line each: place, time of day (UTC), source, text. Places are relative to `folder`. */
export function proofLines(cell: CellResult, folder = ''): string[] {
  return cell.attribution.because.map((ref) => {
    const place = `${folder}${ref.file}${ref.line === undefined ? '' : `:${ref.line}`}`;
    return [place, ref.at.slice(11, 23), ref.source, ref.text.replaceAll(/\s+/g, ' ')]
      .filter((part) => part !== '')
      .join('  ');
  });
}
