import { randomBytes } from 'node:crypto';
import type { ForeignCluster, V1Node, V1Pod } from '../../drivers/kubernetes/foreign-cluster.ts';
import { apiErrorText } from '../../drivers/kubernetes/kubernetes-errors.ts';
import { objectsIn } from '../../evidence/lines.ts';
import { HostError } from '../../model/errors/errors.ts';
import type { Host, Probe } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { describeRefusal, parseAnswer, type LiveFiles, type LiveQuestion } from './live-files.ts';
import { DEBUG_POD_LABELS, makeDebugPod, nameOwner, NODE_SHELL, OWNER_LABEL, READER } from './debug-pod.ts';
import { kubeletOf, readMetrics, type AskKubelet, type KubeletAnswer } from './read-metrics.ts';
import { listNodeQuestions, parseNodeAnswers, renderNodeScript, type NodeWindow } from './node-questions.ts';

interface NodeQuestionInput extends LiveQuestion {
  readonly node: string;
  readonly about: V1Node | undefined;
  readonly window: NodeWindow;
}

/** Reads a node by the way that was chosen. */
export async function readNode(
  host: Host,
  cluster: ForeignCluster,
  input: NodeQuestionInput,
): Promise<LiveFiles> {
  switch (input.access) {
    // Nothing is needed on the node: what the API lets through to its kubelet is read with either word.
    case 'none':
    case 'kubelet': {
      const ask = kubeletOf(cluster, input.node);
      return join(await readMetrics(ask, input), await readJournals(ask, input));
    }
    case 'debug-pod':
      return askByPod(host, cluster, input);
    case 'ssh':
      return askBySsh(host, input);
  }
}

function join(one: LiveFiles, other: LiveFiles): LiveFiles {
  return { files: [...one.files, ...other.files], missing: [...one.missing, ...other.missing] };
}

/** The kubelet's own endpoint for journals (KEP-2258). It is off by default, and says so. */
async function readJournals(ask: AskKubelet, { access, window }: NodeQuestionInput): Promise<LiveFiles> {
  const files: { path: string; text: string }[] = [];
  const missing = [{ path: 'kmsg', why: `the kubelet gives no kernel log: --node-access ${access}` }];
  const [since, until] = [window.since, window.until].map((second) => new Date(second * 1000).toISOString());
  for (const service of ['kubelet', 'containerd', 'crio']) {
    const query = `query=${service}&sinceTime=${since}&untilTime=${until}`;
    const answer = await ask(`logs/?${query}`);
    const path = `journal/${service}.log`;
    const why = whyNoJournal(answer);
    if (typeof answer === 'object' && why === undefined) files.push({ path, text: answer.text });
    else missing.push({ path, why: why ?? '' });
  }
  return { files, missing };
}

function whyNoJournal(answer: KubeletAnswer): string | undefined {
  if (typeof answer === 'string') return answer;
  const { status, text } = answer;
  if (status !== 200) return describeRefusal(status, text);
  return text.startsWith('<') ? 'the kubelet does not answer queries (NodeLogQuery is off)' : undefined;
}

/** Whoever comes as root needs no sudo, which a node need not have. */
const AS_ROOT = `if [ "$(id -u)" = 0 ]; then exec sh -s; else exec sudo -n sh -s; fi`;

/** The real ssh, with the user's own configuration: a host key that is not known is refused. */
async function askBySsh(host: Host, { node, window }: NodeQuestionInput): Promise<LiveFiles> {
  const { mark, script } = makeScript(window);
  const { stdout } = await host.run('ssh', ['-o', 'BatchMode=yes', '--', node, AS_ROOT], {
    input: script,
    timeoutMs: TIME_LIMITS.api.script.ms,
  });
  return readAnswers(stdout, mark);
}

function makeScript(window: NodeWindow): { mark: string; script: string } {
  // A line of a log may look like anything but this.
  const mark = `==${randomBytes(12).toString('hex')}`;
  return { mark, script: renderNodeScript(listNodeQuestions(window), mark) };
}

function readAnswers(printed: string, mark: string): LiveFiles {
  const { answers, isWhole } = parseNodeAnswers(printed, mark);
  return {
    files: answers.filter(({ text }) => text !== ''),
    missing: [
      ...answers.flatMap(({ path, why }) => (why === undefined ? [] : [{ path, why }])),
      ...(isWhole ? [] : [{ path: '', why: 'the answer of the node broke off' }]),
    ],
  };
}

async function askByPod(host: Host, cluster: ForeignCluster, input: NodeQuestionInput): Promise<LiveFiles> {
  const { debugNamespace: namespace, node, about, window } = input;
  await removeLeftPods(host, cluster, namespace);
  const image = chooseImage(about);
  if (image === undefined)
    return {
      files: [],
      missing: [{ path: 'kmsg', why: `node ${node} lists no image that a debug pod could use` }],
    };
  const architecture = about?.status?.nodeInfo?.architecture ?? 'amd64';
  const owner = nameOwner(process.pid);
  const made = await create(cluster, input, makeDebugPod({ node, architecture, image, owner }));
  const name = made.metadata?.name ?? '';
  try {
    await waitForPod(host, cluster, { namespace, name });
    const { mark, script } = makeScript(window);
    return readAnswers(
      await cluster.runScript({ name, namespace, container: READER }, NODE_SHELL, script),
      mark,
    );
  } finally {
    await cluster.deletePod(namespace, name).catch((error: unknown) => {
      host.progress.note(`pod ${namespace}/${name} is still there: ${apiErrorText(error)}`);
    });
  }
}

/** Pod Security and admission refuse a privileged pod in many clusters: their rule is the message. */
async function create(cluster: ForeignCluster, input: LiveQuestion, body: V1Pod): Promise<V1Pod> {
  const { namespace, pod, debugNamespace } = input;
  try {
    return await cluster.createPod(debugNamespace, body);
  } catch (error) {
    throw new HostError('LAB_API', `the cluster refused a debug pod in ${debugNamespace}`, {
      lastSeen: apiErrorText(error),
      tryNext: `npx whodunit autopsy ${namespace}/${pod} --print-commands; or choose another namespace (--debug-namespace) or way (--node-access kubelet | ssh)`,
      cause: error,
    });
  }
}

/** The smallest image that the node has: its content is not used. */
function chooseImage(about: V1Node | undefined): string | undefined {
  const images = [...(about?.status?.images ?? [])].sort((a, b) => (a.sizeBytes ?? 0) - (b.sizeBytes ?? 0));
  return images.flatMap(({ names }) => names ?? []).find((name) => !name.includes('<none>'));
}

const LOOK_MS = 500;

async function waitForPod(
  host: Host,
  cluster: ForeignCluster,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<void> {
  const running: Probe = {
    title: `debug pod ${namespace}/${name} to run`,
    look: async () => {
      const { status, text } = await cluster.get(`/api/v1/namespaces/${namespace}/pods/${name}`);
      if (status !== 200) return { done: false, seen: describeRefusal(status, text) };
      const pod = parseAnswer(`/api/v1/namespaces/${namespace}/pods/${name}`, text) as V1Pod;
      const [container] = pod.status?.containerStatuses ?? [];
      if (container?.state?.running !== undefined) return { done: true, value: true };
      const why = container?.state?.waiting ?? container?.state?.terminated;
      return { done: false, seen: [pod.status?.phase, why?.reason, why?.message].filter(Boolean).join(', ') };
    },
  };
  await host.waitFor(running, {
    timeoutMs: TIME_LIMITS.api.debugPodRuns.ms,
    intervalMs: LOOK_MS,
    signal: host.signal,
  });
}

/** Removes pods of autopsies that were killed: of this host, and their process is gone, or ended by their deadline. */
async function removeLeftPods(host: Host, cluster: ForeignCluster, namespace: string): Promise<void> {
  const selector = Object.entries(DEBUG_POD_LABELS).map(([key, value]) => `${key}=${value}`);
  const address = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?labelSelector=${encodeURIComponent(selector.join(','))}`;
  const { status, text } = await cluster.get(address);
  if (status !== 200) return;
  for (const { metadata, status: state } of objectsIn(parseAnswer(address, text)['items']) as V1Pod[]) {
    const owner = metadata?.labels?.[OWNER_LABEL] ?? '';
    const pid = Number(/\.(\d+)$/.exec(owner)?.[1]);
    const hasEnded = state?.phase === 'Failed' || state?.phase === 'Succeeded';
    const isLeft = Number.isInteger(pid) && owner === nameOwner(pid) && !host.isProcessAlive(pid);
    if (!hasEnded && !isLeft) continue;
    const name = metadata?.name ?? '';
    await cluster.deletePod(namespace, name);
    host.progress.note(`removed pod ${namespace}/${name}, which an autopsy that was killed had left`);
  }
}
