import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { RunResult } from '../../model/saved/formats.ts';
import type { ShardPlan } from '../../model/saved/shard-plan.ts';
import type { ShardRecord } from '../../model/saved/shard-record.ts';
import type { RunHead } from '../running/record-run.ts';

/** Digits of the plan in the id of a merged run. */
const PLAN_DIGITS = 8;

/**
 * Returns the head of a merged run. Its id is made from its plan and its first part, so that merging again replaces the run.
 *
 * @throws UsageError when there is no part.
 */
export function headOfMerge(plan: ShardPlan, records: readonly ShardRecord[]): RunHead {
  const [first] = records.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  if (first === undefined)
    throw new UsageError('no run of this plan was found', {
      tryNext: 'name the folders of the runs that its shards have saved',
    });
  const stamp = first.startedAt.replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return {
    formatVersion: FORMAT_VERSION,
    run: `${stamp}-merged-${plan.plan.slice(0, PLAN_DIGITS)}`,
    startedAt: first.startedAt,
    host: commonHost(records),
    accelerator: records.every(({ accelerator }) => accelerator === 'kvm') ? 'kvm' : 'tcg',
    plan: plan.plan,
    parts: [...records],
  };
}

/** Returns the facts that the hosts of all parts have in common; `parts` has the others. */
function commonHost(records: readonly ShardRecord[]): RunResult['host'] {
  const [first, ...others] = records;
  const fields = Object.entries(first?.host ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    fields.filter(([name, value]) => others.every(({ host }) => host[name] === value)),
  );
}
