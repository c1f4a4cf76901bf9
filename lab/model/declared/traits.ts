import { z } from 'zod';

/** What matters of a pod or a node for how its containers die, and cannot be read off an exit code; known to `whodunit case`. */
export const TRAITS = [
  'in-place resize',
  'swap',
  'native sidecar',
  'user namespace',
  'resource claim',
  'PSI',
  'liveness probe',
  'startup probe',
  'exec probe',
  'preStop hook',
  'postStart hook',
  'device plugin',
  'restart of the kubelet',
  'reboot of the node',
  'OOM of the node',
  'oom_score_adj',
  'static pod',
  'ephemeral storage',
  'gVisor',
  'zombies',
  'hunt for zombies',
  'dying memory cgroups',
  'leaked cgroups',
  'image pull',
  'refused by the kubelet',
  'driver mismatch',
  'restart of containerd',
  'reload of systemd',
  'OOM killer in user space',
  'single process killed',
  'OOM kill of a child',
  'eviction',
  'memory pressure of the node',
  'image volume',
  'NRI plugin',
  'CPU quota',
  'image garbage collection',
  'end before the start',
  'cgroup v1 refused',
  'node shutdown',
  'pids limit',
  'memory volume',
  'huge pages',
  'GPU',
  'nested cluster',
  'metric or event',
  'event of an OOM kill',
  'exec session',
  'pod deletion',
] as const;

/** The name of a trait. */
export type Trait = (typeof TRAITS)[number];

/** The field `traits` of a scenario. */
export const traitsSchema = z
  .array(z.enum(TRAITS))
  .default([])
  .describe(
    'What it is about, for `whodunit case`: a report with these traits is held against it. Those that its manifests, stimuli and measures show are known without.',
  );
