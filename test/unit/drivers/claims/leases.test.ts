import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLeaseBook } from '../../../../lab/drivers/claims/leases.ts';
import { orderGarbage } from '../../../../lab/world/host/garbage.ts';
import type { Clock } from '../../../../lab/model/host/host.ts';

const clock: Clock = {
  now: () => Date.UTC(2026, 0, 2),
  elapsed: () => Date.UTC(2026, 0, 2),
  sleep: () => Promise.resolve(),
};
let home: string;
let path: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-leases-'));
  path = join(home, 'state/leases.jsonl');
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

describe('the lease book', () => {
  it('remembers what is taken until it is released, across openings, in the order taken', () => {
    const book = openLeaseBook(path, clock, 42);
    const first = book.take('domain', 'whodunit-1-default-node-1', 'default', 'qemu:///system');
    book.take('folder', '/state/worlds/default', 'default');
    expect(openLeaseBook(path, clock, 43).open()).toMatchObject([
      { kind: 'domain', target: 'whodunit-1-default-node-1', detail: 'qemu:///system', holder: 42 },
      { kind: 'folder', at: '2026-01-02T00:00:00.000Z' },
    ]);
    openLeaseBook(path, clock, 43).release(first);
    expect(book.open().map(({ kind }) => kind)).toEqual(['folder']);
  });

  it('is not made by a lab that only looks', () => {
    expect(openLeaseBook(path, clock, 42).open()).toEqual([]);
    expect(existsSync(path)).toBe(false);
  });

  it('loses only the line that a crash cut short, not the one written after it', () => {
    const book = openLeaseBook(path, clock, 42);
    book.take('port', '1', 'default');
    appendFileSync(path, '{"op":"take","lease":{"id":"cut","ki');
    book.take('port', '2', 'default');
    expect(book.open().map(({ target }) => target)).toEqual(['1', '2']);
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(4);
  });

  it('says what to do when it cannot be written', () => {
    writeFileSync(join(home, 'no-folder'), '');
    const book = openLeaseBook(join(home, 'no-folder/leases.jsonl'), clock, 42);
    expect(() => book.take('port', '1', 'default')).toThrowError(
      expect.objectContaining({ code: 'LAB_LEASES', exitCode: 3 }) as Error,
    );
  });
});

describe('the order of removal', () => {
  it('removes what uses before what is used', () => {
    const kinds = ['folder', 'port', 'pool', 'terraform', 'domain'] as const;
    const garbage = kinds.map((kind) => ({ kind, target: 'x', owner: 'x' }));
    expect(orderGarbage(garbage).map(({ kind }) => kind)).toEqual([
      'domain',
      'pool',
      'port',
      'terraform',
      'folder',
    ]);
  });
});
