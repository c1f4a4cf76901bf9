import { listDifferences, compareInputs, type Inputs } from '../../model/inputs.ts';

/** What is done to a saved world to make another one of it, in this order. */
export type Change =
  /** Programs of a component are put into the nodes. */
  | { readonly kind: 'programs'; readonly component: string }
  /** containerd is configured anew, and restarted. */
  | { readonly kind: 'runtime' }
  /** kubeadm writes the kubelet's configuration, on the node and in the API, and restarts the kubelet. */
  | { readonly kind: 'kubelet' };

/** The changes that make a world of another one, or why it cannot be made of it. */
export type ChangePlan = { readonly changes: readonly Change[] } | { readonly cold: string };

/**
 * Inputs of a world that may differ from those of its parent, and what brings the difference about. `nothing`: the
 * difference comes about elsewhere, by another input or when the world is settled.
 */
const CHANGEABLE: readonly (readonly [input: RegExp, by: Change['kind'] | 'nothing'])[] = [
  [/^name$/, 'nothing'],
  [/^component gvisor$/, 'programs'],
  [/^runtime file /, 'runtime'],
  // Read when the files of the runtime are written, and by the cells.
  [/^runtime\./, 'nothing'],
  [/^kubeadm configuration$/, 'kubelet'],
  [/^knobs\.(about|since|source)$/, 'nothing'],
  [/^knobs\.kubelet(\.|$)/, 'nothing'],
  // Set when the world is settled.
  [/^knobs\.sysctl(\.|$)/, 'nothing'],
];

/**
 * Plans how a world is made of a saved one. Every input that differs must be one that can be changed in a running
 * cluster. Pure.
 *
 * @param parent inputs of the saved world.
 * @param wanted inputs of the world to make.
 */
export function planChanges(parent: Inputs, wanted: Inputs): ChangePlan {
  const names = listDifferences(parent, wanted);
  const ways = names.map((name) => [name, CHANGEABLE.find(([input]) => input.test(name))?.[1]] as const);
  const fixed = ways.filter(([, way]) => way === undefined).map(([name]) => name);
  if (fixed.length > 0) return { cold: compareInputs(pick(parent, fixed), pick(wanted, fixed)).join('; ') };
  const components = ways.flatMap(([name, way]) =>
    way === 'programs' && wanted[name] !== undefined ? [name.replace(/^component /, '')] : [],
  );
  const has = (kind: Change['kind']): boolean => ways.some(([, way]) => way === kind);
  return {
    changes: [
      ...components.map((component): Change => ({ kind: 'programs', component })),
      ...(has('runtime') ? [{ kind: 'runtime' } as const] : []),
      ...(has('kubelet') ? [{ kind: 'kubelet' } as const] : []),
    ],
  };
}

function pick(inputs: Inputs, names: readonly string[]): Inputs {
  return Object.fromEntries(
    names.flatMap((name) => (inputs[name] === undefined ? [] : [[name, inputs[name]]])),
  );
}
