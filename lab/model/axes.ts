/**
 * Axes, variants and their canonical names.
 *
 * A variant is one value on every axis. Its canonical name is every non-default value in axis order, joined by
 * `_` (`default` when there is none), so it is short, unique and stable.
 */

/** The axes in canonical order. */
export const AXES = [
  'os',
  'kubernetes',
  'kernel',
  'cgroup',
  'drivers',
  'containerd',
  'runtime',
  'nodes',
  'knobs',
] as const;

/** Name of one axis. */
export type Axis = (typeof AXES)[number];

/** One value on every axis. */
export type Variant = Readonly<Record<Axis, string>>;

/** The default value of every axis. */
export const DEFAULT_VARIANT: Variant = Object.freeze({
  os: 'bookworm',
  kubernetes: '1.34',
  kernel: 'os',
  cgroup: 'v2',
  drivers: 'systemd+systemd',
  containerd: 'apt',
  runtime: 'runc',
  nodes: '1',
  knobs: 'none',
});

/** Returns the canonical name of a variant: its non-default values in axis order, or `default`. */
export function variantName(variant: Variant): string {
  const parts = AXES.filter((axis) => variant[axis] !== DEFAULT_VARIANT[axis]).map((axis) =>
    encodeNamePart(axis === 'containerd' ? `containerd-${variant[axis]}` : variant[axis]),
  );
  return parts.length === 0 ? 'default' : parts.join('_');
}

/**
 * Writes an axis value as part of a name. A name is a folder, and `_` joins its parts: in the path of a local build
 * `/` and `_` are written as in a URL, so that `file:./out/my_kernel` is `file:.%2Fout%2Fmy%5Fkernel`.
 */
function encodeNamePart(value: string): string {
  return value.replaceAll('%', '%25').replaceAll('/', '%2F').replaceAll('_', '%5F');
}

/** The axis value that a part of a name stands for; undefined when its `%` signs are none of ours. */
export function decodeNamePart(part: string): string | undefined {
  const decoded = part.replaceAll(/%(2F|5F|25)/g, (_, code: string) =>
    code === '2F' ? '/' : code === '5F' ? '_' : '%',
  );
  return encodeNamePart(decoded) === part ? decoded : undefined;
}
