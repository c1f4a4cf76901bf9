import { createHash } from 'node:crypto';
import { findFolderState } from '../../drivers/files/folder-state.ts';
import { findIndexed, keepIndexed, SETTLED_MS } from '../../drivers/project/project-index.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { largest } from '../../model/text/extremes.ts';
import type { CellFacts } from '../../report/page/run-report.ts';
import { MAX_BYTES, packFacts, unpackFacts } from '../../world/run/kept-facts.ts';

/** The name of the index that keeps the facts of the last reported run. */
const INDEX = 'facts';
/** Levels of folders below a cell: one, for its nodes. */
const LEVELS = 1;

/** What the evidence of a run says of its cells, kept since its report was written last. */
export interface FactsIndex {
  /**
   * Returns the kept facts of a cell, or else what `read` returns. Facts are kept only if this version of the program
   * has read them from the same files, and if the result followed from them. All others are read again.
   */
  factsOf(cell: CellResult, read: () => CellFacts): CellFacts;
  /** Saves the facts that were asked for, in place of those saved before. */
  save(): void;
}

interface Kept {
  /** The state of the result and of its evidence, as a digest. */
  readonly stamp: string;
  /** The facts, packed and in Base64. */
  readonly packed: string;
}

/**
 * Opens the index of a run. It is in the folder of the bundled program: other sources have another index, and a person
 * who can write there can change the program itself.
 *
 * @param now in milliseconds since 1970. Files that changed a moment ago are not kept: they may change again and keep
 *   their time.
 * @param folder the folder of the index, for tests.
 */
export function openFactsIndex(runDir: string, now: number, folder?: string): FactsIndex {
  // The state of each cell is in its own stamp.
  const stamp = { digest: createHash('sha256').update(runDir).digest('hex'), changedAtMs: 0 };
  const known = (findIndexed(INDEX, stamp, folder) ?? {}) as Readonly<Record<string, Kept>>;
  const kept = new Map<string, Kept>();
  let isChanged = false;
  let bytes = 0;
  const keep = (address: string, entry: Kept): void => {
    bytes += entry.packed.length;
    if (bytes <= MAX_BYTES) kept.set(address, entry);
  };
  return {
    factsOf: (cell, read) => {
      const state = stampCell(runDir, cell);
      const entry = Object.hasOwn(known, cell.address) ? known[cell.address] : undefined;
      const found = entry === undefined || entry.stamp !== state?.text ? undefined : unpack(entry);
      if (entry !== undefined && found !== undefined) {
        keep(cell.address, entry);
        return found;
      }
      const facts = read();
      const isSure = facts.problem === undefined && facts.again?.state === 'same';
      if (isSure && state !== undefined && state.changedAtMs <= now - SETTLED_MS) {
        keep(cell.address, { stamp: state.text, packed: packFacts(facts).toString('base64') });
        isChanged = true;
      }
      return facts;
    },
    save: () => {
      if (isChanged) keepIndexed(INDEX, stamp, Object.fromEntries(kept), folder);
    },
  };
}

/** Unpacks facts; undefined when they were damaged. */
function unpack({ packed }: Kept): CellFacts | undefined {
  try {
    return unpackFacts(Buffer.from(packed, 'base64'));
  } catch {
    return undefined;
  }
}

/** Returns the state of a result and of all files of its evidence; undefined when something there is not a file. */
function stampCell(runDir: string, cell: CellResult): { text: string; changedAtMs: number } | undefined {
  const places = [cell.evidence, ...(cell.attempts ?? []).map(({ evidence }) => evidence)];
  const states = [...new Set(places.filter((path) => path !== ''))].map((path) =>
    findFolderState(runDir, path, LEVELS),
  );
  const known = states.filter((state) => state !== undefined);
  if (known.length < states.length) return undefined;
  const hash = createHash('sha256').update(JSON.stringify(cell));
  for (const { digest } of known) hash.update(digest);
  return {
    text: hash.digest('hex'),
    changedAtMs: largest(
      known.map((state) => state.changedAtMs),
      0,
    ),
  };
}
