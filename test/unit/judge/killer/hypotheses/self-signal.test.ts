import { describe, expect, it } from 'vitest';
import { judgeCapture } from '../../../../fixtures/evidence/load-capture.ts';
import { running, terminated } from '../../../../fixtures/told/api-words.ts';
import { CAST, scopeOf } from '../../../../fixtures/told/cast.ts';
import { Story } from '../../../../fixtures/told/story.ts';

type Sender = readonly [pid: number, comm: string, cgroup: string];

const SELF: Sender = [CAST.init, 'main', scopeOf(CAST.container)];
/** Whoever is on the CPU when a timer of the kernel runs out. */
const IDLE: Sender = [0, 'swapper/1', ''];
const STRANGER: Sender = [4999, 'node_exporter', '/system.slice/node-exporter.service'];
const SI_KERNEL = 128;
const [HUP, KILL, TRAP, ALRM, XCPU, XFSZ, PROF] = [1, 9, 5, 14, 24, 25, 27];

/** The first process gets a signal at second 6, and the container is restarted after its end. */
function judgeEndBy(sig: number | undefined, sender: Sender, code: number, exitCode: number) {
  const story = new Story();
  if (sig !== undefined) story.signal(6, { sig, pid: CAST.init, sender, code });
  story.exit(6.02).pod(7, { state: terminated(6, exitCode) });
  const last = terminated(6, exitCode);
  story.pod(8, { state: running(8), last, restarts: 1, id: 'ee'.repeat(32) });
  return judgeCapture(story.tell({ killer: 'self-signal' })).attribution;
}

describe('a signal that the kernel sends to the process that caused it', () => {
  it.each<[string, number, Sender, number]>([
    ['its alarm(2), while nobody was on the CPU', ALRM, IDLE, SI_KERNEL],
    ['its alarm(2), while a stranger was on the CPU', ALRM, STRANGER, SI_KERNEL],
    ['a breakpoint of its own', TRAP, SELF, SI_KERNEL],
  ])('is its own doing: %s', (_, sig, sender, code) => {
    expect(judgeEndBy(sig, sender, code, 128 + sig)).toMatchObject({
      killer: 'self-signal',
      confidence: 'proven',
    });
  });

  it.each<[string, number, number]>([
    ['CPU time', XCPU, SI_KERNEL],
    ['file size', XFSZ, 0],
  ])('is its own doing for a limit of %s, but nobody saw who had set the limit', (_, sig, code) => {
    expect(judgeEndBy(sig, SELF, code, 128 + sig)).toMatchObject({
      killer: 'self-signal',
      confidence: 'likely',
    });
  });

  it('is no limit when the program sends that signal to itself', () => {
    expect(judgeEndBy(XCPU, SELF, 0, 128 + XCPU)).toMatchObject({
      killer: 'self-signal',
      confidence: 'proven',
    });
  });
});

describe('a signal that the kernel may have sent for somebody else', () => {
  it.each<[string, number, Sender]>([['SIGHUP of a terminal that was closed', HUP, SELF]])(
    'leaves the killer unknown: %s',
    (_, sig, sender) => {
      expect(judgeEndBy(sig, sender, SI_KERNEL, 128 + sig).killer).toBe('unknown');
    },
  );

  it('is a limit of its own when SIGKILL hits who ran, and no memory was short; likely, for nobody says why', () => {
    expect(judgeEndBy(KILL, SELF, SI_KERNEL, 128 + KILL)).toMatchObject({
      killer: 'self-signal',
      confidence: 'likely',
    });
  });

  it('does so as well when the trace leaves it out: SIGPROF', () => {
    expect(judgeEndBy(undefined, SELF, SI_KERNEL, 128 + PROF).killer).toBe('unknown');
  });

  it("is an outsider's when a stranger sends it by kill(2)", () => {
    expect(judgeEndBy(ALRM, STRANGER, 0, 128 + ALRM).killer).toBe('external-signal');
  });
});
