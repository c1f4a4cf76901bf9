import { describe, expect, it } from 'vitest';
import { parseKmsg } from '../../../lab/evidence/kmsg.ts';
import { ID, kernel, POD } from './kernel-lines.ts';

const OWN = `${POD}/${ID}`;

function summaryOf(comm: string, taskMemcg = OWN): string {
  return `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=${ID},mems_allowed=0,oom_memcg=${POD},task_memcg=${taskMemcg},task=${comm},pid=812,uid=0`;
}

describe('a name in the kernel log', () => {
  it.each([
    ',task=a,pid=1',
    ',pid=1,uid=0',
    'task_memcg=/',
    'a,task=b',
    ') total-vm:1kB',
    'a (b) [1]: c',
    '',
    String.raw`\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa4\xc3\xb6\xc3\xbc`,
  ])('is a name, not a field of the line: %s', (comm) => {
    const killed = `Memory cgroup out of memory: Killed process 812 (${comm}) total-vm:1kB, anon-rss:1kB`;
    expect(kernel(summaryOf(comm), killed)).toMatchObject([
      { kind: 'kernel-oom-context', pid: 812, comm, taskMemcg: OWN, oomMemcg: POD },
      { kind: 'kernel-killed', pid: 812, comm, context: { taskMemcg: OWN } },
    ]);
  });

  it('of a nested cgroup is a path, not a field of the line', () => {
    const nested = `${OWN}/x,task=a,pid=1,uid=0`;
    expect(kernel(summaryOf('worker', nested))).toMatchObject([
      { pid: 812, comm: 'worker', taskMemcg: nested },
    ]);
  });
});

describe('broken hardware', () => {
  it.each([
    // mm/memory-failure.c of 4.18 and later, of 4.5, and of 2.6.32; arch/x86/mm/fault.c; arch/x86/kernel/cpu/mce
    'Memory failure: 0x8f2a1: Sending SIGBUS to main:812 due to hardware memory corruption',
    'Memory failure: 0x1840200: Killing a:1 due to:812 due to hardware memory corruption',
    'MCE 0x8f2a1: Killing main:812 early due to hardware memory corruption',
    'MCE: Killing main:812 due to hardware memory corruption fault at 4631e000',
    'Memory failure: 0xedbe201: forcibly killing main:812 because of failure to unmap corrupted page',
  ])('is told of a process: %s', (text) => {
    expect(kernel(text)).toMatchObject([{ kind: 'kernel-said', about: 'memory-failure', pid: 812 }]);
  });

  it('that the kernel got along with is told of nobody', () => {
    expect(kernel('Memory failure: 0x8f2a1: recovery action for dirty LRU page: Recovered')).toEqual([]);
  });
});

describe('the log of two boots', () => {
  const END = 'whodunit: the cell is over';
  const boot = (pid: number, first: number, micros: number): string[] => [
    `6,${first},${micros},-;Linux version 6.1.0`,
    `4,${first + 1},${micros + 900},-;Memory cgroup out of memory: Killed process ${pid} (main) total-vm:1kB`,
    `6,${first + 2},${micros + 950},-;something of ${pid}`,
  ];
  const own = [...boot(1, 1, 1000), `12,4,3000,-;${END}`];
  const read = (lines: readonly string[]) =>
    parseKmsg(lines.map((line) => `${line}\n`).join(''), 'node-1/kmsg.log', (micros) => micros / 1000, {
      end: END,
    });
  const pidsOf = (lines: readonly string[]): number[] =>
    read(lines).flatMap((record) => (record.kind === 'kernel-killed' ? [record.pid] : []));

  it.each([
    ['behind it', [...own, ...boot(2, 1, 500)]],
    ['before it', [...boot(2, 1, 500_000_000), ...own]],
    ['before it, without its beginning', [...boot(2, 70_000, 500_000_000).slice(1), ...own]],
  ])('is that of the boot with the last line of the lab: the other is %s', (_, lines) => {
    expect(pidsOf(lines)).toEqual([1]);
    expect(read(lines).filter((record) => record.kind === 'lost')).toEqual([]);
  });

  it('is not read as one where the lines are mixed', () => {
    const mixed = own.flatMap((line, index) => [line, ...boot(2, 1, 500).slice(index, index + 1)]);
    expect(read(mixed)).toContainEqual(expect.objectContaining({ kind: 'lost', source: 'kmsg' }));
  });

  it('is one boot when its lines are in another order, or written twice', () => {
    expect(pidsOf([...own].reverse())).toEqual([1]);
    expect(pidsOf([...own, ...own])).toEqual([1, 1]);
  });
});
