import { InternalError } from '../errors/errors.ts';

/** A piece of work, and what it waits for. */
export interface GraphNode {
  /** Unique in its graph. */
  readonly id: string;
  /** Ids of the nodes that have to be done before. */
  readonly needs: readonly string[];
  /** Nodes of one lane share its places; a node without a lane waits for none. */
  readonly lane?: string;
}

/** How many nodes of a lane are done at once, by its name. */
export type Lanes = Readonly<Record<string, number>>;

/**
 * Does the work of a graph: each node as soon as all that it needs is done and its lane has a place, in their order.
 * When one fails, the signal of the others fires, no further one begins, and those that run are waited for.
 *
 * @param work gets the node and its signal.
 * @throws what the first one that failed threw; InternalError for a node that waits for something that never comes.
 */
export async function runGraph<Node extends GraphNode>(
  nodes: readonly Node[],
  { lanes = {}, signal }: { readonly lanes?: Lanes; readonly signal: AbortSignal },
  work: (node: Node, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  const state = startState(nodes);
  const running = new Map<Node, Promise<void>>();
  let error: unknown;
  const begin = async (node: Node): Promise<void> => {
    try {
      await work(node, both);
      state.done.add(node.id);
    } catch (caught) {
      if (!failed.signal.aborted) error = caught;
      failed.abort();
    } finally {
      state.running.delete(node);
      running.delete(node);
    }
  };
  for (;;) {
    let next = findNext(state, lanes);
    while (next !== undefined && !failed.signal.aborted) {
      running.set(next, begin(next));
      next = findNext(state, lanes);
    }
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  if (failed.signal.aborted) throw error;
  refuseLeft(state);
}

/** When a node begins and ends, in seconds from the beginning of its graph. */
export interface NodeTimes {
  readonly begins: number;
  readonly ends: number;
}

/**
 * Says when `runGraph` would begin and end each node, if each took what it is estimated to. Pure.
 *
 * @throws InternalError for a node that waits for something that never comes.
 */
export function forecastGraph<Node extends GraphNode>(
  nodes: readonly Node[],
  lanes: Lanes,
  secondsOf: (node: Node) => number,
): ReadonlyMap<string, NodeTimes> {
  const state = startState(nodes);
  const times = new Map<string, NodeTimes>();
  let now = 0;
  const endOf = (node: Node): number => times.get(node.id)?.ends ?? now;
  for (;;) {
    for (let next = findNext(state, lanes); next !== undefined; next = findNext(state, lanes))
      times.set(next.id, { begins: now, ends: now + secondsOf(next) });
    const [first] = [...state.running].sort((a, b) => endOf(a) - endOf(b));
    if (first === undefined) break;
    now = endOf(first);
    state.running.delete(first);
    state.done.add(first.id);
  }
  refuseLeft(state);
  return times;
}

interface GraphState<Node> {
  /** Not begun, in their order. */
  readonly waiting: Set<Node>;
  readonly running: Set<Node>;
  /** Ids. */
  readonly done: Set<string>;
}

function startState<Node>(nodes: readonly Node[]): GraphState<Node> {
  return { waiting: new Set(nodes), running: new Set(), done: new Set() };
}

/** Takes the first node that may begin from those that wait to those that run; undefined when none may. */
function findNext<Node extends GraphNode>(
  { waiting, running, done }: GraphState<Node>,
  lanes: Lanes,
): Node | undefined {
  const hasPlace = ({ lane }: Node): boolean =>
    lane === undefined || [...running].filter((task) => task.lane === lane).length < (lanes[lane] ?? 1);
  for (const node of waiting) {
    if (!node.needs.every((id) => done.has(id)) || !hasPlace(node)) continue;
    waiting.delete(node);
    running.add(node);
    return node;
  }
  return undefined;
}

function refuseLeft<Node extends GraphNode>({ waiting }: GraphState<Node>): void {
  const [left] = waiting;
  if (left !== undefined)
    throw new InternalError(`${left.id} waits for what never comes: ${left.needs.join(', ')}`);
}
