import { describe, expect, it } from 'vitest';
import type { Attribution } from '../../../../lab/model/saved/formats.ts';
import { loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { judgeProfile, SOURCE_PROFILES } from '../../../fixtures/autopsy/source-profiles.ts';

/** What an autopsy says of a capture of which only these sources are left. */
function judge(name: string, left: string): Attribution {
  const profile = SOURCE_PROFILES.find((one) => one.name === left);
  if (profile === undefined) throw new Error(`no profile is called ${left}`);
  const answer = judgeProfile(loadCapture(name), profile);
  if (answer.kind !== 'answer') throw new Error(answer.says);
  return answer.attribution;
}

const OOM = 'an OOM kill of its first process';
const SECCOMP = 'a forbidden system call';
const FORK = 'a refused fork';
const PROBE = 'a failed probe';
const CHANGE = 'a change of its definition';
const RULE = 'a rule of the pod itself';
const SANDBOX = "the end of its pod's sandbox";
const CONTROLLER = 'a cgroup of the pod that lacked a controller';
const SHUTDOWN = 'a shutdown of its node';
const ANOTHER = 'the kubelet, for another reason';

const KERNEL_AND_API = 'kernel log + API';
const NO_WITNESS = 'no witness';
const API = 'API only';
const NODE = 'node only';
const COUNTED = 'API, node logs and counters';

/** Why a way is open; it must not be excluded. */
function whyOpen({ open = [], excluded = [] }: ReturnType<typeof judge>, way: string): string | undefined {
  expect(excluded.map(({ what }) => what)).not.toContain(way);
  return open.find(({ what }) => what === way)?.why;
}

describe('a record of a way that nothing binds to the end', () => {
  it.each([
    ['an audit record of an unknown process', 'seccomp', KERNEL_AND_API, SECCOMP, 'node-1/kmsg.log:14'],
    ['a refused fork without a time', 'pids-limit--tight', KERNEL_AND_API, FORK, 'node-1/kmsg.log:14'],
    ['the same on cgroup v1', 'pids-limit--v1_tight', KERNEL_AND_API, FORK, 'node-1/kmsg.log:14'],
    ['a kill long before the end was noticed', 'memory-stall', COUNTED, OOM, 'node-1/kmsg.log:95'],
    ['a kill of a worker', 'worker-oom-then-exit--v1', NO_WITNESS, OOM, 'node-1/kmsg.log:52'],
    [
      'a kill in an unknown sandbox',
      'sandbox-limit--runsc-child-seen-first',
      KERNEL_AND_API,
      OOM,
      'kmsg.log',
    ],
    ['a stop of an earlier container of that name', 'resize-restart', API, CHANGE, 'events.jsonl:11'],
    ['a shim of the sandbox that is gone', 'sandbox-killed', COUNTED, SANDBOX, 'node-1/containerd.jsonl'],
    ['a status that comes after the kill', 'node-shutdown--tight', API, SHUTDOWN, 'pods.jsonl:7'],
    [
      'a kill in a sandbox that never came to be',
      'container-init-oom',
      NODE,
      "an OOM kill of the runtime's own first process",
      'node-1/kmsg.log',
    ],
  ])('%s leaves it open: %s', (_, name, left, way, place) => {
    const why = whyOpen(judge(name, left), way);
    expect(why).toContain('a record says so (');
    expect(why).toContain(place);
    expect(why).toContain(', and nothing binds it to this end');
  });
});

describe('a stop by the kubelet without a reason', () => {
  it.each([
    ['a file of a static pod is in no event', 'static-pod-removed', API, CHANGE, 'events.jsonl'],
    ['a probe that ends the pod is in no event', 'startup-probe-ends-pod', API, PROBE, 'events.jsonl'],
    ['none that is known here', 'startup-probe-ends-pod', API, ANOTHER, 'events.jsonl'],
    ['a rule of the pod is in no log', 'restart-all-containers--1.36', NODE, RULE, 'node-1/kubelet.jsonl:13'],
    ['an address is in no event', 'sandbox-without-address', API, RULE, 'events.jsonl'],
    [
      'a controller is in no record',
      'minute-survivor--systemd+cgroupfs',
      NO_WITNESS,
      CONTROLLER,
      'events.jsonl:11',
    ],
  ])('leaves it open where %s: %s', (_, name, left, way, place) => {
    const why = whyOpen(judge(name, left), way);
    expect(why).toContain('the kubelet stopped it and gave no reason (');
    expect(why).toContain(place);
  });
});

describe('a way of which no record tells', () => {
  it.each([
    ['seccomp', KERNEL_AND_API, OOM],
    ['two-die-killed', COUNTED, OOM],
    ['sigkill-from-node', KERNEL_AND_API, SECCOMP],
    ['sigkill-from-node', KERNEL_AND_API, FORK],
    ['seccomp', API, PROBE],
    ['seccomp', API, CHANGE],
    ['seccomp', API, CONTROLLER],
    ['sigkill-from-node', COUNTED, SANDBOX],
    ['resize-restart', NO_WITNESS, PROBE],
    ['startup-probe-ends-pod', NO_WITNESS, CHANGE],
    ['liveness-probe', NO_WITNESS, CONTROLLER],
  ])('%s with %s: %s stays excluded', (name, left, way) => {
    expect(judge(name, left).excluded?.map(({ what }) => what)).toContain(way);
  });
});

describe('an end that the kubelet made up', () => {
  it('gives way to that of the runtime, so that a restart of all containers is named', () => {
    expect(judge('restart-all-containers--1.36', NO_WITNESS)).toMatchObject({
      killer: 'pod-lifecycle',
      confidence: 'likely',
    });
  });
});
