import { describe, expect, it } from 'vitest';
import type { Killer } from '../../lab/model/killers.ts';
import { HAND_WRITTEN } from '../fixtures/evidence/hand-written.ts';
import { judgeCapture, loadCapture, withLines, type Capture } from '../fixtures/evidence/load-capture.ts';
import { CAST, isoSeconds, running, scopeOf, Story, terminated } from '../fixtures/evidence/story.ts';

const RUNTIME = [1200, 'runc', '/system.slice/containerd.service'] as const;
const SHELL = [4242, 'bash', '/user.slice/user-0.slice/session-1.scope'] as const;

function told(name: string): Capture {
  const found = HAND_WRITTEN.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no story is called ${name}`);
  return found.capture();
}

/** The story with one text of one file changed everywhere. */
function changed(name: string, path: string, from: string, to: string): Capture {
  return changedIn(told(name), path, from, to);
}

function changedIn(capture: Capture, path: string, from: string, to: string): Capture {
  expect(capture.files.get(path)).toContain(from);
  return withLines(capture, path, (lines) => lines.map((line) => line.replaceAll(from, to)));
}

const WITNESS = 'node-1/witness.jsonl';
const SYSTEM = 'node-1/system.jsonl';

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
    [
      'a shim that was killed by nobody',
      () =>
        changed('shim-killed', WITNESS, `"pid":${CAST.shim},"comm":"containerd-shim"`, '"pid":7,"comm":"x"'),
      'runtime-stop',
    ],
    [
      'a deadline that is an eviction',
      () => changed('deadline', 'pods.jsonl', '"DeadlineExceeded"', '"Evicted"'),
      'kubelet-eviction',
    ],
    [
      'a deadline that is none',
      () => changed('deadline', 'pods.jsonl', '"DeadlineExceeded"', '"Odd"'),
      'runtime-stop',
    ],
    [
      'a probe of another container',
      () => changed('liveness-probe', 'events.jsonl', 'Container main failed', 'Container mainly failed'),
      'unknown',
    ],
    [
      'a fork refused long before the end',
      () => {
        const story = new Story().values(4, scopeOf(CAST.container), 'pids.events', { max: 3 });
        return story
          .exit(25)
          .pod(26, { state: terminated(25, 2) })
          .tell({ killer: 'self-exit' });
      },
      'self-exit',
    ],
    [
      'a refused fork of which only the kernel tells',
      () => changed('pids-limit', WITNESS, '"max":"3"', '"max":"0"'),
      'pids-limit',
    ],
    [
      'a sandbox that the runtime stopped after the container',
      () => {
        const metadata = { deletionTimestamp: isoSeconds(35), deletionGracePeriodSeconds: 30 };
        const story = new Story().pod(5, { state: running(3), metadata });
        story.signal(6, { sig: 15, pid: CAST.init, sender: RUNTIME }).exit(6.05);
        story.signal(7, { sig: 9, pid: CAST.pausePid, comm: 'pause', sender: RUNTIME });
        story.exit(7.01, CAST.pausePid, 'pause');
        return story.pod(8, { state: terminated(6, 143), metadata }).tell({ killer: 'api-deletion' });
      },
      'api-deletion',
    ],
    [
      'a container that was killed before its node restarted',
      () => {
        const story = new Story().signal(6, { sig: 9, pid: CAST.init, sender: SHELL }).exit(6.01);
        story
          .pod(7, { state: terminated(6, 137) })
          .boot('another', 20, 2)
          .node(24, 'another');
        return story.tell({ killer: 'external-signal' }, 2);
      },
      'external-signal',
    ],
    [
      'an exit with 159 and no word of seccomp',
      () => changed('seccomp-audit-only', 'node-1/kmsg.log', 'type=1326', 'type=1400'),
      'self-exit',
    ],
    [
      'a container that never ran, of which only the kernel tells',
      () =>
        changedIn(
          loadCapture('container-init-oom'),
          'events.jsonl',
          'memory limit too low',
          'memory limit to know',
        ),
      'container-init-oom',
    ],
  ])('%s', (_, capture, killer) => {
    expect(judgeCapture(capture()).attribution.killer).toBe(killer);
  });
});

describe('one changed fact is another way, or a weaker proof', () => {
  it('a condition that names nobody leaves a plain deletion', () => {
    const drained = loadCapture('api-eviction');
    const judged = judgeCapture(changedIn(drained, 'pods.jsonl', 'EvictionByEvictionAPI', 'Other'));
    expect(judged.attribution).toMatchObject({ killer: 'api-deletion', how: 'delete' });
    expect(judged.verdict).toBe('failed');
  });

  it('without a word of the kubelet a reboot is only likely', () => {
    const capture = withLines(
      withLines(told('node-reboot'), 'nodes.jsonl', undefined),
      'events.jsonl',
      () => [],
    );
    expect(judgeCapture(capture).attribution).toMatchObject({ killer: 'node-reboot', confidence: 'likely' });
  });

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

  it('a container named like a kernel message kills nobody', () => {
    const name = 'Memory cgroup out of memory: Killed process 812 (main) total-vm:1kB';
    const capture = loadCapture('api-delete');
    const files = new Map(
      [...capture.files].map(([path, content]) => [
        path,
        content.replaceAll('"comm":"sleeper"', `"comm":"${name}"`),
      ]),
    );
    expect(judgeCapture({ ...capture, files }).attribution.killer).toBe('api-deletion');
  });
});
