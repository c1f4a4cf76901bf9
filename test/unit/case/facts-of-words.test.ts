import { describe, expect, it } from 'vitest';
import { readCase } from '../../../lab/case/answer/read-case.ts';

async function said(text: string): Promise<string[]> {
  const { facts } = await readCase([{ path: 'report.md', text }]);
  return facts.map(({ name, value, role }) => `${name}: ${value}${role === 'affected' ? '' : ` (${role})`}`);
}

describe('what did not happen', () => {
  it.each([
    ['The container was not being OOM killed.', 'reason: OOM kill (absent)'],
    ['No actual OOM occurred in the failing tests', 'reason: OOM kill (absent)'],
    ['The process should be OOM-killed when it allocates 600Mi.', 'reason: OOM kill (absent)'],
    [
      'Instead of reporting the container as OOMKilled, it exited with code 137.',
      'reason: OOMKilled (absent)',
    ],
    ['I was expecting to see in the pods SIGTERM when it ends', 'signal: SIGTERM (absent)'],
    ['"OOMKilled": false, "ExitCode": 137', 'reason: OOMKilled (absent)'],
    ['Docker is not setting the `.State.OOMKilled` flag.', 'reason: OOMKilled (absent)'],
    ['{{.State.OOMKilled}} not being correctly set for kernel 4.19', 'reason: OOMKilled (absent)'],
    ["Even docker inspect doesn't mention any OOM: see below", 'reason: OOM kill (absent)'],
    ['It would go "out of memory" but it seems to run fine.', 'reason: OOM kill (absent)'],
  ])('%s', async (text, fact) => {
    expect(await said(text)).toContain(fact);
    expect(await said(text)).not.toContain(fact.replace(' (absent)', ''));
    expect(await said(text)).not.toContain(fact.replace(' (absent)', ' (inferred)'));
  });

  it.each([
    ['The limit is there to avoid an OOM kill.', 'reason: OOM kill (inferred)'],
    ['It creates pressure without triggering OOM.', 'reason: OOM kill (inferred)'],
    ['We prevent limits from falling below usage and triggering an OOM-kill.', 'reason: OOM kill (inferred)'],
    ['The kubelet receives DeadlineExceeded errors when it asks', 'reason: DeadlineExceeded'],
  ])('or is the code of a call, or what somebody avoids: %s', async (text, fact) => {
    expect(await said(text)).not.toContain(fact);
  });

  it.each([
    ['I expected the OOM-killer to kill one process only.', 'reason: OOM kill (inferred)'],
    ['The OOM kill is not detected.', 'reason: OOM kill (inferred)'],
    ['I was expecting to see a log when the node reboots', 'node: rebooted'],
    ['The pod ended with DeadlineExceeded.', 'reason: DeadlineExceeded'],
    ['A leak causes an OOM kill', 'reason: OOM kill (inferred)'],
    ['It ran out of memory, but the other one works.', 'reason: OOM kill (inferred)'],
  ])('and what did: %s', async (text, fact) => {
    expect(await said(text)).toContain(fact);
  });
});

describe('a version', () => {
  it('before which all is well is the first that is not', async () => {
    const text = '# Swap is not used on 1.30+\n\nProcesses used it as they did before version 1.30.';
    expect(await said(text)).toContain('kubernetes: 1.30');
    expect(await said(text)).not.toContain('kubernetes: 1.30 (works)');
  });

  it('that works is not affected by another sentence about it', async () => {
    const text =
      '# v1.24.9 restarts pods\n\nNot with version 1.24.8 and below. In version 1.24.8, it is seamless.';
    const facts = await said(text);
    expect(facts).toContain('kubernetes: 1.24.8 (works)');
    expect(facts).not.toContain('kubernetes: 1.24.8');
  });

  it.each([
    ['The sidecar pattern (K8s 1.29+) requires an init container', 'kubernetes: 1.29'],
    ['# [Backport release-1.23] no restart', 'kubernetes: 1.23'],
    ['nerdctl run --oom-score-adj -42 alpine cat /proc/self/oom_score_adj', 'os: Alpine'],
  ])('that says nothing of the cluster is none: %s', async (text, fact) => {
    expect(await said(text)).not.toContain(fact);
  });

  it('is of the program that the line above names', async () => {
    const server =
      '```\nServer:\n containerd:\n  Version:\tv1.6.8\n runc:\n  Version:\t1.1.4\n Engine:\n  Version: 24.0.6\n```';
    expect(await said(server)).toEqual(
      expect.arrayContaining(['containerd: 1.6.8', 'runc: 1.1.4', 'docker: 24.0.6']),
    );
  });

  it('is that of the command above it, when it is below the fence that was meant for it', async () => {
    const form = [
      '### CRI-O and Kubernetes version',
      '```console\n$ crio --version\n# paste output here\n```\n1.24.0',
      '```console\n$ kubectl version --output=json\n# paste output here\n```\n1.24.1',
    ].join('\n');
    const facts = await said(form);
    expect(facts).toEqual(expect.arrayContaining(['cri-o: 1.24.0', 'kubernetes: 1.24.1']));
    expect(facts).not.toContain('kubernetes: 1.24.0');
  });
});

describe('what a tracker and a kernel say of themselves', () => {
  it.each([
    ['google/gvisor · issue #9834 · closed\n# Pods stuck in Terminating state', 'trait: gVisor (inferred)'],
    ['google/gvisor · issue #9834 · closed\n# Pods stuck in Terminating state', 'trait: pod deletion'],
    ["Nodes have pods stuck in a 'Terminating' status", 'trait: pod deletion'],
    ['Linux fedora 5.12.0-178.fc35.x86_64 #1 SMP', 'os: Fedora 35 (inferred)'],
    ['Linux node 5.14.0-427.28.1.el9_4.x86_64 #1 SMP', 'os: RHEL 9 (inferred)'],
    ['A failed scope unit is left over: the container ended, but its scope stays.', 'trait: leaked cgroups'],
    ['It fails with cgroup v2. I was unable to reproduce with any cgroup v1 setup', 'cgroup: v1 (works)'],
    ['Here is a repro (works on CentOS Stream 9 only)', 'os: CentOS Stream 9'],
  ])('%s', async (text, fact) => {
    expect(await said(text)).toContain(fact);
  });

  it('takes a task that is stopped for no restart of containerd', async () => {
    expect(await said('Containerd shows the task is stopped')).not.toContain('trait: restart of containerd');
  });
});

describe('also read', () => {
  it.each([
    ['It happens when the cgroup driver is `systemd`', 'kubelet driver: systemd'],
    ['I do not see it when I switch the cgroup driver to `cgroupfs`', 'kubelet driver: cgroupfs (works)'],
    ['cgroup v1 is deprecated. Please migrate to cgroups v2.', 'cgroup: v2 (works)'],
    ['Events: Pod sandbox changed, it will be killed and re-created', 'reason: SandboxChanged'],
    ['Nodes get memory-pressure taints', 'trait: memory pressure of the node'],
    ['Pod evictions follow', 'trait: eviction'],
    ['The `ImageVolume` feature gate is on', 'trait: image volume'],
    ['an NRI plugin times out', 'trait: NRI plugin'],
    ['It is inside of KinD', 'product: kind'],
  ])('%s', async (text, fact) => {
    expect(await said(text)).toContain(fact);
  });

  it('no product in a word of the language', async () => {
    expect(await said('This kind of pod')).not.toContain('product: kind');
  });

  it('the error of a line of klog, though it says nothing of a failure', async () => {
    const line =
      '```log\nE0616 06:45:16.697328    4419 pod_workers.go:1324] "Error syncing pod, skipping" err="unprepare dynamic resources: ResourceClaim not created yet"\n```';
    expect(await said(line)).toContain('message: unprepare dynamic resources resourceclaim not created yet');
  });

  it('a report whose fences are all in a list', async () => {
    const { title, facts } = await readCase([
      {
        path: 'report.md',
        text: '# Swap is not used\n\n1) the kubelet\n    ```yaml\n    apiVersion: kubelet.config.k8s.io/v1beta1\n    kind: KubeletConfiguration\n    ```\n2) the OS freezes',
      },
    ]);
    expect(title).toBe('Swap is not used');
    expect(facts.map(({ value }) => value)).toContain('hung');
  });
});

describe('what a report says in general', () => {
  it.each([
    ['A container whose main process was OOM-killed exits with 137.', 'exit code: 137'],
    ['A report with exit code 137 (or any other code) stays as it is.', 'exit code: 137'],
    ['The OOM killer terminates processes with SIGKILL.', 'signal: SIGKILL'],
  ])('did not happen to anybody: %s', async (text, fact) => {
    expect(await said(text)).not.toContain(fact);
  });

  it.each([
    ['The container that I deployed exits with 137.', 'exit code: 137'],
    ['A container exits with 137 every few minutes.', 'exit code: 137'],
    ['The kubelet terminates my process with SIGKILL.', 'signal: SIGKILL'],
  ])('unlike what it says of its own: %s', async (text, fact) => {
    expect(await said(text)).toContain(fact);
  });
});

describe('an OOM kill', () => {
  it('that a report calls spurious was none, whoever printed it', async () => {
    const text =
      'We get a spurious "OOM Killed (137)" message.\n\n```\nTerminated  Exit Code: 137, Exit Message: "OOM Killed (137)"\n```';
    const facts = await said(text);
    expect(facts).toEqual(expect.arrayContaining(['exit code: 137', 'reason: OOM kill (absent)']));
    expect(facts).not.toContain('reason: OOM kill (inferred)');
  });

  it('that a failed test misses is one that nobody reports', async () => {
    const text =
      '# OOM kill detection flaky\n\n```\n=== RUN   TestKilled\n    x_test.go:24: not killed by OOM killer: it exited with non-zero exit code: 137\n--- FAIL: TestKilled (2.41s)\n```';
    const facts = await said(text);
    expect(facts).toEqual(
      expect.arrayContaining(['exit code: 137', 'reason: OOM kill (inferred)', 'reason: OOMKilled (absent)']),
    );
    expect(facts).not.toContain('reason: OOM kill (absent)');
  });

  it('of a child is one, though it did not end the container', async () => {
    const text =
      'A child process OOM-killed at any time marks the exit as OOMKilled, but the main process ended by SIGTERM, not the OOM killer.';
    const facts = await said(text);
    expect(facts).toEqual(
      expect.arrayContaining(['reason: OOM kill (inferred)', 'trait: OOM kill of a child']),
    );
    expect(facts).not.toContain('reason: OOM kill (absent)');
  });

  it.each([
    ['terminated.reason=OOMKilled with exitCode 143', true],
    ['reason OOMKilled, exit code 0', true],
    ['reason OOMKilled, exit code 137', false],
    ['one has OOMKilled and exit code 137, the other exit code 1', false],
    ['gVisor: reason OOMKilled, exit code 128', false],
    ['not OOMKilled, exit code 143', false],
  ])('is of a child where OOMKilled is beside a code that no SIGKILL gives: %s', async (text, isOfChild) => {
    expect((await said(text)).includes('trait: OOM kill of a child (inferred)')).toBe(isOfChild);
  });

  it.each([
    ['[1.0] Out of memory: Kill process 1877 (influxd) score 760 or sacrifice child', true],
    ['[1.0] Out of memory: Killed process 1877 (influxd) total-vm:4928944kB', true],
    ['[1.0] Memory cgroup out of memory: Killed process 79699 (php-fpm) total-vm:5kB', false],
  ])('is of the node where the kernel names no cgroup: %s', async (text, isOfNode) => {
    const facts = await said(text);
    expect(facts.includes('trait: OOM of the node')).toBe(isOfNode);
  });
});

describe('an output below words of the past', () => {
  const output = '```\n  exitCode: 137\n  reason: Error\n```';

  it('is what came, when the words end with a "but"', async () => {
    const facts = await said(`I expected the status to tell. But I do not see any...\n\n${output}`);
    expect(facts).toEqual(expect.arrayContaining(['exit code: 137', 'reason: Error']));
  });

  it('is what should have come without', async () => {
    expect(await said(`I expected the status to tell:\n\n${output}`)).toContain('exit code: 137 (absent)');
  });
});

describe('a program that is named as people and programs do', () => {
  it.each([
    ['docker v1.11 reports just fine: `x  0/1  OOMKilled  0  3s`', 'docker: 1.11 (works)'],
    ['docker v1.11 reports just fine: `x  0/1  OOMKilled  0  3s`', 'reason: OOMKilled (absent)'],
    ['i am running some app with docker(version 1.8.3)', 'docker: 1.8.3'],
    ["Preparing Kubernetes v1.17.2 on Docker '19.03.5' ...", 'docker: 19.03.5'],
    ['connected to docker daemon running version 20.10.16+azure-2', 'docker: 20.10.16+azure-2'],
    [
      '**Output of `docker version`:**\n\n```\nClient:\n Version:      17.05.0-ce\n\nServer:\n Version:      17.05.0-ce\n```',
      'docker: 17.05.0-ce',
    ],
    ['```\nServer Version: 1.10.3\nStorage Driver: aufs\n```', 'docker: 1.10.3'],
    ['a container that was not getting killed with `OOM`', 'reason: OOM kill (absent)'],
    ['There is a leak of systemd scopes', 'trait: leaked cgroups'],
    ['### systemd version\n\n257.6 (with patches from upstream)', 'systemd: 257'],
    ['Debian Linux 10', 'os: Debian 10'],
    ['traps: cop[301] general protection ip:7fc7 sp:7fc6 error:0 in libc-2.28.so', 'signal: SIGSEGV'],
    ['app[12]: segfault at 0 ip 00007f sp 00007ff error 4 in app', 'signal: SIGSEGV'],
    ['# container restart not of oom', 'reason: OOM kill (absent)'],
    ['more than 100 pods on each kind worker node', 'product: kind'],
    ['kubernetes-sigs/kind · issue #2830 · closed\n# Not able to create pods', 'product: kind (inferred)'],
    ['swapBehavior=UnlimitedSwap.', 'setting: swapBehavior: UnlimitedSwap'],
    ['Setting MemorySwap.SwapBehavior=UnlimitedSwap in the config', 'setting: swapBehavior: UnlimitedSwap'],
    ['as an unprivileged user, run `podman run x`', 'product: a rootless runtime'],
    ['  cgroupManager: cgroupfs', 'runtime driver: cgroupfs'],
    ['systemd keeps the scope around unless somebody removes it', 'trait: leaked cgroups'],
    ['OOM: the memory limit could be too low: read from the init process', 'trait: end before the start'],
    [
      'E0714 21:56:42.556516   44001 x.go:738] "failed" err="netplugin failed: runtime: failed to create new OS thread (have 9 already; errno=11)\\\\nruntime stack:\\\\nruntime.throw({0x1867329})"',
      'message: netplugin failed runtime failed to create new os thread have # already errno #',
    ],
    ['fatal: failed to create new OS thread (have 9 already; errno=11)', 'trait: pids limit'],
    ['```\nsystemd[1]: Stopped Kubelet.\n-- Reboot --\n```', 'trait: reboot of the node'],
  ])('%s', async (text, fact) => {
    expect(await said(text)).toContain(fact);
  });

  it.each([
    ['6b274e0d70ad   influxdb:1.2.4-alpine   "/entrypoint.sh"   2 weeks ago', 'os: Alpine'],
    ['Apr 28 10:28:59 centos74 kubelet[34818]: x', 'os: centos74'],
    ['podman inspect x --format {{.State.OOMKilled}}', 'reason: OOMKilled'],
    ['```\nServer Version: 1.10.3\nStorage Driver: aufs\n```', 'kubernetes: 1.10.3'],
    ['if I let it go, it will invoke the OOM killer shortly', 'reason: OOM kill (inferred)'],
    ['OCI runtime spec defines memory.swap', /^message/],
    ['  rootless: false', 'product: a rootless runtime'],
    ['```\nNode may be unable to resolve external DNS records\n```', /^message/],
    ['```release-note\nFixed a bug that it cannot update its state from terminated.\n```', /^message/],
    ['Not able to start what kind of nodes', 'product: kind'],
    ['An init container with `Always` cannot update its state for a pod with `Never`.', /^message/],
  ])('and not: %s', async (text, fact) => {
    expect(
      (await said(text)).filter((one) => (typeof fact === 'string' ? one === fact : fact.test(one))),
    ).toEqual([]);
  });
});
