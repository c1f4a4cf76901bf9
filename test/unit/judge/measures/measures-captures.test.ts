import { describe, expect, it } from 'vitest';
import { BUILT_IN_MEASURES } from '../../../../lab/model/measures/measure-table.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { judgeCapture, loadCapture, withExpected } from '../../../fixtures/evidence/load-capture.ts';
import { configWith } from '../../project-files.ts';

const config = configWith();

/** The measures of a capture that do not keep the bounds which a cell has today. */
function missedBounds(name: string, address: string): string[] {
  const outcome = planCells(config, [address]).cells.find((cell) => cell.address === address)?.outcome;
  if (outcome === undefined) throw new Error(`no cell ${address}`);
  const judged = judgeCapture(withExpected(loadCapture(name), outcome));
  expect(judged.verdict).toBe(judged.mismatches.length === 0 ? 'passed' : 'failed');
  const missed = judged.mismatches.flatMap(({ field }) => /^measures\.(.*)$/.exec(field)?.[1] ?? []);
  return [...new Set(missed)];
}

/** Captures of one scenario, each with the cell that it was made of. */
const MEASURED: Readonly<Record<string, string>> = {
  'supercronic-zombies': 'default/supercronic-zombies',
  'supercronic-zombies--0.2.33': 'default/supercronic-zombies[supercronic=0.2.33]',
  'supercronic-lost-status--0.2.32': 'default/supercronic-lost-status',
  'supercronic-lost-status--0.2.33': 'default/supercronic-lost-status[supercronic=0.2.33]',
  'crowd-becomes-ready--qps-1': 'qps-1/crowd-becomes-ready',
  'crowd-becomes-ready': 'default/crowd-becomes-ready',
  'memory-stall': 'default/memory-stall',
  'memory-stall--min-ttl': 'default/memory-stall[guard=min-ttl]',
  'memory-stall--limit-1Gi': 'default/memory-stall[limit=1Gi]',
  'memory-stall--earlyoom': 'default/memory-stall[guard=earlyoom]',
  'slow-pull': 'default/slow-pull',
  'slow-pull--parallel-pulls': 'parallel-pulls/slow-pull',
  'dying-cgroups': 'default/dying-cgroups',
  'dying-cgroups--deleted': 'default/dying-cgroups[file=deleted]',
  'dying-cgroups--drop-caches': 'default/dying-cgroups[cure=drop-caches]',
  'dying-cgroups-cron-job': 'default/dying-cgroups-cron-job',
  'oom-score-adj': 'default/oom-score-adj',
  'oom-score-adj--best-effort': 'default/oom-score-adj[qos=best-effort]',
  'oom-score-adj--guaranteed': 'default/oom-score-adj[qos=guaranteed]',
  'memory-seen-inside': 'default/memory-seen-inside',
  'leaked-units--1.22': '1.22/leaked-units',
  'cpu-limit': 'default/cpu-limit',
  'qos-cpu-weight': 'default/qos-cpu-weight',
};

/** Of each measure a capture that breaks a bound on it, and whose bound that is: of a capture's cell, or of any. */
const BREAKS: Readonly<Record<string, readonly [capture: string, of: string]>> = {
  zombies: ['supercronic-zombies', 'supercronic-zombies--0.2.33'],
  pids: ['supercronic-zombies', 'supercronic-zombies--0.2.33'],
  'forks-refused': ['supercronic-zombies', 'supercronic-zombies--0.2.33'],
  'jobs-failed': ['supercronic-lost-status--0.2.32', 'supercronic-lost-status--0.2.33'],
  'ready-lag-s': ['crowd-becomes-ready--qps-1', 'crowd-becomes-ready'],
  'heartbeat-gap-s': ['memory-stall', 'memory-stall--min-ttl'],
  'dying-cgroups': ['dying-cgroups--drop-caches', 'dying-cgroups'],
  'oom-score-adj': ['oom-score-adj', 'oom-score-adj--best-effort'],
  'full-stall-share': ['memory-stall--limit-1Gi', 'memory-stall'],
  'node-not-ready-s': ['memory-stall', '1+1/memory-stall'],
  'pull-wait-s': ['slow-pull', 'slow-pull--parallel-pulls'],
  'registry-wait-s': ['slow-pull', 'slow-pull--parallel-pulls'],
  'pulls-at-once': ['slow-pull', 'slow-pull--parallel-pulls'],
  'jobs-ended': ['supercronic-lost-status--few-jobs', 'supercronic-lost-status--0.2.33'],
  'cpu-of-kubelet': ['dying-cgroups--kubelet-asked-all-the-time', 'dying-cgroups--deleted'],
  'pull-s': ['slow-pull--both-images-slow', 'slow-pull'],
  'cpu-time-s': ['cpu-limit', 'default/cpu-limit[cpuLimit=500m]'],
  'cpu-weight-of-class': ['qos-cpu-weight', 'default/qos-cpu-weight[class=burstable]'],
  'memory-seen-inside': ['memory-seen-inside', 'runsc@20240916+systemd-cgroup/memory-seen-inside'],
  'memory-stat-read-ms': ['dying-cgroups--busy-node', 'default/dying-cgroups[jobs=101,file=deleted]'],
  'units-left': ['leaked-units--1.22', 'bullseye_1.22/leaked-units'],
};

/** The built-in measures on which no capture breaks a bound yet. */
const UNBROKEN = [
  'cpuset-missing',
  'in-system-slice',
  'kubelet-restarts',
  'memory-resident',
  'oom-events',
  'oom-score',
  'overcommit-memory',
  'pod-warnings',
  'processes',
];

describe('a capture of a measured cell', () => {
  it.each(Object.entries(MEASURED))('%s keeps the bounds that %s has today', (name, address) => {
    expect(missedBounds(name, address)).toEqual([]);
  });
});

describe('a bound on', () => {
  it('every built-in measure is among those that can be broken, or is known not to be', () => {
    const unbroken = BUILT_IN_MEASURES.filter((name) => !Object.hasOwn(BREAKS, name));
    expect(unbroken.toSorted()).toEqual(UNBROKEN);
  });

  it.each(Object.entries(BREAKS))('%s can be broken', (measure, [capture, of]) => {
    expect(missedBounds(capture, MEASURED[of] ?? of)).toContain(measure);
  });
});
