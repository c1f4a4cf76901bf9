import { valueOf, type Variant } from '../../model/axes/axes.ts';
import { handlerOf, type Runtime } from '../../model/axes/runtime.ts';
import { SUITE_VERSION } from '../../model/components/components.ts';
import { RUNC_UNDER_TEST } from '../../model/components/under-test.ts';
import type { Effective } from '../../model/saved/effective.ts';

type Versions = Effective['versions'];

/**
 * The program among versions that workloads ran under. In worlds from before a runc under test had a handler of its own,
 * and where only the variant is known, it is plain `runc`.
 */
export function programOfWorkloads(runtime: Runtime, versions: Versions): string {
  const handler = handlerOf(runtime);
  return handler !== undefined && Object.hasOwn(versions, handler) ? handler : runtime.name;
}

/**
 * Versions for a reader who does not know the lab: one runc in a line, that of workloads. Where it is not that of the
 * control plane, it says so.
 */
export function nameVersions(versions: Versions): Versions {
  const { [RUNC_UNDER_TEST]: workloads, runc = 'unknown', ...others } = versions;
  return workloads === undefined
    ? versions
    : { ...others, runc: `${workloads} (only workloads; ${runc} the control plane)` };
}

/**
 * Which runc ran what, by the versions that the nodes printed; undefined where the variant names none, and where nothing was
 * read back.
 */
export function describeRunc(variant: Variant, versions: Versions | undefined): string | undefined {
  const runtime = valueOf(variant, 'runtime');
  if (runtime.name !== 'runc' || runtime.version === SUITE_VERSION) return undefined;
  if (versions?.['runc'] === undefined) return undefined;
  const versionOf = (name: string): string => `runc ${versions[name] ?? ''}`;
  return Object.hasOwn(versions, RUNC_UNDER_TEST)
    ? `${versionOf(RUNC_UNDER_TEST)} ran the workloads, as the handler ${RUNC_UNDER_TEST}; ${versionOf('runc')} ran the control plane`
    : `${versionOf('runc')} ran the workloads and the control plane`;
}
