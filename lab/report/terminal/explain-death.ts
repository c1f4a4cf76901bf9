import type { Autopsy } from '../../model/saved/autopsy.ts';
import { joinLines, textTable } from '../text/text-table.ts';
import { row } from '../text/page-rows.ts';
import { adviseOn } from '../words/advise.ts';
import { describeVictim, describeWho } from '../words/cell-words.ts';
import { sectionsOf } from './explain-cell.ts';

type Death = Autopsy['deaths'][number];

/** What `whodunit autopsy` prints of one death: who, how sure, step by step, and what would tell more. */
export function explainDeath(death: Death): string {
  const { pod, container, attempt, node, attribution, claims, note } = death;
  const doubts = (attribution.doubts ?? []).filter((doubt) => doubt !== note).join('; ');
  return joinLines([
    `${nameDeath({ pod, container })}${attempt === undefined ? '' : `, attempt ${attempt}`}${node === undefined ? '' : ` on ${node}`}`,
    '',
    row('killer', describeWho({ attribution, verdict: 'passed' })),
    ...(doubts === '' ? [] : [row('doubt', doubts)]),
    row('victim', describeVictim(attribution)),
    ...(note === undefined ? [] : [row('note', note)]),
    row('do', adviseOn(attribution)),
    ...sectionsOf(attribution, claims),
  ]);
}

/** `web/api-7d9/server`. */
export function nameDeath({ pod, container }: Pick<Death, 'pod' | 'container'>): string {
  return container === '' ? pod : `${pod}/${container}`;
}

/** What `whodunit autopsy --list` prints: each death, the newest first. */
export function renderListedDeaths(listed: NonNullable<Autopsy['listed']>): string {
  if (listed.length === 0) return 'the input knows of no container that died';
  const rows = listed.map((death) => [
    death.at === undefined ? '?' : death.at.replace(/\.\d+Z$/, 'Z'),
    nameDeath(death),
    death.attempt === undefined ? '' : String(death.attempt),
    death.reason ?? '',
    death.exitCode === undefined ? '' : `exit ${death.exitCode}`,
    death.node ?? '',
  ]);
  return textTable([['ended', 'container', 'attempt', 'reason', '', 'node'], ...rows]).join('\n');
}

/** What was read, and what was not. */
export function renderRead({
  read,
  unknown,
  problems,
}: Pick<Autopsy, 'read' | 'unknown' | 'problems'>): string {
  const [first, ...more] = read.map(
    ({ file, format, unread, clock }) =>
      `${file} (${format}${clock === 'unknown' ? ', times unknown' : ''}${unread === 0 ? '' : `, ${unread} lines not read`})`,
  );
  return joinLines([
    row('read', first ?? 'nothing'),
    ...more.map((line) => row('', line)),
    ...(unknown.length === 0 ? [] : [row('not read', `${unknown.length} files that are no evidence`)]),
    ...problems.map((problem) => row('problem', problem)),
  ]);
}
