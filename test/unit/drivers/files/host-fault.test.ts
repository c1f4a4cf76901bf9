import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeHostFault } from '../../../../lab/drivers/files/host-fault.mjs';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-host-fault-'));
  writeFileSync(join(folder, 'file'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** As Node makes it. Most hosts have no quotas, and no test may use up their files. */
function refused(code: string, path: string, syscall = 'open'): Error {
  return Object.assign(new Error(`${code}: refused, ${syscall} '${path}'`), { code, path, syscall });
}

describe('what the host refuses', () => {
  it.each<[string, string, string, RegExp, RegExp]>([
    ['EMFILE', 'x', 'LAB_ACCESS', /this process may not open more files/, /ulimit -n 4096/],
    ['ENFILE', 'x', 'LAB_ACCESS', /this machine may not open more files/, /sysctl fs\.file-max/],
    ['ENOSPC', 'x', 'LAB_DISK', /the disk is full: \S*x could not be written/, /whodunit gc/],
    [
      'EDQUOT',
      'x',
      'LAB_DISK',
      /the disk quota of this user is used up: \S*x could not/,
      /WHODUNIT_HOME=<folder>/,
    ],
    ['EFBIG', 'x', 'LAB_DISK', /a file may not become so large: \S*x/, /ulimit -f unlimited/],
    ['EROFS', 'x', 'LAB_DISK', /the disk is read-only: \S*x/, /findmnt -T/],
    ['EIO', 'x', 'LAB_DISK', /the disk cannot read or write \S*x/, /sudo dmesg/],
    ['EISDIR', 'x', 'LAB_ACCESS', /x is a folder, and a file is needed there/, /name a file/],
    ['ELOOP', 'x', 'LAB_ACCESS', /the links on the way to \S*x lead in a circle/, /namei/],
    ['ENAMETOOLONG', 'x', 'LAB_ACCESS', /a path is too long for this file system/, /name a shorter one/],
    ['ENOTDIR', 'file/x', 'LAB_ACCESS', /file is a file, and a folder is needed there/, /name a folder/],
    ['EEXIST', 'file', 'LAB_ACCESS', /file is a file, and a folder is needed there/, /name a folder/],
    ['ENOENT', 'none/x', 'LAB_ACCESS', /the folder \S*none does not exist/, /mkdir -p/],
  ])('with %s is said with the path and the line that mends it', (code, name, as, says, mends) => {
    const fault = describeHostFault(refused(code, join(folder, name)));
    expect(fault).toMatchObject({ code: as });
    expect(fault?.message).toMatch(says);
    expect(fault?.tryNext).toMatch(mends);
  });

  it('is not guessed from an error that no system call made', () => {
    expect(describeHostFault(Object.assign(new Error('x'), { code: 'EDQUOT' }))).toBeUndefined();
    expect(describeHostFault(refused('EWHATEVER', folder))).toBeUndefined();
  });
});
