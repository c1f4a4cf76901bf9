import {
  comment,
  EXIT_CONTRACT,
  needsOfTask,
  SHARDS_FOLDER,
  spellImageBake,
  spellMerge,
  spellShardRun,
  type ShardJob,
} from './shard-job.ts';

/** The script of a job array of Slurm: `sbatch shards.sbatch`. */
export function renderSlurm(job: ShardJob): string {
  const { plan } = job;
  const { memoryMiB, cpus, minutes, kvm } = needsOfTask(job);
  const images = plan.images.length;
  const first = images === 0 ? '' : ' --dependency=afterany:$images';
  const usage = [
    ...(images === 0 ? [] : [`images=$(sbatch --parsable --array=1-${images} shards.sbatch images)`]),
    `shards=$(sbatch --parsable${first} shards.sbatch)`,
    `sbatch --dependency=afterany:$shards --wrap '${spellMerge(job)}'`,
    'One shard again: sbatch --array=5 shards.sbatch',
  ];
  return `#!/bin/bash
${comment(usage)}#
${comment(EXIT_CONTRACT)}#SBATCH --job-name=whodunit-${plan.plan.slice(0, 8)}
#SBATCH --array=1-${plan.shards.length}
#SBATCH --output=shard-%a.log
#SBATCH --mem=${memoryMiB}M
#SBATCH --cpus-per-task=${cpus}
#SBATCH --time=${minutes}
${kvm ? '#SBATCH --constraint=kvm\n' : ''}set -u
export WHODUNIT_CACHE="\${WHODUNIT_CACHE:-$PWD/.lab/cache}"
${images === 0 ? '' : `if [ "\${1:-}" = images ]; then exec ${spellImageBake(job)}; fi\n`}export WHODUNIT_HOME="$PWD/${SHARDS_FOLDER}/$SLURM_ARRAY_TASK_ID"
status=0
${spellShardRun(job)} || status=$?
if [ "$status" = 3 ] && [ "\${SLURM_RESTART_COUNT:-0}" = 0 ]; then scontrol requeue "$SLURM_JOB_ID"; fi
if [ "$status" = 1 ]; then exit 0; fi
exit "$status"
`;
}
