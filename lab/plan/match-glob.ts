import { AXES, type Axis, type Variant } from '../model/axes.ts';

/** Whether a text matches a glob: `*` stands for any characters (slashes too), `?` for one. */
export function matchGlob(glob: string, text: string): boolean {
  const pattern = glob.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(text);
}

/** Globs per axis, as rules and scenarios write them. */
export type AxisGlobs = Readonly<Partial<Record<Axis, readonly string[] | undefined>>>;

/** Whether every named axis of a variant matches one of its globs. */
export function matchesVariant(globs: AxisGlobs, variant: Variant): boolean {
  return AXES.every((axis) => globs[axis]?.some((glob) => matchGlob(glob, variant[axis])) ?? true);
}
