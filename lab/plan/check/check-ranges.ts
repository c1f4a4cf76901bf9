import { SUITE_PROGRAMS, type Bug, type BugRange } from '../../model/declared/bug.ts';
import { resolveVersion, type Components } from '../../model/components/components.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { leadingVersion } from '../../model/variants/versions.ts';
import { describeWrongRange, parseRange } from '../../model/variants/version-range.ts';
import { parametersOfBug, variantOfBug } from '../bugs/bug-cells.ts';
import { deriveFacts } from '../variants/facts.ts';
import { matchesVersions } from '../variants/match-condition.ts';

/** What the ranges of a bug refer to; undefined or empty where that file has problems of its own. */
interface RangeContext {
  readonly matrix: Matrix | undefined;
  readonly catalogue: Components | undefined;
  readonly scenarios: readonly LoadedScenario[];
  /** Whether every value of the variants of the bug is known: nothing follows from unknown ones. */
  readonly areKnown: boolean;
}

/**
 * Checks the affected versions of a bug: components that nobody knows, texts that are not comparators, comparators that
 * exclude each other, and ranges without the version that the affected variant itself has.
 */
export function checkRanges(file: string, bug: Bug, context: RangeContext): ConfigProblem[] {
  return bug.ranges.flatMap((range, index) => {
    const path = `ranges.${index}`;
    const ofTexts = range.versions.flatMap((text, at) => {
      const expected = describeText(text);
      return expected === undefined
        ? []
        : [{ file, path: `${path}.versions.${at}`, expected, received: `"${text}"` }];
    });
    const ofComponent = checkComponent(file, path, range, context.catalogue);
    if (ofTexts.length > 0 || ofComponent.length > 0) return [...ofComponent, ...ofTexts];
    return checkAffected(file, path, bug, range, context);
  });
}

function checkComponent(
  file: string,
  path: string,
  { component }: BugRange,
  catalogue: Components | undefined,
): ConfigProblem[] {
  if (catalogue === undefined) return [];
  const known = [...SUITE_PROGRAMS, ...Object.keys(catalogue.components)];
  if (known.includes(component)) return [];
  const expected = `a component of components.yaml, or ${SUITE_PROGRAMS.join(' or ')}`;
  const nearest = nearestName(component, known);
  return [configProblem(file, `${path}.component`, expected, `"${component}"`, nearest)];
}

/** What a text should have been; undefined when some version fits it. */
function describeText(text: string): string | undefined {
  const range = parseRange(text);
  return range === undefined
    ? 'comparators such as ">=1.6 <1.6.3", or a span such as "1.30.[0-3]"'
    : describeWrongRange(range);
}

/** The affected variant is known to have the bug, so its versions must be among the affected ones. */
function checkAffected(
  file: string,
  path: string,
  bug: Bug,
  { component, versions }: BugRange,
  context: RangeContext,
): ConfigProblem[] {
  const version = findVersion(bug, component, context);
  if (version === undefined || versions.some((text) => matchesVersions(text, version))) return [];
  const expected = `a range with ${version}, which the affected variant has`;
  return [{ file, path: `${path}.versions`, expected, received: `"${versions.join('", "')}"` }];
}

/** The version of a component on the affected side; undefined where nothing declared tells it. */
function findVersion(bug: Bug, component: string, context: RangeContext): string | undefined {
  const { matrix, catalogue, scenarios, areKnown } = context;
  if (matrix === undefined || catalogue === undefined || !areKnown) return undefined;
  const loaded = scenarios.find(({ scenario }) => scenario.name === bug.scenario);
  const variant = variantOfBug(bug.affected);
  const facts = deriveFacts(variant, matrix);
  const versions: Readonly<Record<string, string | undefined>> = {
    // A parameter with the name of a component chooses its version.
    ...loaded?.parameters,
    ...parametersOfBug(bug.affected),
    kernel: facts.kernelVersion,
    systemd: facts.systemdVersion,
    containerd: facts.containerdVersion,
    runc: facts.runcVersion,
    crun: facts.crunVersion,
    youki: facts.youkiVersion,
    gvisor: facts.runscVersion,
    kubernetes: resolveVersion(catalogue, 'kubernetes', variant.kubernetes),
  };
  return leadingVersion(versions[component] ?? '');
}
