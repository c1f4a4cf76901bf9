import type { AxisDefinition } from '../variants/axis.ts';
import { UsageError } from '../errors/errors.ts';
import { findRelease } from '../components/local-build.ts';
import { leadingVersion } from '../variants/versions.ts';

/** Version of kubelet and control plane. */
export interface KubernetesVersion {
  /**
   * The version of the component: short (`1.34`), exact, or `<release>@file:<path>` and `<release>@git:<checkout>` for a kubelet from a
   * local build.
   */
  readonly version: string;
  /** Its release, as far as it is written: `1.34`, `1.34.2`. */
  readonly release: string;
}

export const kubernetes: AxisDefinition<'kubernetes', KubernetesVersion, 'kubernetesVersion'> = {
  name: 'kubernetes',
  defaultValue: '1.34',
  parse: (written) => {
    const release = leadingVersion(findRelease(written) ?? '');
    if (release?.includes('.') === true) return { version: written, release };
    throw new UsageError(`"${written}" is not a version of Kubernetes`, {
      tryNext: '<release>, <release>@file:<path of a kubelet> or <release>@git:<checkout>',
    });
  },
  facts: {
    /** The exact release: `1.34.2`, where components.yaml says it of a short name. */
    kubernetesVersion: (read, { releases = {} }) => {
      const { release } = read(kubernetes);
      return releases[release] ?? release;
    },
  },
  components: ({ version }) => ({ kubernetes: version }),
};
