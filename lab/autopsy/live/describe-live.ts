import { shellWord } from '../../model/text/shell.ts';
import type { LiveQuestion, NodeAccess } from './live-files.ts';
import { listNodeCommands, listNodeQuestions } from './node-questions.ts';

/** Journals that a person collects by hand begin so long ago. */
const BY_HAND_HOURS = 6;

/** Commands that a person runs by hand where whodunit may not, and what to do with their output. */
export function printCommands({ namespace, pod }: LiveQuestion, nowMs: number): string {
  const [inNamespace, name] = [`-n ${shellWord(namespace)}`, shellWord(pod)];
  const until = Math.ceil(nowMs / 1000);
  const since = until - BY_HAND_HOURS * 3600;
  const commands = listNodeCommands(listNodeQuestions({ podName: { namespace, pod }, since, until }));
  return [
    '# 1. Where kubectl works:',
    'mkdir -p autopsy && cd autopsy',
    `kubectl get pod ${inNamespace} ${name} -o json > pod.json`,
    `kubectl get events ${inNamespace} --field-selector involvedObject.name=${name} -o json > events.json`,
    `kubectl get pod ${inNamespace} ${name} -o jsonpath='{.spec.nodeName}'; echo`,
    '',
    '# 2. On that node, as root, in an empty folder.',
    `# Journals are read of the last ${BY_HAND_HOURS} hours. For an older death put an earlier time in the place of @${since}: @$(date -d "2 days ago" +%s)`,
    ...commands,
    '',
    '# 3. From the folder above, with both:',
    `npx whodunit autopsy autopsy <folder of the node> --pod ${shellWord(`${namespace}/${pod}`)}`,
  ].join('\n');
}

const BY_KUBELET = [
  'what the API lets through to the kubelet of the node: get nodes/proxy',
  'that is its counts of OOM kills, and journals where NodeLogQuery is enabled',
];

const RIGHTS: Readonly<Record<NodeAccess, readonly string[]>> = {
  none: BY_KUBELET,
  kubelet: BY_KUBELET,
  'debug-pod': [
    'one privileged pod on the node, removed at the end: create, get, delete pods, create pods/exec',
    'it mounts the node read-only, gets no token, and ends by itself after 5 minutes',
  ],
  ssh: ['one script on the node by your ssh: sudo -n without a password'],
};

/** What a live autopsy would do. */
export function describeLive({ namespace, pod, access, debugNamespace }: LiveQuestion): string {
  return [
    `would read pod ${namespace}/${pod}, its events, its node and the events of that: get pods, events, nodes`,
    ...RIGHTS[access].map((line) => `would use ${access}: ${line}`),
    ...(access === 'debug-pod' ? [`would make the pod in namespace ${debugNamespace}`] : []),
    'nothing was read',
  ].join('\n');
}
