import { compileGlob } from '../../model/text/match-glob.ts';
import { HARMLESS, type GatedReach, type ProgramArea } from './program-area.ts';

/** An area that may have changed. */
export interface ChangedArea {
  readonly area: ProgramArea;
  /** The changed paths that name it; empty when no change was given. */
  readonly because: readonly string[];
}

/** What of a program a change touches. */
export interface ChangedAreas {
  readonly areas: readonly ChangedArea[];
  /** Paths that can change no death. */
  readonly ignored: readonly string[];
}

/** The paths that a change touches, old and new names, as `git diff` prints it. */
export function listChangedPaths(diff: string): string[] {
  const paths = diff.split('\n').flatMap((line) => {
    const whole = /^diff --git (?:"?a\/(.+?)"?) (?:"?b\/(.+?)"?)\r?$/.exec(line);
    if (whole !== null) return [whole[1], whole[2]];
    const renamed = /^(?:rename|copy) (?:from|to) "?(.+?)"?\r?$/.exec(line);
    return renamed === null ? [] : [renamed[1]];
  });
  return [...new Set(paths.filter((path) => path !== undefined))];
}

/** Finds what of a program a change touches. A path that nobody knows may change everything. */
export function findChangedAreas(reach: GatedReach, paths: readonly string[]): ChangedAreas {
  const isHarmless = matchesOneOf([...HARMLESS, ...reach.harmless]);
  const known = reach.areas.map((area) => ({ area, matches: matchesOneOf(area.paths) }));
  const ignored = paths.filter((path) => isHarmless(path));
  const touching = paths.filter((path) => !isHarmless(path));
  const unknown = touching.filter((path) => !known.some(({ matches }) => matches(path)));
  const areas = known
    .map(({ area, matches }) => ({ area, because: [...touching.filter(matches), ...unknown] }))
    .filter(({ because }) => because.length > 0);
  return { areas, ignored };
}

function matchesOneOf(globs: readonly string[]): (path: string) => boolean {
  const compiled = globs.map(compileGlob);
  return (path) => compiled.some((matches) => matches(path));
}
