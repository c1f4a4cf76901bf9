import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { KUBELET_CONFIGURATION } from '../../model/components/kubernetes-definitions.ts';
import type { KnobBundle, Matrix } from '../../model/declared/matrix.ts';
import { CONTROL_PLANE_FIELDS } from '../../model/declared/node-settings.ts';
import { parseSize } from '../../model/text/parse-size.ts';
import { findKubeletMistakes, findWrongGates } from './kubelet-values.ts';
import { isQuantity, readQuantity } from './check-quantities.ts';
import type { FindApi, KubernetesApi, ObjectFinding } from './kubernetes-api.ts';
import { get } from './list-objects.ts';
import { matchesVersions } from '../variants/match-condition.ts';

/** Checks what a bundle of knobs sets, as one release defines and takes it. */
export function checkKnobs(matrix: Matrix, knobs: string, api: KubernetesApi): ConfigProblem[] {
  const bundle = matrix.knobs[knobs];
  if (bundle === undefined) return [];
  const { kubelet = {} } = bundle;
  const ofKubelet = [
    ...api.checkPart(KUBELET_CONFIGURATION, kubelet),
    ...findKubeletMistakes(kubelet, api),
    ...findTooMuch(kubelet, matrix.machine.memoryMiB),
  ].map((finding) => ({ ...finding, path: `kubelet.${finding.path}` }));
  return [...ofKubelet, ...findNodeMistakes(bundle, matrix.machine, api)].map(
    ({ path, expected, received, nearest }) =>
      configProblem('matrix.yaml', `knobs.${knobs}.${path}`, expected, received, nearest),
  );
}

/** Checks every bundle against the first named release that it is for; the release of a cell is checked with its plan. */
export function checkAllKnobs(matrix: Matrix, findApi: FindApi): ConfigProblem[] {
  return Object.entries(matrix.knobs).flatMap(([name, { since, until }]) => {
    const range = [since === undefined ? [] : `>=${since}`, until === undefined ? [] : `<=${until}`].flat();
    const release = matrix.axes.kubernetes.values.find(
      (value) => range.length === 0 || matchesVersions(range.join(' '), matrix.releases?.[value] ?? value),
    );
    const api = release === undefined ? undefined : findApi(release);
    return api === undefined ? [] : checkKnobs(matrix, name, api);
  });
}

/** What of a node or of the control plane would not come up. */
function findNodeMistakes(
  bundle: KnobBundle,
  machine: Matrix['machine'],
  api: KubernetesApi,
): ObjectFinding[] {
  const { swap, units = {}, kubelet = {} } = bundle;
  const found: ObjectFinding[] = CONTROL_PLANE_FIELDS.flatMap((field) =>
    findWrongGates(`${field}.featureGates`, bundle[field]?.featureGates, api.featureGates),
  );
  const bytes = parseSize(swap?.size ?? '') ?? 0;
  if (swap !== undefined && kubelet['failSwapOn'] !== false) {
    const value = kubelet['failSwapOn'];
    const expected = 'false: a kubelet does not start beside swap';
    found.push({
      path: 'kubelet.failSwapOn',
      expected,
      received: value === undefined ? 'nothing' : JSON.stringify(value),
    });
  }
  const room = swap?.on === 'file' ? machine.diskGiB / 2 : machine.memoryMiB / 512;
  if (swap !== undefined && (bytes > room * GIB || bytes < LEAST_SWAP)) {
    const place = swap.on === 'file' ? 'half of the disk' : 'twice the memory of a machine';
    const expected = `from 1Mi to ${room} GiB, which is ${place}`;
    found.push({ path: 'swap.size', expected, received: JSON.stringify(swap.size) });
  }
  if (Object.hasOwn(units, 'kubelet.service'))
    found.push({
      path: 'units.kubelet.service',
      expected: 'a drop-in: the unit is that of kubeadm',
      received: '"kubelet.service"',
      nearest: 'kubelet.service.d/20-knob.conf',
    });
  return found;
}

const GIB = 1024 ** 3;
const LEAST_SWAP = 1024 ** 2;

/** Memory that a kubelet keeps back, or keeps free: of more than its machine has, no pod is left room. */
function findTooMuch(kubelet: Readonly<Record<string, unknown>>, memoryMiB: number): ObjectFinding[] {
  return [
    ['systemReserved', 'memory'],
    ['kubeReserved', 'memory'],
    ['evictionHard', 'memory.available'],
    ['evictionSoft', 'memory.available'],
  ].flatMap(([field = '', key = '']) => {
    const amount = get(kubelet[field], key);
    if (!isQuantity(amount) || readQuantity(amount) < memoryMiB * 1024 * 1024) return [];
    const expected = `less than the ${memoryMiB} MiB of a machine`;
    return [{ path: `${field}.${key}`, expected, received: JSON.stringify(amount) }];
  });
}
