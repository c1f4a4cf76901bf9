import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CellResult, RunResult } from '../../../lab/model/saved/formats.ts';
import { parseVariantName } from '../../../lab/plan/variants/parse-variant.ts';
import { configWith } from '../../unit/project-files.ts';
import { planCaptures, runShard } from './shards.ts';

const { matrix, scenarios } = configWith();

/** How a cell ended: killed at its limit, alive, in a third way, or not observed. */
export type SavedEnd = 'killed' | 'alive' | 'third' | 'unseen';

/** A real saved cell, whose address and end are changed for the runs of a search. */
export async function captureCell(home: string): Promise<{ result: RunResult; cell: CellResult }> {
  const sharded = await planCaptures(home, 1, 1);
  await runShard(sharded, 1);
  const runs = join(home, 'shards', '1', 'runs');
  const text = readFileSync(join(runs, readdirSync(runs)[0]!, 'result.json'), 'utf8');
  const result = JSON.parse(text) as RunResult;
  return { result, cell: result.cells[0]! };
}

const ENDS: Readonly<Record<SavedEnd, (cell: CellResult) => CellResult>> = {
  killed: (cell) => withKiller(cell, 'memcg-oom'),
  alive: (cell) => withKiller(cell, 'none'),
  third: (cell) => withKiller(cell, 'self-exit'),
  unseen: (cell) => ({ ...cell, verdict: 'inconclusive', note: 'the |witness| had a gap' }),
};

function withKiller(cell: CellResult, killer: CellResult['attribution']['killer']): CellResult {
  const { victim } = cell.attribution;
  const attribution = { killer, victim, confidence: 'proven', because: [] } as const;
  return { ...cell, verdict: 'passed', attribution: { ...attribution, because: [] }, claims: [] };
}

function defaultsOf(name: string): Readonly<Record<string, string>> {
  return scenarios.find(({ scenario }) => scenario.name === name)?.parameters ?? {};
}

/** What a cell with this address is made of. */
function partsOf(address: string): Pick<CellResult, 'variant' | 'scenario' | 'parameters'> {
  const [, name = '', scenario = '', bracket] = /^([^/]*)\/([^[]*)(?:\[(.*)\])?$/.exec(address) ?? [];
  const parsed = parseVariantName(matrix, name);
  if ('problems' in parsed) throw new Error(parsed.problems.join('; '));
  const parts = { variant: parsed.variant, scenario };
  if (bracket === undefined) return parts;
  const parameters: Record<string, string> = {};
  for (const [name = '', value = ''] of bracket.split(',').map((pair) => pair.split('=')))
    parameters[name] = value;
  return { ...parts, parameters: { ...defaultsOf(scenario), ...parameters } };
}

/** Writes a run with these cells, and returns its folder. */
export function writeSearchedRun(
  home: string,
  name: string,
  { result, cell }: { readonly result: RunResult; readonly cell: CellResult },
  cells: readonly {
    readonly address: string;
    readonly end: SavedEnd;
    readonly measures?: NonNullable<CellResult['measures']>;
  }[],
): string {
  const folder = join(home, 'told', name);
  mkdirSync(folder, { recursive: true });
  const made = cells.map(({ address, end, measures }) =>
    ENDS[end]({ ...cell, ...partsOf(address), address, evidence: '', ...(measures && { measures }) }),
  );
  const count = (verdict: CellResult['verdict']): number =>
    made.filter((one) => one.verdict === verdict).length;
  const none = Object.fromEntries(Object.keys(result.totals).map((key) => [key, 0]));
  const totals = { ...none, passed: count('passed'), inconclusive: count('inconclusive') };
  writeFileSync(join(folder, 'result.json'), JSON.stringify({ ...result, run: name, cells: made, totals }));
  return folder;
}
