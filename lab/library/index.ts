/** `import … from 'whodunit'`: what the commands do with files, for programs. It needs no machine and starts nothing. */
import { resolve } from 'node:path';
import { answer, type AutopsyQuestion } from '../autopsy/answer.ts';
import { checkAnswer } from '../commands/saved/check-answer.ts';
import { getCellRecord } from '../commands/saved/read-cell-record.ts';
import { BUNDLE_LIMITS, type OpenedFile } from '../drivers/bundles/bundle-file.ts';
import { BundleReading } from '../drivers/bundles/bundle-reading.ts';
import { openBundle } from '../drivers/bundles/open-bundle.ts';
import { openCellFolder } from '../drivers/files/cell-folder.ts';
import { readBundle } from '../evidence/bundle/read-bundle.ts';
import { linesOfStream, type Line } from '../evidence/lines.ts';
import { readEvidence as readObservations } from '../evidence/read-evidence.ts';
import { judgeCell, type Judgement } from '../judge/verdict/judge-cell.ts';
import type { CellRecord, Observation } from '../model/evidence/observation.ts';
import type { Autopsy } from '../model/saved/autopsy.ts';
import type { CheckedProof } from '../model/saved/checked.ts';

export { LabError } from '../model/errors/errors.ts';
export type { Autopsy, AutopsyQuestion, CellRecord, CheckedProof, Judgement, Observation };

/** The evidence of one cell, read. */
export interface CellEvidence {
  /** The folder that it was read from. */
  readonly folder: string;
  /** Its `cell.json`: what was run, and what was expected. */
  readonly record: CellRecord;
  /** What its files say, each with file and line, in the order of time. */
  readonly observations: readonly Observation[];
}

/**
 * Reads a folder of evidence: one cell of a run, `.lab/runs/<id>/cells/<variant>/<scenario>/`.
 *
 * @throws LabError when it is not such a folder, or a file of it is wrong.
 */
export function readEvidence(path: string): CellEvidence {
  const folder = resolve(path);
  const record = getCellRecord(folder);
  return { folder, record, observations: readObservations(openCellFolder(folder), record) };
}

/** Says who killed the pod of a cell, how sure that is, and whether it was expected. Pure: the same evidence, the same verdict. */
export function judge({ record, observations }: Omit<CellEvidence, 'folder'>): Judgement {
  return judgeCell(record, observations);
}

/**
 * Holds the proof of a verdict against the raw files of its folder, with a program that shares nothing with the judge.
 *
 * @param folder where the evidence is.
 * @param judgement what `judge` has said of it.
 */
export function check(folder: string, { attribution }: Pick<Judgement, 'attribution'>): CheckedProof {
  return checkAnswer(resolve(folder), attribution);
}

/** A question about files, and how their times are to be read. */
export interface AutopsyOptions extends AutopsyQuestion {
  /** Of logs that name none: `Europe/Berlin`, `UTC` or `+02:00`. */
  readonly timezone?: string;
  /** Of logs that name none. */
  readonly year?: number;
}

/**
 * Says who killed a pod that the lab did not stage, by files that are known by their content: logs, objects, bundles.
 *
 * @param paths files, folders and archives.
 * @throws LabError when nothing of it is evidence, or the question fits no death, or several.
 */
export async function autopsy(
  paths: readonly string[],
  { timezone, year, ...question }: AutopsyOptions = {},
): Promise<Autopsy> {
  const reading = new BundleReading(BUNDLE_LIMITS);
  const bundle = await readBundle(toLines(openBundle(paths, process.stdin, reading)), { timezone, year });
  const problems = reading.problems.map(({ path, why }) => `${path} ${why}`);
  return answer({ ...bundle, problems: [...problems, ...bundle.problems] }, question);
}

async function* toLines(
  files: AsyncIterable<OpenedFile>,
): AsyncGenerator<{ path: string; lines: AsyncIterable<Line> }> {
  for await (const { path, pieces } of files) yield { path, lines: linesOfStream(pieces) };
}
