import { JSON_FLAG, type Verb } from './verb.ts';

const needsCluster = 'it is about a cluster, and --kubeconfig names none';

/** The verb that judges what the lab did not collect. */
export const AUTOPSY_VERB: Verb = {
  name: 'autopsy',
  words: '[path-or-pod...]',
  about: 'say who killed a pod of any cluster, by logs and objects that you have, or through a kubeconfig',
  flags: {
    ...JSON_FLAG,
    pod: 'the pod that died; needed where the files know several',
    container: 'its container; needed where several of it died',
    attempt: 'which start of the container, counted from 0 (default: the newest that died)',
    node: 'its node; needed if pods of that name ran on several',
    list: 'list every death that the files know, newest first',
    timezone: 'the zone of logs that do not say theirs: UTC, Europe/Vienna, +02:00',
    year: 'the year of logs that do not say theirs',
    save: 'save what was read as evidence in a new folder, without secrets, for `judge`',
    redact: 'what is taken out of what is saved: secrets (default), or strict: names and addresses too',
    kubeconfig: 'look at a pod of this cluster; the word is <namespace>/<pod>',
    context: 'the context of the kubeconfig (default: its current one)',
    nodeAccess: 'how its node is read: none (default), kubelet, debug-pod or ssh',
    debugNamespace: 'where the one pod of --node-access debug-pod is made (default: default)',
    printCommands: 'print what to run by hand; give its output to autopsy',
    dryRun: 'say what would be read of the cluster, with which rights, and read nothing',
  },
  unused: [
    {
      flags: ['redact'],
      when: (_, { save }) => save === undefined,
      why: 'it says what --save takes out',
    },
    {
      flags: ['json'],
      when: (_, { printCommands, dryRun }) => printCommands === true || dryRun === true,
      why: 'what is printed is for a person',
    },
    {
      flags: ['save'],
      when: (_, { printCommands, dryRun }) => printCommands === true || dryRun === true,
      why: 'nothing is read',
    },
    {
      flags: ['context', 'nodeAccess', 'debugNamespace', 'dryRun'],
      when: (_, { kubeconfig, printCommands }) => kubeconfig === undefined && printCommands !== true,
      why: needsCluster,
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
  details: `Paths are files, folders and archives (tar, zip; gzip, xz, zstd), and - is standard input: kernel logs, journals, klog,
containerd, CRI-O, API objects, crictl inspect, files of cgroups, a sosreport, must-gather, support bundle, or any mix. Each file is known by its
content; names do not matter. Nothing is sent anywhere, and nothing is executed.`,
  exits: {
    passed: 'the killer is named',
    inconclusive: 'it is not: the answer says what is excluded and what would tell',
  },
  answers: ['autopsy'],
  examples: [
    'npx whodunit autopsy pod.yaml kubelet.log dmesg.txt',
    'npx whodunit autopsy sosreport-node1.tar.xz --list',
    'kubectl get pod web-0 -o yaml | npx whodunit autopsy - kernel.log',
    'npx whodunit autopsy support-bundle.tar.gz --save evidence --redact strict',
    'npx whodunit autopsy default/web-0 --kubeconfig ~/.kube/config --node-access debug-pod',
    'npx whodunit autopsy default/web-0 --print-commands',
  ],
  load: async () => (await import('../verbs/autopsy.ts')).runAutopsy,
};
