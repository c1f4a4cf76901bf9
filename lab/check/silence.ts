import type { Proof } from '../model/saved/proof.ts';
import { at, list, parse, read, text, dateIn, type Files } from './read-record.ts';
import tables from './tables.json' with { type: 'json' };

type Silence = Proof['silences'][number];
/** The victim, as raw lines name it, and its life. */
type Victim = Readonly<{ ids: string[]; startedAt: number | undefined; endedAt: number | undefined }>;

/** A time of the API is cut to seconds, and clocks differ. */
const API_MS = 2000;
const has = (words: string, line: string): boolean => new RegExp(words).test(line);

/** Whether a number is missing; a line without one continues another. */
function isBroken(lines: readonly string[]): boolean {
  const found = lines.map((line) => /^\d+,(\d+),\d+,|"seq":(\d+)/.exec(line)?.slice(1).find(Boolean));
  const numbers = found.flatMap((number) => (number === undefined ? [] : [Number(number)]));
  return new Set(numbers).size !== Math.max(...numbers) - Math.min(...numbers) + 1;
}

/** Why the silence of a source proves nothing; undefined when it is earned (docs/verdicts.md, "Silence"). */
export function findGap(silence: Silence, files: Files, victim: Victim): string | undefined {
  const { ids, startedAt = Infinity, endedAt = 0 } = victim;
  const cell = parse(files.get('cell.json')?.join('\n'));
  const beganAt = dateIn(cell.startedAt) ?? 0;
  const source = silence.source.replace(/^(?:trace|cgroup)$/, 'witness');
  const lost = list(cell.lost).filter((one) => at(one, 'source') === source);
  const parts = silence.files.map((file) => files.get(file) ?? []);
  const [lines, last] = [parts.flat(), parts.at(-1)?.at(-1) ?? ''];
  // Of the services only those that said something have a file.
  const isUnwritten = source === 'system' && ![...files.keys()].some((file) => file.includes('system.'));
  const timeOf = (file = '', line = 1): number => Number(read(files, file, line)[0]?.at ?? 0);
  const firstAt = timeOf(silence.files[0]);
  const lastAt = timeOf(silence.files.at(-1), parts.at(-1)?.length);
  const own = lines.filter((line) => ids.some((id) => line.includes(id)));
  const events = own.filter((line) => has(tables.words.kubelets, line));
  const found: Readonly<Record<string, boolean>> = {
    'it is lost': lost.some((one) => (dateIn(at(one, 'from')) ?? 0) <= Date.parse(silence.to)),
    'it was not saved': (!isUnwritten && lines.length === 0) || parts.some((part) => part.join('') === ''),
    'journald dropped lines': lines.some((line) => has(tables.words.suppressed, line)),
    'a record is missing': parts.some(isBroken),
    'it says that it lost records': lines.some((line) => line.includes('"kind":"lost"')),
    'its first record is missing': parts.some((part) => !part[0]?.includes('"kind":"start"')),
    'its last record is missing': !last.includes('"kind":"stop"'),
    'it was not read to its end': !last.endsWith(text(cell.kmsgEnd)),
    'it begins after the cell': firstAt > beganAt,
    'it begins after the container': firstAt > startedAt + API_MS,
    'it begins after container and cell': firstAt > Math.max(startedAt, beganAt) + API_MS,
    'it ends before the container': lastAt < endedAt - API_MS,
    'it says nothing of the end': !own.some((line) => endedAt === 0 || has(tables.words.end, line)),
    'it prints too little': !lines.some((line) => has(tables.words.talkative, line)),
    'the kubelet wrote none about this pod, or too many': events.length === 0 || events.length >= 25,
    'some are hidden': events.some((line) => line.includes('(combined from')),
    'it does not have the start': firstAt > startedAt && !own.some((line) => has(tables.words.made, line)),
    'it says nothing': own.length === 0,
  };
  return [...tables.gaps.all, ...list(at(tables.gaps, source))].map(text).find((gap) => found[gap]);
}
