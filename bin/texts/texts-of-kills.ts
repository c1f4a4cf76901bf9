import { z } from 'zod';
import { runtime } from '../../lab/model/axes/runtime.ts';
import { compareVersions } from '../../lab/model/components/components.ts';
import type { Components } from '../../lab/model/components/component-schema.ts';
import type { Matrix } from '../../lab/model/declared/matrix.ts';

/** Where the table is, below the project's folder. */
export const TEXTS_FILE = 'docs/texts-of-kills.yaml';

const release = z.string().regex(/^\d+(\.\d+)*$/);
const bounds = { since: release.optional(), until: release.optional() };
const textSchema = z.strictObject({
  text: z.string().min(4),
  in: z.union([z.string(), z.array(z.string()).min(1)]),
  reader: z.string(),
  ...bounds,
});
const programSchema = z.strictObject({
  modules: z.array(z.strictObject({ path: z.string(), ...bounds })).optional(),
  releases: z.array(release).default([]),
  captured: z.array(release).default([]),
  texts: z.array(textSchema).min(1),
});

/** Schema of `docs/texts-of-kills.yaml`, which says what each field means. */
export const textsSchema = z.strictObject({ programs: z.record(z.string(), programSchema) });

/** One program, its releases and its texts. */
export type ProgramTexts = z.infer<typeof programSchema>;

interface Bounds {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Whether a release is within bounds; both ends are inside, `until: '1.7'` has every 1.7.x. */
export function isInBounds(version: string, { since, until }: Bounds): boolean {
  if (since !== undefined && compareVersions(version, since) < 0) return false;
  return until === undefined || compareVersions(version, until) <= 0 || version.startsWith(`${until}.`);
}

/** The Go module that has the source of a release; undefined when the program has none. */
export function moduleOf(program: ProgramTexts, version: string): string | undefined {
  return program.modules?.find((module) => isInBounds(version, module))?.path;
}

/**
 * The texts that a release should have and has not, each with where it was looked for.
 *
 * @param readSource all Go or C code of a folder or file of the source, or undefined when it is not there.
 */
export function findMissingTexts(
  program: ProgramTexts,
  version: string,
  readSource: (path: string) => string | undefined,
): string[] {
  return program.texts
    .filter((text) => isInBounds(version, text))
    .filter(({ text, in: places }) => ![places].flat().some((path) => readSource(path)?.includes(text)))
    .map(
      ({ text, in: places, reader }) =>
        `"${text}" is not in ${[places].flat().join(' or ')} (${reader} looks for it)`,
    );
}

/** A release that the catalogue knows: `kubernetes 1.37`. */
export interface KnownRelease {
  readonly program: string;
  readonly version: string;
}

/** Every release whose texts the lab has to know: those that components.yaml and matrix.yaml name, and what suites ship. */
export function listKnownReleases(components: Components, matrix: Matrix): KnownRelease[] {
  const named = (program: string, versions: readonly string[]): KnownRelease[] =>
    versions.filter((version) => /^\d/.test(version)).map((version) => ({ program, version }));
  const suites = Object.values(matrix.suites);
  const runcs = matrix.axes.runtime.values.flatMap((value) => {
    const parsed = runtime.parse(value);
    return parsed.name === 'runc' ? [parsed.version] : [];
  });
  return [
    ...named('kubernetes', [
      ...Object.values(components.components['kubernetes']?.versions ?? {}),
      ...matrix.axes.kubernetes.values,
    ]),
    ...named('containerd', [...matrix.axes.containerd.values, ...suites.map((suite) => suite.containerd)]),
    ...named('runc', [...runcs, ...suites.map((suite) => suite.runc)]),
    ...named(
      'linux',
      suites.map((suite) => suite.kernel),
    ),
    ...named(
      'systemd',
      suites.map((suite) => suite.systemd),
    ),
  ];
}

/** The known releases for which no release with the same minor version was read or captured. */
export function findUnreadReleases(
  programs: Readonly<Record<string, ProgramTexts>>,
  known: readonly KnownRelease[],
): KnownRelease[] {
  return known.filter(({ program, version }) => {
    const { releases, captured } = programs[program] ?? { releases: [], captured: [] };
    return ![...releases, ...captured].some((read) => minorOf(read) === minorOf(version));
  });
}

function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
