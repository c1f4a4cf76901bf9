import type { BisectResult, DifferenceResult } from '../../model/saved/search.ts';
import { escapeMarkdown, inlineCode, markdownHead, markdownRow } from '../text/markdown.ts';
import { describeDifferences } from '../words/describe-differences.ts';
import { describeColours, describeLine } from '../words/describe-line.ts';
import { spellBisect, spellDifference } from '../words/search-command.ts';

/** A search of versions for an issue: the answer, what was seen of each version, and how to repeat it. */
export function renderBisectMarkdown(result: BisectResult): string {
  const { address, axis, lines, versions, notes } = result;
  return joinMarkdown([
    `### whodunit bisect: ${inlineCode(axis)} of ${inlineCode(address)}`,
    '',
    ...lines.map((line) => `- ${escapeMarkdown(describeLine(line, result))}`),
    '',
    ...describeEnds(result),
    '',
    ...markdownHead([escapeMarkdown(axis), 'runs']),
    ...versions.map((version) =>
      markdownRow([inlineCode(version.value), escapeMarkdown(version.refused ?? describeColours(version))]),
    ),
    '',
    ...notes.map((note) => `- ${escapeMarkdown(note)}`),
    ...(notes.length === 0 ? [] : ['']),
    `Repeat: ${inlineCode(spellBisect(result))}`,
  ]);
}

/** A search for a difference for an issue. */
export function renderDifferenceMarkdown(result: DifferenceResult): string {
  const { red, green, cells } = result;
  return joinMarkdown([
    `### whodunit difference: ${escapeMarkdown(describeDifferences(result))}`,
    '',
    `Red: ${inlineCode(red)}. Green: ${inlineCode(green)}.`,
    '',
    ...describeEnds(result),
    '',
    ...markdownHead(['cell', 'like', 'runs']),
    ...cells.map((cell) =>
      markdownRow([
        inlineCode(cell.address),
        escapeMarkdown(cell.says),
        escapeMarkdown(describeColours(cell)),
      ]),
    ),
    '',
    `Repeat: ${inlineCode(spellDifference(result))}`,
  ]);
}

function describeEnds({ ends }: Pick<BisectResult, 'ends'>): string[] {
  const [green, red] = [ends.green, ends.red].map((end) =>
    end === undefined ? 'not seen' : inlineCode(end),
  );
  return [`Green is ${green}; red is ${red}.`];
}

function joinMarkdown(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
