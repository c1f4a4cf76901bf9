import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { autopsy } from '../../../lab/library/index.ts';

const INPUT = 'test/fixtures/pastes/p01-oom-dmesg-T/input';
const POD = readFileSync(join(INPUT, 'pod.yaml'), 'utf8');
const KERNEL = readFileSync(join(INPUT, 'dmesg.txt'), 'utf8');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-hostile-input-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function killerOf(files: Readonly<Record<string, string | Uint8Array>>): Promise<string | undefined> {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const { deaths } = await autopsy([folder]);
  return deaths[0]?.attribution.killer;
}

const eventOf = (word: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: 'v1',
        kind: 'Event',
        reason: word,
        type: word,
        involvedObject: { kind: word, name: word },
      },
      { apiVersion: 'v1', kind: word, metadata: { name: word } },
    ],
  });

/** Nine times ten aliases: a thousand million words. */
const BOMB = Array.from({ length: 9 }, (_, level) => {
  const inner = level === 0 ? 'x' : `*a${level - 1}`;
  return `  k${level}: &a${level} [${Array.from({ length: 10 }, () => inner).join(', ')}]\n`;
}).join('');

describe('evidence of a stranger', () => {
  it.each(['__proto__: {a: b}', '__proto__:\n  namespace: forged', 'constructor: x', '_x: y'])(
    'keeps its pod and namespace behind a field that no object has: %j',
    async (field) => {
      const pod = POD.replace('namespace: default', 'namespace: prod');
      writeFileSync(join(folder, 'pod.yaml'), pod.replace('metadata:', `${field}\nmetadata:`));
      writeFileSync(join(folder, 'dmesg.txt'), KERNEL);
      const { deaths } = await autopsy([folder]);
      expect(deaths.map((death) => death.pod)).toEqual(['prod/eater']);
    },
  );

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'may have the built-in word %s as a kind, a name, a reason and a key',
    async (word) => {
      const keyed = POD.replace('metadata:', `${word}: { polluted: true }\nmetadata:`);
      const files = {
        'dmesg.txt': KERNEL,
        'pod.yaml': keyed.replace(/reason: OOMKilled/g, `reason: ${word}`),
        'events.json': eventOf(word),
      };
      expect(await killerOf(files)).toBe('memcg-oom');
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );

  it.each<[string, Readonly<Record<string, string | Uint8Array>>]>([
    ['aliases that grow', { 'bomb.yaml': `apiVersion: v1\nkind: Pod\nz:\n${BOMB}` }],
    ['an alias of itself', { 'self.yaml': 'apiVersion: v1\nkind: Pod\nx: &x { y: *x }\n' }],
    ['a bomb in gzip', { 'bomb.gz': gzipSync(gzipSync(new Uint8Array(50_000_000))) }],
    ['times that no calendar has', { 'pod2.yaml': POD.replace(/At: .*/g, 'At: "+275760-09-13T00:00:01Z"') }],
    ['one name in two forms of Unicode', { '\u00e9.log': KERNEL, 'e\u0301.log': KERNEL }],
    ...['.', '~', '\0', '"a"', '{', 'a ', '> ', '[ 1.0] '].map((fill): [string, Record<string, string>] => [
      `a line of megabytes of ${JSON.stringify(fill)}`,
      { 'long.log': `x${fill.repeat(4_500_000 / fill.length)}\n${fill.repeat(4_500_000 / fill.length)}\n` },
    ]),
    ...['.', '"a"', '{', '> ', 'a=1 '].map((fill): [string, Record<string, string>] => {
      const text = `x${fill.repeat(4_000_000 / fill.length)}`;
      const journal = { __REALTIME_TIMESTAMP: '1763675637000000', _PID: '1', MESSAGE: text };
      const event = {
        apiVersion: 'v1',
        kind: 'Event',
        reason: 'x',
        message: text,
        involvedObject: { kind: 'Pod' },
      };
      return [
        `a message of megabytes of ${JSON.stringify(fill)}`,
        {
          'journal.json': `${JSON.stringify({ ...journal, _COMM: 'kubelet' })}\n`,
          'kernel.json': `${JSON.stringify({ ...journal, _TRANSPORT: 'kernel' })}\n`,
          'event.json': JSON.stringify(event),
        },
      ];
    }),
  ])('does no harm to what is beside it: %s', async (_, files) => {
    expect(await killerOf({ 'dmesg.txt': KERNEL, 'pod.yaml': POD, ...files })).toBe('memcg-oom');
  });

  it('may be an object in one line that is longer than any line of a log', async () => {
    const pod = parse(POD) as { metadata: object };
    const annotations = { note: 'x'.repeat(600_000) };
    const text = JSON.stringify({ ...pod, metadata: { ...pod.metadata, annotations } });
    expect(await killerOf({ 'pod.json': text })).toBe('unknown');
  });
});
