import { parkWorld } from '../../lab/world/restore/park.ts';
import { restoreOnce } from '../../lab/world/restore/restore.ts';
import { closeWorld, type OpenWorld } from '../../lab/world/world.ts';
import type { Lab } from '../../lab/world/lab.ts';
import type { ReadyRecord } from '../../lab/world/world-record.ts';
import { median, percentile } from './numbers.ts';
import type { Session } from './session.ts';

const PATH_ROUNDS = 5;
/** A guest whose clock is further off than this was not stepped. */
const CLOCK_SLACK_MS = 1_000;

/** How one restore went: through the gate, stopped by it, or let through although something is wrong. */
interface Tried {
  readonly ms: number;
  readonly caught?: string;
  readonly missed?: string;
  readonly random?: string;
}

/**
 * The ways back to the snapshot, side by side, each through the whole health gate: inside the running QEMU (`loadvm`), and
 * inside a new QEMU process (power off, then on).
 */
export async function benchmarkPaths(session: Session, print: (line: string) => void): Promise<void> {
  const { record } = await session.upDefault();
  const lab = await session.lab();
  const paths: Record<string, (before: Lab) => Promise<Lab>> = {
    'loadvm in place': (before) => Promise.resolve(before),
    'a new process (off, then on)': async (before) => {
      await parkWorld(before, record);
      return before;
    },
  };
  for (const [name, prepare] of Object.entries(paths)) {
    const times: number[] = [];
    for (let i = 0; i < PATH_ROUNDS; i += 1) {
      const startedAt = performance.now();
      closeWorld(await restoreOnce(await prepare(lab), record));
      times.push(performance.now() - startedAt);
    }
    const figures = [median(times), Math.min(...times), Math.max(...times)].map((ms) =>
      (ms / 1000).toFixed(1),
    );
    print(
      `${figures[0]} s  (${figures[1]} to ${figures[2]} s, ${PATH_ROUNDS} times)  ${name}, through the gate`,
    );
  }
}

/** Restores one world again and again, and looks behind the gate each time. */
export async function benchmarkRestores(
  session: Session,
  count: number,
  print: (line: string) => void,
): Promise<void> {
  const { record } = await session.upDefault();
  const lab = await session.lab();
  const tried: Tried[] = [];
  for (let i = 1; i <= count; i += 1) {
    const one = await tryRestore(lab, record, tried);
    tried.push(one);
    if (one.caught !== undefined) print(`restore ${i}: caught by the gate: ${one.caught}`);
    if (one.missed !== undefined) print(`restore ${i}: UNHEALTHY behind the gate: ${one.missed}`);
  }
  const healthy = tried.filter((restore) => restore.caught === undefined && restore.missed === undefined);
  const times = healthy.map(({ ms }) => ms);
  const of = (share: number): string => (percentile(times, share) / 1000).toFixed(1);
  const caught = tried.filter((restore) => restore.caught !== undefined).length;
  const missed = tried.filter((restore) => restore.missed !== undefined).length;
  print(
    `${count} restores: ${healthy.length} healthy, ${caught} caught by the gate, ${missed} unhealthy behind it; ` +
      `p50 ${of(0.5)} s, p95 ${of(0.95)} s`,
  );
}

async function tryRestore(lab: Lab, record: ReadyRecord, earlier: readonly Tried[]): Promise<Tried> {
  const startedAt = performance.now();
  let world: OpenWorld;
  try {
    world = await restoreOnce(lab, record);
  } catch (error) {
    if (lab.host.signal.aborted) throw error;
    return { ms: performance.now() - startedAt, caught: (error as Error).message };
  }
  const ms = performance.now() - startedAt;
  try {
    return { ms, ...(await lookBehindGate(world, earlier)) };
  } finally {
    closeWorld(world);
  }
}

/** What the gate does not ask, or asks in another way. */
export async function lookBehindGate(
  world: OpenWorld,
  earlier: readonly Pick<Tried, 'random'>[] = [],
): Promise<Pick<Tried, 'missed' | 'random'>> {
  const problems: string[] = [];
  const pods = await world.kubernetes.core.listNamespacedPod({ namespace: 'kube-system' });
  for (const pod of pods.items) {
    const ready = pod.status?.conditions?.some(
      (condition) => condition.type === 'Ready' && condition.status === 'True',
    );
    if (ready !== true) problems.push(`${pod.metadata?.name ?? 'a pod'} is not Ready`);
  }
  let random = '';
  for (const guest of world.guests) {
    const askedAt = Date.now();
    const lines = (await guest.must('head -c 16 /dev/urandom | base64; date +%s%3N')).trim().split('\n');
    random += lines[0] ?? '';
    // It looked at some moment between the question and the answer, which on a busy host are seconds apart.
    const [said, answeredAt] = [Number(lines[1]), Date.now()];
    const offMs = Math.max(askedAt - said, said - answeredAt, 0);
    if (!(offMs <= CLOCK_SLACK_MS)) problems.push(`the clock of ${guest.name} is off by ${offMs} ms`);
  }
  if (earlier.some((sample) => sample.random === random)) problems.push('random numbers repeat');
  return { random, ...(problems.length === 0 ? {} : { missed: problems.join('; ') }) };
}
