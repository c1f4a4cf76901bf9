/** Languages of nodes: their `date`, `dmesg -T` and `journalctl` write months in them. */
const LANGUAGES = [
  'en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'nb', 'fi', 'pl', 'cs', 'sk', 'hu', 'ro', 'tr', 'ru', 'uk', 'bg', 'el',
];
/** What glibc has otherwise than CLDR, or a part of it. */
const MORE: Readonly<Record<string, number>> = { mrz: 2, sept: 8, sep: 8, set: 8, maj: 4, мая: 4 };

let known: ReadonlyMap<string, number> | undefined;

function learn(): ReadonlyMap<string, number> {
  const months = new Map<string, number>(Object.entries(MORE));
  const briefs = new Map<string, Set<number>>();
  for (const language of LANGUAGES) {
    const format = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' });
    for (let month = 0; month < 12; month += 1) {
      const parts = format.formatToParts(Date.UTC(2000, month, 1));
      const name = keyOf(parts.find(({ type }) => type === 'month')?.value ?? '');
      if (!months.has(name)) months.set(name, month);
      const brief = name.slice(0, 3);
      briefs.set(brief, (briefs.get(brief) ?? new Set()).add(month));
    }
  }
  for (const [brief, of] of briefs) for (const month of of) if (of.size === 1) months.set(brief, month);
  return months;
}

function keyOf(name: string): string {
  return name.toLowerCase().replace(/\.$/, '').slice(0, 4);
}

/** The month by its short name in any of these languages, from 0 on; `11月` as Chinese and Japanese have it. */
export function monthOf(name: string): number | undefined {
  const number = /^(\d{1,2})[月월]$/.exec(name)?.[1];
  if (number !== undefined) return Number(number) >= 1 && Number(number) <= 12 ? Number(number) - 1 : undefined;
  known ??= learn();
  return known.get(keyOf(name)) ?? known.get(keyOf(name).slice(0, 3));
}

/** A month at the beginning of a line: letters with or without a dot, or a number with its sign. */
export const MONTH = String.raw`(?:\p{L}{3,5}\.?|\d{1,2}[月월])`;
