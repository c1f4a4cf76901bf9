import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHOSEN_CRASHES, CHOSEN_INTERRUPTS } from '../../bin/reliability/crash-plans.ts';
import { awaitEnd, must, type Engine, type Home } from '../../bin/reliability/engine.ts';
import { findLeftovers } from '../../bin/reliability/leftovers.ts';
import { writeTextAtomic } from '../../lab/drivers/files/files.ts';
import { readWorldRecord } from '../../lab/world/world-record.ts';
import { listSchema, runResultSchema, type RunResult } from '../../lab/model/saved/formats.ts';
import { runPaths, statePaths } from '../../lab/model/host/paths.ts';
import { alive, headOf, oom, search } from '../fixtures/bisect/told-search.ts';
import { lacksRoot, testCrashes, useEngine } from './support/use-engine.ts';

/* All that runs on the stand-in host, in one file: opening it copies the project, and the first lab builds its programs. */

const openedEngine = useEngine();

testCrashes(openedEngine, { what: 'a lab that is killed', home: 'killed' }, CHOSEN_CRASHES);
testCrashes(openedEngine, { what: 'a lab that is interrupted', home: 'interrupted' }, CHOSEN_INTERRUPTS);

/** Runs two cells, and sends a signal while the second is watched. Returns the folder of the run. */
async function breakOff(engine: Engine, home: Home, signal: NodeJS.Signals): Promise<string> {
  const child = engine.start(home, ['run', 'oom-single-container', 'oom-container-level']);
  const ended = awaitEnd(child);
  let watched = 0;
  engine.host.onMoment((_number, what) => {
    if (what.includes('cat /dev/kmsg') && (watched += 1) === 2) child.kill(signal);
  });
  await ended;
  engine.host.onMoment(undefined);
  const { runs } = statePaths(home.stateDir);
  return join(runs, readdirSync(runs).at(-1) ?? '');
}

const readResult = (dir: string): RunResult =>
  runResultSchema.parse(JSON.parse(readFileSync(runPaths(dir).result, 'utf8')));

describe.skipIf(lacksRoot)('a run that broke off', () => {
  it.each(['SIGKILL', 'SIGINT'] as const)(
    'goes on where it was, judges nothing twice and is one run: %s',
    async (signal) => {
      const engine = openedEngine();
      const home = engine.openHome(`resumed-${signal}`);
      const dir = await breakOff(engine, home, signal);
      const before = readResult(dir);
      const [judged] = before.cells;
      const left = ['default/oom-container-level', 'default/oom-single-container'].filter(
        (address) => address !== judged?.address,
      );
      const planned = await engine.run(home, ['run', '--resume', '--dry-run', '--json']);
      expect(listSchema.parse(JSON.parse(planned.output)).cells.map(({ address }) => address)).toEqual(left);

      const { status } = await engine.run(home, ['run', '--resume']);
      expect(status).toBe(3);
      const after = readResult(dir);
      expect({ ...after, totals: before.totals, cells: [] }).toEqual({ ...before, cells: [] });
      expect(after.cells[0]).toEqual(judged);
      expect(after.cells.map(({ address, verdict }) => [address, verdict])).toEqual([
        [judged?.address, 'inconclusive'],
        [left[0], 'inconclusive'],
      ]);
      const again = await engine.run(home, ['run', '--resume']);
      expect(again.output).toContain(`run ${after.run} is already complete`);
      expect((await engine.run(home, ['events'])).status).toBe(0);
      await engine.run(home, ['down', '--all']);
    },
  );
});

/** Writes the state of a search that is about to run its last good version, which is the default world, in a fresh one. */
function tellSearch({ stateDir }: Home): void {
  const [good, bad] = ['1.34.2', '1.35.0'];
  const cell = 'oom-single-container';
  const addresses = [`default/${cell}`, `kubernetes-${bad}/${cell}`];
  const head = headOf([good, bad], {
    search: '20261128-100000-1',
    axis: 'kubernetes',
    address: addresses[1]!,
  });
  const values = head.values.map((value, index) => ({ ...value, address: addresses[index]! }));
  const seen = search({ ...head, values }, (value) => (value === good ? oom : alive));
  const warm = seen.slice(
    0,
    seen.findIndex(({ isFresh }) => isFresh),
  );
  const lines = [{ ...head, values }, ...warm].map((line) => `${JSON.stringify(line)}\n`);
  writeTextAtomic(statePaths(stateDir).search(head.search).bisect, lines.join(''));
}

describe.skipIf(lacksRoot)('a search that builds a world to confirm its answer', () => {
  it.each([
    { by: 'SIGINT', at: 'apply: domain started', then: [] },
    { by: 'SIGINT', at: 'snapshot: half-way', then: [] },
    { by: 'SIGINT', at: 'cat /dev/kmsg', then: [] },
    { by: 'SIGKILL', at: 'apply: domain started', then: ['gc'] },
  ] as const)('leaves the saved one as it is: $by at $at', async ({ by, at, then }) => {
    const engine = openedEngine();
    const home = engine.openHome(`confirming-${by}-${at.replace(/\W/g, '')}`);
    await must(engine, home, ['up']);
    const saved = readWorldRecord(home.stateDir, 'default').record;
    tellSearch(home);
    const child = engine.start(home, ['bisect', '--resume']);
    const ended = awaitEnd(child);
    let isStruck = false;
    engine.host.onMoment((_number, what) => {
      if (isStruck || !what.includes(at)) return;
      isStruck = true;
      child.kill(by);
    });
    const { status, output } = await ended;
    engine.host.onMoment(undefined);
    expect([isStruck, status], output).toEqual([true, by === 'SIGINT' ? 130 : 137]);
    if (then.length > 0) await must(engine, home, then);
    expect(readWorldRecord(home.stateDir, 'default').record).toEqual(saved);
    expect(await findLeftovers(engine, home)).toEqual([]);
    const up = await engine.run(home, ['up', '--json']);
    expect(JSON.parse(up.output)).toMatchObject({ how: 'restored' });
    await must(engine, home, ['down', '--all']);
  });
});
