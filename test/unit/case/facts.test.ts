import { describe, expect, it } from 'vitest';
import { readCase } from '../../../lab/case/answer/read-case.ts';
import { maskMessage } from '../../../lab/case/facts/read-symptoms.ts';
import type { CaseFact } from '../../../lab/model/saved/case.ts';

async function factsOf(text: string): Promise<readonly CaseFact[]> {
  return (await readCase([{ path: 'report.md', text }])).facts;
}

async function said(text: string): Promise<string[]> {
  return (await factsOf(text)).map(
    ({ name, value, role }) => `${name}: ${value}${role === 'affected' ? '' : ` (${role})`}`,
  );
}

/** Lines of public reports, and what they say. */
const SAID: readonly (readonly [line: string, fact: string])[] = [
  ['Server Version: v1.30.4-gke.100', 'kubernetes: 1.30.4'],
  ['Client Version: v1.31.0', 'kubernetes: 1.31.0 (client)'],
  [
    'Client Version: version.Info{Major:"1", GitVersion:"v1.19.7", GoVersion:"go1.15.5"}',
    'kubernetes: 1.19.7 (client)',
  ],
  ['K3s Version:  `v1.31.3+k3s1`', 'kubernetes: 1.31.3'],
  ['n1  Ready  <none>  12d  v1.33.4  10.0.0.5', 'kubernetes: 1.33.4'],
  ['We see this on EKS 1.29', 'kubernetes: 1.29'],
  ['We recently upgraded to 1.23 (from 1.22) and pods are stuck', 'kubernetes: 1.22 (works)'],
  [
    '- Kubernetes version (use `kubectl version`):  GitVersion:"v1.10.3-2+c8f1f59d8d233c"',
    'kubernetes: 1.10.3',
  ],
  ['crio version 1.19.0-dev', 'cri-o: 1.19.0-dev'],
  ['the runtime reports the error code 128 rather than 137', 'exit code: 128'],
  ['the only type of OOM I saw was a System OOM', 'reason: SystemOOM'],
  ['It was fine with 1.28.4', 'kubernetes: 1.28.4 (works)'],
  ['Since we upgraded from 1.29.3 to v1.30.1 it fails', 'kubernetes: 1.29.3 (works)'],
  ['v1.36.0-alpha.1 of Kubernetes: kubelet v1.36.0-alpha.1', 'kubernetes: 1.36.0-alpha.1'],
  ['container runtime: containerd://1.7.12', 'containerd: 1.7.12'],
  [
    'containerd github.com/containerd/containerd v1.7.1 1677a17964311325ed1c31e2c0a3589ce6d5c30d',
    'containerd: 1.7.1',
  ],
  ['containerd containerd.io 1.6.12 a05d175400b1145e5e6a735a6710579d181e7fb0', 'containerd: 1.6.12'],
  ['runc version 1.1.15', 'runc: 1.1.15'],
  ['crun version 1.8.1', 'crun: 1.8.1'],
  ['runsc version release-20230920.0', 'runsc: 20230920.0'],
  ['cri-o://1.28.2', 'cri-o: 1.28.2'],
  ['Linux host 6.8.0-64-generic #67-Ubuntu SMP', 'kernel: 6.8.0-64-generic'],
  ['Kernel Version: 5.15.0-1057-aws', 'kernel: 5.15.0-1057-aws'],
  ['systemd 252 (252.39-1)', 'systemd: 252'],
  ['PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"', 'os: Debian 12'],
  ['OS: Ubuntu 22.04.4 LTS', 'os: Ubuntu 22.04'],
  ['nodes are Windows Server 2022', 'platform: Windows'],
  ['node is aarch64', 'platform: arm64'],
  ['cgroup v1 here', 'cgroup: v1'],
  ['cat /sys/fs/cgroup/kubepods.slice/memory.max', 'cgroup: v2 (inferred)'],
  ['cat /sys/fs/cgroup/memory/kubepods/burstable/memory.limit_in_bytes', 'cgroup: v1 (inferred)'],
  ['cgroupDriver: cgroupfs', 'kubelet driver: cgroupfs'],
  ['SystemdCgroup = false', 'runtime driver: cgroupfs'],
  ['it got an exit code of `1` instead of `137` (OOM)', 'exit code: 1'],
  ['systemd 257 (257.13-1~deb13u1)', 'os: Debian 13'],
  ['Linux ip-10-1-1-198 5.15.0-1061-aws #67~20.04.1-Ubuntu SMP', 'os: Ubuntu 20.04'],
  ['Confirmed against Pelagos v0.65.47 on k3s v1.35.5.', 'kubernetes: 1.35.5'],
  ['fails due to missing `/dev/console`\n`containerd: 2.1.5`', 'containerd: 2.1.5'],
  ['clientVersion:\n  gitVersion: v1.35.3\n  platform: darwin/arm64', 'kubernetes: 1.35.3 (client)'],
  ['serverVersion:\n  gitVersion: v1.34.5-gke.1076000', 'kubernetes: 1.34.5'],
  ['OOM kills are misattributed to a generic `Error`.', 'reason: Error'],
  ['Normal  NodeHasDiskPressure  56m (x11 over 2d2h)  kubelet  Node n2', 'reason: NodeHasDiskPressure'],
  ['Cgroup directory leak after kata pod deletion', 'trait: leaked cgroups'],
  [
    'Failed to create pod sandbox: RuntimeClass handler "sysbox-runc" does not support user namespaces',
    'message: failed to create pod sandbox runtimeclass handler # does not support user namespaces',
  ],
  [
    '> > I1204 22:37:05.4 1898 pod_container.go:210] "Failed" err="Timed out while waiting for systemd to remove x.slice"',
    'message: timed out while waiting for systemd to remove x slice',
  ],
  ['it exits with exit code 137', 'exit code: 137'],
  ['      Reason:       OOMKilled', 'reason: OOMKilled'],
  ['      Reason:       Error', 'reason: Error'],
  ['error: signal: killed', 'signal: SIGKILL'],
  ['oom_kill 3', 'counter: oom_kill 3'],
  ['Then the OS freezes.', 'node: hung'],
  ['featureGates NodeSwap=true', 'setting: NodeSwap: true'],
  ['swapBehavior: LimitedSwap', 'setting: swapBehavior: LimitedSwap'],
  ['an in-place container resource resize', 'trait: in-place resize'],
  ['a pod with hostUsers: false', 'trait: user namespace'],
  ['a native sidecar with restartPolicy Always', 'trait: native sidecar'],
  ['We upgraded my own cluster nodes from containerd 1.7.20 to 2.1.3', 'containerd: 1.7.20 (works)'],
  ['This was not observed on v1.34.2 of Kubernetes', 'kubernetes: 1.34.2 (works)'],
  ['Reverting the kubelet back to v1.34.2 helps', 'kubernetes: 1.34.2 (works)'],
  ['The nodes are on 1.28 and the istio proxy is there', 'kubernetes: 1.28'],
  ['The probe used is execProbe', 'trait: exec probe'],
  ['40s (x10 over 2m40s)   Warning   Unhealthy   Pod/web   Liveness probe failed', 'reason: Unhealthy'],
  ['  Warning  FailedToRetrieveImagePullSecret  3m  kubelet', 'reason: FailedToRetrieveImagePullSecret'],
  ['Container Limit cgroup causing OOMkilled', 'reason: OOMKilled'],
  ['the pod is Error instead of `OOMKilled`', 'reason: OOMKilled (absent)'],
  ['OOMKilled reason not reported on aarch64', 'reason: OOMKilled (absent)'],
  ['the pod should get OOMKilled but it does not', 'reason: OOMKilled (absent)'],
  ['it raises an `Error` status rather than expected `OOMKilled`', 'reason: OOMKilled (absent)'],
  ['it raises an `Error` status rather than expected `OOMKilled`', 'reason: Error'],
  ['exit code 137 although there is no memory issue', 'reason: OOM kill (absent)'],
  ['requests and limits are within the range, and there is no OOM situation', 'reason: OOM kill (absent)'],
  ['`startupProbe` changed in v1.21.0, Behavior in v1.20.5: fine', 'kubernetes: 1.20.5 (works)'],
  ['systemd-239-58.el8_6.7.x86_64', 'systemd: 239'],
  [
    'kubelet cgroup driver: \\"cgroupfs\\" is different from docker cgroup driver: \\"systemd\\"',
    'kubelet driver: cgroupfs',
  ],
  [
    'kubelet cgroup driver: \\"cgroupfs\\" is different from docker cgroup driver: \\"systemd\\"',
    'runtime driver: systemd',
  ],
  ['11:cpuset:/kubepods-burstable-podc0.slice:cri-containerd:2bf329138aa5', 'runtime driver: cgroupfs'],
  ['OS Image: Bottlerocket OS 1.19.1 (aws-k8s-1.29)', 'kubernetes: 1.29'],
  ['Unresponsive/unreachable EKS nodes', 'node: hung'],
  ['the node goes into memory thrashing', 'node: hung'],
  ['nodes go Unready', 'node: not ready'],
  ['the emptyDir exceeds its limit', 'trait: ephemeral storage'],
  ['18622 processes are <defunct>', 'trait: zombies'],
  ['nobody sees it under gVisor', 'trait: gVisor'],
  ['runc v1.1.14 works, but v1.2.0-rc.3 hangs here.', 'runc: 1.2.0-rc.3'],
  ['After the update of runc from 1.0.3 to 1.1.0 it does not start', 'runc: 1.0.3 (works)'],
  ['After the update of runc from 1.0.3 to 1.1.0 it does not start', 'runc: 1.1.0'],
  ['Upgrade from CRI-O 1.30.6 to 1.30.7 breaks it', 'cri-o: 1.30.6 (works)'],
  ['we run Kubernetes 1.31.1400 of our vendor', 'kubernetes: 1.31'],
  ['Cherry pick of #141342 on release-1.35.', 'kubernetes: 1.35'],
  ['VERSION="18.04.6 LTS (Bionic Beaver)"', 'os: Ubuntu 18.04'],
  ['it ends by SIGKILL (137) after the grace period', 'exit code: 137'],
  ['image pull hangs for minutes', 'trait: image pull'],
  ['this cron job kills the parents of zombies', 'trait: hunt for zombies'],
  ['the pod is in UnexpectedAdmissionError', 'trait: refused by the kubelet'],
  [
    'mkdir /sys/fs/cgroup/memory/kubepods/burstable/podf2552b87-fd99-4c85-9b6c-e997dcdb6a0f: cannot allocate memory',
    'trait: dying memory cgroups',
  ],
  ['it happens after each time the node restarts', 'trait: reboot of the node'],
  ['We are hit too. runc version is 1.1.12.', 'runc: 1.1.12'],
  ['It was mended in 2021, which made its way into runc v1.1.0', 'runc: 1.1.0 (works)'],
  ['cri-o-1.29.10-150500.1.1.x86_64', 'cri-o: 1.29.10-150500.1.1.x86_64'],
  ['Kernel 6.1 passes.', 'kernel: 6.1 (works)'],
  ['Kernels 6.8 and 6.12 pass or fail, and nobody knows why', 'kernel: 6.8'],
  ['the process was killed with OOM before its metrics came', 'reason: OOM kill (inferred)'],
  ['the oom event comes after the exit', 'reason: OOM kill (inferred)'],
  ['We do not have an OOM issue on the node', 'reason: OOM kill (absent)'],
  ['kubelet --cpu-manager-policy=static', 'setting: cpuManagerPolicy: static'],
  ['k3s server --kubelet-arg=fail-cgroupv1=false', 'setting: failCgroupV1: false'],
  ['hugetlb cgroups reserve nothing', 'trait: huge pages'],
  ['they are throttled by the cfs quota all the same', 'trait: CPU quota'],
  ['unused images stay where they are when it evicts', 'trait: image garbage collection'],
  ['runc:[2:INIT] invoked oom-killer', 'trait: end before the start'],
  ['the job fails when the script kills the old k3s process', 'trait: restart of the kubelet'],
  ['podman 5.2 on the same machine', 'product: Podman'],
  ['a rootless installation', 'product: a rootless runtime'],
];

/** What only looks like a fact. */
const NOT_SAID: readonly (readonly [line: string, fact: RegExp])[] = [
  ['<!-- # On Windows: Windows Server 2022 -->', /platform/],
  ['# On Windows:\nC:\\> wmic os get Caption', /platform/],
  ['GoVersion:"go1.22.3"', /kubernetes/],
  ['built with golang 1.22.3', /kubernetes/],
  ['golang went from 1.21.1 to 1.22.3', /kubernetes/],
  ['the istio proxy is now at 1.22.3', /kubernetes/],
  [
    'see https://github.com/kubernetes/kubernetes/tree/release-1.29/pkg/kubelet on k3s.io',
    /kubernetes|product/,
  ],
  ['      Ready:          False', /setting/],
  ['the node has no swap', /trait: swap/],
  ['AWS CNI 602401143452.dkr.ecr.us-east-1.amazonaws.com/amazon-k8s-cni:v1.7.5', /kubernetes/],
  ['centos   1/1     Running   0          11s', /os:/],
  ['Linux k3s01 5.17.0-3-amd64 #1 SMP PREEMPT Debian 5.17.11-1 (2022-05-26) x86_64', /os:/],
  ['failed to exec: error executing setns process: exit status 1: unknown', /exit code/],
  ['why are all pods on this node restarted?', /node: rebooted/],
  ['$ kubectl exec centos cat /etc/os-release', /trait: exec session/],
  ['node-problem-detector makes no OOMKilling event', /OOM kill \(absent\)/],
  ['I cannot explain why it is OOMKilled', /absent/],
  ['Rocky Linux 8.6', /kernel/],
  ['`critest` v1.36.0 fails', /kubernetes/],
  ['minikube v1.35.0', /kubernetes/],
  ['chown /sys/fs/cgroup/a.scope/memory.oom.group: no such file or directory', /single process/],
  ['I0726 13:43:09.494698 708 k.go:1] "x" podActions="KillPod: false, CreateSandbox: false"', /setting/],
  ['disabling swap is not recommended', /trait: swap/],
  ["there hadn't been any containerd restart", /restart of containerd/],
  ['k8s v1.14.6 with three sidecar containers', /native sidecar/],
  ['Not reproducible with:\n- Ubuntu 20.04\n- Ubuntu 24.04 (cgroup v2)', /cgroup: v2$|os: Ubuntu 24\.04$/m],
  ['These settings resolve the issue:\n* Set it\n* Reboot the node', /reboot/],
  ['the error should not happen in Kubernetes 1.31', /works/],
  ['SeccompEnabled:   true', /setting/],
  ['oom_kill 0', /OOM kill/],
  ['OOM score adjustment is -1000', /OOM kill/],
  ['k3s starts the job', /restart of the kubelet/],
];

describe('the facts of a report', () => {
  it.each(SAID)('are read of words as people paste them: %s', async (line, fact) => {
    expect(await said(`# A report\n\n${line}\n`)).toContain(fact);
    expect(await said(`# A report\n\n\`\`\`console\n$ some command\n${line}\n\`\`\`\n`)).toContain(fact);
  });

  it.each(NOT_SAID)('are not read of %s', async (line, fact) => {
    expect((await said(`# A report\n\n${line}\n`)).join('\n')).not.toMatch(fact);
  });

  it('are read of code between backticks in a line, and of lines between two', async () => {
    const error = 'failed to create shim: permission denied';
    for (const text of [
      `It says\n\`\`\`${error}\`\`\` and Downgrading to 1.0.3 helps.\n\nNodes: Arch Linux`,
      `It says\n\`\n${error}\n\`\n\nNodes: Arch Linux`,
      `The message is "${error}"\n\nNodes: Arch Linux`,
    ]) {
      const facts = await said(`# A report\n\n${text}\n`);
      expect(facts).toContain(`message: ${error.replaceAll(':', '')}`);
      expect(facts).toContain('os: Arch Linux');
    }
  });

  it('have the version of a title from the program whose tracker it is', async () => {
    const text = 'containerd/containerd · issue #1 · open\n# options are ignored with v2.0.1\n\nIt dies.\n';
    expect(await said(text)).toContain('containerd: 2.0.1 (inferred)');
  });

  it('know a version that works by what is written before an output', async () => {
    const text = (lead: string): string =>
      `# It fails\n\n${lead}\n\`\`\`\n$ crun --version\ncrun version 1.17\n\`\`\`\n`;
    expect(await said(text('working:'))).toContain('crun: 1.17 (works)');
    expect(await said(text('Downgrading helps. The issue did not appear.'))).toContain('crun: 1.17 (works)');
    expect(await said(text('broken:'))).toContain('crun: 1.17');
  });

  it('note of a version that it does not matter', async () => {
    const notes = async (text: string): Promise<(string | undefined)[]> =>
      (await factsOf(`# It hangs\n\n${text}\n`)).map(({ note }) => note);
    expect(
      await notes(
        'containerd version (v1.7.16, v2.0.0-rc.4) and nerdctl version (v1.7.6, v2.0.0-rc.1) do not seem to matter.',
      ),
    ).toContain('the report says that it does not matter');
    expect((await notes("K3s Version: `v1.31.2+k3s1` (but doesn't really matter)")).join()).toMatch(
      /k3s1 is of its vendor.*; the report says that it does not matter/,
    );
    expect(await notes('containerd version 1.7.16')).toEqual([undefined]);
  });

  it('have the error that a title ends with, without what it is about', async () => {
    const error = 'message: writing file devices allow operation not permitted';
    expect(
      await said('# CRI-O 1.30.7 / 1.31.2: writing file devices.allow: Operation not permitted\n'),
    ).toContain(error);
    expect((await said('# It should say: permission denied\n')).join()).not.toContain('message');
  });

  it('put what a program has printed of Kubernetes first', async () => {
    const text = '# It dies\n\nKubernetes 1.7.9\n\n```\nServer Version: v1.17.9\n```\n';
    expect((await said(text)).filter((fact) => fact.startsWith('kubernetes'))).toEqual([
      'kubernetes: 1.17.9',
      'kubernetes: 1.7.9',
    ]);
  });

  it('name the words, the file and the line that they come from, and what a vendor has added', async () => {
    const facts = await factsOf('# A report\n\nOn GKE we run v1.30.4-gke.100.\n');
    expect(facts.find(({ name }) => name === 'kubernetes')).toMatchObject({
      value: '1.30.4',
      file: 'report.md',
      line: 3,
      note: expect.stringContaining('gke.100') as string,
    });
  });

  it('are few, however long the report is', async () => {
    const line = (number: number): string =>
      `kubelet v1.${number % 40}.${number % 10} exit code ${number % 256}\n`;
    const text = Array.from({ length: 3000 }, (_, number) => line(number)).join('');
    expect((await factsOf(text)).length).toBeLessThan(60);
  });
});

describe('what a form asks for', () => {
  it.each([
    ['### systemd version the issue has been seen with\n\n255\n', 'systemd: 255'],
    ['### Linux kernel version used\n\n6.8.5-arch1-1\n', 'kernel: 6.8.5-arch1-1'],
    ['- Kubernetes version (use `kubectl version`):\n1.12.5\n- Others:\n', 'kubernetes: 1.12.5'],
    ['- Kernel (e.g. `uname -a`):\n4.15.1\n', 'kernel: 4.15.1'],
  ])('is what the next line says: %j', async (text, fact) => {
    expect(await said(text)).toContain(fact);
  });

  it('is not what a line says that nobody has asked for', async () => {
    expect(await said('We run containerd and we are happy.\n\n1.12.5\n')).not.toContain('containerd: 1.12.5');
  });

  it('is no symptom below a heading that asks what was expected', async () => {
    const form = (heading: string): string =>
      `# It dies\n\n### What happened?\n\nIt ends.\n\n${heading}\n\nReason: OOMKilled\n`;
    expect(await said(form('### What did you expect to happen?'))).toContain('reason: OOMKilled (absent)');
    expect(await said(form('**What you expected to happen**:'))).toContain('reason: OOMKilled (absent)');
    expect(await said(form('### Describe the results you received and expected'))).toContain(
      'reason: OOMKilled',
    );
    expect(await said(form('### Unexpected behaviour'))).toContain('reason: OOMKilled');
  });

  it('does not take back what is complained of elsewhere', async () => {
    const text =
      '# The pod enters ContainerStatusUnknown\n\n### Expected\n\nIt should not enter ContainerStatusUnknown.\n';
    const printed = '# Not OOMKilled?\n\n```\nReason: OOMKilled\n```\n';
    expect(await said(printed)).toContain('reason: OOMKilled');
    expect((await said(text)).join()).toContain('reason: ContainerStatusUnknown');
  });

  it('tells a setting that was missing from one that is there', async () => {
    const text =
      '# All pods restart\n\n#### Missing configuration\n\nBUT, we FORGOT this:\n\n```\nSystemdCgroup = true\n```\n';
    expect(await said(text)).toContain('runtime driver: systemd (works)');
    expect(await said('# It stops\n\n## Changes\n\nfailCgroupV1: false\n')).toContain(
      'setting: failCgroupV1: false (works)',
    );
    expect(await said('# fix: cpu-manager-policy=static is slow\n')).toContain(
      'setting: cpuManagerPolicy: static',
    );
  });

  it('has its title below the head of a copy, and its link there', async () => {
    const text =
      'owner/name · issue #12 · closed · Go\nlabels: kind/bug\n# Pods die\n\nask · comment · 2026-01-01\nexit code 3\n';
    const { title, links } = await readCase([{ path: 'report.md', text }]);
    expect([title, links]).toEqual(['Pods die', ['https://github.com/owner/name/issues/12']]);
  });
});

describe('words that mean something else', () => {
  it.each([
    ['rpc error: code = DeadlineExceeded desc = timeout', 'reason: DeadlineExceeded'],
    ['I see an OOM when pods are evicted', 'reason: Evicted'],
    ['a zombie container lingers', 'trait: zombies'],
    ['see https://kubernetes.io/docs/concepts/scheduling-eviction/', 'trait: eviction'],
    ['crun version 1.19', 'kubernetes: 1.19'],
  ])('are not read: %s is not %s', async (text, fact) => {
    expect(await said(text)).not.toContain(fact);
  });

  it.each([
    ['Reason: Evicted', 'reason: Evicted'],
    ['zombie processes pile up', 'trait: zombies'],
    ['runtime/cgo: pthread_create failed: Resource temporarily unavailable', 'trait: pids limit'],
    ['after the kubelet process restarts', 'trait: restart of the kubelet'],
    ['a preStop handler that waits', 'trait: preStop hook'],
    ['when the node runs out of memory', 'trait: OOM of the node'],
    ['awslabs/amazon-eks-ami · issue #2175 · open\n# A title', 'product: EKS (inferred)'],
  ])('are told from those that do: %s is %s', async (text, fact) => {
    expect(await said(text)).toContain(fact);
  });
});

describe('the event of a sandbox that is not made', () => {
  const END = 'fork exec proc self exe invalid argument';
  it.each([
    'FailedCreatePodSandBox: Failed to create pod sandbox: fork/exec /proc/self/exe: invalid argument',
    'FailedCreatePodSandBox: failed to start noop process for unshare: fork/exec /proc/self/exe: invalid argument',
    'Warning  FailedCreatePodSandBox  kubelet  Failed to create pod sandbox: fork/exec /proc/self/exe: invalid argument',
    'Warning  FailedCreatePodSandBox  3s  kubelet  Failed to create pod sandbox: fork/exec /proc/self/exe: invalid argument',
  ])('is a message, however it is pasted: %s', async (line) => {
    const facts = await said(`# No sandbox\n\n${line}\n`);
    const message = facts
      .find((fact) => fact.startsWith('message: '))
      ?.replaceAll('/', ' ')
      .replace(/ +/g, ' ');
    expect(message).toContain(END);
  });
});

describe('an error in a sentence', () => {
  it('is read when its author marks it as printed', async () => {
    const text =
      '# It fails\n\nThe kubelet says `failed to create containerd container: id 65536 cannot be mapped to a host ID`.\n';
    expect((await said(text)).join('\n')).toContain('cannot be mapped to a host id');
    expect((await said(text.replaceAll('`', ''))).join('\n')).not.toContain('message');
  });
});

describe('the message of an error', () => {
  it('keeps what one program quotes of another, and no name between quotes', () => {
    expect(maskMessage('starting container process caused "container init exited prematurely"')).toBe(
      'starting container process caused container init exited prematurely',
    );
    expect(maskMessage('failed to start exec "9544e28d-a": no such file')).toBe(
      'failed to start exec # no such file',
    );
  });
});
