import type { Autopsy, AutopsyDeath } from '../../model/saved/autopsy.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { placeOf } from '../../model/saved/place-of.ts';
import { timeOfDay } from '../../model/evidence/source-clocks.ts';
import { describeVictim, describeWho } from '../words/cell-words.ts';
import { nameDeath } from '../words/name-death.ts';
import { asideOf, listDoubts, listProof } from '../words/proof-lines.ts';
import { groupNext } from '../words/next-evidence.ts';
import { escapeMarkdown, inlineCode, markdownHead, markdownRow } from '../text/markdown.ts';

const IS: Readonly<Record<string, string>> = { true: 'right', false: '**wrong**', null: 'silent' };

/**
 * The newest death of an autopsy for an issue: who, the way to the end, every killer that was heard, and what would
 * tell.
 */
export function renderAutopsyMarkdown(autopsy: Autopsy): string {
  const [death] = autopsy.deaths;
  if (death === undefined) return renderDeathsMarkdown(autopsy);
  const { attribution, at, node, note, otherPanic, claims, hypotheses } = death;
  const doubts = listDoubts({ attribution, ...(note === undefined ? {} : { note }) });
  const place = `${at === undefined ? '' : ` at ${escapeMarkdown(at)}`}${node === undefined ? '' : ` on ${inlineCode(node)}`}`;
  const lines = [
    `### ${inlineCode(nameDeath(death))}: ${escapeMarkdown(describeWho({ attribution }))}`,
    '',
    `It ended${place}. Victim: ${inlineCode(describeVictim(attribution))}.`,
    ...[
      note ?? '',
      doubts === '' ? '' : `Doubt: ${doubts}`,
      otherPanic === undefined ? '' : `Panic: ${otherPanic}`,
    ].flatMap((text) => (text === '' ? [] : ['', `${escapeMarkdown(text)}.`])),
    ...renderTable(
      'The way to the end (times are UTC)',
      ['step', 'record', 'time', 'it says'],
      listProof(attribution).map((ref) => [
        ref.step ?? '',
        inlineCode(placeOf(ref)),
        escapeMarkdown(timeOfDay(ref)),
        `${escapeMarkdown(asideOf(ref))}${inlineCode(ref.text)}`,
      ]),
    ),
    ...renderTable(
      'Every killer that was considered',
      ['killer', 'is', 'because'],
      // Those with one reason are one row: each is in `--json`.
      [...groupBy(hypotheses, ({ state, why = '' }) => `${state} ${why}`).values()].map((all) => [
        escapeMarkdown(all.map(({ what }) => what).join(', ')),
        all[0]?.state ?? '',
        escapeMarkdown(all[0]?.why ?? ''),
      ]),
    ),
    ...renderNext(death),
    ...renderTable(
      'Who said what',
      ['layer', 'is', 'says'],
      claims.map(({ layer, says, agrees }) => [
        escapeMarkdown(layer),
        IS[String(agrees)] ?? '',
        inlineCode(says),
      ]),
    ),
    ...renderRead(autopsy),
  ];
  return `${lines.join('\n')}\n`;
}

/** Every death that the input knows, newest first. */
export function renderDeathsMarkdown({ deaths, problems }: Autopsy): string {
  const rows = deaths.map((death) => [
    escapeMarkdown(death.at ?? 'no time'),
    inlineCode(nameDeath(death)),
    escapeMarkdown(describeWho(death)),
  ]);
  const table = renderTable('Deaths, newest first', ['ended', 'pod and container', 'killer'], rows);
  const lines = deaths.length === 0 ? ['No death is known to this input.'] : table.slice(1);
  return `${[...lines, ...renderProblems(problems)].join('\n')}\n`;
}

function renderTable(
  heading: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  if (rows.length === 0) return [];
  return ['', `**${heading}**`, '', ...markdownHead(columns), ...rows.map(markdownRow)];
}

function renderNext({ next }: AutopsyDeath): string[] {
  if (next.length === 0) return [];
  const items = groupNext(next).map(
    ({ tells, command, stillThere }) =>
      `- ${escapeMarkdown(tells.join('; '))}. Available: ${escapeMarkdown(stillThere)}${command === undefined ? '' : `: ${inlineCode(command)}`}`,
  );
  return ['', '**What would tell**', '', ...items];
}

function renderRead({ read, problems }: Autopsy): string[] {
  const items = read.map(
    ({ file, format, lines, unread }) =>
      `- ${inlineCode(file)}: ${escapeMarkdown(format)}, ${lines} lines${unread === 0 ? '' : `, ${unread} not read`}`,
  );
  return ['', '**Read**', '', ...items, ...renderProblems(problems)];
}

function renderProblems(problems: readonly string[]): string[] {
  return problems.length === 0 ? [] : ['', ...problems.map((problem) => `- ${escapeMarkdown(problem)}`)];
}
