import { hostname } from 'node:os';
import type { V1Pod } from '../../drivers/kubernetes/foreign-cluster.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';

const LIFE_SECONDS = TIME_LIMITS.api.script.ms / 1000;

/** Every pod that an autopsy makes has these labels, so that one that a killed autopsy left is found. */
export const DEBUG_POD_LABELS = {
  'app.kubernetes.io/managed-by': 'whodunit',
  'app.kubernetes.io/component': 'autopsy',
} as const;

/** Says which process made the pod: its host, and its pid there. */
export const OWNER_LABEL = 'whodunit-owner';

/** A process of this host as the value of that label: at most 63 letters, the first of which is a letter or a digit. */
export function nameOwner(pid: number): string {
  return `${hostname()}.${pid}`
    .replace(/[^\w.-]/g, '-')
    .slice(-63)
    .replace(/^[^a-zA-Z0-9]+/, '');
}

export const READER = 'reader';

/** The shell of the node itself, in the node's own files. */
export const NODE_SHELL = ['/usr/sbin/chroot', '/node', '/bin/sh', '-s'] as const;

/** Folders that the node's own shell and chroot are made of. */
const PROGRAMS = ['usr', 'bin', 'lib'];

/** Where such a pod is to run. */
export interface DebugPodInput {
  readonly node: string;
  /** `amd64`, `arm64`: as the node says of itself. */
  readonly architecture: string;
  /** An image that the node has already. */
  readonly image: string;
  readonly owner: string;
}

/**
 * The one pod that an autopsy makes. It runs the programs of the node, so that any image will do, even one without a
 * shell; it gets no token, mounts the node read-only, and ends by itself.
 */
export function makeDebugPod({ node, architecture, image, owner }: DebugPodInput): V1Pod {
  // The interpreter of programs for amd64 is in a folder of its own.
  const programs = architecture === 'amd64' ? [...PROGRAMS, 'lib64'] : PROGRAMS;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'whodunit-autopsy-', labels: { ...DEBUG_POD_LABELS, [OWNER_LABEL]: owner } },
    spec: {
      nodeName: node,
      restartPolicy: 'Never',
      activeDeadlineSeconds: LIFE_SECONDS,
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      tolerations: [{ operator: 'Exists' }],
      containers: [
        {
          name: READER,
          image,
          imagePullPolicy: 'Never',
          command: ['/bin/sleep', String(LIFE_SECONDS)],
          // /dev/kmsg may be read only by a privileged container.
          securityContext: { privileged: true },
          volumeMounts: [
            { name: 'node', mountPath: '/node', readOnly: true },
            ...programs.map((folder) => ({ name: folder, mountPath: `/${folder}`, readOnly: true })),
          ],
        },
      ],
      volumes: [
        { name: 'node', hostPath: { path: '/' } },
        ...programs.map((folder) => ({ name: folder, hostPath: { path: `/${folder}` } })),
      ],
    },
  };
}
