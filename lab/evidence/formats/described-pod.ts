import { CUT_MS } from '../../model/evidence/source-clocks.ts';
import type { Entry } from './entry.ts';
import { ageOf, eventObjectOf, type EventRow, type Printed } from './event-rows.ts';
import { reasonOfEnd, withForgottenEnds } from './forgotten-ends.ts';
import { entryOfEvent } from './kubectl-events.ts';

type Fields = Record<string, unknown>;
type Texts = Record<string, string>;

/** A container as `kubectl describe` prints it. */
export interface DescribedContainer {
  /** Empty where only a part was pasted. */
  readonly name: string;
  readonly isInit: boolean;
  readonly fields: Texts;
  readonly state: Texts;
  readonly last: Texts;
}

/** A pod as `kubectl describe` prints it; a part of it where only that was pasted. */
export interface DescribedPod {
  readonly line: number;
  readonly fields: Texts;
  readonly containers: DescribedContainer[];
  readonly events: (readonly [line: number, event: EventRow])[];
}

export function containerFieldsOf(name: string, isInit: boolean): DescribedContainer {
  return { name, isInit, fields: {}, state: {}, last: {} };
}

/** The pod and its events as the API would have them, as far as the text goes: it has no uid, and no version. */
export function describedEntries(pod: DescribedPod): readonly Entry[] {
  const printed = printedAt(pod);
  const object = objectOf(pod, printed);
  const { Name: name, Namespace: namespace } = pod.fields;
  const kind = kindOf(pod);
  const events = pod.events.map(([line, event]) =>
    entryOfEvent(line, eventObjectOf({ ...event, kind, name: name ?? '', namespace }, printed)),
  );
  if (kind !== 'pod') return events;
  // Of a part, a state without an end says nothing that anybody asks about.
  const isTold = name !== undefined ? pod.containers.length > 0 : isEnded(object);
  return isTold
    ? [{ kind: 'object', what: 'pod', at: newestOf(pod), type: 'ADDED', object, line: pod.line }, ...events]
    : events;
}

/** Other objects are described, too. A part is of a pod: it has what only pods have. */
function kindOf({ fields, containers }: DescribedPod): string {
  if (fields['Name'] === undefined || containers.length > 0) return 'pod';
  if (['Roles', 'Allocatable', 'Taints'].some((name) => name in fields)) return 'node';
  return ['Replicas', 'Selector', 'Completions', 'Schedule', 'Pods Status'].some((name) => name in fields)
    ? 'other'
    : 'pod';
}

function objectOf({ fields, containers, events }: DescribedPod, printed: Printed | undefined): Fields {
  const statuses = containers.map((container) => [container.isInit, statusOf(container)] as const);
  const host = events.map(([, { host: of }]) => of).find((of) => of !== undefined);
  return withForgottenEnds({
    kind: 'Pod',
    metadata: {
      name: fields['Name'],
      namespace: fields['Namespace'],
      deletionTimestamp: deletedAt(fields, printed),
      deletionGracePeriodSeconds: graceOf(fields),
    },
    spec: { nodeName: fields['Node']?.split('/')[0] || host },
    status: {
      qosClass: fields['QoS Class'],
      phase: phaseOf(fields['Status']) ?? (reasonOfEnd(fields['Message']) && 'Failed'),
      reason: fields['Reason'] || reasonOfEnd(fields['Message']),
      message: fields['Message'] || undefined,
      startTime: timeOf(fields['Start Time']),
      initContainerStatuses: statuses.filter(([isInit]) => isInit).map(([, status]) => status),
      containerStatuses: statuses.filter(([isInit]) => !isInit).map(([, status]) => status),
    },
  });
}

/** kubectl prints `Terminating (lasts 2m)` in the place of the phase. */
function phaseOf(status: string | undefined): string | undefined {
  const word = /^\w+/.exec(status ?? '')?.[0];
  return word === 'Terminating' ? 'Running' : word;
}

/**
 * When the pod must be gone: `lasts` counts from there. Undefined where the ages do not tell the second, as the API would: a time
 * that is hours off would put the request before or after the end.
 */
function deletedAt({ Status = '' }: Texts, printed: Printed | undefined): string | undefined {
  const age = ageOf(/^Terminating \(lasts (\S+)\)/.exec(Status)?.[1]);
  if (age === undefined || printed === undefined) return undefined;
  if (printed.to - printed.from + age.grainMs > 2 * CUT_MS) return undefined;
  return new Date(printed.from - age.ms).toISOString();
}

function graceOf({ 'Termination Grace Period': grace }: Texts): number | undefined {
  const seconds = ageOf(grace);
  return seconds === undefined ? undefined : seconds.ms / 1000;
}

/**
 * When the text was printed: the age of an event about something that the text has the time of, too. The kubelet acknowledges a
 * pod, which is its start time, right after the scheduler chose the node.
 */
function printedAt({ fields, containers, events }: DescribedPod): Printed | undefined {
  const starts = containers.flatMap(({ state }) =>
    state['Is'] === 'Running' ? [msOf(state['Started'])] : [],
  );
  const [only, ...others] = starts;
  const started = others.length === 0 ? only : undefined;
  const spans = events.flatMap(([, { reason, lastAge: age }]): Printed[] => {
    const at =
      reason === 'Scheduled' ? msOf(fields['Start Time']) : reason === 'Started' ? started : undefined;
    if (age === undefined || at === undefined || !Number.isFinite(at)) return [];
    return [{ from: at + age.ms, to: at + age.ms + age.grainMs }];
  });
  return spans.reduce<Printed | undefined>(
    (best, span) => (best === undefined || span.to - span.from < best.to - best.from ? span : best),
    undefined,
  );
}

function isEnded(object: Fields): boolean {
  return /"terminated":\{"/.test(JSON.stringify(object));
}

/** The newest time that is said of the containers. */
function newestOf({ containers }: DescribedPod): number | undefined {
  const known = containers
    .flatMap(({ state, last }) => [state, last])
    .flatMap(({ Started, Finished }) => [msOf(Started), msOf(Finished)])
    .filter(Number.isFinite);
  return known.length === 0 ? undefined : known.reduce((one, other) => Math.max(one, other));
}

function statusOf({ name, fields, state, last }: DescribedContainer): Fields {
  const { 'Container ID': containerID, 'Restart Count': restarts = '0' } = fields;
  return {
    name,
    containerID,
    restartCount: Number.parseInt(restarts, 10),
    state: stateOf(state),
    // While it waits for its next start, the id is that of the one that ended.
    lastState: stateOf(last, state['Is'] === 'Waiting' ? containerID : undefined),
  };
}

/** Times are of RFC 1123 with a zone: `Mon, 20 Nov 2026 21:53:59 +0000`. */
function stateOf(said: Readonly<Texts>, containerID?: string): Fields {
  const times = { startedAt: timeOf(said['Started']), finishedAt: timeOf(said['Finished']) };
  const { Message: message } = said;
  // People write beside what they point at.
  const reason = /^\S+/.exec(said['Reason'] ?? '')?.[0];
  if (said['Is'] === 'Running') return { running: { startedAt: times.startedAt } };
  if (said['Is'] === 'Waiting') return { waiting: { reason, message } };
  if (said['Is'] !== 'Terminated') return {};
  const code = Number.parseInt(said['Exit Code'] ?? '', 10);
  return {
    terminated: {
      reason,
      message,
      containerID,
      exitCode: Number.isFinite(code) ? code : undefined,
      ...times,
    },
  };
}

/** Go's zero time, in any zone, which is printed where the API has no time: `Date` takes its year for one of ours. */
const NEVER = /\b(?:01 Jan 0001|31 Dec 0000) /;

function timeOf(text: string | undefined): string | undefined {
  const at = msOf(text);
  return Number.isFinite(at) ? new Date(at).toISOString() : undefined;
}

/** Milliseconds since the epoch; NaN where the text has no time. */
function msOf(text = ''): number {
  return NEVER.test(text) ? Number.NaN : Date.parse(/^[^<]*\d/.exec(text)?.[0] ?? '');
}
