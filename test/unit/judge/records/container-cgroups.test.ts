/**
 * The same deaths in other cgroups. These captures are made from real ones by rewriting their paths and records, after
 * the sources named in lab/judge/records/container-cgroups.ts and provision/guest/witness, until runs of those variants are captured.
 */
import { describe, expect, it } from 'vitest';
import { factsOfVariant } from '../../../../lab/judge/case/question.ts';
import { findContainerCgroups } from '../../../../lab/judge/records/container-cgroups.ts';
import { describeRecord } from '../../../../lab/evidence/witness-text.ts';
import type { CellRecord } from '../../../../lab/model/evidence/observation.ts';
import { judgeCapture, loadCapture, type Capture } from '../../../fixtures/evidence/load-capture.ts';

const POD_PATH =
  /\/kubepods\.slice(?:\/kubepods-(burstable|besteffort)\.slice)?\/kubepods-(?:burstable-|besteffort-)?pod([0-9a-f_]{32,36})\.slice(?:\/cri-containerd-([0-9a-f]{64})\.scope)?/g;
const KMSG = 'node-1/kmsg.log';
const WITNESS = 'node-1/witness.jsonl';

type Layout = (qos: string, uid: string, id: string | undefined, whole: string) => string;

/** kubelet and runtime both with cgroupfs. */
const cgroupfs: Layout = (qos, uid, id) =>
  `/kubepods${qos === '' ? '' : `/${qos}`}/pod${uid.replaceAll('_', '-')}${id === undefined ? '' : `/${id}`}`;

/** kubelet with systemd, runtime with cgroupfs: containers beside (v2) or below (v1) the service of the runtime. */
const disagreeing =
  (base: string): Layout =>
  (qos, uid, id, whole) =>
    id === undefined
      ? whole
      : `${base}/kubepods${qos === '' ? '' : `-${qos}`}-pod${uid}.slice:cri-containerd:${id}`;

/** The capture with the cgroups of its pods somewhere else. */
function moved(capture: Capture, layout: Layout): Capture {
  const files = new Map(capture.files);
  for (const path of [KMSG, WITNESS]) {
    files.set(
      path,
      (files.get(path) ?? '').replaceAll(
        POD_PATH,
        (whole, qos: string | undefined, uid: string, id: string | undefined) =>
          layout(qos ?? '', uid, id, whole),
      ),
    );
  }
  return { ...capture, files };
}

/** The capture as a node with cgroup v1 would have left it. */
function onVersion1(capture: Capture): Capture {
  const names: Record<string, string> = {
    'memory.max': 'memory.limit_in_bytes',
    'memory.current': 'memory.usage_in_bytes',
    'memory.peak': 'memory.max_usage_in_bytes',
  };
  const lines = (capture.files.get(WITNESS) ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const record = JSON.parse(line) as {
        seq: number;
        kind: string;
        file?: string;
        path?: string;
        values: Record<string, string>;
      };
      if (record.kind === 'start') return JSON.stringify({ ...record, cgroup: 'v1' });
      if (record.kind !== 'cgroup-values') return line;
      const own = names[record.file ?? ''];
      if (own !== undefined) return JSON.stringify({ ...record, file: own });
      // v1 counts an OOM kill in the cgroup of the process alone (mm/memcontrol.c, memcg_memory_event).
      const isPod = !/[0-9a-f]{64}/.test(record.path ?? '');
      const count = isPod || record.file !== 'memory.events.local' ? '0' : (record.values['oom_kill'] ?? '0');
      const values = { oom_kill_disable: '0', under_oom: '0', oom_kill: count };
      return JSON.stringify({
        ...record,
        file: record.file === 'memory.events.local' ? 'memory.oom_control' : 'memory.failcnt',
        values: record.file === 'memory.events.local' ? values : { '': '0' },
      });
    });
  const kmsg = (capture.files.get(KMSG) ?? '')
    .split('\n')
    // v1 has no memory.oom.group: one line, one victim.
    .filter((line) => !line.includes('Tasks in '));
  let seq = 0;
  const numbered = kmsg.map((line) =>
    line.replace(/^(\d+),\d+,/, (_, prefix: string) => `${prefix},${++seq},`),
  );
  return {
    record: { ...capture.record, variant: { ...capture.record.variant, cgroup: 'v1' } },
    files: new Map([...capture.files, [WITNESS, `${lines.join('\n')}\n`], [KMSG, numbered.join('\n')]]),
    expected: capture.expected,
  };
}

describe.each([
  ['the cgroupfs driver', cgroupfs],
  ['two drivers on v2', disagreeing('/system.slice')],
  ['two drivers on v1', disagreeing('/system.slice/containerd.service')],
])('with %s', (_, layout) => {
  it.each(['oom-single-container', 'sigkill-from-node', 'within-limits', 'plain-exit', 'cron-job-oom'])(
    'the judge says of %s what it says of the same death elsewhere',
    (name) => {
      const capture = loadCapture(name);
      const judged = judgeCapture(moved(capture, layout));
      expect(judged.attribution).toMatchObject({
        killer: capture.expected.killer,
        confidence: capture.expected.confidence,
      });
      expect(judged.attribution.level).toBe(capture.expected.level);
    },
  );
});

describe('on cgroup v1', () => {
  it.each([
    ['systemd', (capture: Capture) => capture],
    ['cgroupfs', (capture: Capture) => moved(capture, cgroupfs)],
  ])('an OOM kill is proven by memory.oom_control, with the %s driver', (_, move) => {
    const judged = judgeCapture(move(onVersion1(loadCapture('oom-single-container'))));
    expect(judged.attribution).toMatchObject({ killer: 'memcg-oom', level: 'pod', confidence: 'proven' });
    expect(judged.claims.find((claim) => claim.layer === 'cgroup')?.says).toMatch(
      /oom_kill went from 0 to \d in memory\.oom_control/,
    );
  });

  it('a survivor is proven by the same counter, which stayed at zero', () => {
    const judged = judgeCapture(onVersion1(loadCapture('within-limits')));
    expect(judged.attribution).toMatchObject({ killer: 'none', confidence: 'proven' });
  });

  it('without that counter the same OOM kill is only likely', () => {
    const capture = onVersion1(loadCapture('oom-single-container'));
    const silent = (capture.files.get(WITNESS) ?? '').replaceAll(/"oom_kill":"\d+"/g, '"oom_kill":"0"');
    const judged = judgeCapture({ ...capture, files: new Map([...capture.files, [WITNESS, silent]]) });
    expect(judged.attribution).toMatchObject({ killer: 'memcg-oom', confidence: 'likely' });
  });
});

describe('in a gVisor sandbox', () => {
  const VICTIM = 'b945dc1684880b1c8cb1ed0ae5d4aa43b05b77b572580ae5ba54e370abdc3623';
  const PAUSE = '3ef8b5387b11fc4254984f720039d9ad483340b4a5ebe3d5c64ffc19d121590a';
  const ARGS = 'runsc-sandbox --root=/run/containerd/runsc boot --total-memory 134217728 abc';

  /** All processes of the pod in its pause container's cgroup, the container's own stays empty; `args` as the witness has it. */
  function sandboxed(name: string, runtime: string, layout: Layout, args: string | undefined): Capture {
    const capture = loadCapture(name);
    const scope = (id: string): string => `cri-containerd-${id}.scope`;
    const witness = (capture.files.get(WITNESS) ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => {
        if (!line.includes(scope(VICTIM))) return line;
        const record = JSON.parse(line) as Record<string, unknown>;
        const text = JSON.stringify(
          record['comm'] === 'memory-eater' && record['kind'] === 'process'
            ? { ...record, comm: 'exe', nspid: record['pid'], args }
            : record,
        );
        return text.replaceAll(scope(VICTIM), scope(PAUSE)).replaceAll('memory-eater', 'exe');
      })
      .join('\n');
    const kmsg = (capture.files.get(KMSG) ?? '')
      .replaceAll(scope(VICTIM), scope(PAUSE))
      .replaceAll('memory-eater', 'exe');
    const runtimeLog = (capture.files.get('node-1/containerd.jsonl') ?? '').replaceAll(
      /TaskOOM event[^\n]*/g,
      (line) => line.replaceAll(VICTIM, PAUSE),
    );
    const variant = { ...capture.record.variant, runtime };
    const record: CellRecord = { ...capture.record, variant };
    const files = new Map([
      ...capture.files,
      [WITNESS, `${witness}\n`],
      [KMSG, kmsg],
      ['node-1/containerd.jsonl', runtimeLog],
    ] as const);
    return moved({ ...capture, record, files }, layout);
  }

  const stay: Layout = (_qos, _uid, _id, whole) => whole;
  const ofPod: Layout = (qos, uid) => cgroupfs(qos, uid, undefined, '');

  it.each([
    ['its own scope', stay],
    ['the cgroup of the pod', ofPod],
  ])('the sandbox dies for its containers in %s', (_, layout) => {
    const judged = judgeCapture(
      sandboxed('oom-single-container', 'runsc@20230927+systemd-cgroup', layout, ARGS),
    );
    expect(judged.attribution).toMatchObject({ killer: 'memcg-oom', confidence: 'proven' });
    expect(judged.attribution.victim).toContain('pid 1735');
    expect(judged.claims.find((claim) => claim.layer === 'runtime')?.says).toMatch(
      layout === stay ? /TaskOOM/ : /./,
    );
  });

  it('the death of a pause container is not the death of a container under runc', () => {
    const capture = sandboxed('oom-single-container', 'runc', stay, undefined);
    expect(judgeCapture(capture).attribution.killer).not.toBe('memcg-oom');
  });

  it('without a command line nobody knows which process the sandbox is: no process is called the first', () => {
    const { attribution } = judgeCapture(
      sandboxed('oom-single-container', 'runsc@20230927+systemd-cgroup', stay, undefined),
    );
    expect(attribution.killer).toBe('memcg-oom');
    expect(attribution.victim).not.toMatch(/init|first process/);
  });

  it('only the pods of the variant live in one: the container has every cgroup that names the pod', () => {
    const uid = '11fb4b18-3dc9-4db2-a842-e464f797527a';
    const variant = { ...loadCapture('plain-exit').record.variant, runtime: 'runsc@20230927' };
    const { sandboxed: isRunsc } = factsOfVariant(variant);
    const cgroups = findContainerCgroups(isRunsc, [uid], [VICTIM]);
    const outside = `/system.slice/kubepods-burstable-pod${uid.replaceAll('-', '_')}.slice:cri-containerd:${PAUSE}`;
    expect(cgroups.holds(outside)).toBe(true);
    expect(cgroups.holds(`/kubepods/burstable/pod${uid}`)).toBe(true);
    expect(cgroups.holds(`/kubepods/burstable/pod00000000-3dc9-4db2-a842-e464f797527a/${VICTIM}`)).toBe(
      false,
    );
    const { sandboxed: isRunc } = factsOfVariant({ ...variant, runtime: 'runc' });
    expect(findContainerCgroups(isRunc, [uid], [VICTIM]).holds(outside)).toBe(false);
  });

  it('tells how much memory the sandbox believes to have', () => {
    const fields = {
      pid: 843,
      nspid: 843,
      comm: 'exe',
      cgroup: '/x',
      args: 'runsc-sandbox boot --total-memory 4128530432 id',
    };
    expect(describeRecord({ kind: 'process', mono: 0, fields, text: '' })).toBe(
      'pid 843 (exe: runsc-sandbox with --total-memory 3937.3 MiB), pid 843 inside, in /x',
    );
  });
});
