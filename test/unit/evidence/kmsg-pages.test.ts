import { describe, expect, it } from 'vitest';
import { loadCapture, realCaptureNames } from '../../fixtures/evidence/load-capture.ts';

/** PAGE_SIZE of x86-64: the kernel's table of processes counts pages, its line about the victim kB (mm/oom_kill.c). */
const PAGE_KB = 4;
/** Head of the table up to Linux 6.7; later ones say of which kind the pages are, in columns of their own. */
const HEAD = '[  pid  ]   uid  tgid total_vm      rss ';
const ROW = /\[ *(\d+)\] +\d+ +\d+ +\d+ +(\d+) /;
const KILLED = /Killed process (\d+) \(.*anon-rss:(\d+)kB, file-rss:(\d+)kB, shmem-rss:(\d+)kB/;

interface Victim {
  /** Of the table, in pages. */
  readonly pages: number;
  /** Of the line, in kB: its three kinds together. */
  readonly kb: number;
}

/** Every victim of the kernel's killer that stands in the table before the line which names it. */
function listVictims(log: string): Victim[] {
  const pagesOf = new Map<string, number>();
  return log.split('\n').flatMap((line): Victim[] => {
    if (line.includes(HEAD)) pagesOf.clear();
    const [, pid, rss] = ROW.exec(line) ?? [];
    if (pid !== undefined) pagesOf.set(pid, Number(rss));
    const [, killed = '', ...kinds] = KILLED.exec(line) ?? [];
    const pages = pagesOf.get(killed);
    return pages === undefined ? [] : [{ pages, kb: kinds.reduce((sum, size) => sum + Number(size), 0) }];
  });
}

describe('the memory of a victim in the table of processes of the kernel', () => {
  const victims = realCaptureNames().flatMap((name) =>
    [...loadCapture(name).files].flatMap(([path, text]) =>
      /\/kmsg[^/]*\.log$/.test(path) ? listVictims(text) : [],
    ),
  );

  it('is in pages of 4 KiB: so many kB stand in the line that names it', () => {
    const equal = victims.filter(({ pages, kb }) => pages * PAGE_KB === kb);
    expect(victims.length).toBeGreaterThanOrEqual(80);
    expect(equal.length / victims.length).toBeGreaterThan(0.9);
  });

  it('is at most half a MiB behind the line: the victim goes on until it is named', () => {
    for (const { pages, kb } of victims) {
      expect(kb - pages * PAGE_KB).toBeGreaterThanOrEqual(0);
      expect(kb - pages * PAGE_KB).toBeLessThan(512);
    }
  });
});
