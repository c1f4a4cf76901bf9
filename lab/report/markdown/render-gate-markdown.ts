import type { ComparedGateCell, GatedSide, GateResult } from '../../model/saved/gate.ts';
import { codeBlock, escapeMarkdown, inlineCode, markdownHead, markdownRow } from '../text/markdown.ts';

/** A gate for a pull request: changed deaths with the proof of both sides, then what else there is to know. */
export function renderGateMarkdown(result: GateResult): string {
  const { changed, notDecided, flaky, same } = result;
  const lines = [
    `### ${titleOf(result)}`,
    '',
    ...changed.flatMap(renderChanged),
    ...renderList(
      'Not decided',
      notDecided.map(({ address, why }) => [address, why]),
    ),
    ...renderList(
      'Flaky, as before',
      flaky.map(({ address, says }) => [address, says]),
    ),
    ...renderList(
      'As before',
      same.map(({ address, says, head }) => [address, `${says} (${head.of})`]),
    ),
    ...renderList(
      'New',
      result.new.map((address) => [address, 'the baseline does not have it']),
    ),
    `Baseline: ${inlineCode(result.baseline)}. Runs: ${result.head.map(inlineCode).join(', ') || 'none'}.`,
  ];
  return `${lines.join('\n')}\n`;
}

function titleOf({ changed, notDecided, same, flaky }: GateResult): string {
  if (changed.length > 0)
    return `whodunit: ${changed.length} changed ${changed.length === 1 ? 'death' : 'deaths'}`;
  if (notDecided.length > 0 || same.length + flaky.length === 0) return 'whodunit: no answer';
  return 'whodunit: every death is as before';
}

function renderChanged({ address, says, base, head, claims, confidence }: ComparedGateCell): string[] {
  return [
    `**${inlineCode(address)}**: ${escapeMarkdown(says)}; the rates differ with a probability of ${Math.floor(confidence * 1000) / 10} %.`,
    '',
    ...markdownHead(['', 'trials', 'deaths']),
    rowOf('before', base),
    rowOf('with this change', head),
    '',
    ...claims.map((claim) => `- ${escapeMarkdown(claim)}`),
    ...(claims.length === 0 ? [] : ['']),
    ...proofOf('before', base),
    ...proofOf('with this change', head),
  ];
}

function rowOf(name: string, { of, deaths }: GatedSide): string {
  const said = deaths.map(({ text, count }) => `${escapeMarkdown(text)}: ${count}`).join('<br>');
  return markdownRow([name, String(of), said]);
}

function proofOf(name: string, { deaths }: GatedSide): string[] {
  const lines = deaths.flatMap(({ text, because, evidence }) => [
    `${text} (${evidence})`,
    ...because.map((ref) => `  ${ref.file}${ref.line === undefined ? '' : `:${ref.line}`}  ${ref.text}`),
  ]);
  return [`<details><summary>Proof ${name}</summary>`, '', ...codeBlock(lines), '', '</details>', ''];
}

function renderList(title: string, rows: readonly (readonly [string, string])[]): string[] {
  if (rows.length === 0) return [];
  return [
    `**${title}**`,
    '',
    ...rows.map(([address, text]) => `- ${inlineCode(address)}: ${escapeMarkdown(text)}`),
    '',
  ];
}
