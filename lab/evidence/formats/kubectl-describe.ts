import type { Line } from '../lines.ts';
import type { Entry } from './entry.ts';
import {
  containerFieldsOf,
  describedEntries,
  type DescribedContainer,
  type DescribedPod,
} from './described-pod.ts';
import { readEventRow } from './event-rows.ts';
import type { Format, FormatReader } from './format.ts';

/**
 * `kubectl describe pod`, of any release, and parts of it: what it prints of each pod and its containers, as claims
 * (kubectl/pkg/describe/describe.go).
 */
export const kubectlDescribe: Format = {
  name: 'kubectl describe',
  classify: (lines) =>
    lines.some((text) => NAME.test(text)) &&
    lines.some((text) => /^(?:Namespace|Node|Status):\s+\S/.test(text)) &&
    lines.some((text) => /^(?:Containers|Init Containers):$/.test(text))
      ? 0.9
      : 0,
  createReader,
  begins: (text) => NAME.test(text) || PART.test(text),
  ends: (text) => /^\S/.test(text) && !WITHIN.test(text),
};

/** kubectl had tabs behind names up to 1.6. */
const NAME = /^Name:\s+\S/;
/** What people begin with who paste the part that they think is of interest. */
const PART =
  /^(?:\s*(?:Last )?State:\s+(?:Terminated|Waiting|Running)\s*$|\s*(?:Init )?Containers:\s*$|Status:\s+(?:Failed|Running|Succeeded|Pending|Terminating)\b|Start Time:\s+\w{3}, |Reason:\s+(?:Evicted|Preempting|DeadlineExceeded|Terminated|Shutdown)\s*$|Message:\s+(?:The node was low on resource: |P(?:od|reempted) |Usage of EmptyDir |Container \S+ exceeded ))/;
/** In the first column, also where the indentation was lost: fields, names of containers, mounts, rows of events, what was left out. */
const WITHIN =
  /^(?:[A-Z][\w ()/-]*:(?:\s|$)|[a-z0-9][\w.-]*:(?:\s|$)|\/\S+ from |(?:Normal|Warning|Type|----) |(?:\.{3,}|…|\[\.{3}\])\s*$)/;
const STATE = /^\s*(?:Last )?State:/;
const OF_STATE = /^(?:Reason|Message|Exit Code|Signal|Started|Finished):/;
const OF_CONTAINER =
  /^(?:(?:Container|Image) ID|Image|(?:Host )?Ports?|Command|Args|State|Last State|Ready|Restart Count|Limits|Requests|Liveness|Readiness|Startup|Environment|Mounts):/;

/** A line of a section as kubectl prints it, where somebody lost its indentation. */
function indentAgain(text: string, section: string, isPart: boolean): string {
  if (/^\s/.test(text) && !isPart) return text;
  if (section === 'Events' && /^(?:Normal|Warning) /.test(text)) return `  ${text}`;
  if (!section.endsWith('Containers')) return text;
  const bare = isPart ? text.trim() : text;
  if (/^[a-z0-9][\w.-]*:$/.test(text)) return `  ${text}`;
  return OF_STATE.test(bare) ? `      ${bare}` : OF_CONTAINER.test(bare) ? `    ${bare}` : text;
}

/** Where a reader is in a text. */
interface Position {
  pod: DescribedPod | undefined;
  section: string;
  /** The pod has no name: only a part of the text was pasted. */
  isPart: boolean;
  container: DescribedContainer | undefined;
  state: 'state' | 'last' | undefined;
}

function createReader(): FormatReader {
  const at: Position = {
    pod: undefined,
    section: '',
    isPart: false,
    container: undefined,
    state: undefined,
  };
  return {
    line: (given) => {
      if (at.pod === undefined && !NAME.test(given.text)) beginPart(at, given);
      // Whoever pastes parts leaves out what is between them.
      if (at.isPart && !at.section.endsWith('Containers') && STATE.test(given.text))
        at.section = 'Containers';
      const line = { ...given, text: indentAgain(given.text, at.section, at.isPart) };
      const found = readField(at, line);
      if (found !== undefined) return found;
      if (at.section.endsWith('Containers')) readOfContainer(at, line.text);
      const event = at.section === 'Events' ? readEventRow(line.text) : undefined;
      if (event !== undefined) at.pod?.events.push([line.number, event]);
      return [];
    },
    // A long message was broken at the width of a terminal.
    goesOn: (text) => {
      if (at.pod === undefined || at.section !== 'Message' || /^(?:```|~~~|[$#>]\s)/.test(text)) return false;
      at.pod.fields['Message'] = `${at.pod.fields['Message'] ?? ''}${text}`;
      return true;
    },
    end: () => close(at),
  };
}

function begin(at: Position, line: number): DescribedPod {
  at.pod = { line, fields: {}, containers: [], events: [] };
  at.container = undefined;
  at.state = undefined;
  return at.pod;
}

function beginPart(at: Position, { text, number }: Line): void {
  at.isPart = true;
  begin(at, number);
  if (STATE.test(text)) at.section = 'Containers';
}

function close(at: Position): readonly Entry[] {
  const { pod } = at;
  at.pod = undefined;
  return pod === undefined ? [] : describedEntries(pod);
}

/** Reads a field of the pod, which may be the beginning of a section, or of the next pod; undefined for another line. */
function readField(at: Position, { text, number }: Line): readonly Entry[] | undefined {
  const [, name = '', value = ''] = /^([A-Z][\w ]*?):\s*(.*)$/.exec(text) ?? [];
  if (name === '') return undefined;
  const before = name === 'Name' ? close(at) : [];
  const { fields } = at.pod ?? begin(at, number);
  if (name === 'Name') at.isPart = false;
  at.section = name;
  at.container = undefined;
  fields[name] = value.trim();
  return before;
}

function readOfContainer(at: Position, text: string): void {
  const [, begun] = /^ {2}([\w.-]+):$/.exec(text) ?? [];
  if (begun !== undefined) {
    beginContainer(at, begun);
    return;
  }
  const [, space = '', name = '', value = ''] = /^( {4,})([A-Z][\w ]*?):\s*(.*)$/.exec(text) ?? [];
  if (name === '') return;
  if (at.container === undefined && at.isPart) beginContainer(at, '');
  const { container } = at;
  if (container === undefined) return;
  if (space.length > 4 && at.state !== undefined) container[at.state][name] = value.trim();
  else {
    at.state = name === 'State' ? 'state' : name === 'Last State' ? 'last' : undefined;
    if (at.state === undefined) container.fields[name] = value.trim();
    else container[at.state]['Is'] = value.trim();
  }
}

function beginContainer(at: Position, name: string): void {
  at.container = containerFieldsOf(name, at.section.startsWith('Init'));
  at.pod?.containers.push(at.container);
  at.state = undefined;
}
