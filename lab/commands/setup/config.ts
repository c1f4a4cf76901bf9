import { join } from 'node:path';
import { getText, listFolder } from '../../drivers/files/files.ts';
import { readTotalMemoryMiB } from '../../drivers/host/memory.ts';
import { readDeclarations } from '../../drivers/project/project-files.ts';
import { keepIndexed, stampProject } from '../../drivers/project/project-index.ts';
import {
  DEFINITIONS_FILE,
  FEATURE_GATES_FILE,
  type Definitions,
  type FeatureGates,
} from '../../model/components/kubernetes-definitions.ts';
import { ConfigError, describeProblem, UsageError, type ConfigProblem } from '../../model/errors/errors.ts';
import { cachePaths } from '../../model/host/paths.ts';
import { workDir, type ProjectFolders } from '../../model/host/project-folders.ts';
import type { Platform } from '../../plan/check/check-config.ts';
import { checkPlan } from '../../plan/check/check-plan.ts';
import { createApis, type FindApi } from '../../plan/check/kubernetes-api.ts';
import { listBroken } from '../../plan/config/broken.ts';
import { parseConfig, parseUsable, placeInProject, type Config } from '../../plan/config/parse-config.ts';
import { planCells, type Plan, type PlanOptions } from '../../plan/cells/plan-cells.ts';
import { STOP_SIGNAL_IMAGE, WORKLOADS_IMAGE } from '../../../provision/image/container-images.ts';
import { readNotHad } from '../../../provision/components/unavailable.ts';
import { readWorldRecords } from '../../world/world-record.ts';
import { readPastTimings } from './past-timings.ts';
import { checkBuilds } from './check-builds.ts';
import { CONFIG_INDEX, findIndexedConfig } from './indexed-config.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';

/**
 * Reads and checks what the project declares: matrix, components, scenarios and bugs. A scenario or a bug that is broken is
 * left out, and its first problem is noted.
 *
 * @throws ConfigError with every problem when one is in a file that everything needs.
 */
export function loadConfig({ progress, ...folders }: ProjectFolders & Partial<Context>): Config {
  const config = loadQuietly(folders);
  if (progress !== undefined) noteBroken({ progress }, config);
  return config;
}

/** Like loadConfig, but without the notes: for a verb whose words may choose what is broken. */
export function loadQuietly(folders: ProjectFolders): Config {
  const stamp = stampProject(folders);
  const indexed = findIndexedConfig(folders, stamp);
  if (indexed !== undefined) return indexed;
  const config = parseUsable(readDeclarations(folders), readPlatform(folders.projectDir));
  keepIndexed(CONFIG_INDEX, stamp, config);
  return config;
}

/** Notes every scenario and bug that is broken and left out. */
export function noteBroken({ progress }: Pick<Context, 'progress'>, config: Config): void {
  for (const { kind, name, problems } of listBroken(config.broken))
    progress.note(`${kind} ${name} is broken and left out: ${describeFirst(problems)}`);
}

/**
 * Reads and checks what the project declares.
 *
 * @throws ConfigError with every problem of every file.
 */
export function loadWholeConfig(folders: ProjectFolders): Config {
  return parseConfig(readDeclarations(folders), readPlatform(folders.projectDir));
}

/** Returns the first problem in one line, and how many more there are. */
function describeFirst([first, ...others]: readonly ConfigProblem[]): string {
  if (first === undefined) return '';
  const place = [first.file, first.line, first.column].filter((part) => part !== undefined).join(':');
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return `${place}: ${describeProblem(first)}${more}`;
}

/** Returns what every project has: the images on nodes, and the APIs of the Kubernetes releases. */
export function readPlatform(projectDir: string): Platform {
  return {
    nodeImages: [WORKLOADS_IMAGE, STOP_SIGNAL_IMAGE],
    findApi: (release) => {
      let findApi = apis.get(projectDir);
      if (findApi === undefined) {
        const read = (file: string): unknown => JSON.parse(getText(join(projectDir, file)));
        findApi = createApis(read(DEFINITIONS_FILE) as Definitions, read(FEATURE_GATES_FILE) as FeatureGates);
        apis.set(projectDir, findApi);
      }
      return findApi(release);
    },
  };
}

/** The APIs by project folder. They are read once, because that takes longer than all checks. */
const apis = new Map<string, FindApi>();

/**
 * Loads the configuration and plans what the words select, with estimates from past runs, the worlds that are saved
 * here and the memory of this host.
 *
 * @param flags `--pairwise`, `--sample` and `--seed` of the command line.
 * @throws ConfigError, UsageError
 */
export function loadPlan(
  context: Context,
  words: readonly string[],
  flags: Flags = {},
  request: PlanRequest = {},
): { config: Config; plan: Plan } {
  const config = loadQuietly(context);
  return { config, plan: planWords(context, config, words, flags, request) };
}

/** Plans cells. If the words are wrong, it also names what is broken, because they may have meant that. */
function planOrNote(
  context: Pick<Context, 'progress'>,
  config: Config,
  words: readonly string[],
  options: PlanOptions,
): Plan {
  try {
    return planCells(config, words, options);
  } catch (error) {
    if (error instanceof UsageError) noteBroken(context, config);
    throw error;
  }
}

/** What a verb asks of a plan, in addition to words and flags. */
type PlanRequest = Pick<PlanOptions, 'asked' | 'areAddresses'>;

/** Reads --pairwise, --sample, --sample-worlds and --seed. With --sample the seed decides the draw, without it the order. */
export function readChoice({
  pairwise,
  sample,
  sampleWorlds,
  seed,
}: Flags): Pick<PlanOptions, 'pairwise' | 'sample' | 'seed'> {
  return {
    pairwise: pairwise === true,
    ...(sample === undefined || seed === undefined
      ? {}
      : { sample: { size: sample, seed, ...(sampleWorlds === undefined ? {} : { worlds: sampleWorlds }) } }),
    ...(sample !== undefined || seed === undefined ? {} : { seed }),
  };
}

/** Like loadPlan, with a configuration that was loaded already. */
export function planWords(
  context: Context,
  config: Config,
  words: readonly string[],
  flags: Flags,
  request: PlanRequest = {},
): Plan {
  const local: PlanOptions = {
    ...request,
    typed: context.typed ?? [],
    timings: readPastTimings(context),
    savedWorlds: listSavedWorlds(context.stateDir),
    made: listMade(context.cacheDir),
    notHad: readNotHad(context.stateDir),
    host: { memoryMiB: readTotalMemoryMiB() },
    cold: flags.cold === true,
    ...readChoice(flags),
  };
  return planChecked(context, config, words, local);
}

/**
 * Plans cells by these options only (not by the state of this host), and checks them against the APIs of their releases.
 *
 * @throws ConfigError, UsageError
 */
export function planChecked(
  context: Pick<Context, 'projectDir' | 'progress'>,
  config: Config,
  words: readonly string[],
  options: PlanOptions,
): Plan {
  const plan = planOrNote(context, config, words, options);
  noteBroken(context, config);
  const { findApi } = readPlatform(context.projectDir);
  refuseProblems(context, checkPlan(config.matrix, plan.cells, findApi));
  const variants = plan.worlds.map(({ variant }) => variant);
  const scenarios = [...new Set(plan.cells.map(({ loaded }) => loaded))];
  checkBuilds(workDir(context), config, { variants, scenarios, typed: options.typed ?? words });
  return plan;
}

/**
 * Refuses problems that only show for certain releases of Kubernetes.
 *
 * @throws ConfigError with all problems, if there are any.
 */
export function refuseProblems(folders: ProjectFolders, problems: readonly ConfigProblem[]): void {
  if (problems.length === 0) return;
  throw new ConfigError(placeInProject(readDeclarations(folders), problems), {
    tryNext:
      'repair it, or say in `requires` of the scenario (`since` of the knobs) which releases it is for',
  });
}

/** Lists the programs in the cache without their digests: `kubernetes-1.34.2` for `kubernetes-1.34.2-f638faedc8fd`. */
function listMade(cacheDir: string): Set<string> {
  const names = listFolder(cachePaths(cacheDir).components);
  return new Set(names.map((name) => name.replace(/-[0-9a-f]{12}$/, '')));
}

/** Lists the worlds that have a snapshot. Whether a snapshot still fits is checked when its world is needed. */
function listSavedWorlds(stateDir: string): Set<string> {
  const ready = readWorldRecords(stateDir).filter(({ record }) => record?.state === 'ready');
  return new Set(ready.map(({ name }) => name));
}
