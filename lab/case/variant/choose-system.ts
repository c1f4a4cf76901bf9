import { DEFAULT_VARIANT, type Axis } from '../../model/axes/axes.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import type { CaseFact, Distance } from '../../model/saved/case.ts';
import { findDistribution } from './distributions.ts';
import { factsOf, type Choice } from './choice.ts';

/** Debian's numbers by suite, as people name them. */
const DEBIAN: Readonly<Record<string, string>> = {
  bullseye: 'Debian 11',
  bookworm: 'Debian 12',
  trixie: 'Debian 13',
  sid: 'Debian unstable',
};

/** Releases of Linux in order: a major release is bumped at will, so numbers by themselves are not a distance. */
const LAST_MINOR: Readonly<Record<number, number>> = { 3: 19, 4: 20, 5: 19, 6: 19 };

/** The suite of the node, and its cgroup hierarchy where nothing else says it. */
export function chooseSystem(matrix: Matrix, facts: readonly CaseFact[]): Choice {
  const [os] = factsOf(facts, 'os');
  const [kernelFact] = factsOf(facts, 'kernel');
  const known = os === undefined ? undefined : findDistribution(os.value);
  const kernel = kernelFact?.value ?? known?.kernel;
  const values: Partial<Record<Axis, string>> = {};
  if (known !== undefined) values.cgroup = known.cgroup;
  const suite = suiteOfDebian(os?.value);
  if (kernel === undefined) {
    const distances: Distance[] = [
      os === undefined
        ? {
            of: 'os',
            report: 'not said',
            lab: nameSuite(matrix, DEFAULT_VARIANT.os),
            why: 'the report names neither a distribution nor a kernel; the default is taken',
          }
        : {
            of: 'os',
            report: os.value,
            lab: nameSuite(matrix, suite ?? DEFAULT_VARIANT.os),
            why: 'the lab has suites of Debian, and the kernel is not said',
          },
    ];
    return {
      values: suite === undefined ? values : { ...values, os: suite },
      distances: suite === undefined ? distances : [],
    };
  }
  const near = nearestSuites(matrix, kernel);
  const [best] = near;
  const chosen = suite ?? best;
  if (chosen === undefined) return { values, distances: [] };
  if (chosen !== DEFAULT_VARIANT.os) values.os = chosen;
  const distances = describeSystem(matrix, { os: os?.value, kernel, chosen, near });
  return { values, distances };
}

function describeSystem(
  matrix: Matrix,
  {
    os,
    kernel,
    chosen,
    near,
  }: { os: string | undefined; kernel: string; chosen: string; near: readonly string[] },
): Distance[] {
  const own = matrix.suites[chosen]?.kernel ?? '';
  const isSameKernel = kernel === own || kernel.startsWith(`${own}.`);
  const isSameSystem = os !== undefined && suiteOfDebian(os) === chosen;
  if (isSameKernel && isSameSystem) return [];
  const report = [os, os === undefined ? `Linux ${kernel}` : kernel]
    .filter((text) => text !== undefined)
    .join(', ');
  const others = near.slice(0, 2).map((suite) => nameSuite(matrix, suite));
  return [
    {
      of: isSameKernel ? 'os' : 'os and kernel',
      report,
      lab: nameSuite(matrix, chosen),
      why: isSameKernel
        ? 'the same kernel with the programs of Debian'
        : `the nearest are ${others.join(' and ')}`,
    },
  ];
}

function nameSuite({ suites }: Matrix, suite: string): string {
  return `${DEBIAN[suite] ?? suite} with ${suites[suite]?.kernel ?? '?'}`;
}

function suiteOfDebian(os: string | undefined): string | undefined {
  return Object.entries(DEBIAN).find(([, name]) => name === os)?.[0];
}

/** Suites by how many releases of Linux are between theirs and that of the report. About equal: the default comes first. */
function nearestSuites(matrix: Matrix, kernel: string): string[] {
  const wanted = orderOf(kernel);
  const distanceOf = (suite: string): number => {
    const distance = Math.abs(orderOf(matrix.suites[suite]?.kernel ?? '') - wanted);
    return suite === DEFAULT_VARIANT.os && distance > 0 ? distance - ABOUT_EQUAL : distance;
  };
  return matrix.axes.os.values
    .filter((suite) => matrix.suites[suite] !== undefined)
    .toSorted((one, other) => distanceOf(one) - distanceOf(other));
}

/** So many releases more are not a reason for a world that has to be built. */
const ABOUT_EQUAL = 2;

function orderOf(kernel: string): number {
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(kernel) ?? [];
  let order = Number(minor);
  for (let before = 3; before < Number(major); before += 1) order += (LAST_MINOR[before] ?? 19) + 1;
  return order;
}
