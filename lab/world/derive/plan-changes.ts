import { listDifferences, compareInputs, type Inputs } from '../../model/components/inputs.ts';

/** What is done to a saved world to make another one of it, in this order. */
export type WorldChange =
  /** All pods go, and are made again in the end: a pod keeps the programs that made it and the cgroup that it got. */
  | { readonly kind: 'pods' }
  /** Programs of a component are put into the nodes. */
  | { readonly kind: 'programs'; readonly component: string }
  /** containerd is configured again, and restarted. */
  | { readonly kind: 'runtime' }
  /** kubeadm writes the kubelet's configuration, on the node and in the API, and restarts the kubelet. */
  | { readonly kind: 'kubelet' }
  /** Machines that the saved world does not have boot and join. */
  | { readonly kind: 'workers' };

type Kind = WorldChange['kind'];

const KINDS: readonly Kind[] = ['pods', 'programs', 'runtime', 'kubelet', 'workers'];

/** The changes that make a world of another one, or why it cannot be made of it. */
export type ChangePlan = { readonly changes: readonly WorldChange[] } | { readonly cold: string };

/**
 * Fields of the kubelet's configuration that leave no trace of themselves in the cgroups of running pods or in what the
 * runtime was given for them. For any other field this is not known, so pods are made again. `systemReserved` is the
 * limit of all pods together, which the kubelet sets when it starts.
 */
const BESIDE_PODS =
  /^knobs\.kubelet\.(serializeImagePulls|maxParallelImagePulls|kubeAPI(QPS|Burst)|event(RecordQPS|Burst)|eviction\w+|shutdown\w+|systemReserved)(\.|$)/;

/** Whether an input can be taken from one value to another; undefined: it is not there. */
type IsChangeable = (was: string | undefined, is: string | undefined) => boolean;

/** A component whose programs are put into nodes. A package of the suite is a layer of the image. */
const PROGRAMS: IsChangeable = (_, is) => is !== undefined && !is.startsWith('apt ');
/** A component whose version is known before its image is made: not that of a local build. */
const RELEASE: IsChangeable = (_, is) => is !== undefined && /^\d/.test(is);
/** Something that the saved world does not have. */
const NEW: IsChangeable = (was) => was === undefined;

/**
 * Measured (`bench derived`): in a world that was derived, cgroups still had the controllers that the kubelet kills for
 * when they are lost. Nobody was killed in a cell that kills somebody in a world from its image.
 */
const MISMATCH = 'what a driver mismatch does depends on when its node was rebooted';

/**
 * Inputs of a world that may differ from those of its parent, what brings the difference about, and which differences
 * can be brought about; the first that fits counts. By nothing: the difference comes about elsewhere, by another input or
 * when the world is settled.
 */
const CHANGEABLE: readonly (readonly [input: RegExp, by: readonly Kind[], test?: IsChangeable])[] = [
  [/^name$/, []],
  // Only workloads run under these: no pod of the cluster was made by them.
  [/^component (?:gvisor|crun|youki|runc-under-test)$/, ['programs'], PROGRAMS],
  [/^component runc$/, ['pods', 'programs'], PROGRAMS],
  [/^component containerd$/, ['pods', 'programs', 'runtime'], RELEASE],
  [/^runtime file /, ['runtime']],
  // Read when the files of the runtime are written, and by the cells.
  [/^runtime\./, []],
  [/^kubeadm configuration$/, ['kubelet']],
  [/^drivers\.kubelet$/, ['pods', 'runtime']],
  [/^drivers\.runtime$/, []],
  [/^knobs\.(about|since|source)$/, []],
  [BESIDE_PODS, []],
  [/^knobs\.kubelet(\.|$)/, ['pods']],
  // Set when the world is settled.
  [/^knobs\.sysctl(\.|$)/, []],
  [/^node\./, ['workers'], NEW],
];

/**
 * Plans how a world is made of a saved one. Every input that differs must be one that can be changed in a running
 * cluster. Pure.
 *
 * @param parent inputs of the saved world.
 * @param wanted inputs of the world to make.
 */
export function planChanges(parent: Inputs, wanted: Inputs): ChangePlan {
  if (wanted['drivers.kubelet'] !== wanted['drivers.runtime']) return { cold: MISMATCH };
  const names = listDifferences(parent, wanted);
  const ways = names.map((name) => ({ name, by: findWay(name, parent, wanted) }));
  const fixed = ways.filter(({ by }) => by === undefined).map(({ name }) => name);
  if (fixed.length > 0) return { cold: compareInputs(pick(parent, fixed), pick(wanted, fixed)).join('; ') };
  const components = ways
    .filter(({ by }) => by?.includes('programs') === true)
    .map(({ name }) => name.replace(/^component /, ''));
  const has = (kind: Kind): boolean => ways.some(({ by }) => by?.includes(kind) === true);
  return {
    changes: KINDS.flatMap((kind): WorldChange[] => {
      if (kind === 'programs') return components.map((component) => ({ kind, component }));
      return has(kind) ? [{ kind }] : [];
    }),
  };
}

function findWay(name: string, parent: Inputs, wanted: Inputs): readonly Kind[] | undefined {
  const [, by, isChangeable] = CHANGEABLE.find(([input]) => input.test(name)) ?? [];
  return isChangeable?.(parent[name], wanted[name]) === false ? undefined : by;
}

function pick(inputs: Inputs, names: readonly string[]): Inputs {
  return Object.fromEntries(
    names.flatMap((name) => (inputs[name] === undefined ? [] : [[name, inputs[name]]])),
  );
}
