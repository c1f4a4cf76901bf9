/** The programs whose changes a gate knows, and the axis on which each varies. */
export const GATED_PROGRAMS = {
  runc: 'runtime',
  crun: 'runtime',
  runsc: 'runtime',
  containerd: 'containerd',
  kubelet: 'kubernetes',
  systemd: 'os',
  kernel: 'kernel',
} as const;

/** A program whose change a gate judges. */
export type GatedProgram = keyof typeof GATED_PROGRAMS;
