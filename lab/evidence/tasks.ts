import type { Lost, RuntimeEvent } from '../model/evidence/observation.ts';
import { numberOf, parseObject, baseOf, stringOf, timeOf, type EvidenceText } from './lines.ts';
import { parseLines } from './parse-lines.ts';

/** `<date> <time> +0000 UTC <namespace> <topic> <JSON>`: cmd/ctr/commands/events/events.go of containerd 1.4 to 2.2. */
const EVENT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?) \+0000 UTC (\S+) (\/\S+) (\{.*\})$/;

const TOPICS: Readonly<Record<string, RuntimeEvent['kind']>> = {
  '/tasks/exit': 'runtime-exit',
  '/tasks/oom': 'runtime-oom',
  '/tasks/start': 'runtime-start',
};

/**
 * Reads the stream of containerd's own events. It has what the journal of containerd 1.6 lacks: the status of every
 * exit, and whether the process was the first of the container or one that was added to it.
 */
export function parseTasks(content: EvidenceText, file: string): (RuntimeEvent | Lost)[] {
  return parseLines(content, file, { source: 'tasks', broken: 'a line is not an event' }, (line) => {
    const found = EVENT.exec(line.text);
    const fields = found === null ? undefined : parseObject(found[5] ?? '');
    if (found === null || fields === undefined) return 'broken';
    const kind = TOPICS[found[4] ?? ''];
    const containerId = stringOf(fields.container_id);
    if (kind === undefined || containerId === undefined) return undefined;
    const at = timeOf(`${found[1] ?? ''}T${found[2] ?? ''}Z`);
    const id = stringOf(fields.id);
    return {
      kind,
      ...baseOf('tasks', at, file, line.number, `${found[4] ?? ''} ${found[5] ?? ''}`),
      containerId,
      execId: id === undefined || id === '' || id === containerId ? undefined : id,
      pid: numberOf(fields.pid),
      // The JSON leaves out a zero.
      exitStatus: kind === 'runtime-exit' ? (numberOf(fields.exit_status) ?? 0) : undefined,
    };
  });
}
