import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { TRAITS, type Trait } from '../../model/declared/traits.ts';
import type { CaseFact } from '../../model/saved/case.ts';
import { compareAsWritten } from '../../model/variants/versions.ts';

/** How a trait is found. */
interface TraitRow {
  /** How people say it, in a report or in a manifest. */
  readonly said: RegExp;
  /** How manifests, stimuli and measures show it, as JSON. Without: a scenario has it only if it names it. */
  readonly staged?: RegExp;
  /** What it is called in titles of scenarios, where that is something else. */
  readonly titles?: string;
  /** `means`: many scenarios have it to bring something else about. `apart`: a report that has it says so. */
  readonly weight?: 'means' | 'apart';
  /** The first release of Kubernetes that has it: what older ones call so is something else. */
  readonly since?: string;
}

/** A reproduction must have the traits of its report. */
const ROWS: Readonly<Record<Trait, TraitRow>> = {
  'in-place resize': {
    said: /\bin-?place\b[^.\n]{0,40}\b(?:resiz\w+|updat\w+|vertical|scaling)|InPlacePodVerticalScaling|--subresource[= ]resize|\bpod resiz\w+|\bresiz(?:e|ed|ing) (?:of )?(?:a |the )?(?:pod|container|memory|cpu)/i,
    staged: /"subresource":"resize"|resize/i,
    weight: 'apart',
  },
  swap: {
    said: /\b(?:NodeSwap|swapBehavior|LimitedSwap|UnlimitedSwap|zram|swap (?:memory|space|partition|usage|limit|file|is|on|enabled)|memory\.swap\.\w+|(?:with|uses?|using|enable|has|have|had|gets?) swap)\b/i,
    staged: /(?<!k)swap/i,
    weight: 'apart',
  },
  'native sidecar': {
    said: /\b(?:native |restartable )?side-?cars?\b|restartable init|SidecarContainers/i,
    staged: /native sidecar/,
    since: '1.28',
  },
  'user namespace': {
    said: /\bhostUsers\b|\buser ?namespaces?\b|\buserns\b|UserNamespacesSupport/i,
    staged: /"hostUsers":false/,
    weight: 'apart',
  },
  'resource claim': {
    said: /\bresourceClaims?\b|\bDRA\b|dynamic resource allocation/i,
    staged: /"resourceClaims"/,
  },
  PSI: {
    said: /\bPSI\b|pressure[ -]stall|\bKubeletPSI\b|container_pressure_|\b(?:memory|cpu|io)\.pressure\b/,
    staged: /pressure|psi/i,
  },
  'liveness probe': { said: /\bliveness ?probes?\b|failed liveness/i, staged: /"livenessProbe"/ },
  'startup probe': { said: /\bstartup ?probes?\b|failed startup/i, staged: /"startupProbe"/ },
  'exec probe': {
    said: /\bExecSync\b|\bexec[ -]?(?:liveness |readiness |startup )?probes?\b/i,
    staged: /Probe":\{(?:(?!\}).)*"exec"/,
  },
  'preStop hook': { said: /\bpre-?stop\b/i, staged: /"preStop"/ },
  'postStart hook': { said: /\bpost-?start\b/i, staged: /"postStart"/ },
  'device plugin': { said: /\bdevice[- ]plugins?\b|\bno healthy devices\b/i, staged: /device-plugin/ },
  'restart of the kubelet': {
    // The kubelet of k3s and of RKE2 is a part of their only process.
    said: /\b(?:k3s|rke2)(?:-(?:server|agent))?[`"]?(?: process| service)?\b[^.\n]{0,12}\b(?:restart(?:s|ed|ing)?|is killed)\b|\b(?:kill|restart)(?:s|ed|ing)? (?:of )?(?:the )?(?:old )?[`"]?(?:k3s|rke2)(?:-(?:server|agent))?\b|\bkubelet(?: process| service)?\b[^.\n]{0,12}\brestart(?:s|ed|ing)?\b|\brestart(?:s|ed|ing)? (?:of )?(?:the )?kubelet\b/i,
    staged: /systemctl (?:stop|restart|start) kubelet/,
    titles: 'kubelet starts again',
    weight: 'means',
  },
  'reboot of the node': {
    said: /\b(?:nodes?|host|machine|server)\b[^.\n]{0,20}\breboot\w*|\breboot\w*\b[^.\n]{0,12}\b(?:node|host|machine|server)\b|\b(?:node|host|machine) (?:restarts?|restarted|is restarted)\b|^-- (?:Re)?boot\b.*--$/i,
    staged: /reboot/,
    weight: 'means',
  },
  'OOM of the node': {
    said: /\b(?:nodes?|host|machine|system|server)\b (?:runs?|ran|running|is|was) (?:completely )?out of memory\b|\bSystem ?OOM\b|\bglobal[-_ ]oom\b|constraint=CONSTRAINT_NONE|(?<!cgroup )\bout of memory: kill(?:ed)? process \d/i,
    staged: /sysrq-trigger/,
  },
  oom_score_adj: { said: /\boom[-_ ]?score(?:[-_ ]?adj\w*)?\b(?![:=]-?\d)/i, staged: /oom_score|oom-score/ },
  'static pod': { said: /\bstatic pods?\b|\bmirror pods?\b/i, staged: /static/i },
  'ephemeral storage': {
    said: /\bephemeral[- ]storage\b|\bemptyDir\b[^.\n]{0,40}\b(?:limit|exceed\w*|full)\b|\bexceed\w* [^.\n]{0,30}\bemptyDir\b/i,
    staged: /"ephemeral-storage"|"sizeLimit"/,
    titles: 'eviction ephemeral storage',
  },
  gVisor: { said: /\bgvisor\b|\brunsc\b/i, staged: /gvisor|runsc/, weight: 'apart' },
  zombies: {
    said: /\bzombies?\b(?! (?:container|pod|task)s?\b)|\bdefunct\b/i,
    staged: /zombie/,
    weight: 'apart',
  },
  'hunt for zombies': {
    said: /\b(?:kill|remov|clean|reap)\w*\b[^.\n]{0,40}\bzombies?\b|\bzombies?\b[^.\n]{0,40}\b(?:cron ?(?:tab|job)s?|(?:kill|end)s?[^.\n]{0,20} parents?)\b/i,
    weight: 'apart',
  },
  'dying memory cgroups': {
    said: /\bdying (?:memory )?cgroups?\b|\bnokmem\b|\bmkdir \/sys\/fs\/cgroup\/memory\/\S+ (?:cannot allocate memory|no space left on device)/i,
    weight: 'apart',
  },
  'leaked cgroups': {
    said: /\bfailed to delete cgroup paths\b|\bcgroups?\b(?: (?:director(?:y|ies)|paths?|slices?|scopes?))? (?:leak\w*|(?:is|are) not (?:deleted|removed|cleaned)\b)|\bleak\w*\b[^.\n]{0,20}\b(?:cgroups?|scopes?)\b|\bscopes? leak\w*|\bleft-?over\b[^.\n]{0,20}\b(?:scopes?|units?)\b|\bscopes?(?: units?)? (?:stays?|remains?|(?:is|are) left)\b|\bkeeps? (?:the |its )?scopes? around\b|\bunit \S+\.scope was already loaded\b|waiting for systemd to remove\b/i,
    titles: 'leaves units behind',
    weight: 'apart',
  },
  'image pull': {
    said: /\b(?:image pulls?|pull(?:s|ing)? (?:of )?(?:an? |the )?(?:\w+ )?images?)\b[^.\n]{0,80}\b(?:hangs?|hung|stuck|stalls?|slow\w*|block\w*|never|times? out)\b/i,
  },
  'refused by the kubelet': {
    said: /\bUnexpectedAdmissionError\b|\bOutOf(?:cpu|memory|pods)\b|\bPod was rejected\b|\breason["':=\s]+NodeAffinity\b/i,
    titles: 'kubelet rejects the running pod',
    weight: 'apart',
  },
  'driver mismatch': {
    said: /\bcgroup[- ]?drivers?\b[^.\n]{0,60}\b(?:is different|mismatch\w*|differs?|does not match)\b|\bmis-?match\w*[^.\n]{0,40}\bcgroup[- ]?drivers?\b|\bkubepods[\w.-]*\.slice:(?:cri-containerd|crio|docker):/i,
    staged: /"drivers":"(?:systemd\+cgroupfs|cgroupfs\+systemd)"/,
    weight: 'apart',
  },
  'restart of containerd': {
    said: /\bcontainerd\b[^.\n]{0,30}\brestart(?:s|ed|ing)?\b|\bcontainerd(?:\.service| service| daemon)?[`"]? (?:is not running|is stopped)\b|\brestart(?:s|ed|ing)?\b[^.\n]{0,20}\bcontainerd\b(?!-shim)|\bsystemctl (?:stop|restart) containerd\b/i,
    staged: /systemctl (?:stop|restart|start) containerd/,
  },
  'reload of systemd': { said: /\bdaemon-re(?:load|exec)\b/, staged: /daemon-re(?:load|exec)/ },
  'OOM killer in user space': {
    said: /\bsystemd-oomd\b|\bearly-?oom\b|\buser-?space oom|\boomd\b|\bOOMController\b|\boom-?killer\b[^.\n]{0,40}\buser-?space\b/i,
    staged: /oomd|earlyoom/,
    titles: 'systemd-oomd earlyoom',
  },
  'single process killed': {
    // An error about the file says nothing of whom the kernel kills.
    said: /\bsingleProcessOOMKill\b|\bmemory\.oom\.group\b(?!: no such file)|\bcgroup[- ]aware OOM\b/i,
    staged: /singleProcessOOMKill|oom\.group|"oom-group"/,
  },
  'OOM kill of a child': {
    said: /\b(?:child|worker)(?: process(?:es)?)?(?: (?:is|was|gets?|being))?[ `]{1,2}OOM[- ]?killed\b|\bOOM[- ]?kill(?:s|ed|er)?\b[^.\n]{0,30}\b(?:a|the|its|only) child\b|\bnon[- ]init process\b[^.\n]{0,20}\bkilled\b/i,
    titles: 'child OOM-killed',
  },
  eviction: { said: /\bevict(?:ed|ions?|s|ing)\b/i, staged: /evict/i },
  'memory pressure of the node': {
    said: /\bMemoryPressure\b|\bKubeletHasInsufficientMemory\b|\bmemory[- ]pressure (?:taints?|conditions?|on (?:the )?(?:\w+ )?nodes?)\b/i,
    titles: 'eviction memory',
  },
  'image volume': {
    said: /\bImageVolume\b|\bimage volumes?\b|\bOCI (?:volume|artifact) (?:source|mount)s?\b/i,
    staged: /"image":\{"(?:reference|pullPolicy)"/,
  },
  'NRI plugin': { said: /\bNRI\b|\bnri\.[A-Z]\w+/, staged: /\bnri\b/ },
  'CPU quota': {
    said: /\b(?:cfs|cpu)[ _-]?(?:cfs[ _-])?quota\b|\bCPU throttl\w+|\bthrottl\w+ [^.\n]{0,20}\bCPU\b|\bcpu\.max\b/i,
    titles: 'CPU limit',
  },
  'image garbage collection': {
    said: /\bimage (?:garbage[- ]collect\w+|GC)\b|\bimageGC\w*|\bunused images?\b|\bimage-gc-\w+/i,
    staged: /imageGC/,
    weight: 'apart',
  },
  'end before the start': {
    said: /\bcontainer init (?:exited prematurely|was OOM-killed|caused)\b|runc:\[\d:INIT\]|\bmemory limit (?:\w+ ){0,2}too (?:low|small)\b/i,
    titles: 'limit too small runtime start container',
    weight: 'apart',
  },
  'cgroup v1 refused': {
    said: /\bfail-?cgroup-?v1\b|\bto not run on a host using cgroup v1\b/i,
    staged: /fail-?cgroup-?v1/i,
    weight: 'apart',
  },
  'node shutdown': {
    said: /\bgraceful(?: node)? shutdown\b|shutdownGracePeriod|GracefulNodeShutdown/i,
    staged: /shutdownGracePeriod|"how":"shutdown"|\bnode[- ]shutdown\b/i,
  },
  'pids limit': {
    said: /\bpids?[ -]?limit\b|podPidsLimit|\bpids\.max\b|fork: (?:retry|resource)|pthread_create(?:\(\))? failed|\bunable to create (?:new )?native thread|\bcan't start new thread|\bfailed to create new OS thread\b/i,
    staged: /pids/i,
  },
  'memory volume': { said: /\bmedium:\s*["']?Memory\b|\btmpfs\b|\/dev\/shm/i, staged: /"medium":"Memory"/ },
  'huge pages': { said: /\bhuge[- ]?pages?\b|\bhugetlb\w*/i, staged: /hugepages/i },
  GPU: { said: /nvidia\.com\/gpu|\bGPUs?\b/, staged: /gpu/i },
  'nested cluster': {
    said: /\bkind create cluster\b|\bk3d\b|\bkindest\/node\b|\bkind-control-plane\b|docker[- ]in[- ]docker|\bdind\b(?=[^.\n]{0,60}\b(?:kind|clusters?|nodes?|kubelet)\b)|rootless (?:podman|container)/i,
    staged: /delegate/i,
  },
  'metric or event': {
    said: /\bmetrics?\b[^.\n]{0,60}\b(?:0|zero|wrong|missing|incorrect|not)\b|container_oom_events_total/i,
    staged: /metric|events?/i,
  },
  'event of an OOM kill': {
    said: /\b(?:no|without|makes no) (?:System)?OOM\w* events?\b|\bSystem ?OOM\b/i,
  },
  // Most who write `kubectl exec` look at something.
  'exec session': {
    said: /\bkubectl exec\b(?![^\n]*\b(?:cat|ls|dd|ps|curl|env|hostname|mount|df|free|top|grep|head)\b)|\bexec sessions?\b/i,
    staged: /"exec"/,
  },
  'pod deletion': {
    said: /\bkubectl delete pod|\bstuck (?:in |at )?(?:the |a )?['"`]?terminating\b|\bpods? (?:is|are|gets?|being) (?:deleted|terminated)\b/i,
    staged: /delete/i,
  },
};

/** Words in front of a trait that say that there is none of it. */
const WITHOUT =
  /\b(?:no|not|never|without|not use|rather than|instead of|disabl(?:ed?|ing)|absence of|lack of|off)\s+(?:\w+\s+)?$|n['’]t been (?:\w+\s+)?$/i;

/** The words of a text that say a trait; undefined when it does not. */
export function findTraitWords(trait: Trait, text: string): string | undefined {
  const match = ROWS[trait].said.exec(text);
  return match === null || WITHOUT.test(text.slice(0, match.index)) ? undefined : match[0];
}

/** The words to search the catalogue for. */
export function wordsOfTrait(trait: Trait): string {
  return ROWS[trait].titles ?? trait;
}

/** Whether a release of Kubernetes is too old for a trait. */
export function isBeforeTrait(trait: Trait, release: string): boolean {
  const { since } = ROWS[trait];
  return since !== undefined && compareAsWritten(release, since) < 0;
}

/** How much a scenario that has a trait says of a report that does not: 1 for nothing against it. */
export function weightOfTrait(trait: Trait): number {
  const row = ROWS[trait];
  if (row.weight === undefined) return 0.85;
  return row.weight === 'means' ? 1 : 0.3;
}

/** Whether the facts of a report have a trait. */
export function hasTrait(facts: readonly CaseFact[], trait: Trait): boolean {
  return facts.some(({ name, value }) => name === 'trait' && value === trait);
}

/**
 * The traits of a scenario: those that it names, and those that show in what is deployed, done and measured, or in `beside`:
 * what a bug, the settings of its knob or a variant add. Its name and its tags are only words.
 */
export function traitsOfScenario(
  { manifests, later, scenario }: Pick<LoadedScenario, 'manifests' | 'later' | 'scenario'>,
  beside: unknown = {},
): Trait[] {
  const files = [manifests, later, scenario.stimulus, scenario.measures, beside];
  const text = `${JSON.stringify(files)}${hasSidecar(files) ? ' native sidecar' : ''}`;
  return TRAITS.filter((trait) => scenario.traits.includes(trait) || isStaged(trait, text));
}

/** Whether the title of a scenario or of a bug is about a trait. */
export function isTitled(trait: Trait, title: string): boolean {
  return isStaged(trait, title) || findTraitWords(trait, title) !== undefined;
}

function isStaged(trait: Trait, text: string): boolean {
  return ROWS[trait].staged?.test(text) ?? false;
}

/** Whether some pod has an init container that goes on running. */
function hasSidecar(files: unknown): boolean {
  if (Array.isArray(files)) return files.some(hasSidecar);
  if (typeof files !== 'object' || files === null) return false;
  const { initContainers } = files as Record<string, unknown>;
  const isOne = (one: unknown): boolean =>
    typeof one === 'object' && one !== null && (one as Record<string, unknown>).restartPolicy === 'Always';
  return (
    (Array.isArray(initContainers) && initContainers.some(isOne)) || Object.values(files).some(hasSidecar)
  );
}
