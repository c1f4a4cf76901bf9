import { isObject } from '../../model/files/parse-json.ts';
import type { EffectiveNode } from '../../model/saved/effective.ts';
import { compareSettings } from './settings.ts';
import type { Expected } from './expected.ts';

/** Something that is not as the variant declares it. */
export interface OracleDifference {
  readonly node: string;
  readonly what: string;
  readonly declared: string;
  readonly found: string;
}

/**
 * Compares a node with what it must be; empty when nothing differs. Pure.
 *
 * @param isControlPlane whether the programs of the control plane are on it.
 */
export function compareNode(
  expected: Expected,
  node: EffectiveNode,
  isControlPlane = true,
): OracleDifference[] {
  const differences: OracleDifference[] = [];
  const check = (what: string, declared: unknown, found: unknown, same: boolean): void => {
    if (!same) differences.push({ node: node.name, what, declared: show(declared), found: show(found) });
  };
  check('type of /sys/fs/cgroup', expected.cgroup, node.cgroup, expected.cgroup === node.cgroup);
  for (const word of expected.kernelArguments)
    check('kernel command line', word, node.kernelArguments.join(' '), node.kernelArguments.includes(word));
  for (const [program, version] of expected.versions) {
    const found = node.versions[program];
    check(`version of ${program}`, version, found, found !== undefined && saysVersion(found, version));
  }
  for (const [program, sha256] of Object.entries(expected.programs)) {
    const found = node.programs?.[program];
    check(`bytes of ${program}`, `sha256 ${sha256}`, found && `sha256 ${found}`, found === sha256);
  }
  const { driver, settings } = node.kubelet;
  check(
    "kubelet's cgroup driver in effect",
    expected.kubelet.driver,
    driver,
    expected.kubelet.driver === driver,
  );
  for (const [field, value] of Object.entries(expected.kubelet.settings))
    check(`kubelet setting ${field}`, value, settings[field], sameSetting(value, settings[field]));
  for (const [handler, options] of Object.entries(expected.handlers)) {
    for (const [option, value] of Object.entries(options)) {
      const found = node.handlers[handler]?.[option];
      check(`${option} of containerd's handler ${handler}`, value, found, found === value);
    }
  }
  for (const [name, value] of Object.entries(expected.sysctl))
    check(`sysctl ${name}`, value, node.sysctl[name], sameWords(value, node.sysctl[name]));
  for (const [process, placement] of Object.entries(expected.placements)) {
    const found = node.cgroups[process];
    const seen = found === undefined ? undefined : `${found.placement} (${found.path})`;
    check(`place of ${process}`, placement, seen, found?.placement === placement);
  }
  for (const { what, declared, found } of compareSettings(expected.settings, node.settings, isControlPlane))
    check(what, declared, found, false);
  return differences;
}

/**
 * Whether what a program says of itself has a version in it: `1.6.20` is in `1.6.20~ds1`, `6.1` in
 * `6.1.0-42-cloud-amd64`, but `1.6.2` is not in `1.6.20`.
 */
export function saysVersion(printed: string, version: string): boolean {
  const escaped = version.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(^|[^0-9.])${escaped}($|[^0-9])`).test(printed);
}

/**
 * Whether the kubelet uses a value: durations may be written in another way (`1m` is read back as `1m0s`), and a field
 * that is off may be missing.
 */
export function sameSetting(declared: unknown, found: unknown): boolean {
  if (found === undefined) return declared === false || declared === 0 || declared === '';
  if (typeof declared === 'string' && typeof found === 'string') {
    const [left, right] = [parseDuration(declared), parseDuration(found)];
    return declared === found || (left !== undefined && left === right);
  }
  if (Array.isArray(declared) && Array.isArray(found)) {
    return (
      declared.length === found.length &&
      declared.every((setting, index) => sameSetting(setting, found[index]))
    );
  }
  if (isObject(declared) && isObject(found))
    return Object.entries(declared).every(([name, value]) => sameSetting(value, found[name]));
  return declared === found;
}

/** Milliseconds of a Go duration: `1h2m3.5s`, `100ms`. */
function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(h|m|s|ms))+$/.test(text)) return undefined;
  const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0);
}

/** A sysctl of several numbers is read back with tabs. */
function sameWords(declared: string, found: string | undefined): boolean {
  const words = (text: string): string => text.trim().split(/\s+/).join(' ');
  return found !== undefined && words(declared) === words(found);
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
