import { stringify } from 'yaml';
import { z } from 'zod';
import { ConfigError, type ConfigProblem } from '../errors/errors.ts';
import { parseOne, placeProblems } from '../files/yaml-file.ts';
import { FORMAT_VERSION } from '../files/format-version.ts';

/** Name of the lock, in the root of the project; written by `whodunit lock`. */
export const LOCK_FILE = 'components.lock.yaml';

const common = {
  component: z.string().min(1).describe('Its name in components.yaml.'),
  version: z.string().min(1).describe('Its exact version.'),
};

/** A digest of a downloaded file. */
export const downloadDigestSchema = z
  .string()
  .regex(/^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/, 'sha256:<64 digits> or sha512:<128 digits>');

const lockedReleaseSchema = z.strictObject({
  ...common,
  source: z.literal('release').describe('A download that its project publishes.'),
  url: z
    .string()
    .regex(/^https:\/\//, 'an https URL')
    .describe('The download.'),
  digest: downloadDigestSchema.describe(
    'Of the downloaded file, in the algorithm that its project publishes.',
  ),
});

const lockedModuleSchema = z.strictObject({
  ...common,
  source: z.literal('gomod').describe('Built from a Go module.'),
  module: z.string().min(1).describe('Module and version, as Go names them: k8s.io/kubernetes@v1.34.2.'),
  digest: z
    .string()
    .regex(/^h1:[A-Za-z0-9+/]{43}=$/, 'h1:<base64>, as in go.sum')
    .describe('Of the source, as the checksum database of Go has it.'),
  go: z
    .string()
    .regex(/^\d+\.\d+(\.\d+)?$/, 'a Go release')
    .describe('The Go release that builds it.'),
});

/** One entry of a lock. */
export const lockedSchema = z.discriminatedUnion('source', [lockedReleaseSchema, lockedModuleSchema]);

const lockFileSchema = z.strictObject({
  formatVersion: z.literal(FORMAT_VERSION),
  locked: z.array(lockedSchema),
});

/** A download, or the source of a Go module, that is known by its digest. */
export type Locked = z.infer<typeof lockedSchema>;
export type LockedRelease = z.infer<typeof lockedReleaseSchema>;
export type LockedModule = z.infer<typeof lockedModuleSchema>;

/** A locked thing with the file that says so. */
export type ComponentLock = ReadonlyMap<string, { readonly locked: Locked; readonly file: string }>;

/** What a digest is of: two lines of a lock with the same name speak of the same thing. */
export function nameLocked(
  locked: Omit<LockedRelease, 'digest'> | Omit<LockedModule, 'digest' | 'go'>,
): string {
  const { component, version, source } = locked;
  return [component, version, source, source === 'release' ? locked.url : locked.module].join(' ');
}

/** What has to be the same, as a person reads it. */
export function spellLocked(locked: Locked): string {
  return locked.source === 'release' ? locked.digest : `${locked.digest} built with Go ${locked.go}`;
}

/**
 * Reads the text of a lock.
 *
 * @throws ConfigError with every problem of the file.
 */
export function parseLock(text: string, path: string): Locked[] {
  const problems: ConfigProblem[] = [];
  const file = { path, text };
  const lock = parseOne(file, lockFileSchema, problems);
  if (lock === undefined) throw new ConfigError(placeProblems(problems, [file]), { what: path });
  return lock.locked;
}

/** Renders a lock: one order, so that it changes only where something was added. */
export function renderLock(locked: readonly Locked[], about: readonly string[]): string {
  const sorted = [...locked].sort((a, b) => (nameLocked(a) < nameLocked(b) ? -1 : 1));
  const head = about.map((line) => `# ${line}\n`).join('');
  return `${head}${stringify({ formatVersion: FORMAT_VERSION, locked: sorted }, { lineWidth: 0, singleQuote: true })}`;
}
