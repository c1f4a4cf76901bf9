import { ApiException } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { createObjects, underHandler } from '../../../../lab/world/cell/create-objects.ts';
import type { OpenWorld } from '../../../../lab/world/world.ts';

function worldWhoseApi(fails: Error): OpenWorld {
  const objects = { create: () => Promise.reject(fails) };
  return { record: { variant: DEFAULT_VARIANT }, kubernetes: { objects } } as unknown as OpenWorld;
}

const create = (fails: Error): Promise<void> =>
  createObjects(worldWhoseApi(fails), 'scenarios/x/manifests', [{ kind: 'Pod' }] as never, 'default');

describe('an object of a scenario', () => {
  it.each([
    ['runc', undefined],
    ['runc@1.1.12', 'runc-under-test'],
    ['runc@git:../runc', 'runc-under-test'],
    ['runc@1.1.12+everywhere', undefined],
    ['crun', 'crun'],
  ])('is a pod under the handler of workloads, for %s: %s', (runtime, handler) => {
    const world = { record: { variant: { ...DEFAULT_VARIANT, runtime } } } as OpenWorld;
    const pod = { kind: 'Pod', spec: { containers: [] } };
    expect(underHandler(world, 'default', pod)).toEqual({
      ...pod,
      spec: { containers: [], ...(handler === undefined ? {} : { runtimeClassName: handler }) },
    });
  });

  it('that the API refuses is a mistake in the manifest', async () => {
    await expect(
      create(new ApiException(422, 'no', '{"message":"spec is wrong"}', {})),
    ).rejects.toMatchObject({
      code: 'LAB_CONFIG',
      message: expect.stringContaining('spec is wrong') as string,
    });
  });

  it.each([429, 500, 504])('that a busy API answers with %i is none', async (status) => {
    const refused = new ApiException(status, 'no', '{"message":"request did not complete"}', {});
    await expect(create(refused)).rejects.toMatchObject({
      code: 'LAB_API',
      lastSeen: expect.stringContaining('request did not complete') as string,
    });
  });

  it('that the API never heard of is none', async () => {
    await expect(create(new Error('socket hang up'))).rejects.toMatchObject({
      code: 'LAB_API',
      lastSeen: 'socket hang up',
    });
  });
});
