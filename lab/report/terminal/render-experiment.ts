import type { ProvePlan, ProveResult, ProofArm } from '../../model/saved/prove.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { plural } from '../../model/text/plural.ts';
import { describeArm, nameConclusion } from '../words/proof-words.ts';
import { row } from '../text/page-rows.ts';
import { INDENTED, joinLines, textTable } from '../text/text-table.ts';
import { timelineLines } from './render-diff.ts';

/** Renders the result of an experiment, with both timelines. */
export function renderExperiment(result: ProveResult): string {
  const { of, named, says, runs, arms, timeline = [], run } = result;
  const undecided = arms.flatMap(({ undecided }) => undecided);
  return joinLines([
    `${of.address}: ${named.killer}, ${nameConclusion(result)}`,
    '',
    row('because', says),
    row('runs', `${runs} with a verdict, ${undecided.length} without`),
    row('verdict', `of run ${of.run}`),
    '',
    ...textTable(
      arms.map((arm) => [
        describeArm(arm),
        `${arm.of}`,
        arm.ends.join('; ') || 'never seen',
        arm.made.join('; '),
      ]),
      INDENTED,
    ),
    ...undecided.map((why) => `  no observation: ${why}`),
    ...(timeline.length === 0
      ? []
      : ['', 'as it was (before) and without the cause (now), in seconds', ...timelineLines(timeline)]),
    '',
    ...(run === undefined ? [] : [row('run', run)]),
  ]);
}

/** The cells of an experiment before it runs, what is taken away, and what they cost. */
export function renderExperimentPlan(plan: ProvePlan, command: string): string {
  const { of, named, cause, repeat, arms, worlds, estimateSeconds } = plan;
  const head = `${of.address} of run ${of.run}: ${named.killer}${named.how === undefined ? '' : ` (${named.how})`}`;
  if (cause.state === 'none')
    return joinLines([head, '', `nothing takes ${named.killer} away: ${cause.why}`]);
  return joinLines([
    head,
    '',
    ...textTable(
      arms.map((arm) => [describeArm(arm), ...describePlanned(arm), arm.address]),
      INDENTED,
    ),
    '',
    ...(cause.state === 'absent'
      ? [
          `without ${named.killer} is as it was: ${cause.why}; this can refute the verdict, but not confirm it`,
        ]
      : []),
    `${plural(repeat, 'run')} of each, ${plural(worlds.length, 'world')}, ${formatDuration(estimateSeconds * 1000)}`,
    `next: npx whodunit ${command}`,
  ]);
}

function describePlanned({ made, seconds }: ProofArm & { readonly seconds: number }): string[] {
  return [formatDuration(seconds * 1000), made.join('; ') || '-'];
}
