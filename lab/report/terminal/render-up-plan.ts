import { plural } from '../../model/text/plural.ts';
import type { UpPlanResult, UpPlanStep } from '../../model/saved/up-plan.ts';
import { BASIS, formatMinutes } from './render-list.ts';
import { joinLines, textTable } from '../text/text-table.ts';

/** Names that are listed before the rest is counted. */
const LISTED = 3;

/**
 * Renders `whodunit up --dry-run`: the steps, when each would begin and what it waits for, what exists already and
 * what is not needed, and the next command.
 *
 * @param command the command that does it, without `npx whodunit`.
 */
export function renderUpPlan(plan: UpPlanResult, command: string): string {
  const { steps, totals } = plan;
  const inState = (state: UpPlanStep['state']): UpPlanStep[] => steps.filter((step) => step.state === state);
  const ahead = [...inState('to do'), ...inState('open')];
  const rows = ahead
    .toSorted((a, b) => steps.indexOf(a) - steps.indexOf(b))
    .map((step) => [
      nameOf(step),
      step.beginsAfterSeconds === 0 ? 'now' : `~${formatMinutes(step.beginsAfterSeconds)}`,
      `~${formatMinutes(step.estimateSeconds)}`,
      listNames(ahead.filter(({ id }) => step.needs.includes(id)).map(nameOf)),
      describe(step),
    ]);
  const there = inState('there').map(nameOf);
  const notNeeded = inState('not needed').map((step) => `${nameOf(step)} (${step.why})`);
  return joinLines([
    `world ${plan.world}: ${describeWay(plan)}`,
    '',
    ...textTable([['step', 'begins', 'takes', 'waits for', 'how'], ...rows]),
    '',
    ...(there.length === 0 ? [] : [`already there: ${there.join(', ')}`]),
    ...(notNeeded.length === 0 ? [] : [`not needed: ${notNeeded.join(', ')}`]),
    ...Object.entries(plan.lanes).map(
      ([lane, atOnce]) =>
        `at most ${String(atOnce)} ${lane} at a time; every other step begins when what it waits for is done`,
    ),
    [
      `${plural(totals.toDo, 'step')} to do`,
      ...(totals.open === 0 ? [] : [`${String(totals.open)} open`]),
      `${String(totals.there)} there`,
      `${String(totals.notNeeded)} not needed`,
      `about ${formatMinutes(totals.estimateSeconds)}; ${BASIS[plan.estimates]}`,
    ].join(', '),
    `next: npx whodunit ${command}`,
  ]);
}

function describeWay({ way, parent, why }: UpPlanResult): string {
  if (way === 'restored') return `restored from its snapshot: ${why}`;
  if (way === 'derived') return `derived from ${parent ?? ''}: ${why}`;
  if (way === 'built') return `built from its image: ${why}`;
  return `how it comes up is known once its programs are there: ${why}`;
}

/** What a person calls it: a component has only its name. */
function nameOf({ kind, name, version }: UpPlanStep): string {
  return [...(kind === 'component' ? [] : [kind]), name, version].filter((word) => word !== '').join(' ');
}

function listNames(names: readonly string[]): string {
  if (names.length <= LISTED) return names.join(', ');
  return `${names.slice(0, LISTED - 1).join(', ')} and ${String(names.length - LISTED + 1)} more`;
}

function describe({ kind, sources, why }: UpPlanStep): string {
  // The first line of the page already says this.
  if (kind === 'world') return '';
  return sources.length === 0 ? why : `from ${sources.join(', else ')}`;
}
