import { describe, expect, it } from 'vitest';
import type { Context } from '../../../../lab/commands/context/context.ts';
import { runRounds, type RunRounds } from '../../../../lab/commands/gating/run-rounds.ts';
import { gatherTrials, type Trial } from '../../../../lab/gate/compare/gather-trials.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';

/** How a trial ends: as before, in a new way, or so that nothing can be said of it. */
type End = 'oom' | 'error' | 'void';

function trialOf(run: string, name: string, end: End): Trial {
  const cell: CellResult = {
    address: `default/${name}`,
    variant: { ...DEFAULT_VARIANT },
    scenario: name,
    verdict: end === 'void' ? 'inconclusive' : 'passed',
    expected: {},
    attribution: { killer: 'memcg-oom', victim: '', confidence: 'proven', because: [] },
    claims: [
      {
        layer: 'api',
        says: end === 'oom' ? 'OOMKilled, exit 137' : 'Error, exit 137',
        agrees: end === 'oom',
      },
    ],
    mismatches: [],
    timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 1000 },
    evidence: `cells/default/${name}`,
  };
  return { run, cell, accelerator: 'tcg' };
}

const NAMES = ['a', 'b'];
const baseline = {
  cells: gatherTrials(NAMES.flatMap((name) => [1, 2, 3].map((run) => trialOf(`base-${run}`, name, 'oom')))),
};

/** What of a gate was seen: cells and repeats of each round. */
interface Seen {
  readonly rounds: { readonly names: readonly string[]; readonly repeat: number }[];
  readonly answer: RunRounds;
}

/** Runs a gate whose cells end as these say; each round takes a minute. */
async function runGate(
  ends: (name: string, round: number) => End,
  { minutes, repeat, abortIn }: { minutes?: number; repeat?: number; abortIn?: number } = {},
): Promise<Seen> {
  const rounds: Seen['rounds'] = [];
  const aborted = new AbortController();
  let now = 0;
  const context = { clock: { now: () => now }, signal: aborted.signal } as unknown as Context;
  const planOf = (addresses: readonly string[]): never =>
    ({ names: addresses.map((address) => address.split('/')[1]), estimateSeconds: 60 }) as never;
  const answer = await runRounds(
    context,
    { plan: planOf(NAMES.map((name) => `default/${name}`)), config: {}, shown: {} } as never,
    { baseline: baseline, program: 'runc' },
    { minutes, repeat } as never,
    {
      run: (_, { plan }, __, times) => {
        const { names } = plan as unknown as { names: string[] };
        rounds.push({ names, repeat: times });
        if (rounds.length > 50) throw new Error('it does not end');
        now += 60_000;
        if (rounds.length === abortIn) aborted.abort();
        const trials = names.flatMap((name) =>
          Array.from({ length: times }, (_each, at) =>
            trialOf(`run-${rounds.length}-${at}`, name, ends(name, rounds.length)),
          ),
        );
        return Promise.resolve({ run: `run-${rounds.length}`, trials });
      },
      plan: (_, __, addresses) => planOf(addresses),
    },
  );
  return { rounds, answer };
}

const namesOf = ({ rounds }: Seen): string => rounds.map(({ names }) => names.join('+')).join(' ');

describe('a gate that runs', () => {
  it.each<[string, Parameters<typeof runGate>[0], Parameters<typeof runGate>[1], string]>([
    ['runs each cell once where all end as before', () => 'oom', {}, 'a+b'],
    [
      'repeats only what is open, until the rates differ',
      (name) => (name === 'a' ? 'error' : 'oom'),
      {},
      'a+b a a a',
    ],
    [
      'gives up after ten trials of a cell',
      (name, round) =>
        name === 'b' && round > 1 && round % 4 !== 0 ? 'oom' : name === 'b' ? 'error' : 'oom',
      {},
      `a+b${' b'.repeat(9)}`,
    ],
    [
      'counts trials without a verdict, so that it ends',
      (name, round) => (name === 'a' && round === 1 ? 'error' : name === 'a' ? 'void' : 'oom'),
      {},
      `a+b${' a'.repeat(9)}`,
    ],
    ['does not repeat what nothing was seen of', () => 'void', {}, 'a+b'],
    ['begins no round that the time does not allow', () => 'error', { minutes: 3 }, 'a+b a+b a+b'],
    ['begins no round after an interrupt', () => 'error', { abortIn: 2 }, 'a+b a+b'],
  ])('%s', async (_, ends, more, names) => {
    expect(namesOf(await runGate(ends, more))).toBe(names);
  });

  it('repeats the first round as often as asked, later ones once, and counts all of them', async () => {
    const { rounds, answer } = await runGate((name) => (name === 'a' ? 'error' : 'oom'), { repeat: 3 });
    expect(rounds).toEqual([
      { names: ['a', 'b'], repeat: 3 },
      { names: ['a'], repeat: 1 },
    ]);
    expect(answer.runs).toEqual(['run-1', 'run-2']);
    expect(answer.cells.map(({ address, of }) => [address, of])).toEqual([
      ['default/a', 4],
      ['default/b', 3],
    ]);
  });
});
