import { describe, expect, it } from 'vitest';
import { relateClocks, type JournalFile, type NodeClocks } from '../../../lab/evidence/clocks.ts';
import { readJournal } from '../../../lab/evidence/journal.ts';
import { ignoreCovered } from '../../../lab/evidence/lines.ts';
import { parseWitness, type WitnessReport } from '../../../lab/evidence/witness.ts';

const BOOT = 'a'.repeat(32);
const NEXT_BOOT = 'b'.repeat(32);
const dashed = BOOT.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
const HOUR_MS = 3_600_000;

/** An entry: milliseconds of both clocks. */
type Entry = readonly [boot: string, wallMs: number, monoMs: number];

interface CountedJournal extends JournalFile {
  reads: number;
}

/** A journal that counts how often it is read. */
function journalOf(source: 'containerd' | 'kubelet', ...entries: readonly Entry[]): CountedJournal {
  const lines = entries.map(([boot, wallMs, monoMs]) =>
    JSON.stringify({
      __REALTIME_TIMESTAMP: `${wallMs * 1000}`,
      __MONOTONIC_TIMESTAMP: `${monoMs * 1000}`,
      _BOOT_ID: boot,
      MESSAGE: 'x',
    }),
  );
  const journal: CountedJournal = {
    source,
    path: `node-1/${source}.jsonl`,
    reads: 0,
    content: {
      chunks: () => {
        journal.reads += 1;
        return [Buffer.from(`${lines.join('\n')}\n`)];
      },
    },
  };
  return journal;
}

/** What the witness knows of its boot: at 1,000 ms of its monotonic clock it was 500,000. */
function witnessed(): Map<number, WitnessReport> {
  const start = { seq: 1, at: 500_000, mono: 1_000_000, kind: 'start', bootId: dashed };
  return new Map([[1, parseWitness(`${JSON.stringify(start)}\n`, 'node-1/witness.jsonl')]]);
}

function datesOf(clocks: NodeClocks, journal: JournalFile): (number | undefined)[] {
  const context = { onCovered: ignoreCovered, dateEntry: clocks.dateEntriesOf(journal) };
  const entries = readJournal(journal.content, journal.path, journal.source, () => undefined, context);
  return [...entries].map((entry) => entry.at);
}

describe('the clocks of a node', () => {
  it('are those of the witness, and a journal is then read once', () => {
    const journal = journalOf('kubelet', [BOOT, 500_900, 2000], [BOOT, 500_900 + HOUR_MS, 3000]);
    const clocks = relateClocks('node-1', witnessed(), [journal]);
    expect(datesOf(clocks, journal)).toEqual([501_000, 502_000]);
    expect(clocks.findLost().map((lost) => [lost.source, lost.at])).toEqual([
      ['pods', 502_000],
      ['events', 502_000],
    ]);
    expect(journal.reads).toBe(1);
  });

  it('are those of the first entry of all journals for a boot without a witness', () => {
    const late = journalOf('containerd', [NEXT_BOOT, 700_000 + HOUR_MS, 9000]);
    const early = journalOf('kubelet', [BOOT, 500_900, 2000], [NEXT_BOOT, 695_000, 4000]);
    const clocks = relateClocks('node-1', witnessed(), [late, early]);
    expect(datesOf(clocks, late)).toEqual([700_000]);
    expect(datesOf(clocks, early)).toEqual([501_000, 695_000]);
    expect([clocks.ofPart(2, 2)?.(4_000_000), clocks.ofPart(2, 3)]).toEqual([695_000, undefined]);
    expect([late.reads, early.reads]).toEqual([2, 2]);
  });

  it('of an older capture, which has one clock alone, are left as they are', () => {
    const clocks = relateClocks('node-1', new Map(), []);
    expect(clocks.date({ at: 7, monoMicros: undefined, bootId: '' })).toBe(7);
    expect(clocks.findLost()).toEqual([]);
  });
});
