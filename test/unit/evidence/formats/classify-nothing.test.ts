import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../random.ts';
import { cases, SEED } from '../../../fixtures/properties.ts';
import { readTexts } from '../bundle/read-texts.ts';

const random = createRandom(SEED);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const some = (most: number, make: () => string, between: string): string =>
  Array.from({ length: 1 + Math.floor(random() * most) }, make).join(between);

const WORDS =
  'the kernel killed a pod and nobody knows why memory cgroup out of process limit Nov 20 21:53:58 error 137 OOMKilled kubelet: containerd[1]: kernel: restart node-1 default/eater [ 240.1] I1120 12:00 time="x" msg= 2026-11-20 {} [] - # // apiVersion kind'.split(
    ' ',
  );
const word = (): string => pick(WORDS);
const number = (): string => String(Math.floor(random() * 10_000));
const sentence = (): string => some(14, word, ' ');
const day = (): string => `2026-11-${String(1 + Math.floor(random() * 28)).padStart(2, '0')}`;

const json = (depth: number): unknown => {
  const kind = random();
  if (depth === 0 || kind < 0.4) return pick([word(), Math.floor(random() * 1000), true, null, day()]);
  if (kind < 0.6) return Array.from({ length: Math.floor(random() * 5) }, () => json(depth - 1));
  return Object.fromEntries(
    Array.from({ length: Math.floor(random() * 6) }, () => [
      pick([
        'name',
        'kind',
        'metadata',
        'status',
        'items',
        'time',
        'level',
        'msg',
        'id',
        'type',
        'object',
        word(),
      ]),
      json(depth - 1),
    ]),
  );
};

/** Texts of many kinds, none of which is evidence, with words that evidence has. */
const KINDS: Readonly<Record<string, () => string>> = {
  prose: () => some(40, sentence, '\n'),
  'a page about a kill': () =>
    some(
      20,
      () =>
        pick([
          sentence(),
          '    Memory cgroup out of memory: Killed process 12 (x)',
          '## dmesg says',
          '- `kubectl get pods`',
          '',
        ]),
      '\n',
    ),
  code: () =>
    some(
      40,
      () =>
        pick([
          `  const ${word()} = ${number()};`,
          'if (x) {',
          '}',
          `func ${word()}() error {`,
          `# ${sentence()}`,
          'import os',
          `log.Printf("${word()}")`,
        ]),
      '\n',
    ),
  csv: () => some(60, () => [day(), number(), word(), `${day()}T10:00:00Z`, number()].join(','), '\n'),
  'JSON of other things': () => JSON.stringify(json(4), null, pick([undefined, 1, 2, 4])),
  'JSON lines of other things': () => some(20, () => JSON.stringify({ ...(json(3) as object), n: 1 }), '\n'),
  'YAML of other things': () =>
    some(
      30,
      () =>
        `${pick(['', '  ', '- '])}${pick(['name', 'on', 'jobs', 'version', 'image', 'replicas'])}: ${word()}`,
      '\n',
    ),
  'an access log': () =>
    some(
      50,
      () =>
        `10.0.0.${number()} - - [20/Nov/2026:21:53:58 +0000] "GET /${word()} HTTP/1.1" ${number()} ${number()}`,
      '\n',
    ),
  'a log of a program': () => some(50, () => `${day()} 21:53:58,${number()} ERROR ${sentence()}`, '\n'),
  'a stack trace': () => some(40, () => `\tat ${word()}.${word()}(${word()}.java:${number()})`, '\n'),
  'a table': () => some(40, () => `${word().padEnd(20)} ${number().padEnd(8)} ${word()}`, '\n'),
  'key and value': () => some(40, () => `${word().toLowerCase()}=${number()}`, '\n'),
  bytes: () => String.fromCharCode(...Array.from({ length: 400 }, () => Math.floor(random() * 256))),
  nothing: () => '',
};

describe('a file that is no evidence', () => {
  it.each(Object.entries(KINDS))('is not taken for evidence: %s', async (_kind, make) => {
    const texts = Array.from({ length: cases(360) }, make);
    const files = Object.fromEntries(texts.map((text, index) => [`${index}.txt`, text]));
    const { unknown, observations } = await readTexts(files);
    const taken = texts.filter((_, index) => !unknown.includes(`${index}.txt`));
    expect(taken).toEqual([]);
    expect(observations).toEqual([]);
  });
});
