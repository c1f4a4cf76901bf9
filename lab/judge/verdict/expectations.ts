import { numberOfDeath } from '../../model/declared/outcome.ts';
import { isOfPods } from '../../model/evidence/cgroup-path.ts';
import { describeExpectedEnd } from '../../model/saved/describe-outcome.ts';
import { formatMebibytes } from '../../model/text/format-bytes.ts';
import type { Mismatch } from '../../model/saved/formats.ts';
import type { Outcome } from '../../model/declared/scenario.ts';
import type { CellCase } from '../case/case-file.ts';
import { isMadeUp } from '../records/container-end.ts';
import type { Conclusion } from '../killer/conclusion.ts';
import { findWithinLimit, readPodMemory } from '../case/pod-memory.ts';
import { findOtherMismatches } from './other-deaths.ts';
import { listVictimDeaths } from '../case/victim-deaths.ts';
import { findAskedAt } from '../case/word-of-end.ts';
import { isAtMost } from '../records/times.ts';
import { largest } from '../../model/text/extremes.ts';

/** Lists where the finding differs from what the scenario expects. Empty: nowhere. */
export function findMismatches(file: CellCase, finding: Conclusion): Mismatch[] {
  const { expected } = file.record;
  const container = file.record.victim.container;
  const missing = findMissingDeath(file);
  if (missing !== undefined) return [missing, ...findOtherMismatches(file)];
  if (isOtherEnd(expected, finding)) return findOtherMismatches(file);
  if (finding.killer !== expected.killer) {
    const observed = describeObserved(file, finding);
    const killer = { field: 'killer', expected: describeExpectedEnd(expected, container), observed };
    return [killer, ...findOtherMismatches(file)];
  }
  const found: Mismatch[] = [];
  const add = (field: string, holds: boolean, wanted: string, observed: string): void => {
    if (!holds) found.push({ field, expected: wanted, observed });
  };
  const { level, how, victim, reason, exitCode, withinSeconds, notBeforeSeconds } = expected;
  if (level !== undefined && finding.level !== undefined) {
    add('level', level.includes(finding.level), `${level.join(' or ')} level`, `${finding.level} level`);
  }
  if (how !== undefined && finding.how !== undefined) {
    add('how', how.includes(finding.how), how.join(' or '), finding.how);
  }
  if (victim !== undefined && finding.process !== undefined) {
    add('victim', victim === finding.process, PROCESSES[victim], PROCESSES[finding.process]);
  }
  if (reason !== undefined) {
    const seen = file.end?.reason ?? '';
    add(
      'reason',
      reason.some((name) => name === seen),
      reason.join(' or '),
      seen === '' ? 'no reason' : seen,
    );
  }
  if (exitCode !== undefined) {
    const seen = file.end?.exitCode;
    const holds = seen !== undefined && exitCode.includes(seen);
    add(
      'exitCode',
      holds,
      `exit code ${exitCode.join(' or ')}`,
      seen === undefined ? 'no exit code' : `exit code ${seen}`,
    );
  }
  const elapsed = secondsUntilDeath(file, finding);
  if (withinSeconds !== undefined && elapsed !== undefined) {
    add('withinSeconds', elapsed <= withinSeconds, `within ${withinSeconds} s`, `after ${elapsed} s`);
  }
  if (notBeforeSeconds !== undefined && elapsed !== undefined) {
    const holds = elapsed >= notBeforeSeconds;
    add('notBeforeSeconds', holds, `not before ${notBeforeSeconds} s`, `after ${elapsed} s`);
  }
  if (expected.survives !== undefined)
    add('survives', findAskedAt(file) !== undefined, `asked to ${expected.survives}`, 'nobody asked it to');
  const withinLimit = findWithinLimit(file);
  if (withinLimit !== undefined) found.push(withinLimit);
  if (expected.then !== undefined)
    add('then', follows(file, expected.then), sentences[expected.then][0], sentences[expected.then][1]);
  return [...found, ...findOtherReason(file), ...findOtherMismatches(file)];
}

/**
 * Whether it is one of the other ends that the scenario accepts. What else the scenario says holds for its first
 * killer.
 */
function isOtherEnd(expected: Outcome, { killer, how }: Conclusion): boolean {
  return (expected.or ?? []).some(
    (end) => end.killer === killer && how !== undefined && end.how.includes(how),
  );
}

/** Another reason of the pod itself than those that are accepted, in any version of it that the API gave. */
function findOtherReason({ record, versions, pod: { uid } }: CellCase): Mismatch[] {
  const { podReason } = record.expected;
  const own = versions.filter((version) => version.uid === uid);
  const seen = [...new Set(own.flatMap(({ reason }) => (reason ? [reason] : [])))];
  if (podReason === undefined || seen.some((name) => podReason.includes(name))) return [];
  const observed = seen.length === 0 ? 'no reason' : seen.join(', then ');
  return [{ field: 'podReason', expected: podReason.join(' or '), observed }];
}

const PROCESSES = {
  init: 'the first process of the container died',
  child: 'another process than the first died',
} as const;

const sentences: Readonly<Record<NonNullable<Outcome['then']>, readonly [string, string]>> = {
  restarts: ['the container is restarted', 'it was not restarted'],
  'next-job-starts': ['the next Job starts', 'no later pod started'],
  'stays-dead': ['nothing follows', 'a container started again'],
  'keeps-running': ['the container runs on', 'it ended'],
};

/** A later death that was asked for and has not come. */
function findMissingDeath(file: CellCase): Mismatch | undefined {
  const attempt = numberOfDeath(file.record.expected);
  if (attempt === 1) return undefined;
  const deaths = listVictimDeaths(file.record, file.index).length;
  if (deaths >= attempt) return undefined;
  const observed = deaths === 0 ? 'it did not end' : `it ended ${deaths === 1 ? 'once' : `${deaths} times`}`;
  return { field: 'attempt', expected: `death ${attempt} of the victim`, observed };
}

function follows(file: CellCase, then: NonNullable<Outcome['then']>): boolean {
  const attempt = numberOfDeath(file.record.expected);
  const restarted = file.versions.some(
    (pod) =>
      pod.uid === file.pod.uid &&
      pod.containers.some(
        (view) =>
          view.name === file.record.victim.container && view.restartCount >= attempt && !isMadeUp(view),
      ),
  );
  const later = file.versions.some(
    (pod) =>
      pod.uid !== file.pod.uid &&
      isAtMost(file.pod.createdAt, pod.createdAt, { unknown: 'counts', unknownLimit: 'does not' }) &&
      pod.containers.some((view) => view.name === file.record.victim.container && view.state !== 'waiting'),
  );
  if (then === 'restarts') return restarted;
  if (then === 'keeps-running') return !restarted && file.view?.state === 'running';
  return then === 'next-job-starts' ? later : !restarted && !later;
}

/**
 * Seconds, one decimal, from the last stimulus to the death; without one from the container's start, and if it never
 * started, from its deployment.
 */
function secondsUntilDeath(file: CellCase, finding: Conclusion): number | undefined {
  const diedAt = diedAtOf(file, finding);
  const stimulusAt = Date.parse(file.record.stimuli.at(-1)?.at ?? '');
  const began = file.end?.startedAt ?? file.view?.startedAt ?? Date.parse(file.record.deployedAt);
  const startedAt = Number.isFinite(stimulusAt) ? stimulusAt : began;
  if (diedAt === undefined || !Number.isFinite(startedAt)) return undefined;
  return Math.max(0, Math.round((diedAt - startedAt) / 100) / 10);
}

/**
 * When it died: the end, and not the decision, because a program may take its grace period. Of a child only the kill is
 * known.
 */
function diedAtOf({ initExit, end }: CellCase, finding: Conclusion): number | undefined {
  if (finding.process === 'child') return finding.at ?? end?.at;
  if (initExit?.at !== undefined) return initExit.at;
  const known = [finding.at, end?.at].filter((at) => at !== undefined);
  return known.length === 0 ? undefined : largest(known);
}

/** What was found, in one line. */
function describeObserved(file: CellCase, finding: Conclusion): string {
  if (finding.killer === 'none') {
    const startedAt = file.view?.startedAt ?? Date.parse(file.record.deployedAt);
    const seconds = Math.round((Date.parse(file.record.endedAt) - startedAt) / 1000);
    return [`alive after ${seconds} s`, ...memoryOf(file)].join(', ');
  }
  const container = `container "${file.record.victim.container}"`;
  const status =
    file.end === undefined
      ? 'still running'
      : `${file.end.reason ?? 'no reason'}, exit ${file.end.exitCode ?? '?'}`;
  if (finding.killer === 'unknown') return `${container}: killer unknown (${status})`;
  const elapsed = secondsUntilDeath(file, finding);
  const level = finding.level === undefined ? '' : ` at ${finding.level} level`;
  const after = elapsed === undefined ? '' : ` after ${elapsed} s`;
  return `${container} ended by ${finding.killer}${level}${after} (${status})`;
}

function memoryOf(file: CellCase): string[] {
  if (file.cgroups.sandboxed) {
    const { used, limit } = readPodMemory(file);
    return [
      ...(used === undefined ? [] : [`memory of the pod ${formatMebibytes(used.bytes)}`]),
      ...(limit === undefined ? [] : [`limit ${formatMebibytes(limit.bytes)}`]),
    ];
  }
  const read = (names: readonly string[]): string | undefined =>
    file.index
      .of('cgroup-values')
      .findLast(
        (reading) =>
          file.containerId !== '' && file.cgroups.holds(reading.path) && names.includes(reading.file),
      )?.values[''];
  const used = read(['memory.current', 'memory.usage_in_bytes']);
  const limit = read(['memory.max', 'memory.limit_in_bytes']);
  return [
    ...(used === undefined ? [] : [`memory ${mebibytes(used)}`]),
    ...(limit === undefined ? [] : [`limit ${mebibytes(limit)}`]),
    ...timesAtLimit(file),
  ];
}

/** How often the pod or the container was at its limit and the kernel reclaimed memory instead. */
function timesAtLimit(file: CellCase): string[] {
  const times = file.index.of('cgroup-values').map((reading) => {
    if (!isOfPods(reading.path, file.uids)) return 0;
    if (reading.file === 'memory.events') return Number(reading.values.max ?? 0);
    return reading.file === 'memory.failcnt' ? Number(reading.values[''] ?? 0) : 0;
  });
  const most = times.reduce((a, b) => Math.max(a, b), 0);
  return most > 0 ? [`at its limit ${most} times`] : [];
}

/** A limit may be the word `max`. */
function mebibytes(value: string): string {
  const bytes = Number(value);
  return Number.isFinite(bytes) ? formatMebibytes(bytes) : value;
}
