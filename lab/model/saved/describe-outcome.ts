import { z } from 'zod';
import { describeBound, unitOf, type MeasuredUnits } from './describe-measure.ts';
import { verbOf } from '../killers/killers.ts';
import { measureBoundSchema } from '../measures/measure.ts';
import type { Outcome } from '../declared/scenario.ts';
import { describeShareBound, shareBoundSchema } from '../declared/tries.ts';
import { ownValue } from '../text/own-value.ts';

/**
 * Puts an expected outcome (`./scenario.ts`) into words. Results of other versions of the lab may have fields that this
 * one does not know; they are printed as they are.
 */

/** An outcome as a result or a cell's record holds it. */
export type OutcomeFields = Readonly<Record<string, unknown>>;

const FOLLOWS: Readonly<Record<string, string>> = {
  restarts: 'then restarts',
  'next-job-starts': 'then the next Job starts',
  'stays-dead': 'stays dead',
  'keeps-running': 'runs on',
} satisfies Readonly<Record<NonNullable<Outcome['then']>, string>>;

/** Every field, in the order of printing. */
const WORDS: Readonly<Record<string, (text: string) => string>> = {
  killer: (text) => text,
  how: (text) => `by ${text}`,
  level: (text) => `at ${text} level`,
  victim: (text) => `victim ${text}`,
  reason: (text) => `reason ${text}`,
  podReason: (text) => `pod reason ${text}`,
  exitCode: (text) => `exit code ${text}`,
  attempt: (text) => (text === 'any' ? 'any death' : `death ${text}`),
  neverStarts: (text) => `never starts: ${text}`,
  survives: (text) => `although asked to ${text}`,
  notBeforeSeconds: (text) => `not before ${text} s`,
  withinSeconds: (text) => `within ${text} s`,
  survivesSeconds: (text) => `alive for ${text} s`,
  exceedsLimit: () => 'beyond the memory limit of its pod',
  then: (text) => ownValue(FOLLOWS, text) ?? `then ${text}`,
  alsoDies: (text) => `${text} dies as well`,
  mayDie: (text) => `${text} may die as well`,
  alsoSurvives: (text) => `${text} lives on`,
  or: (text) => `or ${text}`,
  shares: (text) => text,
  measures: (text) => text,
} satisfies Readonly<Record<keyof Outcome, (text: string) => string>>;

/**
 * All of it in one line: `memcg-oom, at container or pod level, within 60 s, then restarts`.
 *
 * @param results what was measured: it has the units of measures that the scenario declares itself.
 */
export function describeOutcome(outcome: OutcomeFields, results: MeasuredUnits = []): string {
  const known = Object.keys(WORDS);
  return [...known, ...Object.keys(outcome).filter((name) => !known.includes(name))]
    .filter((name) => outcome[name] !== undefined)
    .map((name) => {
      const text = describeValue(outcome[name], results);
      return ownValue(WORDS, name)?.(text) ?? `${name} ${text}`;
    })
    .join(', ');
}

/**
 * Who must end the container, as a sentence without its end: `container "eater" killed by memcg-oom at pod level within
 * 60 s, or ended by …`. It leaves out what must follow, and the fate of others.
 */
export function describeExpectedEnd(outcome: Outcome, container: string): string {
  const others = (outcome.or ?? []).map((end) => `, or ended by ${describeCause(end)}`);
  return [describeFirstEnd(outcome, container), ...others].join('');
}

function describeFirstEnd(outcome: Outcome, container: string): string {
  const { killer, level, withinSeconds, notBeforeSeconds, survivesSeconds, neverStarts, survives } = outcome;
  if (neverStarts !== undefined) return `container "${container}" never starts: ${neverStarts.join(' or ')}`;
  if (killer === 'none') {
    const time = survivesSeconds === undefined ? '' : ` for ${survivesSeconds} s`;
    const asked = survives === undefined ? '' : ` after it was asked to ${survives}`;
    return `container "${container}" alive${time}${asked}`;
  }
  const where = level === undefined ? '' : ` at ${level.join(' or ')} level`;
  const early = notBeforeSeconds === undefined ? '' : ` not before ${notBeforeSeconds} s`;
  const within = withinSeconds === undefined ? '' : ` within ${withinSeconds} s`;
  return `container "${container}" ${verbOf(killer)} by ${killer}${where}${early}${within}`;
}

/** The parts of a cause: of a declared outcome, or of a named killer. */
export interface Cause {
  readonly killer: string;
  readonly level?: readonly string[] | undefined;
  readonly how?: readonly string[] | undefined;
  readonly victim?: string | undefined;
  readonly exceedsLimit?: true | undefined;
  readonly neverStarts?: readonly string[] | undefined;
  /** Other accepted ends. */
  readonly or?: readonly Cause[] | undefined;
}

/** Only the cause, short: `memcg-oom (container or pod level, group-kill)`. `notes` come last in the parentheses. */
export function describeCause(cause: Cause, notes: readonly string[] = []): string {
  const { killer, level, how, victim, exceedsLimit, neverStarts, or = [] } = cause;
  const more = [
    ...(level === undefined ? [] : [`${level.join(' or ')} level`]),
    ...(how === undefined ? [] : [how.join(' or ')]),
    ...(victim === undefined ? [] : [victim]),
    ...(exceedsLimit === undefined ? [] : ['beyond its limit']),
    ...(neverStarts === undefined ? [] : ['never starts']),
    ...notes,
  ];
  const first = more.length === 0 ? killer : `${killer} (${more.join(', ')})`;
  return [first, ...or.map((cause) => describeCause(cause))].join(', or ');
}

/** A value of a field. Several accepted ones are alternatives; another accepted end is an object. */
function describeValue(value: unknown, results: MeasuredUnits = []): string {
  if (Array.isArray(value)) {
    const shares = z.array(shareBoundSchema).safeParse(value);
    if (shares.success && shares.data.length > 0) return shares.data.map(describeShareBound).join(' and ');
    const bounds = z.array(measureBoundSchema).safeParse(value);
    return bounds.success && bounds.data.length > 0
      ? bounds.data.map((bound) => describeBound(bound, unitOf(bound.measure, results))).join(' and ')
      : value.map((accepted) => describeValue(accepted)).join(' or ');
  }
  if (typeof value !== 'object' || value === null) return String(value);
  return 'killer' in value && 'how' in value ? describeEnd(value) : JSON.stringify(value);
}

/** `runtime-lost by runtime-restarted`. */
function describeEnd({ killer, how }: { readonly killer: unknown; readonly how: unknown }): string {
  return `${String(killer)} by ${describeValue(how)}`;
}
