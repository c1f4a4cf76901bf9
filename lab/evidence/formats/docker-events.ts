import { isObject } from '../../model/files/parse-json.ts';
import { numberOf, objectAt, stringOf } from '../lines.ts';
import type { ProgramEntry, Stamp } from './entry.ts';
import { formatOfLines, type Format, type ReadObject } from './format.ts';
import { stampOfIso, wallOfGo } from './stamps.ts';

type Fields = Record<string, unknown>;

/** `2026-05-04T18:05:45.011072877-05:00 container oom <id> (name=web, …)`; Podman writes the time as Go does. A terminal breaks such a line. */
const EVENT =
  /^(?<at>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d| [+-]\d{4} \w+)) (?<message>container [a-z]+ [0-9a-f]{64} \(.*)$/s;

/** `docker events` and `podman events`, as text. */
export const dockerEvents: Format = formatOfLines('docker events', ({ number, text }) => {
  const { at = '', message = '' } = EVENT.exec(text)?.groups ?? {};
  const wallMs = wallOfGo(at);
  const stamp = wallMs === undefined ? stampOfIso(at) : { wallMs, cutMs: 0 };
  return stamp && entryOf(number, stamp, message);
});

/** The same as JSON, an event a line: Docker's since 1.22 of its API, and Podman's. */
export function readDockerEvent(value: Fields, line: number): ReadObject | undefined {
  const event = readFields(value);
  if (event === undefined) return undefined;
  const { id, action, attributes, wallMs } = event;
  const said = Object.entries(attributes).flatMap(([name, of]) =>
    typeof of === 'string' || typeof of === 'number' ? [`${name}=${of}`] : [],
  );
  const message = `container ${action} ${id} (${said.join(', ')})`;
  return { name: 'docker events', entries: [entryOf(line, { wallMs, cutMs: 0 }, message)] };
}

interface Event {
  readonly id: string;
  readonly action: string;
  readonly attributes: Fields;
  readonly wallMs: number;
}

function readFields(value: Fields): Event | undefined {
  const actor = objectAt(value, 'Actor');
  const id = stringOf(actor['ID']) ?? stringOf(value['ID']) ?? '';
  const action = stringOf(value['Action']) ?? stringOf(value['Status']) ?? '';
  const seconds = numberOf(value['time']);
  const wallMs =
    seconds === undefined ? Date.parse(stringOf(value['Time']) ?? '') : millisecondsOf(value, seconds);
  if (value['Type'] !== 'container' || !/^[0-9a-f]{64}$/.test(id) || !/^[a-z]+$/.test(action))
    return undefined;
  if (!Number.isFinite(wallMs)) return undefined;
  const given = actor['Attributes'] ?? value['Attributes'];
  const attributes = isObject(given) ? given : {};
  const { Name: name, ContainerExitCode: exitCode } = value;
  return {
    id,
    action,
    wallMs,
    attributes: {
      ...attributes,
      ...(name === undefined ? {} : { name }),
      ...(exitCode === undefined ? {} : { exitCode }),
    },
  };
}

/** Nanoseconds since the epoch are more than a number holds: the second counts, and its part as far as it goes. */
function millisecondsOf({ timeNano }: Fields, seconds: number): number {
  const nano = numberOf(timeNano);
  return nano === undefined ? seconds * 1000 : Math.floor(nano / 1_000_000);
}

function entryOf(line: number, stamp: Stamp, message: string): ProgramEntry {
  return { kind: 'program', line, stamp, by: 'dockerd', message };
}
