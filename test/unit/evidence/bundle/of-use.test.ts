import { describe, expect, it } from 'vitest';
import { collectFile } from '../../../../lab/evidence/bundle/collect.ts';
import { OF_USE } from '../../../../lab/evidence/bundle/of-use.ts';
import { readBundle } from '../../../../lab/evidence/bundle/read-bundle.ts';
import type { LineSieve } from '../../../../lab/evidence/line-sieve.ts';
import { linesOf, linesOfStream, type Line } from '../../../../lab/evidence/lines.ts';
import { captureNames, loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { entriesOf, JOURNALS } from './other-formats.ts';

const journalOf = (name: string, form: string): string => {
  const { files } = loadCapture(name);
  return ['containerd', 'kubelet', 'system']
    .flatMap((source) => entriesOf(files.get(`node-1/${source}.jsonl`) ?? ''))
    .sort((a, b) => a.micros - b.micros)
    .map((entry) => `${JOURNALS[form]?.(entry) ?? ''}\n`)
    .join('');
};

describe('the sieve of large logs', () => {
  it.each(['journalctl -o short', 'journalctl -o json'])(
    'lets every line of %s pass that is kept',
    async (form) => {
      for (const name of captureNames()) {
        const text = journalOf(name, form);
        const found = await collectFile({ path: 'journal.txt', lines: linesOf(text) });
        const lines = text.split('\n');
        for (const { kept } of found === 'journal file' || 'silent' in found || 'other' in found ? [] : found)
          for (const { entry } of kept) {
            OF_USE.lastIndex = 0;
            const line = lines[entry.line - 1] ?? '';
            expect(OF_USE.test(line), `${name}: ${line}`).toBe(true);
          }
      }
    },
  );

  it('gives lines that fit with their numbers, the first one of each piece, and the last one', async () => {
    const text = Array.from(
      { length: 1000 },
      (_, index) => `${index + 1} ${index % 100 === 7 ? 'oom' : 'x'}\n`,
    ).join('');
    const bytes = Buffer.from(text);
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let from = 0; from < bytes.length; from += 777) yield bytes.subarray(from, from + 777);
    }
    const sieve: LineSieve = { pattern: /oom/g };
    const found: Line[] = [];
    for await (const line of linesOfStream(pieces(), sieve)) found.push(line);
    expect(found.map(({ number, text: said }) => said.startsWith(`${number} `))).not.toContain(false);
    const fitting = found.filter(({ text: said }) => said.endsWith('oom')).map(({ number }) => number);
    expect(fitting).toEqual(Array.from({ length: 10 }, (_, index) => index * 100 + 8));
    expect(found.at(-1)?.number).toBe(1000);
    expect(found.length).toBeLessThan(60);
  });

  it('changes nothing that a large journal says', async () => {
    const own = journalOf('oom-single-container', 'journalctl -o short');
    const other = 'Nov 21 03:23:59 ip-192-0-2-17 sshd[12]: Connection closed by 192.0.2.1 port 4 [preauth]\n';
    const bytes = Buffer.from(
      `${other.repeat(8000)}${own}${other.repeat(8000)}${own.replaceAll('eater', 'other')}`,
    );
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536);
    }
    const sieve: LineSieve = { pattern: undefined };
    const sifted = await readBundle([{ path: 'journal.txt', lines: linesOfStream(pieces(), sieve), sieve }]);
    const whole = await readBundle([{ path: 'journal.txt', lines: linesOf(bytes.toString()) }]);
    expect(sieve.pattern).toBe(OF_USE);
    const said = ({ observations }: typeof whole): unknown =>
      observations.filter(({ kind }) => kind !== 'covered');
    expect(said(sifted)).toEqual(said(whole));
    expect(sifted.sources[0]?.to).toBe(whole.sources[0]?.to);
    expect(sifted.sources[0]?.lines).toBe(whole.sources[0]?.lines);
  });
});
