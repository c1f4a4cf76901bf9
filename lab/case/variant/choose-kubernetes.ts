import { DEFAULT_VARIANT } from '../../model/axes/axes.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import type { CaseFact, Distance } from '../../model/saved/case.ts';
import { compareAsWritten } from '../../model/variants/versions.ts';
import { isKnownValue } from '../../plan/variants/parse-variant.ts';
import { factsOf, type Choice } from './choice.ts';

/** The release of Kubernetes: that of the report, or the nearest one that is available. */
export function chooseKubernetes(matrix: Matrix, facts: readonly CaseFact[]): Choice {
  const affected = factsOf(facts, 'kubernetes');
  const client = facts.find(({ name, role }) => name === 'kubernetes' && role === 'client');
  // An exact version says more than a release.
  const fact = affected.find(({ value }) => /^1\.\d+\.\d+$/.test(value)) ?? affected[0] ?? client;
  if (fact === undefined)
    return {
      values: {},
      distances: [
        {
          of: 'kubernetes',
          report: 'not said',
          lab: DEFAULT_VARIANT.kubernetes,
          why: 'the report has no version of Kubernetes; the default is taken',
        },
      ],
    };
  const { value, why } = nearestRelease(matrix, fact.value);
  const distances: Distance[] = [];
  const near = (report: string, text: string): void => {
    distances.push({ of: 'kubernetes', report, lab: value, why: text });
  };
  if (why !== undefined) near(fact.value, why);
  if (fact.note !== undefined) near(fact.value, fact.note);
  if (fact.role === 'client')
    near(fact.value, 'only the version of kubectl is said; that of the node may be another');
  const others = affected.filter((one) => !isSameRelease(one.value, fact.value));
  if (others.length > 0)
    near(
      [fact, ...others].map((one) => one.value).join(', '),
      `the report has several versions; ${fact.value} is taken, by the words "${fact.words}"`,
    );
  return { values: { kubernetes: value }, distances };
}

function isSameRelease(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

/** The nearest release that the axis takes, and why it is not the one that was asked for. */
function nearestRelease(matrix: Matrix, written: string): { value: string; why?: string } {
  const { values } = matrix.axes.kubernetes;
  if (isKnownValue(matrix, 'kubernetes', written)) return { value: written };
  const [, release = written, early] = /^(\d+\.\d+(?:\.\d+)?)(-.+)?$/.exec(written) ?? [];
  if (early !== undefined && isKnownValue(matrix, 'kubernetes', release))
    return { value: release, why: 'only releases are built: the first after it is taken' };
  const oldest = values.toSorted(compareAsWritten)[0] ?? DEFAULT_VARIANT.kubernetes;
  if (compareAsWritten(release, oldest) < 0)
    return { value: oldest, why: `the lab builds Kubernetes from ${oldest} on` };
  if (/^\d+\.\d+$/.test(release) && isKnownValue(matrix, 'kubernetes', `${release}.0`))
    return {
      value: `${release}.0`,
      why: 'the patch release is not said; the first one is taken, which every release has',
    };
  return { value: DEFAULT_VARIANT.kubernetes, why: 'no such release is available' };
}
