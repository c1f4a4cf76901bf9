import type { HostLoad, Lost } from '../model/evidence/observation.ts';
import { numberOf, parseObject, baseOf, type EvidenceText } from './lines.ts';
import { parseLines } from './parse-lines.ts';

/** Reads the load of the host: `{at, monotonicMs?, cpus, busyMs, ownMs, memoryFullMs?, ioFullMs?}`, `at` in ms since the epoch. */
export function parseHost(content: EvidenceText, file: string): (HostLoad | Lost)[] {
  return parseLines(content, file, { source: 'host', broken: 'a line is not a load record' }, (line) => {
    const fields = parseObject(line.text);
    const at = numberOf(fields?.at);
    const cpus = numberOf(fields?.cpus);
    const busyMs = numberOf(fields?.busyMs);
    const ownMs = numberOf(fields?.ownMs);
    if (at === undefined || cpus === undefined || busyMs === undefined || ownMs === undefined)
      return 'broken';
    return {
      kind: 'host-load' as const,
      ...baseOf('host', at, file, line.number, line.text),
      monotonicMs: numberOf(fields?.monotonicMs),
      cpus,
      busyMs,
      ownMs,
      memoryFullMs: numberOf(fields?.memoryFullMs),
      ioFullMs: numberOf(fields?.ioFullMs),
    };
  });
}
