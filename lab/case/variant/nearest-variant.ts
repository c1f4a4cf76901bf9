import { AXES, DEFAULT_VARIANT, variantName, type Axis, type Variant } from '../../model/axes/axes.ts';
import { runtime as runtimeAxis } from '../../model/axes/runtime.ts';
import { isObject } from '../../model/files/parse-json.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import type { CaseFact, Distance, FactName } from '../../model/saved/case.ts';
import { findRefusal } from '../../plan/variants/find-rule.ts';
import { exactFirst, factsOf, type Buildable, type Choice } from './choice.ts';
import { chooseKubernetes } from './choose-kubernetes.ts';
import { chooseSystem } from './choose-system.ts';
import { chooseRuntime } from './choose-runtime.ts';

/** The variant that is nearest to a report, and how it differs. */
export interface NearestVariant {
  /** Undefined when nothing that the lab builds is near. */
  readonly variant: Variant | undefined;
  /** The axes that the report itself speaks of. */
  readonly said: readonly Axis[];
  readonly distances: readonly Distance[];
}

/** Finds the nearest variant that can be built. Every difference has a name. */
export function findNearestVariant(
  { matrix, catalogue }: Buildable,
  facts: readonly CaseFact[],
): NearestVariant {
  const windows = factsOf(facts, 'platform').find(({ value }) => value === 'Windows');
  const hasLinux = factsOf(facts, 'kernel').length > 0;
  if (windows !== undefined && !hasLinux)
    return {
      variant: undefined,
      said: [],
      distances: [
        {
          of: 'platform',
          report: 'Windows',
          lab: 'none',
          why: 'the lab has no nodes of Windows, so nothing of this report can be staged',
        },
      ],
    };
  const choices = [
    chooseKubernetes(matrix, facts),
    chooseSystem(matrix, facts),
    chooseCgroup(facts),
    chooseRuntime({ matrix, catalogue }, facts),
    chooseKnobs(matrix, facts),
  ];
  const values = Object.assign({}, ...choices.map((choice) => choice.values)) as Partial<
    Record<Axis, string>
  >;
  const wanted: Variant = Object.freeze({ ...DEFAULT_VARIANT, ...values });
  const { variant, given } = makeBuildable(matrix, wanted);
  return {
    variant,
    said: AXES.filter((axis) => values[axis] !== undefined && values[axis] === variant[axis]),
    distances: [
      ...choices.flatMap(({ distances }) => distances),
      ...given,
      ...listWorking(variant, facts),
      ...foreign(facts),
    ],
  };
}

/** The hierarchy and the drivers. What nobody says is what the distribution has by default. */
function chooseCgroup(facts: readonly CaseFact[]): Choice {
  const values: Partial<Record<Axis, string>> = {};
  const [cgroup, ...others] = factsOf(facts, 'cgroup');
  if (cgroup !== undefined) values.cgroup = cgroup.value;
  const kubelet = factsOf(facts, 'kubelet driver')[0]?.value;
  const runtime = factsOf(facts, 'runtime driver')[0]?.value ?? kubelet;
  if (kubelet !== undefined || runtime !== undefined)
    values.drivers = `${kubelet ?? runtime ?? ''}+${runtime ?? kubelet ?? ''}`;
  const other = others.find(({ value, role }) => value !== cgroup?.value && role === cgroup?.role);
  return {
    values,
    distances:
      other === undefined || cgroup === undefined
        ? []
        : [
            {
              of: 'cgroup',
              report: `${cgroup.value} and ${other.value}`,
              lab: cgroup.value,
              why: 'the report speaks of both hierarchies; the first one is taken',
            },
          ],
  };
}

/** The bundle of knobs that sets most of what the report says of the kubelet. */
function chooseKnobs(matrix: Matrix, facts: readonly CaseFact[]): Choice {
  const wanted = [...new Set(factsOf(facts, 'setting').map(({ value }) => value))];
  const bundles = Object.entries(matrix.knobs).map(([knobs, { kubelet = {} }]) => {
    const own = listSettings(kubelet);
    return { knobs, set: wanted.filter((value) => own.includes(value)) };
  });
  // What few bundles set tells more; of two that tell as much, the one that sets what the report says first.
  const weightOf = (set: readonly string[]): number =>
    set
      .map((value) => 1 / bundles.filter((bundle) => bundle.set.includes(value)).length)
      .reduce((sum, weight) => sum + weight, 0);
  const [found] = bundles
    .filter(({ set }) => set.length > 0)
    .toSorted(
      (one, other) =>
        weightOf(other.set) - weightOf(one.set) ||
        wanted.indexOf(one.set[0] ?? '') - wanted.indexOf(other.set[0] ?? ''),
    );
  const distances = wanted
    .filter((value) => found?.set.includes(value) !== true)
    .map((value) => ({
      of: 'kubelet',
      report: value,
      lab: 'its default',
      why: bundles.some(({ set }) => set.includes(value))
        ? 'another bundle of knobs sets it, and a variant has one'
        : 'no bundle of knobs sets it; matrix.yaml may get one',
    }));
  return { values: found === undefined ? {} : { knobs: found.knobs }, distances };
}

/** `swapBehavior: LimitedSwap` of each field that is set, however deep. */
function listSettings(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    isObject(value) ? listSettings(value) : [`${name}: ${String(value)}`],
  );
}

/** What is given up first when a rule refuses a variant. */
const GIVEN_UP: readonly Axis[] = [
  'knobs',
  'kernel',
  'containerd',
  'runtime',
  'os',
  'drivers',
  'kubernetes',
  'cgroup',
];

/** The nearest variant that no rule refuses: one value after the other is given up, and each is named. */
function makeBuildable(matrix: Matrix, wanted: Variant): { variant: Variant; given: Distance[] } {
  const refusal = findRefusal(matrix, wanted);
  if (refusal === undefined) return { variant: wanted, given: [] };
  for (const axes of [
    ...GIVEN_UP.map((axis) => [axis]),
    ...GIVEN_UP.flatMap((one) => GIVEN_UP.map((other) => [one, other])),
  ]) {
    if (axes.some((axis) => wanted[axis] === DEFAULT_VARIANT[axis])) continue;
    const variant = { ...wanted, ...Object.fromEntries(axes.map((axis) => [axis, DEFAULT_VARIANT[axis]])) };
    if (findRefusal(matrix, variant) !== undefined) continue;
    const given = axes.map((axis) => ({
      of: axis,
      report: wanted[axis],
      lab: DEFAULT_VARIANT[axis],
      why: `${variantName(wanted)} cannot be built: ${refusal.reason} (rule ${refusal.rule})`,
    }));
    return { variant, given };
  }
  return {
    variant: DEFAULT_VARIANT,
    given: [
      {
        of: 'variant',
        report: variantName(wanted),
        lab: 'default',
        why: `${refusal.reason} (rule ${refusal.rule})`,
      },
    ],
  };
}

/** Versions of the variant that do not show the bug by the words of the report: nothing nearer can be built. */
function listWorking(variant: Variant, facts: readonly CaseFact[]): Distance[] {
  const { name, version } = runtimeAxis.parse(variant.runtime);
  const chosen = { kubernetes: variant.kubernetes, containerd: variant.containerd, [name]: version };
  return Object.entries(chosen).flatMap(([of, value]) => {
    const works = facts.find((fact) => fact.name === of && fact.role === 'works' && fact.value === value);
    const [affected] = exactFirst(factsOf(facts, of as FactName));
    if (works === undefined || affected === undefined || affected.value === value) return [];
    const why = `the report says that ${value} works, so this variant cannot show it`;
    return [{ of, report: affected.value, lab: value ?? '', why }];
  });
}

/** What no variant of the lab has. */
function foreign(facts: readonly CaseFact[]): Distance[] {
  return [
    ...factsOf(facts, 'product').map(({ value }) => ({
      of: 'product',
      report: value,
      lab: 'kubeadm on Debian',
      why: 'the lab builds clusters by kubeadm of the programs that the project releases; what this product adds is not there',
    })),
    ...factsOf(facts, 'platform')
      .filter(({ value }) => value !== 'Windows')
      .map(({ value }) => ({
        of: 'platform',
        report: value,
        lab: 'x86-64',
        why: 'the machines of the lab are x86-64',
      })),
  ];
}

/** The values of a variant that are not the default, as words of a command line. */
export function wordsOfVariant(variant: Variant): string[] {
  return AXES.filter((axis) => variant[axis] !== DEFAULT_VARIANT[axis]).map(
    (axis) => `${axis}=${variant[axis]}`,
  );
}
