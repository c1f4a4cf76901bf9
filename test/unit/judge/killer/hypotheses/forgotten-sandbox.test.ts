import { describe, expect, it } from 'vitest';
import {
  judgeCapture,
  loadCapture,
  renumber,
  withExpected,
  withLines,
  type Capture,
} from '../../../../fixtures/evidence/load-capture.ts';
import { configWith } from '../../../project-files.ts';
import { terminated } from '../../../../fixtures/told/api-words.ts';
import { CAST, isoSeconds, scopeOf } from '../../../../fixtures/told/cast.ts';
import { Story } from '../../../../fixtures/told/story.ts';

const RUNTIME = [1200, 'runc', '/system.slice/containerd.service'] as const;
const SHELL = [4242, 'bash', '/user.slice/user-0.slice/session-1.scope'] as const;
const WITNESS = 'node-1/witness.jsonl';
const KUBELET = 'node-1/kubelet.jsonl';
const CONTAINERD = 'node-1/containerd.jsonl';
const POD_SLICE = CAST.slice;

/** When each thing happens, in seconds of the story; `undefined`: never, or never written. */
interface Times {
  readonly booted?: number | undefined;
  readonly died?: number | undefined;
  readonly wanted?: number | undefined;
  readonly killing?: number | undefined;
  readonly stopped?: number;
  readonly pauseEnds?: number | undefined;
}

/** The real capture in small: restart, a sandbox called dead, the stop, and pause ended by the runtime afterwards. */
function told(changes: Times = {}, more: (story: Story) => unknown = () => undefined): Capture {
  const times = { booted: 5, died: 6, wanted: 6.02, killing: 6.05, stopped: 6.5, pauseEnds: 9, ...changes };
  const { booted, died, wanted, killing, stopped, pauseEnds } = times;
  const story = new Story();
  const pod = 'pod="default/victim"';
  if (booted !== undefined) story.containerd(booted, 'containerd successfully booted in 3.9s');
  if (died !== undefined)
    story.kubelet(
      died,
      `"SyncLoop (PLEG): event for pod" ${pod} event={"ID":"${CAST.uid}","Type":"ContainerDied","Data":"${CAST.pause}"}`,
    );
  if (wanted !== undefined)
    story.kubelet(wanted, `"No ready sandbox for pod can be found. Need to start a new one" ${pod}`);
  if (killing !== undefined)
    story.kubelet(
      killing,
      `"Killing container with a grace period" ${pod} podUID="${CAST.uid}" containerName="main" containerID="containerd://${CAST.container}" gracePeriod=2`,
    );
  const about = { fieldPath: undefined };
  story.event(6, 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.', about);
  story.event(6, 'Killing', 'Stopping container main');
  more(story);
  story.runtimeStops(stopped, { sender: RUNTIME }).exit(stopped + 0.1);
  story.pod(stopped + 1, { state: terminated(stopped, 0, 'Completed') });
  if (pauseEnds !== undefined) {
    story.signal(pauseEnds, { sig: 9, pid: CAST.pausePid, comm: 'pause', sender: RUNTIME });
    story.exit(pauseEnds, CAST.pausePid, 'pause');
  }
  return story.tell({ killer: 'runtime-lost', how: ['runtime-restarted'] });
}

describe('a healthy pod that containerd forgot when it was restarted', () => {
  const capture = loadCapture('containerd-restart--slow-node');

  it('was ended by that restart, and each sign is in the proof, in its order', () => {
    const { attribution } = judgeCapture(capture);
    expect(attribution).toMatchObject({
      killer: 'runtime-lost',
      how: 'runtime-restarted',
      confidence: 'proven',
    });
    const signs = [
      /successfully booted/,
      /ContainerDied/,
      /No ready sandbox/,
      /^SandboxChanged/,
      /Killing container with a grace period/,
      /^Killing: Stopping container/,
      /^SIGTERM .* \(runc\)/,
      /\(sleeper\) ended/,
      /container finished/,
      /\(pause\) ended/,
    ];
    expect(attribution.because).toHaveLength(signs.length);
    for (const [index, sign] of signs.entries()) expect(attribution.because[index]?.text).toMatch(sign);
  });

  it('is one of the two ends that the scenario accepts', () => {
    const found = configWith().scenarios.find(({ scenario }) => scenario.name === 'containerd-restart');
    const { expect: outcome } = found?.scenario ?? {};
    expect(outcome).toMatchObject({ killer: 'none' });
    const judged = judgeCapture(withExpected(capture, outcome ?? {}));
    expect(judged).toMatchObject({ verdict: 'passed', mismatches: [] });
  });

  it('fails a scenario that accepts another way of the same killer, or another killer', () => {
    const or = [
      { killer: 'runtime-lost', how: ['shim-killed'] },
      { killer: 'sandbox-died', how: ['sandbox-killed'] },
    ];
    const judged = judgeCapture(withExpected(capture, { killer: 'none', survivesSeconds: 30, or }));
    expect(judged.verdict).toBe('failed');
    expect(judged.mismatches[0]).toMatchObject({
      field: 'killer',
      expected:
        'container "tenant" alive for 30 s, or ended by runtime-lost (shim-killed), or ended by sandbox-died (sandbox-killed)',
    });
  });

  it.each<[string, string, RegExp]>([
    ['the restart', CONTAINERD, /successfully booted/],
    ["the kubelet's word that the sandbox died", KUBELET, /ContainerDied/],
    ["the kubelet's wish for a new sandbox", KUBELET, /No ready sandbox/],
  ])('is of an unknown killer without %s', (_, path, pattern) => {
    const less = withLines(capture, path, (lines) => lines.filter((line) => !pattern.test(line)));
    const { attribution, verdict } = judgeCapture(less);
    expect(attribution).toMatchObject({ killer: 'unknown', confidence: 'none' });
    expect(verdict).toBe('inconclusive');
  });

  const isSigterm = (line: string): boolean => /"kind":"signal".*"comm":"sleeper".*sig=15/.test(line);
  const isPauseEnd = (line: string): boolean => /"kind":"(?:signal|exit)".*"comm":"pause"/.test(line);
  /** Without the record before the signal: something happened then, and nobody knows what. */
  const withGap = (lines: string[]): string[] => {
    const index = lines.findIndex(isSigterm);
    expect(index).toBeGreaterThan(0);
    return lines.filter((_, at) => at !== index - 1);
  };

  it('is only likely while the trace has a gap, although pause was seen to end later', () => {
    expect(judgeCapture(withLines(capture, WITNESS, withGap))).toMatchObject({
      attribution: { killer: 'runtime-lost', confidence: 'likely' },
      verdict: 'inconclusive',
    });
  });

  it('is only likely where a gap may hide the end of pause, of which the runtime had reported none', () => {
    const cut = withLines(capture, WITNESS, (lines) => withGap(lines).filter((line) => !isPauseEnd(line)));
    expect(judgeCapture(cut).attribution).toMatchObject({ killer: 'runtime-lost', confidence: 'likely' });
  });

  it('is no survivor when the trace is lost and the API still calls it running', () => {
    const judged = judgeCapture(withLines(capture, WITNESS, undefined));
    expect(judged).toMatchObject({
      attribution: { killer: 'runtime-lost', confidence: 'likely' },
      verdict: 'inconclusive',
    });
  });

  it('needs no end of pause when the trace is whole: it lives', () => {
    const alive = withLines(capture, WITNESS, (lines) => renumber(lines.filter((line) => !isPauseEnd(line))));
    expect(judgeCapture(alive).attribution).toMatchObject({ killer: 'runtime-lost', confidence: 'proven' });
  });
});

describe('what looks like it', () => {
  it('is it, told in small', () => {
    expect(judgeCapture(told()).attribution).toMatchObject({
      killer: 'runtime-lost',
      how: 'runtime-restarted',
      confidence: 'proven',
    });
    expect(judgeCapture(told({ killing: undefined })).attribution).toMatchObject({
      killer: 'runtime-lost',
      confidence: 'likely',
    });
  });

  it.each<[string, Capture]>([
    [
      'a restart long before, which the pod survived',
      told({ booted: 3.5, died: 24, wanted: 24.02, killing: 24.05, stopped: 24.5, pauseEnds: 27 }),
    ],
    ['a restart before the pod was there', told({ booted: 0.5 })],
    ['a restart after the kubelet had spoken', told({ booted: 6.01 })],
    ['a restart after the kill', told({ booted: 7 })],
    ['no restart', told({ booted: undefined })],
    ['a kubelet that never said that the sandbox died', told({ died: undefined })],
    ['a kubelet that wanted no new sandbox', told({ wanted: undefined })],
    ['a kubelet that wanted one only after it had stopped the container', told({ wanted: 8 })],
    ['a runtime that had stopped the container before the kubelet asked', told({ stopped: 6.03 })],
    [
      'a runtime that had stopped it before the kubelet wanted a new sandbox, in the second of its event',
      told({ killing: undefined, stopped: 6.01 }),
    ],
    [
      'a signal of the kernel',
      withLines(told(), WITNESS, (lines) =>
        lines.map((line) =>
          line.includes(`"pid":${CAST.init},"comm":"main","code":0`)
            ? line.replace('"code":0', '"code":128')
            : line,
        ),
      ),
    ],
    ['a sandbox that the runtime had ended before', told({ pauseEnds: 5.5 })],
    ['a sandbox that ended in the same moment', told({ pauseEnds: 6.3 })],
    [
      'a controller that had gone as well',
      told({}, (story) =>
        story
          .values(3.5, POD_SLICE, 'cgroup.controllers', { '': 'cpuset cpu io memory pids' })
          .values(5.5, POD_SLICE, 'cgroup.controllers', { '': 'cpu io memory pids' }),
      ),
    ],
  ])('is of an unknown killer with %s', (_, capture) => {
    expect(judgeCapture(capture).attribution).toMatchObject({ killer: 'unknown', confidence: 'none' });
  });

  it('is a dead sandbox when somebody killed pause first', () => {
    const capture = told({ pauseEnds: undefined }, (story) => {
      story.signal(5.5, { sig: 9, pid: CAST.pausePid, comm: 'pause', sender: SHELL });
      story.exit(5.51, CAST.pausePid, 'pause');
    });
    expect(judgeCapture(capture).attribution).toMatchObject({
      killer: 'sandbox-died',
      confidence: 'proven',
    });
  });

  it('is a deletion when the pod had been asked to go', () => {
    const metadata = { deletionTimestamp: isoSeconds(6), deletionGracePeriodSeconds: 1 };
    const capture = told({}, (story) => story.pod(5.8, { state: {}, metadata }));
    expect(judgeCapture(capture).attribution.killer).toBe('api-deletion');
  });

  it('is an external signal when a shell sent it', () => {
    const capture = withLines(told(), WITNESS, (lines) =>
      lines.map((line) =>
        line.includes(`"pid":${CAST.init},"comm":"main"`)
          ? line.replace('"senderComm":"runc"', '"senderComm":"bash"').replace(RUNTIME[2], SHELL[2])
          : line,
      ),
    );
    expect(capture.files.get(WITNESS)).toContain(scopeOf(CAST.container));
    expect(judgeCapture(capture).attribution.killer).toBe('external-signal');
  });
});
