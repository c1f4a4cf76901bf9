import type { Line } from '../lines.ts';
import type { Entry } from './entry.ts';
import { containerFieldsOf, describedEntries, type DescribedContainer, type DescribedPod } from './described-pod.ts';
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
  /^(?:\s*(?:Last )?State:\s+(?:Terminated|Waiting|Running)\s*$|\s*(?:Init )?Containers:\s*$|Status:\s+(?:Failed|Running|Succeeded|Pending|Terminating)\b|Start Time:\s+\w{3}, )/;
/** In the first column, also where the indentation was lost: fields, names of containers, mounts, rows of events, what was left out. */
const WITHIN =
  /^(?:[A-Z][\w ()/-]*:(?:\s|$)|[a-z0-9][\w.-]*:(?:\s|$)|\/\S+ from |(?:Normal|Warning|Type|----) |(?:\.{3,}|…|\[\.{3}\])\s*$)/;
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

type State = 'state' | 'last';

function createReader(): FormatReader {
  let pod: DescribedPod | undefined;
  let section = '';
  let isPart = false;
  let container: DescribedContainer | undefined;
  let state: State | undefined;
  const begin = (line: number): DescribedPod => {
    pod = { line, fields: {}, containers: [], events: [] };
    container = undefined;
    state = undefined;
    return pod;
  };
  const close = (): readonly Entry[] => {
    const found = pod;
    pod = undefined;
    return found === undefined ? [] : describedEntries(found);
  };
  const top = ({ text, number }: Line): readonly Entry[] | undefined => {
    const [, name = '', value = ''] = /^([A-Z][\w ]*?):\s*(.*)$/.exec(text) ?? [];
    if (name === '') return undefined;
    const before = name === 'Name' ? close() : [];
    const { fields } = pod ?? begin(number);
    if (name === 'Name') isPart = false;
    section = name;
    container = undefined;
    fields[name] = value.trim();
    return before;
  };
  const beginPart = ({ text, number }: Line): void => {
    isPart = true;
    begin(number);
    if (/^\s*(?:Last )?State:/.test(text)) section = 'Containers';
  };
  const inContainer = (text: string): void => {
    const [, begun] = /^ {2}([\w.-]+):$/.exec(text) ?? [];
    if (begun !== undefined && pod !== undefined) {
      container = containerFieldsOf(begun, section.startsWith('Init'));
      pod.containers.push(container);
      state = undefined;
      return;
    }
    const [, space = '', name = '', value = ''] = /^( {4,})([A-Z][\w ]*?):\s*(.*)$/.exec(text) ?? [];
    if (name === '') return;
    if (container === undefined && isPart && pod !== undefined) {
      container = containerFieldsOf('', section.startsWith('Init'));
      pod.containers.push(container);
    }
    if (container === undefined) return;
    if (space.length > 4 && state !== undefined) container[state][name] = value.trim();
    else {
      state = name === 'State' ? 'state' : name === 'Last State' ? 'last' : undefined;
      if (state === undefined) container.fields[name] = value.trim();
      else container[state]['Is'] = value.trim();
    }
  };
  return {
    line: (given) => {
      if (pod === undefined && !NAME.test(given.text)) beginPart(given);
      const line = { ...given, text: indentAgain(given.text, section, isPart) };
      const found = top(line);
      if (found !== undefined) return found;
      if (section.endsWith('Containers')) inContainer(line.text);
      const event = section === 'Events' ? readEventRow(line.text) : undefined;
      if (event !== undefined) pod?.events.push([line.number, event]);
      return [];
    },
    // A long message was broken at the width of a terminal.
    goesOn: (text) => {
      if (pod === undefined || section !== 'Message' || /^(?:```|~~~|[$#>]\s)/.test(text)) return false;
      pod.fields['Message'] = `${pod.fields['Message'] ?? ''}${text}`;
      return true;
    },
    end: close,
  };
}
