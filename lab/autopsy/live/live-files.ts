import { messageOfStatus } from '../../drivers/kubernetes/kubernetes-errors.ts';
import { HostError } from '../../model/errors/errors.ts';
import { isObject, tryParseJson } from '../../model/files/parse-json.ts';

/** Ways to a node, from the one that needs the fewest rights. */
export const NODE_ACCESSES = ['none', 'kubelet', 'debug-pod', 'ssh'] as const;
export type NodeAccess = (typeof NODE_ACCESSES)[number];

/** A death to look into, on a cluster that is up. */
export interface LiveQuestion {
  readonly namespace: string;
  readonly pod: string;
  readonly access: NodeAccess;
  /** Where the debug pod is made. */
  readonly debugNamespace: string;
}

/** A file of a live cluster, as a bundle would hold it. */
export interface LiveFile {
  readonly path: string;
  readonly text: string;
}

/** What was read of a cluster, and what was not. */
export interface LiveFiles {
  readonly files: readonly LiveFile[];
  /** What could not be had, each with the reason that the cluster gave. */
  readonly missing: readonly { readonly path: string; readonly why: string }[];
}

/** The API says why in a Status object. */
export function describeRefusal(status: number, text: string): string {
  const message = messageOfStatus(text);
  return `HTTP ${status}${message === undefined ? '' : `: ${message}`}`;
}

/** @throws HostError when the API says something else than an object. */
export function parseAnswer(address: string, text: string): Record<string, unknown> {
  const value = tryParseJson(text);
  if (isObject(value)) return value;
  throw new HostError('LAB_API', `the API answered ${address} with something else than an object`, {
    lastSeen: text.slice(0, 200),
    tryNext: 'ask the same with kubectl: kubectl --kubeconfig … get pods',
  });
}
