import { describe, expect, it } from 'vitest';
import { findBlock } from '../../../bin/docs/marked-block.ts';
import type { Attribution } from '../../../lab/model/saved/formats.ts';
import { countUntraced, renderUntraced } from '../../fixtures/evidence/count-untraced.ts';
import { isSurer } from '../../fixtures/evidence/judged-subjects.ts';
import {
  addEarlierDeath,
  addLaterRequest,
  EARLIER_DEATHS,
  LATER_REQUESTS,
  lifetimeOf,
  whyNotEarlier,
  type Lifetime,
} from '../../fixtures/evidence/add-beside.ts';
import {
  captureNames,
  judgeCapture,
  loadCapture,
  sampledCaptureNames,
  type Capture,
} from '../../fixtures/evidence/load-capture.ts';
import {
  leaveOnly,
  modesOf,
  SUBSETS,
  withRuntime,
  type RuntimeNames,
} from '../../fixtures/evidence/take-away.ts';
import { readProjectText } from '../project-files.ts';

/** A capture, loaded and judged once, with what a test needs to change it; `base` has the true killer. */
interface Subject {
  readonly name: string;
  readonly capture: Capture;
  readonly base: Attribution;
  readonly first: First | undefined;
  readonly life: Lifetime | undefined;
}

/** The first container of the judged pod, as the API had it. */
interface First {
  readonly uid: string;
  readonly containerId: string;
  /** In ms; undefined when it lives, or when the API never heard of its end. */
  readonly finishedMs: number | undefined;
}

const subjects: readonly Subject[] = captureNames().map((name) => {
  const capture = loadCapture(name);
  const first = findFirst(capture);
  const life = first && lifetimeOf(capture, first.containerId);
  const judged = judgeCapture(capture).attribution;
  const expected = capture.expected as Partial<Attribution>;
  const { killer = judged.killer, how = judged.how } = expected;
  return { name, capture, base: { ...judged, killer, how }, first, life };
});

/** Those that are judged with each way in which sources can be missing. */
const drawn = subjects.filter(({ name }) => sampledCaptureNames().includes(name));

const textOf = ({ killer, how, confidence }: Attribution): string =>
  [killer, how, confidence].filter((part) => part !== undefined).join(' ');

/** What is wrong with a verdict that came of the same end, as text for whoever reads the failure. */
function compare(
  { name, base, capture }: Subject,
  changed: Capture | undefined,
  isWrong: (now: Attribution, before: Attribution) => boolean,
): string[] {
  if (changed === undefined || changed === capture) return [];
  const now = judgeCapture(changed).attribution;
  return isWrong(now, base) ? [`${name}: ${textOf(base)} -> ${textOf(now)}`] : [];
}

const otherKiller = (now: Attribution, before: Attribution): boolean => now.killer !== before.killer;

describe('what happened before or after the end and has nothing to do with it changes no killer', () => {
  it.each(EARLIER_DEATHS)('another process of the container %s early', (kind) => {
    const wrong: string[] = [];
    let told = 0;
    for (const subject of subjects) {
      const { life, capture, base } = subject;
      if (
        life === undefined ||
        whyNotEarlier(kind, life, { killer: base.killer, how: base.how }) !== undefined
      )
        continue;
      told += 1;
      wrong.push(...compare(subject, addEarlierDeath(capture, life, kind), otherKiller));
    }
    expect(wrong).toEqual([]);
    expect(told, 'captures in which it can happen').toBeGreaterThan(20);
  });

  it.each(LATER_REQUESTS)('%s after the end', (kind) => {
    const wrong: string[] = [];
    let told = 0;
    for (const subject of subjects) {
      const { capture, first, base } = subject;
      const endedMs = endOf(subject);
      // Who lives on has no end: what is asked of it then may yet end it.
      if (first === undefined || endedMs === undefined || base.killer === 'none') continue;
      told += 1;
      wrong.push(...compare(subject, addLaterRequest(capture, kind, { endedMs, ...first }), otherKiller));
    }
    expect(wrong).toEqual([]);
    expect(told, 'captures in which it can happen').toBeGreaterThan(40);
  });
});

describe('a source that is missing leaves the killer or makes it unknown', () => {
  const rows = SUBSETS.flatMap(([name, left]) => modesOf(left).map((mode) => [name, mode, left] as const));

  it.each(rows)('%s, the others %s', (_, mode, left) => {
    const isWrong = (now: Attribution, before: Attribution): boolean =>
      isSurer(now, before) || (now.killer !== 'unknown' && otherKiller(now, before));
    expect(
      drawn.flatMap((subject) => compare(subject, leaveOnly(subject.capture, left, mode), isWrong)),
    ).toEqual([]);
  });
});

/**
 * What decides those that are lost is in the witness alone: who sent a signal, whether a program answered one by ending with a code
 * of its own, what its cgroup lacked, that it lived on, and when a kill in a kernel log was that only its end dates.
 */
describe('without the witness', () => {
  it('as many captures keep their killer as docs/measured/staged.md says, and none gets another one', () => {
    const untraced = countUntraced();
    expect(untraced.wrong).toEqual([]);
    const words = (text: string): string[] => text.trim().split(/\s+/);
    const written = findBlock(readProjectText('docs/measured/staged.md'), 'without-witness') ?? '';
    expect(words(written), untraced.unknown.join('\n')).toEqual(words(renderUntraced(untraced)));
  });
});

describe('the runtime is known by what it is, not by what it is called', () => {
  const runtimes: readonly RuntimeNames[] = [
    { unit: 'k3s.service', shim: 'containerd-shim', runc: 'runc' },
    { unit: 'k3s.service', shim: 'containerd-shim', runc: 'runc', untold: true },
    { unit: 'crio.service', shim: 'conmon', runc: 'crun' },
    { unit: 'snap.microk8s.daemon-containerd.service', shim: 'containerd-shim', runc: 'youki' },
  ];

  it.each(runtimes)('$unit with $shim and $runc, names untold: $untold', (names) => {
    const isWrong = (now: Attribution, before: Attribution): boolean =>
      otherKiller(now, before) || now.how !== before.how || isSurer(now, before);
    // The kernel's log names runc's own first process there.
    const those = drawn.filter(({ base }) => base.killer !== 'container-init-oom');
    expect(
      those.flatMap((subject) => compare(subject, withRuntime(subject.capture, names), isWrong)),
    ).toEqual([]);
  });
});

/** The end of the first process; with its node, when the trace has none. */
function endOf({ capture, life, first }: Subject): number | undefined {
  const exit = life && findExit(capture, life);
  return exit ?? first?.finishedMs;
}

function findExit(capture: Capture, { pid, bornUs, originMs }: Lifetime): number | undefined {
  for (const line of (capture.files.get('node-1/witness.jsonl') ?? '').split('\n')) {
    if (!line.includes('"kind":"exit"')) continue;
    const exit = JSON.parse(line) as { pid: number; mono: number };
    if (exit.pid === pid && exit.mono > bornUs) return originMs + exit.mono / 1000;
  }
  return undefined;
}

interface Status {
  readonly name: string;
  readonly containerID?: string;
  readonly restartCount: number;
  readonly state: { readonly terminated?: { readonly finishedAt: string } };
  readonly lastState?: {
    readonly terminated?: { readonly containerID: string; readonly finishedAt: string };
  };
}

/** The first container of that name, of the first pod that had one. */
function findFirst({ files, record }: Capture): First | undefined {
  const [label = '', value = ''] = record.victim.selector.split('=');
  let found: First | undefined;
  for (const line of (files.get('pods.jsonl') ?? '').split('\n').filter(Boolean)) {
    const { object } = JSON.parse(line) as {
      object: {
        metadata: { uid: string; labels?: Record<string, string> };
        status?: { containerStatuses?: Status[] };
      };
    };
    const { uid, labels = {} } = object.metadata;
    if (labels[label] !== value || (found !== undefined && found.uid !== uid)) continue;
    const status = object.status?.containerStatuses?.find(
      (status) => status.name === record.victim.container,
    );
    if (status === undefined) continue;
    const last = status.lastState?.terminated;
    const id = status.restartCount === 0 ? status.containerID : last?.containerID;
    const ended = status.restartCount === 0 ? status.state.terminated?.finishedAt : last?.finishedAt;
    if (found === undefined && id !== undefined && id !== '')
      found = { uid, containerId: id.replace('containerd://', ''), finishedMs: undefined };
    if (
      found?.finishedMs === undefined &&
      ended !== undefined &&
      id?.endsWith(found?.containerId ?? '-') === true
    )
      found = found && { ...found, finishedMs: Date.parse(ended) };
  }
  return found;
}
