import type { HowRow, KillerRow } from './killer-row.ts';
import { KILLER_TABLE } from './killer-table.ts';

export { FAMILIES, type HowRow, type KillerRow } from './killer-row.ts';
export { KILLER_TABLE } from './killer-table.ts';

/** Who ended the victim. */
export type Killer = keyof typeof KILLER_TABLE;

/** The closed list of killers a verdict may name. `none` = the victim survived, `unknown` = proof is missing. */
export const KILLERS = Object.keys(KILLER_TABLE) as readonly Killer[];

/** The ways of each killer, from the table. */
type HowsOf = { readonly [K in Killer]: keyof (typeof KILLER_TABLE)[K]['hows'] };

/** The way of a killer. */
export type How = HowsOf[Killer];

/**
 * How the killer came to it, where one killer has several ways. `lab why` prints it, and a scenario may expect it.
 * In the order of the killers; a way that two of them share stands where it is named first.
 */
export const HOWS = [...new Set(KILLERS.flatMap((killer) => howsOf(killer)))] as readonly How[];

/** The row of a killer. */
export function rowOf(killer: Killer): KillerRow {
  return KILLER_TABLE[killer];
}

/** The ways of one killer, in the order of the table; none: it has but one, which has no name. */
export function howsOf(killer: Killer): How[] {
  return Object.keys(rowOf(killer).hows) as How[];
}

/** What is known of a way; undefined when it is none of this killer's. */
export function findHow(killer: Killer, how: How): HowRow | undefined {
  return rowOf(killer).hows[how];
}

/** Whether the kernel's OOM killer did it: a layer that says "OOM" is then right. */
export function isOomKiller(killer: Killer): boolean {
  return rowOf(killer).oom === true;
}

/** Whether the kubelet stopped the container because somebody asked for it, so that its events tell of it. */
export function isRequested(killer: Killer): boolean {
  return rowOf(killer).requested === true;
}

/** What the killer did to the container, as a participle: `killed`, or `ended` where nobody killed. */
export function verbOf(killer: Killer): 'killed' | 'ended' {
  return rowOf(killer).verb;
}

/** Which process of the container died: its first, or another one. */
export const VICTIMS = ['init', 'child'] as const;

/** The process that died. */
export type VictimProcess = (typeof VICTIMS)[number];

/** The layers whose claims are recorded beside an attribution. */
export const LAYERS = ['kernel', 'cgroup', 'runtime', 'kubelet', 'api'] as const;

/** The cgroup level at which a memory limit was hit. */
export const LEVELS = ['container', 'pod', 'qos', 'node'] as const;

/** Cgroup level of an OOM kill. */
export type Level = (typeof LEVELS)[number];

/** What judges a cell. */
export const VERDICTS = ['passed', 'failed', 'inconclusive', 'skipped', 'interrupted'] as const;

/** Verdict of one cell. */
export type Verdict = (typeof VERDICTS)[number];
