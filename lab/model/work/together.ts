import { runGraph } from './task-graph.ts';

/**
 * Does several things, at most `atOnce` of them at a time, begun in their order. When one fails, the signal of the
 * others fires, no further one begins, and those that run are waited for.
 *
 * @param signal fires the signals of all.
 * @returns what they return, in their order.
 * @throws what the first one that failed threw.
 */
export async function doTogether<T>(
  tasks: readonly ((signal: AbortSignal) => Promise<T>)[],
  { atOnce, signal }: { readonly atOnce: number; readonly signal: AbortSignal },
): Promise<T[]> {
  const done: T[] = [];
  const nodes = tasks.map((task, index) => ({ id: String(index), needs: [], lane: 'all', task, index }));
  await runGraph(nodes, { lanes: { all: atOnce }, signal }, async ({ task, index }, own) => {
    done[index] = await task(own);
  });
  return done;
}
