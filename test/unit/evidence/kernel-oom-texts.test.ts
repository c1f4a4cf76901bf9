/**
 * What other kernels write. The texts have the form of public reports, each named where it is used; pids, ids and sizes
 * are our own.
 */
import { describe, expect, it } from 'vitest';
import {
  ID,
  kernel,
  kill,
  killsOf,
  limited,
  POD,
  SIZES,
  SLICE,
  skipped,
  summary,
  tasks,
} from './kernel-lines.ts';

describe('a kill that names another process than the choice', () => {
  it.each([
    // 3.10.0-327.el7, https://github.com/kubernetes/kubernetes/issues/56891
    ['a thread', ['java', 24572, 'java', 28438], `Killed process 28438 (java) ${SIZES}`],
    // 3.10.0 of RHEL 7.7 on, https://github.com/linux-test-project/ltp/issues/1080
    ['with its user', ['t', 7, 't', 7], `Killed process 7 (t), UID 0, ${SIZES}, shmem-rss:0kB`],
    // 4.15 to 4.19, https://github.com/bluek8s/kubedirector/issues/356
    ['a child', ['bash', 62685, 'cp', 62769], `Killed process 62769 (cp) ${SIZES}, shmem-rss:0kB`],
    // https://github.com/cri-o/cri-o/issues/1975
    ['a stage of runc', ['runc', 87, 'runc:[2:INIT]', 97], `Killed process 97 (runc:[2:INIT]) ${SIZES}`],
  ] as const)('belongs to it: %s', (_, [chosenComm, chosenPid, comm, pid], killed) => {
    const found = kernel(
      `${chosenComm} invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=-998`,
      limited,
      `Memory cgroup out of memory: Kill process ${chosenPid} (${chosenComm}) score 0 or sacrifice child`,
      killed,
    );
    expect(found).toMatchObject([
      { kind: 'kernel-oom-context', pid: chosenPid, oomMemcg: POD, ranOut: 'cgroup' },
      { kind: 'kernel-killed', pid },
    ]);
    const wanted = { pid, comm, scope: 'memcg', cgroup: `${POD}/${ID}`, limit: POD, line: 3 };
    expect(killsOf(found)).toMatchObject([wanted]);
  });

  it('belongs to a summary without constraint and the choice behind it', () => {
    // A 3.10 with a vendor's patches, from a public report of a `docker exec` that hung forever.
    const found = kernel(
      `oom-kill:,cpuset=${ID},mems_allowed=0-1,oom_memcg=${POD},task_memcg=${POD}/${ID},task=runc:[2:INIT],pid=12800,uid=0`,
      'Memory cgroup out of memory: Kill process 12800 (runc:[2:INIT]) score 997 or sacrifice child',
      `Killed process 12788 (runc:[2:INIT]) ${SIZES}, shmem-rss:1012kB`,
    );
    expect(found).toHaveLength(2);
    expect(found[0]).toMatchObject({ ranOut: 'cgroup', pid: 12800 });
    expect(killsOf(found)).toMatchObject([{ pid: 12788, cgroup: `${POD}/${ID}`, line: 1 }]);
  });

  it('belongs to the summary of a new kernel, unless the next report may have gone unprinted', () => {
    expect(killsOf(kernel(summary(7), kill(8, 'y')))).toMatchObject([{ pid: 8, line: 1 }]);
    expect(killsOf(kernel(summary(7), 1500, kill(8)))).toMatchObject([{ pid: 8, line: undefined }]);
    const nine = Array.from({ length: 9 }, (_, index) => [summary(index + 20), kill(index + 20)]).flat();
    expect(killsOf(kernel(...nine, summary(7), kill(8))).at(-1)).toMatchObject({ pid: 8, line: undefined });
    expect(killsOf(kernel(...nine, summary(7), kill(7))).at(-1)).toMatchObject({ pid: 7, line: 19 });
    expect(killsOf(kernel(...nine, 6000, summary(7), kill(8))).at(-1)).toMatchObject({ pid: 8, line: 19 });
  });

  it('belongs to nothing once the choice was carried out, skipped, or about another memory', () => {
    const global = `Out of memory: Killed process 8 (y) ${SIZES}`;
    const called = 'x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0';
    for (const texts of [
      [summary(7), kill(7), kill(8)],
      [summary(7), skipped(7), kill(8)],
      [summary(7), global],
      [summary(7), called, kill(8)],
    ])
      expect(killsOf(kernel(...texts)).at(-1)).toMatchObject({ pid: 8, cgroup: undefined });
  });

  it('has no context when its report was left out, whoever was chosen before', () => {
    const found = kernel(
      limited,
      'Memory cgroup out of memory: Kill process 7 (x) score 9 or sacrifice child',
      `Killed process 7 (x) ${SIZES}`,
      'Memory cgroup out of memory: Kill process 9 (y) score 9 or sacrifice child',
      `Killed process 9 (y) ${SIZES}`,
    );
    expect(killsOf(found)).toMatchObject([
      { pid: 7, cgroup: `${POD}/${ID}` },
      { pid: 9, scope: 'memcg', cgroup: undefined },
    ]);
  });
});

describe('a report', () => {
  it('of RHEL 8.1 has the limit, and the kill without any choice', () => {
    // 4.18.0-147.el8: the text of the limit is 4.18's, that of the kill 5.1's.
    const found = kernel(limited, kill(7, 'java'));
    expect(found).toMatchObject([
      { kind: 'kernel-oom-context', pid: 7, comm: 'java', oomMemcg: POD, taskMemcg: `${POD}/${ID}` },
      { kind: 'kernel-killed', pid: 7, context: { ref: { line: 1 } } },
    ]);
    expect(killsOf(kernel(limited, kill(7), kill(8))).at(-1)).toMatchObject({ cgroup: undefined });
  });

  it.each([
    // linux-mm, April 2023, "mm: oom: introduce cpuset oom"
    ['CPUSET', 'nodemask=(null),cpuset=test,mems_allowed=0', 'numa-nodes'],
    // linux-mm, May 2022, "mm: oom: Introduce per numa node oom for CONSTRAINT_MEMORY_POLICY"
    ['MEMORY_POLICY', 'nodemask=1,cpuset=/,mems_allowed=0-2', 'numa-nodes'],
    ['NONE', 'nodemask=(null),cpuset=/,mems_allowed=0', 'machine'],
  ])('without a cgroup, with CONSTRAINT_%s, says whose memory ran out', (constraint, bound, ranOut) => {
    const found = kernel(
      `oom-kill:constraint=CONSTRAINT_${constraint},${bound},global_oom,task_memcg=/user.slice/a,task=a.out,pid=7,uid=0`,
      `Out of memory: Killed process 7 (a.out) ${SIZES}`,
    );
    expect(found[0]).toMatchObject({ global: true, ranOut });
    expect(killsOf(found)).toMatchObject([{ scope: 'global', cgroup: '/user.slice/a' }]);
  });

  it('of old kernels does not say what binds an allocation that no cgroup limits', () => {
    // 3.10.0-327.13.1.el7, https://access.redhat.com/solutions/2612861
    const found = kernel(
      'Out of memory: Kill process 43805 (keystone-all) score 249 or sacrifice child',
      `Killed process 43805 (keystone-all) ${SIZES}`,
    );
    expect(found[0]).toMatchObject({ global: true, ranOut: undefined });
    expect(killsOf(found)).toMatchObject([{ scope: 'global', line: 1 }]);
  });

  it('that was printed in pieces is put together, and no other line is', () => {
    const [head = '', tail = ''] = summary(7).split(/(?<=mems_allowed=0)/);
    const whole = kernel(summary(7), kill(7));
    for (const flags of ['c', '+', 'c,caller=T7']) {
      const found = kernel(
        `6,1,1000010,-;${head}`,
        `6,2,1000011,${flags};${tail}`,
        `3,3,1000020,-;${kill(7)}`,
      );
      expect(found.map((observation) => observation.kind)).toEqual(
        whole.map((observation) => observation.kind),
      );
      expect(killsOf(found)).toMatchObject([{ cgroup: `${POD}/${ID}`, line: 1 }]);
    }
    const apart = kernel(`6,1,1000010,-;${head}`, '6,2,1000011,-;noise', `6,3,1000012,c;${tail}`);
    expect(apart).toEqual([]);
  });

  it('by hand of Linux 3.x has the order 0', () => {
    // 3.16.0-6-amd64, https://github.com/sonic-net/sonic-buildimage/pull/2988
    const asked = 'SysRq : Manual OOM execution';
    const by = (comm: string): string =>
      `${comm} invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=0`;
    const chosen = 'Out of memory: Kill process 7 (x) score 9 or sacrifice child';
    expect(kernel(asked, by('kworker/1:2'), chosen)[0]).toMatchObject({
      byHand: [{ text: asked }, { text: by('kworker/1:2') }],
    });
    expect(kernel(asked, by('java'), chosen)[0]).toMatchObject({ byHand: undefined });
  });
});

describe('a group kill', () => {
  it('takes its members with it, also when some were dying already', () => {
    // 5.10 or newer; the order is that of a pod of many `stress`: the first victim comes once more, in the middle.
    const found = kernel(
      summary(12),
      kill(12),
      tasks(SLICE),
      kill(10, 'sleep'),
      kill(12),
      skipped(14),
      kill(15),
      1500,
      kill(16),
    );
    expect(killsOf(found)).toMatchObject([
      { pid: 12, line: 1, group: undefined },
      { pid: 10, line: undefined, group: 3 },
      { pid: 12, line: 1, group: 3 },
      { pid: 15, line: undefined, group: 3 },
      { pid: 16, line: undefined, group: undefined },
    ]);
  });

  it.each([
    ['that was killed', POD, [summary(12), kill(12)], 1],
    ['that was ending already', POD, [summary(12), skipped(12)], 1],
    ['whose report the rate limit dropped', POD, [summary(9), kill(9), kill(12)], undefined],
    [
      'that was ending already, and whose report was dropped',
      POD,
      [summary(9), kill(9), skipped(12)],
      undefined,
    ],
    ['of no report at all', POD, [kill(12)], undefined],
    ['of which no line is left, behind a kill in another cgroup', SLICE, [summary(9), kill(9)], undefined],
    [
      'of which no line is left, behind a kill in a cgroup of like name',
      `${POD}/5f3c`,
      [summary(9), kill(9)],
      undefined,
    ],
  ])('has the limit of its first victim, %s', (_, cgroup, before, line) => {
    const groups = kernel(...before, tasks(cgroup), kill(10)).filter(
      (record) => record.kind === 'kernel-group-kill',
    );
    expect(groups.map(({ context }) => context?.ref.line)).toEqual([line]);
  });
});

describe('the reaper', () => {
  const reaped = (pid: number): string =>
    `oom_reaper: reaped process ${pid} (java), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB`;

  it('says nothing new of a kill that was printed', () => {
    expect(kernel(kill(7, 'java'), reaped(7)).map((record) => record.kind)).toEqual(['kernel-killed']);
  });

  it('is all that is left of a kill that was not', () => {
    expect(kernel(reaped(7))).toMatchObject([{ kind: 'kernel-reaped', pid: 7, comm: 'java' }]);
    expect(kernel('oom_reaper: unable to reap pid:9 (a (b))')).toMatchObject([
      { kind: 'kernel-reaped', pid: 9, comm: 'a (b)' },
    ]);
    // Pids are used again.
    expect(kernel(kill(7), 3_600_000, reaped(7)).map((record) => record.kind)).toContain('kernel-reaped');
  });
});

describe('the kernel says', () => {
  it.each([
    // 3.16.0-6-amd64, https://github.com/sonic-net/sonic-buildimage/pull/2988
    ['Kernel panic - not syncing: Out of memory: compulsory panic_on_oom is enabled\\x0a', 'panic-on-oom'],
    ['Kernel panic - not syncing: Out of memory: system-wide panic_on_oom is enabled', 'panic-on-oom'],
    // 5.10.35, https://github.com/tempesta-tech/tempesta/issues/1789
    ['Kernel panic - not syncing: System is deadlocked on memory', 'panic-on-oom'],
    // 4.4, https://github.com/OpenNuvoton/NUC980-linux-4.4.y/issues/94
    ['Kernel panic - not syncing: Out of memory and no killable processes...', 'panic-on-oom'],
    ['Kernel panic - not syncing: Fatal exception', 'oops'],
    ['Unable to handle kernel NULL pointer dereference at virtual address 0000000000000004', 'oops'],
    ['Internal error: Oops: 0000000096000004 [#1] SMP', 'oops'],
    ['invalid opcode: 0000 [#1] SMP NOPTI', 'oops'],
    ['general protection fault, probably for non-canonical address 0x1: 0000 [#1] PREEMPT SMP', 'oops'],
    ['NMI watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [java:812]', 'stall'],
    ['BUG: soft lockup - CPU#3 stuck for 22s! [java:812]', 'stall'],
    ['INFO: rcu_sched self-detected stall on CPU { 0}  (t=5250 jiffies g=1 c=0 q=1)', 'stall'],
    ['rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-... }', 'stall'],
  ])('%s', (text, about) => {
    expect(kernel(text)).toMatchObject([{ kind: 'kernel-said', about }]);
  });

  it('that no process can be killed, which ends nothing in a cgroup', () => {
    expect(kernel('Out of memory and no killable processes...')).toEqual([]);
  });

  it.each([
    // 5.x and newer, show_signal_msg()
    ['main[812]: segfault at 0 ip 000055f219757658 sp 00007ffeddc80670 error 6 in main[55f2+5000]', 812],
    ['a[1]: b[813]: segfault at 1 ip 0000559331bbcc6c sp 00007ffe error 4', 813],
    ['traps: main[814] general protection fault ip:56395c9d3e68 sp:7ffd error:0 in main[5639+4000]', 814],
    ['traps: main[815] general protection ip:56395c9d3e68 sp:7ffd error:0', 815],
  ])('%s', (text, pid) => {
    expect(kernel(text)).toMatchObject([{ kind: 'kernel-said', about: 'segfault', pid }]);
  });

  it('a seccomp record as Linux 3.10 has it', () => {
    const text =
      'type=1326 audit(1.2:3): auid=4294967295 uid=0 gid=0 ses=4294967295 pid=77 comm="x" sig=31 syscall=59 compat=0 ip=0x7f code=0x0';
    expect(kernel(text)).toMatchObject([{ about: 'seccomp', pid: 77 }]);
  });
});

describe('an oops', () => {
  const lines = (task: string): string[] => [
    // 4.19.25, https://github.com/coreos/bugs/issues/2647
    'BUG: unable to handle kernel NULL pointer dereference at 0000000000000000',
    'PGD 80000002ec2c0067 P4D 80000002ec2c0067 PUD 3c1d6f067 PMD 0',
    'Oops: 0000 [#1] SMP PTI',
    task,
    'Hardware name: QEMU Standard PC',
  ];

  it.each([
    'CPU: 7 PID: 14232 Comm: node_exporter Not tainted 4.19.25 #1',
    'CPU: 7 UID: 0 PID: 14232 Comm: node_exporter Not tainted 6.12.0 #1',
  ])('is of the task that the CPU was in: %s', (task) => {
    expect(kernel(...lines(task))).toMatchObject([
      { about: 'oops', pid: 14232 },
      { about: 'oops', pid: 14232, ref: { text: 'Oops: 0000 [#1] SMP PTI' } },
    ]);
  });

  it('is not of a task that is named much later, nor of one before', () => {
    const task = 'CPU: 7 PID: 14232 Comm: node_exporter Not tainted 4.19.25 #1';
    expect(kernel('Oops: 0000 [#1]', 5000, task)).toMatchObject([{ pid: undefined }]);
    expect(kernel(task, 'Oops: 0000 [#1]')).toMatchObject([{ pid: undefined }]);
  });
});
