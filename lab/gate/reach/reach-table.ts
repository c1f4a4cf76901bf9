import type { GatedProgram } from '../../model/variants/gated-programs.ts';
import { CONTAINERD, KERNEL, KUBELET, SYSTEMD } from './node-programs.ts';
import type { GatedReach } from './program-area.ts';
import { CRUN, RUNC, RUNSC } from './runtimes.ts';

/** What a change of each program can break. */
export const REACH_TABLE: Readonly<Record<GatedProgram, GatedReach>> = {
  runc: RUNC,
  crun: CRUN,
  runsc: RUNSC,
  containerd: CONTAINERD,
  kubelet: KUBELET,
  systemd: SYSTEMD,
  kernel: KERNEL,
};
