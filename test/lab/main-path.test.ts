import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeDebugPod, nameOwner } from '../../lab/autopsy/live/debug-pod.ts';
import { autopsySchema } from '../../lab/model/saved/autopsy.ts';
import type { RunResult } from '../../lab/model/saved/formats.ts';
import { cells, runCell } from '../../lab/library/vitest.ts';
import { createTerraform, NO_CHANGES } from '../../lab/drivers/machines/terraform.ts';
import { statePaths } from '../../lab/model/host/paths.ts';
import { BEGIN_PROJECT } from '../cli/support/begin-project.ts';
import { writeSshOfWorld } from './ssh-of-world.ts';
import { createTestHost, findTerraform } from './stack-host.ts';
import { hasMinutes, NO_TIME } from './time-left.ts';
import {
  CACHE,
  PROJECT,
  createTestLab,
  environmentOfHost,
  hostCommand,
  isListening,
  readOpenLeases,
  type TestLab,
} from './lab-process.ts';

interface Up {
  world: string;
  how: string;
  kubeconfig: string;
  nodes: { name: string; domain: string; sshPort: number; apiPort?: number }[];
}

/** The victim of the first one dies in a world that was derived. */
const EXPECTED_KILLERS: Record<string, string> = {
  'parallel-pulls/oom-single-container': 'memcg-oom',
  'default/within-limits': 'none',
  'default/cron-job-oom': 'memcg-oom',
  'default/plain-exit': 'self-exit',
  'default/sigkill-from-node': 'external-signal',
};

const PLANNED = await cells(...Object.keys(EXPECTED_KILLERS));

/** What is saved of the last run. */
function newestRun(lab: TestLab): RunResult {
  const runs = join(lab.home, 'runs');
  const newest = readdirSync(runs).sort().at(-1) ?? '';
  return JSON.parse(readFileSync(join(runs, newest, 'result.json'), 'utf8')) as RunResult;
}

/** What an autopsy says of the newest death that it is asked about. */
async function whoKilled(lab: TestLab, ...asked: string[]): Promise<unknown> {
  const { stdout, stderr } = await lab.run('autopsy', ...asked, '--json');
  expect(stdout, stderr).not.toBe('');
  return autopsySchema.parse(JSON.parse(stdout)).deaths[0]?.attribution;
}

/** What Terraform would change about a world that is up. */
async function planWorld(home: string, world: string): Promise<string> {
  const host = createTestHost(home);
  const { program, cliConfig } = await findTerraform(host);
  const paths = statePaths(home).world(world);
  const { run, signal } = host;
  return createTerraform({
    run,
    program,
    cliConfig,
    dir: paths.terraformStack,
    logFile: paths.log,
    signal,
  }).plan();
}

describe('the main path on a real cluster', () => {
  let lab: TestLab;
  let up: Up;

  beforeAll(async () => {
    lab = createTestLab();
    // What the library starts takes the state folder from the environment.
    vi.stubEnv('WHODUNIT_HOME', lab.home);
    vi.stubEnv('WHODUNIT_CACHE', CACHE);
    const result = await lab.run('up', '--json');
    expect(result.status, result.stderr).toBe(0);
    up = JSON.parse(result.stdout) as Up;
  });

  afterAll(async () => {
    await lab.run('down', '--all');
    vi.unstubAllEnvs();
    lab.remove();
  });

  it('brings up a node that kubectl sees as Ready', async () => {
    const nodes = await lab.run('kubectl', 'get', 'nodes', '--no-headers');
    expect(nodes.status, nodes.stderr).toBe(0);
    expect(nodes.stdout).toMatch(/^node-1\s+Ready\s/);
  });

  it('runs kube-proxy and CoreDNS for real', async () => {
    const pods = await lab.run('kubectl', '-n', 'kube-system', 'get', 'pods', '--no-headers');
    expect(pods.stdout).toMatch(/^coredns-\S+\s+1\/1\s+Running/m);
    expect(pods.stdout).toMatch(/^kube-proxy-\S+\s+1\/1\s+Running/m);
  });

  it('looks at a death of the cluster as anybody would, through its kubeconfig, and leaves nothing there', async () => {
    const manifest = join(lab.home, 'eater.yaml');
    const container = {
      name: 'eater',
      image: 'whodunit.local/workloads:1',
      imagePullPolicy: 'Never',
      command: [
        '/bin/memory-eater',
        '--step',
        '20Mi',
        '--pause',
        '100ms',
        '--ceiling',
        '512Mi',
        '--hold',
        'forever',
      ],
      resources: { limits: { memory: '128Mi' } },
    };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'eater', namespace: 'default' },
      spec: { restartPolicy: 'Never', automountServiceAccountToken: false, containers: [container] },
    };
    writeFileSync(manifest, JSON.stringify(pod));
    expect((await lab.run('kubectl', 'apply', '-f', manifest)).status).toBe(0);
    const died = ['--for=jsonpath={.status.phase}=Failed', 'pod/eater', '--timeout=120s'];
    expect((await lab.run('kubectl', 'wait', ...died)).status).toBe(0);
    // What an autopsy that was killed leaves: no process has that pid (the kernel's limit is 2^22).
    const left = {
      ...makeDebugPod({
        node: 'node-1',
        architecture: 'amd64',
        image: container.image,
        owner: nameOwner(2 ** 22 + 1),
      }),
      apiVersion: 'v1',
      kind: 'Pod',
    };
    const leftFile = join(lab.home, 'left.json');
    writeFileSync(leftFile, JSON.stringify(left));
    expect((await lab.run('kubectl', 'create', '-f', leftFile)).status).toBe(0);
    // No recorder ran for this pod: the books of the kernel close.
    const proven = { killer: 'memcg-oom', confidence: 'proven' };
    const ofCluster = ['default/eater', '--kubeconfig', up.kubeconfig];
    expect(await whoKilled(lab, ...ofCluster, '--node-access', 'debug-pod')).toMatchObject(proven);
    writeSshOfWorld(lab.home, 'default');
    expect(await whoKilled(lab, ...ofCluster, '--node-access', 'ssh')).toMatchObject(proven);
    // Where Pod Security forbids a privileged pod, the rule is the answer, and nothing is made.
    expect((await lab.run('kubectl', 'create', 'namespace', 'strict')).status).toBe(0);
    const restricted = 'pod-security.kubernetes.io/enforce=restricted';
    expect((await lab.run('kubectl', 'label', 'namespace', 'strict', restricted)).status).toBe(0);
    const inStrict = ['--node-access', 'debug-pod', '--debug-namespace', 'strict'];
    const refused = await lab.run('autopsy', ...ofCluster, ...inStrict);
    expect(refused.stderr).toMatch(/last seen: HTTP 403: .*violates PodSecurity "restricted:latest"/);
    expect(refused.stderr).toContain('try: npx whodunit autopsy default/eater --print-commands');
    expect([refused.status, refused.stdout]).toEqual([3, '']);
    // The API has only a label, as in a bundle of its own.
    const dump = join(lab.home, 'dump');
    const dumped = await lab.run('kubectl', 'cluster-info', 'dump', `--output-directory=${dump}`);
    expect(dumped.status, dumped.stderr).toBe(0);
    expect(await whoKilled(lab, dump, '--pod', 'default/eater')).toMatchObject({ killer: 'unknown' });
    const label = 'app.kubernetes.io/managed-by=whodunit';
    expect((await lab.run('kubectl', 'get', 'pods', '-A', '-l', label, '-o', 'name')).stdout).toBe('');
    expect((await lab.run('kubectl', 'delete', '-f', manifest, '--wait=false')).status).toBe(0);
    expect((await lab.run('kubectl', 'delete', 'namespace', 'strict', '--wait=false')).status).toBe(0);
  });

  it('has an API server that takes the Indexed Job of a plan', async () => {
    const plan = join(lab.home, 'plan.json');
    const job = join(lab.home, 'job.yaml');
    const planned = await lab.run('plan', 'plain-exit', 'within-limits', '--shards', '2', '-o', plan);
    expect(planned.status, planned.stderr).toBe(0);
    const written = await lab.run('shard', 'manifest', '--engine', 'indexed-job', '--plan', plan, '-o', job);
    expect(written.status, written.stderr).toBe(0);
    const taken = await lab.run('kubectl', 'create', '--dry-run=server', '-f', job);
    expect(taken.status, taken.stderr).toBe(0);
    expect(taken.stdout).toMatch(/^job.batch\/whodunit-\w+ created \(server dry run\)/);
  });

  it('restores the same world when asked again, and Terraform still sees no change', async () => {
    const again = await lab.run('up', '--json');
    expect(again.status, again.stderr).toBe(0);
    expect((JSON.parse(again.stdout) as Up).how).toBe('restored');
    expect((JSON.parse(again.stdout) as Up).nodes).toEqual(up.nodes);
    expect(await planWorld(lab.home, 'default')).toBe(NO_CHANGES);
  });

  it('derives another variant from it', async () => {
    const other = await lab.run('up', 'parallel-pulls', '--json');
    expect(other.status, other.stderr).toBe(0);
    expect((JSON.parse(other.stdout) as Up).how).toBe('derived');
    expect(await planWorld(lab.home, 'parallel-pulls')).toBe(NO_CHANGES);
  });

  for (const { address, timeout } of PLANNED)
    it(`names the right killer of ${address}, as a test of the library`, { timeout }, async () => {
      await runCell({ address });
      const cell = newestRun(lab).cells.find((cell) => cell.address === address);
      expect(cell?.attribution.killer).toBe(EXPECTED_KILLERS[address]);
      // Every proof is a line of a saved file that says so.
      expect(cell?.attribution.because.length).toBeGreaterThan(0);
      for (const proof of cell?.attribution.because ?? []) {
        const file = join(lab.home, 'runs', newestRun(lab).run, cell?.evidence ?? '', proof.file);
        const lines = readFileSync(file, 'utf8').split('\n');
        expect(proof.line, proof.file).toBeDefined();
        expect(lines[(proof.line ?? 0) - 1], `${proof.file}:${proof.line ?? 0}`).toBeTruthy();
      }
    });

  it('shows the proof with file and line in `whodunit why`', async () => {
    const why = await lab.run('why', 'parallel-pulls/oom-single-container');
    expect(why.status, why.stderr).toBe(0);
    expect(why.stdout).toContain('memcg-oom');
    expect(why.stdout).toMatch(/kmsg\.log:\d+/);
  });

  it('removes one of two worlds', async () => {
    const down = await lab.run('down', 'parallel-pulls');
    expect(down.status, down.stderr).toBe(0);
    expect(readdirSync(join(lab.home, 'worlds'))).toEqual(['default']);
  });

  it('ends an interrupted run with a readable run folder and exit code 130', async ({ skip }) => {
    skip(!hasMinutes(12), NO_TIME);
    const before = newestRun(lab).run;
    const started = lab.start('run', 'within-limits', 'plain-exit', '--json');
    const deployed = new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const runs = join(lab.home, 'runs');
        const newest = readdirSync(runs).sort().at(-1) ?? '';
        const events = join(runs, newest, 'events.jsonl');
        if (newest === before || !existsSync(events)) return;
        if (!readFileSync(events, 'utf8').includes('cell-deployed')) return;
        clearInterval(timer);
        resolve();
      }, 100);
    });
    await deployed;
    started.child.kill('SIGINT');
    const ended = await started.finished;
    expect(ended.status).toBe(130);
    const result = newestRun(lab);
    expect(result.cells.map((cell) => cell.verdict)).toEqual(['interrupted', 'interrupted']);
  });

  // From a near registry: from a far one it takes a minute more, in the set nightly.
  it('measures a bug that kills nobody', async ({ skip }) => {
    skip(!hasMinutes(10), NO_TIME);
    const cell = 'default/slow-pull[speed=4096]';
    const result = await lab.run('run', cell, '--json');
    expect(result.status, result.stderr).toBe(0);
    const why = await lab.run('why', cell);
    expect(why.stdout).toMatch(/^ {2}pull-wait-s .*events\.jsonl:\d+$/m);
  });

  it('runs the first death of a project that is begun in an empty folder', async ({ skip }) => {
    skip(!hasMinutes(10), NO_TIME);
    const own = mkdtempSync(join(tmpdir(), 'whodunit-own-'));
    onTestFinished(() => rmSync(own, { recursive: true }));
    // Nothing says where the clone is, nor that npm runs the tests.
    const { HOME } = process.env;
    const env = { ...environmentOfHost(), HOME, WHODUNIT_HOME: lab.home, WHODUNIT_CACHE: CACHE };
    const type = async (line: string, cwd: string): Promise<string> => {
      const ended = await hostCommand('sh', ['-c', line], { cwd, env });
      expect(ended.status, `${line}\n${ended.stdout}${ended.stderr}`).toBe(0);
      return ended.stdout;
    };
    await type(`npm run --silent tarball ${own}`, PROJECT);
    for (const line of BEGIN_PROJECT) await type(line, own);
    await type('npx whodunit run first-death', own);
    const ran = newestRun(lab).cells.map(({ address, attribution }) => [address, attribution.killer]);
    expect(ran).toEqual([['default/first-death', 'self-exit']]);
  });

  it('leaves no domain, process, port, file or lease after `whodunit down --all`', async () => {
    const down = await lab.run('down', '--all');
    expect(down.status, down.stderr).toBe(0);
    const domains = await hostCommand('virsh', ['-c', 'qemu:///system', 'list', '--all', '--name']);
    for (const node of up.nodes) expect(domains.stdout).not.toContain(node.domain);
    const processes = await hostCommand('ps', ['-eo', 'args']);
    for (const node of up.nodes) expect(processes.stdout).not.toContain(node.domain);
    for (const port of up.nodes.flatMap((node) => [node.sshPort, node.apiPort ?? node.sshPort])) {
      expect(await isListening(port), `port ${port}`).toBe(false);
    }
    expect(readdirSync(join(lab.home, 'worlds'))).toEqual([]);
    expect(readOpenLeases(lab.home)).toEqual([]);
  });
});
