import { findPulledName } from '../../model/declared/registry.ts';
import type { KubeEvent, RegistryServed } from '../../model/evidence/observation.ts';
import type { CellCase } from '../case/case-file.ts';
import { describeGaps, findGaps } from '../case/coverage.ts';
import type { Point, Series } from './point.ts';
import { CLOCKS_MS } from '../../model/evidence/source-clocks.ts';
import { compareTimes, isAtLeast, isAtMost } from '../records/times.ts';

/**
 * How the kubelet pulled images: by its own word, and by what the registry was asked.
 *
 * `Successfully pulled image "…" in 1.2s (48.9s including waiting)`: since 1.26, 1.25.6 and 1.23.16
 * (https://github.com/kubernetes/kubernetes/pull/111772, pkg/kubelet/images/image_manager.go). Older kubelets say one time,
 * with the waiting in it: it is not a number for either.
 */
const PULLED = /^Successfully pulled image "[^"]*" in (\S+) \((\S+) including waiting\)/;

const PULLING = /^Pulling image "([^"]*)"/;

/** Units of Go's time.Duration, in seconds (`Duration.String` of package time). */
const UNITS: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 1e-3,
  µs: 1e-6,
  us: 1e-6,
  ns: 1e-9,
};

/** Reads a Go duration such as `1m2.5s`, in seconds; undefined for another text. */
export function parseGoSeconds(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|µs|us|ns))+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|µs|us|ns)/g)].reduce(
    (sum, [, number, unit = '']) => sum + Number(number) * (UNITS[unit] ?? 0),
    0,
  );
}

/** What the kubelet says of the pulls of the victim's image. */
export function readPullSeconds(file: CellCase): Series {
  return readPulled(file, ({ pullS }) => pullS);
}

/** What it says that they waited. */
export function readPullWaits(file: CellCase): Series {
  return readPulled(file, ({ pullS, wholeS }) => Math.max(0, wholeS - pullS));
}

interface PullTold {
  readonly pullS: number;
  readonly wholeS: number;
}

function readPulled(file: CellCase, valueOf: (told: PullTold) => number): Series {
  const points = ownEvents(file, 'Pulled').flatMap((event): Point[] => {
    const [, pull = '', whole = ''] = PULLED.exec(event.message) ?? [];
    const [pullS, wholeS] = [parseGoSeconds(pull), parseGoSeconds(whole)];
    if (pullS === undefined || wholeS === undefined || event.at === undefined) return [];
    return [{ at: event.at, value: round(valueOf({ pullS, wholeS })), ref: event.ref }];
  });
  return { points, missingUntil: () => describeGaps(findGaps(file, ['events'])) };
}

/** How long the registry waited: from the kubelet's word that it pulls to the first request. */
export function readRegistryWaits(file: CellCase): Series {
  const served = servedTo(file);
  const points = ownEvents(file, 'Pulling').flatMap((event): Point[] => {
    const saidAt = event.firstAt ?? event.at;
    const repository = findPulledName(PULLING.exec(event.message)?.[1] ?? '')?.repository;
    if (saidAt === undefined || repository === undefined) return [];
    const isMeant = (request: RegistryServed): boolean =>
      request.repository === repository && isAtLeast(request.at, saidAt - CLOCKS_MS, { unknown: 'does not' });
    const first = served.find(isMeant);
    if (first?.at === undefined) return [];
    return [{ at: first.at, value: round(Math.max(0, first.at - saidAt) / 1000), ref: first.ref }];
  });
  const missingUntil = (): string | undefined =>
    findLostRequests(file) ?? describeGaps(findGaps(file, ['events']));
  return { points, missingUntil };
}

/** How many images the registry was sending to the victim's node, at each time when it began to send one. */
export function readPullsAtOnce(file: CellCase): Series {
  const sent = servedTo(file).filter(({ isContent }) => isContent);
  const points = sent.flatMap(({ at, repository, ref }): Point[] => {
    if (at === undefined) return [];
    const others = sent.filter(
      (request) => isAtMost(request.at, at, { unknown: 'does not' }) && request.endedAt > at,
    );
    return [{ at, value: new Set([repository, ...others.map((request) => request.repository)]).size, ref }];
  });
  return { points, missingUntil: () => findLostRequests(file) };
}

/** Events of the kubelet about the judged container, oldest first. */
function ownEvents(file: CellCase, reason: string): KubeEvent[] {
  const field = `spec.containers{${file.record.victim.container}}`;
  return file.podEvents.filter(
    (event) => event.component === 'kubelet' && event.reason === reason && event.fieldPath === field,
  );
}

/** What the victim's node asked, oldest first. */
function servedTo(file: CellCase): RegistryServed[] {
  return file.index
    .of('registry-served')
    .filter(({ node }) => node === file.node)
    .toSorted((a, b) => compareTimes(a.at, b.at, { unknown: 'first' }));
}

function findLostRequests(file: CellCase): string | undefined {
  const lost = file.index.of('lost').find(({ source }) => source === 'registry');
  return lost === undefined ? undefined : `${lost.ref.file}: ${lost.why}`;
}

/** The kubelet says milliseconds. */
function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
