import { ensureFolder, findText, pathExists, writeTextAtomic } from '../../drivers/files/files.ts';
import { dirname } from 'node:path';
import type { LoadedScenario, ScenarioSource } from '../../model/declared/scenario.ts';
import { tryParseJson } from '../../model/files/parse-json.ts';
import { statePaths } from '../../model/host/paths.ts';
import { digestScenario } from '../../plan/parameters/digest-scenario.ts';
import type { Context } from '../context/context.ts';

/** Keeps the sources of scenarios by their digests, so that a later run can use the scenario of an earlier one. */
export function keepScenarios(
  { stateDir }: Pick<Context, 'stateDir'>,
  loaded: readonly Pick<LoadedScenario, 'source'>[],
): void {
  for (const source of new Set(loaded.map((scenario) => scenario.source))) {
    const path = statePaths(stateDir).scenario(digestScenario(source));
    if (pathExists(path)) continue;
    ensureFolder(dirname(path));
    writeTextAtomic(path, JSON.stringify(source));
  }
}

/** Returns the source of the scenario with a digest; undefined when it was not kept, or was changed since. */
export function findKeptScenario(
  { stateDir }: Pick<Context, 'stateDir'>,
  digest: string,
): ScenarioSource | undefined {
  if (!/^[0-9a-f]{64}$/.test(digest)) return undefined;
  const source = tryParseJson(findText(statePaths(stateDir).scenario(digest)) ?? '') as
    ScenarioSource | undefined;
  // A source with the same digest is the same source, whoever wrote the file.
  if (typeof source !== 'object' || source === null) return undefined;
  return digestScenario(source) === digest ? source : undefined;
}
