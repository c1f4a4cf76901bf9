import { placeOf } from '../../model/saved/place-of.ts';
import type { EvidenceRef } from '../../model/saved/formats.ts';
import { formatSeconds } from '../../model/text/format-duration.ts';
import type { CellCase } from '../case/case-file.ts';
import { describeGaps, findGaps } from '../case/coverage.ts';
import type { Weighed } from './decide.ts';
import { findOtherMismatches } from './other-deaths.ts';

interface Reason {
  readonly name: string;
  readonly ref: EvidenceRef;
}

/**
 * Whether the container never ran, for the time that was promised, and with a reason that the scenario accepts. Nobody ends
 * what has not started, so no killer is looked for, and a note says what was seen. A gap of the API's words, or of the
 * runtime's, leaves it open.
 */
export function weighUnstarted(file: CellCase, reasons: readonly string[]): Weighed {
  const wanted = `never starts: ${reasons.join(' or ')}`;
  const others = findOtherMismatches(file);
  const ran = findRun(file);
  if (ran !== undefined) {
    const observed = `it ran (${placeOf(ran)})`;
    return {
      undecided: undefined,
      mismatches: [{ field: 'neverStarts', expected: wanted, observed }, ...others],
    };
  }
  const watchedMs = Date.parse(file.record.endedAt) - Date.parse(file.record.deployedAt);
  const neededMs = (file.record.expected.survivesSeconds ?? 0) * 1000;
  const short = `watched for ${formatSeconds(watchedMs, 1)} of ${formatSeconds(neededMs, 1)}`;
  const told = listReasons(file);
  const accepted = told.findLast(({ name }) => reasons.includes(name));
  // An event that was lost may have had the reason.
  const sources = accepted === undefined ? (['pods', 'events'] as const) : (['pods'] as const);
  const gaps = describeGaps(findGaps({ ...file, to: Date.parse(file.record.endedAt) }, sources));
  const undecided = gaps ?? (watchedMs < neededMs ? short : undefined);
  if (accepted === undefined) {
    const names = [...new Set(told.map(({ name }) => name))];
    const observed = `never started: ${names.join(', ') || 'no reason'}`;
    return {
      undecided,
      mismatches: [{ field: 'neverStarts', expected: wanted, observed }, ...others],
    };
  }
  return {
    undecided,
    mismatches: others,
    note: `it never started: ${accepted.name} (${placeOf(accepted.ref)})`,
  };
}

/** The first record that says that a container of that name ran, or ended, in any of its pods. */
function findRun({ versions, record, index, uids }: CellCase): EvidenceRef | undefined {
  const isOwn = versions.flatMap((pod) =>
    pod.containers
      .filter((view) => view.name === record.victim.container)
      .filter(
        ({ state, restartCount, last }) => state !== 'waiting' || restartCount > 0 || last !== undefined,
      )
      .map(() => pod.ref),
  );
  const ids = index
    .of('runtime-created')
    .filter(({ container, podUid }) => container === record.victim.container && uids.includes(podUid))
    .map(({ containerId }) => containerId);
  const started = index.of('runtime-start').find(({ containerId }) => ids.includes(containerId));
  return isOwn[0] ?? started?.ref;
}

/** The reasons that the API gave: of the waiting container, and in events about its pods. */
function listReasons({ versions, record, index, uids }: CellCase): Reason[] {
  const waiting = versions.flatMap((pod) =>
    pod.containers
      .filter((view) => view.name === record.victim.container && view.reason !== undefined)
      .map((view) => ({ name: view.reason ?? '', ref: pod.ref })),
  );
  const all = [...new Set([...uids, ...versions.map(({ uid }) => uid)])];
  const events = index
    .of('kube-event')
    .filter(({ objectUid }) => all.includes(objectUid))
    .map(({ reason, ref }) => ({ name: reason, ref }));
  return [...events, ...waiting];
}
