import { describe, expect, it } from 'vitest';
import { loadWholeConfig } from '../../../../lab/commands/setup/config.ts';
import { showsArea } from '../../../../lab/gate/choose/choose-cells.ts';
import { findChangedAreas, listChangedPaths } from '../../../../lab/gate/reach/changed-areas.ts';
import { REACH_TABLE } from '../../../../lab/gate/reach/reach-table.ts';
import { AXES } from '../../../../lab/model/axes/axes.ts';
import { PROJECT } from '../../../cli/support/run-cli.ts';

const config = loadWholeConfig({ projectDir: PROJECT, ownDir: undefined });
const programs = Object.entries(REACH_TABLE);

describe('what a change can break', () => {
  it.each(programs)('is data about %s that the project has', (_, { areas, beside }) => {
    for (const { id, tags, paths, layers } of areas) {
      const shown = config.scenarios.filter(({ scenario }) => showsArea(scenario, tags));
      expect(shown.length, id).toBeGreaterThan(0);
      for (const tag of tags)
        expect(
          config.scenarios.some(({ scenario }) => scenario.tags.includes(tag)),
          `${id}: ${tag}`,
        ).toBe(true);
      expect([paths.length > 0, layers.length > 0]).toEqual([true, true]);
    }
    for (const [axis, values] of Object.entries(beside)) {
      const { values: known } = config.matrix.axes[AXES.find((name) => name === axis)!];
      for (const value of values) expect(known).toContain(value);
    }
  });

  it.each([
    ['runc', 'libcontainer/cgroups/fs2/memory.go', ['cgroups']],
    ['runc', 'libcontainer/nsenter/nsexec.c', ['start']],
    ['runc', 'libcontainer/cgroups/fs2/memory_test.go', []],
    ['runc', 'docs/cgroup-v2.md', []],
    ['runc', 'a-file-that-nobody-knows.go', ['cgroups', 'start', 'signals', 'isolation']],
    ['containerd', 'pkg/oom/v2/v2.go', ['oom-events']],
    ['containerd', 'internal/cri/server/events.go', ['oom-events', 'cri']],
    ['kubelet', 'pkg/kubelet/eviction/helpers.go', ['eviction']],
    ['crun', 'src/libcrun/cgroup-systemd.c', ['cgroups']],
    ['runsc', 'pkg/shim/v1/runsc/service.go', ['shim']],
    ['systemd', 'src/oom/oomd-util.c', ['oomd']],
    ['kernel', 'mm/memcontrol-v1.c', ['oom']],
  ] as const)('of %s by %s is %j', (program, path, ids) => {
    const { areas, ignored } = findChangedAreas(REACH_TABLE[program], [path]);
    expect(areas.map(({ area }) => area.id)).toEqual(ids);
    expect(ignored).toEqual(ids.length === 0 ? [path] : []);
  });

  it('is read from the lines of a diff that name files, renames and quotes included', () => {
    const diff = [
      'diff --git a/kill.go b/kill.go',
      '--- a/kill.go',
      'diff --git a/old name.go b/new.go',
      'rename from old name.go',
      'rename to new.go',
      'diff --git "a/m\\303\\274.go" "b/m\\303\\274.go"',
      '+diff --git a/not b/this',
    ].join('\n');
    expect(listChangedPaths(diff)).toEqual(['kill.go', 'old name.go', 'new.go', 'm\\303\\274.go']);
  });
});
