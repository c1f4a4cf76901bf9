/** The small readers of the checker: what one line of a raw file says. They share no code with those of the judge. */

import type { Cited } from '../model/saved/proof.ts';

/** The lines of each saved file, by its path in the folder of the cell. */
export type Files = ReadonlyMap<string, readonly string[]>;
/** One way to read a line: the kind of record, and its fields. */
export type RawFact = Readonly<Record<string, unknown>>;

export const at = (value: unknown, path: string): unknown =>
  path.split('/').reduce<unknown>((inner, name) => (inner as RawFact | null | undefined)?.[name], value);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];
export const dateIn = (value: unknown): number | undefined => Date.parse(text(value)) || undefined;
/** Fields of a record, each as `field=path`, or as `field` where both are the same. */
const pick = (json: unknown, fields: string): RawFact =>
  Object.fromEntries(
    fields.split(' ').map((field) => [field.replace(/=.*/, ''), at(json, field.replace(/.*=/, ''))]),
  );

export function parse(line: string | undefined): RawFact {
  try {
    return Object(JSON.parse(line ?? '')) as RawFact;
  } catch {
    return {}; // a line that cannot be read says nothing
  }
}

interface Line {
  readonly raw: string;
  readonly file: string;
  readonly json: RawFact;
  readonly files: Files;
}

/** The ways to read a line; none when it is not there. */
export function read(files: Files, file: string, line: number | undefined): readonly RawFact[] {
  const raw = files.get(file)?.[(line ?? 0) - 1];
  const reader = READERS[file.replace(/^.*\//, '').replace(/\.\d\./, '.')];
  return raw === undefined || reader === undefined ? [] : reader({ raw, file, json: parse(raw), files });
}

/** Whether a line of a raw file says all that it is taken to say. */
export function isSaid({ file, line, says }: Cited, files: Files): boolean {
  const plain = (value: unknown): string => text(value).replaceAll(/["\\]/g, '');
  return read(files, file, line).some((reading) =>
    Object.entries(says).every(([field, claimed]) => {
      const within = plain(reading.within);
      const code = /(?:xit_status:|ExitStatus:|exitCode=)(-?\d+)/.exec(within)?.[1] ?? '0';
      const { [field]: found = field === 'exitCode' ? Number(code) : undefined } = reading;
      if (field === 'at') return Math.abs((dateIn(claimed) ?? 0) - Number(found)) < 2;
      if (found !== undefined) return JSON.stringify(found) === JSON.stringify(claimed);
      return typeof claimed === 'number'
        ? within.split(/\D+/).includes(`${claimed}`)
        : within.includes(plain(claimed));
    }),
  );
}

/** The first record of the witness of a boot has both clocks at one moment. */
function startOf({ file, files }: Line, part = /\.\d(?=\.)/.exec(file)?.[0] ?? ''): RawFact {
  return parse(
    files.get(file.replace(/[^/]*$/, `witness${part}.jsonl`))?.find((line) => line.includes('"bootId"')),
  );
}

function wallOf(start: RawFact, micros: unknown): number {
  return Number(start.at) + (Number(micros) - Number(start.mono)) / 1000;
}

const CHOICE =
  /^oom-kill:.*?(?:,oom_memcg=([^,]*)|,global_oom)(?:,task_memcg=(.*?))?,task=(.{0,60}),pid=(\d+),uid=\d+$/;
const KILL = /^(?:(Memory cgroup out)|Out) of memory.*?: Killed process (\d+) \((.*)\),? total-vm:/;
const scopeOf = (limit: unknown): string => (limit === undefined ? 'global' : 'memcg');

function readKernel(line: Line): RawFact[] {
  const [, prefix, micros, within = ''] = /^(\d+),\d+,(\d+),[^;]*;(.*)$/.exec(line.raw) ?? [];
  // What a program writes into the log has another facility than the kernel's.
  if (prefix === undefined || Number(prefix) >> 3 !== 0) return [];
  const dated = wallOf(startOf(line), micros);
  const [, limited, pid, process] = KILL.exec(within) ?? [];
  const [, limitOf, cgroup, name, chosen] = CHOICE.exec(within) ?? [];
  const all = /^Tasks in (.*) are going to be killed due to memory\.oom\.group set$/.exec(within)?.[1];
  const choice = { pid: Number(chosen), process: name, scope: scopeOf(limitOf), limitOf, cgroup };
  return [
    { at: dated, kind: 'kernel-said', within },
    { at: dated, kind: 'line', within },
    { at: dated, kind: pid && 'kernel-killed', pid: Number(pid), process, scope: scopeOf(limited) },
    { at: dated, kind: chosen && 'kernel-oom-context', ...choice },
    { at: dated, kind: all && 'kernel-group-kill', cgroup: all },
  ];
}

const SIGNAL =
  'signal=sig code actor=senderComm actorPid=senderPid actorCgroup=senderCgroup target=targetCgroup';
const KINDS: RawFact = { exit: 'process-exited', process: 'process-seen', signal: 'signal-sent' };

function readWitness(line: Line): RawFact[] {
  const { kind, mono, path, cgroup = path } = line.json;
  const start = startOf(line);
  const seen = pick(line.json, `pid process=comm parent=ppid file values ${SIGNAL}`);
  const own = { ...seen, cgroup, at: wallOf(start, mono), kind: KINDS[text(kind)] ?? kind };
  const isLast = line.files.get(line.file)?.at(-1) === line.raw;
  return isLast ? [own, { at: own.at, kind: 'boot-ended', bootId: start.bootId }] : [own];
}

const SAID: readonly (readonly [string, RegExp])[] = [
  ['runtime-exit', /(?:TaskExit|received exit|received container exit) event/],
  ['runtime-cut-off', /failed to get task exit status for/],
  ['runtime-gone', /shim disconnected/],
  ['runtime-stop', /(?:StopContainer for|Stop container|Kill container) (?!.* returns)/],
  ['runtime-start', /StartContainer for .* returns successfully/],
  ['runtime-restarted', /containerd successfully booted/],
  ['kubelet-said', /^[IWEF]\d{4} /],
  ['system-said', /./],
];

/** The monotonic clock dates an entry if the witness saw its boot, else the wall clock. Its text has what it says. */
function readJournal(line: Line): RawFact[] {
  const { MESSAGE, _COMM, SYSLOG_IDENTIFIER, _BOOT_ID, __REALTIME_TIMESTAMP, __MONOTONIC_TIMESTAMP } =
    line.json;
  const starts = ['', '.2', '.3', '.4'].map((part) => startOf(line, part));
  const start = starts.find(({ bootId }) => text(bootId).replaceAll('-', '') === _BOOT_ID);
  const dated =
    start === undefined ? Number(__REALTIME_TIMESTAMP) / 1000 : wallOf(start, __MONOTONIC_TIMESTAMP);
  const within = Array.isArray(MESSAGE) ? Buffer.from(MESSAGE as number[]).toString() : text(MESSAGE);
  const kinds = SAID.filter(([, pattern]) => pattern.test(within));
  return kinds.map(([kind]) => ({ kind, at: dated, within, actor: _COMM ?? SYSLOG_IDENTIFIER }));
}

function readTask({ raw }: Line): RawFact[] {
  const [, day, hour, topic, json] = /^(\S+) (\S+) \+0000 UTC \S+ \/tasks\/(\w+) (.*)$/.exec(raw) ?? [];
  const { container_id: containerId, pid, exit_status: exitCode = 0 } = parse(json);
  return [{ kind: `runtime-${topic}`, at: dateIn(`${day}T${hour}Z`), containerId, pid, exitCode }];
}

const STATUSES = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];
const NAMES = 'uid namespace pod=name annotations';

/** A version of a pod has a reading for each state, present or last, of each of its containers. */
function readPod({ json: { at: seenAt, object } }: Line): RawFact[] {
  const [metadata, status] = [at(object, 'metadata'), at(object, 'status')];
  const asked = dateIn(at(metadata, 'deletionTimestamp'));
  const graceMs = Number(at(metadata, 'deletionGracePeriodSeconds') ?? 0) * 1000;
  const deletionAt = asked === undefined ? undefined : new Date(asked - graceMs).toISOString();
  const conditions = list(at(status, 'conditions')).map((found) => pick(found, 'type status reason'));
  const isTarget = (found: RawFact): boolean => found.type === 'DisruptionTarget' && found.status === 'True';
  const disruption = conditions.find(isTarget)?.reason;
  const whole = { kind: 'pod-seen', at: dateIn(seenAt), ...pick(metadata, NAMES), deletionAt, disruption };
  const readState = (one: unknown, when: string): RawFact[] =>
    Object.entries((at(one, when) ?? {}) as RawFact).map(([state, of]) => {
      const id = text(at(of, 'containerID') ?? (when === 'state' ? at(one, 'containerID') : ''));
      const reason = at(status, 'reason') ?? at(of, 'reason');
      const own = { ...pick(one, 'name'), ...pick(of, 'exitCode startedAt'), state, reason };
      return { ...whole, ...own, containerId: id.replace(/^.*:\/\//, '') };
    });
  const states = STATUSES.flatMap((name) => list(at(status, name))).flatMap((one) => [
    ...readState(one, 'state'),
    ...readState(one, 'lastState'),
  ]);
  return [...states, { ...whole, reason: at(status, 'reason') }];
}

const DATES = 'lastTimestamp deprecatedLastTimestamp series/lastObservedTime eventTime firstTimestamp'.split(
  ' ',
);
const ACTORS = ['source/component', 'reportingComponent', 'reportingController'];

function readEvent({ json: { at: seenAt, object } }: Line): RawFact[] {
  const dated = [...DATES.map((name) => dateIn(at(object, name))), dateIn(seenAt)].find((time) => time);
  const actor = ACTORS.map((name) => text(at(object, name))).find((name) => name !== '');
  const uid = at(object, 'involvedObject/uid') ?? at(object, 'regarding/uid');
  const within = at(object, 'message') ?? at(object, 'note');
  return [{ kind: 'kube-event', at: dated, uid, actor, reason: at(object, 'reason'), within }];
}

/** What the lab did, in its own record of the cell. */
function readRecord({ raw, files }: Line): RawFact[] {
  const { stimuli } = parse(files.get('cell.json')?.join('\n'));
  const done = list(stimuli).map((one) => pick(one, 'at within=detail'));
  const own = done.filter(({ within }) => raw.includes(JSON.stringify(within)));
  return own.map((one) => ({ ...one, kind: 'stimulus', at: dateIn(one.at) }));
}

const READERS: Readonly<Record<string, (line: Line) => RawFact[]>> = {
  'kmsg.log': readKernel,
  'witness.jsonl': readWitness,
  'containerd.jsonl': readJournal,
  'kubelet.jsonl': readJournal,
  'system.jsonl': readJournal,
  'tasks.log': readTask,
  'pods.jsonl': readPod,
  'events.jsonl': readEvent,
  'cell.json': readRecord,
  'cri.jsonl': ({ json }) => [
    {
      ...pick(json, 'containerId=id state reason exitCode'),
      kind: 'runtime-record',
      at: dateIn(json.finishedAt),
    },
  ],
  'nodes.jsonl': ({ json }) => [
    { ...pick(json, 'bootId=object/status/nodeInfo/bootID'), kind: 'node-seen', at: dateIn(json.at) },
  ],
};
