import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ALONE } from '../../../../lab/evidence/journal.ts';
import { parseSamples } from '../../../../lab/evidence/samples.ts';
import type { Sampler } from '../../../../lab/model/measures/measure.ts';
import { readSamplingProgram, renderSampling } from '../../../../provision/guest/sampling.ts';
import { PROJECT } from '../../project-files.ts';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'whodunit-sampling-'))));
afterEach(() => rmSync(dir, { recursive: true }));

const sampler = (name: string, script: string, given: Partial<Sampler> = {}): Sampler => ({
  name,
  script,
  everySeconds: 0.5,
  timeoutSeconds: 5,
  on: 'all-nodes',
  ...given,
});

/** Runs samplers as a node does, ends them once all texts are in their output, and returns all that they printed. */
async function runUntil(texts: readonly string[], samplers: readonly Sampler[]): Promise<string> {
  const program = renderSampling(readSamplingProgram(PROJECT), {
    samplers,
    container: 'main',
    parameters: { limit: "it's 64Mi" },
  });
  const child = spawn('bash', ['-c', program], {
    env: { ...process.env, SAMPLING_IN: dir, TASKS: join(dir, 'tasks') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let printed = '';
  child.stdout.on('data', (data: Buffer) => {
    printed += data.toString();
    if (texts.every((text) => printed.includes(text))) child.kill('SIGTERM');
  });
  await ended;
  return printed;
}

const read = (printed: string) => parseSamples(printed, 'node-1/samples.jsonl', ALONE);

describe('the samplers of a node', () => {
  it('run again and again, with their parameters, and say how often they ran', async () => {
    const printed = await runUntil(['"n":3'], [sampler('counts', 'echo "pids ${#limit}"')]);
    const found = read(printed);
    expect(found.length).toBeGreaterThanOrEqual(3);
    for (const observation of found)
      expect(observation).toMatchObject({
        kind: 'sampler-ran',
        values: { pids: 9 },
        problem: undefined,
        cgroup: '',
      });
    expect(readdirSync(dir)).toEqual([]);
  });

  it('tell one that fails, one that hangs and one that never stops talking', async () => {
    const eachRan = ['fails', 'hangs', 'talks'].map((name) => `"kind":"run","sampler":"${name}"`);
    const printed = await runUntil(eachRan, [
      sampler('fails', 'echo "pids 1"; printf "no \\"%s\\"\\there\\n" table >&2; exit 3'),
      sampler('hangs', 'sleep 60', { timeoutSeconds: 1 }),
      sampler('talks', 'yes "pids 1"'),
    ]);
    const problems = new Map(
      read(printed).flatMap((observation) =>
        observation.kind === 'sampler-ran' ? [[observation.sampler, observation.problem]] : [],
      ),
    );
    expect(problems.get('fails')).toBe('it ended with status 3: no "table" here');
    expect(problems.get('hangs')).toBe('it did not end within 1 s');
    expect(problems.get('talks')).toBe('it printed too much');
    for (const line of printed.trimEnd().split('\n')) expect(line.length).toBeLessThan(4096);
  });

  /** The bundle of a container, as containerd makes it for a shim. */
  const bundle = (id: string, container: string, pid: string): void => {
    mkdirSync(join(dir, 'tasks', id), { recursive: true });
    const annotations = { 'io.kubernetes.cri.container-name': container };
    writeFileSync(join(dir, 'tasks', id, 'config.json'), JSON.stringify({ annotations }));
    writeFileSync(join(dir, 'tasks', id, 'init.pid'), pid);
  };

  it('are not to blame when their victim ends under their hands, and their numbers do not count', async () => {
    const victim = spawn('sleep', ['60'], { stdio: 'ignore' });
    bundle('a', 'main', String(victim.pid));
    const kill = 'kill "$VICTIM_PID"; while [ -d "/proc/$VICTIM_PID" ]; do sleep 0.05; done';
    const script = `[ -n "$VICTIM_PID" ] || exit 0; ${kill}; echo "pids 1"; exit 2`;
    const [run] = read(await runUntil(['"kind":"run"'], [sampler('looks', script)]));
    expect(run).toMatchObject({ kind: 'sampler-ran', values: {}, problem: undefined });
  });

  it('know where the bundles of all containers are', async () => {
    bundle('a', 'main', String(process.pid));
    bundle('b', 'other', '1');
    const script = 'bundles=("$TASKS"/*/config.json); echo "pids ${#bundles[@]}"';
    const [run] = read(await runUntil(['"kind":"run"'], [sampler('bundles', script)]));
    expect(run).toMatchObject({ values: { pids: 2 }, problem: undefined });
  });

  it('know the first process of the newest container of that name', async () => {
    bundle('a', 'other', '1');
    bundle('b', 'main', String(process.pid));
    const printed = await runUntil(['"kind":"run"'], [sampler('victim', 'echo "pids $VICTIM_PID"')]);
    expect(read(printed)[0]).toMatchObject({
      values: { pids: process.pid },
      cgroup: expect.stringMatching(/^\//) as string,
    });
  });
});
