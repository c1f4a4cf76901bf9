import type { AxisDefinition } from '../variants/axis.ts';
import { SUITE_VERSION } from '../components/components.ts';
import { UsageError } from '../errors/errors.ts';
import { parseLocalBuild } from '../components/local-build.ts';
import { leadingVersion } from '../variants/versions.ts';
import { os } from './os.ts';

/** Version of containerd: `apt` for the suite's own, an exact one, `file:<folder>` or `git:<checkout>`. */
export const containerd: AxisDefinition<'containerd', string, 'containerdVersion'> = {
  name: 'containerd',
  defaultValue: 'apt',
  // A bare version looks like one of Kubernetes.
  namePrefix: 'containerd-',
  parse: (written) => {
    const isRelease = written === SUITE_VERSION || leadingVersion(written) !== undefined;
    if (isRelease || parseLocalBuild(written) !== undefined) return written;
    throw new UsageError(`"${written}" is not a version of containerd`, {
      tryNext: 'apt, an exact version, file:<folder> or git:<checkout>',
    });
  },
  facts: {
    containerdVersion: (read, { suites }) => {
      const version = read(containerd);
      return version === SUITE_VERSION ? suites[read(os)]?.containerd : leadingVersion(version);
    },
  },
  components: (version) => ({ containerd: version }),
};
