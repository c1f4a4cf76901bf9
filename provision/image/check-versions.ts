import { HostError } from '../../lab/model/errors/errors.ts';
import { mayNameLocalBuild } from '../../lab/model/components/local-build.ts';
import { RUNC_UNDER_TEST } from '../../lab/model/components/under-test.ts';
import type { ImageSpec } from '../../lab/model/components/image.ts';

/** Programs that print exactly the version they were built as, by component. */
const PRINTED: Readonly<Record<string, readonly string[]>> = {
  kubernetes: ['kubelet', 'kubeadm'],
  containerd: ['containerd'],
  runc: ['runc'],
  [RUNC_UNDER_TEST]: [RUNC_UNDER_TEST],
};

/**
 * Checks that the programs in the guest root are the ones that were asked for. The suite's own (`apt`) and local
 * builds (`file:…`, `1.34.2@git:…`) have no version to compare with.
 *
 * @param versions what each program printed in the guest root
 * @throws HostError LAB_IMAGE_INPUT with every difference.
 */
export function checkVersions(
  spec: Pick<ImageSpec, 'artifacts'>,
  versions: Readonly<Record<string, string>>,
): void {
  const wrong = spec.artifacts
    .filter(({ version }) => /^\d/.test(version) && !mayNameLocalBuild(version))
    .flatMap(({ component, version, files }) =>
      (PRINTED[component] ?? [])
        .filter((name) => name in files && versions[name] !== version)
        .map((name) => `${name} prints ${versions[name] ?? 'nothing'}, not ${version}`),
    );
  if (wrong.length === 0) return;
  throw new HostError('LAB_IMAGE_INPUT', `the image does not hold what was asked for: ${wrong.join('; ')}`, {
    tryNext: 'remove the component from the cache, so that it is built again: `npx whodunit cache list`',
  });
}
