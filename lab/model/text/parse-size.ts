/** Bytes of each unit: those of IEC (powers of 1024), those of SI, and both as Kubernetes writes them. */
const UNIT_BYTES: Readonly<Record<string, number>> = {
  Mi: 1024 ** 2,
  MiB: 1024 ** 2,
  Gi: 1024 ** 3,
  GiB: 1024 ** 3,
  Ti: 1024 ** 4,
  TiB: 1024 ** 4,
  M: 1e6,
  MB: 1e6,
  G: 1e9,
  GB: 1e9,
  T: 1e12,
  TB: 1e12,
};

/** How a size may be written. */
export const SIZE_FORMS = '20GiB or 20Gi (powers of 1024), 20GB or 20G (powers of 1000); M and T likewise';

/** Reads a size such as `20GiB` or `500M`, in bytes; undefined when it is none. */
export function parseSize(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,9})?)([MGT]i?B?)$/.exec(text) ?? [];
  const bytes = UNIT_BYTES[unit ?? ''];
  return number === undefined || bytes === undefined ? undefined : Math.round(Number(number) * bytes);
}
