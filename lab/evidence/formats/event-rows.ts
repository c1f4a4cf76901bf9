import { ownValue } from '../../model/text/own-value.ts';
import { KUBECTL_KINDS } from './kubectl-kinds.ts';

/** An age as kubectl prints it, and how coarse it is, in milliseconds. */
export interface Age {
  readonly ms: number;
  readonly grainMs: number;
}

/** What a row of a table has of an event. */
export interface EventRow {
  readonly reason: string;
  readonly message: string;
  /** Of the object; `pod` where the table is about one pod. */
  readonly kind: string;
  /** Empty where the table does not say it: it is of one pod. */
  readonly name: string;
  readonly type?: string | undefined;
  readonly namespace?: string | undefined;
  readonly component?: string | undefined;
  readonly host?: string | undefined;
  /** `spec.containers{web}`. */
  readonly fieldPath?: string | undefined;
  readonly count?: number | undefined;
  readonly firstAge?: Age | undefined;
  readonly lastAge?: Age | undefined;
  /** Where the table has times and no ages. */
  readonly at?: string | undefined;
  readonly firstAt?: string | undefined;
}

/** An age as kubectl prints it, as a pattern. */
export const AGE = String.raw`(?:(?:\d+(?:ms|[smhdwy]))+|<invalid>|<unknown>|<none>)`;
const OVER = String.raw`(?: \(x(?<count>\d+) over (?<first>${AGE})\))?`;
const TYPE = '(?<type>Normal|Warning)';
const REASON = String.raw`(?<reason>[A-Z][A-Za-z]+)`;
const FROM = String.raw`\{?(?<component>[a-z][\w./-]*)(?:,? (?<host>(?=\S*[\d.-])[\w.-]+))?\}?`;
const PATH = String.raw`(?<path>spec\.[A-Za-z]+\{[\w.-]+\})`;
/** In the place of a part of a name people put stars, or words in angle brackets. */
const OBJECT = String.raw`(?<kind>[A-Za-z]+(?:\.[\w.]+)?)/(?<name>(?:[\w.*-]|<[\w .-]{1,60}>)+)`;
const TIME = String.raw`(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|<nil>)`;
const row = (...parts: readonly string[]): RegExp => new RegExp(`^\\s*${parts.join(String.raw`\s+`)}$`, 's');

/** The layouts of kubectl and oc since 1.2, without regard to how many blanks are between their columns. */
const LAYOUTS: readonly RegExp[] = [
  // `kubectl describe`, since 1.7.
  row(TYPE, REASON, `(?<last>${AGE})${OVER}`, FROM, '(?<message>.*)'),
  // `kubectl describe` up to 1.6: FirstSeen, LastSeen, Count, From, SubObjectPath, Type, Reason, Message.
  row(
    `(?<first>${AGE})`,
    `(?<last>${AGE})`,
    String.raw`(?<count>\d+)`,
    `${FROM}(?:\\s+${PATH})?`,
    TYPE,
    REASON,
    '(?<message>.*)',
  ),
  // `kubectl get events` up to 1.14: both times in either order, Count, Name, Kind, Subobject, Type since 1.2, Reason, Source, Message.
  row(
    `(?:(?<namespace>[a-z][\\w-]*)\\s+)?(?<one>${AGE})`,
    `(?<other>${AGE})`,
    String.raw`(?<count>\d+)`,
    String.raw`(?<name>[a-z0-9][\w.-]*?)(?:\.[0-9a-f]{12,16})?`,
    `(?<kind>Pod|Node)(?:\\s+${PATH})?(?:\\s+${TYPE})?`,
    String.raw`(?<reason>[A-Za-z]+)`,
    FROM,
    '(?<message>.*)',
  ),
  // `kubectl get events -o wide`, with or without the namespace: what follows the message is of the same widths.
  row(
    `(?:(?<namespace>[a-z][\\w-]*)\\s+)?(?<last>${AGE})${OVER}`,
    TYPE,
    REASON,
    OBJECT,
    `(?:${PATH}\\s+)?${FROM}`,
    '(?<message>.*)',
    `(?<begun>${AGE})`,
    String.raw`(?<times>\d+)`,
    String.raw`[\w.-]+\.[0-9a-f]{8,}`,
  ),
  // `kubectl get events`, with or without the namespace.
  row(`(?:(?<namespace>[a-z][\\w-]*)\\s+)?(?<last>${AGE})${OVER}`, TYPE, REASON, OBJECT, '(?<message>.*)'),
];

/** `kubectl describe` and `get events` up to 1.0, where only rows were pasted: FirstSeen, LastSeen, Count, From, SubobjectPath, Reason, Message. */
const RFC1123 = String.raw`[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}`;
const OLDEST = row(
  `(?<firstAt>${RFC1123})`,
  `(?<lastAt>${RFC1123})`,
  String.raw`(?<count>\d+)`,
  `${FROM}(?:\\s+(?:${PATH}|implicitly required container \\S+))?`,
  '(?<reason>[a-z]+)',
  '(?<message>.*)',
);

/** Columns that somebody chose: time, reason, message. */
const CHOSEN = row(`(?<at>${TIME})`, `(?:${TYPE}\\s+)?${REASON}`, '(?<message>.*)');

/** What only the kubelet writes of a pod, where a table does not say who wrote it (texts-of-kills.yaml). */
const OF_KUBELET =
  /^(?:Stopping container |(?:Init c|C)ontainer \S+ failed (?:liveness|startup) probe|Killing container with (?:docker )?id |The node was low on resource: |(?:Liveness|Readiness|Startup) probe (?:failed|errored)|Preempted in order to admit critical pod|Pod was active on the node longer than|Usage of EmptyDir volume|Pod ephemeral local storage usage exceeds|Container \S+ exceeded its local ephemeral storage limit|Pod sandbox changed, it will be killed)/;

/** Reads a row of a table of events; undefined when the text is none. */
export function readEventRow(text: string): EventRow | undefined {
  const chosen = CHOSEN.exec(text)?.groups;
  return readRowOfKubectl(text) ?? (chosen && rowOf(chosen));
}

/** The same of a layout that kubectl has: of others only the header tells which column is what. */
export function readRowOfKubectl(text: string): EventRow | undefined {
  const bare = readBare(text);
  if (bare !== undefined) return bare;
  const oldest = OLDEST.exec(text)?.groups;
  if (oldest !== undefined)
    return {
      ...rowOf(oldest),
      at: timeOfRow(oldest['lastAt']),
      firstAt: timeOfRow(oldest['firstAt']),
    };
  for (const layout of LAYOUTS) {
    const found = layout.exec(text)?.groups;
    if (found !== undefined) return rowOf(found);
  }
  return undefined;
}

/** Sentences of the kubelet about a kill that people quote without their columns, and rows that have the name of the pod, too. */
const KILL_SENTENCE =
  /^\s*(?<message>(?:Killing container with (?:docker )?id \S+ ?pod .* it will be killed and re-created|Container \S+ failed (?:liveness|startup) probe, will be (?:restarted|killed and recreated))\.?)\s*$/;
const EVICTED_SENTENCE =
  /^\s*(?:(?<name>[a-z0-9][a-z0-9.-]*)\s+(?:(?<namespace>[a-z][a-z0-9-]*)\s+)?Evicted\s+(?:\S+\s+)?)?(?<message>(?:The node was low on resource: |Usage of EmptyDir volume |Pod ephemeral local storage usage exceeds|Container \S+ exceeded its local ephemeral storage limit).*)$/s;

function readBare(text: string): EventRow | undefined {
  const killed = KILL_SENTENCE.exec(text)?.groups;
  const found = killed ?? EVICTED_SENTENCE.exec(text)?.groups;
  if (found === undefined) return undefined;
  return rowOf({ ...found, reason: killed === undefined ? 'Evicted' : 'Killing' });
}

function rowOf(found: Readonly<Record<string, string | undefined>>): EventRow {
  const { reason = '', message = '', name = '', type, namespace, component, host, at } = found;
  const count = found['count'] ?? found['times'];
  const [younger, older] = [ageOf(found['one']), ageOf(found['other'])].sort(
    (a, b) => (a?.ms ?? 0) - (b?.ms ?? 0),
  );
  return {
    reason: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`,
    message: message.trim(),
    kind: (found['kind'] ?? 'pod').toLowerCase(),
    name,
    type,
    namespace,
    component: component ?? writerOf(message),
    host,
    fieldPath: found['path'],
    count: count === undefined ? undefined : Number(count),
    firstAge: ageOf(found['first'] ?? found['begun']) ?? older,
    lastAge: ageOf(found['last']) ?? younger,
    at: at === '<nil>' ? undefined : at,
  };
}

/** A time in a column, of ISO 8601, or of RFC 1123 as kubectl printed it up to 1.0; undefined for an age. */
export function timeOfRow(text: string | undefined): string | undefined {
  if (text === undefined || !/^(?:\d{4}-\d\d-\d\dT|[A-Z][a-z]{2}, \d)/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isFinite(at) ? new Date(at).toISOString() : undefined;
}

/** The same of the scheduler (pkg/scheduler/framework/preemption), since 1.8. */
const OF_SCHEDULER = /^Preempted by (?:(?:a )?pod |\S+\/\S+)/;

/** Who wrote an event of such a text; undefined where several may have. */
export function writerOf(message: string): string | undefined {
  if (OF_KUBELET.test(message.trim())) return 'kubelet';
  return OF_SCHEDULER.test(message.trim()) ? 'default-scheduler' : undefined;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};

/** `3m2s`: the last unit tells how coarse it is (HumanDuration of apimachinery/pkg/util/duration). */
export function ageOf(text: string | undefined): Age | undefined {
  const parts = [...(text ?? '').matchAll(/(\d+)(ms|[smhdwy])/g)];
  if (parts.length === 0) return undefined;
  const ms = parts.reduce((sum, [, number, unit = '']) => sum + Number(number) * (UNIT_MS[unit] ?? 0), 0);
  return { ms, grainMs: UNIT_MS[parts.at(-1)?.[2] ?? ''] ?? 0 };
}

/** When a table was printed: not before the one time, and before the other, in milliseconds since the epoch. */
export interface Printed {
  readonly from: number;
  readonly to: number;
}

/** A time that is known better than this may be held against others. */
const CLOSE_MS = 2000;

/** When something of an age was; undefined where that is not known closely. */
function timeOfAge(age: Age | undefined, printed: Printed | undefined): string | undefined {
  if (age === undefined || printed === undefined) return undefined;
  const [from, to] = [printed.from - age.ms - age.grainMs, printed.to - age.ms];
  return to - from > CLOSE_MS + age.grainMs ? undefined : secondOf((from + to) / 2);
}

function secondOf(ms: number): string {
  return new Date(Math.round(ms / 1000) * 1000).toISOString();
}

/** What the scheduler says of a pod since 1.9, also where the table has no column for it. */
const SCHEDULED =
  /^Successfully assigned (?<namespace>[a-z0-9-]{1,63})\/(?<name>[a-z0-9][a-z0-9.-]{0,252}) to \S/;

/** The event that a row tells of, as the API would have it. */
export function eventObjectOf(event: EventRow, printed?: Printed): Record<string, unknown> {
  const last = event.at ?? timeOfAge(event.lastAge, printed);
  const first = event.firstAt ?? ((event.count ?? 1) === 1 ? last : timeOfAge(event.firstAge, printed));
  const said =
    event.name === '' && event.reason === 'Scheduled' ? SCHEDULED.exec(event.message)?.groups : undefined;
  return {
    kind: 'Event',
    involvedObject: {
      kind: ownValue(KUBECTL_KINDS, event.kind) ?? event.kind,
      name: event.name === '' ? said?.['name'] : event.name,
      namespace: event.namespace ?? said?.['namespace'],
      fieldPath: event.fieldPath,
    },
    reason: event.reason,
    message: event.message,
    type: event.type,
    source: { component: event.component, host: event.host },
    count: event.count,
    lastTimestamp: last,
    firstTimestamp: first,
    lastAge: event.lastAge,
  };
}
