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
