import type { How, Killer } from '../../model/killers/killers.ts';
import { KUBELET_INTERVENTIONS } from './kubelet-interventions.ts';
import { holdBack, NODE_COMMAND } from './removals.ts';
import type { Intervention, NoRemoval, Removal } from './intervention.ts';

/**
 * What takes each killer away, and nothing else: a row for each killer of the catalogue. It was written before any run,
 * so that no outcome could choose it.
 */
export const INTERVENTIONS: Readonly<Record<Killer, Intervention>> = {
  'memcg-oom': {
    takes: 'the memory limits of the pod',
    changes: [{ change: 'lift-limit', resource: 'memory' }],
  },
  'global-oom': {
    none: 'the memory of a node is the same in every variant',
    hows: { sysrq: { takes: 'the request to the kernel (SysRq f)', changes: [NODE_COMMAND] } },
  },
  ...KUBELET_INTERVENTIONS,
  'node-reboot': {
    ...holdBack('the reboot of the node', 'node-reboot', { how: 'crash' }),
    hows: { 'panic-on-oom': { none: 'no axis has another vm.panic_on_oom' } },
  },
  'runtime-stop': { takes: 'the request at the runtime', changes: [NODE_COMMAND] },
  'runtime-lost': {
    takes: 'what was done to the shim or to containerd',
    changes: [{ change: 'hold-back', stimulus: 'node-signal', where: { to: 'shim' } }, NODE_COMMAND],
    hows: {
      'shim-killed': holdBack('the signal to the shim', 'node-signal', { to: 'shim' }),
      'runtime-restarted': { takes: 'the restart of containerd', changes: [NODE_COMMAND] },
    },
  },
  'container-init-oom': {
    takes: 'the memory limits of the pod',
    changes: [{ change: 'lift-limit', resource: 'memory' }],
  },
  'sandbox-died': holdBack('the signal to the sandbox', 'node-signal', { to: 'sandbox' }),
  'systemd-oomd': { takes: 'systemd-oomd', changes: [NODE_COMMAND] },
  earlyoom: { takes: 'earlyoom', changes: [NODE_COMMAND] },
  'pids-limit': {
    takes: "the kubelet's limit of processes",
    changes: [{ change: 'axis', axis: 'knobs', from: ['tight'], to: 'none' }],
  },
  seccomp: {
    takes: 'the seccomp profile of the pod',
    changes: [
      { change: 'remove', of: 'containers', field: ['securityContext', 'seccompProfile'] },
      { change: 'remove', of: 'pod', field: ['securityContext', 'seccompProfile'] },
    ],
    guard: [
      {
        change: 'set',
        of: 'pod',
        field: ['securityContext', 'seccompProfile', 'type'],
        value: 'Unconfined',
      },
    ],
  },
  'external-signal': {
    takes: 'the sender of the signal',
    changes: [
      { change: 'hold-back', stimulus: 'node-signal', where: { to: 'container' } },
      { change: 'hold-back', stimulus: 'node-signal', where: { to: 'child' } },
      { change: 'hold-back', stimulus: 'create' },
      NODE_COMMAND,
    ],
    hows: {
      'from-node': {
        takes: 'the sender of the signal on the node',
        changes: [
          { change: 'hold-back', stimulus: 'node-signal', where: { to: 'container' } },
          { change: 'hold-back', stimulus: 'node-signal', where: { to: 'child' } },
          NODE_COMMAND,
        ],
      },
      'from-another-pod': holdBack('the pod that sends the signal', 'create'),
      'from-same-pod': {
        takes: 'that the containers of the pod see each other',
        changes: [{ change: 'remove', of: 'pod', field: ['shareProcessNamespace'] }],
      },
    },
  },
  'self-exit': { none: 'the program ended by itself: without that it would be another program' },
  'self-signal': { none: 'the program ended itself: without that it would be another program' },
  none: { none: 'nobody killed it' },
  unknown: { none: 'nobody is named' },
};

/** What takes away a killer, or one of its ways. */
export function interventionFor(killer: Killer, how: How | undefined): Removal | NoRemoval {
  const row = INTERVENTIONS[killer];
  return (how === undefined ? undefined : row.hows?.[how]) ?? row;
}
