import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHOSEN_CRASHES, CHOSEN_INTERRUPTS } from '../../bin/reliability/crash-plans.ts';
import { awaitEnd, type Engine, type Home } from '../../bin/reliability/engine.ts';
import { listSchema, runResultSchema, type RunResult } from '../../lab/model/saved/formats.ts';
import { runPaths, statePaths } from '../../lab/model/host/paths.ts';
import { lacksRoot, testCrashes, useEngine } from './support/use-engine.ts';

/*
 * All that runs on the stand-in host, in one file: the tests of two files run at once. Each lab chooses ports for its
 * machines and keeps them while these are off. It knows what its own state folder has chosen, and what listens.
 */

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
