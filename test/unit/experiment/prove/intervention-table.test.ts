import { describe, expect, it } from 'vitest';
import { INTERVENTIONS, interventionFor } from '../../../../lab/experiment/prove/intervention-table.ts';
import { isRemoval } from '../../../../lab/experiment/prove/intervention.ts';
import { takeAway, type StagedScenario } from '../../../../lab/experiment/prove/take-away.ts';
import { DEFAULT_VARIANT, type Variant } from '../../../../lab/model/axes/axes.ts';
import { howsOf, KILLERS, type How, type Killer } from '../../../../lab/model/killers/killers.ts';
import { configWith } from '../../project-files.ts';

const config = configWith();

function stage(scenario: string, variant: Partial<Variant> = {}): StagedScenario {
  const loaded = config.scenarios.find((one) => one.scenario.name === scenario);
  if (loaded === undefined) throw new Error(`no scenario ${scenario}`);
  return { loaded, variant: { ...DEFAULT_VARIANT, ...variant } };
}

/** What is changed in a scenario to take a killer away; empty where there is nothing of it. */
function changesOf(staged: StagedScenario, killer: Killer, how?: How): readonly string[] {
  const row = interventionFor(killer, how);
  return isRemoval(row) ? (takeAway(staged, row)?.made ?? []) : [];
}

describe('the table of interventions', () => {
  it('has a row for every killer of the catalogue: what takes it away, or why nothing does', () => {
    expect(Object.keys(INTERVENTIONS).toSorted()).toEqual(KILLERS.toSorted());
    for (const killer of KILLERS)
      for (const how of [undefined, ...howsOf(killer)]) {
        const row = interventionFor(killer, how);
        if (isRemoval(row)) expect(row.changes, killer).not.toHaveLength(0);
        expect(isRemoval(row) ? row.takes : row.none, killer).not.toBe('');
      }
  });

  it('names only ways that the killer has', () => {
    for (const killer of KILLERS)
      for (const how of Object.keys(INTERVENTIONS[killer].hows ?? {})) expect(howsOf(killer)).toContain(how);
  });
});

describe('taking a cause away', () => {
  it.each<[string, Killer, How | undefined, string[], Partial<Variant>?]>([
    ['oom-single-container', 'memcg-oom', undefined, ['limits.memory 128Mi of eater is lifted']],
    ['cron-job-oom', 'memcg-oom', undefined, ['limits.memory 128Mi of eater is lifted']],
    ['oom-sibling', 'memcg-oom', undefined, ['limits.memory 160Mi of the pod is lifted']],
    ['container-init-oom', 'container-init-oom', undefined, ['limits.memory 1Mi of tiny is lifted']],
    [
      'global-oom',
      'global-oom',
      'sysrq',
      ['node-command is held back: asked the kernel for an OOM kill (SysRq f)'],
    ],
    ['liveness-probe', 'liveness-probe', 'liveness-probe', ['livenessProbe of patient is taken out']],
    ['startup-probe', 'liveness-probe', 'startup-probe', ['startupProbe of starter is taken out']],
    ['startup-probe', 'liveness-probe', 'liveness-probe', []],
    ['deadline', 'deadline', undefined, ['activeDeadlineSeconds of the pod is taken out']],
    ['sigkill-from-node', 'external-signal', 'from-node', ['node-signal is held back']],
    ['sigkill-from-node', 'runtime-lost', 'shim-killed', []],
    ['sigkill-from-pod', 'external-signal', 'from-another-pod', ['create is held back']],
    ['shim-killed', 'runtime-lost', 'shim-killed', ['node-signal is held back']],
    ['sandbox-killed', 'sandbox-died', 'sandbox-killed', ['node-signal is held back']],
    ['api-delete', 'api-deletion', 'delete', ['delete-pod is held back']],
    ['drain', 'api-deletion', 'eviction-api', ['drain-node is held back']],
    ['taint-no-execute', 'api-deletion', 'taint', ['taint-node is held back']],
    ['preemption', 'preemption', 'scheduler', ['priorityClassName of the pod is system-node-critical']],
    [
      'minute-survivor',
      'kubelet-cgroup-missing',
      undefined,
      ['drivers=systemd+cgroupfs is drivers=systemd+systemd'],
      { drivers: 'systemd+cgroupfs' },
    ],
    ['pids-limit', 'pids-limit', undefined, ['knobs=tight is knobs=none'], { knobs: 'tight' }],
    [
      'eviction-empty-dir',
      'kubelet-eviction',
      'empty-dir-limit',
      ['emptyDir.sizeLimit of data is taken out'],
    ],
    [
      'eviction-ephemeral-storage',
      'kubelet-eviction',
      'container-storage-limit',
      ['limits.ephemeral-storage 20Mi of writer is lifted'],
    ],
    ['eviction-memory-hard', 'kubelet-eviction', 'memory', ['knobs=tight is knobs=none'], { knobs: 'tight' }],
    ['node-reboot', 'node-reboot', 'boot', ['node-reboot is held back']],
    ['node-shutdown', 'node-shutdown', undefined, ['node-reboot is held back']],
    ['static-pod-removed', 'spec-change', 'static-pod-removed', ['remove-static-pod is held back']],
    ['post-start-hook', 'pod-lifecycle', 'post-start-hook', ['lifecycle.postStart of starter is taken out']],
    [
      'restart-all-containers',
      'pod-lifecycle',
      'restart-all-containers',
      ['restartPolicyRules of trigger is taken out'],
    ],
    [
      'runtime-stop',
      'runtime-stop',
      undefined,
      ['node-command is held back: stopped the container through the CRI'],
    ],
    ['seccomp', 'seccomp', undefined, []],
  ])('of %s takes %s (%s) away by: %j', (scenario, killer, how, made, variant) => {
    expect(changesOf(stage(scenario, variant), killer, how)).toEqual(made);
  });

  it('changes nothing else: what a limit meant as a request is written out, and the scenario stays as it was', () => {
    const staged = stage('tmpfs-oom-loop');
    const before = structuredClone(staged.loaded.manifests);
    const row = INTERVENTIONS['memcg-oom'];
    if (!isRemoval(row)) throw new Error('no removal');
    const taken = takeAway(staged, row);
    expect(staged.loaded.manifests).toEqual(before);
    expect(JSON.stringify(taken?.loaded.manifests)).toBe(
      JSON.stringify(before)
        .replace('"limits":{"memory":"96Mi"}', '"limits":{}')
        .replace('"requests":{"cpu":"500m"}', '"requests":{"cpu":"500m","memory":"96Mi"}'),
    );
    expect(taken?.loaded.source.manifests).toEqual(
      Object.fromEntries(
        Object.keys(staged.loaded.source.manifests).map((file) => [file, taken?.loaded.manifests]),
      ),
    );
  });
});
