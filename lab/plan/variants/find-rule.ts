import { valueOf, type Variant } from '../../model/axes/axes.ts';
import { CONDITION_KEYS, type Facts, type Known } from '../../model/declared/condition.ts';
import type { KnobBundle, Matrix, Note, MatrixRule, StartFailure } from '../../model/declared/matrix.ts';
import type { Outcome, Scenario } from '../../model/declared/scenario.ts';
import { CONTROL_PLANE_FIELDS } from '../../model/declared/node-settings.ts';
import { compareAsWritten } from '../../model/variants/versions.ts';
import { deriveFacts } from './facts.ts';
import { appliesTo, matchesCondition } from './match-condition.ts';
import { listNewerReleases } from './newer-releases.ts';

/** Why a cell is not run: the id of a rule, its reason, and where the reason can be checked. */
export interface Refusal {
  readonly rule: string;
  readonly reason: string;
  readonly source: string;
  /** Whether somebody has seen it, or has only read about it. */
  readonly proof: MatrixRule['proof'];
}

/**
 * Returns the first rule that refuses a variant; undefined when it can be built.
 *
 * @param known its facts. With the parameters of a cell in them, the answer is about that cell.
 */
export function findRefusal(
  matrix: Matrix,
  variant: Variant,
  known: Known = deriveFacts(variant, matrix),
): Refusal | undefined {
  const rule = matrix.rules.find((candidate) => appliesTo(candidate, variant, known));
  if (rule === undefined) return findKnobRefusal(variant, matrix.knobs[variant.knobs], known);
  return { rule: rule.id, reason: rule.reason, source: rule.source, proof: rule.proof };
}

/** Returns the declaration that the pods of a variant cannot start; undefined when they should. */
export function findStartFailure(
  matrix: Matrix,
  variant: Variant,
  facts: Facts = deriveFacts(variant, matrix),
): StartFailure | undefined {
  return matrix.startFailures.find((failure) => appliesTo(failure, variant, facts));
}

/** Returns what a reader should know about a variant that runs. */
export function listNotes(
  matrix: Matrix,
  variant: Variant,
  facts: Facts = deriveFacts(variant, matrix),
): Note[] {
  return [
    ...matrix.notes.filter((note) => appliesTo(note, variant, facts)),
    ...listNewerReleases(matrix, variant),
  ];
}

/** A kubelet decodes its configuration strictly: a field that its release does not know stops it. */
function findKnobRefusal(
  variant: Variant,
  bundle: KnobBundle | undefined,
  known: Known,
): Refusal | undefined {
  if (bundle === undefined) return undefined;
  const kubelet = known['kubernetesVersion'] ?? valueOf(variant, 'kubernetes').release;
  const { since, until } = bundle;
  const isTooOld = since !== undefined && compareAsWritten(kubelet, since) < 0;
  const isTooNew = until !== undefined && compareAsWritten(kubelet, until) > 0;
  if (!isTooOld && !isTooNew) return findConfigRefusal(variant, bundle, known);
  return {
    rule: `${variant.knobs}-needs-kubelet-${isTooOld ? since : until}`,
    reason: `Kubernetes takes what ${variant.knobs} sets (${listSettings(bundle)}) only ${
      isTooOld ? `from ${since} on` : `until ${until}`
    }`,
    source: bundle.source ?? 'matrix.yaml',
    proof: 'proven',
  };
}

/** Plugins of containerd's configuration that version 2.0 has made of one (docs/cri/config.md of containerd). */
const PLUGINS_SINCE_2 = 'io.containerd.cri.v1.';

/** An older containerd passes over a plugin that it does not know. */
function findConfigRefusal(variant: Variant, { containerd }: KnobBundle, known: Known): Refusal | undefined {
  const version = known['containerdVersion'];
  const plugins = containerd?.['plugins'];
  if (version === undefined || typeof plugins !== 'object' || plugins === null) return undefined;
  const plugin = Object.keys(plugins).find((name) => name.startsWith(PLUGINS_SINCE_2));
  if (plugin === undefined || compareAsWritten(version, '2.0') >= 0) return undefined;
  return {
    rule: `${variant.knobs}-needs-containerd-2`,
    reason: `containerd has the plugin ${plugin} from 2.0 on`,
    source: 'https://github.com/containerd/containerd/blob/main/docs/cri/config.md',
    proof: 'proven',
  };
}

/** What a bundle sets, as far as a release of Kubernetes can refuse it. */
function listSettings(bundle: KnobBundle): string {
  const ofKubelet = Object.entries(bundle.kubelet ?? {}).map(([field, value]) =>
    field === 'featureGates' || typeof value === 'object' ? field : `${field}: ${String(value)}`,
  );
  return [...ofKubelet, ...CONTROL_PLANE_FIELDS.filter((field) => bundle[field] !== undefined)].join(', ');
}

/** Returns why a scenario cannot run on a variant with its parameters (its own `requires`); undefined when it can. */
export function findUnmetRequirement(
  scenario: Scenario,
  variant: Variant,
  known: Known,
): Refusal | undefined {
  const requires = scenario.requires;
  if (requires === undefined || matchesCondition(requires, variant, known)) return undefined;
  const needs = [...CONDITION_KEYS, ...Object.keys(scenario.parameters)]
    .filter((key) => requires[key] !== undefined)
    .map((key) => `${key} ${requires[key]?.join(' or ')}`)
    .join(' and ');
  const source = `scenarios/${scenario.name}/scenario.yaml`;
  return { rule: 'scenario-requires', reason: `the scenario requires ${needs}`, source, proof: 'proven' };
}

/** Returns what must happen in a cell: `expect`, changed by the first entry of `variants` that matches. */
export function outcomeFor(scenario: Scenario, variant: Variant, known: Known): Outcome {
  return outcomeOfEntry(scenario, findEntry(scenario, variant, known));
}

/** Index of the first entry of `variants` that matches a cell; undefined when none does. */
export function findEntry(scenario: Scenario, variant: Variant, known: Known): number | undefined {
  const index = scenario.variants.findIndex((entry) => matchesCondition(entry.when, variant, known));
  return index < 0 ? undefined : index;
}

/**
 * Returns `expect` as an entry of `variants` changes it; as it is without an entry. An entry with another killer, or with
 * a container that runs on, replaces `expect` whole: the reason and the exit code of one death say nothing about another.
 */
export function outcomeOfEntry(scenario: Scenario, index: number | undefined): Outcome {
  const override = index === undefined ? undefined : scenario.variants[index];
  const killer = override?.expect.killer ?? scenario.expect.killer;
  const standsAlone = killer !== scenario.expect.killer || override?.expect.then === 'keeps-running';
  return Object.assign({ killer }, standsAlone ? {} : scenario.expect, override?.expect);
}
