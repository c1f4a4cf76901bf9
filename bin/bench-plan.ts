/**
 * How well and how fast cells are divided among shards and put together again: `npm run bench plan`. The times of cells and worlds
 * are those of docs/measured/results.jsonl. Nothing is started.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext } from '../lab/commands/context/context.ts';
import { readPlatform } from '../lab/commands/setup/config.ts';
import { digestConfiguration } from '../lab/commands/sharding/configuration.ts';
import { findParts } from '../lab/commands/sharding/find-parts.ts';
import { makeShardPlan } from '../lab/commands/sharding/make-plan.ts';
import { mergeParts } from '../lab/commands/sharding/merge-parts.ts';
import { getShard, readShardPlan } from '../lab/commands/sharding/read-plan.ts';
import { readProjectFiles } from '../lab/drivers/project/project-files.ts';
import type { CellResult } from '../lab/model/saved/formats.ts';
import type { ShardPlan } from '../lab/model/saved/shard-plan.ts';
import { sum } from '../lab/model/text/sum.ts';
import { runPaths } from '../lab/model/host/paths.ts';
import { planCells } from '../lab/plan/cells/plan-cells.ts';
import { parseConfig } from '../lab/plan/config/parse-config.ts';
import { digestPlan, planShards } from '../lab/plan/shards/plan-shards.ts';
import { createEstimator } from '../lab/plan/worlds/estimate.ts';
import { enlargeConfig } from './bench-list.ts';
import { parseResultRows } from './docs/result-row.ts';
