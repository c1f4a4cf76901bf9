import type { AxisDefinition } from '../axis.ts';
import { SUITE_VERSION } from '../components.ts';
import { UsageError } from '../errors.ts';
import { leadingVersion } from '../versions.ts';
import { os } from './os.ts';

/** The low-level runtime of workloads. */
export type Runtime =
  | { readonly name: 'runc'; readonly version: string }
  | {
      readonly name: 'runsc';
      readonly version: string;
      /** Whether runsc puts its sandboxes into cgroups through systemd (its flag `systemd-cgroup`). */
      readonly systemdCgroup: boolean;
    };

export const runtime: AxisDefinition<'runtime', Runtime, 'runcVersion' | 'runscVersion'> = {
  name: 'runtime',
  defaultValue: 'runc',
  parse: parseRuntime,
  facts: {
    /** The runc of the control plane, and of workloads unless they run under runsc. */
    runcVersion: (read, { suites }) => {
      const { name, version } = read(runtime);
      if (name === 'runsc' || version === SUITE_VERSION) return suites[read(os)]?.runc;
      return leadingVersion(version);
    },
    /** Release date of runsc, `20230927`, which exact versions begin with; unknown where workloads run under runc. */
    runscVersion: (read, { suites }) => {
      const { name, version } = read(runtime);
      if (name === 'runc') return undefined;
      return version === SUITE_VERSION ? suites[read(os)]?.runsc : /^\d{8}/.exec(version)?.[0];
    },
  },
  /** The control plane runs under runc, whatever workloads run under. */
  components: ({ name, version }) =>
    name === 'runc' ? { runc: version } : { runc: SUITE_VERSION, gvisor: version },
};

const SYSTEMD_CGROUP = '+systemd-cgroup';

/**
 * Reads `runc` (the suite's), `runc@<version>`, `runsc@<version>`, and `runsc@<version>+systemd-cgroup`. Versions stay
 * as they were written: short, exact, `apt` or `file:<path>`.
 */
function parseRuntime(written: string): Runtime {
  if (written === 'runc') return { name: 'runc', version: SUITE_VERSION };
  const [, name, rest = ''] = /^(runc|runsc)@(.+)$/.exec(written) ?? [];
  const systemdCgroup = rest.endsWith(SYSTEMD_CGROUP);
  const version = systemdCgroup ? rest.slice(0, -SYSTEMD_CGROUP.length) : rest;
  if (name === 'runsc' && version !== '') return { name, version, systemdCgroup };
  if (name === 'runc' && !systemdCgroup) return { name, version };
  throw new UsageError(`"${written}" is no runtime`, {
    tryNext: 'runc, runc@<version>, runsc@<version> or runsc@<version>+systemd-cgroup',
  });
}
