import { describe, expect, it } from 'vitest';
import { isSaid, ofKind, OOM, readTexts } from './read-texts.ts';

/** A report of a machine whose kernel crashed before has its log of then, too. */

const LINUX = '[    0.000000] Linux version 6.1.0-28-amd64\n';
const log = (...texts: readonly string[]): string =>
  LINUX + texts.map((text, index) => `[  252.04497${index}] ${text}\n`).join('');
const PANIC = 'Kernel panic - not syncing: sysrq triggered crash';
const NOW = {
  'sos_commands/kernel/dmesg': log(...OOM),
  'proc/stat': 'cpu  1 2 3 4\nbtime 1795212586\n',
  'proc/vmstat': 'nr_free_pages 1000\npgfault 5\noom_kill 1\n',
};
const OTHER = OOM.map((text) => text.replaceAll('1735', '99'));

describe('the log of a kernel that crashed', () => {
  it.each([
    ['of kdump', 'var/crash/127.0.0.1-2026-11-19-10:00:00/vmcore-dmesg.txt', log(...OTHER)],
    ['of kdump-tools', 'var/crash/202611191000/dmesg.202611191000', log(...OTHER)],
    ['of pstore', 'var/lib/systemd/pstore/1795000000/dmesg.txt', log(...OTHER)],
    ['by another name, which ends in a panic', 'crash.txt', log(...OTHER, PANIC)],
  ])('%s has no time, and is of another boot', async (_what, path, crashed) => {
    const read = await readTexts({ ...NOW, [path]: crashed });
    const kills = ofKind(read, 'kernel-killed');
    const [own, other] = [kills.find(({ pid }) => pid === 1735), kills.find(({ pid }) => pid === 99)];
    expect(own?.at).toBeCloseTo(1795212586000 + 252045, 0);
    expect(other).toBeDefined();
    expect(other?.at).toBeUndefined();
    expect(other?.boot).not.toBe(own?.boot);
    expect(ofKind(read, 'covered').filter(({ source }) => source === 'kmsg')).toHaveLength(1);
    expect(read.problems.join('\n')).toContain(`${path}: it is of a boot that ended in a crash`);
  });

  it('is of this boot where the machine started again in it', async () => {
    const read = await readTexts({ 'kern.log': log(PANIC) + log(...OOM), 'proc/stat': NOW['proc/stat'] });
    expect(ofKind(read, 'kernel-killed').map(({ at }) => at !== undefined)).toEqual([true]);
  });

  it.each([
    ['since the boot', (text: string) => text],
    [
      'with times',
      (text: string) =>
        text.replaceAll(/^\[.*?\] (.*)$/gm, (_, words: string) =>
          words.includes('pid=99') || words.includes('process 99')
            ? `2026-11-20T20:00:00+00:00 node-1 kernel: ${words}`
            : `2026-11-20T22:00:00+00:00 node-1 kernel: ${words}`,
        ),
    ],
  ])('no kill of an earlier boot in it is of the boot of the counters: a log %s', async (_what, form) => {
    const both = form(log(...OTHER).replace(LINUX, '') + log(...OOM));
    const read = await readTexts({ 'kern.log': both, 'proc/vmstat': NOW['proc/vmstat'] });
    const [beat] = ofKind(read, 'node-beat');
    const boots = new Map(ofKind(read, 'kernel-killed').map(({ pid, boot }) => [pid, boot]));
    expect(boots.get(1735)).toBe(beat?.boot);
    expect(boots.get(99)).toBeDefined();
    expect(boots.get(99)).not.toBe(beat?.boot);
  });

  it('no memory of it is evidence: a vmcore has the bytes of its log', async () => {
    const vmcore = new TextEncoder().encode(`KDUMP   ${'\0'.repeat(4088)}\u0001\u0002${log(...OTHER)}\0`);
    const read = await readTexts({ ...NOW, 'var/crash/127.0.0.1-2026-11-19-10:00:00/vmcore': vmcore });
    expect(read.observations.filter(isSaid).filter(({ ref }) => ref.file.endsWith('/vmcore'))).toEqual([]);
  });
});
