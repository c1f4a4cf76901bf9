import type { AxisDefinition } from '../variants/axis.ts';

/** Debian suite of a node: a name of `suites` in matrix.yaml. */
export const os: AxisDefinition<'os', string, 'systemdVersion'> = {
  name: 'os',
  defaultValue: 'bookworm',
  parse: (written) => written,
  facts: {
    systemdVersion: (read, { suites }) => suites[read(os)]?.systemd,
  },
};
