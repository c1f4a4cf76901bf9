import type { AxisDefinition } from './axis.ts';
import type { AxisList } from './axis-list.ts';

/**
 * Names of variants: every value that is not the default, in the order of the axes, joined by `_`; `default` when there
 * is none. Such a name is short, unique and stable.
 */
export function nameVariant(axes: AxisList, variant: Readonly<Record<string, string>>): string {
  const parts: string[] = [];
  for (const axis of axes) {
    const value = variant[axis.name] ?? axis.defaultValue;
    if (value !== axis.defaultValue) parts.push(encodePart(writePart(axis, value)));
  }
  return parts.length === 0 ? 'default' : parts.join('_');
}

/** Whether each part of a name is a value that the variant has. */
export function namesValuesOf(
  axes: AxisList,
  variant: Readonly<Record<string, string>>,
  name: string,
): boolean {
  const values = axes.map((axis) => encodePart(writePart(axis, variant[axis.name] ?? axis.defaultValue)));
  return name.split('_').every((part) => values.includes(part));
}

/** A value as it is in a name, except for characters that a folder cannot have. */
export function writePart(
  { namePrefix = '' }: Pick<AxisDefinition<string, unknown>, 'namePrefix'>,
  value: string,
): string {
  return `${namePrefix}${value}`;
}

/**
 * Finds the axis value of a part of a name: that of the first axis that knows it; undefined when none does.
 *
 * @param isKnown whether an axis has such a value.
 */
export function readPart<const List extends AxisList>(
  axes: List,
  encoded: string,
  isKnown: (axis: List[number]['name'], value: string) => boolean,
): { readonly axis: List[number]['name']; readonly value: string } | undefined {
  const part = decodePart(encoded);
  if (part === undefined) return undefined;
  for (const { name, namePrefix = '' } of axes) {
    const value = part.slice(namePrefix.length);
    if (part.startsWith(namePrefix) && isKnown(name, value)) return { axis: name, value };
  }
  return undefined;
}

const ENCODED: Readonly<Record<string, string>> = { '%': '%25', '/': '%2F', _: '%5F' };

/**
 * Writes an axis value as part of a name. A name is a folder, and `_` joins its parts, so the path of a local build has
 * `/` and `_` written as in a URL: `file:./out/my_kernel` is `file:.%2Fout%2Fmy%5Fkernel`.
 */
function encodePart(value: string): string {
  return value.replaceAll(/[%/_]/g, (sign) => ENCODED[sign] ?? sign);
}

/** The axis value of a part of a name; undefined when its `%` signs are not the lab's. */
function decodePart(part: string): string | undefined {
  const decoded = part.replaceAll(/%(2F|5F|25)/g, (_, code: string) =>
    code === '2F' ? '/' : code === '5F' ? '_' : '%',
  );
  return encodePart(decoded) === part ? decoded : undefined;
}
