import { valueOf } from '../../model/axes/axes.ts';
import { addressWord } from '../../model/host/cell-address.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { FAMILIES, KILLERS, rowOf } from '../../model/killers/killers.ts';
import { plural } from '../../model/text/plural.ts';
import { escapeMarkdown, inlineCode, markdownHead, markdownRow } from '../text/markdown.ts';
import { findWrongWords, type RecordedDeath } from '../words/recorded-death.ts';
import { rankOf, worldOf } from '../words/recorded-run.ts';
import { programOfWorkloads } from '../words/runc-words.ts';

/** So few that a site shows all of them in the width of a page. */
const COLUMNS = ['`npx whodunit run …`', 'how', 'API', 'events', 'containerd', 'kernel', 'on'];
const WRONG = ' ✗';
const NOTHING = '-';

/**
 * Renders a table for each killer: one row for each cell, with what every layer called the end. Then the versions
 * follow, which the rows name by number. Of equal rows of one cell only the latest is kept.
 *
 * @param unrun cells without anything to judge.
 */
export function renderDeaths(deaths: readonly RecordedDeath[], unrun: readonly UnrunCell[] = []): string {
  const seen = deaths.filter(({ words }) => words !== undefined);
  const ended = seen.filter((death) => !hasNoEnd(death));
  const worlds = numberWorlds(ended);
  const rows = keepLatest(ended, worlds);
  return [
    ...renderCounts(rows, seen.length - ended.length),
    ...KILLERS.flatMap((killer) => {
      const own = rows.filter(({ death }) => death.attribution.killer === killer);
      return own.length === 0 ? [] : ['', ...renderKiller(killer, own)];
    }),
    ...(rows.length === 0 ? [] : ['', ...renderWorlds(worlds)]),
    ...renderUnrun([...unrun, ...deaths.flatMap(withoutVictim)]),
  ].join('\n');
}

/** Whether its victim lived on, or never started: it waits in the API, and nothing ended it. */
function hasNoEnd({ attribution: { killer }, words }: RecordedDeath): boolean {
  const { state, restarts } = words?.container ?? {};
  return killer === 'none' || (killer === 'unknown' && state === 'waiting' && restarts === 0);
}

/** A cell that was not observed. */
export interface UnrunCell {
  readonly address: string;
  readonly why: string;
}

interface Row {
  readonly death: RecordedDeath;
  /** Its fields up to the date. */
  readonly fields: readonly string[];
  readonly world: number;
}

function renderCounts(rows: readonly Row[], withoutEnd: number): string[] {
  const wrong = rows.filter(({ death }) => Object.values(findWrongWords(death)).some(Boolean));
  const left =
    withoutEnd === 0
      ? ''
      : `; ${plural(withoutEnd, 'cell')} in which the victim lived on or never started left out`;
  return [
    `**${plural(rows.length, 'end')}, ${wrong.length} with a reason or an exit code that is wrong (✗)**${left}.`,
  ];
}

function renderKiller(killer: (typeof KILLERS)[number], rows: readonly Row[]): string[] {
  return [
    `### ${inlineCode(killer)}: ${FAMILIES[rowOf(killer).family]}`,
    '',
    ...markdownHead(COLUMNS),
    ...rows.map(({ death, fields, world }) =>
      markdownRow([...fields, `${world} (${escapeMarkdown(death.record.startedAt.slice(0, 10))})`]),
    ),
  ];
}

/** In the order of scenario and variant; of rows that say the same only the latest. */
function keepLatest(deaths: readonly RecordedDeath[], worlds: ReadonlyMap<string, number>): Row[] {
  const latest = new Map<string, Row>();
  const byTime = deaths.toSorted((a, b) => (a.record.startedAt < b.record.startedAt ? -1 : 1));
  for (const death of byTime) {
    const fields = fieldsOf(death);
    const row = { death, fields, world: worlds.get(versionsKey(death)) ?? 0 };
    latest.set([death.record.address, death.attribution.killer, ...fields.slice(1)].join('\n'), row);
  }
  const key = ({ death }: Row): string => rankOf(death.record);
  return [...latest.values()].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

function fieldsOf(death: RecordedDeath): string[] {
  const { record, words, link } = death;
  const { container, pod = [], events = [], runtime = [], kernel = [], signals = [] } = words ?? {};
  const wrong = findWrongWords(death);
  const address = inlineCode(addressWord(record.address));
  const exit =
    container?.exitCode === undefined ? [] : [`${container.exitCode}${wrong.exitCode ? WRONG : ''}`];
  const api = [...exit, `${describeReason(container)}${wrong.reason ? WRONG : ''}`, ...pod.map(inlineCode)];
  return [
    link === undefined ? address : `[${address}](${link})`,
    describeHow(death),
    api.join(', '),
    listCodes(events),
    runtime.length === 0 ? NOTHING : escapeMarkdown(runtime.join(', ')),
    listCodes([...signals, ...kernel]),
  ];
}

/** The way, the level, the victim where it was a child, and what keeps the row from being proven and passed. */
function describeHow({ attribution, verdict }: RecordedDeath): string {
  const { how, killer, level, process, confidence } = attribution;
  const parts = [
    ...(how === undefined || how === killer ? [] : [how]),
    ...(level === undefined ? [] : [`${level} level`]),
    ...(process === 'child' ? ['a child'] : []),
    ...(confidence === 'likely' ? ['likely'] : []),
    ...(verdict === 'passed' ? [] : [verdict]),
  ];
  return parts.join(', ') || NOTHING;
}

/** The reason of an end; of a container that the API does not call ended, its state. */
function describeReason(container: NonNullable<RecordedDeath['words']>['container']): string {
  if (container === undefined) return 'no such container';
  const { state, reason, restarts } = container;
  if (state === 'terminated') return inlineCode(reason ?? 'no reason');
  const more = restarts === 0 ? '' : `, ${plural(restarts, 'restart')}`;
  return `${state}${reason === undefined ? '' : ` (${inlineCode(reason)})`}${more}`;
}

function listCodes(words: readonly string[]): string {
  return words.length === 0 ? NOTHING : words.map(inlineCode).join(', ');
}

/** Numbers each variant with its versions, the default variant first. */
function numberWorlds(deaths: readonly RecordedDeath[]): Map<string, number> {
  const name = ({ record }: RecordedDeath): string => worldOf(record).replace(/^default$/, '');
  const sorted = deaths.toSorted((a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0));
  return new Map([...groupBy(sorted, versionsKey).keys()].map((key, index) => [key, index + 1]));
}

/** The fields of a world in the table of versions. */
function versionsOf({ record, versions, isReadBack }: RecordedDeath): string[] {
  const runtime = valueOf(record.variant, 'runtime');
  const version = (name: string): string => escapeMarkdown(versions[name] ?? '?');
  return [
    inlineCode(worldOf(record)),
    version('kubelet'),
    version('containerd'),
    `${runtime.name} ${version(programOfWorkloads(runtime, versions))}`,
    version('kernel'),
    valueOf(record.variant, 'cgroup'),
    isReadBack ? 'the nodes' : 'the variant',
  ];
}

function versionsKey(death: RecordedDeath): string {
  return markdownRow(versionsOf(death));
}

function renderWorlds(worlds: ReadonlyMap<string, number>): string[] {
  const columns = ['on', 'variant', 'Kubernetes', 'containerd', 'runtime', 'kernel', 'cgroup', 'said by'];
  return [
    '### Versions',
    '',
    ...markdownHead(columns),
    ...[...worlds].map(([row, number]) => `| ${number} ${row}`),
  ];
}

function withoutVictim({ record, verdict, words }: RecordedDeath): UnrunCell[] {
  return words === undefined ? [{ address: record.address, why: `${verdict}, there was no victim` }] : [];
}

function renderUnrun(cells: readonly UnrunCell[]): string[] {
  if (cells.length === 0) return [];
  const items = cells.map(({ address, why }) => `- ${inlineCode(address)}: ${escapeMarkdown(why)}`);
  return ['', '### Not observed', '', ...items];
}
