import {
  wholeComponentSchema,
  type ComponentsOverlay,
  type Replaces,
} from '../../model/declared/own-project.ts';
import { checkCatalogue, type Component, type Components } from '../../model/components/components.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { COMPONENTS_FILE, SHIPPED } from '../../model/files/declarations.ts';
import { listZodProblems } from '../../model/files/zod-problems.ts';
import { PROJECT_FILE } from '../../model/host/project-folders.ts';

/**
 * Adds the components of a project to those of whodunit: new ones whole, and versions of those that whodunit has. Pure.
 *
 * @param problems gets what is wrong with it. The answer is then undefined.
 */
export function mergeComponents(
  base: Components,
  own: ComponentsOverlay,
  replaces: Replaces,
  problems: ConfigProblem[],
): Components | undefined {
  const known = problems.length;
  const components: Record<string, Component> = { ...base.components };
  for (const [name, added] of Object.entries(own.components)) {
    const beneath = replaces.components.includes(name) ? undefined : base.components[name];
    const merged =
      beneath === undefined ? readWhole(name, added, problems) : addVersions(name, beneath, added, problems);
    if (merged !== undefined) components[name] = merged;
  }
  replaces.components.forEach((name, index) => {
    const isKnown = Object.hasOwn(base.components, name) && Object.hasOwn(own.components, name);
    if (isKnown) return;
    const expected = `a component of ${SHIPPED}${COMPONENTS_FILE} and of ${COMPONENTS_FILE}`;
    problems.push(
      configProblem(PROJECT_FILE, `replaces.components.${index}`, expected, JSON.stringify(name)),
    );
  });
  if (problems.length > known) return undefined;
  const merged = { ...base, debian: own.debian ?? base.debian, components };
  problems.push(...checkCatalogue(merged).map((problem) => locate(problem, own)));
  return problems.length > known ? undefined : merged;
}

type Added = ComponentsOverlay['components'][string];

/** A component that only the project has. */
function readWhole(name: string, added: Added, problems: ConfigProblem[]): Component | undefined {
  const parsed = wholeComponentSchema.safeParse(added);
  if (parsed.success) return parsed.data;
  const found = listZodProblems(COMPONENTS_FILE, wholeComponentSchema, added, parsed.error);
  problems.push(
    ...found.map((problem) => ({
      ...problem,
      path: `components.${name}.${problem.path}`.replace(/\.$/, ''),
    })),
  );
  return undefined;
}

/** A component of whodunit with more versions. The default stays. */
function addVersions(
  name: string,
  beneath: Component,
  { versions, ...more }: Added,
  problems: ConfigProblem[],
): Component {
  for (const field of Object.keys(more).filter((key) => more[key as keyof typeof more] !== undefined)) {
    const expected = `only \`versions\`, because ${SHIPPED}${COMPONENTS_FILE} has ${name}; or \`replaces: { components: [${name}] }\` in ${PROJECT_FILE}`;
    problems.push(configProblem(COMPONENTS_FILE, `components.${name}.${field}`, expected, `\`${field}\``));
  }
  for (const short of Object.keys(versions).filter((key) => Object.hasOwn(beneath.versions, key)))
    problems.push(
      configProblem(
        COMPONENTS_FILE,
        `components.${name}.versions.${short}`,
        `a short name that ${SHIPPED}${COMPONENTS_FILE} does not have`,
        JSON.stringify(short),
      ),
    );
  return { ...beneath, versions: { ...beneath.versions, ...versions } };
}

/** A problem of the merged catalogue, in the file that has the component. */
function locate(problem: ConfigProblem, own: ComponentsOverlay): ConfigProblem {
  const isOwn = Object.entries(own.components).some(([name, { versions }]) =>
    Object.keys(versions).some((short) => problem.path === `components.${name}.versions.${short}`),
  );
  return isOwn ? problem : { ...problem, file: `${SHIPPED}${problem.file}` };
}
