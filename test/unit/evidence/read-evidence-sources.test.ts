import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { parseFullMs, parseBusyMs, parseProcessMs } from '../../../lab/drivers/host/host-load.ts';
import { parseContainerd } from '../../../lab/evidence/containerd.ts';
import { parseHost } from '../../../lab/evidence/host.ts';
import { parseKmsg } from '../../../lab/evidence/kmsg.ts';
import { linesOf, MAX_LINE_BYTES } from '../../../lab/evidence/lines.ts';
import { parseLeases, parseNodes } from '../../../lab/evidence/nodes.ts';
import { parsePods } from '../../../lab/evidence/pods.ts';
import { readEvidence } from '../../../lab/evidence/read-evidence.ts';
import { parseSystem } from '../../../lab/evidence/system.ts';
import { parseTasks } from '../../../lab/evidence/tasks.ts';
import { evidencePath } from '../../../lab/model/evidence/observation.ts';
import { CAST } from '../../fixtures/told/cast.ts';
import { Story } from '../../fixtures/told/story.ts';

const ID = '5f3c9d2a7be14086a1d0c4b8e96f27310d4a5be8c7f1920364ad5e8b7c6f1a02';
const journal = (message: string, by: string): string =>
  `${JSON.stringify({ __REALTIME_TIMESTAMP: '1760000008050000', MESSAGE: message, _COMM: by })}\n`;
const kernel = (...texts: string[]): ReturnType<typeof parseKmsg> =>
  parseKmsg(texts.map((text, index) => `4,${index + 1},1000,-;${text}\n`).join(''), 'f', (at) => at);

describe('the journal of the system', () => {
  it.each([
    ['systemd-logind', 'The system will reboot now!', { about: 'shutdown' }],
    ['systemd-logind', 'System is powering down.', { about: 'shutdown' }],
    ['systemd', 'Reached target reboot.target - System Reboot.', { about: 'shutdown' }],
    ['systemd', 'a.scope: A process of this unit has been killed by the OOM killer.', { about: 'oom-seen' }],
    ['systemd', 'a.service: Killing process 12 (x (y)) with signal SIGKILL.', { about: 'kill', pid: 12 }],
    [
      'systemd-oomd',
      'Killed /kubepods.slice/a.slice due to memory used (9) / total (10) and swap used (9)',
      { about: 'kill', cgroup: '/kubepods.slice/a.slice' },
    ],
    [
      'earlyoom',
      'sending SIGKILL to process 77 uid 0 "a": badness 900, VmRSS 9 MiB',
      { about: 'kill', pid: 77 },
    ],
  ])('of %s says: %s', (by, message, said) => {
    expect(parseSystem(journal(message, by), 'f')).toMatchObject([{ kind: 'system-said', by, ...said }]);
    expect(parseSystem(journal(message, 'impostor'), 'f')).toEqual([]);
  });
});

describe("containerd's own events", () => {
  const head = '2025-10-09 08:53:26.5 +0000 UTC k8s.io';

  it('tell the exit of a container from that of a process added to it', () => {
    const text =
      `${head} /tasks/exit {"container_id":"${ID}","id":"exec-1","pid":9,"exit_status":1}\n` +
      `${head} /tasks/exit {"container_id":"${ID}","id":"${ID}","pid":8}\n` +
      `${head} /tasks/oom {"container_id":"${ID}"}\n${head} /images/create {"name":"x"}\n`;
    expect(parseTasks(text, 'f')).toMatchObject([
      {
        kind: 'runtime-exit',
        execId: 'exec-1',
        exitStatus: 1,
        pid: 9,
        at: Date.parse('2025-10-09T08:53:26.5Z'),
      },
      { kind: 'runtime-exit', execId: undefined, exitStatus: 0, containerId: ID },
      { kind: 'runtime-oom', containerId: ID },
    ]);
  });

  it('that are broken are lost, unless the stream was cut there', () => {
    expect(parseTasks(`${head} /tasks/exit {"cont`, 'f')).toEqual([]);
    expect(parseTasks('what?\n', 'f')).toMatchObject([{ kind: 'lost', source: 'tasks' }]);
  });

  it('are told apart in the journal too', () => {
    const exec = `TaskExit event &TaskExit{ContainerID:${ID},ID:exec-1,Pid:9,ExitStatus:1}`;
    const main = `TaskExit event &TaskExit{ContainerID:${ID},ID:${ID},Pid:9,ExitStatus:1}`;
    const parsed = parseContainerd(journal(exec, 'containerd') + journal(main, 'containerd'), 'f');
    expect(parsed.map((observation) => ('execId' in observation ? observation.execId : '?'))).toEqual([
      'exec-1',
      undefined,
    ]);
    expect(
      parseContainerd(journal('containerd successfully booted in 0.1s', 'containerd'), 'f'),
    ).toMatchObject([{ kind: 'runtime-restarted' }]);
  });
});

describe('the API', () => {
  const line = (object: object): string =>
    `${JSON.stringify({ at: '2025-10-09T08:53:26Z', type: 'MODIFIED', object })}\n`;

  it('tells the boot id, the bad conditions and the taints of a node', () => {
    const object = {
      metadata: { name: 'node-1' },
      spec: { taints: [{ key: 'a', effect: 'NoExecute' }] },
      status: {
        nodeInfo: { bootID: 'b1' },
        conditions: [
          { type: 'Ready', status: 'Unknown' },
          { type: 'MemoryPressure', status: 'True' },
        ],
      },
    };
    const [node] = parseNodes(line(object), 'nodes.jsonl');
    expect(node).toMatchObject({ name: 'node-1', bootId: 'b1', taints: ['a:NoExecute'] });
    expect(node?.ref.text).toBe('node-1: Ready=Unknown, MemoryPressure=True, boot id b1');
  });

  it('tells when a node renewed its lease, and no other lease', () => {
    const lease = {
      metadata: { name: 'node-1', namespace: 'kube-node-lease' },
      spec: { renewTime: '2025-10-09T08:53:20.5Z' },
    };
    const other = { ...lease, metadata: { name: 'x', namespace: 'kube-system' } };
    expect(parseLeases(line(lease) + line(other), 'f')).toMatchObject([
      { node: 'node-1', at: 1760000000500 },
    ]);
  });

  it('tells who disrupts a pod', () => {
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'm',
    };
    const pod = (status: string): object => ({
      metadata: {},
      spec: {},
      status: { conditions: [{ ...condition, status }] },
    });
    expect(parsePods(line(pod('True')), 'f')).toMatchObject([
      { disruption: { reason: 'EvictionByEvictionAPI' } },
    ]);
    expect(parsePods(line(pod('False')), 'f')).toMatchObject([{ disruption: undefined }]);
  });
});

describe('the host', () => {
  it('is read from its own files', () => {
    expect(parseBusyMs('cpu  10 2 3 900 50 4 1 7 5 0\ncpu0 1 1 1 1\n')).toBe(200);
    expect(parseProcessMs('12 (a) b) S 1 1 1 0 -1 0 0 0 0 0 30 12 0 0 20 0 1 0 5')).toBe(420);
    expect(parseProcessMs('')).toBe(0);
    expect(parseFullMs('some avg10=0 total=9\nfull avg10=0.1 avg60=0 avg300=0 total=4500\n')).toBe(4.5);
    expect(parseFullMs('')).toBeUndefined();
  });

  it('leaves out what it does not have', () => {
    expect(
      parseHost('{"at":1,"monotonicMs":5,"cpus":2,"busyMs":3,"ownMs":4}\n{"at":1}\n', 'f'),
    ).toMatchObject([
      { kind: 'host-load', monotonicMs: 5, memoryFullMs: undefined },
      { kind: 'lost', source: 'host' },
    ]);
  });
});

describe('the kernel log', () => {
  it('of Linux 4.19 and older spreads one kill over three lines', () => {
    const parsed = kernel(
      'Task in /kubepods/a/b killed as a result of limit of /kubepods/a',
      'Memory cgroup out of memory: Kill process 7 (x (y)) score 9 or sacrifice child',
      'Killed process 7 (x (y)) total-vm:1kB, anon-rss:1kB, file-rss:0kB',
    );
    expect(parsed).toMatchObject([
      {
        kind: 'kernel-oom-context',
        oomMemcg: '/kubepods/a',
        taskMemcg: '/kubepods/a/b',
        pid: 7,
        global: false,
      },
      { kind: 'kernel-killed', scope: 'memcg', pid: 7, comm: 'x (y)' },
    ]);
    expect(kernel('Killed process 7 (x) total-vm:1kB')).toEqual([]);
  });

  describe('says who called the OOM killer', () => {
    const asked = 'sysrq: Manual OOM execution';
    const caller = (order: number): string =>
      `kworker/1:2 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=${order}, oom_score_adj=0`;
    const chosen =
      'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=x,mems_allowed=0,global_oom,task_memcg=/a,task=x,pid=7,uid=0';
    const linesByHand = (...texts: string[]): unknown[] =>
      kernel(...texts).flatMap((observation) =>
        observation.kind === 'kernel-oom-context' ? [observation.byHand?.map((ref) => ref.line)] : [],
      );

    it('by hand: the request, and the report with the order -1', () => {
      expect(linesByHand(asked, 'noise', caller(-1), 'Mem-Info:', chosen)).toEqual([[1, 3]]);
      expect(linesByHand(caller(-1), chosen)).toEqual([[1]]);
    });

    it('by hand, in the words of Linux 4.19', () => {
      const old =
        'kworker/0:1 invoked oom-killer: gfp_mask=0x6000c0(GFP_KERNEL), nodemask=(null), order=-1, oom_score_adj=0';
      const choice = 'Out of memory: Kill process 7 (x) score 9 or sacrifice child';
      expect(linesByHand('sysrq: SysRq : Manual OOM execution', old, choice)).toEqual([[1, 2]]);
    });

    it('not by hand, when an allocation failed, whatever was asked before it', () => {
      expect(linesByHand(caller(0), chosen)).toEqual([undefined]);
      expect(linesByHand(asked, caller(3), chosen)).toEqual([undefined]);
      expect(linesByHand(asked, chosen)).toEqual([undefined]);
    });

    it('for each report by itself', () => {
      expect(linesByHand(asked, caller(-1), chosen, caller(0), chosen)).toEqual([[1, 2], undefined]);
      expect(linesByHand(caller(0), chosen, asked, caller(-1), chosen)).toEqual([undefined, [3, 4]]);
      expect(linesByHand(asked, caller(-1), chosen, chosen)).toEqual([[1, 2], undefined]);
      expect(linesByHand(asked, caller(-1), 'nothing was killed', caller(0), chosen)).toEqual([undefined]);
    });
  });

  it.each([
    ['cgroup: fork rejected by pids controller in /a/b', { about: 'fork-rejected', cgroup: '/a/b' }],
    [
      'audit: type=1326 audit(1.2:3): auid=1 uid=0 pid=77 comm="sig=1 arch=" exe="/x" sig=31 arch=c000003e',
      { about: 'seccomp', pid: 77 },
    ],
    ['Out of memory: system-wide panic_on_oom is enabled', { about: 'panic-on-oom' }],
    ['BUG: kernel NULL pointer dereference', { about: 'oops' }],
    ['watchdog: BUG: soft lockup - CPU#0 stuck for 22s!', { about: 'stall' }],
    ['rcu: INFO: rcu_preempt self-detected stall on CPU', { about: 'stall' }],
  ])('says: %s', (text, said) => {
    expect(kernel(text)).toMatchObject([{ kind: 'kernel-said', ...said }]);
  });

  it('that begins too late, or was not read to its end, is lost', () => {
    const text = '6,5,9000,-;a\n';
    expect(parseKmsg(text, 'f', (at) => at, { from: 8000, end: 'z' })).toMatchObject([
      { kind: 'lost', why: expect.stringContaining('older records were overwritten') as string },
      { kind: 'lost', why: 'the kernel log was not read to its end' },
    ]);
    const whole = parseKmsg(`${text}12,6,9001,-;z\n`, 'f', (at) => at, { from: 9000, end: 'z' });
    expect(whole).toMatchObject([{ kind: 'kernel-log-ended', at: 9001, ref: { line: 2 } }]);
  });
});

describe('a log of any size', () => {
  /** So many bytes of a journal, made piece by piece; the last line is the one that counts. */
  function big(bytes: number, onSent: (sent: number) => void): { chunks: () => Generator<Uint8Array> } {
    const noise = Buffer.from(
      journal(`I1009 kubelet.go: "SyncLoop (housekeeping)" ${'x'.repeat(800)}`, 'kubelet').repeat(64),
    );
    return {
      chunks: function* () {
        for (let sent = 0; sent < bytes; sent += noise.length) {
          onSent(sent);
          yield noise;
        }
        yield Buffer.from(journal(`TaskOOM event &TaskOOM{ContainerID:${ID},}`, 'containerd'));
      },
    };
  }

  it('is read in bounded memory: 200 MB leave no trace but what was found', () => {
    // What is still held: other tests of this process leave garbage.
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const held = (): number => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = held();
    const readings: number[] = [];
    const log = big(200e6, (sent) => {
      if (sent / 40e6 > readings.length) readings.push(held() - before);
    });
    expect(parseContainerd(log, 'node-1/containerd.jsonl')).toMatchObject([
      { kind: 'runtime-oom', containerId: ID },
    ]);
    expect(readings).toHaveLength(5);
    expect(Math.max(...readings)).toBeLessThan(20e6);
  });

  it('is cut into lines wherever its pieces end', () => {
    const text = 'ä\nb\r\n\nlong line\nno end';
    for (let size = 1; size < 12; size += 1) {
      const bytes = Buffer.from(text);
      const chunks = function* (): Generator<Uint8Array> {
        for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
      };
      expect([...linesOf({ chunks })]).toEqual([...linesOf(text)]);
    }
    expect([...linesOf(text)].map((line) => [line.number, line.text, line.cut])).toEqual([
      [1, 'ä', false],
      [2, 'b', false],
      [4, 'long line', false],
      [5, 'no end', true],
    ]);
  });

  it('that is one line is not kept, and is no record', () => {
    const chunks = function* (): Generator<Uint8Array> {
      yield Buffer.from('{"MESSAGE":"');
      for (let sent = 0; sent < 3 * MAX_LINE_BYTES; sent += 1e6) yield Buffer.alloc(1e6, 'x');
      yield Buffer.from('"}\n');
    };
    const [line] = [...linesOf({ chunks })];
    expect(line?.text.length).toBe(MAX_LINE_BYTES);
    expect(parseContainerd({ chunks }, 'f')).toMatchObject([{ kind: 'lost' }]);
  });
});

describe('a stream in parts', () => {
  it('has a number in its name from the second on', () => {
    expect(evidencePath('witness', 'node-1')).toBe('node-1/witness.jsonl');
    expect(evidencePath('kmsg', 'node-1', 2)).toBe('node-1/kmsg.2.log');
  });

  it('ends a boot where another one follows, and is cut short where the same one does', () => {
    const parts = (bootId: string): string[] => {
      const capture = new Story().boot(bootId, 20, 2).tell({ killer: 'none' }, 2);
      return readEvidence(capture.files, capture.record)
        .filter((observation) => observation.kind === 'boot-ended' || observation.kind === 'lost')
        .map((observation) =>
          observation.kind === 'lost' ? observation.why : `${observation.bootId} ${observation.nextBootId}`,
        );
    };
    expect(parts('another')).toEqual([`${CAST.bootId} another`]);
    expect(parts(CAST.bootId)).toEqual(['the stop record is missing: the witness was cut short']);
  });
});
