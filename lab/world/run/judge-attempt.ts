import type { CellResult } from '../../model/saved/formats.ts';
import type { Host } from '../../model/host/host.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import type { Scenario } from '../../model/declared/scenario.ts';
import type { PlannedCell } from '../../plan/cells/plan-cells.ts';
import type { CellRun } from '../cell/cell.ts';
import { judgeAside } from './judge-aside.ts';
import type { KeptFacts } from './kept-facts.ts';

/** Where the evidence of one attempt is. */
export interface EvidenceFolder {
  readonly dir: string;
  /** Relative to the run folder. */
  readonly relative: string;
}

/** Whether a cell takes time for images that its nodes do not have. */
export function bringsImages({ images, registry }: Scenario): boolean {
  return images.length > 0 || registry !== undefined;
}

/**
 * Judges a cell from its saved evidence, in the way in which `whodunit judge` judges it again, and keeps what the report will
 * show of it.
 *
 * @returns undefined when an interrupt came before the judge was done.
 */
export async function judgeAttempt(
  { host, facts }: { readonly host: Pick<Host, 'clock' | 'signal'>; readonly facts: KeptFacts },
  cell: PlannedCell,
  ran: CellRun,
  folder: EvidenceFolder,
  spent: { startedAt: number; restoreMs: number },
): Promise<CellResult | undefined> {
  const { clock } = host;
  const { record } = ran;
  const judgeStart = clock.now();
  const answer = await judgeAside(host, { folder: folder.dir, record });
  if (answer === undefined) return undefined;
  const { verdict, note, ...findings } = answer.now;
  const result: CellResult = {
    address: cell.address,
    variant: cell.variant,
    scenario: cell.loaded.scenario.name,
    ...parametersField(cell.loaded.parameters),
    verdict,
    expected: { ...record.expected },
    ...findings,
    timings: {
      restoreMs: spent.restoreMs,
      ...(bringsImages(cell.loaded.scenario) ? { deliverMs: ran.deliverMs } : {}),
      deployMs: ran.deployMs,
      observeMs: ran.observeMs,
      collectMs: ran.collectMs,
      verdictMs: clock.now() - judgeStart,
      totalMs: clock.now() - spent.startedAt,
    },
    evidence: folder.relative,
    ...(note === undefined ? {} : { note }),
  };
  facts.keep(result.attribution, answer.facts);
  return result;
}
