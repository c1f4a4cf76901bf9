import { resolve } from 'node:path';
import { writeTextAtomic } from '../../drivers/files/files.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { renderShardPlan } from '../../report/terminal/render-shard-plan.ts';
import type { RunVerb } from '../context/context.ts';
import { spellLine } from '../context/spell-line.ts';
import { spellPath } from '../context/spell-path.ts';
import { makeShardPlan } from '../sharding/make-plan.ts';
import { planEvidence } from '../sharding/saved-evidence.ts';

/** `whodunit plan [selector…]`: divides cells into shards for several hosts; starts nothing. */
export const runPlanFile: RunVerb = async (context, words, flags) => {
  if (flags.evidence !== undefined && words.length > 0)
    throw new UsageError('saved evidence is planned as a whole, so --evidence takes no selectors', {
      tryNext: 'npx whodunit plan --evidence <folder> --shards 8',
    });
  const plan =
    flags.evidence === undefined
      ? makeShardPlan(context, words, flags)
      : planEvidence(context, flags.evidence, flags);
  const file = flags.out;
  // One line: a plan of a hundred thousand cells has some 30 MB without any indentation.
  if (file !== undefined) writeTextAtomic(resolve(file), `${JSON.stringify(plan)}\n`);
  return {
    status: 'passed',
    json: plan,
    text: () =>
      renderShardPlan(plan, {
        command: spellLine('plan', words, { ...flags, out: 'plan.json' }),
        ...(file === undefined ? {} : { file: spellPath(file) }),
        ...(flags.evidence === undefined ? {} : { evidence: flags.evidence }),
      }),
  };
};
