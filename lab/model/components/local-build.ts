/**
 * Versions that are builds on this host instead of releases: `file:<path>`, or `<release>@file:<path>` where the
 * build replaces a program of a release. A path is absolute, or relative to the project's folder.
 */

/** A version split into its parts. */
export interface LocalBuild {
  /** The release whose program is replaced: `1.34.2` of `1.34.2@file:./out/kubelet`. */
  readonly release?: string;
  readonly path: string;
}

/** Splits the version of a local build; undefined for a release. */
export function parseLocalBuild(version: string): LocalBuild | undefined {
  const match = /^(?:([^@:]+)@)?file:(.+)$/.exec(version);
  if (match?.[2] === undefined) return undefined;
  return { path: match[2], ...(match[1] === undefined ? {} : { release: match[1] }) };
}

/** The release in a version: the version itself, the release of a local build, or undefined when there is none. */
export function findRelease(version: string): string | undefined {
  const build = parseLocalBuild(version);
  return build === undefined ? version : build.release;
}

/**
 * The version that a run records for a local build: `file:<name>@sha256:<digits>`, behind the release and `@` when it
 * replaced a program of a release. No release has such a version.
 *
 * @param name last part of the path, the same on every host
 * @param digest SHA-256 over the programs, hexadecimal
 */
export function recordLocalBuild(name: string, digest: string, release?: string): string {
  const recorded = `file:${name}@sha256:${digest.slice(0, 12)}`;
  return release === undefined ? recorded : `${release}@${recorded}`;
}
