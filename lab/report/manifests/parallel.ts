import {
  comment,
  EXIT_CONTRACT,
  SHARDS_FOLDER,
  spellMerge,
  spellShardRun,
  type ShardJob,
} from './shard-job.ts';

/** A script for GNU parallel: shards of this host, or of some that ssh reaches. */
export function renderParallel(job: ShardJob): string {
  const usage = [
    'sh shards.sh                        the shards one after the other, on this host',
    'sh shards.sh -S host-1,host-2       on these hosts; this folder is the same one there',
    'sh shards.sh --resume-failed        again those that did not come back',
  ];
  return `#!/bin/sh
${comment(usage)}#
${comment(EXIT_CONTRACT)}set -eu
seq 1 ${job.plan.shards.length} | parallel --joblog shards.log --jobs 1 --workdir "$PWD" "$@" '
  export WHODUNIT_SHARD={} WHODUNIT_HOME="$PWD/${SHARDS_FOLDER}/{}"
  ${spellShardRun(job)} || { status=$?; [ $status -eq 1 ] || exit $status; }
' || true
${spellMerge(job)}
`;
}
