import { stringify } from 'yaml';
import {
  comment,
  EXIT_CONTRACT,
  needsOfTask,
  SHARDS_FOLDER,
  spellMerge,
  spellShardRun,
  type ShardJob,
} from './shard-job.ts';

/** Where things are in a pod. */
const PLAN_FILE = '/plan/plan.json';
const EVIDENCE_FOLDER = '/evidence';

/** A Job of Kubernetes with one index for each shard: `kubectl create -f job.yaml`. */
export function renderIndexedJob(job: ShardJob): string {
  const { memoryMiB, cpus, minutes, kvm } = needsOfTask(job);
  const name = `whodunit-${job.plan.plan.slice(0, 8)}`;
  const isJudged = job.plan.work === 'judge';
  const inPod: ShardJob = { ...job, file: PLAN_FILE, evidence: isJudged ? EVIDENCE_FOLDER : undefined };
  const limits = { memory: `${memoryMiB}Mi`, ...(kvm ? { 'devices.kubevirt.io/kvm': '1' } : {}) };
  const volumes = [
    { name: 'plan', mountPath: '/plan', source: { configMap: { name: 'whodunit-plan' } } },
    {
      name: SHARDS_FOLDER,
      mountPath: `/${SHARDS_FOLDER}`,
      source: { persistentVolumeClaim: { claimName: 'whodunit-shards' } },
    },
    ...(isJudged
      ? [
          {
            name: 'evidence',
            mountPath: EVIDENCE_FOLDER,
            source: { persistentVolumeClaim: { claimName: 'whodunit-evidence', readOnly: true } },
          },
        ]
      : []),
  ];
  const manifest = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      completionMode: 'Indexed',
      completions: job.plan.shards.length,
      parallelism: job.plan.shards.length,
      backoffLimitPerIndex: 1,
      maxFailedIndexes: job.plan.shards.length,
      podFailurePolicy: {
        rules: [
          { action: 'FailIndex', onExitCodes: { operator: 'In', values: [1, 2] } },
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
      template: {
        spec: {
          restartPolicy: 'Never',
          activeDeadlineSeconds: minutes * 60,
          containers: [
            {
              name: 'shard',
              image: `whodunit:${job.plan.version}`,
              command: ['/bin/sh', '-c'],
              args: [`WHODUNIT_HOME=/${SHARDS_FOLDER}/$JOB_COMPLETION_INDEX exec ${spellShardRun(inPod)}`],
              resources: { requests: { memory: `${memoryMiB}Mi`, cpu: String(cpus) }, limits },
              volumeMounts: volumes.map(({ name: volume, mountPath }) => ({ name: volume, mountPath })),
            },
          ],
          volumes: volumes.map(({ name: volume, source }) => ({ name: volume, ...source })),
        },
      },
    },
  };
  return `${comment(listUsage(job, inPod))}#\n${comment(EXIT_CONTRACT)}${stringify(manifest, { lineWidth: 0 })}`;
}

/** How the file is used, line by line. */
function listUsage({ file }: ShardJob, inPod: ShardJob): string[] {
  return [
    `kubectl create configmap whodunit-plan --from-file=plan.json=${file}`,
    'A claim "whodunit-shards" that all pods can write to has what comes back; the image is yours: it has whodunit in it.',
    ...(inPod.evidence === undefined
      ? []
      : ['A claim "whodunit-evidence" has the evidence that was planned.']),
    'kubectl create -f job.yaml; then, where the claim is mounted:',
    spellMerge(inPod, `/${SHARDS_FOLDER}`),
    'Index i is shard i+1. Exit code 3 runs an index again, once; 1 and 2 do not.',
  ];
}
