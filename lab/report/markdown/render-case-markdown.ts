import type { Case } from '../../model/saved/case.ts';
import { describeTriedCandidate } from '../words/describe-candidate.ts';
import { codeBlock, escapeMarkdown, inlineCode, markdownHead, markdownRow } from '../text/markdown.ts';

/**
 * `whodunit case --markdown`: ready to paste into the report. Its texts are of strangers: each is one line without
 * markup.
 */
export function renderCaseMarkdown(answer: Case): string {
  const { title = '', facts, variant, distances, candidates, made, tried = [], problems, next } = answer;
  return [
    `### What whodunit reads in this report`,
    '',
    escapeMarkdown(title),
    '',
    ...table(
      ['fact', 'value', 'words', 'where'],
      facts.map(({ name, value, role, words, file, line, note }) => [
        name,
        role === 'affected' ? value : `${value} (${role})`,
        note === undefined ? words : `${words}; ${note}`,
        `${file}:${line}`,
      ]),
    ),
    variant === undefined
      ? 'Nothing that the lab builds is near.'
      : `Nearest variant: ${inlineCode(variant.name)}`,
    '',
    ...table(
      ['differs', 'report', 'lab', 'why'],
      distances.map(({ of, report, lab, why }) => [of, report, lab, why]),
    ),
    ...table(
      ['candidate', 'why', 'command'],
      candidates.map(({ kind, name, why, command }) => [`${kind} ${name}`, why, command]),
    ),
    ...(made === undefined ? [] : [...made.changes.map((change) => `- ${escapeMarkdown(change)}`), '']),
    ...problems.map((problem) => `- ${escapeMarkdown(problem)}`),
    '',
    ...tried.flatMap((one) => [
      `**${escapeMarkdown(describeTriedCandidate(one))}**`,
      '',
      ...table(
        ['layer', 'trace', 'report', 'cell', ''],
        one.traces.map(({ layer, what, value, cell = '-', state }) => [layer, what, value, cell, state]),
      ),
    ]),
    ...codeBlock([next]),
  ].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  return [
    ...markdownHead(head),
    ...rows.map((fields) => markdownRow(fields.map((field) => escapeMarkdown(field)))),
    '',
  ];
}
