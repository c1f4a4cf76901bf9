import type { EvidenceRef } from '../model/saved/formats.ts';
import type { Excerpt, ExcerptLine } from '../model/evidence/story.ts';
import { linesOf, type EvidenceText } from './lines.ts';
import { createLineRedactor } from './redact.ts';
import { largest } from '../model/text/extremes.ts';

/** Lines before and after each line that is asked for. */
const AROUND = 2;
/** Longest text of a line that was asked for, and of its neighbours. */
const MAX_WANTED = 480;
const MAX_NEIGHBOUR = 120;
/** What is cut is longer than the words that say how much it was. */
const LEAST_CUT = 30;
/** A private key goes on over many lines. */
const KEY = 'PRIVATE KEY-----';

/**
 * The lines of the evidence that records point to, each with two lines before and after it. Secrets are taken out. A file
 * that is not there is left out, and no file is read beyond the last line that is wanted.
 *
 * @param files path inside the cell's folder → content.
 */
export function readExcerpts(
  files: ReadonlyMap<string, EvidenceText>,
  refs: readonly Pick<EvidenceRef, 'file' | 'line'>[],
): Excerpt[] {
  const wanted = new Map<string, Set<number>>();
  for (const { file, line } of refs) {
    if (line === undefined) continue;
    wanted.set(file, (wanted.get(file) ?? new Set()).add(line));
  }
  return [...wanted].flatMap(([file, lines]) => {
    const content = files.get(file);
    return content === undefined ? [] : [{ file, lines: readAround(content, lines) }];
  });
}

function readAround(content: EvidenceText, wanted: ReadonlySet<number>): ExcerptLine[] {
  const last = largest(wanted) + AROUND;
  const near = new Set(
    [...wanted].flatMap((line) =>
      Array.from({ length: 2 * AROUND + 1 }, (_, index) => line - AROUND + index),
    ),
  );
  const redact = createLineRedactor();
  let hasKey = false;
  const found: ExcerptLine[] = [];
  for (const { number, text } of linesOf(content)) {
    if (number > last) break;
    hasKey ||= text.includes(KEY);
    // What is not shown need not be redacted, unless a key begins in it.
    if (!near.has(number) && !hasKey) continue;
    const shown = redact(text);
    if (near.has(number)) found.push(cut(number, shown, wanted.has(number)));
  }
  return found;
}

function cut(number: number, text: string, isWanted: boolean): ExcerptLine {
  const most = isWanted ? MAX_WANTED : MAX_NEIGHBOUR;
  if (text.length < most + LEAST_CUT) return { number, text, more: 0, isWanted };
  return { number, text: text.slice(0, most), more: text.length - most, isWanted };
}
