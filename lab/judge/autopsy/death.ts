import { UNNAMED_POD } from '../../model/evidence/unnamed-pod.ts';
import type { EvidenceRef } from '../../model/saved/formats.ts';

/** One death that the input knows of. What no record says is undefined. */
export interface Death {
  readonly node: string | undefined;
  readonly namespace: string | undefined;
  readonly pod: string | undefined;
  readonly podUid: string | undefined;
  /** Name of the container in its pod. */
  readonly container: string | undefined;
  readonly containerId: string | undefined;
  /** Counts the containers of that name in the pod from 0. */
  readonly attempt: number | undefined;
  /** When, in milliseconds since the epoch. */
  readonly at: number | undefined;
  /** `process`: the OOM killer took a process, and no record says that its container ended, or that it was in one. */
  readonly what: 'container' | 'process';
  readonly exitCode: number | undefined;
  /** As the API or the runtime calls it: `OOMKilled`, `Error`, `Completed`. */
  readonly reason: string | undefined;
  /** Who says so, each source once. */
  readonly refs: readonly EvidenceRef[];
}

/** Which death is asked about. */
export interface AskedDeath {
  /** `<namespace>/<name>`, a name in any namespace, or a uid. */
  readonly pod?: string | undefined;
  /** Its name, or the beginning of its id: 12 hexadecimal digits or more. */
  readonly container?: string | undefined;
  readonly attempt?: number | undefined;
  readonly node?: string | undefined;
}

/** Why no death can be judged: the question fits none, or several. Nothing is guessed. */
export type DeathProblem =
  | { readonly kind: 'no-deaths'; readonly says: string; readonly known: readonly string[] }
  | { readonly kind: 'windows'; readonly says: string }
  | { readonly kind: 'no-such-pod'; readonly says: string; readonly known: readonly string[] }
  | { readonly kind: 'several-pods'; readonly says: string; readonly known: readonly string[] }
  | { readonly kind: 'no-such-container'; readonly says: string; readonly known: readonly string[] }
  | { readonly kind: 'no-such-attempt'; readonly says: string; readonly known: readonly string[] }
  | { readonly kind: 'several-deaths'; readonly says: string; readonly deaths: readonly Death[] }
  | { readonly kind: 'another-node'; readonly says: string; readonly known: readonly string[] };

/** A container in words: `web/api-7d9/server, attempt 2`. */
export function describeContainer({
  namespace,
  pod,
  podUid,
  container,
  containerId,
  attempt,
}: Pick<Death, 'namespace' | 'pod' | 'podUid' | 'container' | 'containerId' | 'attempt'>): string {
  const ofPod =
    pod === undefined
      ? podUid === UNNAMED_POD
        ? UNNAMED_POD
        : `pod ${podUid ?? '?'}`
      : [namespace, pod].filter(Boolean).join('/');
  // A table of pods says of none of them which container it was.
  const named = (container === '' ? undefined : container) ?? containerId?.slice(0, 12);
  const which = attempt === undefined ? '' : `, attempt ${attempt}`;
  return `${ofPod}${named === undefined ? '' : `/${named}`}${which}`;
}
