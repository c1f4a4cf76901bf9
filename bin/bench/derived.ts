import type { RunResult } from '../../lab/model/saved/formats.ts';
import { InternalError } from '../../lab/model/errors/errors.ts';
import type { Kubernetes } from '../../lab/drivers/kubernetes/kubernetes.ts';
import { restoreOnce } from '../../lab/world/restore/restore.ts';
import { parkWorld } from '../../lab/world/restore/park.ts';
import { closeWorld } from '../../lab/world/world.ts';
import { findWorldRecord, isReady, type ReadyRecord } from '../../lab/world/world-record.ts';
import { formatRow } from './numbers.ts';
import type { Session } from './session.ts';
import { describeVerdict, EXITS_WITH_VERDICTS } from './verdicts.ts';

/** The share of the time of the world built from its image: where pods stay, and where all of them are made again. */
const TARGETS = { stay: 0.3, anew: 0.5 } as const;
/** A variant of each kind that can be derived, after the world that it is derived from; all of them on cgroup v2. */
const KINDS: readonly Kind[] = [
  ['a sysctl', 'overcommit-2', 'stay'],
  ['fields of the kubelet', 'parallel-pulls', 'stay'],
  ['another runtime', 'runsc@20230927+systemd-cgroup', 'stay'],
  ['what the kubelet gives to pods', 'tight', 'anew'],
  ['another runc for workloads', 'runc@1.4.3', 'stay'],
  ['another runc everywhere', 'runc@1.4.3+everywhere', 'anew'],
  ['another containerd', 'containerd-2.1.4', 'anew'],
  ['other cgroup drivers', 'cgroupfs+cgroupfs', 'anew'],
  ['one more worker', '1+2', 'stay', '1+1'],
  ['what the kubelet gives to pods of two nodes', '1+1_tight', 'anew', '1+1'],
];
type Kind = readonly [what: string, variant: string, pods: keyof typeof TARGETS, parent?: string];
/** A kill by the kernel, a kill by a process, and none. */
const SCENARIOS = ['oom-single-container', 'sigkill-from-node', 'within-limits'];

/** What a world turned out to be: a line for each fact, by its name. */
type Facts = ReadonlyMap<string, string>;

interface Made {
  readonly seconds: number;
  readonly facts: Facts;
}

/**
 * Builds each kind of variant both ways in one run, and compares what came of it: what the oracle read back, digests of
 * programs and configuration, the cgroups of all pods with their limits, and the verdicts of three scenarios.
 */
export async function benchmarkDerived(session: Session, print: (line: string) => void): Promise<void> {
  for (const [what, variant, pods, parent = 'default'] of KINDS) {
    // Programs and images are made beforehand: only a world is measured.
    await session.run(['bake', variant]);
    await session.run(['up', parent]);
    const lab = await session.lab();
    // A machine that nobody uses takes up to a processor.
    await parkWorld(lab, readReady(session, parent));
    const cold = await make(session, variant, 'built', ['--cold']);
    const derived = await make(session, variant, 'derived', []);
    const row = { ours: derived.seconds, bare: cold.seconds, target: TARGETS[pods], unit: 's' } as const;
    print(formatRow({ what: `${variant} (${what}): derived / built`, ...row }));
    const differences = compareFacts(cold.facts, derived.facts);
    print(`  ${String(cold.facts.size)} facts compared, ${String(differences.length)} differ`);
    for (const line of differences) print(`  DIFFERS ${line}`);
  }
}

/** Brings a variant up in one way, looks at it, runs the scenarios in it, and removes it. */
async function make(session: Session, variant: string, how: string, flags: readonly string[]): Promise<Made> {
  const { stdout, ms } = await session.run(['up', variant, '--json', ...flags]);
  const said = (JSON.parse(stdout) as { how: string }).how;
  if (said !== how) throw new InternalError(`${variant} was to be ${how}, and was ${said}`);
  const record = readReady(session, variant);
  const facts = new Map([...(await readFacts(session, record)), ...(await readVerdicts(session, variant))]);
  await session.run(['down', variant]);
  return { seconds: ms / 1000, facts };
}

function readReady({ home }: Session, variant: string): ReadyRecord {
  const record = findWorldRecord(home, variant);
  if (record === undefined || !isReady(record)) throw new InternalError(`${variant} is not there`);
  return record;
}

async function readVerdicts(session: Session, variant: string): Promise<[string, string][]> {
  const words = SCENARIOS.map((scenario) => `${variant}/${scenario}`);
  // What a verdict is counts here, not whether it is the expected one.
  const { stdout } = await session.run(['run', ...words, '--json'], { expected: EXITS_WITH_VERDICTS });
  return (JSON.parse(stdout) as RunResult).cells.map((cell) => [
    `verdict of ${cell.address}`,
    describeVerdict(cell),
  ]);
}

async function readFacts(session: Session, record: ReadyRecord): Promise<[string, string][]> {
  const lab = await session.lab();
  const world = await restoreOnce(lab, record);
  try {
    const names = await namePods(world.kubernetes);
    const texts = await Promise.all(world.guests.map((guest) => guest.must(LOOK)));
    const lines = texts.flatMap((text, index) => {
      const node = world.guests[index]?.name ?? '';
      return text
        .trim()
        .split('\n')
        .map((line) => `${node} ${nameIds(line, names)}`);
    });
    return [
      ...listLeaves('effective', record.effective).map(([name, value]): [string, string] => [
        name,
        nameIds(value, names),
      ]),
      ...lines.map((line): [string, string] => {
        const [name = '', ...value] = line.split('\t');
        return [name, value.join(' ')];
      }),
    ];
  } finally {
    closeWorld(world);
  }
}

/**
 * Digests of what runs and of how it is configured, but for the ticket with which a worker joined; limits and
 * controllers of every cgroup of a pod. The limit of all pods comes from the memory of the node, and two boots of one
 * machine find some pages more or less of it.
 */
const LOOK = `
for file in /usr/bin/kube* /usr/bin/containerd* /usr/bin/ctr /usr/bin/crictl /usr/sbin/runc /usr/local/bin/* /usr/local/lib/whodunit/under-test/* /opt/cni/bin/* \\
  /etc/containerd/*.toml /etc/kubernetes/kubeadm.yaml /etc/kubernetes/manifests/* /var/lib/kubelet/*.yaml /var/lib/kubelet/*.env; do
  [ ! -f "$file" ] || printf 'file %s\\t%s\\n' "$file" "$(sha256sum < "$file" | cut -d ' ' -f 1)"
done
all=$(find /sys/fs/cgroup -maxdepth 1 -name 'kubepods*')
total=$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)
find $all -type d | while read -r folder; do
  for file in cgroup.subtree_control memory.max memory.min memory.low memory.high memory.oom.group pids.max cpu.weight cpu.max; do
    [ -e "$folder/$file" ] || continue
    value=$(< "$folder/$file")
    if [ "$folder/$file" = "$all/memory.max" ]; then value="all but $((total * 1024 - value)) bytes of the node"; fi
    printf 'cgroup %s/%s\\t%s\\n' "$folder" "$file" "$value"
  done
done
`;

/** Names for the ids of pods and containers, which differ from world to world. */
async function namePods(kubernetes: Kubernetes): Promise<[string, string][]> {
  const pods = await kubernetes.core.listPodForAllNamespaces();
  return pods.items.flatMap(({ metadata, status }) => {
    const name = metadata?.generateName ?? metadata?.name ?? '';
    // The cgroup of a static pod is named by its configuration.
    const uid = metadata?.annotations?.['kubernetes.io/config.hash'] ?? metadata?.uid ?? '';
    const containers = (status?.containerStatuses ?? []).map((container): [string, string] => [
      (container.containerID ?? '').replace(/^.*\//, ''),
      container.name,
    ]);
    return [[uid, name], [uid.replaceAll('-', '_'), name], ...containers].filter(
      (pair): pair is [string, string] => pair[0] !== '',
    );
  });
}

/**
 * A pod that is gone again has no name: the oracle starts one in each runtime and looks where it is. A node among
 * several has an id that follows from the name under which its world was built.
 */
function nameIds(line: string, names: readonly (readonly [string, string])[]): string {
  const named = names.reduce((text, [id, name]) => text.replaceAll(id, name), line);
  return named
    .replaceAll(/(?<=[/-])[0-9a-f]{64}\b/g, 'sandbox')
    .replace(/(?<=^systemd\.machine_id=)\w+$/, 'of a world')
    .replaceAll(/\bpod[0-9a-f]{8}(?:[_-][0-9a-f]{4}){3}[_-][0-9a-f]{12}\b/g, 'pod');
}

/** Every value of a JSON document that has no parts, by its path. */
function listLeaves(path: string, value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, part]) => listLeaves(`${path}.${key}`, part));
}

function compareFacts(cold: Facts, derived: Facts): string[] {
  const names = [...new Set([...cold.keys(), ...derived.keys()])].sort();
  return names
    .filter((name) => cold.get(name) !== derived.get(name))
    .map(
      (name) =>
        `${name}: built ${cold.get(name) ?? 'without it'}, derived ${derived.get(name) ?? 'without it'}`,
    );
}
