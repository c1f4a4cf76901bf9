import type { ShardPlan } from '../../model/saved/shard-plan.ts';
import { largest } from '../../model/text/extremes.ts';
import { shellWord } from '../../model/text/shell.ts';

/** A plan that an engine is to run, and how its files are named there. */
export interface ShardJob {
  readonly plan: ShardPlan;
  /** The plan file, as it is named where the shards run. */
  readonly file: string;
  /** Of a plan that judges: the folder of its evidence. */
  readonly evidence?: string | undefined;
  /** As it was typed: `failed,1%`. */
  readonly keepEvidence?: string | undefined;
}

/** The folder in which each shard has its state folder, named after its index. */
export const SHARDS_FOLDER = 'shards';

/** What QEMU and the lab take beside the memory of a world, MiB: QEMU under emulation 768, the lab itself 512. */
const OVERHEAD_MIB = 1280;
/** What a shard that judges takes, MiB. */
const JUDGE_MIB = 1024;
/** A shard may take so many times its estimate before an engine ends it, and some minutes. */
const PATIENCE = { times: 2, minutes: 15 } as const;

/** The line that runs the shard of a task. */
export function spellShardRun({ file, evidence, keepEvidence }: ShardJob): string {
  return [
    'npx whodunit run',
    '--plan',
    shellWord(file),
    '--shard auto',
    ...more({ evidence, keepEvidence }),
  ].join(' ');
}

/** The line that makes the image of a task in the first phase. */
export function spellImageBake({ file }: ShardJob): string {
  return `npx whodunit shard bake --plan ${shellWord(file)} --shard auto`;
}

/** The line that puts the results together. */
export function spellMerge({ file, keepEvidence }: ShardJob, folder: string = SHARDS_FOLDER): string {
  return ['npx whodunit merge', shellWord(folder), '--plan', shellWord(file), ...more({ keepEvidence })].join(
    ' ',
  );
}

function more({ evidence, keepEvidence }: Pick<ShardJob, 'evidence' | 'keepEvidence'>): string[] {
  return [
    ...(evidence === undefined ? [] : [`--evidence ${shellWord(evidence)}`]),
    ...(keepEvidence === undefined ? [] : [`--keep-evidence ${shellWord(keepEvidence)}`]),
  ];
}

/** What each task needs. */
export function needsOfTask({ plan }: ShardJob): {
  readonly memoryMiB: number;
  readonly cpus: number;
  readonly minutes: number;
  readonly kvm: boolean;
} {
  const { memoryMiB, longestSeconds } = plan.totals;
  return {
    memoryMiB: plan.work === 'judge' ? JUDGE_MIB : memoryMiB + OVERHEAD_MIB,
    cpus: Math.max(
      1,
      largest(
        plan.shards.map(({ cpus }) => cpus),
        1,
      ),
    ),
    minutes: Math.ceil((longestSeconds * PATIENCE.times) / 60) + PATIENCE.minutes,
    kvm: plan.host.kvm === true,
  };
}

/** The contract of exit codes, as a comment of a shell or of YAML. */
export const EXIT_CONTRACT = [
  'Exit codes of a shard: 0 all cells passed; 1 a cell failed, which is a result and is never run again;',
  '2 the plan is not for this host; 3 try again. Only the merge says what the whole came to.',
] as const;

/** Lines as comments. */
export function comment(lines: readonly string[]): string {
  return lines.map((line) => `# ${line}\n`).join('');
}
