import { describe, expect, it } from 'vitest';
import { ofKind, readTexts } from '../bundle/read-texts.ts';

const EVENTS = {
  'sys/fs/cgroup/kubepods.slice/memory.events': 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n',
};

describe('counters of a cgroup', () => {
  it.each([
    [
      'the whole tree below it',
      'cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\nproc /proc proc rw 0 0\n',
      undefined,
    ],
    [
      'itself, by /proc/mounts',
      'cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,memory_localevents 0 0\nproc /proc proc rw 0 0\n',
      true,
    ],
    [
      'itself, by mount',
      'proc on /proc type proc (rw)\ncgroup2 on /sys/fs/cgroup type cgroup2 (rw,memory_localevents)\n',
      true,
    ],
  ])('count %s', async (_, mounts, isLocal) => {
    const bundle = await readTexts({ ...EVENTS, 'proc/mounts': mounts });
    expect(bundle.unknown).toEqual([]);
    expect(ofKind(bundle, 'cgroup-values').map((values) => values.isLocal)).toEqual([isLocal]);
  });
});
