import type { Proof } from '../model/saved/proof.ts';
import { at, list, parse, read, text, timeOf, type Files } from './read-record.ts';

/** The victim, as raw lines name it. */
export interface Victim {
  readonly ids: readonly string[];
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

/** A time of the API is cut to seconds, and clocks differ. */
const API_MS = 2000;
const KUBELET_SAYS = /SyncLoop|container finished|illing container|andbox/;

function isUnbroken(numbers: readonly number[]): boolean {
  return new Set(numbers).size === Math.max(...numbers) - Math.min(...numbers) + 1;
}

/** Why the silence of a source proves nothing; undefined when it is earned (docs/verdicts.md, "Silence"). */
export function findGap(
  silence: Proof['silences'][number],
  files: Files,
  victim: Victim,
): string | undefined {
  const cell = parse(files.get('cell.json')?.join('\n'));
  const parts = silence.files.map((file) => files.get(file) ?? []);
  const lines = parts.flat();
  const source = ['trace', 'cgroup'].includes(silence.source) ? 'witness' : silence.source;
  const lost = list(cell.lost).filter((one) => at(one, 'source') === source);
  if (lost.some((one) => (timeOf(at(one, 'from')) ?? 0) <= Date.parse(silence.to)))
    return 'cell.json says that it is lost';
  if (parts.length === 0 || parts.some((part) => part.join('') === '')) return 'it was not saved';
  const beganAt = timeOf(cell.startedAt) ?? 0;
  const livedFrom = victim.startedAt ?? Infinity;
  const endedAt = victim.endedAt ?? 0;
  const dated = (line: number, file: string | undefined): number =>
    Number(read(files, file ?? '', line)[0]?.at ?? 0);
  const firstAt = dated(1, silence.files[0]);
  const lastAt = dated(parts.at(-1)?.length ?? 0, silence.files.at(-1));
  const own = lines.filter((line) => victim.ids.some((id) => line.includes(id)));
  const records = source === 'witness' ? parts.map((part) => part.map(parse)) : [];
  const events = own.filter(
    (line) => source === 'events' && /"(?:component|reportingComponent)":"kubelet"/.test(line),
  );
  const numbers = parts.map((part) =>
    part.flatMap((line) => Number(/^\d+,(\d+),/.exec(line)?.[1] ?? 0) || []),
  );
  const isEnd = (line: string): boolean =>
    /ContainerDied|container finished|RemoveContainer|Killing/.test(line);
  const tests: Readonly<Record<string, readonly (readonly [boolean, string])[]>> = {
    kmsg: [
      [!numbers.every(isUnbroken), 'a record is missing'],
      [firstAt > beganAt, 'it begins after the cell'],
      [!(lines.at(-1) ?? '').endsWith(text(cell.kmsgEnd)), 'it was not read to its end'],
    ],
    witness: [
      [!records.every((part) => isUnbroken(part.map(({ seq }) => Number(seq)))), 'a record is missing'],
      [records.flat().some(({ kind }) => kind === 'lost'), 'it says that it lost records'],
      [records.some((part) => part[0]?.kind !== 'start'), 'its first record is missing'],
      [records.at(-1)?.at(-1)?.kind !== 'stop', 'its last record is missing'],
      [firstAt > livedFrom + API_MS, 'it begins after the container'],
      [lastAt < endedAt - API_MS, 'it ends before the container'],
    ],
    kubelet: [
      [firstAt > Math.max(livedFrom, beganAt) + API_MS, 'it begins after the container'],
      [own.length === 0 || (endedAt > 0 && !own.some(isEnd)), 'it says nothing of the end'],
      [!lines.some((line) => KUBELET_SAYS.test(line)), 'it prints too little'],
    ],
    events: [
      [events.length === 0, 'the kubelet wrote none about this pod'],
      [events.length >= 25 || events.some((line) => line.includes('(combined from')), 'some may be dropped'],
    ],
    containerd: [
      [firstAt > livedFrom && !own.some((line) => /(?:Create|Start)Container/.test(line)), 'it is cut'],
    ],
    pods: [[own.length === 0, 'it has no such pod']],
  };
  const suppressed = lines.some((line) => /"MESSAGE":"Suppressed \d+ messages/.test(line));
  return suppressed ? 'journald dropped lines' : tests[source]?.find(([isSo]) => isSo)?.[1];
}
