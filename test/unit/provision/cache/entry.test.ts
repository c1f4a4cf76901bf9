import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../../lab/model/host/host.ts';
import type { Inputs } from '../../../../lab/model/components/inputs.ts';
import type { EntryKind } from '../../../../provision/cache/entry-kind.ts';
import { ensureEntry, explainMiss, type Making } from '../../../../provision/cache/entry.ts';
import { readRecord } from '../../../../provision/cache/read-record.ts';
import { createQuietHost } from '../../../quiet-host.ts';

/** The largest pid of Linux on 64 bits: nobody has it. */
const NOBODY = 4194303;

let folder: string;
let host: Host;
let kind: EntryKind<string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-entry-'));
  const clock = { now: () => 5_000_000, elapsed: () => 5_000_000, sleep: () => Promise.resolve() };
  host = createQuietHost(folder, { clock });
  kind = {
    title: 'cake',
    folder: join(folder, 'cakes'),
    holds: (name) => name.startsWith('cake-'),
    nameOf: ({ size = '' }) => `cake-${size}`,
    find: (path) => {
      if (readRecord(join(path, 'record.json')) === undefined || !existsSync(join(path, 'dough')))
        return undefined;
      return readFileSync(join(path, 'dough'), 'utf8');
    },
    findInputs: (path) => readRecord(join(path, 'record.json')) as Inputs | undefined,
    usedFile: (path) => join(path, 'record.json'),
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Bakes a cake; `told` gets what the maker was told. */
function bake(inputs: Inputs, dough = 'dough', told: Making[] = []): Promise<string> {
  const make = async (making: Making): Promise<void> => {
    told.push(making);
    mkdirSync(making.out);
    writeFileSync(join(making.out, 'dough'), dough);
    writeFileSync(join(making.out, 'record.json'), JSON.stringify(inputs));
  };
  return ensureEntry(host, { kind, inputs, make });
}

describe('an entry of the cache', () => {
  it('is made once, and then found', async () => {
    const told: Making[] = [];
    expect(await bake({ size: '1' }, 'first', told)).toBe('first');
    expect(await bake({ size: '1' }, 'second', told)).toBe('first');
    expect(told.map(({ why }) => why)).toEqual(['there is none in the cache']);
    expect(readdirSync(kind.folder)).toEqual(['cake-1']);
  });

  it('bears the time of its last use', async () => {
    await bake({ size: '1' });
    await bake({ size: '1' });
    expect(statSync(join(kind.folder, 'cake-1', 'record.json')).mtimeMs).toBe(5_000_000);
  });

  it('leaves nothing behind when it cannot be made', async () => {
    const make = (): Promise<void> => Promise.reject(new Error('no flour'));
    await expect(ensureEntry(host, { kind, inputs: { size: '1' }, make })).rejects.toThrow('no flour');
    expect(readdirSync(kind.folder)).toEqual([]);
  });

  it('is refused when its maker left out a part', async () => {
    const make = async ({ out }: Making): Promise<void> => void mkdirSync(out);
    await expect(ensureEntry(host, { kind, inputs: { size: '1' }, make })).rejects.toThrow('not whole');
  });

  it('may be a file, in a folder of the folder', async () => {
    const file = {
      ...kind,
      nameOf: () => 'tins/cake-1',
      find: (path: string) => (existsSync(path) ? path : undefined),
    };
    const make = async ({ out }: Making): Promise<void> => writeFileSync(out, 'tin');
    const path = await ensureEntry(host, {
      kind: { ...file, usedFile: (entryPath) => entryPath },
      inputs: {},
      make,
    });
    expect(readFileSync(path, 'utf8')).toBe('tin');
    expect(readdirSync(kind.folder)).toEqual(['tins']);
  });

  it('that is damaged is replaced', async () => {
    await bake({ size: '1' }, 'first');
    rmSync(join(kind.folder, 'cake-1', 'dough'));
    const told: Making[] = [];
    expect(await bake({ size: '1' }, 'second', told)).toBe('second');
    expect(told[0]?.why).toBe('the cake in the cache is damaged');
  });

  it('is made by one of the labs that want it at once, and the others say for whom they wait', async () => {
    const notes: string[] = [];
    const bothWait = new Promise<void>((done) => {
      const note = (text: string): void => void (notes.push(text) === 2 && done());
      host = { ...host, progress: { ...host.progress, note } };
    });
    let made = 0;
    const make = async ({ out }: Making): Promise<void> => {
      made += 1;
      await bothWait;
      mkdirSync(out);
      writeFileSync(join(out, 'dough'), 'dough');
      writeFileSync(join(out, 'record.json'), '{}');
    };
    const want = () => ensureEntry(host, { kind, inputs: { size: '1' }, make });
    expect(await Promise.all([want(), want(), want()])).toEqual(['dough', 'dough', 'dough']);
    expect(made).toBe(1);
    for (const text of notes) expect(text).toMatch(/^waiting for .*, which makes the cake$/);
    expect(readdirSync(kind.folder)).toEqual(['cake-1']);
  });

  it('is made by the next lab when the one that made it fails', async () => {
    let waiting = host;
    const hasToWait = new Promise<void>((done) => {
      waiting = { ...host, progress: { ...host.progress, note: () => done() } };
    });
    let next: Promise<string> | undefined;
    const fail = async (): Promise<void> => {
      host = waiting;
      next = bake({ size: '1' }, 'next');
      await hasToWait;
      throw new Error('no flour');
    };
    await expect(ensureEntry(host, { kind, inputs: { size: '1' }, make: fail })).rejects.toThrow('no flour');
    expect(await next).toBe('next');
  });

  it('does not keep a lab waiting that is interrupted', async () => {
    const stop = new AbortController();
    const waiting = createQuietHost(folder, {
      signal: stop.signal,
      progress: { ...host.progress, note: () => stop.abort() },
    });
    const make = async (): Promise<void> => {
      await expect(
        ensureEntry(waiting, { kind, inputs: { size: '1' }, make: () => Promise.resolve() }),
      ).rejects.toMatchObject({ code: 'LAB_INTERRUPTED' });
      throw new Error('enough');
    };
    await expect(ensureEntry(host, { kind, inputs: { size: '1' }, make })).rejects.toThrow('enough');
  });

  it('is made after the work of dead labs is removed, and not that of one that lives', async () => {
    const [dead, older, living] = [
      `.building-${NOBODY}-x`,
      `.bake-${NOBODY}-x`,
      `.building-${process.pid}-x`,
    ];
    for (const name of [dead, older, living]) mkdirSync(join(kind.folder, name, 'half'), { recursive: true });
    await bake({ size: '1' });
    expect(readdirSync(kind.folder).sort()).toEqual([living, 'cake-1']);
  });
});

describe('why an entry is not there', () => {
  it('names the inputs that differ from the nearest one, of equals from the first by name', async () => {
    await bake({ size: '1', flour: 'rye', sugar: 'brown' });
    await bake({ size: '2', flour: 'wheat', sugar: 'white' });
    expect(explainMiss(kind, { size: '3', flour: 'wheat', sugar: 'white' })).toBe('size was 2, is 3');
    expect(explainMiss(kind, { size: '3', flour: 'wheat', sugar: 'brown' })).toBe(
      'flour was rye, is wheat; size was 1, is 3',
    );
  });

  it('says that there was none, whatever else lies there', () => {
    expect(explainMiss(kind, { size: '1' })).toBe('there is none in the cache');
    mkdirSync(join(kind.folder, 'pie-1'), { recursive: true });
    mkdirSync(join(kind.folder, `.building-${process.pid}-x`));
    expect(explainMiss(kind, { size: '1' })).toBe('there is none in the cache');
  });

  it('says which ones do not tell what they were made of', () => {
    mkdirSync(join(kind.folder, 'cake-old'), { recursive: true });
    mkdirSync(join(kind.folder, 'cake-cut'));
    writeFileSync(join(kind.folder, 'cake-cut', 'record.json'), '{"size": ');
    expect(explainMiss(kind, { size: '1' })).toBe('what cake-cut, cake-old was made of is not written down');
  });
});
