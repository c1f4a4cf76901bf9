import { RUNTIME_ENDINGS } from '../../model/axes/runtime.ts';
import { nearestName } from '../../model/text/nearest.ts';

/**
 * Versions as programs and clouds print them, for a person who pastes one: `v1.33.4`, `containerd://1.7.12`,
 * `1.30.4-gke.100`.
 */

/** What a pasted version means. */
export interface PastedVersion {
  /** As its axis writes it. */
  readonly value: string;
  /** What somebody has added to the release, which nobody can build: `-gke.100`. */
  readonly dropped?: string;
}

/** How the values of an axis begin that name a program, and how they may end. */
const SHAPES: Readonly<Record<string, RegExp>> = {
  kubernetes: /^(?<before>)(?:kubernetes |kubelet )?(?<version>.+?)(?<after>@(?:file|git):.+)?$/i,
  containerd: /^(?<before>)(?:containerd(?::\/\/|[@ ]))?(?<version>.+?)(?<after>)$/i,
  runtime: new RegExp(
    `^(?<before>(?:runc|crun|youki|runsc)@)(?<version>.+?)(?<after>${RUNTIME_ENDINGS.map((ending) => `\\${ending}`).join('|')})?$`,
  ),
};

/** `v1.30.4-gke.100`, `release-20230927.0`. */
const PRINTED = /^(?:v|release-)?(?<release>\d+(?:\.\d+)*)(?<added>[-+~].+)?$/;

/** What comes before a release is other code than the release. */
const EARLY = /^[-~.+]*(alpha|beta|rc|dev|pre)/i;

/**
 * Reads a value of an axis that is written as something else prints it; undefined for any other text, and for an early
 * version. Whether the axis knows the value is another question.
 */
export function readPasted(axis: string, written: string): PastedVersion | undefined {
  const { before = '', version = '', after = '' } = SHAPES[axis]?.exec(written.trim())?.groups ?? {};
  const { release, added } = PRINTED.exec(version)?.groups ?? {};
  if (release === undefined || (added !== undefined && EARLY.test(added))) return undefined;
  // An ending is a choice of the person: a slip in it would be another world than the one that was meant.
  if (axis === 'runtime' && added !== undefined && nearestName(added, RUNTIME_ENDINGS) !== undefined)
    return undefined;
  const value = `${before}${release}${after}`;
  // A release that is not exact is that of no build.
  if (added !== undefined && !/^\d+\.\d+\.\d+$/.test(release)) return undefined;
  return added === undefined ? { value } : { value, dropped: added };
}
