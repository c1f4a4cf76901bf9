import type { ForeignCluster } from '../../drivers/kubernetes/foreign-cluster.ts';
import { isOomSample, podOfSample } from '../../evidence/formats/kubelet-metrics.ts';
import { HostError } from '../../model/errors/errors.ts';
import { describeRefusal, type LiveFiles, type LiveQuestion } from './live-files.ts';

/** As the kubelet calls it. */
const PATH = 'metrics/cadvisor';

/**
 * Reads through the API what the kubelet counts of OOM events of the pod. It answers with metrics of every pod of the node; the
 * others are left out. Whatever hinders it is said, and the rest of the autopsy goes on: a node may be down.
 */
export async function readMetrics(
  ask: AskKubelet,
  { namespace, pod }: Pick<LiveQuestion, 'namespace' | 'pod'>,
): Promise<LiveFiles> {
  const lacks = (why: string): LiveFiles => ({ files: [], missing: [{ path: PATH, why }] });
  const answer = await ask(PATH);
  if (typeof answer === 'string') return lacks(answer);
  const { status, text } = answer;
  if (status !== 200) return lacks(describeRefusal(status, text));
  const own = text.split('\n').filter((line) => {
    const of = isOomSample(line) ? podOfSample(line) : undefined;
    return of?.namespace === namespace && of.name === pod;
  });
  if (own.length === 0) return lacks('the kubelet counts OOM events only of pods that are still there');
  return { files: [{ path: PATH, text: `${own.join('\n')}\n` }], missing: [] };
}

/** What the kubelet of a node answered, or why nothing came back. */
export type KubeletAnswer = { readonly status: number; readonly text: string } | string;

/** Asks for a path of the kubelet's own server, as `metrics/cadvisor`. */
export type AskKubelet = (path: string) => Promise<KubeletAnswer>;

/** Asks the kubelet of a node through the API. One that did not answer once is not waited for again. */
export function kubeletOf(cluster: ForeignCluster, node: string): AskKubelet {
  let silence: string | undefined;
  return async (path) => {
    if (silence !== undefined) return silence;
    try {
      return await cluster.get(`/api/v1/nodes/${encodeURIComponent(node)}/proxy/${path}`);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      silence = error.lastSeen ?? error.message;
      return silence;
    }
  };
}
