import type { Observation } from '../../model/evidence/observation.ts';
import type { ReadBundle } from './read-bundle.ts';

/** A death, as an answer names it. */
export interface DeathInTime {
  /** `<namespace>/<name>`, or a uid. */
  readonly pod?: string | undefined;
  /** When it ended, as ISO 8601. */
  readonly at?: string | undefined;
}

/** Which lines of logs a death needs. */
export interface Window {
  /** Whether the words of a line have to do with one of the deaths. Lines are counted from 1. */
  readonly keeps: (path: string, line: number, text: string) => boolean;
  /** Whether a pod is one that died. */
  readonly isVictim: (pod: {
    readonly uid?: unknown;
    readonly namespace?: unknown;
    readonly name?: unknown;
  }) => boolean;
}

/** So long before and after a death. Backoffs of the kubelet take up to five minutes, graces rarely more. */
const AROUND_MS = 10 * 60_000;

/**
 * The lines around some deaths, and those that name their pods, at any time. Undefined where a death has no time: then
 * nobody can say what is around it.
 */
export function findWindow(
  { observations }: Pick<ReadBundle, 'observations'>,
  deaths: readonly DeathInTime[],
): Window | undefined {
  const times = deaths.map(({ at }) => (at === undefined ? Number.NaN : Date.parse(at)));
  if (times.length === 0 || times.some(Number.isNaN)) return undefined;
  const spans = findSpans(observations, times);
  const names = new Set(deaths.flatMap(({ pod }) => pod ?? []));
  const words = findWords(observations, names);
  return {
    keeps: (path, line, text) =>
      (spans.get(path) ?? []).some(({ from, to }) => from <= line && line <= to) ||
      words.some((word) => text.includes(word)),
    isVictim: ({ uid, namespace, name }) =>
      names.has(`${String(namespace)}/${String(name)}`) || words.includes(String(uid)),
  };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** For each file the lines from the first to the last record of each of these times. */
function findSpans(observations: readonly Observation[], times: readonly number[]): Map<string, Span[]> {
  const spans = new Map<string, Span[]>();
  for (const time of times) {
    const inTime = new Map<string, Span>();
    for (const { at, ref } of observations) {
      if (ref.line === undefined || at === undefined || Math.abs(at - time) > AROUND_MS) continue;
      const { from, to } = inTime.get(ref.file) ?? { from: ref.line, to: ref.line };
      inTime.set(ref.file, { from: Math.min(from, ref.line), to: Math.max(to, ref.line) });
    }
    for (const [file, span] of inTime) spans.set(file, [...(spans.get(file) ?? []), span]);
  }
  return spans;
}

/** Names and ids of pods, their containers and sandboxes. */
function findWords(observations: readonly Observation[], names: ReadonlySet<string>): string[] {
  const uids = new Set(names);
  for (const one of observations) {
    if (one.kind === 'pod-seen' && names.has(`${one.namespace}/${one.name}`)) uids.add(one.uid);
    if (one.kind === 'sandbox-created' && names.has(`${one.namespace ?? ''}/${one.pod ?? ''}`))
      uids.add(one.podUid);
  }
  const ids = observations.flatMap((one) => {
    if (one.kind === 'pod-seen' && uids.has(one.uid)) return one.containers.map(({ id }) => id);
    if (one.kind === 'sandbox-created' && uids.has(one.podUid)) return [one.sandboxId];
    if (one.kind === 'runtime-created' && uids.has(one.podUid)) return [one.containerId, one.sandboxId ?? ''];
    return [];
  });
  const written = [...uids].flatMap((uid) => {
    const [namespace, pod] = uid.split('/');
    // As the kubelet, older kubelets and containerd write a pod; a uid as cgroups have it.
    return pod === undefined ? [uid, uid.replaceAll('-', '_')] : [uid, `${pod}_${namespace}`, `Name:${pod},`];
  });
  return [...new Set([...written, ...ids])].filter((word) => word !== '');
}
