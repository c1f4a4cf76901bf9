import type { CellResult } from '../../model/saved/formats.ts';
import { placeOf } from '../../model/saved/place-of.ts';
import { messageOfRecord } from '../text/page-rows.ts';
import { describeKiller } from './describe-verdict.ts';
import { findingLines, listProof, mismatchSides } from './proof-lines.ts';

/** What did not hold, as expected / observed / verdict / because; empty for cells that passed or were skipped. */
export function renderCellProblems(cell: CellResult): string[] {
  if (cell.verdict === 'passed' || cell.verdict === 'skipped') return [];
  const lines = cell.mismatches
    .map(mismatchSides)
    .flatMap(({ expected, observed }) => [`    expected  ${expected}`, `    observed  ${observed}`]);
  lines.push(`    verdict   ${cell.verdict}: ${cell.note ?? describeKiller(cell)}`);
  // Older results have proof without a chain. If a step has several records, only the first shows its name.
  const proof = listProof(cell.attribution).map((ref) => ({ ref, name: ref.step ?? 'because' }));
  proof.forEach(({ ref, name }, index) => {
    const label = name === proof[index - 1]?.name ? '' : name;
    lines.push(`    ${label.padEnd(8)}  ${messageOfRecord(ref.text)}   ${cell.evidence}/${placeOf(ref)}`);
  });
  return [...lines, ...findingLines(cell.attribution).map((line) => `    also seen ${line}`)];
}
