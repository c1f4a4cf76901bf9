import { z } from 'zod';
import {
  bakeSchema,
  lockSchema,
  downSchema,
  errorSchema,
  exportSchema,
  explainSchema,
  gcSchema,
  helpSchema,
  initSchema,
  killersSchema,
  listSummarySchema,
  newSchema,
  runsSchema,
  scenariosSchema,
  statusSchema,
  upSchema,
  versionSchema,
  whySchema,
} from '../../model/saved/answers.ts';
import { componentsSchema } from '../../model/components/component-schema.ts';
import { upPlanSchema } from '../../model/saved/up-plan.ts';
import {
  cacheListSchema,
  cachePruneSchema,
  cachePullSchema,
  cachePushSchema,
  cacheWhySchema,
} from '../../model/saved/cache.ts';
import { bugSchema } from '../../model/declared/bug.ts';
import { caseSchema } from '../../model/saved/case.ts';
import { cellRecordSchema } from '../../model/evidence/cell-record.ts';
import { diffSchema } from '../../model/saved/diff.ts';
import { effectiveSchema } from '../../model/saved/effective.ts';
import { doctorSchema } from '../../model/saved/doctor.ts';
import { checkedSchema } from '../../model/saved/checked.ts';
import { listSchema, rejudgedSchema, runResultSchema } from '../../model/saved/formats.ts';
import { autopsySchema } from '../../model/saved/autopsy.ts';
import { baselineSchema, gatePlanSchema, gateSchema } from '../../model/saved/gate.ts';
import { mergedRecordSchema, mergeSchema } from '../../model/saved/merged.ts';
import { provePlanSchema, proveSchema } from '../../model/saved/prove.ts';
import { bisectSchema, differenceSchema } from '../../model/saved/search.ts';
import { shardPlanSchema } from '../../model/saved/shard-plan.ts';
import { shardRecordSchema } from '../../model/saved/shard-record.ts';
import { savedAutopsySchema } from '../../model/saved/saved-autopsy.ts';
import { historySchema, pastRunSchema } from '../../model/saved/history.ts';
import { leaseLineSchema } from '../../model/host/lease.ts';
import {
  componentsOverlaySchema,
  matrixOverlaySchema,
  ownProjectSchema,
} from '../../model/declared/own-project.ts';
import { matrixSchema } from '../../model/declared/matrix.ts';
import { originSchema } from '../../model/saved/origin.ts';
import { replaySchema, savedPlanSchema } from '../../model/saved/replay.ts';
import { bugsSchema, reproSchema } from '../../model/saved/repro.ts';
import { eventSchema } from '../../model/saved/run-event.ts';
import { scenarioSchema } from '../../model/declared/scenario.ts';
import { allowParameters } from './allow-parameters.ts';

interface Format {
  readonly schema: z.ZodType;
  readonly io: 'input' | 'output';
  /** What an editor is shown, where that differs from what is checked after parameters are filled in. */
  readonly asWritten?: (schema: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/**
 * Files that people write, and records that may lack later fields: defaults may be left out (`input`). What the lab
 * prints has its defaults (`output`).
 */
const SCHEMAS: Readonly<Record<string, Format>> = {
  'matrix.schema.json': { schema: matrixSchema, io: 'input' },
  'whodunit.schema.json': { schema: ownProjectSchema, io: 'input' },
  'own-matrix.schema.json': { schema: matrixOverlaySchema, io: 'input' },
  'own-components.schema.json': { schema: componentsOverlaySchema, io: 'input' },
  'scenario.schema.json': { schema: scenarioSchema, io: 'input', asWritten: allowParameters },
  'components.schema.json': { schema: componentsSchema, io: 'input' },
  'bug.schema.json': { schema: bugSchema, io: 'input' },
  'list.schema.json': { schema: listSchema, io: 'output' },
  'run-result.schema.json': { schema: runResultSchema, io: 'output' },
  'bugs.schema.json': { schema: bugsSchema, io: 'output' },
  'repro.schema.json': { schema: reproSchema, io: 'output' },
  'plan.schema.json': { schema: savedPlanSchema, io: 'output' },
  'shard-plan.schema.json': { schema: shardPlanSchema, io: 'output' },
  'shard.schema.json': { schema: shardRecordSchema, io: 'output' },
  'merged.schema.json': { schema: mergedRecordSchema, io: 'output' },
  'merge.schema.json': { schema: mergeSchema, io: 'output' },
  'gate.schema.json': { schema: gateSchema, io: 'output' },
  'gate-plan.schema.json': { schema: gatePlanSchema, io: 'output' },
  'baseline.schema.json': { schema: baselineSchema, io: 'output' },
  'prove.schema.json': { schema: proveSchema, io: 'output' },
  'prove-plan.schema.json': { schema: provePlanSchema, io: 'output' },
  'bisect.schema.json': { schema: bisectSchema, io: 'output' },
  'difference.schema.json': { schema: differenceSchema, io: 'output' },
  'origin.schema.json': { schema: originSchema, io: 'output' },
  'replay.schema.json': { schema: replaySchema, io: 'input' },
  'effective.schema.json': { schema: effectiveSchema, io: 'output' },
  'cell.schema.json': { schema: cellRecordSchema, io: 'input' },
  'event.schema.json': { schema: eventSchema, io: 'output' },
  'rejudged.schema.json': { schema: rejudgedSchema, io: 'output' },
  'checked.schema.json': { schema: checkedSchema, io: 'output' },
  'case.schema.json': { schema: caseSchema, io: 'output' },
  'autopsy.schema.json': { schema: autopsySchema, io: 'output' },
  'saved-autopsy.schema.json': { schema: savedAutopsySchema, io: 'output' },
  'doctor.schema.json': { schema: doctorSchema, io: 'output' },
  'cache-list.schema.json': { schema: cacheListSchema, io: 'output' },
  'cache-pull.schema.json': { schema: cachePullSchema, io: 'output' },
  'cache-push.schema.json': { schema: cachePushSchema, io: 'output' },
  'cache-why.schema.json': { schema: cacheWhySchema, io: 'output' },
  'cache-prune.schema.json': { schema: cachePruneSchema, io: 'output' },
  'history.schema.json': { schema: historySchema, io: 'output' },
  'history-line.schema.json': { schema: pastRunSchema, io: 'output' },
  'diff.schema.json': { schema: diffSchema, io: 'output' },
  'up.schema.json': { schema: upSchema, io: 'output' },
  'up-plan.schema.json': { schema: upPlanSchema, io: 'output' },
  'down.schema.json': { schema: downSchema, io: 'output' },
  'gc.schema.json': { schema: gcSchema, io: 'output' },
  'bake.schema.json': { schema: bakeSchema, io: 'output' },
  'lock.schema.json': { schema: lockSchema, io: 'output' },
  'why.schema.json': { schema: whySchema, io: 'output' },
  'status.schema.json': { schema: statusSchema, io: 'output' },
  'runs.schema.json': { schema: runsSchema, io: 'output' },
  'scenarios.schema.json': { schema: scenariosSchema, io: 'output' },
  'killers.schema.json': { schema: killersSchema, io: 'output' },
  'explain.schema.json': { schema: explainSchema, io: 'output' },
  'list-summary.schema.json': { schema: listSummarySchema, io: 'output' },
  'init.schema.json': { schema: initSchema, io: 'output' },
  'new.schema.json': { schema: newSchema, io: 'output' },
  'export.schema.json': { schema: exportSchema, io: 'output' },
  'version.schema.json': { schema: versionSchema, io: 'output' },
  'help.schema.json': { schema: helpSchema, io: 'output' },
  'error.schema.json': { schema: errorSchema, io: 'output' },
  'lease-line.schema.json': { schema: leaseLineSchema, io: 'output' },
};

function render(schema: z.ZodType, io: Format['io'], asWritten: Format['asWritten']): unknown {
  const made = z.toJSONSchema(schema, { io });
  return asWritten === undefined ? made : asWritten(made);
}

/** Renders the JSON Schema of every file and format: file name → text. */
export function renderSchemas(): Map<string, string> {
  return new Map(
    Object.entries(SCHEMAS).map(([name, { schema, io, asWritten }]) => [
      name,
      `${JSON.stringify(render(schema, io, asWritten), null, 2)}\n`,
    ]),
  );
}
