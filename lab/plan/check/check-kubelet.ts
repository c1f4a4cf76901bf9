import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { KUBELET_CONFIGURATION } from '../../model/components/kubernetes-definitions.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { findKubeletMistakes } from './kubelet-values.ts';
import { isQuantity, readQuantity } from './check-quantities.ts';
import type { FindApi, KubernetesApi, ObjectFinding } from './kubernetes-api.ts';
import { get } from './list-objects.ts';
import { matchesVersions } from '../variants/match-condition.ts';

/** Checks the fields of KubeletConfiguration that a bundle of knobs sets, as one release defines and takes them. */
export function checkKubelet(matrix: Matrix, knobs: string, api: KubernetesApi): ConfigProblem[] {
  const { kubelet } = matrix.knobs[knobs] ?? {};
  if (kubelet === undefined) return [];
  return [
    ...api.checkPart(KUBELET_CONFIGURATION, kubelet),
    ...findKubeletMistakes(kubelet, api.featureGates),
    ...findTooMuch(kubelet, matrix.machine.memoryMiB),
  ].map(({ path, expected, received, nearest }) =>
    configProblem('matrix.yaml', `knobs.${knobs}.kubelet.${path}`, expected, received, nearest),
  );
}

/** Checks every bundle against the first named release that it is for; the release of a cell is checked with its plan. */
export function checkKubelets(matrix: Matrix, findApi: FindApi): ConfigProblem[] {
  return Object.entries(matrix.knobs).flatMap(([name, { kubelet, since, until }]) => {
    if (kubelet === undefined) return [];
    const range = [since === undefined ? [] : `>=${since}`, until === undefined ? [] : `<=${until}`].flat();
    const release = matrix.axes.kubernetes.values.find(
      (value) => range.length === 0 || matchesVersions(range.join(' '), matrix.releases?.[value] ?? value),
    );
    const api = release === undefined ? undefined : findApi(release);
    return api === undefined ? [] : checkKubelet(matrix, name, api);
  });
}

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
