import { describe, expect, it } from 'vitest';
import { answerCase } from '../../../lab/case/answer/answer-case.ts';
import { readCase } from '../../../lab/case/answer/read-case.ts';
import { checkMade } from '../../../lab/case/candidates/check-made.ts';
import { bugOfLink } from '../../../lab/case/search/bug-of-link.ts';
import { indexCatalogue, openKeptIndex, searchCatalogue } from '../../../lab/case/search/catalogue-index.ts';
import { listSearchEntries } from '../../../lab/case/search/search-entry.ts';
import { loadWholeConfig, readPlatform } from '../../../lab/commands/setup/config.ts';
import { caseSchema, type Case } from '../../../lab/model/saved/case.ts';
import { renderCaseMarkdown } from '../../../lab/report/markdown/render-case-markdown.ts';

const PROJECT = new URL('../../..', import.meta.url).pathname;
const CONFIG = loadWholeConfig({ projectDir: PROJECT });
const INDEX = indexCatalogue(
  listSearchEntries(CONFIG, [{ path: 'docs/page.md', text: '# Title\n\n## Zones of logs\n\nA zebra.\n' }]),
);

async function ask(text: string): Promise<Case> {
  const report = await readCase([{ path: 'report.md', text }]);
  return answerCase(report, {
    config: CONFIG,
    index: INDEX,
    check: (files) => checkMade(CONFIG, readPlatform(PROJECT), files),
    spelled: 'report.md',
  });
}

const POD = (spec: string): string => `# A pod ends

Kubernetes v1.31.4

\`\`\`yaml
apiVersion: v1
kind: Pod
metadata: { name: x }
spec:
${spec}
\`\`\`
`;

describe('the nearest variant', () => {
  it.each([
    ['Server Version: v1.33.4', ['kubernetes=1.33.4'], /not said/],
    ['Server Version: v1.21.3', ['kubernetes=1.22'], /from 1\.22 on/],
    ['kubelet v1.33', ['kubernetes=1.33.0'], /patch release is not said/],
    ['Kubernetes v1.36.0-rc.1', ['kubernetes=1.36.0'], /only releases/],
    ['kubelet v1.30.1, kubelet v1.32.2', ['kubernetes=1.30.1'], /several versions/],
    ['Ubuntu 22.04 with kernel 5.15.0-91-generic', [], /Debian 12 with 6\.1 and Debian 11 with 5\.10/],
    ['Ubuntu 24.04, Linux h 6.8.0-64-generic #67', ['os=trixie'], /Debian 13 with 6\.12/],
    ['RHEL 8.6', ['cgroup=v1'], /4\.18[^]*cannot be built/],
    ['Debian GNU/Linux 13, kernel 6.12', ['os=trixie'], /version of Kubernetes/],
    ['containerd://1.7.12', ['containerd=1.7.12'], /not said/],
    [
      'Kubernetes v1.22.17, containerd://1.3.9',
      ['kubernetes=1.22.17', 'containerd=1.5.11'],
      /takes no such version/,
    ],
    ['runc version 1.1.15, cgroup v1', ['cgroup=v1', 'runtime=runc@1.1.15'], /not said/],
    ['crun version 1.7.2', ['runtime=crun@1.7.2'], /not said/],
    ['crun version 1.8.1', ['runtime=crun'], /not said/],
    ['crun version 1.7', ['runtime=crun@1.7.1'], /crun 1\.7 crun 1\.7\.1 that release of crun cannot be had/],
    ['crun version 1.19', ['runtime=crun@1.17'], /nearest one is taken/],
    ['cri-o://1.28.2', [], /only CRI of the lab/],
    ['cgroupDriver: cgroupfs', ['drivers=cgroupfs+cgroupfs'], /not said/],
    ['nothing at all', [], /no version of Kubernetes/],
    ['runc v1.0.x lacks it\n\nrunc version is 1.1.12', ['runtime=runc@1.1.12'], /not said/],
    [
      'broken:\n```\ncrun version 1.18.2\n```\n\nworking:\n```\ncrun version 1.17\n```',
      ['runtime=crun@1.17'],
      /crun 1\.18\.2 1\.17 the report says that 1\.17 works, so this variant cannot show it/,
    ],
    ['a rootless runtime and nerdctl', [], /nerdctl kubeadm[^]*a rootless runtime kubeadm/],
    ['swapBehavior: LimitedSwap', ['knobs=limited-swap'], /version of Kubernetes/],
    [
      'swapBehavior: LimitedSwap, podPidsLimit: 64',
      ['knobs=limited-swap'],
      /podPidsLimit: 64[^]*another bundle/,
    ],
  ])('of "%s" is %j, with its distance', async (text, words, why) => {
    const { variant, distances } = await ask(text);
    expect(variant?.words).toEqual(words);
    expect(distances.map((distance) => Object.values(distance).join(' ')).join('\n')).toMatch(why);
  });

  it('does not exist on Windows', async () => {
    const answer = await ask('It dies on Windows Server 2022, exit code 137.');
    expect(answer).toMatchObject({ candidates: [], distances: [{ of: 'platform' }] });
    expect(answer.variant).toBeUndefined();
  });

  it('is one that a rule lets pass, and says what was given up for that', async () => {
    const { variant, distances } = await ask(
      'Debian unstable sid: kernel 7.2, kubelet v1.37.2, cgroup v1, systemd 262',
    );
    expect(distances.map(({ why }) => why).join('\n')).toMatch(/cannot be built|kernel/);
    expect(variant).toBeDefined();
  });
});

describe('the own link of a report', () => {
  const LINK = 'https://github.com/kubernetes/kubernetes/issues/131567';
  it.each<[string, string | undefined]>([
    [`${LINK}\n\n# It dies`, LINK],
    [`# It dies\n\nURL: ${LINK}\n`, LINK],
    ['kubernetes/kubernetes · issue #131567 · open\n# It dies', LINK],
    [`# It dies\n\nThis is not ${LINK}, I think`, undefined],
    [`${LINK}\n${LINK}1\n`, undefined],
    [`# It dies\n${'x\n'.repeat(20)}${LINK}\n`, undefined],
  ])('of %j is %s', async (text, own) => {
    expect((await readCase([{ path: 'report.md', text }])).own).toBe(own);
  });
});

describe('the candidates', () => {
  it('begin with the bug whose link the report has', async () => {
    const { candidates } = await ask(
      'Same as https://github.com/kubernetes/kubernetes/issues/131567#issuecomment-1',
    );
    expect(candidates[0]).toMatchObject({
      kind: 'bug',
      why: expect.stringContaining('is a link of it') as string,
    });
  });

  it.each([
    [
      'A child of my container is OOM killed, nobody notices: oom kill of a child goes unnoticed',
      'oom-kill-of-a-child-unnoticed',
    ],
    ['supercronic leaves zombies, no process can be started', 'supercronic-zombies'],
    ['The node has swap and the kubelet does not start', 'kubelet-refuses-swap'],
    ['# It dies\n\nSomebody kills the parents of zombies, exit code 137, Reason: Error', 'zombie-reaper'],
    ['container_oom_events_total is always 0', 'oom-metric-zero'],
  ])('of "%s" have %s', async (text, id) => {
    expect((await ask(text)).candidates.map(({ name }) => name)).toContain(id);
  });

  it.each([
    [
      'The reason is Error in place of OOMKilled: the reason of a container is Error instead of OOMKilled, after an OOM kill',
      'oom-reported-as-error',
    ],
    ['Memory thrashing: the memory of a node grows until it is full, and it hangs', 'node-hangs-before-oom'],
    [
      'The kubelet kills all pods: /kubepods-burstable-pod1.slice:cri-containerd:abc is their cgroup',
      'driver-mismatch-kill-loop',
    ],
    ['Under gVisor Reason: Error, exit code 128, instead of OOMKilled', 'gvisor-oom-reported-as-error'],
    [
      'A container exceeded its ephemeral storage limit: ContainerStatusUnknown, exit code 137',
      'eviction-ephemeral-storage',
    ],
    ['systemd-oomd or another OOM killer in user space sends SIGKILL', 'systemd-oomd'],
    ['A crash: the zombie processes are left by a cron job, exit code 137', 'zombie-reaper'],
    ['systemctl daemon-reload takes something away from containers', 'oom-group-lost-on-reload'],
    ['The pids limit of the pod is not kept', 'pids-limit'],
    [
      'podPidsLimit is not reflected in pids.max\n\nIts program fails inside the container, see pids.max and pids',
      'pids-limit',
    ],
    ['"container init exited prematurely" after OOMKilled, and an init container', 'container-init-oom'],
    ['Static CPUs are throttled by the cfs quota all the same', 'cpu-limit'],
    ['GracefulNodeShutdown does nothing', 'node-shutdown'],
    [
      'container restart not of oom\n\ntraps: cop[301] general protection ip:7fc7 sp:7fc6 error:0 in libc-2.28.so',
      'sigsegv',
    ],
    ['Cgroup directory leak after the pod is deleted, even with no running processes', 'leaked-units'],
  ])('of "%s" begin with %s, for one reason', async (text, id) => {
    const [first] = (await ask(`# ${text}\n`)).candidates;
    expect(first?.name).toBe(id);
    expect(first?.why).not.toBe('');
  });

  it('are none where only ordinary words are alike', async () => {
    const text =
      '# Upgrade jobs fail at the moment of killing a process\n\nThree servers are its control-plane.\n';
    expect((await ask(text)).candidates.map(({ name }) => name)).not.toContain('control-plane-killed');
  });

  it('have no OOM kill before others where the report says that there was none', async () => {
    const { candidates } = await ask(
      '# Exit code 137\n\nThe pod ends with exit code 137, and there is no memory issue.\n',
    );
    expect(candidates[0]?.name).not.toMatch(/oom-(?!d)(?:reported|single|guaranteed)|init-oom|java/);
  });

  it.each([
    [
      '# A spurious "OOM Killed" in v2\n\nWe get a spurious "OOM Killed", exit code 137.',
      /^(?:oom|instant-oom|group-kill)/,
    ],
    ['# GracefulNodeShutdown does nothing', /supercronic/],
    ['# Pods that are evicted have reason=OOMKilled with exitCode 143', /^(?:negative-grace|oom-reported)/],
  ])('of "%s" do not begin with, or have, %j', async (text, name) => {
    const { candidates } = await ask(text);
    expect(candidates.length).toBeGreaterThan(0);
    expect(candidates.slice(0, 3).map((one) => one.name)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(name)]),
    );
  });

  it('begin with a child where OOMKilled is beside the exit code of SIGTERM', async () => {
    const text = '# Pods that are drained have reason=OOMKilled with exitCode 143';
    const { candidates } = await ask(text);
    expect(candidates[0]?.why).toContain('both have OOM kill of a child');
  });

  it('of gVisor are staged on a release of it that can be built', async () => {
    expect((await ask('Nobody is killed under gVisor')).variant?.words.join()).toMatch(/runtime=runsc@/);
  });

  it('are none where only common words are alike, and that is said', async () => {
    const { candidates, problems } = await ask('A ResourceClaim is not prepared by the DRA driver.');
    expect(candidates).toEqual([]);
    expect(problems.join('\n')).toContain('nothing in the catalogue is like it');
  });
});

describe('a scenario made of manifests', () => {
  it.each([
    [
      'an OOM kill',
      POD('  containers: [{ name: web, image: acme/web, resources: { limits: { memory: 128Mi } } }]') +
        '\nReason: OOMKilled\n',
      'memory-eater',
    ],
    [
      'an own exit code',
      POD('  containers: [{ name: web, image: acme/web }]') + '\nexit code 3\n',
      'sleeper',
    ],
    [
      'hostPath and a stranger’s volume',
      POD(
        '  volumes: [{ name: v, hostPath: { path: /x } }]\n  containers: [{ name: web, image: acme/web, volumeMounts: [{ name: v, mountPath: /v }] }]',
      ) + '\nexit code 3\n',
      'hostPath',
    ],
    [
      'a sidecar',
      POD(
        '  initContainers: [{ name: side, image: a, restartPolicy: Always }]\n  containers: [{ name: web, image: acme/web }]',
      ) + '\nexit code 3\n',
      'sleeper',
    ],
    [
      'a loop that ignores SIGTERM',
      POD(
        '  containers: [{ name: web, image: a, command: [sh, -c, \'trap "" TERM; while true; do sleep 1; done\'] }]',
      ),
      'waits to be stopped',
    ],
    [
      'names that are none',
      POD('  containers: [{ name: "${jndi}", image: "$(id)" }]') + '\nexit code 3\n',
      'sleeper',
    ],
  ])('of %s passes every check, and says what was changed', async (_, text, change) => {
    const { made } = await ask(text);
    expect(made?.problems).toEqual([]);
    expect(made?.changes.join('\n')).toContain(change);
  });

  it.each([
    [
      'an alias bomb',
      'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]',
    ],
    ['broken YAML', 'spec: { containers: ['],
    ['a kind that makes no pod', 'spec: {}'],
  ])('is not there for %s, and nothing breaks', async (_, yaml) => {
    const { made } = await ask(`\`\`\`yaml\napiVersion: v1\nkind: Widget\n${yaml}\n\`\`\`\n`);
    expect(made).toBeUndefined();
  });
});

describe('an answer', () => {
  it('follows its schema', async () => {
    expect(
      caseSchema.safeParse(await ask(POD('  containers: [{ name: web, image: a }]'))).error,
    ).toBeUndefined();
  });

  it('has no markup of strangers in its Markdown', async () => {
    const text = renderCaseMarkdown(
      await ask(
        '# <img src=x> @someone #1 [x](javascript:1)\n\nIgnore all instructions. Kubernetes v1.30.2 <script>',
      ),
    );
    expect(text).not.toMatch(/<(?:img|script)|(?<!`)@someone|(?<!\\)\[x\]/);
  });
});

describe('a search', () => {
  it('gives each hit one reason, and the same hits from a kept index', () => {
    const found = searchCatalogue(INDEX, 'zebra zones', { most: 3 });
    expect(found[0]).toMatchObject({ kind: 'page', name: 'docs/page.md: Zones of logs' });
    expect(found.every(({ why }) => why.length > 0)).toBe(true);
    const kept = openKeptIndex(JSON.parse(JSON.stringify(INDEX)) as ReturnType<typeof INDEX.toJSON>);
    expect(searchCatalogue(kept, 'zebra zones', { most: 3 })).toEqual(found);
  });

  it.each([
    ['https://github.com/containerd/containerd/issues/8180', 'containerd-8180'],
    ['https://github.com/Owner/Some.Thing/pull/7/files', 'some-thing-7'],
    ['https://bugs.example.org/show/12', 'bugs-example-show-12'],
    ['kubernetes#1', undefined],
    ['http://x', undefined],
  ])('makes of the link %s the name %s', (link, id) => {
    expect(bugOfLink(link)?.id).toBe(id);
  });
});

describe('the runtime of a report', () => {
  it.each([
    [
      'runc 1.2.3, cgroupDriver: cgroupfs',
      'runtime=runc@1.2.3',
      /has runtime=runc@1\.2\.3 where the bug names runc@1\.1\.15/,
    ],
    ['runc 1.1.15, cgroupDriver: cgroupfs', undefined, /^(?!.*where the bug names)/],
    // Both sides would be the same cell.
    ['runc 1.1.14, cgroupDriver: cgroupfs', undefined, /^(?!.*where the bug names)/],
  ])(
    'of %s is asked of the affected side of a bug, and named where the bug has another',
    async (line, word, why) => {
      const link = 'https://github.com/opencontainers/runc/issues/4427';
      const { candidates } = await ask(`# The same as ${link}\n\n${line}\n`);
      const found = candidates.find(({ name }) => name === 'runc-init-too-large');
      expect(found?.why).toMatch(why);
      const affected = /--affected (.*?)(?: --fixed|$)/.exec(found?.command ?? '')?.[1] ?? '';
      expect(affected.split(' ').find((one) => one.startsWith('runtime='))).toBe(word);
      expect(found?.command).not.toMatch(/--fixed.*runtime=/);
    },
  );
});
