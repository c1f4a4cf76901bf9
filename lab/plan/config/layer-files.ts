import { ownProjectSchema, type Replaces } from '../../model/declared/own-project.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { SHIPPED } from '../../model/files/declarations.ts';
import { parseOne, type ConfigFile } from '../../model/files/yaml-file.ts';
import { PROJECT_FILE } from '../../model/host/project-folders.ts';
import { nearestName } from '../../model/text/nearest.ts';
import { nameOfBugFile } from '../check/check-bugs.ts';

/**
 * The files of a project, and of the catalogue beneath it, as one project: a scenario is in `scenarios/<name>/` and a
 * bug is `bugs/<id>.yaml`, in whichever folder of which of the two it really is.
 */
export interface LayeredFiles {
  /** Scenarios and bugs. A name that clashes has the files of the person's own. */
  readonly files: readonly ConfigFile[];
  /** Of the two layers, by their own names: the catalogue's begin with `whodunit/`, if there is a project over it. */
  readonly roots: readonly ConfigFile[];
  readonly replaces: Replaces;
  /** Names that clash, and mistakes of `whodunit.yaml`. */
  readonly problems: readonly ConfigProblem[];
  /** The path that a file really has. */
  readonly spell: (file: string) => string;
}

const NOTHING_REPLACED = ownProjectSchema.parse({ formatVersion: 1 }).replaces;

/** Puts the files of a project over those of the catalogue. Pure. */
export function layerFiles(all: readonly ConfigFile[]): LayeredFiles {
  const problems: ConfigProblem[] = [];
  const isOfFolder = ({ path }: ConfigFile): boolean => /^(scenarios|bugs)\//.test(path);
  const roots = all
    .filter((file) => !isOfFolder(file))
    .map((file) => (file.isShipped === true ? { ...file, path: `${SHIPPED}${file.path}` } : file));
  const settingsFile = roots.find(({ path }) => path === PROJECT_FILE);
  const settings =
    settingsFile === undefined ? undefined : parseOne(settingsFile, ownProjectSchema, problems);
  const replaces = settings?.replaces ?? NOTHING_REPLACED;
  const below = all.filter(isOfFolder);
  const shipped = placeFiles(below.filter(({ isShipped }) => isShipped === true));
  const own = placeFiles(below.filter(({ isShipped }) => isShipped !== true));
  const replaced = new Set([
    ...replaces.scenarios.map((name) => `scenarios/${name}`),
    ...replaces.bugs.map((name) => `bugs/${name}`),
  ]);
  for (const [key, { folder }] of own) {
    const beneath = shipped.get(key);
    if (beneath !== undefined && !replaced.has(key)) problems.push(clashOf(key, folder, beneath.folder));
  }
  if (settings !== undefined) problems.push(...checkReplaced(replaces, own, shipped));
  const kept = new Map([...shipped, ...own]);
  const spelled = new Map([...kept].map(([key, { folder }]) => [key, folder]));
  const twice = [...own.values(), ...shipped.values()].flatMap((placed) => placed.twice);
  return {
    files: [...kept.values()].flatMap(({ files }) => files),
    roots,
    replaces,
    problems: [...problems, ...twice],
    spell: (file) => spell(file, spelled),
  };
}

/** A scenario or a bug. */
interface Placed {
  /** Where it really is: the folder of a scenario, the file of a bug. */
  readonly folder: string;
  /** Its files, as if it was directly in `scenarios/` or `bugs/`. */
  readonly files: ConfigFile[];
  /** Another one of the same name. */
  readonly twice: ConfigProblem[];
}

/** Scenarios and bugs by `scenarios/<name>` and `bugs/<id>`. Folders of either may be in folders. */
function placeFiles(files: readonly ConfigFile[]): Map<string, Placed> {
  const scenarios = new Set(
    files.flatMap(({ path }) => /^(scenarios\/.+)\/scenario\.yaml$/.exec(path)?.[1] ?? []),
  );
  const groups = new Set([...scenarios].flatMap((folder) => listAbove(folder)));
  const placed = new Map<string, Placed>();
  for (const file of files) {
    const folder = file.path.startsWith('bugs/') ? file.path : findFolder(file.path, scenarios, groups);
    const key = keyOf(folder);
    const real = file.isShipped === true ? `${SHIPPED}${folder}` : folder;
    const known = placed.get(key) ?? { folder: real, files: [], twice: [] };
    placed.set(key, known);
    if (known.folder === real) {
      const path = file.path.startsWith('bugs/')
        ? `bugs/${file.path.slice(file.path.lastIndexOf('/') + 1)}`
        : `${key}${file.path.slice(folder.length)}`;
      known.files.push(path === file.path ? file : { ...file, path });
    } else if (known.twice.length === 0)
      known.twice.push(configProblem(declarationOf(key), '', 'a name that only one has', `${real} too`));
  }
  return placed;
}

/** The folders that a folder is in, below `scenarios/`. */
function listAbove(folder: string): string[] {
  const parts = folder.split('/');
  return parts.slice(2).map((_part, index) => parts.slice(0, index + 2).join('/'));
}

/** The folder of the scenario that a file is of: the first that is not only a folder of scenarios. */
function findFolder(path: string, scenarios: ReadonlySet<string>, groups: ReadonlySet<string>): string {
  const parts = path.split('/');
  let depth = 2;
  const at = (): string => parts.slice(0, depth).join('/');
  while (groups.has(at()) && !scenarios.has(at()) && depth < parts.length - 1) depth += 1;
  return at();
}

function keyOf(folder: string): string {
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  return folder.startsWith('bugs/') ? `bugs/${nameOfBugFile(name)}` : `scenarios/${name}`;
}

function declarationOf(key: string): string {
  return key.startsWith('bugs/') ? `${key}.yaml` : `${key}/scenario.yaml`;
}

function clashOf(key: string, own: string, beneath: string): ConfigProblem {
  const [kind = '', name = ''] = key.split('/');
  const expected = `another name, or \`replaces: { ${kind}: [${name}] }\` in ${PROJECT_FILE}`;
  return configProblem(declarationOf(key), '', expected, `${own} beside ${beneath}`);
}

/** What is to be replaced has to be there, and so has what it is replaced by. */
function checkReplaced(
  replaces: Replaces,
  own: ReadonlyMap<string, Placed>,
  shipped: ReadonlyMap<string, Placed>,
): ConfigProblem[] {
  return (['scenarios', 'bugs'] as const).flatMap((kind) =>
    replaces[kind].flatMap((name, index) => {
      const path = `replaces.${kind}.${index}`;
      const names = (of: ReadonlyMap<string, Placed>): string[] =>
        [...of.keys()].filter((key) => key.startsWith(`${kind}/`)).map((key) => key.slice(kind.length + 1));
      const lacking = [
        { of: names(shipped), what: `a name of ${SHIPPED}${kind}/` },
        { of: names(own), what: `a name of ${kind}/ of this project` },
      ].find(({ of }) => !of.includes(name));
      return lacking === undefined
        ? []
        : [
            configProblem(
              PROJECT_FILE,
              path,
              lacking.what,
              JSON.stringify(name),
              nearestName(name, lacking.of),
            ),
          ];
    }),
  );
}

/** The real path of a file of a scenario or a bug; other files have theirs. */
function spell(file: string, folders: ReadonlyMap<string, string>): string {
  const [top = '', name = '', ...rest] = file.split('/');
  const key = top === 'bugs' ? `bugs/${nameOfBugFile(name)}` : `${top}/${name}`;
  const folder = folders.get(key);
  if (folder === undefined) return file;
  return top === 'bugs' ? folder : [folder, ...rest].join('/');
}
