import { parseContainerd } from '../lab/evidence/containerd.ts';
import { parsePods } from '../lab/evidence/pods.ts';
import { parseSystem } from '../lab/evidence/system.ts';
import { groupBy } from '../lab/model/text/group-by.ts';
import { matchesSelector } from '../lab/model/declared/selector.ts';
import type { CellRecord } from '../lab/model/evidence/observation.ts';

type Json = Record<string, unknown>;

/** Files that are small, and need all that they have. */
const WHOLE = ['host.jsonl', 'samples.jsonl', 'registry.jsonl', 'heartbeat.jsonl'];
/** How many records of other pods stay: the judge must not take them for those of the victim. */
const OTHER_PODS = 2;
const OTHER_EVENTS = 6;
const OTHER_JOURNAL_LINES = 10;
const OTHER_TASKS = 10;
const OTHER_RECORDS = 2;
const BOOT_RECORDS = 3;
const KEPT_FAULTS = 3;
const BEFORE_MICROS = 10_000_000;
/** Files of a cgroup that change all the time. */
const RESTLESS = [
  'memory.current',
  'memory.peak',
  'memory.usage_in_bytes',
  'memory.max_usage_in_bytes',
  'cpu.pressure',
];
const JOURNAL_FIELDS = [
  'MESSAGE',
  'PRIORITY',
  '_PID',
  '_COMM',
  '__REALTIME_TIMESTAMP',
  '__MONOTONIC_TIMESTAMP',
  '_BOOT_ID',
];
const METADATA = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'labels',
  'ownerReferences',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];
/** They hold the uid that the node gives a static pod; nothing in them is secret. */
const ANNOTATIONS = ['kubernetes.io/config.hash', 'kubernetes.io/config.mirror'];

/**
 * Cuts the files of one cell down to what the judge needs and a margin of unrelated records, without anything that may
 * be secret (environment, volumes, other annotations, managed fields). What is left of a numbered stream gets new
 * numbers: otherwise the cut would look like lost evidence. So only whole captures may be trimmed.
 *
 * @param files content by path inside the cell's folder.
 * @returns the files to keep, by the same paths; `result.json` is left out.
 */
export function trimFiles(files: ReadonlyMap<string, string>, record: CellRecord): Map<string, string> {
  const journals = [...files].filter(([path]) => path.endsWith('/containerd.jsonl')).map(([, text]) => text);
  const victims = findVictims(files.get('pods.jsonl') ?? '', journals, record);
  const kept = new Map<string, string>();
  for (const [path, content] of files) {
    // A stream that went on after a reboot has a number in its name.
    const name = path
      .split('/')
      .at(-1)
      ?.replace(/\.\d+(\.\w+)$/, '$1');
    if (name === 'cell.json' || name === 'effective.json') kept.set(path, content);
    if (name === 'pods.jsonl') kept.set(path, trimPods(content, victims));
    if (name === 'events.jsonl') kept.set(path, trimEvents(content, victims));
    if (name === 'containerd.jsonl' || name === 'kubelet.jsonl')
      kept.set(path, trimJournal(content, victims));
    if (name === 'system.jsonl') kept.set(path, trimSystem(content));
    if (name === 'tasks.log') kept.set(path, join(keepSome(linesOf(content), victims, OTHER_TASKS)));
    if (name === 'cri.jsonl') kept.set(path, trimRecords(content, victims));
    if (name === 'nodes.jsonl') kept.set(path, trimNodes(content));
    if (name !== undefined && WHOLE.includes(name)) kept.set(path, content);
    if (name === 'witness.jsonl') kept.set(path, trimWitness(content, victims));
    const witness = files.get(path.replace('kmsg', 'witness').replace(/log$/, 'jsonl')) ?? '';
    if (name === 'kmsg.log') kept.set(path, trimKmsg(content, startMicros(witness)));
  }
  return kept;
}

interface Victims {
  readonly uids: readonly string[];
  /** Uids as they are and as slices spell them, container ids, `namespace/name`. */
  readonly marks: readonly string[];
  readonly namespace: string;
}

function findVictims(pods: string, journals: readonly string[], record: CellRecord): Victims {
  const { namespace, selector, onNode: name } = record.victim;
  const logged = journals.flatMap((journal) => parseContainerd(journal, 'containerd.jsonl'));
  const sandboxed = logged.flatMap((observation) =>
    observation.kind === 'sandbox-created' &&
    name !== undefined &&
    observation.pod === name &&
    observation.namespace === namespace
      ? [observation.podUid]
      : [],
  );
  const seen = parsePods(pods, 'pods.jsonl').filter(
    (observation) =>
      observation.kind === 'pod-seen' &&
      observation.namespace === namespace &&
      matchesSelector(selector, observation.labels),
  );
  const found = seen.filter((observation) => observation.kind === 'pod-seen');
  const uids = [...new Set([...found.map((pod) => pod.uid), ...sandboxed])];
  // A static pod has another uid on its node.
  const onNode = [...uids, ...found.flatMap((pod) => pod.mirrorOf ?? [])];
  // The API may never have heard of a container.
  const made = logged.flatMap((observation) =>
    observation.kind === 'runtime-created' && onNode.includes(observation.podUid)
      ? [observation.containerId]
      : [],
  );
  const told = found.flatMap((pod) =>
    pod.containers.flatMap((container) => [container.id, container.last?.id ?? '']),
  );
  const ids = [...told, ...made];
  // The kubelet's lines about a pod without a sandbox have only its name.
  const names = [
    ...found.map((pod) => `${pod.namespace}/${pod.name}`),
    ...(name === undefined ? [] : [`${namespace}/${name}`]),
  ];
  const marks = [...onNode, ...uids.map((uid) => uid.replaceAll('-', '_')), ...ids, ...names];
  return { uids, namespace, marks: [...new Set(marks)].filter((mark) => mark !== '') };
}

function concerns(text: string, victims: Victims): boolean {
  return victims.marks.some((mark) => text.includes(mark));
}

function linesOf(content: string): string[] {
  return content.split('\n').filter((line) => line !== '');
}

function join(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** All that concerns a victim, and the first `margin` others, in their order. */
function keepSome(lines: readonly string[], victims: Victims, margin: number): string[] {
  let others = 0;
  return lines.filter((line) => concerns(line, victims) || ++others <= margin);
}

function trimPods(content: string, victims: Victims): string {
  const others = new Set<unknown>();
  const kept: string[] = [];
  for (const line of linesOf(content)) {
    const watched = JSON.parse(line) as { at: string; type: string; object: Json };
    const metadata = watched.object.metadata as Json;
    const spec = watched.object.spec as Json;
    const isVictim = victims.uids.includes(metadata.uid as string);
    // The scenario's other pods may be what it measures.
    const isOfScenario = metadata.namespace === victims.namespace;
    if (!isVictim && !isOfScenario && others.size < OTHER_PODS) others.add(metadata.uid);
    if (!isVictim && !isOfScenario && !others.has(metadata.uid)) continue;
    const names = isVictim
      ? ['name', 'image', 'command', 'args', 'resources', 'lifecycle']
      : ['name', 'image'];
    const clean = (list: unknown, more: readonly string[]): Json[] | undefined =>
      (list as Json[] | undefined)?.map((item) => pick(item, [...names, ...more]));
    const object = {
      metadata: trimMetadata(metadata),
      spec: {
        ...pick(spec, [
          'nodeName',
          'restartPolicy',
          'terminationGracePeriodSeconds',
          'activeDeadlineSeconds',
        ]),
        initContainers: clean(spec.initContainers, ['restartPolicy']),
        containers: clean(spec.containers, []),
      },
      status: watched.object.status,
    };
    kept.push(JSON.stringify({ ...watched, object }));
  }
  return join(kept);
}

function trimMetadata(metadata: Json): Json {
  const annotations = pick((metadata.annotations ?? {}) as Json, ANNOTATIONS);
  return { ...pick(metadata, METADATA), ...(Object.keys(annotations).length > 0 ? { annotations } : {}) };
}

/** What says how a container ended; its mounts, labels and annotations are not needed. */
function trimRecords(content: string, victims: Victims): string {
  const fields = ['id', 'metadata', 'state', 'startedAt', 'finishedAt', 'exitCode', 'reason', 'message'];
  const kept = keepSome(linesOf(content), victims, OTHER_RECORDS);
  return join(kept.map((line) => JSON.stringify(pick(JSON.parse(line) as Json, fields))));
}

/** What the judge reads of a node: its name, boot id, conditions and taints. */
function trimNodes(content: string): string {
  const clean = linesOf(content).map((line) => {
    const watched = JSON.parse(line) as { object: Json };
    const { metadata, spec, status } = watched.object as Record<string, Json>;
    const object = {
      metadata: pick(metadata ?? {}, ['name', 'uid', 'resourceVersion']),
      spec: pick(spec ?? {}, ['taints']),
      status: {
        ...pick(status ?? {}, ['conditions']),
        nodeInfo: pick((status?.nodeInfo ?? {}) as Json, ['bootID']),
      },
    };
    return JSON.stringify({ ...watched, object });
  });
  return join(clean);
}

function trimEvents(content: string, victims: Victims): string {
  const clean = linesOf(content).map((line) => {
    const watched = JSON.parse(line) as { object: Json };
    const metadata = pick(watched.object.metadata as Json, METADATA);
    return JSON.stringify({ ...watched, object: { ...watched.object, metadata } });
  });
  return join(keepSome(clean, victims, OTHER_EVENTS));
}

function trimJournal(content: string, victims: Victims): string {
  const restarts = new Set(
    parseContainerd(content, 'containerd.jsonl').map(
      (observation) => observation.kind === 'runtime-restarted' && observation.ref.line,
    ),
  );
  let others = 0;
  const kept = content.split('\n').filter((line, index) => {
    if (line === '') return false;
    return concerns(line, victims) || restarts.has(index + 1) || ++others <= OTHER_JOURNAL_LINES;
  });
  return join(kept.map((line) => JSON.stringify(pick(JSON.parse(line) as Json, JOURNAL_FIELDS))));
}

/** Lines that the judge reads: they name units and pids, seldom the pod. */
function trimSystem(content: string): string {
  const read = new Set(parseSystem(content, 'system.jsonl').map((observation) => observation.ref.line));
  const kept = content.split('\n').filter((_, index) => read.has(index + 1));
  return join(kept.map((line) => JSON.stringify(pick(JSON.parse(line) as Json, JOURNAL_FIELDS))));
}

function startMicros(witness: string): number {
  const start = linesOf(witness).map((line) => JSON.parse(line) as Json);
  return Number(start.find((record) => record.kind === 'start')?.mono ?? 0);
}

/** The first records of the boot, and everything since shortly before the cell. */
function trimKmsg(content: string, since: number): string {
  const kept: string[] = [];
  let records = 0;
  let keeps = false;
  for (const line of linesOf(content)) {
    const [, prefix = '', micros = '', rest = ''] = /^(\d+),\d+,(\d+)(,.*)$/.exec(line) ?? [];
    // Continuation lines start with a space and belong to the record before them.
    if (!line.startsWith(' ')) keeps = records < BOOT_RECORDS || Number(micros) >= since - BEFORE_MICROS;
    if (!keeps) continue;
    kept.push(line.startsWith(' ') ? line : `${prefix},${++records},${micros}${rest}`);
  }
  return join(kept);
}

interface WitnessLine extends Json {
  readonly seq: number;
  readonly kind: string;
}

function trimWitness(content: string, victims: Victims): string {
  const records = linesOf(content)
    .map((line) => JSON.parse(line) as WitnessLine)
    .sort((a, b) => a.seq - b.seq);
  const others = otherPods(records, victims);
  const mine = records.filter((record) => {
    const pod = podOf(record);
    return pod === undefined || concerns(pod, victims) || others.includes(pod);
  });
  const spared = new Set([...findStill(mine), ...findRepeated(mine)]);
  const kept = mine.filter((record) => !spared.has(record));
  return join(kept.map((record, index) => JSON.stringify({ ...record, seq: index + 1 })));
}

function otherPods(records: readonly WitnessLine[], victims: Victims): string[] {
  const pods = records.map(podOf).filter((pod) => pod !== undefined);
  return [...new Set(pods)].filter((pod) => !concerns(pod, victims)).slice(0, OTHER_PODS);
}

/** The pod directory in the cgroup of a record; signals, exits and victims of OOM stay whoever they hit. */
function podOf(record: WitnessLine): string | undefined {
  if (['signal', 'exit', 'oom-victim'].includes(record.kind)) return undefined;
  const path = typeof record.path === 'string' ? record.path : record.cgroup;
  return typeof path === 'string' ? /pod[0-9a-f]{8}[-_0-9a-f]+/.exec(path)?.[0] : undefined;
}

/** Faults that a process handles, but for the first and last few: a sandbox of gVisor has hundreds a second. */
function findRepeated(records: readonly WitnessLine[]): WitnessLine[] {
  const bySignal = groupBy(
    records.filter(({ kind, senderPid, pid }) => kind === 'signal' && senderPid === pid),
    ({ sig, pid }) => `${String(sig)} ${String(pid)}`,
  );
  return [...bySignal.values()].flatMap((all) => all.slice(KEPT_FAULTS, -KEPT_FAULTS));
}

/** Values between the first and the last of their file in which nothing but the use of memory went on. */
function findStill(records: readonly WitnessLine[]): Set<WitnessLine> {
  const byFile = groupBy(
    records.filter(({ kind }) => kind === 'cgroup-values'),
    ({ path, file }) => `${String(path)} ${String(file)}`,
  );
  const still = new Set<WitnessLine>();
  for (const group of byFile.values()) {
    for (const [index, line] of group.entries()) {
      const before = group[index - 1];
      if (before !== undefined && index < group.length - 1 && sameCounters(before, line)) still.add(line);
    }
  }
  return still;
}

function sameCounters(before: WitnessLine, after: WitnessLine): boolean {
  if (RESTLESS.includes(String(after.file))) return true;
  const counters = (record: WitnessLine): string => JSON.stringify({ ...(record.values as Json), max: '' });
  return counters(before) === counters(after);
}

function pick(object: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}
