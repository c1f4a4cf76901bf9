import type { BisectLine, BisectResult } from '../../model/saved/search.ts';

/** What is to be known of the whole search. */
type Whole = Pick<BisectResult, 'isFix' | 'isSaved'>;

/** The change in a line in words: `first bad: 1.7.25, last good: 1.7.24 (97.3 %)`. */
export function describeLine(line: BisectLine, whole: Whole): string {
  const { outcome, among, values, misfits } = line;
  const [newest, oldest] = whole.isFix ? [values[0], values.at(-1)] : [values.at(-1), values[0]];
  const span = `${oldest} to ${newest}`;
  switch (outcome) {
    case 'found':
      return describeFound(line, whole);
    case 'range':
      return `${whole.isFix ? 'last bad' : 'first bad'}: one of ${among.join(', ')} (${percent(line)}); nothing that may be run narrows it`;
    case 'ends-alike':
      return `the two ends do not differ often enough: no change of ${span} can be searched`;
    case 'several-changes':
      return `more than one change: the runs of ${misfits.join(', ')} do not fit one in ${span}`;
    case 'unchanged':
      return `${span}: no version of this line has the change`;
    case 'open':
      return line.firstBad === undefined ? `${span}: more runs are needed` : describeFound(line, whole);
  }
}

/** The two neighbours of a change. Of an open line they are known, and the runs that confirm them are missing. */
function describeFound(line: BisectLine, { isFix, isSaved }: Whole): string {
  const { lastGood, firstBad, outcome, confirmed, sameBytes, among } = line;
  const said = isFix
    ? `first good: ${lastGood}, last bad: ${firstBad}`
    : `first bad: ${firstBad}, last good: ${lastGood}`;
  const isToConfirm = outcome === 'open';
  const unconfirmed = isSaved
    ? 'saved runs, not run again'
    : `not ${isToConfirm ? 'yet ' : ''}confirmed in freshly built worlds`;
  const how = confirmed ? 'confirmed in freshly built worlds' : unconfirmed;
  const noOp = sameBytes ? '; both are the same bytes, a no-op: something else differed' : '';
  const unseen = among.filter((value) => value !== firstBad);
  const holes = unseen.length === 0 ? '' : `; between them and not observed: ${unseen.join(', ')}`;
  return `${said} (${percent(line)}, ${how})${holes}${noOp}`;
}

function percent({ probability }: BisectLine): string {
  return `${Math.floor(probability * 1000) / 10} %`;
}

/** Runs of a version or cell by colour in words: `red 3 of 4, 1 other (killer=self-exit)`. */
export function describeColours({
  red,
  green,
  other,
  none,
  others,
  why,
  setAside,
}: Pick<
  BisectResult['versions'][number],
  'red' | 'green' | 'other' | 'none' | 'others' | 'why' | 'setAside'
>): string {
  const parts = [
    ...(red + green > 0 ? [`red ${red} of ${red + green}`] : []),
    ...(other > 0 ? [`${other} other (${others.join('; ')})`] : []),
    ...(none > 0 ? [`${none} not observed (${why.join('; ')})`] : []),
    ...(setAside === true ? ['set aside'] : []),
  ];
  return parts.length === 0 ? 'not run' : parts.join(', ');
}
