import type { Autopsy, AutopsyDeath } from '../../model/saved/autopsy.ts';
import { describeVictim, describeWho } from '../words/cell-words.ts';
import { plural } from '../../model/text/plural.ts';
import { row } from '../text/page-rows.ts';
import { INDENTED, joinLines, textTable } from '../text/text-table.ts';
import { adviseOnDeath, nameDeath } from '../words/name-death.ts';
import { listDoubts } from '../words/proof-lines.ts';
import { groupNext } from '../words/next-evidence.ts';
import {
  claimSection,
  excludedSection,
  findingSection,
  memoryRow,
  openSection,
  proofSections,
  section,
} from './attribution-sections.ts';

/** Files that are named on a page; `--json` has all. */
const MAX_FILES = 12;

/** What `whodunit autopsy` prints of one death: the parts of `why`, what would tell, and what was read. */
function renderDeath(death: AutopsyDeath, autopsy: Autopsy): string {
  const { attribution, note, otherPanic } = death;
  const doubts = listDoubts({ attribution, ...(note === undefined ? {} : { note }) });
  return joinLines([
    `${nameDeath(death)}${death.at === undefined ? '' : ` at ${death.at}`}${death.node === undefined ? '' : ` on ${death.node}`}`,
    '',
    row('killer', describeWho({ attribution })),
    ...(doubts === '' ? [] : [row('doubt', doubts)]),
    row('victim', describeVictim(attribution)),
    ...memoryRow(attribution),
    ...(note === undefined ? [] : [row('note', note)]),
    ...(otherPanic === undefined ? [] : [row('panic', otherPanic)]),
    row('do', adviseOnDeath(attribution)),
    ...proofSections(attribution),
    ...findingSection(attribution),
    ...excludedSection(attribution),
    // What would decide is the next section, with its commands.
    ...openSection(attribution, { withWanted: false }),
    ...nextSection(death),
    ...claimSection(death.claims),
    ...readSection(autopsy),
  ]);
}

function nextSection({ next }: AutopsyDeath): string[] {
  if (next.length === 0) return [];
  const lines = groupNext(next).flatMap(({ tells, command, stillThere }) => [
    ...tells.map((text) => `  ${text}`),
    ...(command === undefined ? [] : [`    ${command}`]),
    `    available: ${stillThere}`,
  ]);
  return section('what would tell', lines);
}

function readSection({ read, unknown, problems }: Autopsy): string[] {
  const files = read
    .slice(0, MAX_FILES)
    .map(({ file, format, from, to, lines, unread }) => [
      file,
      format,
      `${lines} lines${unread === 0 ? '' : `, ${unread} not read`}`,
      from === undefined ? 'no time' : `${from} to ${to ?? from}`,
    ]);
  return section('read', [
    ...textTable(files, INDENTED),
    ...(read.length > MAX_FILES ? [`  and ${read.length - MAX_FILES} more files`] : []),
    ...(unknown.length === 0
      ? []
      : [`  not evidence of a known format: ${plural(unknown.length, 'other file')}; --json names them`]),
    ...problems.slice(0, MAX_FILES).map((problem) => `  ${problem}`),
    ...(problems.length > MAX_FILES ? [`  and ${problems.length - MAX_FILES} more problems`] : []),
  ]);
}

/** The newest death, and a line for each earlier one of the same container. */
export function renderAskedDeath(autopsy: Autopsy): string {
  const [newest, ...earlier] = autopsy.deaths;
  if (newest === undefined) return renderListedDeaths(autopsy);
  const page = renderDeath(newest, autopsy);
  if (earlier.length === 0) return page;
  const lines = [
    ...section('earlier deaths of this container', textTable(earlier.map(deathColumns), INDENTED)),
    row('next', `add --attempt ${earlier[0]?.attempt ?? 0}`),
  ];
  return `${page}\n${joinLines(lines)}`;
}

function deathColumns(death: AutopsyDeath): string[] {
  return [death.at ?? 'no time', nameDeath(death), describeWho(death)];
}

/** What `whodunit autopsy --list` prints: a line for every death. */
export function renderListedDeaths({ deaths, problems }: Autopsy): string {
  const said = problems.slice(0, MAX_FILES).map((problem) => `  ${problem}`);
  if (deaths.length === 0) return joinLines(['no death is known to this input', ...said]);
  const table = textTable([['ended', 'pod/container', 'killer'], ...deaths.map(deathColumns)]);
  return joinLines([...table, ...(said.length === 0 ? [] : ['', ...said])]);
}
