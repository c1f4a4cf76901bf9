import { readKubeletEntry } from '../kubelet.ts';
import { readSystemEntry } from '../system.ts';
import type { ProgramEntry } from '../formats/entry.ts';
import { isKlog, isLogrus } from '../formats/program-lines.ts';

/** Whose words a line is, as far as the judge knows them. */
export type Role = 'kubelet' | 'containerd' | 'system' | 'tasks';

/** Programs that have a kubelet in them, by the names that they have in logs; those of one process for all are below. */
const KUBELETS =
  /^(?:kubelet|kubenswrapper|hyperkube|kubelet-wrapper|microk8s\.kubelet|origin-node|atomic-openshift-node)/;
const RUNTIMES = /^(?:containerd|dockerd|docker|crio|cri-o|cri-dockerd|microk8s\.containerd|conmon)$/;
/** Distributions that run kubelet and runtime in one process or unit. */
const BOTH = /^(?:k3s|rke2|k0s|microk8s\.daemon-kubelite|kubelite)/;
const SYSTEM = /^(?:systemd|systemd-logind|systemd-oomd|earlyoom|talos)$/;
/** Files of these programs are of klog too. */
const OTHERS = /^kube-|^etcd$/;

/** Texts of a runtime that say something: containerd's, CRI-O's and dockerd's. */
export const RUNTIME_WORDS =
  /TaskOOM|TaskExit|exit event|shim (?:disconnected|reaped)|get task exit status|(?:Stop|Kill) ?[cC]ontainer|StartContainer|CreateContainer|RunPodSandbox|successfully booted|St(?:opp(?:ing|ed)|arted) container|Created container|Ran pod sandbox|runsc|^container [a-z]+ [0-9a-f]{64} \(/;

/**
 * Tells whose words a line is, by who wrote it; undefined when the judge knows no words of that program. What a program writes
 * into a log under its own name is not a word of the kubelet, whatever it says.
 *
 * @param unit whose file it is, for lines that do not say it.
 */
export function roleOf({ by, message }: ProgramEntry, unit: string | undefined): Role | undefined {
  const writer = by === '' ? (unit ?? '') : by;
  if (writer === 'ctr') return 'tasks';
  if (SYSTEM.test(writer)) return 'system';
  if (KUBELETS.test(writer)) return 'kubelet';
  if (RUNTIMES.test(writer)) return 'containerd';
  if (OTHERS.test(writer) || (by !== '' && !BOTH.test(writer))) return undefined;
  // A process for both writes klog for the one and logrus for the other.
  if (isLogrus(message)) return 'containerd';
  // Every controller writes klog, too.
  if (writer === '') return isOfKubeletSource(message) ? 'kubelet' : undefined;
  return isKlog(message) || by === '' ? 'kubelet' : undefined;
}

/** The file of the source that a line of klog has in its header, or in what people leave of it. */
const SOURCE = /^(?:(?:\.{3}|…) ?)?(?:[IWEF]?\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ )?(?<source>[\w.-]+\.go):\d+\] /;
/**
 * Files of the kubelet that print what the judge knows, by the names that they have had since 1.2. Others have a `generic.go` and a
 * `util.go`, too, but not the kubelet's sentences in it.
 */
const OF_KUBELET =
  /^(?:kubelet\w*|kuberuntime_\w+|docker_manager|manager|pod_workers|pod_container_deletor|pod_startup_latency_tracker|eviction_manager|helpers|generic|evented|prober|oom_watcher\w*|nodeshutdown_manager\w*|util|scope|topology_manager)\.go$/;

function isOfKubeletSource(message: string): boolean {
  const source = SOURCE.exec(message)?.groups?.['source'];
  return source !== undefined && OF_KUBELET.test(source);
}

/** Whether a line may say something that matters. */
export function isOfUse(role: Role, entry: ProgramEntry): boolean {
  const { message } = entry;
  const line = { at: undefined, message, by: entry.by, line: entry.line };
  if (role === 'kubelet') return readKubeletEntry(line, '') !== undefined;
  if (role === 'system') return readSystemEntry(line, '') !== undefined;
  return role === 'tasks' || RUNTIME_WORDS.test(message);
}
