import { pathExists, writeJsonAtomic } from '../../drivers/files.ts';
import { variantName } from '../../model/axes.ts';
import type { ComponentRef, Components } from '../../model/components.ts';
import { FORMAT_VERSION } from '../../model/format-version.ts';
import type { Host } from '../../model/host.ts';
import type { Matrix } from '../../model/matrix.ts';
import type { Origin, UsedComponent } from '../../model/origin.ts';
import { runPaths } from '../../model/paths.ts';
import { digestScenario } from '../../plan/digest-scenario.ts';
import type { PlannedCell } from '../../plan/plan-cells.ts';
import { lookUpComponent } from '../../../provision/components/components.ts';
import { planWorld } from '../build/recipe.ts';
import { findWorldRecord } from '../world-record.ts';

/** What is needed to look components up. */
export interface OriginSource {
  readonly host: Pick<Host, 'projectDir' | 'cacheDir' | 'stateDir'>;
  readonly matrix: Matrix;
  readonly catalogue: Components;
}

type LookUp = (ref: ComponentRef) => Promise<UsedComponent>;

/** Looks each component up once: the cells of a run share most of them. */
export function rememberLookUps({ host, catalogue }: OriginSource): LookUp {
  const known = new Map<string, Promise<UsedComponent>>();
  const look = async (ref: ComponentRef): Promise<UsedComponent> => {
    const { version, artifact } = await lookUpComponent(host, catalogue, ref);
    return { name: ref.name, version, ...(artifact === undefined ? {} : { digest: artifact.digest }) };
  };
  return (ref) => {
    const key = `${ref.name} ${ref.version ?? ''}`;
    const found = known.get(key) ?? look(ref);
    known.set(key, found);
    return found;
  };
}

/** Saves what each cell was made of as `origin.json` in its folder, if anything was saved of it. */
export async function saveOrigins(
  source: OriginSource,
  runDir: string,
  cells: readonly PlannedCell[],
): Promise<void> {
  const lookUp = rememberLookUps(source);
  for (const cell of cells) {
    const paths = runPaths(runDir).cell(cell.address);
    if (pathExists(paths.dir)) writeJsonAtomic(paths.origin, await describeOrigin(source, cell, lookUp));
  }
}

/** Says what a cell is made of now: its scenario, its world as it is saved, and the components in the cache. */
export async function describeOrigin(
  source: OriginSource,
  { scenario: loaded, variant }: Pick<PlannedCell, 'scenario' | 'variant'>,
  lookUp: LookUp = rememberLookUps(source),
): Promise<Origin> {
  const name = variantName(variant);
  const record = findWorldRecord(source.host.stateDir, name);
  return {
    formatVersion: FORMAT_VERSION,
    scenario: { name: loaded.scenario.name, digest: digestScenario(loaded.source) },
    ...(record === undefined ? {} : { world: { name, key: record.key, image: record.image.digest } }),
    components: await listUsed(source, { scenario: loaded, variant }, lookUp),
  };
}

async function listUsed(
  { host, matrix, catalogue }: OriginSource,
  { scenario: { scenario }, variant }: Pick<PlannedCell, 'scenario' | 'variant'>,
  lookUp: LookUp,
): Promise<UsedComponent[]> {
  const recipe = planWorld(variant, { matrix, catalogue, projectDir: host.projectDir });
  const wanted = [
    ...recipe.components,
    ...scenario.images.flatMap(({ component, version, also }) =>
      [{ component, version }, ...also].map((each) => ({ name: each.component, version: each.version })),
    ),
    ...(scenario.registry === undefined ? [] : [{ name: 'registry' }]),
  ];
  const used: UsedComponent[] = [];
  for (const ref of wanted) used.push(await lookUp(ref));
  return used;
}
