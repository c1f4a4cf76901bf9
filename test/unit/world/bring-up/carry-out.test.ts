import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Artifact } from '../../../../lab/model/components/components.ts';
import type { ImageSpec } from '../../../../lab/model/components/image.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import { parsePastTimings } from '../../../../lab/plan/worlds/estimate.ts';
import { forecastUp } from '../../../../lab/plan/worlds/forecast-up.ts';
import { carryOut, UP_LANES } from '../../../../lab/world/bring-up/carry-out.ts';
import { planUp, type UpPlan } from '../../../../lab/world/bring-up/plan-up.ts';
import type { Lab } from '../../../../lab/world/lab.ts';
import { ensureProvider, ensureTerraform } from '../../../../provision/components/terraform.ts';
import { ensureImage, ensureRootOf } from '../../../../provision/layers/image.ts';
import { createFakeLab, inputOf } from '../fake-world.ts';

vi.mock('../../../../provision/components/terraform.ts', async (load) => ({
  ...(await load<object>()),
  ensureProvider: vi.fn(),
  ensureTerraform: vi.fn(),
}));
vi.mock('../../../../provision/layers/image.ts', async (load) => ({
  ...(await load<object>()),
  ensureImage: vi.fn(),
  ensureRootOf: vi.fn(),
}));

const { recipe } = inputOf();
let folder: string;
let lab: Lab;
let plan: UpPlan;
/** What began, in its order, and what ends it. */
let begun: Map<string, { done: () => void; fail: (error: Error) => void; signal?: AbortSignal }>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-carry-out-'));
  lab = createFakeLab(folder);
  const { host, matrix, catalogue } = lab;
  plan = await planUp({ host, matrix, catalogue, accelerator: 'tcg', uri: 'u' }, recipe, {});
  begun = new Map();
  vi.mocked(ensureTerraform).mockResolvedValue({ program: '/terraform', kind: 'terraform', version: '1.9' });
  vi.mocked(ensureProvider).mockImplementation((own) =>
    begin('provider', { cliConfig: '', source: 'local' as const }, own.signal),
  );
  vi.mocked(ensureRootOf).mockImplementation((own) => begin('root file system', '/root.tar', own.signal));
  vi.mocked(ensureImage).mockImplementation((own, spec) => begin('image', { spec } as never, own.signal));
});
afterEach(() => rmSync(folder, { recursive: true }));

function begin<T>(name: string, value: T, signal?: AbortSignal): Promise<T> {
  return new Promise((done, fail) => {
    begun.set(name, { done: () => done(value), fail, ...(signal === undefined ? {} : { signal }) });
  });
}

const supply = ({ name, version = '' }: { name: string; version?: string }, signal?: AbortSignal) => {
  const artifact: Artifact = {
    component: name,
    version,
    source: 'local',
    digest: name,
    files: {},
    packages: [],
  };
  // Packages of the suite are no work.
  return version === 'apt' ? Promise.resolve(artifact) : begin(name, artifact, signal);
};
const settled = (): Promise<void> => new Promise((done) => setImmediate(done));
const end = async (...names: string[]): Promise<void> => {
  for (const name of names) begun.get(name)?.done();
  await settled();
};

describe('the steps on the way to a world', () => {
  it('begin as the plan says: nothing but the image waits for programs', async () => {
    const all = carryOut(lab, plan, supply);
    await settled();
    expect([...begun.keys()]).toEqual(['kubernetes', 'etcd', 'root file system']);
    await end('root file system', 'etcd');
    expect([...begun.keys()].at(-1)).toBe('coredns');
    const rest = ['coredns', 'cni-plugins', 'crictl', 'workloads', 'witness', 'provider'];
    for (const name of rest) await end(name);
    expect(begun.has('provider')).toBe(true);
    expect(begun.has('image')).toBe(false);
    await end('kubernetes');
    await end('image');
    const { image, artifacts } = await all;
    expect(artifacts.map(({ component }) => component)).toEqual(recipe.components.map(({ name }) => name));
    const { spec } = image as unknown as { spec: ImageSpec };
    expect(spec.artifacts).toEqual(artifacts);
  });

  it('begin in the order that is forecast', async () => {
    const steps = plan.steps.filter(({ kind, version }) => kind !== 'world' && version !== 'apt');
    const forecast = forecastUp({ ...plan, world: 'default' }, UP_LANES, []).steps;
    const all = carryOut(lab, plan, supply);
    const open = new Set<string>();
    const nameOf = (step: { kind: string; name: string }): string =>
      step.kind === 'component' ? step.name : step.kind;
    const endsAt = new Map(
      forecast.map((step) => [nameOf(step), step.beginsAfterSeconds + step.estimateSeconds]),
    );
    const order: string[] = [];
    await settled();
    while (order.length < steps.length || open.size > 0) {
      for (const name of begun.keys())
        if (!order.includes(name)) {
          order.push(name);
          open.add(name);
        }
      const [first] = [...open].sort((a, b) => (endsAt.get(a) ?? 0) - (endsAt.get(b) ?? 0));
      if (first === undefined) break;
      open.delete(first);
      await end(first);
    }
    await all;
    const begins = forecast.filter((step) => order.includes(nameOf(step)));
    const expected = begins.toSorted((a, b) => a.beginsAfterSeconds - b.beginsAfterSeconds).map(nameOf);
    expect(order).toEqual(expected);
  });

  it('leave their times for the next estimate', async () => {
    const all = carryOut(lab, plan, supply);
    await settled();
    while (!begun.has('image')) await end(...begun.keys());
    await end('image');
    await all;
    const lines = readFileSync(statePaths(lab.host.stateDir).timings, 'utf8').trim().split('\n');
    const timings = parsePastTimings(lines);
    expect(timings.map(({ kind, name }) => `${kind} ${name}`)).toContain('component kubernetes 1.34.2');
    // What was there took no time that is worth an estimate.
    expect(timings.some(({ name }) => name.startsWith('containerd'))).toBe(false);
    const slow = timings.map((timing) => ({ ...timing, seconds: 7 }));
    const { steps, estimates } = forecastUp({ ...plan, world: 'default' }, UP_LANES, slow);
    expect(steps.find(({ name }) => name === 'kubernetes')).toMatchObject({
      estimateSeconds: 7,
      estimatedFrom: 'past-runs',
    });
    expect(estimates).toBe('some-past-runs');
  });

  it('end together when one fails', async () => {
    const failed = expect(carryOut(lab, plan, supply)).rejects.toThrow('no compiler');
    await settled();
    const { signal } = begun.get('root file system')!;
    begun.get('kubernetes')!.fail(new Error('no compiler'));
    await settled();
    expect(signal?.aborted).toBe(true);
    await end('root file system', 'etcd');
    await failed;
    expect(begun.has('coredns')).toBe(false);
  });
});
