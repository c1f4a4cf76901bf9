import type { Line } from '../lines.ts';
import type { Entry } from './entry.ts';
import type { Format, FormatReader } from './format.ts';
import { eventOfRow } from './kubectl-events.ts';

/** `kubectl describe pod`: what it prints of each pod and its containers, as claims (kubectl/pkg/describe/describe.go). */
export const kubectlDescribe: Format = {
  name: 'kubectl describe',
  classify: (lines) =>
    lines.some((text) => NAME.test(text)) &&
    lines.some((text) => /^(?:Namespace|Node|Status):\s+\S/.test(text)) &&
    lines.some((text) => /^(?:Containers|Init Containers):$/.test(text))
      ? 0.9
      : 0,
  createReader,
  begins: (text) => NAME.test(text),
  ends: (text) => /^\S/.test(text) && !WITHIN.test(text),
};

/** kubectl had tabs behind names up to 1.6. */
const NAME = /^Name:\s+\S/;
/** In the first column, also where the indentation was lost: fields, names of containers, mounts, rows of events. */
const WITHIN = /^(?:[A-Z][\w ()/-]*:(?:\s|$)|[a-z0-9][\w.-]*:(?:\s|$)|\/\S+ from |(?:Normal|Warning|Type|----) )/;
const OF_STATE = /^(?:Reason|Message|Exit Code|Signal|Started|Finished):/;
const OF_CONTAINER =
  /^(?:(?:Container|Image) ID|Image|(?:Host )?Ports?|Command|Args|State|Last State|Ready|Restart Count|Limits|Requests|Liveness|Readiness|Startup|Environment|Mounts):/;

/** A line of a section as kubectl prints it, where somebody lost its indentation. */
function indentAgain(text: string, section: string): string {
  if (/^\s/.test(text)) return text;
  if (section === 'Events' && /^(?:Normal|Warning) /.test(text)) return `  ${text}`;
  if (!section.endsWith('Containers')) return text;
  if (/^[a-z0-9][\w.-]*:$/.test(text)) return `  ${text}`;
  return OF_STATE.test(text) ? `      ${text}` : OF_CONTAINER.test(text) ? `    ${text}` : text;
}

type Fields = Record<string, unknown>;

interface Container {
  readonly name: string;
  readonly isInit: boolean;
  readonly fields: Record<string, string>;
  readonly state: Record<string, string>;
  readonly last: Record<string, string>;
}

interface Pod {
  readonly line: number;
  readonly fields: Record<string, string>;
  readonly containers: Container[];
}

function createReader(): FormatReader {
  let pod: Pod | undefined;
  let section = '';
  let container: Container | undefined;
  let state: 'state' | 'last' | undefined;
  const top = (line: Line): readonly Entry[] | undefined => {
    const [, name = '', value = ''] = /^([A-Z][\w ]*?):\s*(.*)$/.exec(line.text) ?? [];
    if (name === '') return undefined;
    const before = name === 'Name' ? close() : [];
    if (name === 'Name') pod = { line: line.number, fields: {}, containers: [] };
    section = name;
    container = undefined;
    if (pod !== undefined) pod.fields[name] = value.trim();
    return before;
  };
  const inContainer = (text: string): void => {
    const [, begun] = /^ {2}([\w.-]+):$/.exec(text) ?? [];
    if (begun !== undefined && pod !== undefined) {
      container = { name: begun, isInit: section.startsWith('Init'), fields: {}, state: {}, last: {} };
      pod.containers.push(container);
      return;
    }
    const [, space = '', name = '', value = ''] = /^( {4,})([A-Z][\w ]*?):\s*(.*)$/.exec(text) ?? [];
    if (name === '' || container === undefined) return;
    if (space.length > 4 && state !== undefined) container[state][name] = value.trim();
    else {
      state = name === 'State' ? 'state' : name === 'Last State' ? 'last' : undefined;
      if (state === undefined) container.fields[name] = value.trim();
      else container[state]['Is'] = value.trim();
    }
  };
  const close = (): readonly Entry[] => {
    const found = pod;
    pod = undefined;
    return found === undefined || found.containers.length === 0 ? [] : [asObject(found)];
  };
  return {
    line: (given) => {
      const line = { ...given, text: indentAgain(given.text, section) };
      const found = top(line);
      if (found !== undefined) return found;
      if (section.endsWith('Containers')) inContainer(line.text);
      const cells = /^ {2}(Normal|Warning) +(\S+) +(.+?) {2,}([\w./-]+(?:, [\w.-]+)?) {2,}(.*)$/.exec(
        line.text,
      );
      if (section !== 'Events' || cells === null || pod === undefined) return [];
      const [, type, reason = '', , component, message = ''] = cells;
      const { Name: name = '', Namespace: namespace } = pod.fields;
      return [eventOfRow(line.number, { reason, message, kind: 'pod', name, type, namespace, component })];
    },
    end: close,
  };
}

/** The pod as the API would have it, as far as the text goes: it has no uid, and no version. */
function asObject({ line, fields, containers }: Pod): Entry {
  const statuses = containers.map((container) => [container.isInit, statusOf(container)] as const);
  const object = {
    kind: 'Pod',
    metadata: { name: fields['Name'], namespace: fields['Namespace'] },
    spec: { nodeName: fields['Node']?.split('/')[0] },
    status: {
      phase: /^\w+/.exec(fields['Status'] ?? '')?.[0],
      reason: fields['Reason'] || undefined,
      message: fields['Message'] || undefined,
      startTime: timeOf(fields['Start Time']),
      initContainerStatuses: statuses.filter(([isInit]) => isInit).map(([, status]) => status),
      containerStatuses: statuses.filter(([isInit]) => !isInit).map(([, status]) => status),
    },
  };
  const times = containers.flatMap(({ state, last }) =>
    [state, last].flatMap(({ Started, Finished }) => [Date.parse(Started ?? ''), Date.parse(Finished ?? '')]),
  );
  const known = times.filter(Number.isFinite);
  const at = known.length === 0 ? undefined : known.reduce((one, other) => Math.max(one, other));
  return { kind: 'object', what: 'pod', at, type: 'ADDED', object, line };
}

function statusOf({ name, fields, state, last }: Container): Fields {
  return {
    name,
    containerID: fields['Container ID'],
    restartCount: Number(fields['Restart Count'] ?? 0),
    state: stateOf(state),
    lastState: stateOf(last),
  };
}

/** Times are of RFC 1123 with a zone: `Mon, 20 Nov 2026 21:53:59 +0000`. */
function stateOf(said: Readonly<Record<string, string>>): Fields {
  const times = { startedAt: timeOf(said['Started']), finishedAt: timeOf(said['Finished']) };
  const { Reason: reason, Message: message } = said;
  if (said['Is'] === 'Running') return { running: { startedAt: times.startedAt } };
  if (said['Is'] === 'Waiting') return { waiting: { reason, message } };
  if (said['Is'] !== 'Terminated') return {};
  return { terminated: { reason, message, exitCode: Number(said['Exit Code']), ...times } };
}

function timeOf(text: string | undefined): string | undefined {
  const at = Date.parse(text ?? '');
  return Number.isFinite(at) ? new Date(at).toISOString() : undefined;
}
