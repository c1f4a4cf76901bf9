import { describe, expect, it } from 'vitest';
import { readBundle } from '../../../../lab/evidence/bundle/read-bundle.ts';
import { parseContainerd } from '../../../../lab/evidence/containerd.ts';
import { parseKmsg } from '../../../../lab/evidence/kmsg.ts';
import { parseKubelet } from '../../../../lab/evidence/kubelet.ts';
import { linesOf } from '../../../../lab/evidence/lines.ts';
import { parseSystem } from '../../../../lab/evidence/system.ts';
import type { Observation } from '../../../../lab/model/evidence/observation.ts';
import { loadCapture, sampledCaptureNames } from '../../../fixtures/evidence/load-capture.ts';
import { DMESG, entriesOf, JOURNALS, printByDmesg } from './other-formats.ts';

const read = async (files: Readonly<Record<string, string>>): Promise<readonly Observation[]> => {
  const { observations } = await readBundle(
    Object.entries(files).map(([path, text]) => ({ path, lines: linesOf(text) })),
  );
  return observations;
};

const isSaid = ({ kind }: Observation): boolean =>
  kind !== 'lost' && kind !== 'covered' && kind !== 'kernel-log-ended';

/** What a record says, without where and when. */
const saidBy = (observations: readonly Observation[]): string[] =>
  observations.filter(isSaid).map((observation) => {
    const { kind, ref } = observation;
    const more =
      kind === 'kernel-killed'
        ? ` ${observation.context?.ref.text ?? 'no report'} ${observation.group?.cgroup}`
        : '';
    return `${kind} ${ref.text}${more}`;
  });

const kernelLogs = sampledCaptureNames()
  .map((name) => ({ name, kmsg: loadCapture(name).files.get('node-1/kmsg.log') ?? '' }))
  .filter(({ kmsg }) => /Killed process|segfault|type=1326|fork rejected/.test(kmsg))
  .slice(0, 12);

describe('a kernel log of a capture', () => {
  it('is there in several kinds', () => {
    expect(kernelLogs.length).toBeGreaterThan(7);
  });

  it.each(Object.entries(DMESG))('says the same as %s', async (_name, options) => {
    for (const { name, kmsg } of kernelLogs) {
      const expected = saidBy(parseKmsg(kmsg, 'node-1/kmsg.log', (micros) => micros / 1000));
      const found = await read({ 'dmesg.txt': printByDmesg(kmsg, options) });
      expect(saidBy(found), name).toEqual(expected);
    }
  });

  it('says the same raw, at the same lines, beside a journal that has it too', async () => {
    for (const { name, kmsg } of kernelLogs) {
      const expected = parseKmsg(kmsg, 'kmsg', (micros) => micros / 1000).filter(isSaid);
      const printed = printByDmesg(kmsg, []).replaceAll(/^/gm, 'Nov 21 05:30:53 node-1 kernel: ');
      const found = await read({ kmsg, 'kern.log': printed });
      const seen = found.filter(isSaid).map(({ kind, ref }) => `${kind} ${ref.file}:${ref.line}`);
      expect(seen, name).toEqual(expected.map(({ kind, ref }) => `${kind} ${ref.file}:${ref.line}`));
    }
  });
});

const PARSERS = { containerd: parseContainerd, kubelet: parseKubelet, system: parseSystem };
/** A busy node writes its journal seconds after the program wrote the line. */
const LATE_MS = 20_000;

/** Captures whose journals name the programs that wrote; the one that was written by hand does not. */
const journaled = sampledCaptureNames()
  .map((name) => ({ name, files: loadCapture(name).files }))
  .filter(({ files }) => entriesOf(files.get('node-1/kubelet.jsonl') ?? '').every(({ by }) => by !== ''))
  .slice(0, 15);

describe('the journals of a capture', () => {
  it.each(Object.entries(JOURNALS))('say the same as %s', async (_name, print) => {
    for (const { name, files } of journaled) {
      const journals = Object.entries(PARSERS).flatMap(([source, parse]) => {
        const path = `node-1/${source}.jsonl`;
        const text = files.get(path);
        return text === undefined ? [] : [{ path, text, expected: parse(text, path).filter(isSaid) }];
      });
      const entries = journals.flatMap(({ text }) => entriesOf(text)).sort((a, b) => a.micros - b.micros);
      const found = await read({ 'journal.txt': entries.map((entry) => `${print(entry)}\n`).join('') });
      const expected = journals.flatMap((journal) => journal.expected);
      const seen = found.filter(isSaid);
      expect(saidBy(seen).sort(), name).toEqual(saidBy(expected).sort());
      const timesOf = (all: readonly Observation[]): Map<string, number | undefined> =>
        new Map(all.map((observation) => [observation.ref.text, observation.at]));
      const times = timesOf(expected);
      for (const [text, at] of timesOf(seen))
        expect(Math.abs((at ?? 0) - (times.get(text) ?? 0)), `${name}: ${text}`).toBeLessThan(LATE_MS);
    }
  });
});
