import { DEFAULT_VARIANT, type Axis, type Variant } from '../../model/axes/axes.ts';
import { runtime as runtimeAxis } from '../../model/axes/runtime.ts';
import { listDigests } from '../../model/components/components.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import type { CaseFact, Distance } from '../../model/saved/case.ts';
import { compareAsWritten } from '../../model/variants/versions.ts';
import { findRefusal } from '../../plan/variants/find-rule.ts';
import { isKnownValue } from '../../plan/variants/parse-variant.ts';
import { hasTrait } from '../facts/traits.ts';
import { exactFirst, factsOf, type Buildable, type Choice } from './choice.ts';

/** containerd and the low-level runtime. */
export function chooseRuntime({ matrix, catalogue }: Buildable, facts: readonly CaseFact[]): Choice {
  const containerd = chooseContainerd(matrix, facts);
  const beside = { ...DEFAULT_VARIANT, ...containerd.values };
  const parts = [containerd, chooseLowLevel({ matrix, catalogue }, facts, beside)];
  return {
    values: Object.assign({}, ...parts.map(({ values }) => values)) as Choice['values'],
    distances: [...parts.flatMap(({ distances }) => distances), ...otherRuntimes(facts)],
  };
}

function chooseContainerd(matrix: Matrix, facts: readonly CaseFact[]): Choice {
  const [fact] = exactFirst(factsOf(facts, 'containerd'));
  if (fact === undefined) return { values: {}, distances: [] };
  const version = plainVersion(fact.value);
  const usual = matrix.suites[DEFAULT_VARIANT.os]?.containerd;
  if (version === usual) return { values: {}, distances: [] };
  if (isKnownValue(matrix, 'containerd', version)) {
    const distances = version === fact.value ? [] : [addedBy('containerd', fact.value, version)];
    return { values: { containerd: version }, distances };
  }
  return toNearest(matrix, 'containerd', fact.value, (value) => value);
}

/** `1.6.12-0ubuntu4`, `2.0.0-rc.1`: what a vendor added. */
function plainVersion(written: string): string {
  return written.replace(/[-+~].*$/, '');
}

function addedBy(of: string, report: string, lab: string): Distance {
  return {
    of,
    report,
    lab,
    why: 'what a vendor added, or an early version, is not built: the release is taken',
  };
}

function chooseLowLevel(
  { matrix, catalogue }: Buildable,
  facts: readonly CaseFact[],
  beside: Variant,
): Choice {
  const [runsc] = factsOf(facts, 'runsc');
  if (runsc !== undefined)
    return exactly(matrix, `runsc@${runsc.value.replace(/\..*/, '')}`, runsc.value, 'runsc@');
  if (hasTrait(facts, 'gVisor')) return anyRunsc(matrix, beside);
  const [crun] = exactFirst(factsOf(facts, 'crun'));
  if (crun !== undefined) return chooseCrun({ matrix, catalogue }, crun.value);
  const [runc] = exactFirst(factsOf(facts, 'runc'));
  if (runc === undefined) return { values: {}, distances: [] };
  const version = plainVersion(runc.value);
  if (version === matrix.suites[DEFAULT_VARIANT.os]?.runc) return { values: {}, distances: [] };
  return exactly(matrix, `runc@${version}`, runc.value, 'runc@');
}

/** crun of the suite where it is that one, else the nearest release whose download can be compared with something. */
function chooseCrun({ matrix, catalogue }: Buildable, report: string): Choice {
  const version = plainVersion(report);
  const usual = matrix.suites[DEFAULT_VARIANT.os]?.crun;
  const component = catalogue.components['crun'];
  const known = component === undefined ? [] : listDigests(component);
  const sorted = [...known, ...(usual === undefined ? [] : [usual])].toSorted(compareAsWritten);
  const nearest = sorted.find((one) => compareAsWritten(one, version) >= 0) ?? sorted.at(-1);
  const value = nearest === undefined || nearest === usual ? 'crun' : `crun@${nearest}`;
  if (nearest === version) return { values: { runtime: value }, distances: [] };
  const lab = nearest === undefined ? 'crun of the suite' : `crun ${nearest}`;
  const why = 'that release of crun cannot be had: the nearest one is taken';
  return { values: { runtime: value }, distances: [{ of: 'runtime', report: `crun ${report}`, lab, why }] };
}

/** Whoever writes of gVisor means that one, whatever containerd starts by default. */
function anyRunsc(matrix: Matrix, beside: Variant): Choice {
  const isPlain = (written: string): boolean => {
    const parsed = runtimeAxis.parse(written);
    return parsed.name === 'runsc' && !parsed.systemdCgroup && /^\d+$/.test(parsed.version);
  };
  const value = matrix.axes.runtime.values.findLast(
    (runtime) => isPlain(runtime) && findRefusal(matrix, { ...beside, runtime }) === undefined,
  );
  if (value === undefined) return { values: {}, distances: [] };
  const why = 'the version of gVisor is not said; the newest one that goes with the rest is taken';
  return { values: { runtime: value }, distances: [{ of: 'runtime', report: 'gVisor', lab: value, why }] };
}

function exactly(matrix: Matrix, value: string, report: string, prefix: string): Choice {
  if (isKnownValue(matrix, 'runtime', value)) {
    const isPlain = value === `${prefix}${report}`;
    return { values: { runtime: value }, distances: isPlain ? [] : [addedBy('runtime', report, value)] };
  }
  return toNearest(
    matrix,
    'runtime',
    report,
    (named) => named.replace(prefix, ''),
    (named) => named.startsWith(prefix) && /\d$/.test(named),
  );
}

/** The nearest value that the axis names. */
function toNearest(
  matrix: Matrix,
  axis: Axis,
  report: string,
  versionOf: (value: string) => string,
  isAlike: (value: string) => boolean = (value) => /^\d/.test(value),
): Choice {
  const values = matrix.axes[axis].values
    .filter(isAlike)
    .toSorted((one, other) => compareAsWritten(versionOf(one), versionOf(other)));
  const value = values.find((one) => compareAsWritten(versionOf(one), report) >= 0) ?? values.at(-1);
  if (value === undefined) return { values: {}, distances: [] };
  return {
    values: { [axis]: value },
    distances: [
      { of: axis, report, lab: value, why: `${axis} takes no such version; the nearest one is taken` },
    ],
  };
}

function otherRuntimes(facts: readonly CaseFact[]): Distance[] {
  const hasContainerd = factsOf(facts, 'containerd').length > 0;
  return (['cri-o', 'docker'] as const).flatMap((name) => {
    const [fact] = factsOf(facts, name);
    if (fact === undefined || (name === 'docker' && hasContainerd)) return [];
    return [
      {
        of: 'runtime',
        report: `${name} ${fact.value}`,
        lab: 'containerd',
        why: 'containerd is the only CRI of the lab',
      },
    ];
  });
}
