import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BUNDLE_LIMITS, type OpenedFile } from '../../../../lab/drivers/bundles/bundle-file.ts';
import { BundleReading } from '../../../../lab/drivers/bundles/bundle-reading.ts';
import { openBundle } from '../../../../lab/drivers/bundles/open-bundle.ts';
import { readBundle } from '../../../../lab/evidence/bundle/read-bundle.ts';
import { linesOfStream, type Line } from '../../../../lab/evidence/lines.ts';
import type { Observation } from '../../../../lab/model/evidence/observation.ts';
import { haveOf } from '../../../fixtures/autopsy/paste-parts.ts';
import { judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { entriesOf, type Entry } from './other-formats.ts';
import { isSaid, readTexts } from './read-texts.ts';
import {
  JOURNALCTL,
  JOURNAL_REMOTE,
  printByJournalctl,
  RSYSLOGD,
  SENT,
  withJournalFile,
  writeByRsyslog,
} from './real-converters.ts';

const CAPTURES = ['oom-single-container', 'liveness-probe', 'sigkill-from-node', 'earlyoom'];

interface Subject {
  readonly name: string;
  readonly entries: readonly Entry[];
  readonly bootMicros: number;
}

/** All that the journal of a node had, in the order of time: kubelet, runtime, services and the kernel. */
function subjectOf(name: string): Subject {
  const capture = loadCapture(name);
  const have = haveOf(capture, judgeCapture(capture).attribution.victim);
  if (have === undefined) throw new TypeError(`${name} has no witness`);
  const programs = ['kubelet', 'containerd', 'system'].flatMap((source) =>
    entriesOf(capture.files.get(`node-1/${source}.jsonl`) ?? ''),
  );
  const kernel = have.kernel.map(({ micros, text }): Entry => {
    const fields = {
      _TRANSPORT: 'kernel',
      SYSLOG_IDENTIFIER: 'kernel',
      SYSLOG_FACILITY: '0',
      _SOURCE_MONOTONIC_TIMESTAMP: String(micros),
      MESSAGE: text,
    };
    return { micros: have.bootMicros + micros, by: 'kernel', pid: '-', message: text, fields };
  });
  const entries = [...programs, ...kernel].sort((a, b) => a.micros - b.micros);
  return { name, entries, bootMicros: have.bootMicros };
}

const subjects = CAPTURES.map(subjectOf);

/** What is said, without where and when; the writer of the journal is not always a part of what syslog keeps. */
const saidBy = (observations: readonly Observation[]): string[] =>
  observations
    .filter(isSaid)
    .map(({ kind, ref }) => `${kind} ${ref.text}`)
    .sort();

/** Opened files as the readers take them. */
async function* readPieces(
  files: AsyncIterable<OpenedFile>,
): AsyncGenerator<{ path: string; lines: AsyncIterable<Line> }> {
  for await (const { path, pieces } of files) yield { path, lines: linesOfStream(pieces) };
}

/** What the entries say as `-o json` of our own code. */
async function expectedOf({ entries, bootMicros }: Subject): Promise<readonly Observation[]> {
  const lines = entries.map(({ micros, fields }) =>
    JSON.stringify({
      ...fields,
      __REALTIME_TIMESTAMP: String(micros),
      __MONOTONIC_TIMESTAMP: String(micros - bootMicros),
      _HOSTNAME: 'node-1',
    }),
  );
  return (await readTexts({ 'journal.json': `${lines.join('\n')}\n` })).observations;
}

/** The forms of the journal, by how far a time in it may be from the true one. */
const FORMS: readonly (readonly [form: string, options: readonly string[], withinMs: number])[] = [
  ['json', [], 0],
  ['json-pretty', [], 0],
  ['json-sse', [], 0],
  ['json-seq', [], 0],
  ['export', [], 0],
  ['verbose', [], 0],
  ['short-precise', [], 1000],
  ['short', [], 1000],
  ['short-iso', [], 1000],
  ['short-iso-precise', [], 1],
  ['short-full', ['--utc'], 1000],
  ['short-unix', [], 1],
  ['with-unit', ['--utc'], 1000],
];

describe.skipIf(JOURNAL_REMOTE === undefined || JOURNALCTL === undefined)(
  'a journal that the real programs wrote and printed (systemd-journal-remote, journalctl)',
  () => {
    it.each(subjects)('says the same in each form: $name', async (subject) => {
      const expected = await expectedOf(subject);
      expect(expected.filter(isSaid).length).toBeGreaterThan(5);
      /** The first victim of a group kill is printed twice. */
      const timesOf = (text: string): number[] =>
        expected.flatMap(({ ref, at }) => (ref.text === text ? [at ?? Number.NaN] : []));
      const printed = await withJournalFile(subject.entries, subject.bootMicros, (file) =>
        FORMS.map(([form, options]) => printByJournalctl(file, ['-o', form, ...options])),
      );
      for (const [index, [form, , withinMs]] of FORMS.entries()) {
        const { observations } = await readTexts({ 'journal.txt': printed[index] ?? '' });
        expect(saidBy(observations), form).toEqual(saidBy(expected));
        for (const { at, ref } of observations.filter(isSaid))
          expect(
            timesOf(ref.text).some((time) => Math.abs((at ?? 0) - time) <= withinMs),
            `${form}: ${ref.text} at ${at}`,
          ).toBe(true);
      }
    });

    it.each(subjects)('says the same as the file itself: $name', async (subject) => {
      const expected = saidBy(await expectedOf(subject));
      await withJournalFile(subject.entries, subject.bootMicros, async (file) => {
        const reading = new BundleReading(BUNDLE_LIMITS);
        const { observations, unknown } = await readBundle(
          readPieces(openBundle([file], Readable.from([]), reading)),
        );
        expect(reading.problems).toEqual([]);
        expect(unknown).toEqual([]);
        expect(saidBy(observations)).toEqual(expected);
      });
    });
  },
);

describe.skipIf(RSYSLOGD === undefined)('a log that the real rsyslogd wrote', () => {
  const sent = subjects.flatMap((subject) => SENT.map((how) => ({ ...subject, how })));
  it.each(sent)('says the same by each template: $name over $how', async ({ how, ...subject }) => {
    const expected = saidBy(await expectedOf(subject));
    for (const [template, text] of Object.entries(await writeByRsyslog(subject.entries, how))) {
      const { observations } = await readTexts({ 'var/log/messages': text });
      expect(saidBy(observations), template).toEqual(expected);
    }
  });
});
