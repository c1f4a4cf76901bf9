import { closeSync, readSync, statSync } from 'node:fs';
import { BEGINNINGS } from '../../model/files/beginnings.ts';
import { openRegular } from './open-file.ts';

/** What a file turns out to be: `name` is for a reader. */
export interface FileKind {
  readonly is: 'x86-kernel' | 'x86-64-program' | 'folder' | 'other';
  readonly name: string;
}

/** Beginnings of files that somebody could name by mistake. */
const KNOWN: readonly (readonly [hexadecimal: string, name: string])[] = [
  [BEGINNINGS.gzip, 'a file compressed by gzip'],
  [BEGINNINGS.xz, 'a file compressed by xz'],
  [BEGINNINGS.zstd, 'a file compressed by zstd'],
  [BEGINNINGS.zip, 'a zip archive'],
  ['213c617263683e0a', 'a .deb package or library'],
  ['2321', 'a script'],
  ['cffaedfe', 'a program of macOS'],
  ['4d5a', 'a program of Windows'],
];

/** The machines of ELF programs that a developer may have built for (e_machine of elf.h). */
const MACHINES: Readonly<Record<number, string>> = { 3: 'i386', 40: 'ARM', 183: 'arm64', 243: 'RISC-V' };
const X86_64 = 62;
const RELOCATABLE = 1;
/** Enough for the header of a bzImage and of an archive. */
const HEAD_BYTES = 4096;

/**
 * Looks at what a file or folder that is there really is, by its first bytes.
 *
 * @throws HostError LAB_STATE_FILE when it may not be read.
 */
export function findKind(path: string): FileKind {
  const stats = statSync(path);
  if (stats.isDirectory()) return { is: 'folder', name: 'a folder' };
  if (!stats.isFile()) return { is: 'other', name: 'a device, pipe or socket' };
  const file = openRegular(path);
  if (file === undefined) return { is: 'other', name: 'nothing' };
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return kindOf(head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0)));
  } finally {
    closeSync(file);
  }
}

function kindOf(head: Buffer): FileKind {
  if (head.length === 0) return { is: 'other', name: 'an empty file' };
  // Documentation/arch/x86/boot.rst, "header": a kernel with an EFI stub also begins like a program of Windows.
  if (head.length > 0x210 && head.toString('latin1', 0x202, 0x206) === 'HdrS')
    return { is: 'x86-kernel', name: 'a kernel image (bzImage)' };
  if (head.length >= 20 && head.toString('latin1', 0, 4) === '\x7fELF') return kindOfElf(head);
  const known = KNOWN.find(([beginning]) => head.toString('hex').startsWith(beginning));
  if (known !== undefined) return { is: 'other', name: known[1] };
  if (head.length > 262 && head.toString('latin1', 257, 262) === 'ustar')
    return { is: 'other', name: 'a tar archive' };
  return { is: 'other', name: head.includes(0) ? 'a file of other bytes' : 'a text file' };
}

function kindOfElf(head: Buffer): FileKind {
  const machine = head.readUInt16LE(18);
  if (machine !== X86_64) return { is: 'other', name: `a program for ${MACHINES[machine] ?? 'another CPU'}` };
  return head.readUInt16LE(16) === RELOCATABLE
    ? { is: 'other', name: 'an object file' }
    : { is: 'x86-64-program', name: 'a program for x86-64' };
}
