import type { AxisDefinition } from '../variants/axis.ts';

/** Bundle of kubelet, sysctl and kernel settings: a name of `knobs` in matrix.yaml. */
export const knobs: AxisDefinition<'knobs', string> = {
  name: 'knobs',
  defaultValue: 'none',
  parse: (written) => written,
  facts: {},
};
