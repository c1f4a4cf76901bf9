import { readBundle, type ReadBundle } from '../../../../lab/evidence/bundle/read-bundle.ts';
import type { ClockOptions } from '../../../../lab/evidence/bundle/zones.ts';
import { linesOf } from '../../../../lab/evidence/lines.ts';
import type { Observation } from '../../../../lab/model/evidence/observation.ts';

/** Reads a bundle whose files are given as text. */
export async function readTexts(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: ClockOptions = {},
): Promise<ReadBundle> {
  return readBundle(
    Object.entries(files).map(([path, text]) => ({
      path,
      lines: linesOf(typeof text === 'string' ? text : { chunks: () => [text] }),
    })),
    options,
  );
}

/** Whether an observation is of a record, and not about what is known. */
export function isSaid({ kind }: Observation): boolean {
  return kind !== 'lost' && kind !== 'covered' && kind !== 'kernel-log-ended';
}

/** The observations of one kind. */
export function ofKind<Kind extends Observation['kind']>(
  { observations }: Pick<ReadBundle, 'observations'>,
  kind: Kind,
): Extract<Observation, { readonly kind: Kind }>[] {
  return observations.filter(
    (observation): observation is Extract<Observation, { readonly kind: Kind }> => observation.kind === kind,
  );
}

export const ID = 'b945dc1684880b1c8cb1ed0ae5d4aa43b05b77b572580ae5ba54e370abdc3623';
export const UID = '11fb4b18-3dc9-4db2-a842-e464f797527a';
const CGROUP = `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice`;

/** The lines of one OOM kill. */
export const OOM = [
  `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=cri-containerd-${ID}.scope,mems_allowed=0,oom_memcg=${CGROUP},task_memcg=${CGROUP}/cri-containerd-${ID}.scope,task=eater,pid=1735,uid=0`,
  'Memory cgroup out of memory: Killed process 1735 (eater) total-vm:1370852kB, anon-rss:127556kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:336kB oom_score_adj:978',
] as const;

/** Two lines of containerd about the container, at a time of ISO 8601 in UTC. */
export const containerd = (at: string): string =>
  `time="${at}" level=info msg="TaskOOM event container_id:\\"${ID}\\""`;

/** A line of the kubelet about the end of the container, with the time of its own clock: `1120 21:53:59.873747`. */
export const finished = (at: string): string =>
  `I${at}     857 generic.go:356] "Generic (PLEG): container finished" podID="${UID}" containerID="${ID}" exitCode=137`;

/** The pod of that container, which ended once with 137 for this reason and was started again. */
export const podOf = (reason: string): string => `apiVersion: v1
kind: Pod
metadata: {name: eater, namespace: default, uid: ${UID}}
spec:
  nodeName: node-1
  containers: [{name: eater, image: eater, resources: {limits: {memory: 128Mi}}}]
status:
  phase: Running
  containerStatuses:
    - name: eater
      restartCount: 1
      containerID: containerd://${'1'.repeat(64)}
      state: {running: {startedAt: "2026-11-20T21:54:01Z"}}
      lastState:
        terminated:
          containerID: containerd://${ID}
          exitCode: 137
          reason: ${reason}
          startedAt: "2026-11-20T21:53:01Z"
          finishedAt: "2026-11-20T21:53:59Z"
`;
