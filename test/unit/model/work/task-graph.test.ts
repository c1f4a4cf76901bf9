import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecastGraph, runGraph, type GraphNode } from '../../../../lab/model/work/task-graph.ts';

const { signal } = new AbortController();

/** Nodes that need only earlier ones, some of them in a lane. */
const graphs = fc
  .array(fc.record({ seconds: fc.nat(9), inLane: fc.boolean(), needs: fc.array(fc.nat(99)) }), {
    maxLength: 12,
  })
  .map((drafts) =>
    drafts.map(({ seconds, inLane, needs }, index) => ({
      id: String(index),
      needs: index === 0 ? [] : needs.map((need) => String(need % index)),
      ...(inLane ? { lane: 'two' } : {}),
      seconds,
    })),
  );

describe('a graph of work', () => {
  it('begins a node when all that it needs is done, and leaves out none', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (nodes) => {
        const done = new Set<string>();
        let inLane = 0;
        await runGraph(nodes, { lanes: { two: 2 }, signal }, async ({ id, needs, lane }) => {
          expect(needs.filter((need) => !done.has(need))).toEqual([]);
          inLane += lane === undefined ? 0 : 1;
          expect(inLane).toBeLessThanOrEqual(2);
          await new Promise((resume) => setImmediate(resume));
          inLane -= lane === undefined ? 0 : 1;
          done.add(id);
        });
        expect(done.size).toBe(nodes.length);
      }),
    );
  });

  it('is forecast to begin a node when the last one that it needs ends, or later for its lane', () => {
    fc.assert(
      fc.property(graphs, (nodes) => {
        const times = forecastGraph(nodes, { two: 2 }, ({ seconds }) => seconds);
        for (const { id, needs, lane, seconds } of nodes) {
          const { begins, ends } = times.get(id)!;
          expect(ends - begins).toBe(seconds);
          const ready = Math.max(0, ...needs.map((need) => times.get(need)!.ends));
          if (lane === undefined) expect(begins).toBe(ready);
          else expect(begins).toBeGreaterThanOrEqual(ready);
        }
      }),
    );
  });

  it('is forecast side by side, as many of a lane as have a place', () => {
    const nodes = [
      { id: 'a', needs: [], lane: 'one' },
      { id: 'b', needs: [], lane: 'one' },
      { id: 'c', needs: [] },
      { id: 'd', needs: ['b', 'c'] },
    ];
    const times = forecastGraph(nodes, {}, () => 10);
    expect(Object.fromEntries([...times].map(([id, { begins }]) => [id, begins]))).toEqual({
      a: 0,
      b: 10,
      c: 0,
      d: 20,
    });
  });

  it('ends the others when a node fails, begins no further one, and throws what it threw', async () => {
    const nodes: GraphNode[] = [
      { id: 'fails', needs: [] },
      { id: 'runs', needs: [] },
      { id: 'waits', needs: ['runs'] },
    ];
    const seen: string[] = [];
    const work = async ({ id }: GraphNode, own: AbortSignal): Promise<void> => {
      seen.push(id);
      if (id === 'fails') throw new Error('the first');
      await new Promise<void>((ended) => own.addEventListener('abort', () => ended(), { once: true }));
      throw new Error('the second');
    };
    await expect(runGraph(nodes, { signal }, work)).rejects.toThrow('the first');
    expect(seen).toEqual(['fails', 'runs']);
  });

  it('is refused when a node waits for what is not in it', async () => {
    const nodes = [{ id: 'a', needs: ['b'] }];
    await expect(runGraph(nodes, { signal }, () => Promise.resolve())).rejects.toThrow('a waits for');
    expect(() => forecastGraph(nodes, {}, () => 1)).toThrow('a waits for');
  });
});
