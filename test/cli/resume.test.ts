import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { awaitEnd, type Engine, type Home } from '../../bin/reliability/engine.ts';
import {
  listSchema,
  runResultSchema,
  type CellResult,
  type RunResult,
} from '../../lab/model/saved/formats.ts';
import type { SavedPlan } from '../../lab/model/saved/replay.ts';
import { runPaths, statePaths } from '../../lab/model/host/paths.ts';
import { createCell, createRunOf } from '../unit/report/made-run.ts';
import { runCli } from './support/run-cli.ts';
import { lacksRoot, useEngine } from './support/use-engine.ts';

const openedEngine = useEngine();

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
    120_000,
  );
});

describe('a run that a kill left behind', () => {
  const RUN = '20250101-0900-kill';
  const LEGS = ['plain-exit-again-alone', 'plain-exit-again-fresh-world'];

  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'whodunit-resume-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const write = (path: string, value: unknown): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(value));
  };

  /** Saves a run that was about to run these scenarios, with the cells that it has judged. */
  function save(planned: readonly string[], cells: CellResult[], more: Partial<SavedPlan> = {}): void {
    const { result, plan } = runPaths(join(home, 'runs', RUN));
    write(result, createRunOf(cells, { run: RUN }));
    for (const cell of cells) write(join(dirname(result), cell.evidence, 'result.json'), cell);
    const saved: SavedPlan = {
      formatVersion: 1,
      cells: planned.map((scenario) => {
        const { address, variant } = createCell(scenario);
        return { address, variant, scenario, set: [], estimateSeconds: 30 };
      }),
      skipped: [],
      worlds: [],
      totals: { cells: planned.length, skipped: 0, worlds: 1, estimateSeconds: 60, memoryMiB: 3072 },
      estimates: 'defaults',
      notes: [],
      ...more,
    };
    write(plan, saved);
  }

  it('is gone on with by the line that a dry run prints, with all that was asked for', async () => {
    save(['plain-exit', 'exit-one', 'exit-zero'], [createCell('plain-exit')]);
    const { stdout } = await runCli(home, ['run', '--resume', '--lanes', '2', '--cold', '--dry-run']);
    expect(stdout).toContain(`next: npx whodunit run ${RUN} --lanes 2 --cold --resume\n`);
  });

  it('says what its failures follow where it was killed before it did, and runs nothing again', async () => {
    const legs = LEGS.map((scenario) => {
      const attempts = [1, 2].map((number) => ({
        verdict: 'failed' as const,
        killer: 'memcg-oom' as const,
        evidence: `cells/default/${scenario}/run-${number}`,
      }));
      const leg = createCell(scenario, { verdict: 'failed' });
      for (const { evidence } of attempts)
        write(join(home, 'runs', RUN, evidence, 'result.json'), { ...leg, evidence });
      return { ...leg, attempts };
    });
    const kinds = ['alone', 'world'] as const;
    save(['plain-exit', ...LEGS], [createCell('plain-exit', { verdict: 'failed' }), ...legs], {
      investigates: [
        {
          address: 'default/plain-exit',
          legs: legs.map(({ address }, index) => ({ kind: kinds[index]!, changes: [], address })),
          estimateSeconds: 60,
        },
      ],
    });
    const { stdout, status } = await runCli(home, ['run', '--resume', '--json']);
    const { investigated } = runResultSchema.parse(JSON.parse(stdout));
    expect(
      investigated?.map(({ address, legs: seen }) => [address, seen[0]?.failed, seen[1]?.failed]),
    ).toEqual([['default/plain-exit', 2, 2]]);
    expect(status).toBe(1);
    const again = await runCli(home, ['run', '--resume']);
    expect(again.stdout).toContain(`run ${RUN} is already complete`);
  });
});
