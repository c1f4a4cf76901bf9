import type { Attribution } from '../../model/saved/formats.ts';
import type { Killer } from '../../model/killers/killers.ts';
import type { Observation } from '../../model/evidence/observation.ts';
import { deriveOnce } from '../records/derive-once.ts';
import type { EvidenceIndex } from '../records/evidence-index.ts';

/**
 * What an input is made of, each with all before it. `api`: objects and events of the API only. `logs`: logs of the node
 * as well. `counters`: and counters of the kernel that were read afterwards. `trace`: a witness was there when it happened.
 */
export const PROFILES = ['api', 'logs', 'counters', 'trace'] as const;
export type Profile = (typeof PROFILES)[number];

type Confidence = Attribution['confidence'];

/** How sure an answer can be at most, by what the input is made of, in the order of the profiles. */
type Ceiling = readonly [api: Confidence, logs: Confidence, counters: Confidence, trace: Confidence];

/** The API only repeats what runtime and kubelet say, and these do not know why the kernel killed. */
const OF_KERNEL: Ceiling = ['none', 'likely', 'proven', 'proven'];
/** Somebody may have sent a signal while it was being stopped: only a trace tells. */
const OF_REQUEST: Ceiling = ['likely', 'likely', 'likely', 'proven'];
/** Its own log names the victim. */
const OF_NODE: Ceiling = ['none', 'likely', 'likely', 'proven'];
/** A program may have chosen its exit code after a signal that nobody saw. */
const OF_PROGRAM: Ceiling = ['none', 'likely', 'likely', 'proven'];
/** The sender of a signal is in the trace only. */
const OF_STRANGER: Ceiling = ['none', 'none', 'none', 'proven'];

/** The table of ceilings: one row for each killer. */
const CEILINGS: Readonly<Record<Exclude<Killer, 'unknown'>, Ceiling>> = {
  'memcg-oom': OF_KERNEL,
  'global-oom': OF_KERNEL,
  'container-init-oom': ['likely', 'likely', 'proven', 'proven'],
  'kubelet-eviction': OF_REQUEST,
  'kubelet-cgroup-missing': OF_NODE,
  'liveness-probe': OF_REQUEST,
  'api-deletion': OF_REQUEST,
  preemption: OF_REQUEST,
  deadline: OF_REQUEST,
  'node-shutdown': OF_REQUEST,
  'spec-change': OF_REQUEST,
  'pod-lifecycle': OF_REQUEST,
  // Boot ids on both sides are proof enough: nothing survives a boot.
  'node-reboot': ['likely', 'proven', 'proven', 'proven'],
  'runtime-stop': OF_NODE,
  'runtime-lost': OF_NODE,
  'sandbox-died': OF_NODE,
  'systemd-oomd': OF_NODE,
  earlyoom: OF_NODE,
  'pids-limit': ['none', 'likely', 'likely', 'likely'],
  seccomp: OF_PROGRAM,
  'external-signal': OF_STRANGER,
  'self-exit': ['likely', 'likely', 'likely', 'proven'],
  'self-signal': OF_PROGRAM,
  // The API calls a container running until somebody tells it otherwise.
  none: ['none', 'likely', 'likely', 'proven'],
};

const OF_LOGS: readonly Observation['ref']['source'][] = [
  'kmsg',
  'containerd',
  'kubelet',
  'system',
  'tasks',
  'cri',
];

/** What one record makes of the input that it is in. */
function profileOfRecord(seen: Observation): Profile {
  if (seen.ref.source === 'trace' || seen.kind === 'process-exited') return 'trace';
  if (seen.kind === 'node-beat' && seen.oomKills !== undefined) return 'counters';
  if (seen.kind === 'cgroup-values' && seen.values.oom_kill !== undefined) return 'counters';
  return OF_LOGS.includes(seen.ref.source) ? 'logs' : 'api';
}

/** What the records of each node are made of. */
const profilesOf = deriveOnce((all: readonly Observation[]) => {
  const profiles = new Map<string | undefined, Profile>();
  for (const seen of all) {
    if (seen.kind === 'lost') continue;
    const own = profileOfRecord(seen);
    const known = profiles.get(seen.node);
    if (known === undefined || PROFILES.indexOf(own) > PROFILES.indexOf(known)) profiles.set(seen.node, own);
  }
  return profiles;
});

/** What an input is made of, as far as it is about one node. */
export function profileOf({ all }: EvidenceIndex, node: string | undefined): Profile {
  return profilesOf(all).get(node) ?? 'api';
}

/** How sure an answer about a killer can be at most. */
export function ceilingOf(killer: Killer, profile: Profile): Confidence {
  return killer === 'unknown' ? 'none' : (CEILINGS[killer][PROFILES.indexOf(profile)] ?? 'none');
}

const NEEDED: Readonly<Record<Profile, string>> = {
  api: 'the API only repeats what others told it; logs of the node would tell more',
  logs: 'no counter of the kernel was read; /proc/vmstat and memory.events of the pod would tell more',
  counters: 'nobody traced the signals of the node',
  trace: 'the records of a trace do not suffice for it',
};

/** Leaves an answer as sure as its sources can make it at most: above that it is a doubt, or nothing is named. */
export function keepBelow(attribution: Attribution, profile: Profile): Attribution {
  const ceiling = ceilingOf(attribution.killer, profile);
  if (ceiling === 'proven' || attribution.confidence === 'none') return attribution;
  if (ceiling === 'likely')
    return attribution.confidence === 'proven'
      ? { ...attribution, confidence: 'likely', doubts: [...(attribution.doubts ?? []), NEEDED[profile]] }
      : attribution;
  const { victim, because, chain, findings, excluded, open = [], figures, killer } = attribution;
  const wanted = 'a trace of signals on its node';
  return {
    killer: 'unknown',
    victim,
    confidence: 'none',
    because,
    chain,
    findings,
    excluded,
    open: [...open, { what: killer, why: NEEDED[profile], wanted }],
    figures,
  };
}
