import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InternalError } from '../../lab/model/errors.ts';
import type { Guest, Host } from '../../lab/model/host.ts';
import { startCollection } from '../../lab/world/collect.ts';
import { restoreOnce } from '../../lab/world/restore.ts';
import { closeWorld, type World } from '../../lab/world/world.ts';
import { WORKLOADS_IMAGE } from '../../provision/image/container-images.ts';
import { median, type Row } from './numbers.ts';
import type { Session } from './session.ts';

/** Without and with the collectors in turns, so that a host that becomes slower counts for both. */
const TURNS = ['without', 'with', 'with', 'without', 'without', 'with'] as const;
type Turn = (typeof TURNS)[number];
const IDLE_S = 20;
const PROCESSES = 200;
const POD_MS = 120_000;

/** What one turn measured. */
interface Sample {
  /** CPU seconds of the whole node, idle for `IDLE_S` seconds. */
  readonly cpuS: number;
  /** Memory of the node that is not available. */
  readonly usedMiB: number;
  /** So many processes started and ended, one after the other. */
  readonly processesS: number;
  /** From the request for a pod to its end as the API tells it. */
  readonly podS: number;
  /** The collectors alone, by name. */
  readonly own: ReadonlyMap<string, { readonly cpuS: number; readonly privateMiB: number }>;
}

/** What collecting evidence costs the node that is looked at: every stream, watch and trace that a cell has. */
export async function benchmarkCollector(session: Session, print: (line: string) => void): Promise<Row[]> {
  const { record } = await session.upDefault();
  const { context } = session;
  const world = await restoreOnce(await session.lab(), record);
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-collected-'));
  const samples: Record<Turn, Sample[]> = { without: [], with: [] };
  try {
    for (const [index, turn] of TURNS.entries()) {
      const cellDir = join(folder, String(index));
      const collection =
        turn === 'with' ? await startCollection(context, world, cellDir, () => undefined) : undefined;
      samples[turn].push(await measure(context, world, index));
      await collection?.finish();
    }
  } finally {
    closeWorld(world);
    rmSync(folder, { recursive: true, force: true });
  }
  for (const line of describeOwn(samples.with)) print(line);
  const row = (what: string, unit: Row['unit'], of: (sample: Sample) => number): Row => ({
    what: `${what}, with collectors / without`,
    ours: median(samples.with.map(of)),
    bare: median(samples.without.map(of)),
    unit,
  });
  return [
    row(`CPU of an idle node in ${IDLE_S} s`, 's', ({ cpuS }) => cpuS),
    row('memory in use on the node', 'MiB', ({ usedMiB }) => usedMiB),
    row(`${PROCESSES} processes started and ended`, 's', ({ processesS }) => processesS),
    row('a pod from request to end', 's', ({ podS }) => podS),
  ];
}

/** Reads the node's CPU and memory, and those of the collectors, by their command lines. */
const READ = `
ticks() { sed 's/.*) //' "/proc/$1/stat" | awk '{print $12 + $13}'; }
awk '/^cpu /{print "node", $2 + $3 + $4 + $7 + $8}' /proc/stat
awk '/^MemTotal/{t=$2} /^MemAvailable/{print "used", t - $2}' /proc/meminfo
collector() {
  pid=$(pgrep -n -f "$2") || return 0
  echo "$1 $(ticks "$pid") $(awk '/^Private/{p+=$2} END{print p}' "/proc/$pid/smaps_rollup")"
}
collector witness '/witness$'
collector kmsg '^cat /dev/kmsg'
collector ctr '^ctr --namespace'
`;

async function measure(host: Host, world: World, index: number): Promise<Sample> {
  const [guest] = world.guests;
  if (guest === undefined) throw new InternalError('a world without nodes');
  const podS = await timePod(host, world, index);
  const started = performance.now();
  await guest.must(`for i in $(seq ${PROCESSES}); do /bin/true; done`);
  const processesS = (performance.now() - started) / 1000;
  const before = await read(guest);
  await guest.must(`sleep ${IDLE_S}`);
  const after = await read(guest);
  const cpuOf = (name: string): number =>
    ((after.get(name)?.[0] ?? NaN) - (before.get(name)?.[0] ?? NaN)) / TICKS_PER_SECOND;
  const own = ['witness', 'kmsg', 'ctr'].flatMap((name) => {
    const privateKiB = after.get(name)?.[1];
    return privateKiB === undefined
      ? []
      : [[name, { cpuS: cpuOf(name), privateMiB: privateKiB / 1024 }] as const];
  });
  const usedMiB = (after.get('used')?.[0] ?? NaN) / 1024;
  return { cpuS: cpuOf('node'), usedMiB, processesS, podS, own: new Map(own) };
}

/** USER_HZ: the unit of /proc/stat on every architecture that the lab knows. */
const TICKS_PER_SECOND = 100;

async function read(guest: Guest): Promise<ReadonlyMap<string, readonly number[]>> {
  const text = await guest.must(READ);
  return new Map(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([name = '', ...numbers]) => [name, numbers.map(Number)]),
  );
}

async function timePod(host: Host, world: World, index: number): Promise<number> {
  const name = `whodunit-bench-${index}`;
  const { core } = world.kubernetes;
  const container = {
    name: 'end',
    image: WORKLOADS_IMAGE,
    imagePullPolicy: 'Never',
    command: ['/bin/sleeper', '--after', '0s'],
  };
  const started = performance.now();
  await core.createNamespacedPod({
    namespace: 'default',
    body: { metadata: { name }, spec: { restartPolicy: 'Never', containers: [container] } },
  });
  await host.waitFor(
    async () => {
      const { status } = await core.readNamespacedPod({ namespace: 'default', name });
      const phase = status?.phase ?? 'unknown';
      return phase === 'Succeeded' || phase === 'Failed'
        ? { done: true, value: phase }
        : { done: false, seen: phase };
    },
    { name: `the pod ${name} to end`, timeoutMs: POD_MS, intervalMs: 100 },
  );
  return (performance.now() - started) / 1000;
}

function describeOwn(samples: readonly Sample[]): string[] {
  const names = [...new Set(samples.flatMap(({ own }) => [...own.keys()]))];
  return names.map((name) => {
    const own = samples.flatMap((sample) => sample.own.get(name) ?? []);
    const cpu = median(own.map(({ cpuS }) => cpuS));
    const memory = median(own.map(({ privateMiB }) => privateMiB));
    return `${name}: ${cpu.toFixed(2)} CPU seconds in ${IDLE_S} s, ${memory.toFixed(1)} MiB of its own`;
  });
}
