import type { ConfigFile } from '../../model/files/yaml-file.ts';
import { readOne } from '../../model/files/yaml-file.ts';
import { ConfigError, type ConfigProblem } from '../../model/errors/errors.ts';
import { parametersSchema } from '../../model/declared/parameters.ts';
import { scenarioSchema, type LoadedScenario } from '../../model/declared/scenario.ts';
import { nameOfBugFile } from '../check/check-bugs.ts';

/** A scenario or a bug with mistakes: it stops only what needs it. */
export interface Broken {
  readonly kind: 'scenario' | 'bug';
  /** The name of its folder, or of its file. */
  readonly name: string;
  readonly problems: readonly ConfigProblem[];
}

/** A broken bug, as far as its file can be read. */
interface BrokenBug extends Broken {
  readonly kind: 'bug';
  readonly links: readonly string[];
}

/** A broken scenario, with what is used in its place where words choose scenarios. */
interface BrokenScenario extends Broken {
  readonly kind: 'scenario';
  readonly standIn: LoadedScenario;
  /** Whether its tags and its parameters are those of its file. */
  readonly isReadable: boolean;
}

/** Everything of a project that is broken and that the rest of it can do without. */
export interface BrokenParts {
  readonly scenarios: readonly BrokenScenario[];
  readonly bugs: readonly BrokenBug[];
}

/** All of it, in one list. */
export function listBroken({ scenarios, bugs }: BrokenParts): Broken[] {
  return [...scenarios, ...bugs];
}

/** The error for whoever asked for something that is broken. A problem of two of them is named once. */
export function refuseBroken(broken: readonly Broken[]): ConfigError {
  const problems = new Set(broken.flatMap((part) => part.problems));
  return new ConfigError([...problems], {
    tryNext: 'docs/schemas/ of whodunit says what the files may contain',
  });
}

/** The scenario or the bug that a file is a part of; undefined for the files that everything needs. */
export function ownerOf(file: string): Pick<Broken, 'kind' | 'name'> | undefined {
  const [top, name] = file.split('/');
  if (top === 'scenarios' && name !== undefined) return { kind: 'scenario', name };
  if (top === 'bugs' && name !== undefined) return { kind: 'bug', name: nameOfBugFile(file) };
  return undefined;
}

/**
 * What is used in place of a broken scenario where words choose scenarios: its name, and its tags and parameters as far
 * as they can be read.
 */
export function standInFor(
  name: string,
  files: readonly ConfigFile[],
): Pick<BrokenScenario, 'standIn' | 'isReadable'> {
  const folder = `scenarios/${name}`;
  const given = fieldsOf(files.find(({ path }) => path === `${folder}/scenario.yaml`)) ?? {};
  const tags = scenarioSchema.shape.tags.safeParse(given.tags);
  const parameters = parametersSchema.safeParse(given.parameters);
  const scenario = {
    ...scenarioSchema.parse({
      formatVersion: 1,
      name: 'broken',
      title: 'broken',
      tags: tags.success ? tags.data : [],
      parameters: parameters.success ? parameters.data : {},
      victim: { selector: 'broken', container: 'broken' },
      expect: { killer: 'none' },
      makeItFail: 'repair it',
    }),
    name,
  };
  const texts = Object.entries(scenario.parameters).map(([key, { default: value }]) => [key, String(value)]);
  const standIn = {
    scenario,
    folder,
    parameters: Object.fromEntries(texts) as Record<string, string>,
    manifests: [],
    later: {},
    samplers: [],
    source: { folder, scenario, parameters: scenario.parameters, manifests: {}, later: {}, scripts: {} },
  };
  return { standIn, isReadable: 'name' in given && tags.success && parameters.success };
}

/** The links of a broken bug, as far as they can be read: whoever names one asks for this bug. */
export function linksOf(file: ConfigFile | undefined): string[] {
  const { links } = fieldsOf(file) ?? {};
  return Array.isArray(links) ? links.filter((link) => typeof link === 'string') : [];
}

/** The fields of a file, as far as it can be read. */
function fieldsOf(file: ConfigFile | undefined): Readonly<Record<string, unknown>> | undefined {
  const { value } = (file === undefined ? undefined : readOne(file, [])) ?? {};
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
