import type { ProjectFolders } from '../../model/host/project-folders.ts';
import { writeJsonAtomic } from '../../drivers/files/files.ts';
import { variantName } from '../../model/axes/axes.ts';
import type { Artifact, ComponentRef, Components } from '../../model/components/components.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { Host } from '../../model/host/host.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import type { Origin, UsedComponent } from '../../model/saved/origin.ts';
import { runPaths } from '../../model/host/paths.ts';
import { digestScenario } from '../../plan/parameters/digest-scenario.ts';
import type { PlannedCell } from '../../plan/cells/plan-cells.ts';
import { lookUpComponent } from '../../../provision/components/components.ts';
import { planWorld } from '../recipe/recipe.ts';
import { findWorldRecord } from '../world-record.ts';

/** What is needed to look components up. */
export interface OriginSource {
  readonly host: Pick<Host, 'projectDir' | 'ownDir' | 'cacheDir' | 'stateDir'>;
  readonly matrix: Matrix;
  readonly catalogue: Components;
}

/** A cell, as far as it says what it is made of. */
export type OriginCell = Pick<PlannedCell, 'loaded' | 'variant'>;

/** A component as it is asked for, with its artifact when that is in the cache. */
interface LookedUp {
  readonly name: string;
  readonly version: string;
  readonly artifact?: Artifact;
}

/** Looks one component up in the cache. */
export type LookUp = (ref: ComponentRef) => Promise<LookedUp>;

/** Looks each component up once: the cells of a run share most of them. */
export function rememberLookUps({ host, catalogue }: OriginSource): LookUp {
  const known = new Map<string, Promise<LookedUp>>();
  const look = async (ref: ComponentRef): Promise<LookedUp> => ({
    ...(await lookUpComponent(host, catalogue, ref)),
    name: ref.name,
  });
  return (ref) => {
    const key = `${ref.name} ${ref.version ?? ''}`;
    const found = known.get(key) ?? look(ref);
    known.set(key, found);
    return found;
  };
}

/** The run of a cell, as far as it says what the cell is made of. */
interface OriginRun {
  readonly dir: string;
  readonly lookUp: LookUp;
  /** Name of the world in the state folder, where that is not the name of the variant. */
  readonly apart?: string;
}

/** Saves what a cell was made of as `origin.json` in its folder: while its world is the one that it ran in. */
export async function saveOrigin(source: OriginSource, run: OriginRun, cell: PlannedCell): Promise<void> {
  writeJsonAtomic(runPaths(run.dir).cell(cell.address).origin, await describeOrigin(source, cell, run));
}

/** Says what a cell is made of: its scenario, its world as it is saved, and the components in the cache. */
async function describeOrigin(
  source: OriginSource,
  cell: OriginCell,
  { lookUp, apart }: OriginRun,
): Promise<Origin> {
  const name = variantName(cell.variant);
  const record = findWorldRecord(source.host.stateDir, apart ?? name);
  return {
    ...(await describeContents(source, cell, lookUp)),
    ...(record === undefined ? {} : { world: { name, key: record.key, image: record.image.digest } }),
  };
}

/** Says what a cell is made of, but for its world. */
export async function describeContents(
  source: OriginSource,
  cell: OriginCell,
  lookUp: LookUp,
): Promise<Omit<Origin, 'world'>> {
  const { scenario, source: text } = cell.loaded;
  return {
    formatVersion: FORMAT_VERSION,
    scenario: { name: scenario.name, digest: digestScenario(text) },
    components: await listUsed(source, cell, lookUp),
  };
}

async function listUsed(source: OriginSource, cell: OriginCell, lookUp: LookUp): Promise<UsedComponent[]> {
  const used: UsedComponent[] = [];
  for (const ref of listComponentsOfCell(source, cell)) {
    const { name, version, artifact } = await lookUp(ref);
    used.push({ name, version, ...(artifact === undefined ? {} : { digest: artifact.digest }) });
  }
  return used;
}

/** What says which components cells need; nothing of them is looked up. */
type ComponentSource = Pick<OriginSource, 'matrix' | 'catalogue'> & {
  readonly host: ProjectFolders;
};

/** The components that cells need. */
export function listComponentsOfCells(source: ComponentSource, cells: readonly OriginCell[]): ComponentRef[] {
  return cells.flatMap((cell) => listComponentsOfCell(source, cell));
}

/** The components of its world, then those of its scenario. */
function listComponentsOfCell(
  { host: { projectDir, ownDir }, matrix, catalogue }: ComponentSource,
  { loaded: { scenario }, variant }: OriginCell,
): ComponentRef[] {
  return [
    ...planWorld(variant, { matrix, catalogue, projectDir, ownDir }).components,
    ...scenario.images.flatMap(({ component, version, also }) =>
      [{ component, version }, ...also].map((part) => ({ name: part.component, version: part.version })),
    ),
    ...(scenario.registry === undefined ? [] : [{ name: 'registry' }]),
  ];
}
