import type { Lost, RuntimeRecord } from '../model/evidence/observation.ts';
import { numberOf, parseObject, baseOf, stringOf, timeOf, type EvidenceText, type Where } from './lines.ts';
import { parseLines } from './parse-lines.ts';

/**
 * Reads the runtime's records of its containers, one CRI `ContainerStatus` a line, as `crictl inspect` prints it. The
 * end of the container dates its record; the record of a running container has no time.
 */
export function parseCri(content: EvidenceText, file: string): (RuntimeRecord | Lost)[] {
  return parseLines(content, file, { source: 'cri', broken: 'a line is not a container' }, (line) => {
    const fields = parseObject(line.text);
    return (fields && readContainerStatus(fields, file, line.number)) ?? 'broken';
  });
}

/** What a CRI `ContainerStatus` says; undefined when it is something else. */
export function readContainerStatus(
  fields: Record<string, unknown>,
  where: Where,
  line: number,
): RuntimeRecord | undefined {
  const containerId = stringOf(fields.id);
  if (containerId === undefined) return undefined;
  const state = stringOf(fields.state) ?? '';
  const ended = state === 'CONTAINER_EXITED';
  const at = ended ? timeOf(fields.finishedAt) : undefined;
  const reason = stringOf(fields.reason) ?? '';
  const exitCode = ended ? numberOf(fields.exitCode) : undefined;
  const text = [state, reason, exitCode === undefined ? '' : `exit ${exitCode}`]
    .filter((part) => part !== '')
    .join(', ');
  return {
    kind: 'runtime-record',
    ...baseOf('cri', at, where, line, text),
    containerId,
    state,
    reason,
    exitCode,
  };
}
