import { createHash } from 'node:crypto';
import { findFolderState } from '../../drivers/files/folder-state.ts';
import { findIndexed, keepIndexed, SETTLED_MS } from '../../drivers/project/project-index.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { largest } from '../../model/text/extremes.ts';
import type { CellFacts } from '../../report/page/run-report.ts';
import { MAX_BYTES, packFacts, unpackFacts } from '../../world/run/kept-facts.ts';

/** Under which name the facts of the last reported run are kept. */
const INDEX = 'facts';
/** Evidence is in the folder of a cell and in those of its nodes. */
const LEVELS = 1;

/** What the evidence of the cells of a run tells, kept from the last time that its report was written. */
export interface FactsIndex {
  /**
   * Returns what was kept of a cell, or else what `read` returns. Kept is only what this very program has read from these
   * files, and only of a result that followed from them: everything else is judged again.
   */
  factsOf(cell: CellResult, read: () => CellFacts): CellFacts;
  /** Keeps what was asked for, in place of what was kept before. */
  save(): void;
}

interface Kept {
  /** The state of the result and of its evidence. */
  readonly stamp: string;
  /** Base64. */
  readonly packed: string;
}

/**
 * Opens the index of a run. It is in the folder of the written program, so another state of the sources has none, and
 * whoever can write there can change the program itself.
 *
 * @param now in milliseconds since 1970: a file that has just been changed may change again within the same time of change.
 * @param folder another folder than that of the program.
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

/** Undefined when somebody has broken it. */
function unpack({ packed }: Kept): CellFacts | undefined {
  try {
    return unpackFacts(Buffer.from(packed, 'base64'));
  } catch {
    return undefined;
  }
}

/** The state of a result and of all files of its evidence; undefined where there is something that is not a file. */
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
