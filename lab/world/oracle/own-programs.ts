import { parseLocalBuild } from '../../model/components/local-build.ts';
import type { Inputs } from '../../model/components/inputs.ts';
import { findProgramsOf } from '../../../provision/components/component-record.ts';

/** Programs of a node that a build of somebody's own may replace, by their name in `PATH`. */
const REPLACED = [
  'kubelet',
  'containerd',
  'containerd-shim-runc-v2',
  'ctr',
  'runc',
  'crun',
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
    return isOwn ? findProgramsOf(cacheDir, component, value.slice(space + 1)) : [];
  });
  return Object.fromEntries(
    own.filter(({ name }) => REPLACED.includes(name)).map(({ name, sha256 }) => [name, sha256]),
  );
}
