import type { HostLoad, Lost } from '../model/evidence/observation.ts';
import { linesOf, lostOf, numberOf, parseObject, baseOf, type EvidenceText } from './lines.ts';

/** Reads the load of the host: `{at, monotonicMs?, cpus, busyMs, ownMs, memoryFullMs?, ioFullMs?}`, `at` in ms since the epoch. */
export function parseHost(content: EvidenceText, file: string): (HostLoad | Lost)[] {
  const observations: (HostLoad | Lost)[] = [];
  for (const line of linesOf(content)) {
    const fields = parseObject(line.text);
    const at = numberOf(fields?.at);
    const cpus = numberOf(fields?.cpus);
    const busyMs = numberOf(fields?.busyMs);
    const ownMs = numberOf(fields?.ownMs);
    if (at === undefined || cpus === undefined || busyMs === undefined || ownMs === undefined) {
      if (!line.cut)
        observations.push(lostOf('host', 'a line is not a load record', file, undefined, line.number));
      continue;
    }
    const base = baseOf('host', at, file, line.number, line.text);
    const monotonicMs = numberOf(fields?.monotonicMs);
    const memoryFullMs = numberOf(fields?.memoryFullMs);
    const ioFullMs = numberOf(fields?.ioFullMs);
    observations.push({
      kind: 'host-load',
      ...base,
      monotonicMs,
      cpus,
      busyMs,
      ownMs,
      memoryFullMs,
      ioFullMs,
    });
  }
  return observations;
}
