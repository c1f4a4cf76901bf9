import type { AxisDefinition } from '../variants/axis.ts';
import { NO_DATE, SUITE_VERSION } from '../components/components.ts';
import { RUNC_UNDER_TEST } from '../components/under-test.ts';
import { UsageError } from '../errors/errors.ts';
import { leadingVersion } from '../variants/versions.ts';
import { os } from './os.ts';

/** The low-level runtime of workloads. */
export type Runtime =
  | {
      readonly name: 'runc';
      readonly version: string;
      /** The control plane runs under it too. Absent of the suite's, which has no other beside it. */
      readonly everywhere?: true;
    }
  | { readonly name: 'crun' | 'youki'; readonly version: string }
  | {
      readonly name: 'runsc';
      readonly version: string;
      /** Whether runsc puts its sandboxes into cgroups through systemd (its flag `systemd-cgroup`). */
      readonly systemdCgroup: boolean;
    };

export const runtime: AxisDefinition<
  'runtime',
  Runtime,
  'runcVersion' | 'crunVersion' | 'youkiVersion' | 'runscVersion'
> = {
  name: 'runtime',
  defaultValue: 'runc',
  parse: parseRuntime,
  facts: {
    /** The runc of workloads; that of the control plane where they run under another runtime. */
    runcVersion: (read, { suites }) => {
      const value = read(runtime);
      if (value.name !== 'runc' || value.version === SUITE_VERSION) return suites[read(os)]?.runc;
      return leadingVersion(value.version);
    },
    /** Unknown where workloads run under another runtime. */
    crunVersion: (read, { suites }) => {
      const value = read(runtime);
      if (value.name !== 'crun') return undefined;
      return value.version === SUITE_VERSION ? suites[read(os)]?.crun : leadingVersion(value.version);
    },
    /** Unknown where workloads run under another runtime. */
    youkiVersion: (read) => {
      const value = read(runtime);
      return value.name === 'youki' ? leadingVersion(value.version) : undefined;
    },
    /**
     * Release date of runsc, `20230927`, which exact versions begin with; unknown where workloads run under another
     * runtime.
     */
    runscVersion: (read, { suites }) => {
      const value = read(runtime);
      if (value.name !== 'runsc') return undefined;
      return value.version === SUITE_VERSION ? suites[read(os)]?.runsc : /^\d{8}/.exec(value.version)?.[0];
    },
  },
  /**
   * The control plane runs under runc, whatever workloads run under. A node may have two of them: see
   * `listNodeComponents`.
   */
  components: (value) => {
    if (value.name === 'runc') return { runc: value.version };
    return { runc: SUITE_VERSION, [value.name === 'runsc' ? 'gvisor' : value.name]: value.version };
  },
};

/** Every handler that a node may have for workloads, and the RuntimeClass of its name. */
export const WORKLOAD_HANDLERS = ['crun', 'youki', 'runsc', RUNC_UNDER_TEST] as const;

/**
 * The containerd handler, and the RuntimeClass, under which workloads run; undefined where that is the default handler,
 * which the control plane has.
 */
export function handlerOf(runtime: Runtime): (typeof WORKLOAD_HANDLERS)[number] | undefined {
  if (runtime.name !== 'runc') return runtime.name;
  return runtime.version === SUITE_VERSION || runtime.everywhere === true ? undefined : RUNC_UNDER_TEST;
}

/** The ending of a runsc that puts its sandboxes into cgroups through systemd. */
export const SYSTEMD_CGROUP = '+systemd-cgroup';

/** The ending of a runc that runs the control plane too. */
export const EVERYWHERE = '+everywhere';

/** What may come after the version of a runtime. */
export const RUNTIME_ENDINGS: readonly string[] = [SYSTEMD_CGROUP, EVERYWHERE];

/**
 * Reads `runc` and `crun` (the suite's), `runc@<version>`, `runc@<version>+everywhere`, `crun@<version>`, `youki@<version>`,
 * `runsc@<version>`, and `runsc@<version>+systemd-cgroup`. Versions stay as they were written: short, exact, `apt`, `file:<path>` or
 * `git:<checkout>`.
 */
function parseRuntime(written: string): Runtime {
  if (written === 'runc') return { name: 'runc', version: SUITE_VERSION };
  if (written === 'crun') return { name: 'crun', version: SUITE_VERSION };
  const [, name, rest = ''] = /^(runc|crun|youki|runsc)@(.+)$/.exec(written) ?? [];
  const suffix = RUNTIME_ENDINGS.find((end) => rest.endsWith(end)) ?? '';
  const version = rest.slice(0, rest.length - suffix.length);
  if (version !== '') {
    if (name === 'runsc' && suffix !== EVERYWHERE && !NO_DATE.test(version))
      return { name, version, systemdCgroup: suffix === SYSTEMD_CGROUP };
    if (name === 'runc' && suffix === EVERYWHERE && version !== SUITE_VERSION)
      return { name, version, everywhere: true };
    if ((name === 'runc' || name === 'crun' || name === 'youki') && suffix === '') return { name, version };
  }
  throw new UsageError(`"${written}" is not a runtime`, {
    tryNext:
      'runc, runc@<version>, runc@<version>+everywhere, crun, crun@<version>, youki@<version>, runsc@<version> or runsc@<version>+systemd-cgroup',
  });
}
