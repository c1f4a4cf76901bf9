import type { Attribution, CellResult, EvidenceRef, Mismatch, OpenCause } from '../../model/saved/formats.ts';
import { timeOfDay } from '../../model/evidence/source-clocks.ts';
import { NOT_EXCLUDED } from '../../model/saved/attribution.ts';
import { placeOf } from '../../model/saved/place-of.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { plural } from '../../model/text/plural.ts';
import { messageOfRecord } from '../text/page-rows.ts';
import { orderByTime, type ProofRef } from './order-of-time.ts';

/** The steps of an end in the order of time; none when the container lives. */
export function stepsOf({ killer, chain = [] }: Attribution): readonly ProofRef[] {
  return killer === 'none' ? [] : orderByTime(chain);
}

/** The records of the steps, and those of no step, in the order of time. */
export function listProof({ killer, chain = [], because }: Attribution): ProofRef[] {
  const steps = killer === 'none' ? chain.map((ref) => ({ ...ref, step: undefined })) : chain;
  return orderByTime([...steps, ...restOf(chain, because)]);
}

/** The records of a proof that no step of the chain shows, in the order of time. */
export function proofBeside({ chain = [], because }: Attribution): ProofRef[] {
  return orderByTime(restOf(chain, because));
}

function restOf(chain: readonly EvidenceRef[], because: readonly EvidenceRef[]): EvidenceRef[] {
  const shown = new Set(chain.map(keyOf));
  return because.filter((ref) => !shown.has(keyOf(ref)));
}

/** A record is a line of a file. Where the whole file is one record, it is the record's text. */
function keyOf(ref: EvidenceRef): string {
  return ref.line === undefined ? `${ref.file} ${ref.text}` : placeOf(ref);
}

/**
 * Says why a killer is only likely, without what the note already says; empty if there is nothing to add. It only counts
 * the killers that are not excluded, because the list of them has each reason.
 */
export function listDoubts({ attribution, note }: Pick<CellResult, 'attribution' | 'note'>): string {
  const { doubts = [], open = [] } = attribution;
  const isListed = (doubt: string): boolean => open.length > 0 && doubt.startsWith(NOT_EXCLUDED);
  const own = doubts.filter((doubt) => doubt !== note && !isListed(doubt));
  if (!doubts.some(isListed)) return own.join('; ');
  return [...own, `${plural(open.length, 'other')} ${open.length === 1 ? 'is' : 'are'} not excluded`].join(
    '; ',
  );
}

/** Killers that are not excluded for the same reason, and what would decide about them. */
export function groupOpen(
  open: readonly OpenCause[],
): { what: string; why: string; wanted: readonly string[] }[] {
  return [...groupBy(open, ({ why }) => why)].map(([why, all]) => ({
    what: all.map(({ what }) => what).join(', '),
    why,
    wanted: [...new Set(all.map(({ wanted }) => wanted))],
  }));
}

/** What else happened, one sentence each; the sentence says so when nothing explains it. */
export function findingLines({ findings = [] }: Attribution): string[] {
  return findings.map(({ what, explained }) => (explained ? what : `unexplained: ${what}`));
}

/** An expectation that did not hold, both sides with the name of its field: `reason: OOMKilled`. */
export function mismatchSides({ field, expected, observed }: Mismatch): {
  expected: string;
  observed: string;
} {
  return { expected: `${field}: ${expected}`, observed: `${field}: ${observed}` };
}

/**
 * The proof of a cell, one line each: step, place, time of day (UTC), source, text. Then what else happened. Places are
 * relative to `folder`. For a world that started no pod, the proof is the line of containerd's journal.
 */
export function proofLines(cell: CellResult, folder = ''): string[] {
  const proof = listProof(cell.attribution).map((ref) =>
    [
      ref.step ?? '',
      `${folder}${placeOf(ref)}`,
      timeOfDay(ref),
      ref.source,
      `${asideOf(ref)}${oneLine(messageOfRecord(ref.text))}`,
    ]
      .filter((part) => part !== '')
      .join('  '),
  );
  const places = (index: number): string =>
    (cell.attribution.findings?.[index]?.because ?? []).map((ref) => `${folder}${placeOf(ref)}`).join(' ');
  const findings = findingLines(cell.attribution).map((line, index) =>
    `also seen  ${oneLine(line)}  ${places(index)}`.trimEnd(),
  );
  const started = cell.startFailure === undefined ? [] : [`containerd  ${oneLine(cell.startFailure.seen)}`];
  return [...started, ...proof, ...findings];
}

/** Why a record is where it is, in front of its text. */
export function asideOf({ aside }: Pick<ProofRef, 'aside'>): string {
  return aside === undefined ? '' : `(${aside}) `;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
