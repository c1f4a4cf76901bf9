import { describe, expect, it } from 'vitest';
import { addSignal } from '../../../../fixtures/evidence/change-capture.ts';
import { judgeCapture, loadCapture, withLines } from '../../../../fixtures/evidence/load-capture.ts';
import { attributionOf, killerOf } from '../../judge-story.ts';
import { running, terminated } from '../../../../fixtures/told/api-words.ts';
import { CAST, isoSeconds, scopeOf } from '../../../../fixtures/told/cast.ts';
import { Story } from '../../../../fixtures/told/story.ts';

const WITNESS = 'node-1/witness.jsonl';

const OWN = scopeOf(CAST.container);

const STOPS = `"Killing container with a grace period" pod="default/victim" podUID="${CAST.uid}" containerName="main" containerID="containerd://${CAST.container}" gracePeriod=30`;

function deleted(): Story {
  const metadata = { deletionTimestamp: isoSeconds(34), deletionGracePeriodSeconds: 30 };
  const story = new Story().pod(4, { state: running(3), metadata });
  return story.kubelet(4.1, STOPS).event(4, 'Killing', 'Stopping container main');
}

describe('an end by itself', () => {
  const capture = loadCapture('plain-exit');

  it('is proven for exit 3, and only likely for a 137 that no signal explains', () => {
    expect(judgeCapture(capture).attribution).toMatchObject({ killer: 'self-exit', confidence: 'proven' });
    const code = withLines(capture, 'pods.jsonl', (lines) =>
      lines.map((line) => line.replace('"exitCode":3', '"exitCode":137')),
    );
    expect(judgeCapture(code).attribution).toMatchObject({ killer: 'self-exit', confidence: 'likely' });
  });
});

describe('an end of its own', () => {
  it('is nobody’s when the record of the signal before it is lost', () => {
    const signal = /"kind":"signal".*"senderComm":"bash".*"sig":15/;
    const lost = withLines(loadCapture('sigterm-from-node'), WITNESS, (lines) =>
      lines.filter((line) => !(signal.test(line) && line.includes('"comm":"sleeper"'))),
    );
    expect(lost.files.get(WITNESS)).not.toBe(loadCapture('sigterm-from-node').files.get(WITNESS));
    expect(judgeCapture(lost)).toMatchObject({ attribution: { killer: 'unknown' }, verdict: 'inconclusive' });
  });
});

describe('an end after a stop signal', () => {
  const capture = loadCapture('plain-exit');
  const runtime = { senderPid: 4242, senderComm: 'runc', senderCgroup: '/system.slice/containerd.service' };
  const person = { senderPid: 4242, senderComm: 'bash', senderCgroup: '/system.slice/ssh.service' };

  it('is not its own when the runtime had sent the STOPSIGNAL of the image', () => {
    const stopped = addSignal(loadCapture('exit-one'), 3, 500_000, runtime);
    expect(judgeCapture(stopped).attribution).toMatchObject({ killer: 'runtime-stop', confidence: 'likely' });
    // Here kubelet and events said too little to tell that nobody asked them.
    expect(judgeCapture(addSignal(capture, 3, 500_000, runtime)).attribution.killer).toBe('unknown');
  });

  it('is not proven to be its own when somebody had interrupted it', () => {
    const interrupted = addSignal(capture, 2, 500_000, person);
    expect(judgeCapture(interrupted).attribution).toMatchObject({
      killer: 'external-signal',
      confidence: 'likely',
    });
  });

  it('is its own when the signal means nothing of that kind', () => {
    const rotated = addSignal(capture, 10, 3_000_000, person);
    expect(judgeCapture(rotated).attribution).toMatchObject({ killer: 'self-exit', confidence: 'likely' });
    const answered = addSignal(capture, 10, 500_000, person);
    expect(judgeCapture(answered).attribution).toMatchObject({
      killer: 'external-signal',
      confidence: 'likely',
    });
  });

  it('is its own when its own timer rang while a stranger was on the CPU', () => {
    const rang = addSignal(capture, 15, 500_000, { ...person, code: -2 });
    expect(judgeCapture(rang).attribution.killer).not.toBe('external-signal');
  });
});

describe('a program that ends while its preStop hook runs', () => {
  it.each([
    [
      'is told to by the hook',
      () => deleted().signal(5, { sig: 15, pid: CAST.init, sender: [900, 'kill', OWN] }),
      143,
    ],
    ['is told to over the network', () => deleted(), 0],
  ])('%s: nobody can say that it did so by itself', (_, tell, code) => {
    const told = judgeCapture(
      tell()
        .exit(5.5)
        .pod(6, { state: terminated(5, code) })
        .tell({ killer: 'none' }),
    );
    expect(told.attribution.killer).toBe('unknown');
    expect(told.note).toContain('preStop hook');
    expect(told.attribution.because.map((ref) => ref.source)).toContain('kubelet');
  });

  it('does so by itself when nobody had meant to stop it', () => {
    const alone = new Story().exit(5.5).pod(6, { state: terminated(5, 3) });
    expect(attributionOf(alone)).toMatchObject({ killer: 'self-exit', confidence: 'proven' });
    const signalled = new Story().signal(5, { sig: 15, pid: CAST.init, sender: [900, 'kill', OWN] });
    expect(killerOf(signalled.exit(5.5).pod(6, { state: terminated(5, 143) }))).toBe('self-signal');
  });
});
