import type { CellResult } from '../../model/saved/formats.ts';
import type { Clock } from '../../model/host/host.ts';
import { sum } from '../../model/text/sum.ts';
import { estimateRest } from '../../plan/worlds/estimate.ts';
import type { PlannedCell } from '../../plan/cells/plan-cells.ts';

/** How far a run has come, for its progress. */
export interface RunTracker {
  /** A world is up. */
  readonly addWorld: (name: string) => void;
  add(result: CellResult): void;
  /** `17/54 cells, 1 failed`. */
  describe(): string;
  /** What is shown before a run that is over: `✓`, or `✗ 1 failed:`. */
  readonly mark: () => string;
  /** What is left at a time, in milliseconds. */
  readonly remaining: (now: number) => number;
}

/**
 * Starts to count the cells of a run. Its pace is that of what comes after its first world: that one waits for programs
 * and images that no estimate knows of.
 *
 * @param estimateSeconds of the whole plan; what its cells do not take of it is shared by the worlds.
 */
export function trackRun(
  clock: Clock,
  cells: readonly PlannedCell[],
  worlds: number,
  estimateSeconds: number,
): RunTracker {
  const worldSeconds = (estimateSeconds - sum(cells.map((cell) => cell.estimateSeconds))) / worlds;
  const totalSeconds = estimateSeconds - worldSeconds;
  const open = new Map(cells.map((cell) => [cell.address, cell]));
  const worldsUp = new Set<string>();
  const unusual = new Map<string, number>();
  let startedAt: number | undefined;
  let doneSeconds = 0;
  let endsAt = clock.now() + estimateSeconds * 1000;
  const update = (): void => {
    const now = clock.now();
    startedAt ??= now;
    const elapsedSeconds = (now - startedAt) / 1000;
    endsAt = now + estimateRest({ totalSeconds, doneSeconds, elapsedSeconds }) * 1000;
  };
  const addWorld = (name: string): void => {
    if (worldsUp.has(name)) return;
    if (worldsUp.size > 0) doneSeconds += worldSeconds;
    worldsUp.add(name);
    update();
  };
  const listUnusual = (): string[] => [...unusual].map(([verdict, count]) => `${count} ${verdict}`);
  return {
    addWorld,
    add: ({ address, verdict }) => {
      const cell = open.get(address);
      if (cell === undefined) return;
      open.delete(address);
      addWorld(address.slice(0, address.lastIndexOf('/')));
      doneSeconds += cell.estimateSeconds;
      if (verdict !== 'passed') unusual.set(verdict, (unusual.get(verdict) ?? 0) + 1);
      update();
    },
    describe: () => {
      const counter = `${cells.length - open.size}/${cells.length} cells`;
      return [counter, ...listUnusual()].join(', ');
    },
    mark: () => (unusual.size === 0 ? '✓' : `✗ ${listUnusual().join(', ')}:`),
    remaining: (now) => endsAt - now,
  };
}
