import { describe, expect, it } from 'vitest';
import { trimFiles } from '../../../../../bin/trim-files.ts';
import {
  type Capture,
  answerFor,
  judgeCapture,
  loadCapture,
  renumber,
  withExpected,
  withLines,
} from '../../../../fixtures/evidence/load-capture.ts';

const WITNESS = 'node-1/witness.jsonl';
const CONTAINERD = 'node-1/containerd.jsonl';
const KUBELET = 'node-1/kubelet.jsonl';
const TASKS = 'node-1/tasks.log';
const PODS = 'pods.jsonl';
const EVENTS = 'events.jsonl';

/** The capture with a text of one file changed wherever it stands; it has to stand there. */
function changed(capture: Capture, path: string, from: string | RegExp, to: string): Capture {
  const next = withLines(capture, path, (lines) => lines.map((line) => line.replaceAll(from, to)));
  expect(next.files.get(path)).not.toBe(capture.files.get(path));
  return next;
}

/** The capture without the lines of one file that match; there have to be as many. */
function without(capture: Capture, path: string, text: RegExp, count: number): Capture {
  return withLines(capture, path, (lines) => {
    const left = lines.filter((line) => !text.test(line));
    expect(lines.length - left.length).toBe(count);
    return left;
  });
}

/** Nothing in the API has the container's id: the kubelet reported it only when it was gone. */
function unseenByApi(capture: Capture): Capture {
  return without(capture, PODS, /"filler".*"containerID":"containerd:/, 1);
}

const RUNC_SIGTERM = /"senderComm":"runc".*"sig":15/;
const EXPECTED = { killer: 'kubelet-eviction', how: ['empty-dir-limit'], withinSeconds: 150 };

describe('an evicted pod whose status the kubelet made up', () => {
  const capture = loadCapture('eviction-empty-dir');
  const judged = judgeCapture(capture);

  it('is proven by the pod, its event, the kubelet, the signal and the exit that the runtime saw', () => {
    const { killer, because } = judged.attribution;
    expect(killer).toBe('kubelet-eviction');
    expect(because.map(({ source }) => source)).toEqual([
      'pod',
      'event',
      'kubelet',
      'kubelet',
      'trace',
      'tasks',
    ]);
    expect(because[2]?.text).toContain('pod is evicted successfully');
    expect(because[5]?.text).toContain('"exit_status":2');
  });

  it('is somebody else’s victim when one line has another sender', () => {
    const shell = withLines(capture, WITNESS, (lines) =>
      lines.map((line) =>
        RUNC_SIGTERM.test(line) && line.includes('"comm":"misbehave"')
          ? line
              .replace('"senderComm":"runc"', '"senderComm":"bash"')
              .replace('/system.slice/containerd.service', '/system.slice/ssh.service')
          : line,
      ),
    );
    expect(judgeCapture(shell).attribution).toMatchObject({ killer: 'external-signal', how: 'from-node' });
  });

  it('is not explained when nobody says that it was evicted', () => {
    const forgotten = changed(changed(capture, PODS, '"Evicted"', '"Odd"'), EVENTS, '"Evicted"', '"Odd"');
    expect(judgeCapture(forgotten).attribution).toMatchObject({ killer: 'kubelet-eviction' });
    const silent = withLines(forgotten, KUBELET, (lines) =>
      lines.filter((line) => !line.includes('pod is evicted successfully')),
    );
    expect(judgeCapture(silent)).toMatchObject({
      attribution: { killer: 'unknown' },
      verdict: 'inconclusive',
      note: 'the kubelet stopped the container for a reason that is not known here',
    });
  });

  it('is not explained by an eviction that came after the signal', () => {
    const late = withLines(capture, EVENTS, (lines) =>
      lines.map((line) => (line.includes('"Evicted"') ? line.replaceAll('02:22:14Z', '02:22:18Z') : line)),
    );
    expect(judgeCapture(late).attribution.killer).toBe('unknown');
  });

  it.each([
    ['container-storage-limit', 'Container filler exceeded its local ephemeral storage limit "20Mi". '],
    ['pod-storage-limit', 'Pod ephemeral local storage usage exceeds the total limit of containers 20Mi. '],
    ['memory', 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 52Mi. '],
    ['ephemeral-storage', 'The node was low on resource: ephemeral-storage. Threshold quantity: 1Gi. '],
    ['inodes', 'The node was low on resource: inodes. Threshold quantity: 10, available: 5. '],
    ['pids', 'The node was low on resource: pids. Threshold quantity: 10, available: 5. '],
  ])('is evicted for %s when that is the message, also when the API never saw it run', (how, message) => {
    const escaped = JSON.stringify(message).slice(1, -1).replaceAll('$', '$$$$');
    const other = changed(capture, PODS, /Usage of EmptyDir [^.]*\. /g, escaped);
    for (const given of [other, unseenByApi(other)])
      expect(judgeCapture(given)).toMatchObject({
        attribution: { killer: 'kubelet-eviction', how, confidence: 'proven' },
        verdict: 'failed',
      });
  });

  it('has the exit code that the runtime saw, and the API is quoted with its own', () => {
    const expecting = (exitCode: number): Capture =>
      withExpected(capture, { ...EXPECTED, exitCode: [exitCode] });
    expect(judgeCapture(expecting(2)).verdict).toBe('passed');
    expect(judgeCapture(expecting(137)).mismatches).toMatchObject([{ observed: 'exit code 2' }]);
    expect(judged.claims.find(({ layer }) => layer === 'api')?.says).toBe(
      'terminated (ContainerStatusUnknown), exit 137, 1 restarts',
    );
  });

  it('has no exit code at all when only the status tells one', () => {
    const logged = without(capture, TASKS, /\/tasks\/exit.*"exit_status":2/, 1);
    const untold = withLines(logged, 'node-1/kubelet.jsonl', (lines) =>
      lines.filter((line) => !line.includes('container finished')),
    );
    expect(judgeCapture(untold)).toMatchObject({ attribution: { confidence: 'proven' }, verdict: 'passed' });
    expect(judgeCapture(withExpected(untold, { ...EXPECTED, exitCode: [137] }))).toMatchObject({
      verdict: 'inconclusive',
      note: 'the API never said how the container ended',
    });
  });

  it('is not restarted, although the kubelet counts a restart', () => {
    expect(judgeCapture(withExpected(capture, { ...EXPECTED, then: 'stays-dead' })).verdict).toBe('passed');
    expect(judgeCapture(withExpected(capture, { ...EXPECTED, then: 'restarts' })).verdict).toBe('failed');
  });

  it('is late when it lived longer than expected, whoever tells when it began', () => {
    for (const given of [capture, unseenByApi(capture)]) {
      const hasty = withExpected(given, { ...EXPECTED, withinSeconds: 30 });
      expect(judgeCapture(hasty).mismatches).toMatchObject([
        { field: 'withinSeconds', observed: /^after 37/ },
      ]);
    }
  });
});

describe('an evicted pod whose container the API never knew', () => {
  const capture = unseenByApi(loadCapture('eviction-empty-dir'));

  it('is proven: containerd joins pod, name and container', () => {
    expect(answerFor(capture)).toEqual(loadCapture('eviction-empty-dir').expected);
    expect(judgeCapture(capture).attribution.victim).toBe('filler/filler pid 1656 (misbehave)');
  });

  it('is proven from the words of containerd 2.2 as well', () => {
    const sandbox = changed(
      capture,
      CONTAINERD,
      /&PodSandboxMetadata\{Name:(\w+),Uid:([\w-]+),Namespace:(\w+),Attempt:0,\}/g,
      String.raw`name:\\\"$1\\\"  uid:\\\"$2\\\"  namespace:\\\"$3\\\"`,
    );
    const both = changed(
      sandbox,
      CONTAINERD,
      /&ContainerMetadata\{Name:(\w+),Attempt:0,\}/g,
      String.raw`name:\\\"$1\\\"`,
    );
    expect(answerFor(both)).toEqual(loadCapture('eviction-empty-dir').expected);
  });

  it.each([
    ['of which pod the sandbox is', /RunPodSandbox for .* returns sandbox id/],
    ['which container it made', /CreateContainer within .* returns container id/],
  ])('is no verdict when containerd did not say %s: nobody knows which processes were its own', (_, text) => {
    expect(judgeCapture(without(capture, CONTAINERD, text, 1))).toMatchObject({
      attribution: { killer: 'kubelet-eviction', confidence: 'likely' },
      verdict: 'inconclusive',
    });
  });

  it('is proven when the API has nothing but a pod that waits, and the event', () => {
    const waiting = without(capture, PODS, /"filler".*"Failed"/, 2);
    expect(answerFor(waiting)).toEqual(loadCapture('eviction-empty-dir').expected);
  });

  it('is not taken for its own sandbox when that was not seen', () => {
    const quitter = without(loadCapture('exit-zero'), PODS, /"app":"quitter".*"containerID":"containerd:/, 3);
    const sandbox =
      /returns sandbox id \\+"([0-9a-f]{64})/.exec(quitter.files.get(CONTAINERD) ?? '')?.[1] ?? '';
    const alone = withLines(quitter, WITNESS, (lines) =>
      renumber(lines.filter((line) => !line.includes(`cri-containerd-${sandbox}`))),
    );
    expect(judgeCapture(alone).attribution.killer).toBe('self-exit');
  });

  it('is judged the same after trimming', () => {
    const trimmed = { ...capture, files: trimFiles(capture.files, capture.record) };
    expect(answerFor(trimmed)).toEqual(answerFor(capture));
    expect(trimmed.files.get(TASKS)).toBe(capture.files.get(TASKS));
  });
});

describe('an end of a container that was never seen', () => {
  it('is no verdict: its id in the status of the pod is not that of any process', () => {
    const capture = loadCapture('deadline');
    const broken = changed(capture, PODS, '"containerID":"containerd:', '"containerID":"#containerd:');
    expect(judgeCapture(broken)).toMatchObject({
      attribution: { killer: 'deadline', confidence: 'likely' },
      verdict: 'inconclusive',
    });
  });
});

describe('a stream that ends before the victim lived', () => {
  it.each(['plain-exit', 'api-delete', 'eviction-empty-dir'])('%s: leaves no verdict', (name) => {
    for (const count of [3, 109]) {
      const cut = withLines(loadCapture(name), WITNESS, (lines) => lines.slice(0, count));
      const { attribution, verdict } = judgeCapture(cut);
      expect(verdict).toBe('inconclusive');
      expect(attribution.confidence).not.toBe('proven');
      expect(['unknown', loadCapture(name).expected.killer]).toContain(attribution.killer);
    }
  });

  it('leaves no verdict when it is the kernel log', () => {
    const cut = withLines(loadCapture('eviction-empty-dir'), 'node-1/kmsg.log', (lines) => lines.slice(0, 5));
    expect(judgeCapture(cut).verdict).toBe('inconclusive');
  });
});
