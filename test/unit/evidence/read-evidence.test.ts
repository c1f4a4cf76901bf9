import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseContainerd } from '../../../lab/evidence/containerd.ts';
import { parseKmsg } from '../../../lab/evidence/kmsg.ts';
import { parseKubelet } from '../../../lab/evidence/kubelet.ts';
import { parsePods } from '../../../lab/evidence/pods.ts';
import { readEvidence } from '../../../lab/evidence/read-evidence.ts';
import { parseWitness } from '../../../lab/evidence/witness.ts';
import { judgeCapture, loadCapture } from '../../fixtures/evidence/load-capture.ts';

const ID = '5f3c9d2a7be14086a1d0c4b8e96f27310d4a5be8c7f1920364ad5e8b7c6f1a02';
const toWall = (micros: number): number => 1_000_000 + micros / 1000;
const kmsg = (...records: string[]) => parseKmsg(`${records.join('\n')}\n`, 'node-1/kmsg.log', toWall);
const journal = (message: unknown): string =>
  `${JSON.stringify({ __REALTIME_TIMESTAMP: '1760000008050000', MESSAGE: message })}\n`;

describe('the kernel log', () => {
  it('gives the summary and the kill of a memory cgroup OOM, on the wall clock', () => {
    const found = kmsg(
      '6,1,2704327686,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/labtest,task_memcg=/labtest/a,task=python3,pid=20053,uid=0',
      '3,2,2704327756,-;Memory cgroup out of memory: Killed process 20053 (python3) total-vm:30956kB, anon-rss:20224kB, file-rss:6616kB, shmem-rss:0kB, UID:0 pgtables:100kB oom_score_adj:0',
    );
    expect(found).toMatchObject([
      {
        kind: 'kernel-oom-context',
        global: false,
        oomMemcg: '/labtest',
        taskMemcg: '/labtest/a',
        pid: 20053,
      },
      { kind: 'kernel-killed', scope: 'memcg', pid: 20053, comm: 'python3', at: 1_000_000 + 2704327.756 },
    ]);
    expect(found[1]?.ref).toMatchObject({ source: 'kmsg', file: 'node-1/kmsg.log', line: 2 });
  });

  it('tells a global OOM, also with a bracketed cause and a name full of brackets', () => {
    const found = kmsg(
      '6,1,1,-;oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=x,mems_allowed=0,global_oom,task_memcg=/kubepods.slice/a,task=a,b,pid=7,uid=0',
      '3,2,1,-;Out of memory (oom_kill_allocating_task): Killed process 7 ((a) (b)) total-vm:1kB',
    );
    expect(found).toMatchObject([
      { global: true, oomMemcg: undefined, taskMemcg: '/kubepods.slice/a', comm: 'a,b', pid: 7 },
      { kind: 'kernel-killed', scope: 'global', pid: 7, comm: '(a) (b)' },
    ]);
  });

  it('is deaf to programs that write into /dev/kmsg', () => {
    const text = 'Memory cgroup out of memory: Killed process 7 (a) total-vm:1kB';
    expect(kmsg(`12,1,1,-;${text}`)).toEqual([]);
    expect(kmsg(`4,1,1,-,caller=T1;${text}`)).toHaveLength(1);
  });

  it('ignores a kernel line that only quotes an OOM', () => {
    expect(
      kmsg('6,1,1,-;audit: comm="Memory cgroup out of memory: Killed process 7 (a) total-vm:1kB"'),
    ).toEqual([]);
  });

  it('leaves out continuation lines and reports overwritten records', () => {
    const found = kmsg('6,1,1000,-;a', ' SUBSYSTEM=pci', '6,5,9000,-;b');
    expect(found).toMatchObject([
      { kind: 'lost', why: 'kmsg records 2 to 4 are missing', at: 1_000_001 },
      { kind: 'lost', at: 1_000_009 },
    ]);
  });

  it('reports a file that is empty or ends in the middle of a record', () => {
    expect(parseKmsg('', 'f', toWall)).toMatchObject([{ kind: 'lost', why: 'there are no kernel records' }]);
    expect(parseKmsg('6,1,1000,-;a\n6,2,10', 'f', toWall)).toMatchObject([{ kind: 'lost', at: 1_000_001 }]);
  });
});

describe('the witness', () => {
  const record = (seq: number, kind: string, fields: object = {}): string =>
    `${JSON.stringify({ seq, at: 1000 + seq, mono: seq * 1000, kind, ...fields })}\n`;

  it('without its stop record is lost from its last record on', () => {
    const whole = record(1, 'start') + record(2, 'stop');
    expect(parseWitness(whole, 'f').observations).toEqual([]);
    expect(parseWitness(record(1, 'start'), 'f').observations).toMatchObject([{ kind: 'lost', at: 1001 }]);
    expect(parseWitness(whole.slice(0, -5), 'f').observations).toMatchObject([{ kind: 'lost', at: 1001 }]);
  });

  it('maps the monotonic clock by its start record', () => {
    expect(parseWitness(record(1, 'start'), 'f').toWall?.(2500)).toBe(1002.5);
    expect(parseWitness(record(2, 'stop'), 'f').toWall).toBeUndefined();
  });

  it('leaves out signals that the target ignored', () => {
    const signal = { sig: 15, pid: 1, senderPid: 2, senderComm: 'sh', comm: 'x', code: 0 };
    const text =
      record(1, 'start') +
      record(2, 'signal', { ...signal, res: 1 }) +
      record(3, 'signal', { ...signal, res: 0 }) +
      record(4, 'stop');
    expect(parseWitness(text, 'f').observations).toMatchObject([
      { kind: 'signal-sent', at: 1003, signal: 15 },
    ]);
  });

  it('says of an exit which signal came before it, and that none did', () => {
    const signal = { sig: 9, pid: 7, comm: 'x', senderPid: 2, senderComm: 'sh', code: 0, res: 0 };
    const text =
      record(1, 'start') +
      record(2, 'exit', { pid: 7, comm: 'x' }) +
      record(3, 'signal', signal) +
      record(4, 'signal', { ...signal, sig: 15 }) +
      record(5, 'exit', { pid: 7, comm: 'x' }) +
      record(6, 'stop');
    const exits = parseWitness(text, 'f').observations.filter(
      (observation) => observation.kind === 'process-exited',
    );
    expect(exits.map((exit) => exit.ref.text)).toEqual([
      'pid 7 (x) ended, and the trace has no signal to it',
      'pid 7 (x) ended 2 ms after SIGKILL',
    ]);
  });

  it('says whom the OOM killer chose, and where', () => {
    const victim = { pid: 7, tid: 9, comm: 'x', raw: 'x-9 [000] …: mark_victim: pid=9' };
    const text =
      record(1, 'start') +
      record(2, 'oom-victim', { ...victim, cgroup: '/kubepods.slice' }) +
      record(3, 'oom-victim', { ...victim, comm: '', cgroup: '' }) +
      record(4, 'stop');
    expect(parseWitness(text, 'f').observations).toMatchObject([
      { kind: 'oom-victim', pid: 7, ref: { text: 'the OOM killer chose pid 7 (x) in /kubepods.slice' } },
      { kind: 'oom-victim', pid: 7, ref: { text: 'the OOM killer chose pid 7' } },
    ]);
  });

  it('dates by the clock of the trace, so that a signal never follows the exit it caused', () => {
    const signal = { at: 1010, mono: 5000, sig: 9, pid: 7, comm: 'x', senderPid: 2, senderComm: 'sh' };
    const text =
      record(1, 'start') +
      record(2, 'signal', signal) +
      record(3, 'exit', { at: 1005, mono: 5200, pid: 7, comm: 'x' }) +
      record(4, 'stop');
    const times = parseWitness(text, 'f').observations.map((observation) => observation.at);
    expect(times).toEqual([1005, 1005.2]);
  });

  it('says that the trace was lost, as its own source', () => {
    const text =
      record(1, 'start') + record(2, 'lost', { source: 'trace', why: 'no tracefs' }) + record(3, 'stop');
    expect(parseWitness(text, 'f').observations).toMatchObject([
      { kind: 'lost', source: 'witness', at: undefined, ref: { source: 'trace' } },
    ]);
  });
});

describe('the journals', () => {
  it.each([
    [
      `time="x" level=info msg="TaskOOM event &TaskOOM{ContainerID:${ID},XXX_unrecognized:[],}"`,
      { kind: 'runtime-oom' },
    ],
    [`time="x" level=info msg="TaskOOM event container_id:\\"${ID}\\""`, { kind: 'runtime-oom' }],
    [
      `time="x" level=info msg="TaskExit event &TaskExit{ContainerID:${ID},ID:${ID},Pid:812,ExitStatus:137,ExitedAt:now,}"`,
      { kind: 'runtime-exit', exitStatus: 137, pid: 812 },
    ],
    [
      `time="x" level=info msg="received container exit event container_id:\\"${ID}\\" id:\\"${ID}\\" pid:812 exit_status:137 exited_at:{seconds:1}"`,
      { kind: 'runtime-exit', exitStatus: 137, pid: 812 },
    ],
    [`time="x" level=info msg="shim disconnected" id=${ID}`, { kind: 'runtime-gone' }],
    [`time="x" level=info msg="shim disconnected" id=${ID} namespace=k8s.io`, { kind: 'runtime-gone' }],
    [`time="x" level=info msg="StopContainer for \\"${ID}\\" with timeout 30 (s)"`, { kind: 'runtime-stop' }],
    [
      `time="x" level=info msg="StartContainer for \\"${ID}\\" returns successfully"`,
      { kind: 'runtime-start' },
    ],
  ])('containerd: %s', (message, wanted) => {
    expect(parseContainerd(journal(message), 'f')).toMatchObject([
      { ...wanted, containerId: ID, at: 1760000008050 },
    ]);
  });

  it('containerd: an answer to a stop request is no request', () => {
    expect(parseContainerd(journal(`msg="StopContainer for \\"${ID}\\" returns successfully"`), 'f')).toEqual(
      [],
    );
  });

  it('kubelet: says which container it kills and which died', () => {
    const killing = `I1 1 k.go:808] "Killing container with a grace period" pod="default/e" podUID="6f1d2c3b-4a59-4687-9a0b-1c2d3e4f5a6b" containerID="containerd://${ID}" gracePeriod=30`;
    const died = `I1 1 k.go:1] "SyncLoop (PLEG): event for pod" pod="default/e" event={"ID":"6f1d2c3b-4a59-4687-9a0b-1c2d3e4f5a6b","Type":"ContainerDied","Data":"${ID}"}`;
    expect(parseKubelet(journal(killing) + journal(died) + journal('something else'), 'f')).toMatchObject([
      { about: 'killing-container', containerId: ID, podUid: '6f1d2c3b-4a59-4687-9a0b-1c2d3e4f5a6b' },
      { about: 'container-died', containerId: ID, podUid: '6f1d2c3b-4a59-4687-9a0b-1c2d3e4f5a6b' },
    ]);
  });

  it.each([
    [
      '&PodSandboxMetadata{Name:e,Uid:u-1,Namespace:default,Attempt:0,}',
      '&ContainerMetadata{Name:main,Attempt:0,}',
    ],
    ['name:\\"e\\"  uid:\\"u-1\\"  namespace:\\"default\\"', 'name:\\"main\\"'],
  ])('containerd: says which container of which pod it made: %s', (pod, container) => {
    const sandbox = 'ab'.repeat(32);
    const lines = [
      `msg="RunPodSandbox for ${pod} returns sandbox id \\"${sandbox}\\""`,
      `msg="CreateContainer within sandbox \\"${sandbox}\\" for ${container} returns container id \\"${ID}\\""`,
    ];
    const made = { kind: 'runtime-created', podUid: 'u-1', container: 'main', containerId: ID };
    const box = { kind: 'sandbox-created', podUid: 'u-1', sandboxId: sandbox };
    for (const order of [lines, lines.toReversed()])
      expect(parseContainerd(order.map(journal).join(''), 'f')).toMatchObject([box, made]);
    // The sandbox is from before the log: another record may tell the pod.
    expect(parseContainerd(journal(lines[1] ?? ''), 'f')).toMatchObject([
      { ...made, podUid: '', sandboxId: sandbox },
    ]);
  });

  it('kubelet: says that it evicted a pod', () => {
    const evicted = `I1 1 e.go:629] "Eviction manager: pod is evicted successfully" pod="default/e"`;
    expect(parseKubelet(journal(evicted), 'f')).toMatchObject([{ about: 'eviction' }]);
  });

  it('kubelet: says that it removed a dead container, also when it says nothing else', () => {
    const removed = `I1 1 scope.go:117] "RemoveContainer" containerID="${ID}"`;
    expect(parseKubelet(journal(removed), 'f')).toMatchObject([
      { about: 'container-removed', containerId: ID },
    ]);
  });

  it('reads a message of bytes', () => {
    const bytes = [...Buffer.from(`TaskOOM event container_id:"${ID}"`)];
    expect(parseContainerd(journal(bytes), 'f')).toMatchObject([{ kind: 'runtime-oom' }]);
  });
});

describe('pods', () => {
  it('were asked to leave a grace period before their deletionTimestamp', () => {
    const object = {
      metadata: { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
    };
    const [pod] = parsePods(
      `${JSON.stringify({ at: '2026-01-01T00:00:00Z', type: 'MODIFIED', object })}\n`,
      'f',
    );
    expect(pod).toMatchObject({ kind: 'pod-seen', deletionAt: Date.parse('2026-01-01T00:00:00Z') });
  });
});

describe('a cell folder', () => {
  const { record, files } = loadCapture('oom-single-container');

  it('is read in the order of time', () => {
    const times = readEvidence(files, record).map((observation) => observation.at ?? 0);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.length).toBeGreaterThan(15);
  });

  it('that is empty gives nothing but losses, one for each file', () => {
    const found = readEvidence(new Map(), record);
    expect(new Set(found.map((observation) => observation.kind))).toEqual(new Set(['lost']));
    expect(found).toHaveLength(6);
  });

  it('keeps what the collector itself said it lost', () => {
    const lost = [{ source: 'pods' as const, why: 'watch broke' }];
    expect(readEvidence(files, { ...record, lost })).toContainEqual(
      expect.objectContaining({ kind: 'lost', source: 'pods', why: 'watch broke' }),
    );
  });

  it('full of bytes and broken lines never throws', () => {
    const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('utf8'));
    fc.assert(
      fc.property(noise, fc.constantFrom(...files.keys()), fc.nat(2000), (text, path, offset) => {
        const content = files.get(path) ?? '';
        const broken = content.slice(0, offset) + text + content.slice(offset);
        expect(readEvidence(new Map(files).set(path, broken), record)).toBeInstanceOf(Array);
      }),
    );
  });
});

describe('a node that its cell does not name', () => {
  it.each(['oom-single-container', 'sigkill-from-node', 'plain-exit'])(
    'is silent about a pod that ran on it, and excludes no killer: %s',
    (name) => {
      const capture = loadCapture(name);
      const record = { ...capture.record, nodes: ['node-9'] };
      const { attribution } = judgeCapture({ ...capture, record });
      expect(attribution).toMatchObject({ confidence: 'none' });
      const excluded = (attribution.excluded ?? []).map(({ by }) => by).join();
      expect(excluded).not.toMatch(/is whole|every signal|lived on|kept its boot/);
      const losses = readEvidence(capture.files, record).flatMap((found) =>
        found.kind === 'lost' && found.why.includes('node-1, which cell.json does not name')
          ? [found.source]
          : [],
      );
      expect(losses).toEqual(expect.arrayContaining(['containerd', 'kmsg', 'witness']));
    },
  );
});
