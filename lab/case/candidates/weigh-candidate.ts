import { DEFAULT_VARIANT, type Variant } from '../../model/axes/axes.ts';
import { drivers as driversAxis } from '../../model/axes/drivers.ts';
import { runtime as runtimeAxis } from '../../model/axes/runtime.ts';
import type { Bug } from '../../model/declared/bug.ts';
import type { LoadedScenario, Outcome } from '../../model/declared/scenario.ts';
import type { Trait } from '../../model/declared/traits.ts';
import { nameSignal, SIGABRT, SIGBUS, SIGSEGV, SIGSYS } from '../../model/evidence/signals.ts';
import { isOomKiller, type Killer } from '../../model/killers/killers.ts';
import type { CaseFact } from '../../model/saved/case.ts';
import { outcomeOfBug } from '../../plan/bugs/bug-cells.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { OOM_KILL } from '../facts/symptom-rules.ts';
import { findTraitWords, hasTrait, isTitled, traitsOfScenario, weightOfTrait } from '../facts/traits.ts';
import { EXIT_SIGNALLED } from '../../judge/records/exit-codes.ts';

/** What of a report is weighed. */
export interface WeighedCase {
  readonly title: string;
  readonly facts: readonly CaseFact[];
  /** The killers that the judge names of its logs, or leaves open. */
  readonly killers: readonly Killer[];
  readonly variant: Variant;
}

/** What is weighed: a scenario, or the scenario of a bug with its two ends. */
interface Weighed {
  readonly loaded: LoadedScenario;
  readonly bug: Bug | undefined;
  /** How its victim may end: of a bug, where the bug is. */
  readonly ends: readonly Partial<Outcome>[];
  /** How it ends where the bug is not. */
  readonly fixed: Partial<Outcome> | undefined;
  /** Fields of the kubelet's configuration that its node must have set. */
  readonly settings: readonly string[];
}

/** How much more, or less, likely something makes a candidate, and the words for it. */
interface Weight {
  readonly factor: number;
  readonly reason?: string;
}

/** A scenario, or a bug with its two ends, as it is weighed. */
export function toWeighed(config: Config, loaded: LoadedScenario, bug: Bug | undefined): Weighed {
  const { expect, variants } = loaded.scenario;
  const all = [expect, ...variants.map((entry): Partial<Outcome> => definedOf(entry.expect))];
  const affected = bug === undefined ? undefined : outcomeOfBug(bug, bug.affected, config);
  const fixed = bug === undefined ? undefined : outcomeOfBug(bug, bug.fixed, config);
  const knobs =
    bug?.affected.knobs === undefined ? (loaded.scenario.requires?.knobs ?? []) : [bug.affected.knobs];
  const settings = knobs.flatMap((knob) => keysOf(config.matrix.knobs[knob]?.kubelet));
  return { loaded, bug, ends: affected === undefined ? all : [affected], fixed, settings };
}

/** Names of fields, those inside of others too: `featureGates` has one for each gate. */
function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}

/** An entry says only what differs. */
function definedOf<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** How much more likely than its words say it is what a report speaks of, and why. */
export function weighCandidate(
  report: WeighedCase,
  weighed: Weighed | undefined,
): { factor: number; reasons: string[] } {
  if (weighed === undefined) return { factor: 0.5, reasons: [] };
  const weights = [weighTraits, weighVariant, weighSettings, weighKiller, weighEnd, weighNode].map((one) =>
    one(report, weighed),
  );
  return {
    factor: weights.reduce((product, { factor }) => product * factor, 1),
    reasons: weights.flatMap(({ reason }) => reason ?? []),
  };
}

function weighTraits(report: WeighedCase, { loaded, bug, settings }: Weighed): Weight {
  const { facts } = report;
  const { name, title, traits: named } = loaded.scenario;
  const wanted = facts.filter((fact) => fact.name === 'trait').map(({ value }) => value as Trait);
  // What a scenario needs of its node is only a means; what is broken by a knob is not.
  const own = traitsOfScenario(loaded, [bug?.affected, bug?.affected.knobs === undefined ? [] : settings]);
  const shared = wanted.filter((trait) => own.includes(trait));
  // What it names, or its title says, is what it is about.
  const isAbout = (trait: Trait): boolean =>
    named.includes(trait) || [name, title, bug?.title ?? ''].some((text) => isTitled(trait, text));
  const about = shared.filter(isAbout);
  // So does what the title of the report says.
  const titled = shared.filter((trait) => findTraitWords(trait, report.title) !== undefined);
  let factor = 1 + shared.length + about.length + titled.length;
  // What the report is about and the scenario lacks cannot be shown by it.
  for (const trait of wanted)
    if (!own.includes(trait)) factor *= findTraitWords(trait, report.title) === undefined ? 0.8 : 0.6;
  // What is special about the scenario, and the report says nothing of.
  for (const trait of own) if (!wanted.includes(trait)) factor *= weightOfTrait(trait);
  // All that both have then is how they end.
  if (shared.length === 0 && own.some(isAbout)) factor *= 0.5;
  return shared.length === 0 ? { factor } : { factor, reason: `both have ${shared.join(', ')}` };
}

/** What a bug needs of a node, beside what the report says of its own. */
function weighVariant({ variant, facts }: WeighedCase, { bug }: Weighed): Weight {
  let factor = 1;
  const same: string[] = [];
  for (const [axis, value] of Object.entries(bug?.affected ?? {})) {
    if (axis === 'runtime' && familyOf(value) === familyOf(variant.runtime))
      same.push(`${axis}=${familyOf(value)}`);
    if (!isTold(axis)) continue;
    if (axis === 'drivers' && isMixed(value) && isMixed(variant.drivers)) factor *= 2;
    if (variant[axis] !== value) factor *= axis === 'drivers' && isMixed(variant.drivers) ? 0.8 : 0.5;
    else if (value !== DEFAULT_VARIANT[axis] && axis !== 'cgroup') same.push(`${axis}=${value}`);
  }
  // The usual one is not a coincidence worth a word, and the suite is mostly only the nearest to another distribution.
  const told = same.filter(
    (word) => word !== `runtime=${DEFAULT_VARIANT.runtime}` && !word.startsWith('os='),
  );
  const isOnV1 =
    facts.some(({ name, value }) => name === 'cgroup' && value === 'v1') && variant.cgroup === 'v1';
  if (isOnV1 && bug !== undefined && bug.affected.cgroup === undefined) factor *= 0.8;
  return told.length === 0 ? { factor } : { factor: factor * 2, reason: `both are on ${told.join(', ')}` };
}

/** A report that sets a field of the kubelet, as a scenario does that needs it. */
function weighSettings({ facts }: WeighedCase, { settings }: Weighed): Weight {
  const said = facts
    .filter(({ name, role }) => name === 'setting' && role === 'affected')
    .map(({ value }) => value.replace(/[:=\s].*/s, ''));
  const shared = [...new Set(said.filter((field) => settings.includes(field)))];
  return shared.length === 0
    ? { factor: 1 }
    : { factor: 1.5, reason: `both set ${shared.join(', ')} of the kubelet` };
}

/** `runc`, `crun` or `runsc`: of the version more is said elsewhere. */
function familyOf(runtime: string): string {
  return runtimeAxis.parse(runtime).name;
}

/** Whether the kubelet and the runtime have different drivers. */
function isMixed(drivers: string): boolean {
  const { kubelet, runtime } = driversAxis.parse(drivers);
  return kubelet !== runtime;
}

/** Axes of which a report says when they are not the usual ones. Versions are another matter. */
function isTold(axis: string): axis is 'knobs' | 'drivers' | 'cgroup' | 'os' {
  return ['knobs', 'drivers', 'cgroup', 'os'].includes(axis);
}

function weighKiller({ facts, killers }: WeighedCase, { loaded, ends }: Weighed): Weight {
  const named = ends.flatMap(({ killer }) => killer ?? []);
  const isOom = named.some((killer) => killer !== 'none' && isOomKiller(killer));
  // The report says that there was none.
  const isNoOom = facts.some(({ value, role }) => value === OOM_KILL && role === 'absent');
  if (isNoOom && isOom) return { factor: 0.02 };
  const killer = killers.find((one) => named.includes(one));
  if (killer !== undefined)
    return {
      factor: loaded.scenario.expect.killer === killer ? 3 : 1.5,
      reason: `it is killed by ${killer}`,
    };
  if (!isOom) return { factor: facts.some(isOfOom) ? 0.7 : 1 };
  return facts.some(isOfOom) ? { factor: 1.2, reason: 'both have an OOM kill' } : { factor: 0.5 };
}

/** Whether a fact speaks of the OOM killer of the kernel. */
function isOfOom({ name, value, role }: CaseFact, _index: number, all: readonly CaseFact[]): boolean {
  const isOther = hasTrait(all, 'OOM killer in user space');
  return role !== 'works' && name === 'reason' && /OOM/.test(value) && !isOther;
}

function weighEnd({ facts }: WeighedCase, { bug, ends, fixed }: Weighed): Weight {
  const valuesOf = (name: CaseFact['name'], role: CaseFact['role']): string[] =>
    facts.filter((fact) => fact.name === name && fact.role === role).map(({ value }) => value);
  const why = valuesOf('reason', 'affected');
  const reasonsOf = (all: readonly Partial<Outcome>[]): readonly string[] =>
    all.flatMap((end): readonly string[] => [...(end.reason ?? []), ...(end.podReason ?? [])]);
  const reason = why.find((one) => reasonsOf(ends).includes(one));
  const denied = valuesOf('reason', 'absent');
  const other = denied.find((one) => fixed !== undefined && reasonsOf([fixed]).includes(one));
  // Both ends of such a bug are what the report speaks of: what happened, and what was to be expected.
  if (bug !== undefined && reason !== undefined && other !== undefined)
    return { factor: 3, reason: `it ends with ${reason} where ${other} was to be expected` };
  const isDenied = reason === undefined && denied.some((one) => reasonsOf(ends).includes(one));
  const code = [...valuesOf('exit code', 'affected'), ...valuesOf('signal', 'affected').flatMap(codeOfFault)]
    .map(Number)
    .find((one) => one !== 0 && ends.some(({ exitCode = [] }) => exitCode.includes(one)));
  // One that names no reason leaves it open.
  const isOpen = ends.every((end) => end.reason === undefined);
  const isOther = reason === undefined && !isOpen && why.some(isOfEnd);
  if (isDenied || isOther) return { factor: 0.5 };
  if (code === undefined)
    return reason === undefined || reason === 'Error'
      ? { factor: 1 }
      : { factor: 1.5, reason: `it ends with ${reason}` };
  return {
    factor: reason === undefined && why.length > 0 ? 1.2 : 1.5,
    reason: `it ends with ${code}${reason === undefined ? '' : ` and ${reason}`}`,
  };
}

/** Signals that a process brings on itself: others are said of what somebody sends, and need not end anything. */
const FAULTS = [SIGABRT, SIGBUS, SIGSEGV, SIGSYS];

/** The exit code of a fault, by the name of its signal. */
function codeOfFault(name: string): string[] {
  return FAULTS.filter((signal) => nameSignal(signal) === name).map((signal) => `${EXIT_SIGNALLED + signal}`);
}

/** A reason that containers end with. */
function isOfEnd(reason: string): boolean {
  return [
    'OOMKilled',
    'Error',
    'Completed',
    'ContainerStatusUnknown',
    'Evicted',
    'DeadlineExceeded',
  ].includes(reason);
}

/** A node that answers nobody is seen by the gap of its heartbeat. */
function weighNode({ facts }: WeighedCase, { ends }: Weighed): Weight {
  const isSilent = ends.some(({ measures = [] }) =>
    measures.some(({ measure, atLeast }) => measure === 'heartbeat-gap-s' && atLeast !== undefined),
  );
  if (!isSilent) return { factor: 1 };
  const said = facts.filter(({ name, role }) => name === 'node' && role !== 'absent');
  if (said.some(({ value }) => value === 'hung')) return { factor: 3, reason: 'in both the node hangs' };
  return said.some(({ value }) => value === 'not ready')
    ? { factor: 2, reason: 'in both nobody hears of the node' }
    : { factor: 1 };
}
