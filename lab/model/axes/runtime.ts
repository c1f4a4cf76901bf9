import { UsageError } from '../errors.ts';

/** The low-level runtime of workloads: what a value of the axis `runtime` means. */
export type Runtime =
  | { readonly name: 'runc'; readonly version: string }
  | {
      readonly name: 'runsc';
      readonly version: string;
      /** Whether runsc puts its sandboxes into cgroups through systemd (its flag `systemd-cgroup`). */
      readonly systemdCgroup: boolean;
    };

const SYSTEMD_CGROUP = '+systemd-cgroup';

/**
 * Reads a value of the axis `runtime`: `runc` (the suite's), `runc@<version>`, `runsc@<version>`, and
 * `runsc@<version>+systemd-cgroup`. Versions stay as they were written: short, exact, `apt` or `file:<path>`.
 *
 * @throws UsageError for anything else.
 */
export function parseRuntime(value: string): Runtime {
  if (value === 'runc') return { name: 'runc', version: 'apt' };
  const [, name, rest = ''] = /^(runc|runsc)@(.+)$/.exec(value) ?? [];
  const systemdCgroup = rest.endsWith(SYSTEMD_CGROUP);
  const version = systemdCgroup ? rest.slice(0, -SYSTEMD_CGROUP.length) : rest;
  if (name === 'runsc' && version !== '') return { name, version, systemdCgroup };
  if (name === 'runc' && !systemdCgroup) return { name, version };
  throw new UsageError(`"${value}" is no runtime`, {
    tryNext: 'runc, runc@<version>, runsc@<version> or runsc@<version>+systemd-cgroup',
  });
}
