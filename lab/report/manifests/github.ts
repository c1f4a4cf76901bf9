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

/** GitHub runs at most so many jobs of one matrix. */
export const MAX_MATRIX = 256;

/** The state folder of the merge: its run is uploaded, with the report. */
const MERGED_FOLDER = 'merged';

/** Hosted runners have /dev/kvm, for root only until a rule says otherwise. */
const ALLOW_KVM = [
  `echo 'KERNEL=="kvm", GROUP="kvm", MODE="0666", OPTIONS+="static_node=kvm"' | sudo tee /etc/udev/rules.d/99-kvm.rules`,
  'sudo udevadm control --reload-rules && sudo udevadm trigger --name-match=kvm',
].join('\n');

const CHECKOUT = { uses: 'actions/checkout@v4' };
const NODE = { uses: 'actions/setup-node@v4', with: { 'node-version': 20 } };
const SETUP = [CHECKOUT, NODE, { run: 'npm ci --ignore-scripts' }];
const KEEP_MERGED = {
  uses: 'actions/upload-artifact@v4',
  if: 'always()',
  with: { name: 'merged', path: `${MERGED_FOLDER}/runs`, overwrite: true },
};

/** A workflow of GitHub Actions: a matrix with a job for each shard, and one that merges. */
export function renderGithub(job: ShardJob): string {
  const { plan } = job;
  const { minutes, kvm } = needsOfTask(job);
  const workflow = {
    name: 'whodunit',
    on: { workflow_dispatch: {} },
    permissions: { contents: 'read' },
    jobs: {
      shard: {
        'runs-on': 'ubuntu-latest',
        'timeout-minutes': minutes,
        strategy: {
          'fail-fast': false,
          matrix: { shard: plan.shards.map(({ shard }) => shard) },
        },
        env: {
          WHODUNIT_SHARD: '${{ matrix.shard }}',
          WHODUNIT_HOME: `${SHARDS_FOLDER}/\${{ matrix.shard }}`,
        },
        steps: [
          ...SETUP,
          ...(kvm ? [{ name: 'KVM for everybody', run: ALLOW_KVM }] : []),
          {
            name: 'shard',
            run: `${spellShardRun(job)} || { status=$?; [ $status -eq 1 ] || exit $status; }`,
          },
          {
            uses: 'actions/upload-artifact@v4',
            if: 'always()',
            with: {
              name: 'shard-${{ matrix.shard }}',
              path: `${SHARDS_FOLDER}/\${{ matrix.shard }}/runs`,
              overwrite: true,
            },
          },
        ],
      },
      merge: {
        'runs-on': 'ubuntu-latest',
        needs: 'shard',
        if: 'always()',
        env: { WHODUNIT_HOME: MERGED_FOLDER },
        steps: [
          ...SETUP,
          { uses: 'actions/download-artifact@v4', with: { pattern: 'shard-*', path: SHARDS_FOLDER } },
          { name: 'merge', run: spellMerge(job) },
          KEEP_MERGED,
        ],
      },
    },
  };
  const usage = [
    `.github/workflows/whodunit.yml. The plan is in the repository: ${job.file}`,
    '"Re-run failed jobs" runs only the shards again that did not come back.',
  ];
  return `${comment(usage)}#\n${comment(EXIT_CONTRACT)}${stringify(workflow, { lineWidth: 0 })}`;
}
