import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  AXES,
  AXIS_DEFINITIONS,
  DEFAULT_VARIANT,
  readVariant,
  valueOf,
  variantSchema,
  type Axis,
} from '../../../../lab/model/axes/axes.ts';
import { UsageError } from '../../../../lab/model/errors/errors.ts';
import { configWith, PROJECT } from '../../project-files.ts';

const { matrix } = configWith();
const read = (axis: Axis, written: string): unknown => valueOf({ ...DEFAULT_VARIANT, [axis]: written }, axis);

describe('the axes', () => {
  it('are one file each, and the list has all of them', () => {
    const files = readdirSync(join(PROJECT, 'lab/model/axes'));
    expect(files.sort()).toEqual(['axes', ...AXES].map((name) => `${name}.ts`).sort());
  });

  it.each(AXIS_DEFINITIONS.map((axis) => [axis.name, axis] as const))(
    'read every value of %s that the matrix names or shows',
    (name, axis) => {
      const { values, example } = matrix.axes[name];
      for (const value of [...values, ...(example === undefined ? [] : [example])])
        expect(() => axis.parse(value), value).not.toThrow();
    },
  );

  it.each<[Axis, string, unknown]>([
    ['os', 'trixie', 'trixie'],
    ['kubernetes', '1.34', { version: '1.34', release: '1.34' }],
    ['kubernetes', '1.34.2@file:./a@b', { version: '1.34.2@file:./a@b', release: '1.34.2' }],
    ['kernel', 'os', { from: 'own' }],
    ['kernel', '6.12@trixie', { from: 'suite', suite: 'trixie', version: '6.12' }],
    ['kernel', '6.12@bookworm-backports', { from: 'suite', suite: 'bookworm-backports', version: '6.12' }],
    ['kernel', 'file:./6.1@sid', { from: 'file', path: './6.1@sid' }],
    ['cgroup', 'v1', 'v1'],
    ['drivers', 'systemd+cgroupfs', { kubelet: 'systemd', runtime: 'cgroupfs' }],
    ['containerd', 'apt', 'apt'],
    ['containerd', 'file:./2.0', 'file:./2.0'],
    ['runtime', 'runc', { name: 'runc', version: 'apt' }],
    ['runtime', 'runc@1.1.12', { name: 'runc', version: '1.1.12' }],
    ['runtime', 'runc@1.1.12+everywhere', { name: 'runc', version: '1.1.12', everywhere: true }],
    ['runtime', 'crun', { name: 'crun', version: 'apt' }],
    ['runtime', 'crun@1.7.1', { name: 'crun', version: '1.7.1' }],
    ['runtime', 'crun@file:./out/crun', { name: 'crun', version: 'file:./out/crun' }],
    ['runtime', 'youki@0.5.7', { name: 'youki', version: '0.5.7' }],
    ['runtime', 'runsc@20230927', { name: 'runsc', version: '20230927', systemdCgroup: false }],
    [
      ...(['runtime', 'runsc@file:./a+b/runsc+systemd-cgroup'] as const),
      { name: 'runsc', version: 'file:./a+b/runsc', systemdCgroup: true },
    ],
    ['nodes', '1', { workers: 0 }],
    ['nodes', '1+9', { workers: 9 }],
    ['knobs', 'qps-5', 'qps-5'],
  ])('%s=%s is read', (axis, written, value) => {
    expect(read(axis, written)).toEqual(value);
    expect(readVariant({ ...DEFAULT_VARIANT, [axis]: written })[axis]).toEqual(value);
  });

  it.each<[Axis, string]>([
    ...['', '1', 'v1.34', 'file:./kubelet'].map((value): [Axis, string] => ['kubernetes', value]),
    ...['own', '6.12', '6.12@', '6.12@Sid', '6.12@file:x'].map((value): [Axis, string] => ['kernel', value]),
    ...['', 'v3', 'V1'].map((value): [Axis, string] => ['cgroup', value]),
    ...['systemd', 'systemd+', 'a+b', 'systemd+systemd+systemd'].map((value): [Axis, string] => [
      'drivers',
      value,
    ]),
    ...['', 'deb', 'file:'].map((value): [Axis, string] => ['containerd', value]),
    ...[
      'runsc',
      'runc@',
      'runsc@+systemd-cgroup',
      'runc@1.1.12+systemd-cgroup',
      'runc@+everywhere',
      'runc@apt+everywhere',
      'crun@1.7.1+everywhere',
      'runsc@20230927+everywhere',
      'crun@',
      'crun@1.7.1+systemd-cgroup',
      'youki',
      'youki@0.5.7+everywhere',
    ].map((value): [Axis, string] => ['runtime', value]),
    ...['', '0', '2+1', '1+0', '1+10', '1+1+1'].map((value): [Axis, string] => ['nodes', value]),
  ])('%s=%s is refused by its axis, and in a saved file', (axis, written) => {
    expect(() => read(axis, written)).toThrow(UsageError);
    expect(() => read(axis, written)).toThrow(`"${written}" is not a `);
    const [issue] = variantSchema.safeParse({ [axis]: written }).error?.issues ?? [];
    expect(issue).toMatchObject({ path: [axis], message: `a value of the axis ${axis}` });
  });
});
