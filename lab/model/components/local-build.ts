/**
 * Versions that are builds on this host instead of releases. `file:<path>` is programs that were built already,
 * `git:<folder>` a checkout that the lab builds: as it is in the folder, or `git:<folder>#<ref>` as it was committed.
 * `<release>@file:<path>` and `<release>@git:<folder>` replace a program of a release. A path is absolute, or relative to
 * the project's folder.
 */

/** What a local build is made from: programs, or a checkout. */
export type LocalBuildKind = 'file' | 'git';

/** A version split into its parts. */
export interface LocalBuild {
  /** The release whose program is replaced: `1.34.2` of `1.34.2@file:./out/kubelet`. */
  readonly release?: string;
  readonly kind: LocalBuildKind;
  readonly path: string;
  /** What is built of a checkout: a branch, a tag or a commit. Without it, the folder as it is, uncommitted work included. */
  readonly ref?: string;
}

/** Splits the version of a local build; undefined for a release. */
export function parseLocalBuild(version: string): LocalBuild | undefined {
  const { release, kind, rest } =
    /^(?:(?<release>[^@:]+)@)?(?<kind>file|git):(?<rest>.+)$/.exec(version)?.groups ?? {};
  if (rest === undefined) return undefined;
  const of = release === undefined ? {} : { release };
  if (kind === 'file') return { ...of, kind, path: rest };
  const [, path = rest, ref] = /^([^#]+)#(.+)$/.exec(rest) ?? [];
  return { ...of, kind: 'git', path, ...(ref === undefined ? {} : { ref }) };
}

/** Whether a text names a local build somewhere. A quick look: `parseLocalBuild` says it for sure. */
export function mayNameLocalBuild(text: string): boolean {
  return text.includes('file:') || text.includes('git:');
}

/** The version of a local build with another release in front of it. */
export function spellLocalBuild({ kind, path, ref }: LocalBuild, release?: string): string {
  const spelled = `${kind}:${path}${ref === undefined ? '' : `#${ref}`}`;
  return release === undefined ? spelled : `${release}@${spelled}`;
}

/** The release in a version: the version itself, the release of a local build, or undefined when there is none. */
export function findRelease(version: string): string | undefined {
  const build = parseLocalBuild(version);
  return build === undefined ? version : build.release;
}

/** How many digits of a digest a recorded version has. */
const RECORDED_DIGITS = 12;

/**
 * The version that a run records for programs of this host: `file:<name>@sha256:<digits>`. No release has such a version.
 *
 * @param name last part of the path, the same on every host
 * @param digest SHA-256 over the programs, hexadecimal
 */
export function recordLocalBuild(name: string, digest: string): string {
  return `file:${name}@sha256:${digest.slice(0, RECORDED_DIGITS)}`;
}

/**
 * The version that a run records for a checkout: `git:<name>@tree:<digits>`, with `-dirty` where that tree is not the
 * committed one.
 *
 * @param name last part of the path of the folder
 * @param tree id of the git tree that was built, hexadecimal
 */
export function recordCheckout(name: string, tree: string, isDirty: boolean): string {
  return `git:${name}@tree:${tree.slice(0, RECORDED_DIGITS)}${isDirty ? '-dirty' : ''}`;
}
