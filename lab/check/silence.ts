import type { Proof } from '../model/saved/proof.ts';
import { at, list, parse, read, text, dateIn, type Files } from './read-record.ts';

/** The victim, as raw lines name it. */
interface Victim {
  readonly ids: readonly string[];
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

/** A time of the API is cut to seconds, and clocks differ. */
const API_MS = 2000;
const END = /ContainerDied|container finished|RemoveContainer|Killing/;
const TALKATIVE = /SyncLoop|container finished|illing container|andbox/;

/** Whether numbers follow each other, without one that is missing; `NaN` is of a line that continues another. */
function isUnbroken(lines: readonly string[], pattern: RegExp): boolean {
  const numbers = lines.flatMap((line) => Number(pattern.exec(line)?.[1] ?? Number.NaN) || []);
  return new Set(numbers).size === Math.max(...numbers) - Math.min(...numbers) + 1;
}

/** Why the silence of a source proves nothing; undefined when it is earned (docs/verdicts.md, "Silence"). */
export function findGap(
  silence: Proof['silences'][number],
  files: Files,
  victim: Victim,
): string | undefined {
  const cell = parse(files.get('cell.json')?.join('\n'));
  const source = ['trace', 'cgroup'].includes(silence.source) ? 'witness' : silence.source;
  const lost = list(cell.lost).filter((one) => at(one, 'source') === source);
  if (lost.some((one) => (dateIn(at(one, 'from')) ?? 0) <= Date.parse(silence.to)))
    return 'the cell says that it is lost';
  const parts = silence.files.map((file) => files.get(file) ?? []);
  const lines = parts.flat();
  const [first = [], last = first] = [parts[0], parts.at(-1)];
  if (parts.some((part) => part.join('') === '') || lines.length === 0) return 'it was not saved';
  const beganAt = dateIn(cell.startedAt) ?? 0;
  const { startedAt = Infinity, endedAt = 0 } = victim;
  const firstAt = Number(read(files, silence.files[0] ?? '', 1)[0]?.at ?? 0);
  const lastAt = Number(read(files, silence.files.at(-1) ?? '', last.length)[0]?.at);
  const own = lines.filter((line) => victim.ids.some((id) => line.includes(id)));
  const events = own.filter((line) => /"(?:component|reportingComponent)":"kubelet"/.test(line));
  const tests: Readonly<Record<string, readonly (readonly [boolean, string])[]>> = {
    kmsg: [
      [!parts.every((part) => isUnbroken(part, /^\d+,(\d+),\d+,/)), 'a record is missing'],
      [firstAt > beganAt, 'it begins after the cell'],
      [!last.at(-1)?.endsWith(text(cell.kmsgEnd)), 'it was not read to its end'],
    ],
    witness: [
      [!parts.every((part) => isUnbroken(part, /"seq":(\d+)/)), 'a record is missing'],
      [lines.some((line) => line.includes('"kind":"lost"')), 'it says that it lost records'],
      [parts.some((part) => !part[0]?.includes('"kind":"start"')), 'its first record is missing'],
      [!last.at(-1)?.includes('"kind":"stop"'), 'its last record is missing'],
      [firstAt > startedAt + API_MS || lastAt < endedAt - API_MS, 'it does not cover the container'],
    ],
    kubelet: [
      [firstAt > Math.max(startedAt, beganAt) + API_MS, 'it begins after the container'],
      [endedAt > 0 ? !own.some((line) => END.test(line)) : own.length === 0, 'it says nothing of the end'],
      [!lines.some((line) => TALKATIVE.test(line)), 'it prints too little'],
    ],
    events: [
      [events.length === 0 || events.length >= 25, 'the kubelet wrote none about this pod, or too many'],
      [events.some((line) => line.includes('(combined from')), 'some are hidden'],
    ],
    containerd: [
      [firstAt > startedAt && !own.some((line) => /(?:Create|Start)Container/.test(line)), 'it is cut'],
    ],
    pods: [[own.length === 0, 'it has no such pod']],
  };
  const isCut = lines.some((line) => /"MESSAGE":"Suppressed \d+ messages/.test(line));
  return isCut ? 'journald dropped lines' : tests[source]?.find(([isSo]) => isSo)?.[1];
}
