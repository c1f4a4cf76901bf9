import type { Bug } from '../../model/declared/bug.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { BugResult } from '../../model/declared/ledger.ts';

/** One affected range, for a person: `gvisor >=20221219 <20260615 (unless systemd-cgroup is on)`. */
export interface RangeText {
  readonly text: string;
  /** Where it can be checked. */
  readonly source: string;
}

/** Which released versions have a bug; empty where the bug does not say. */
export function describeRanges({ ranges }: Pick<Bug, 'ranges'>): RangeText[] {
  return ranges.map(({ component, versions, note, source }) => ({
    text: `${component} ${versions.join(' or ')}${note === undefined ? '' : ` (${note})`}`,
    source,
  }));
}

/** What a user can do meanwhile, with a link to more; undefined where the bug does not say. */
export function describeWorkaround({ workaround }: Pick<Bug, 'workaround'>): string | undefined {
  if (workaround === undefined) return undefined;
  return workaround.link === undefined ? workaround.text : `${workaround.text} ${workaround.link}`;
}

const STATES: Readonly<Record<BugResult['state'], string>> = {
  shows: 'as expected',
  'seems-fixed': 'which seems fixed',
  'ends-otherwise': 'which ends in another way',
  'review-due': 'whose review date has passed',
  open: 'not observed',
};

/** The known bug of a cell and what became of it: `dying-memory-cgroups, as expected`; undefined for other cells. */
export function describeKnownBug({ bug }: Pick<CellResult, 'bug'>): string | undefined {
  return bug === undefined ? undefined : `${bug.id}, ${STATES[bug.state]}`;
}
