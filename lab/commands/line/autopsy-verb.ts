import { JSON_FLAG, type Verb } from './verb.ts';

const NEEDS_CLUSTER = 'it is about a cluster, and --kubeconfig names none';

/** The verb that judges deaths which the lab did not stage (docs/autopsy.md). */
export const AUTOPSY_VERB: Verb = {
  name: 'autopsy',
  words: '[path-or-pod...]',
  about: 'find out who killed a pod of any cluster, from your logs and objects, or through a kubeconfig',
  flags: {
    ...JSON_FLAG,
    markdown: 'print Markdown to paste into an issue; names and texts of your files are in it',
    pod: 'the pod that died; needed if the files have several',
    container: 'its container; needed if several containers of the pod died',
    attempt: 'which start of the container, counted from 0 (default: the newest one that died)',
    node: 'its node; needed if pods with that name ran on several nodes',
    list: 'list every death in the files, newest first',
    timezone: 'the time zone of logs that do not name one: UTC, Europe/Vienna, +02:00',
    year: 'the year of logs that do not name one',
    save: 'save the evidence in a new folder, without known kinds of secrets; `judge` reads it',
    redact: 'what --save takes out: secrets (default), or strict: names and addresses too',
    kubeconfig: 'read a pod of this cluster; name it as <namespace>/<pod>',
    context: 'the context of the kubeconfig (default: its current one)',
    nodeAccess: 'how to read its node: none (default), kubelet, debug-pod or ssh',
    debugNamespace: 'the namespace of the pod that --node-access debug-pod creates (default: default)',
    printCommands: 'print commands to run by hand; give their output to autopsy',
    dryRun: 'show what would be read from the cluster, and which rights that needs; reads nothing',
  },
  unused: [
    {
      flags: ['redact'],
      when: (_, { save }) => save === undefined,
      why: 'it says what --save takes out',
    },
    {
      flags: ['json', 'markdown'],
      when: (_, { printCommands, dryRun }) => printCommands === true || dryRun === true,
      why: 'what is printed is for a person',
    },
    { flags: ['json'], when: (_, { markdown }) => markdown === true, why: '--markdown prints only Markdown' },
    {
      flags: ['save'],
      when: (_, { markdown }) => markdown === true,
      why: 'save first, then give the saved folder to autopsy --markdown',
    },
    {
      flags: ['save'],
      when: (_, { printCommands, dryRun }) => printCommands === true || dryRun === true,
      why: 'nothing is read',
    },
    {
      flags: ['context', 'nodeAccess', 'debugNamespace', 'dryRun'],
      when: (_, { kubeconfig, printCommands }) => kubeconfig === undefined && printCommands !== true,
      why: NEEDS_CLUSTER,
    },
    {
      flags: ['attempt'],
      when: (_, { list }) => list === true,
      why: '--list names every attempt',
    },
    {
      flags: ['pod', 'list'],
      when: (_, { kubeconfig, printCommands }) => kubeconfig !== undefined || printCommands === true,
      why: 'the word names the pod',
    },
  ],
  details: `Paths are files, folders and archives (tar, zip, gzip, xz, zstd); - is standard input. They may hold kernel logs, journals,
klog, logs of containerd and CRI-O, API objects, output of crictl inspect, cgroup files, a sosreport, must-gather or
support bundle, or any mix of these. Each file is recognized by its content, not by its name. Nothing is sent anywhere,
and nothing in the files is executed.`,
  exits: {
    passed: 'the killer is named',
    inconclusive: 'the killer is not named: the answer says what is excluded, and what evidence would decide',
  },
  answers: ['autopsy'],
  examples: [
    'npx whodunit autopsy pod.yaml kubelet.log dmesg.txt',
    'npx whodunit autopsy sosreport-node1.tar.xz --list',
    'npx whodunit autopsy pod.yaml kernel.log --markdown',
    'kubectl get pod web-0 -o yaml | npx whodunit autopsy - kernel.log',
    'npx whodunit autopsy support-bundle.tar.gz --save evidence --redact strict',
    'npx whodunit autopsy default/web-0 --kubeconfig ~/.kube/config --node-access debug-pod',
    'npx whodunit autopsy default/web-0 --print-commands',
  ],
  load: async () => (await import('../verbs/autopsy.ts')).runAutopsy,
};
