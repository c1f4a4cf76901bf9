import { largest, smallest } from '../model/text/extremes.ts';
import { linesOf, type EvidenceText } from './lines.ts';

/** What is compared of a record to tell two boots apart. */
interface Place {
  readonly line: number;
  readonly seq: number;
  readonly micros: number;
  readonly text: string;
}

/** A stretch of a file, in lines; both ends belong to it. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** The lines of one boot in a kernel log; `mixed` when those of several cannot be told apart. */
export type OwnBoot = Stretch | 'mixed' | undefined;

/** printk stamps records of several processors in a slightly other order than it numbers them. */
const DISORDER_MICROS = 10_000_000;
/** init/main.c, start_kernel(): the first line of each boot. */
const FIRST_WORDS = 'Linux version ';
const PREFIX = /^\d+,(\d+),(\d+),[^;]*;(.*)$/;

/**
 * Finds the part of a kernel log that is of one boot, where a collector appended what another boot had left (pstore, a saved
 * dmesg): numbers and clock begin again, so a process of the one looks like one of the other. The part with the lab's last
 * line counts, else the last one. Undefined for a log of one boot, whatever the order of its lines.
 *
 * @param end the text of the lab's last line.
 */
export function findOwnBoot(content: EvidenceText, end: string | undefined): OwnBoot {
  const places = [...readPlaces(content)];
  const stretches = split(places);
  if (!beginsAgain(places, stretches) && !isOfSeveral(places)) return undefined;
  // Each of two boots is in order; what is mixed has many pieces.
  if (stretches.length !== 2) return 'mixed';
  return (
    stretches.find(({ from, to }) =>
      places.some(({ line, text }) => line >= from && line <= to && text === end),
    ) ?? stretches.at(-1)
  );
}

function* readPlaces(content: EvidenceText): Generator<Place> {
  for (const { text, number } of linesOf(content)) {
    const [, seq, micros, said = ''] = PREFIX.exec(text) ?? [];
    if (seq !== undefined) yield { line: number, seq: Number(seq), micros: Number(micros), text: said };
  }
}

function isStep(before: Place | undefined, next: Place): boolean {
  return before !== undefined && next.seq < before.seq && next.micros < before.micros;
}

function isSame(one: Place, other: Place): boolean {
  return one.seq === other.seq && one.micros === other.micros && one.text === other.text;
}

/**
 * Whether the second of two stretches has the first words of a boot, and its numbers do not lead to those of the first one, as
 * they would if the stretches of one boot had changed places.
 */
function beginsAgain(places: readonly Place[], stretches: readonly Stretch[]): boolean {
  const [before, after] = stretches.map(({ from, to }) =>
    places.filter(({ line }) => line >= from && line <= to),
  );
  if (before === undefined || after === undefined || stretches.length !== 2) return false;
  const least = smallest(before.map(({ seq }) => seq));
  const most = largest(after.map(({ seq }) => seq));
  return after[0]?.text.startsWith(FIRST_WORDS) === true && least > most + 1;
}

/** Whether two records have one number and are not the same, or numbers and times contradict each other. */
function isOfSeveral(places: readonly Place[]): boolean {
  const byNumber = new Map<number, Place>();
  for (const place of places) {
    const known = byNumber.get(place.seq);
    if (known !== undefined && !isSame(known, place)) return true;
    byNumber.set(place.seq, place);
  }
  let latest = Number.NEGATIVE_INFINITY;
  for (const { micros } of [...byNumber.values()].sort((a, b) => a.seq - b.seq)) {
    if (micros < latest - DISORDER_MICROS) return true;
    latest = Math.max(latest, micros);
  }
  return false;
}

function split(places: readonly Place[]): Stretch[] {
  const stretches: Stretch[] = [];
  let from = places[0];
  for (const [index, place] of places.entries()) {
    const before = places[index - 1];
    if (from === undefined || before === undefined || !isStep(before, place)) continue;
    stretches.push({ from: from.line, to: before.line });
    from = place;
  }
  const last = places.at(-1);
  if (from !== undefined && last !== undefined) stretches.push({ from: from.line, to: last.line });
  return stretches;
}
