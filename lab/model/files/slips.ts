import { isObject } from './parse-json.ts';
import { ownValue } from '../text/own-value.ts';

/** Seconds of each unit that people write behind a number. */
const SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  sec: 1,
  second: 1,
  seconds: 1,
  m: 60,
  min: 60,
  mins: 60,
  minute: 60,
  minutes: 60,
  h: 3600,
  hour: 3600,
  hours: 3600,
};

/**
 * What was meant by a value of another kind than its field takes; undefined when that is not plain.
 *
 * @param kind what the schema calls the kind that was expected: `array`, `number`, `int`.
 */
export function meantBy(kind: string, value: unknown, path: readonly PropertyKey[]): string | undefined {
  if (kind === 'array') return isShort(value) ? `[${String(value)}]` : undefined;
  if ((kind !== 'number' && kind !== 'int') || typeof value !== 'string') return undefined;
  if (!/Seconds$/.test(String(path.at(-1)))) return undefined;
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(value) ?? [];
  const seconds = ownValue(SECONDS, unit);
  return amount === undefined || seconds === undefined ? undefined : String(Number(amount) * seconds);
}

/** A value that is one entry of a list as it is. */
function isShort(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[\w./-]{1,40}$/.test(value));
}

/** The kind of an object of Kubernetes; undefined when a value is something else. */
export function kindOfManifest(value: unknown): string | undefined {
  if (!isObject(value) || typeof value.apiVersion !== 'string') return undefined;
  return typeof value.kind === 'string' ? value.kind : undefined;
}
