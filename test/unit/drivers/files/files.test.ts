import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  appendLine,
  listFolder,
  readJson,
  readLines,
  writeJsonAtomic,
  writePrivateText,
} from '../../../../lab/drivers/files/files.ts';
import { HostError } from '../../../../lab/model/errors/errors.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'whodunit-files-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('files of the state folder', () => {
  it('are read back as written, and leave no temporary file', () => {
    const path = join(folder, 'deep/result.json');
    writeJsonAtomic(path, { a: 1 });
    writeJsonAtomic(path, { a: 2 });
    expect(readJson(path)).toEqual({ a: 2 });
    expect(readdirSync(join(folder, 'deep'))).toEqual(['result.json']);
  });

  it('are for their owner alone when they are private', () => {
    const path = join(folder, 'kubeconfig');
    writePrivateText(path, 'secret');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('that do not exist are nothing, not an error', () => {
    expect(readJson(join(folder, 'no.json'))).toBeUndefined();
    expect(readLines(join(folder, 'no.jsonl'))).toEqual([]);
    expect(listFolder(join(folder, 'no'))).toEqual([]);
  });

  it('that are no JSON are named', () => {
    const path = join(folder, 'broken.json');
    writeFileSync(path, '{"a":');
    expect(() => readJson(path)).toThrow(HostError);
    expect(() => readJson(path)).toThrow(path);
  });

  it('of a full disk are named', () => {
    const full = expect.objectContaining({ code: 'LAB_DISK', exitCode: 3 }) as Error;
    // Every write to it fails with ENOSPC (full(4)).
    expect(() => appendLine('/dev/full', 'one')).toThrow(full);
  });

  it('are never written through a link that somebody left under the name of the unfinished file', () => {
    const path = join(folder, 'report.html');
    const other = join(folder, 'other');
    writeFileSync(other, 'as it was');
    symlinkSync(other, `${path}.${process.pid}.tmp`);
    writeJsonAtomic(path, { a: 1 });
    expect(readFileSync(other, 'utf8')).toBe('as it was');
    expect(readJson(path)).toEqual({ a: 1 });
  });

  it('grow line by line', () => {
    const path = join(folder, 'events.jsonl');
    appendLine(path, 'one');
    appendLine(path, 'two');
    expect(readLines(path)).toEqual(['one', 'two']);
  });
});
