import type { ProveResult } from '../../model/saved/prove.ts';
import { describeArm, nameConclusion } from '../words/proof-words.ts';
import { timelineLines } from '../terminal/render-diff.ts';
import { codeBlock, escapeMarkdown, inlineCode, markdownHead, markdownRow } from '../text/markdown.ts';

/** An experiment for an issue: what was taken away, how often it died then, and where the two timelines diverge. */
export function renderProveMarkdown(result: ProveResult): string {
  const { of, named, says, arms, timeline = [], run } = result;
  const lines = [
    `### ${inlineCode(of.address)}: ${named.killer}, ${nameConclusion(result)}`,
    '',
    `${escapeMarkdown(says)}.`,
    '',
    ...(arms.length === 0 ? [] : [...tableOf(arms), '']),
    ...(timeline.length === 0
      ? []
      : [
          'As it was (before) and without the cause (now), in seconds:',
          '',
          ...codeBlock(timelineLines(timeline)),
          '',
        ]),
    `The verdict is of run ${inlineCode(of.run)}${run === undefined ? '' : `, the experiment is run ${inlineCode(run)}`}. Repeat it: ${inlineCode(`npx whodunit prove ${of.address} --run ${of.run}`)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function tableOf(arms: ProveResult['arms']): string[] {
  return [
    ...markdownHead(['', 'taken away', 'runs', 'ends']),
    ...arms.map((arm) =>
      markdownRow([
        describeArm(arm),
        arm.made.map(escapeMarkdown).join('<br>') || '-',
        String(arm.of),
        arm.ends.map(escapeMarkdown).join('<br>') || 'never seen',
      ]),
    ),
  ];
}
