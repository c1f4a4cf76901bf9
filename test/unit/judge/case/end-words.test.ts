import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../../../lab/evidence/read-evidence.ts';
import { findEndWords } from '../../../../lab/judge/case/end-words.ts';
import {
  findVictim,
  judgeCapture,
  loadCapture,
  withLines,
  type Capture,
} from '../../../fixtures/evidence/load-capture.ts';

const wordsOf = (capture: Capture): ReturnType<typeof findEndWords> =>
  findEndWords(capture.record, readEvidence(capture.files, capture.record));

describe('the words for an end', () => {
  it('are those of each layer, right or wrong: of an OOM kill that the API calls Error', () => {
    expect(wordsOf(loadCapture('cron-job-oom--v1-told-of-the-sandbox'))).toEqual({
      kernel: ['CONSTRAINT_MEMCG', 'oom_kill +1'],
      runtime: ['exit 137', 'its shim is gone'],
      runtimeExitCode: 137,
      events: [],
      container: { state: 'terminated', reason: 'Error', exitCode: 137, restarts: 0 },
      pod: ['Failed'],
      signals: ['SIGKILL'],
    });
  });

  it('keep what the kubelet made up beside what containerd knows', () => {
    expect(wordsOf(loadCapture('eviction-empty-dir'))).toMatchObject({
      runtimeExitCode: 2,
      container: { reason: 'ContainerStatusUnknown', exitCode: 137 },
      events: ['Evicted', 'Killing'],
      pod: ['Failed', 'Evicted'],
    });
  });

  it('are those of the death that is judged, not of the first one', () => {
    expect(wordsOf(loadCapture('third-death'))).toMatchObject({
      runtimeExitCode: 137,
      container: { state: 'terminated', reason: 'OOMKilled', exitCode: 137 },
    });
  });

  it('have the kernel’s words for a kill before there was a container', () => {
    expect(wordsOf(loadCapture('container-init-oom'))).toMatchObject({
      kernel: ['CONSTRAINT_MEMCG'],
      runtime: [],
      events: ['FailedCreatePodSandBox'],
      container: { state: 'waiting', reason: 'ContainerCreating' },
    });
  });

  it.each([
    ['seccomp', ['audit type=1326']],
    ['sigsegv', ['segfault']],
    ['pids-limit--tight', ['fork rejected by pids controller']],
    ['sigkill-from-node', []],
  ])('of the kernel are about processes of the container: %s', (name, kernel) => {
    expect(wordsOf(loadCapture(name))?.kernel).toEqual(kernel);
  });

  it('say when nobody can know what the kernel said', () => {
    const capture = loadCapture('sigkill-from-pod');
    const without = withLines(capture, 'node-1/kmsg.log', undefined);
    expect(wordsOf(without)?.kernel).toEqual(['its log is incomplete']);
  });

  it('tell the exit of an exec probe from that of the container, in the claim too', () => {
    const capture = loadCapture('liveness-probe');
    expect(wordsOf(capture)).toMatchObject({
      runtime: ['exit 1 of an added process', 'asked to stop it', 'exit 0', 'its shim is gone'],
      runtimeExitCode: 0,
    });
    expect(judgeCapture(capture).claims.find(({ layer }) => layer === 'runtime')?.says).toMatch(
      /^exit 1 of an added process, asked to stop it, exit 0/,
    );
  });

  it('leave out the events of other containers of the pod', () => {
    expect(wordsOf(loadCapture('sidecar-order'))?.events).toEqual(['Killing']);
    expect(wordsOf(loadCapture('two-die-killed'))?.events).toEqual([]);
  });

  it('have an event of the node that names the victim, and none that names another process', () => {
    const capture = loadCapture('global-oom');
    const { pid } = findVictim(capture);
    const withEvent = (victim: number): Capture =>
      withLines(capture, 'events.jsonl', (lines) => [...lines, systemOom(victim, capture.record.endedAt)]);
    expect(wordsOf(withEvent(pid))?.events).toEqual(['SystemOOM']);
    expect(wordsOf(withEvent(pid + 1))?.events).toEqual([]);
  });

  it('are none without a victim', () => {
    const capture = loadCapture('sigkill-from-node');
    const victim = { ...capture.record.victim, selector: 'app=nobody' };
    expect(wordsOf({ ...capture, record: { ...capture.record, victim } })).toBeUndefined();
  });
});

/** As pkg/kubelet/oom/oom_watcher_linux.go writes it. */
function systemOom(pid: number, at: string): string {
  const object = {
    metadata: { name: 'node-1.oom', namespace: 'default' },
    involvedObject: { kind: 'Node', name: 'node-1', uid: 'node-1' },
    reason: 'SystemOOM',
    type: 'Warning',
    source: { component: 'kubelet' },
    count: 1,
    message: `System OOM encountered, victim process: memory-eater, pid: ${pid}`,
    firstTimestamp: at,
    lastTimestamp: at,
  };
  return JSON.stringify({ at, type: 'ADDED', object });
}
