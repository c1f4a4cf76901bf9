import { largest, smallest } from '../../model/text/extremes.ts';
import { AGE } from './event-rows.ts';
import { MONTH } from './months.ts';

/** Texts whose line breaks were lost: a form of a web page or a chat put them into one line. */

/** A shorter line is one of its own. */
const SHORTEST = 120;

/** What `kubectl describe pod` prints at the beginning of a line. */
const FIELDS = [
  'Namespace|Priority(?: Class Name)?|Service Account|Node|Start Time|Labels|Annotations|Status|Reason|Message|IPs?',
  'Controlled By|Containers|Init Containers|Conditions|Volumes|QoS Class|Node-Selectors|Tolerations|Events',
  'Container ID|Image(?: ID)?|(?:Host )?Ports?|Command|Args|State|Last State|Exit Code|Started|Finished|Ready',
  'Restart Count|Limits|Requests|Liveness|Readiness|Startup|Environment|Mounts',
].join('|');
const DESCRIBED = new RegExp(String.raw`^\s*(?:Name|${FIELDS}): `);
const FIELD = new RegExp(String.raw`(?<!\b(?:Last|Init|Host))\s+(?=(?:${FIELDS}):(?:\s|$))`, 'g');
/** The name of a container is before its first field. */
const CONTAINER = /\s+(?=[a-z0-9][\w.-]*:\s+(?:Container ID|Image|State):\s)/g;
const EVENT = new RegExp(String.raw`\s+(?=(?:Normal|Warning)\s+[A-Z][A-Za-z]+\s+${AGE}\s)`, 'g');
const ROW = new RegExp(
  String.raw`\s+(?=${AGE}\s+(?:\(x\d+ over ${AGE}\)\s+)?(?:Normal|Warning)\s+[A-Z][A-Za-z]+\s+\S+/)`,
  'g',
);
const LEAST_HEADS = 3;
/** Heads of lines of logs, with the day and the seconds of it, or of the boot. */
const TIME = String.raw`(?<time>\d\d:\d\d:\d\d)`;
const HEADS: readonly RegExp[] = [
  /\s+(?=\[ *(?<time>\d+)\.\d{6}\] )/g,
  new RegExp(String.raw`\s+(?=\[(?<day>\p{L}{1,4}\.? ${MONTH} [ \d]?\d) ${TIME} \d{4}\] )`, 'gu'),
  new RegExp(String.raw`\s+(?=(?<day>${MONTH} [ \d]?\d) ${TIME} \S+ [\w.-]+(?:\[\d+\])?: )`, 'gu'),
  new RegExp(String.raw`\s+(?=(?<day>\d{4}-\d\d-\d\d)T${TIME}\S* \S+ [\w.-]+(?:\[\d+\])?: )`, 'g'),
];
/**
 * What is quoted has the number of the one line that there is, and is dated by it: a log of more seconds than a report takes stays
 * as it is.
 */
const MOST_SECONDS = 5;

/** The lines that a text in one line had; only that line where it is one of its own. */
export function unflatten(text: string): readonly string[] {
  if (text.length < SHORTEST) return [text];
  if (DESCRIBED.test(text) && (text.match(FIELD)?.length ?? 0) >= LEAST_HEADS)
    return [CONTAINER, FIELD, EVENT].reduce<string[]>(
      (lines, head) => lines.flatMap((line) => line.split(head)),
      [text.trim()],
    );
  for (const head of [ROW, EVENT]) {
    const rows = text.trim().split(head);
    if (rows.length >= LEAST_HEADS) return rows;
  }
  return HEADS.map((head) => splitLog(text.trim(), head)).find((lines) => lines !== undefined) ?? [text];
}

function splitLog(text: string, head: RegExp): readonly string[] | undefined {
  const found = [...` ${text}`.matchAll(head)];
  const days = new Set(found.map(({ groups }) => groups?.['day']));
  const seconds = found.map(({ groups }) => secondsOf(groups?.['time'] ?? ''));
  const isAtOnce =
    found.length >= LEAST_HEADS && days.size === 1 && largest(seconds) - smallest(seconds) <= MOST_SECONDS;
  if (!isAtOnce || found[0]?.index !== 0) return undefined;
  return found.map(({ index }, count) => ` ${text}`.slice(index, found[count + 1]?.index).trim());
}

function secondsOf(time: string): number {
  return time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}
