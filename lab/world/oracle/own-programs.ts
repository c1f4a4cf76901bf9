import { parseLocalBuild } from '../../model/components/local-build.ts';
import type { Inputs } from '../../model/components/inputs.ts';
import { catalogueName, RUNC_UNDER_TEST } from '../../model/components/under-test.ts';
import { findProgramsOf } from '../../../provision/components/component-record.ts';

/** Programs of a node that may be a build of somebody's own, by their name in `PATH`; a runc beside the node's is not in it. */
const REPLACED: readonly string[] = [
  'kubelet',
  'containerd',
  'containerd-shim-runc-v2',
  'ctr',
  'runc',
  RUNC_UNDER_TEST,
  'crun',
  'youki',
  'runsc',
  'containerd-shim-runsc-v1',
];

/**
 * The programs of local builds in an image, with the SHA-256 that they have in the cache. Such a build says no version that
 * could be compared, so its bytes are.
 *
 * @param inputs of the image or the world: `component runc` is `git:runc@tree:0123 <digest>`.
 */
export function findOwnPrograms(cacheDir: string, inputs: Inputs): Record<string, string> {
  const own = Object.entries(inputs).flatMap(([input, value]) => {
    const component = input.replace(/^component /, '');
    const space = value.lastIndexOf(' ');
    const isOwn = component !== input && parseLocalBuild(value.slice(0, space)) !== undefined;
    if (!isOwn) return [];
    const programs = findProgramsOf(cacheDir, catalogueName(component), value.slice(space + 1));
    return component === RUNC_UNDER_TEST ? programs.map((made) => ({ ...made, name: component })) : programs;
  });
  return Object.fromEntries(
    own.filter(({ name }) => REPLACED.includes(name)).map(({ name, sha256 }) => [name, sha256]),
  );
}
