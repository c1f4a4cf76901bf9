import { apiProbe, type Kubernetes } from '../../drivers/kubernetes/kubernetes.ts';
import type { EffectiveNode } from '../../model/saved/effective.ts';
import type { Guest, Host, Probe } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import type { Expected } from './expected.ts';
import { nodeFactsScript, parseNodeFacts, type NodeFacts } from './parse-node.ts';

const FACTS_WAIT = { timeoutMs: TIME_LIMITS.cluster.nodeFacts.ms, intervalMs: 1_000 };

/** Reads back what one node is: from inside the node, and from its kubelet through the API. */
export async function collectNodeFacts(
  host: Host,
  kubernetes: Kubernetes,
  guest: Guest,
  expected: Expected,
): Promise<EffectiveNode> {
  const script = nodeFactsScript(expected);
  const { kubeletDriver, ...facts } = await host.waitFor(nodeFacts(guest, script, expected), FACTS_WAIT);
  const configuration = await host.waitFor(kubeletConfiguration(kubernetes, guest.name), FACTS_WAIT);
  const running = await host.waitFor(runningVersions(kubernetes, guest.name), FACTS_WAIT);
  const fields = ['cgroupDriver', ...Object.keys(expected.kubelet.settings)];
  const settings = Object.fromEntries(
    fields.flatMap((field) => (field in configuration ? [[field, configuration[field]] as const] : [])),
  ) as EffectiveNode['kubelet']['settings'];
  const versions = { ...facts.versions, ...running };
  return { name: guest.name, ...facts, versions, kubelet: { driver: kubeletDriver, settings } };
}

/** Programs that have not started yet are waited for: a section that fails ends the script. */
function nodeFacts(guest: Guest, script: string, { settings }: Expected): Probe<NodeFacts> {
  const look: Probe<NodeFacts>['look'] = async () => {
    const result = await guest.script(script, { timeoutMs: TIME_LIMITS.cluster.nodeFactsScript.ms });
    if (result.status === 0) return { done: true, value: parseNodeFacts(result.stdout, settings) };
    const section = result.stdout.split('\n').findLast((line) => line.startsWith('== ')) ?? '';
    return { done: false, seen: `${section.slice(3)}: ${result.stderr.trim().slice(-300)}` };
  };
  return { title: `${guest.name} to say what it runs`, look };
}

/** Versions of the running kubelet and containerd (`containerd://1.6.20~ds1`), as the kubelet posts them at its start. */
function runningVersions(
  kubernetes: Kubernetes,
  name: string,
): Probe<{ kubelet: string; containerd: string }> {
  return apiProbe(`the kubelet of ${name} to say what runs`, async () => {
    const info = (await kubernetes.core.readNode({ name })).status?.nodeInfo;
    if (info === undefined) return { done: false, seen: 'the node has no status yet' };
    const containerd = info.containerRuntimeVersion.replace(/^.*:\/\//, '');
    return { done: true, value: { kubelet: info.kubeletVersion, containerd } };
  });
}

/** The configuration that a kubelet really uses: `configz`, a debugging endpoint that every release has. */
function kubeletConfiguration(kubernetes: Kubernetes, node: string): Probe<Record<string, unknown>> {
  return apiProbe(`the kubelet of ${node} to say how it is configured`, async () => {
    const { status, text } = await kubernetes.get(`/api/v1/nodes/${node}/proxy/configz`);
    if (status !== 200) return { done: false, seen: `HTTP ${status}: ${text.slice(0, 200)}` };
    const { kubeletconfig } = JSON.parse(text) as { kubeletconfig: Record<string, unknown> };
    return { done: true, value: kubeletconfig };
  });
}
