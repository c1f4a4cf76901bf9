import { UsageError } from '../../model/errors/errors.ts';
import { namesOf } from '../../model/text/names-of.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { MAX_MATRIX, renderGithub } from './github.ts';
import { MAX_PARALLEL_JOBS, renderGitlab } from './gitlab.ts';
import { renderIndexedJob } from './indexed-job.ts';
import { renderParallel } from './parallel.ts';
import type { ShardJob } from './shard-job.ts';
import { renderSlurm } from './slurm.ts';

/** How an engine is told of a plan. */
interface ManifestRow {
  readonly render: (job: ShardJob) => string;
  /** The most tasks that it runs of one plan, where it says. */
  readonly most?: number;
}

/** The engines for which there is a manifest. */
const MANIFESTS = {
  slurm: { render: renderSlurm },
  'indexed-job': { render: renderIndexedJob },
  github: { render: renderGithub, most: MAX_MATRIX },
  gitlab: { render: renderGitlab, most: MAX_PARALLEL_JOBS },
  parallel: { render: renderParallel },
} as const satisfies Readonly<Record<string, ManifestRow>>;

/** The engines that `shard manifest --engine` takes. */
export const MANIFEST_ENGINES = namesOf(MANIFESTS);

/**
 * Renders the job file with which an engine runs the shards of a plan.
 *
 * @throws UsageError for an engine without a manifest, or one that cannot run so many tasks.
 */
export function renderManifest(engine: string | undefined, job: ShardJob): string {
  const name = MANIFEST_ENGINES.find((known) => known === engine);
  if (name === undefined)
    throw new UsageError(
      engine === undefined
        ? 'a manifest is for an engine: --engine is missing'
        : `there is no manifest for "${engine}"${formatHint(engine, MANIFEST_ENGINES)}`,
      {
        tryNext: `--engine ${MANIFEST_ENGINES.join(', ')}; any other engine can run \`whodunit run --plan … --shard <index>\``,
      },
    );
  const row: ManifestRow = MANIFESTS[name];
  const { length } = job.plan.shards;
  if (row.most !== undefined && length > row.most)
    throw new UsageError(
      `the plan has ${length} shards, and ${name} runs at most ${row.most} tasks of one kind`,
      {
        tryNext: `plan again with --shards ${row.most}`,
      },
    );
  return row.render(job);
}
