import { describe, expect, it } from 'vitest';
import type { Killer } from '../../../../../lab/model/killers/killers.ts';
import { KILLED, addOomOfAnotherPod, changedIn } from '../../../../fixtures/evidence/change-capture.ts';
import { told } from '../../../../fixtures/evidence/hand-written.ts';
import {
  type Capture,
  judgeCapture,
  loadCapture,
  renumber,
  withLines,
} from '../../../../fixtures/evidence/load-capture.ts';
import { attributionOf, killerOf } from '../../judge-story.ts';
import { terminated } from '../../../../fixtures/told/api-words.ts';
import { CAST, scopeOf } from '../../../../fixtures/told/cast.ts';
import { Story } from '../../../../fixtures/told/story.ts';

const CELL = 'cell.json';

/** A witness that is late finds the cgroup of a short-lived sender gone. */
const hidden = withLines(loadCapture('sigkill-from-node'), 'node-1/witness.jsonl', (lines) =>
  lines.map((line) =>
    line.includes('sig=9 ') ? line.replace(/"senderCgroup":"[^"]*"/, '"senderCgroup":""') : line,
  ),
);

const SHELL = [4242, 'bash', '/user.slice/user-0.slice/session-1.scope'] as const;

/** The story with one text of one file changed everywhere. */
function changed(name: string, path: string, from: string, to: string): Capture {
  return changedIn(told(name), path, from, to);
}

const WITNESS = 'node-1/witness.jsonl';

const SYSTEM = 'node-1/system.jsonl';

const KMSG = 'node-1/kmsg.log';

const RUNC_SIGTERM = /"senderComm":"runc".*"sig":15/;

const RUNTIME = [1200, 'runc', '/system.slice/containerd.service'] as const;

const OWN = scopeOf(CAST.container);

it('a signal of ours is known to come from the node, although nobody read the cgroup of its sender', () => {
  expect(judgeCapture(hidden).attribution).toMatchObject({ killer: 'external-signal', how: 'from-node' });
});

it('a signal of somebody else is not', () => {
  const files = new Map(hidden.files).set(CELL, JSON.stringify({ ...hidden.record, stimuli: [] }));
  const { attribution } = judgeCapture({ ...hidden, files, record: { ...hidden.record, stimuli: [] } });
  expect(attribution).toMatchObject({ killer: 'external-signal', confidence: 'likely' });
  expect(attribution.how).toBeUndefined();
});

describe('one changed fact decides', () => {
  it.each<[string, () => Capture, Killer]>([
    [
      'systemd-oomd by name only, in the cgroup of a shell',
      () => changed('systemd-oomd', WITNESS, '/system.slice/systemd-oomd.service', SHELL[2]),
      'external-signal',
    ],
    [
      'earlyoom by name only, in the cgroup of a shell',
      () => changed('earlyoom', WITNESS, '/system.slice/earlyoom.service', SHELL[2]),
      'external-signal',
    ],
  ])('%s', (_, capture, killer) => {
    expect(judgeCapture(capture()).attribution.killer).toBe(killer);
  });
});

describe('one changed fact is another way, or a weaker proof', () => {
  it("without its cgroup and its log a service's name is not enough", () => {
    const nameless = withLines(
      changed(
        'systemd-oomd',
        WITNESS,
        '"senderCgroup":"/system.slice/systemd-oomd.service"',
        '"senderCgroup":""',
      ),
      SYSTEM,
      undefined,
    );
    expect(judgeCapture(nameless).attribution).toMatchObject({
      killer: 'systemd-oomd',
      confidence: 'likely',
    });
  });
});

describe('a kill -9 from the node', () => {
  const capture = loadCapture('sigkill-from-node');

  it('stays one when another pod runs out of memory in the same second', () => {
    const beside = addOomOfAnotherPod(capture, loadCapture('oom-single-container'));
    expect(beside.files.get(KMSG)).toMatch(KILLED);
    expect(judgeCapture(beside)).toMatchObject({
      attribution: { killer: 'external-signal', confidence: 'proven' },
      // Nobody had declared the other death.
      mismatches: [
        {
          field: 'nobodyElseDies',
          observed: expect.stringMatching(/^node-1\/process\/\S+: .*OOM/) as string,
        },
      ],
      verdict: 'failed',
    });
  });

  it('is proven by the sender, by our own record of it, and by what it did', () => {
    const { because } = judgeCapture(capture).attribution;
    expect(because.map((ref) => ref.source)).toEqual(['trace', 'stimulus', 'trace', 'pod']);
    expect(because[0]?.text).toMatch(
      /^SIGKILL to pid \d+ \(sleeper\) from pid \d+ \(bash\) in \/system\.slice\//,
    );
    expect(because[1]).toMatchObject({ file: 'cell.json' });
    expect(because[2]?.text).toMatch(/ended [\d.]+ ms after SIGKILL$/);
  });

  it('of somebody else does not cite what we did', () => {
    const stimuli = capture.record.stimuli.map((stimulus) => ({
      ...stimulus,
      detail: stimulus.detail.replace(/sent by pid \d+/, 'sent by pid 4'),
    }));
    const { because } = judgeCapture({ ...capture, record: { ...capture.record, stimuli } }).attribution;
    expect(because.map((ref) => ref.source)).toEqual(['trace', 'trace', 'pod']);
  });
});

describe('a signal that a program sends itself', () => {
  const capture = loadCapture('eviction-empty-dir');
  const isRuncs = (line: string): boolean => RUNC_SIGTERM.test(line) && line.includes('"comm":"misbehave"');

  it('is nobody’s when the kubelet meant to stop it and the runtime sent none: a hook may have', () => {
    const alone = withLines(capture, WITNESS, (lines) => renumber(lines.filter((line) => !isRuncs(line))));
    const { attribution, note } = judgeCapture(alone);
    expect(attribution.killer).toBe('unknown');
    expect(note).toContain('preStop hook');
  });

  it('is nobody’s when the record of another sender may be lost', () => {
    const lost = withLines(capture, WITNESS, (lines) => lines.filter((line) => !isRuncs(line)));
    expect(judgeCapture(lost)).toMatchObject({ attribution: { killer: 'unknown' }, verdict: 'inconclusive' });
  });
});

describe('a signal that did not go to the first process, or long ago', () => {
  const child = (): Story => new Story().process(3, CAST.child, 7, 'app', OWN);

  it.each<[string, number, Killer]>([
    ['a SIGTERM from outside', 143, 'external-signal'],
    ['a SIGTERM from outside that the shell turns into', 1, 'external-signal'],
  ])('%s to the program under a shell ended it, exit %i', (_, code, killer) => {
    const story = child().signal(6, { sig: 15, pid: CAST.child, comm: 'app', sender: SHELL });
    story.exit(6.1, CAST.child, 'app').exit(6.2);
    expect(attributionOf(story.pod(7, { state: terminated(6, code) }))).toMatchObject({
      killer,
      process: 'child',
      confidence: 'likely',
    });
  });

  it('the kill of a probe that hung is not the stop of the container', () => {
    const story = child().signal(5, { sig: 9, pid: CAST.child, comm: 'app', sender: RUNTIME });
    story.exit(5.1, CAST.child, 'app').exit(6);
    expect(killerOf(story.pod(7, { state: terminated(6, 1) }))).toBe('self-exit');
  });

  it('the kill of what is left after the end did not cause it', () => {
    const story = child().exit(6).signal(6.03, { sig: 9, pid: CAST.child, comm: 'app', sender: RUNTIME });
    expect(killerOf(story.pod(7, { state: terminated(6, 1) }))).toBe('self-exit');
  });

  it('a request from outside that is answered late leaves it open', () => {
    const story = new Story().signal(4, { sig: 15, pid: CAST.init, sender: SHELL }).exit(20);
    const told = judgeCapture(story.pod(21, { state: terminated(20, 0) }).tell({ killer: 'none' }));
    expect(told.attribution.killer).toBe('unknown');
    expect(told.note).toContain('somebody outside had asked it to stop');
  });

  it('a pod’s process that is called like the runtime is not the runtime', () => {
    const other =
      '/kubepods.slice/kubepods-pod11111111_2222_3333_4444_555555555555.slice/cri-containerd-x.scope';
    const story = new Story().signal(6, { sig: 9, pid: CAST.init, sender: [950, 'runc', other] }).exit(6.05);
    expect(killerOf(story.pod(7, { state: terminated(6, 137) }))).toBe('external-signal');
  });
});
