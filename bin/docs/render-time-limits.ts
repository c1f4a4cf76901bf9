import { COUNT_LIMITS, spellCount, type CountLimit } from '../../lab/model/limits/count-limits.ts';
import { SCENARIO_TIMES, type ScenarioTime } from '../../lab/model/limits/scenario-times.ts';
import { LIMIT_GROUPS, TIME_LIMITS, type TimeLimit } from '../../lab/model/limits/time-limits.ts';
import { inlineCode, markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';

/** Renders the times that a scenario may set, for docs/time-limits.md. */
export function renderScenarioTimes(): string {
  return [
    ...markdownHead(['field of scenario.yaml', 'means', 'default']),
    ...Object.entries<ScenarioTime>(SCENARIO_TIMES).map(([field, { means, defaultSeconds }]) =>
      markdownRow([inlineCode(field), means, defaultSeconds === undefined ? '' : `${defaultSeconds} s`]),
    ),
  ].join('\n');
}

/** Renders how much of anything is taken, for docs/time-limits.md. */
export function renderCountLimits(): string {
  return [
    ...markdownHead(['at most', 'of', 'beyond it']),
    ...Object.values<CountLimit>(COUNT_LIMITS).map(({ count, of, beyond }) =>
      markdownRow([spellCount(count), of, beyond]),
    ),
  ].join('\n');
}

/** Renders every fixed limit, for docs/time-limits.md. */
export function renderTimeLimits(): string {
  return Object.entries<Readonly<Record<string, TimeLimit>>>(TIME_LIMITS)
    .map(([group, limits]) =>
      [
        `### ${LIMIT_GROUPS[group as keyof typeof TIME_LIMITS]}`,
        '',
        ...markdownHead(['name', 'at most', 'is waited for']),
        ...Object.entries(limits).map(([name, { ms, waitsFor }]) =>
          markdownRow([inlineCode(`${group}.${name}`), spell(ms), waitsFor]),
        ),
      ].join('\n'),
    )
    .join('\n\n');
}

/** Seconds up to 90, then minutes. */
function spell(ms: number): string {
  const seconds = ms / 1000;
  return seconds <= 90 ? `${seconds} s` : `${seconds / 60} min`;
}
