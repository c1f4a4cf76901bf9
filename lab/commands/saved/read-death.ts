import { findJsonInside } from '../../drivers/files/inside.ts';
import { findEndWords } from '../../judge/case/end-words.ts';
import { valueOf, type Variant } from '../../model/axes/axes.ts';
import { effectiveSchema, type Effective } from '../../model/saved/effective.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { cellPaths } from '../../model/host/paths.ts';
import { spellToday } from '../../model/host/spell-today.ts';
import { deriveFacts } from '../../plan/variants/facts.ts';
import type { RecordedDeath } from '../../report/words/recorded-death.ts';
import { judgeFolder } from '../../world/cell/judge-folder.ts';
import { getCellRecord } from './read-cell-record.ts';
import { requireSaved } from './saved-file.ts';

/**
 * Reads the folder of a cell, judges it, and collects what each layer called the end. The returned record has the
 * address that the cell has today.
 *
 * @param matrix the source of the versions that a variant asks for; used when the folder does not say what the nodes
 *   printed.
 * @throws ConfigError with every problem of its `cell.json`.
 */
export function readDeath(folder: string, matrix: Matrix): RecordedDeath {
  const record = getCellRecord(folder);
  const { observations, now } = judgeFolder(folder, record);
  const readBack = findEffective(folder)?.versions;
  return {
    record: spellToday(record, () => readBack),
    attribution: now.attribution,
    verdict: now.verdict,
    words: findEndWords(record, observations),
    versions: readBack ?? versionsAskedFor(record.variant, matrix),
    isReadBack: readBack !== undefined,
  };
}

/**
 * Returns what the oracle read back from the world of a cell; undefined when it was not saved.
 *
 * @throws HostError LAB_STATE_FILE when it is not of this version.
 */
export function findEffective(folder: string): Effective | undefined {
  const path = cellPaths(folder).effective;
  const found = findJsonInside(folder, path);
  if (found === undefined) return undefined;
  return requireSaved({ path, is: 'what an oracle read back', move: 'it' }, effectiveSchema, found);
}

/** Returns the versions that a variant asks for, as far as they are known before it is built. */
function versionsAskedFor(variant: Variant, matrix: Matrix): Effective['versions'] {
  const facts = deriveFacts(variant, matrix);
  const versions = {
    kubelet: valueOf(variant, 'kubernetes').release,
    containerd: facts.containerdVersion,
    runc: facts.runcVersion,
    crun: facts.crunVersion,
    youki: facts.youkiVersion,
    runsc: facts.runscVersion,
    kernel: facts.kernelVersion,
  };
  return Object.fromEntries(
    Object.entries(versions).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
}
