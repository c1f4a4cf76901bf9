import type { Baseline, GatePlan, GateResult } from '../../model/saved/gate.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { plural } from '../../model/text/plural.ts';
import { INDENTED, joinLines, textTable } from '../text/text-table.ts';

/** What came out of a gate, the changed deaths first. */
export function renderGate(result: GateResult): string {
  const { changed, flaky, notDecided, same, leftOut } = result;
  const seen = [
    ...changed.flatMap((cell) => [
      `changed  ${cell.address}: ${cell.says}`,
      ...cell.claims.map((claim) => `  ${claim}`),
      ...proofOf('base', cell.base),
      ...proofOf('head', cell.head),
    ]),
    ...notDecided.map(({ address, why }) => `open     ${address}: ${why}`),
    ...flaky.map((cell) => `flaky    ${cell.address}: ${cell.says}`),
    ...same.map((cell) => `same     ${cell.address}: ${cell.says}`),
    ...result.new.map((address) => `new      ${address}: the baseline does not have it`),
  ];
  const total = [
    `${changed.length} changed`,
    `${notDecided.length} not decided`,
    `${flaky.length} flaky`,
    `${same.length} same`,
    ...(leftOut.length === 0 ? [] : [`${leftOut.length} of the baseline left out`]),
  ].join(', ');
  return joinLines([...seen, '', `gate     ${total}`]);
}

function proofOf(side: string, { deaths }: GateResult['changed'][number]['base']): string[] {
  return deaths.flatMap(({ text, count, because, evidence }) => [
    `  ${side}: ${text}, ${plural(count, 'time')} (${evidence})`,
    ...because.map(
      ({ file, line, text: record }) => `    ${file}${line === undefined ? '' : `:${line}`}  ${record}`,
    ),
  ]);
}

/** The cells of a gate before it runs, why, and what they cost. */
export function renderGatePlan(plan: GatePlan, command: string): string {
  const { areas, ignored, cells, leftOut, withoutPods, estimateSeconds } = plan;
  return joinLines([
    ...areas.flatMap(({ id, about, layers, because }) => [
      `${id}: ${about} (${layers.join(', ')})`,
      ...(because.length === 0
        ? []
        : [`  by ${because.slice(0, 5).join(', ')}${because.length > 5 ? ', …' : ''}`]),
    ]),
    ...(ignored.length === 0 ? [] : [`${plural(ignored.length, 'changed path')} can change no death`]),
    ...(withoutPods === 0
      ? []
      : [`${plural(withoutPods, 'cell')} left out: no pod starts in their worlds, as matrix.yaml declares`]),
    '',
    ...textTable(
      cells.map(({ address, seconds, why }) => [address, formatDuration(seconds * 1000), why]),
      INDENTED,
    ),
    '',
    `${plural(cells.length, 'cell')}, ${formatDuration(estimateSeconds * 1000)}; ${leftOut} left out by the budget`,
    `next: npx whodunit ${command}`,
  ]);
}

/** What was recorded. */
export function renderBaseline({ cells }: Baseline, path: string): string {
  const unseen = cells.filter(({ of }) => of === 0);
  return joinLines([
    ...textTable(
      cells.map(({ address, of, deaths }) => [
        address,
        `${of}`,
        deaths
          .map(
            ({ killer, reason, exitCode, count }) => `${killer} ${reason ?? ''} ${exitCode ?? ''} (${count})`,
          )
          .join('; '),
      ]),
    ),
    '',
    `${plural(cells.length, 'cell')} in ${path}${unseen.length === 0 ? '' : `, ${unseen.length} of them without a verdict`}`,
    `next: npx whodunit gate --baseline ${path}`,
  ]);
}
