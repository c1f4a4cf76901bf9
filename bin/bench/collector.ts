import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InternalError } from '../../lab/model/errors/errors.ts';
import type { Host } from '../../lab/model/host/host.ts';
import { startCollection } from '../../lab/world/cell/collect.ts';
import { restoreOnce } from '../../lab/world/restore/restore.ts';
import { closeWorld, type OpenWorld } from '../../lab/world/world.ts';
import { WORKLOADS_IMAGE } from '../../provision/image/container-images.ts';
import { median } from './numbers.ts';
import type { Session } from './session.ts';

/** Each pair measures both ways, one right after the other: a host that becomes slower slows down both. */
const PAIRS = 5;
const IDLE_S = 10;
const PROCESSES = 100;
/** Processes for which the CPU is shown. */
const SHOWN = 10;
const POD_MS = 120_000;

/** What one turn measured. */
interface Sample {
  /** CPU seconds of the whole node, idle for `IDLE_S` seconds. */
  readonly cpuS: number;
  /** Memory of the node that is in use. */
  readonly usedMiB: number;
  /** So many processes started and ended, one after the other. */
  readonly processesS: number;
  /** From the request for a pod to its end as the API tells it. */
  readonly podS: number;
  /** CPU seconds by the name of the process, in the same time. */
  readonly byName: ReadonlyMap<string, number>;
  /** Memory of only the collectors, by name. */
  readonly privateMiB: ReadonlyMap<string, number>;
}

/** The node that nobody looks at, and the same node looked at. */
interface Pair {
  readonly without: Sample;
  readonly with: Sample;
}

/**
 * What collecting evidence costs the node that is looked at: every stream, watch and trace that a cell has. A ratio is
 * the median of those of the pairs; a range that spans 1 is the host's own noise.
 */
export async function benchmarkCollector(session: Session, print: (line: string) => void): Promise<void> {
  const { record } = await session.upDefault();
  const world = await restoreOnce(await session.lab(), record);
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-collected-'));
  const pairs: Pair[] = [];
  try {
    for (let index = 0; index < PAIRS; index += 1)
      pairs.push(await measurePair(session.context, world, folder, index));
  } finally {
    closeWorld(world);
    rmSync(folder, { recursive: true, force: true });
  }
  for (const line of describeOwn(pairs.map((pair) => pair.with))) print(line);
  print(describe(`CPU of an idle node in ${IDLE_S} s`, 's', pairs, ({ cpuS }) => cpuS));
  for (const line of describeProcesses(pairs)) print(line);
  print(describe('memory in use on the node', 'MiB', pairs, ({ usedMiB }) => usedMiB));
  print(describe(`${PROCESSES} processes started and ended`, 's', pairs, ({ processesS }) => processesS));
  print(describe('a pod from request to end', 's', pairs, ({ podS }) => podS));
}

/** Every other pair begins with the collectors. */
async function measurePair(host: Host, world: OpenWorld, folder: string, index: number): Promise<Pair> {
  const alone = (): Promise<Sample> => measure(host, world, `alone-${index}`);
  const lookedAt = async (): Promise<Sample> => {
    const collection = await startCollection(host, world, {
      cellDir: join(folder, String(index)),
      onPod: () => undefined,
      loaded: {
        samplers: [],
        parameters: {},
        scenario: { victim: { namespace: '', selector: '', container: '' } },
      },
    });
    const sample = await measure(host, world, `looked-at-${index}`);
    await collection.finish();
    return sample;
  };
  if (index % 2 === 0) return { without: await alone(), with: await lookedAt() };
  const first = await lookedAt();
  return { with: first, without: await alone() };
}

/** `1.05x (0.98x to 1.12x)  what, with collectors / without  (8.1 s / 7.7 s)`. */
function describe(
  what: string,
  unit: string,
  pairs: readonly Pair[],
  of: (sample: Sample) => number,
): string {
  const ratios = pairs.map((pair) => of(pair.with) / of(pair.without));
  const [middle, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map(
    (ratio) => `${ratio.toFixed(2)}x`,
  );
  const figures = [pairs.map((pair) => of(pair.with)), pairs.map((pair) => of(pair.without))]
    .map((values) => `${median(values).toFixed(1)} ${unit}`)
    .join(' / ');
  return `${middle} (${least} to ${most})  ${what}, with collectors / without  (${figures})`;
}

/**
 * Looks at the node before and after a time in which nobody looks. The cost of looking is not counted: the counter of
 * the node is read last before the pause and first after it.
 */
const IDLE = `
node() { awk -v when="$1" '/^cpu /{print when, "node", $2 + $3 + $4 + $7 + $8}' /proc/stat; }
processes() {
  awk -v when="$1" '{
    n = $0; sub(/^[^(]*[(]/, "", n); sub(/[)][^)]*$/, "", n); gsub(/[ \\/:].*/, "", n)
    r = $0; sub(/.*[)] /, "", r); split(r, f, " "); t[n] += f[12] + f[13]
  } END { for (n in t) print when, "process:" n, t[n] }' /proc/[0-9]*/stat 2> /dev/null || true
}
collector() {
  pid=$(pgrep -n -f "$2") || return 0
  awk -v name="$1" '/^Private/{p+=$2} END{print "after", name, p}' "/proc/$pid/smaps_rollup"
}
awk '/^MemTotal/{t=$2} /^MemAvailable/{print "after used", t - $2}' /proc/meminfo
processes before; node before
sleep ${IDLE_S}
node after; processes after
collector witness '/witness$'
collector cat '^cat /dev/kmsg'
collector ctr '^ctr --namespace'
`;

async function measure(host: Host, world: OpenWorld, name: string): Promise<Sample> {
  const [guest] = world.guests;
  if (guest === undefined) throw new InternalError('a world without nodes');
  const podS = await timePod(host, world, `whodunit-bench-${name}`);
  const started = performance.now();
  await guest.must(`for i in $(seq ${PROCESSES}); do /bin/true; done`);
  const processesS = (performance.now() - started) / 1000;
  const read = parse(await guest.must(IDLE));
  const before = read('before');
  const after = read('after');
  const cpuOf = (name: string): number =>
    ((after.get(name)?.[0] ?? NaN) - (before.get(name)?.[0] ?? NaN)) / TICKS_PER_SECOND;
  const privateMiB = COLLECTORS.flatMap((name) => {
    const kib = after.get(name)?.[0];
    return kib === undefined ? [] : [[name, kib / 1024] as const];
  });
  const usedMiB = (after.get('used')?.[0] ?? NaN) / 1024;
  const names = [...after.keys()].filter((name) => name.startsWith(PROCESS));
  const byName = new Map(names.map((name) => [name.slice(PROCESS.length), cpuOf(name)]));
  return { cpuS: cpuOf('node'), usedMiB, processesS, podS, byName, privateMiB: new Map(privateMiB) };
}

const PROCESS = 'process:';
const COLLECTORS = ['witness', 'cat', 'ctr'];
/** USER_HZ: the unit of /proc/stat on every architecture that the lab knows. */
const TICKS_PER_SECOND = 100;

/** Lines `when name number…`, by name. */
function parse(text: string): (when: string) => ReadonlyMap<string, readonly number[]> {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  return (when) =>
    new Map(
      lines.flatMap(([at, name = '', ...numbers]) =>
        at === when ? [[name, numbers.map(Number)] as const] : [],
      ),
    );
}

async function timePod(host: Host, world: OpenWorld, name: string): Promise<number> {
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
    {
      title: `the pod ${name} to end`,
      look: async () => {
        const { status } = await core.readNamespacedPod({ namespace: 'default', name });
        const phase = status?.phase ?? 'unknown';
        return phase === 'Succeeded' || phase === 'Failed'
          ? { done: true, value: phase }
          : { done: false, seen: phase };
      },
    },
    { timeoutMs: POD_MS, intervalMs: 100 },
  );
  return (performance.now() - started) / 1000;
}

/** Which processes use more CPU when evidence is collected: those that use most of it. */
function describeProcesses(pairs: readonly Pair[]): string[] {
  const of = (samples: readonly Sample[], name: string): number =>
    median(samples.map(({ byName }) => byName.get(name) ?? 0));
  const lookedAt = pairs.map((pair) => pair.with);
  const alone = pairs.map((pair) => pair.without);
  const names = [...new Set(lookedAt.flatMap(({ byName }) => [...byName.keys()]))];
  return names
    .map((name) => ({ name, with: of(lookedAt, name), without: of(alone, name) }))
    .sort((a, b) => b.with - a.with)
    .slice(0, SHOWN)
    .map((took) => `  ${took.name}: ${took.with.toFixed(2)} s / ${took.without.toFixed(2)} s`);
}

/** What the collectors use themselves; the CPU as a share of what the whole node used at the same time. */
function describeOwn(samples: readonly Sample[]): string[] {
  return COLLECTORS.map((name) => {
    const shares = samples.map(({ byName, cpuS }) => (100 * (byName.get(name) ?? 0)) / cpuS);
    const memory = samples.flatMap(({ privateMiB }) => privateMiB.get(name) ?? []);
    const range = `${Math.min(...shares).toFixed(1)} to ${Math.max(...shares).toFixed(1)}`;
    return `${name}: ${median(shares).toFixed(1)} % of the node's CPU (${range}), ${median(memory).toFixed(1)} MiB of its own`;
  });
}
