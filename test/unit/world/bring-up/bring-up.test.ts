import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { DeclaredStartFailure } from '../../../../lab/model/errors/errors.ts';
import { bringUp } from '../../../../lab/world/bring-up/bring-up.ts';
import { buildWorld } from '../../../../lab/world/bring-up/build.ts';
import { carryOut } from '../../../../lab/world/bring-up/carry-out.ts';
import { planUp, type UpPlan } from '../../../../lab/world/bring-up/plan-up.ts';
import { deriveWorld } from '../../../../lab/world/derive/derive.ts';
import { findDerivation } from '../../../../lab/world/derive/find-derivation.ts';
import { restoreWorld } from '../../../../lab/world/restore/restore.ts';
import type { Lab } from '../../../../lab/world/lab.ts';
import { quietProgress } from '../../../quiet-host.ts';
import { createFakeLab, inputOf } from '../fake-world.ts';

vi.mock('../../../../lab/world/bring-up/build.ts', () => ({ buildWorld: vi.fn() }));
vi.mock('../../../../lab/world/bring-up/carry-out.ts', () => ({ carryOut: vi.fn() }));
vi.mock(import('../../../../lab/world/bring-up/plan-up.ts'), async (original) => ({
  ...(await original()),
  planUp: vi.fn(),
}));
vi.mock('../../../../lab/world/derive/derive.ts', () => ({ deriveWorld: vi.fn() }));
vi.mock('../../../../lab/world/derive/find-derivation.ts', () => ({ findDerivation: vi.fn() }));
vi.mock('../../../../lab/world/restore/restore.ts', () => ({ restoreWorld: vi.fn() }));
vi.mock('../../../../lab/world/host/accelerator.ts', () => ({
  proveAccelerator: () => Promise.resolve({ accelerator: 'tcg', reason: '' }),
}));

const { recipe, image } = inputOf();
const debian = { archive: 'http://mirror.test/debian', security: 'http://mirror.test/debian-security' };
const spec = { suite: 'bookworm', debian, kubernetes: '1.34.2', artifacts: [] };
const artifact = {
  component: 'etcd',
  version: '3.6.5',
  source: 'local',
  digest: 'd',
  files: {},
  packages: [],
} as const;

let folder: string;
let lab: Lab;
let notes: string[];
let undone: string[];
let interrupt: AbortController;
beforeEach(() => {
  vi.resetAllMocks();
  folder = mkdtempSync(join(tmpdir(), 'whodunit-bring-up-'));
  notes = [];
  undone = [];
  interrupt = new AbortController();
  const progress = { ...quietProgress, note: (text: string) => void notes.push(text) };
  lab = createFakeLab(folder, { host: { progress, signal: interrupt.signal } });
  vi.mocked(carryOut).mockResolvedValue({ artifacts: [artifact], image });
  vi.mocked(buildWorld).mockResolvedValue('built world' as never);
  const found = { parent: { name: 'parent' }, image, changes: [], wanted: { key: 'k', inputs: {} } };
  vi.mocked(findDerivation).mockResolvedValue(found as never);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Plans the ways that are given, one after the other. */
function plan(...ways: Partial<UpPlan>[]): void {
  for (const way of ways)
    vi.mocked(planUp).mockResolvedValueOnce({ recipe, spec, way: 'built', why: '', steps: [], ...way });
}

/** Derives a half-made world, and fails. */
function failToDerive(error: Error): void {
  vi.mocked(deriveWorld).mockImplementation((own) => {
    own.undo.register('remove the half-made child', () => Promise.resolve(void undone.push('child')), {
      timeoutMs: 1000,
    });
    return Promise.reject(error);
  });
}

const wishes = (): unknown[] => vi.mocked(planUp).mock.calls.map(([, , asked]) => asked);

describe('a world that cannot be derived', () => {
  it('is taken back and built from its image, with a note that says why', async () => {
    plan({ way: 'derived', parent: 'parent' }, { way: 'built' });
    failToDerive(new Error('No space left on device'));
    expect(await bringUp(lab, DEFAULT_VARIANT, { keep: false })).toEqual({
      world: 'built world',
      how: 'built',
    });
    expect(undone).toEqual(['child']);
    expect(wishes()).toEqual([{}, { cold: true }]);
    expect(notes).toEqual(['could not derive default from parent: No space left on device']);
  });

  it('is built cold when its parent is gone since it was planned', async () => {
    plan({ way: 'derived', parent: 'parent' }, { way: 'built' });
    vi.mocked(findDerivation).mockResolvedValue({ cold: 'parent is not there yet' });
    expect((await bringUp(lab, DEFAULT_VARIANT, { keep: false })).how).toBe('built');
    expect(deriveWorld).not.toHaveBeenCalled();
    expect(notes).toEqual(['world default is built from its image: parent is not there yet']);
  });

  it('is not built when it was interrupted, kept for a look, or fails as declared', async () => {
    for (const [error, options] of [
      [new Error('kept'), { keep: true }],
      [new DeclaredStartFailure({ id: 'x', reason: 'r', source: 's' } as never), { keep: false }],
    ] as const) {
      plan({ way: 'derived', parent: 'parent' });
      failToDerive(error);
      await expect(bringUp(lab, DEFAULT_VARIANT, options)).rejects.toBe(error);
    }
    plan({ way: 'derived', parent: 'parent' });
    vi.mocked(deriveWorld).mockImplementation(() => {
      interrupt.abort();
      return Promise.reject(new Error('cp was stopped'));
    });
    await expect(bringUp(lab, DEFAULT_VARIANT, { keep: false })).rejects.toThrow('cp was stopped');
    expect(buildWorld).not.toHaveBeenCalled();
  });
});

describe('a world that is to be built from its image', () => {
  it('is neither restored nor derived', async () => {
    plan({ way: 'built' });
    await bringUp(lab, DEFAULT_VARIANT, { keep: false, cold: true });
    expect(wishes()).toEqual([{ cold: true, notSaved: 'is not to be used' }]);
  });
});

describe('a world whose plan changes', () => {
  it('is planned again when its programs are there, with what they are', async () => {
    plan({ way: 'open' }, { way: 'built' });
    await bringUp(lab, DEFAULT_VARIANT, { keep: false });
    const known = vi.mocked(planUp).mock.calls.map(([, , , made]) => [...(made?.keys() ?? [])]);
    // The same map is filled between the two plans.
    expect(known).toEqual([['etcd'], ['etcd']]);
    expect(carryOut).toHaveBeenCalledTimes(2);
  });

  it('is built again, never derived, when the saved one is not healthy', async () => {
    const saved = { name: 'default' } as never;
    plan({ way: 'restored', saved }, { way: 'built', saved });
    vi.mocked(restoreWorld).mockRejectedValue(new Error('no lease'));
    const report = vi.fn();
    expect((await bringUp(lab, DEFAULT_VARIANT, { keep: false, report })).how).toBe('rebuilt');
    expect(wishes()).toEqual([{}, { notSaved: 'was not healthy after two restores (no lease)' }]);
    expect(report).toHaveBeenCalledWith('world-rebuilt', 'no lease');
  });
});
