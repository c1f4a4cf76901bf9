import { namesOf } from '../text/names-of.ts';
import type { HowRow, KillerRow } from './killer-row.ts';
import { KILLER_TABLE } from './killer-table.ts';

export { FAMILIES, type HowRow, type KillerRow } from './killer-row.ts';

/** Who ended the victim. */
export type Killer = keyof typeof KILLER_TABLE;

/** The closed list of killers a verdict may name. `none` = the victim survived, `unknown` = proof is missing. */
export const KILLERS = namesOf(KILLER_TABLE);

/** The ways of each killer, from the table. */
type HowsOf = { readonly [K in Killer]: keyof (typeof KILLER_TABLE)[K]['hows'] };

/** The way of a killer. */
export type How = HowsOf[Killer];

/**
 * How the killer did it, where one killer has several ways. `whodunit why` prints it, and a scenario may expect it. The
 * order is that of the killers; a way of two killers is listed at the first.
 */
export const HOWS = [...new Set(KILLERS.flatMap((killer) => howsOf(killer)))] as readonly How[];

/** The row of a killer. */
export function rowOf(killer: Killer): KillerRow {
  return KILLER_TABLE[killer];
}

/** The ways of one killer, in the order of the table; empty when it has one way without a name. */
export function howsOf(killer: Killer): How[] {
  return Object.keys(rowOf(killer).hows) as How[];
}

/** The row of a way; undefined when this killer has no such way. */
export function findHow(killer: Killer, how: How): HowRow | undefined {
  return rowOf(killer).hows[how];
}

/** Whether the kernel's OOM killer did it: a layer that says "OOM" is then right. */
export function isOomKiller(killer: Killer): boolean {
  return rowOf(killer).oom === true;
}

/** Whether the kubelet stopped the container because somebody asked, so that its events tell of it. */
export function isRequested(killer: Killer): boolean {
  return rowOf(killer).requested === true;
}

/** What the killer did to the container, as a participle: `killed`, or `ended` where nobody killed. */
export function verbOf(killer: Killer): 'killed' | 'ended' {
  return rowOf(killer).verb;
}

/** Which process of the container died. */
export const VICTIM_MEANINGS = { init: 'its first', child: 'another one' } as const;

/** The process that died. */
export type VictimProcess = keyof typeof VICTIM_MEANINGS;

/** The layers whose claims are recorded with an attribution. */
export const LAYER_MEANINGS = {
  kernel: 'the kernel log',
  cgroup: 'the counters of the cgroups',
  runtime: 'containerd',
  kubelet: 'its log and its events',
  api: 'the status of the container',
} as const;

/** The layers, in the order of printing. */
export const LAYERS = namesOf(LAYER_MEANINGS);

/** The cgroup level at which a memory limit was hit. */
export const LEVEL_MEANINGS = {
  container: 'that of the container',
  pod: 'that of its pod',
  qos: 'that of all pods, or of all of one QoS class',
  node: 'the memory of the machine',
} as const;

/** The levels, the innermost first. */
export const LEVELS = namesOf(LEVEL_MEANINGS);

/** Cgroup level of an OOM kill. */
export type Level = keyof typeof LEVEL_MEANINGS;

/** What judges a cell. */
export const VERDICT_MEANINGS = {
  passed: 'it ended as expected',
  failed: 'it was observed, and ended otherwise',
  inconclusive: 'it could not be observed',
  skipped: 'a rule refused it, or no pod starts in its world, as declared; it was not run',
  interrupted: 'somebody stopped the run',
} as const;

/** The verdicts, in the order of printing. */
export const VERDICTS = namesOf(VERDICT_MEANINGS);

/** Verdict of one cell. */
export type Verdict = keyof typeof VERDICT_MEANINGS;
