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
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  const done = new Map<number, T>();
  let error: unknown;
  const waiting = tasks.entries();
  const takeTurns = async (): Promise<void> => {
    for (const [index, task] of waiting) {
      if (failed.signal.aborted) return;
      try {
        done.set(index, await task(both));
      } catch (caught) {
        if (!failed.signal.aborted) error = caught;
        failed.abort();
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  if (failed.signal.aborted) throw error;
  return [...done].sort(([a], [b]) => a - b).map(([, value]) => value);
}
