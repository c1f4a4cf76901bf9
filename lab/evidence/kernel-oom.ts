import type {
  Base,
  KernelGroupKill,
  KernelKilled,
  KernelOomContext,
  KernelReaped,
} from '../model/evidence/observation.ts';
import { createInvocation, type Invocation } from './kernel-oom-invocation.ts';
import {
  contextOf,
  contextOfOld,
  GROUP,
  KILLED,
  OLD_CHOICE,
  OLD_KILLED,
  OLD_LIMIT,
  REAPED,
  SKIPPED,
  SUMMARY,
  whoOf,
  type Cgroups,
  type Scoped,
} from './kernel-oom-texts.ts';
import type { KernelRecord } from './kernel-record.ts';
import { baseOf, type Where } from './lines.ts';

/** What the kernel's OOM killer logs. */
export type OomObservation = KernelKilled | KernelOomContext | KernelGroupKill | KernelReaped;

/** The lines of one report and of its kills follow each other, because one lock holds them together (`oom_lock`). */
const SAME_OOM_MICROS = 1_000_000;
/**
 * mm/oom_kill.c, oom_kill_process(): the kernel prints so many reports in this time and drops the others
 * (lib/ratelimit.c).
 */
const REPORTS_LIMIT = 10;
const REPORTS_MICROS = 5_000_000;
/** oom_reap_task() tries ten times, a tenth of a second apart. */
const REAPED_MICROS = 60_000_000;

/** A choice that the next kill carries out. */
interface Choice {
  readonly pid: number;
  readonly scope: KernelKilled['scope'];
  readonly micros: number;
  /** Undefined when the rate limit dropped it. */
  readonly context: (KernelOomContext & { spared?: true | undefined }) | undefined;
  /** Whether no other choice can have gone unprinted: then the next kill belongs to this one, whatever its pid. */
  readonly certain: boolean;
  taken: boolean;
}

/** What the earlier lines said, of one report and its kills. */
interface Report {
  choice?: Choice | undefined;
  /** OLD_LIMIT, until the choice or the kill that follows it. */
  limit?: { readonly base: Base; readonly cgroups: Cgroups } | undefined;
  /** The report of the last kill, or of the last victim that was ending already. A group dies of its first one's. */
  ofLastVictim?: KernelOomContext | undefined;
  group?: { readonly seen: KernelGroupKill; readonly micros: number } | undefined;
}

/**
 * Builds a reader of the OOM killer's lines, in their order. It remembers earlier lines: a report has several, old
 * kernels spread one kill over several, and the kill may name another pid than the choice. That pid is a thread that
 * still has the memory (find_lock_task_mm()), or, up to Linux 5.0, a child that is sacrificed.
 */
export function createOomReader(where: Where): (record: KernelRecord) => OomObservation[] {
  const invocation = createInvocation();
  const isCertain = createReportCounter();
  const killed = new Map<number, number>();
  let report: Report = {};
  return (record) => {
    const { text, micros } = record;
    const base = baseOf('kmsg', record.at, where, record.line, text);
    if (invocation.see(base.ref)) {
      report = {};
      return [];
    }
    const skipped = SKIPPED.exec(text);
    if (skipped !== null) {
      // Nobody is killed: what the reaper then says of it tells of the end that it had come to already.
      killed.set(Number(skipped[1]), micros);
      spareChoice(report);
      return [];
    }
    const summary = SUMMARY.exec(text);
    if (summary !== null) {
      const context = { ...base, ...contextOf(summary), byHand: invocation.take() };
      const scope = context.global ? 'global' : 'memcg';
      const certain = isCertain(micros);
      report = { choice: { pid: context.pid, scope, micros, context, certain, taken: false } };
      return [context];
    }
    const limit = OLD_LIMIT.exec(text);
    if (limit !== null) {
      report = { limit: { base, cgroups: { taskMemcg: limit[1], oomMemcg: limit[2] } } };
      return [];
    }
    const chosen = OLD_CHOICE.exec(text);
    if (chosen !== null) return readChoice(report, base, micros, whoOf(chosen), invocation);
    const kill = killIn(text, report);
    if (kill !== undefined) {
      killed.set(kill.pid, micros);
      return readKill(report, base, micros, kill, invocation);
    }
    const group = GROUP.exec(text);
    if (group !== null) {
      const cgroup = group[1] ?? '';
      const seen: KernelGroupKill = {
        ...base,
        kind: 'kernel-group-kill',
        cgroup,
        context: isVictimIn(cgroup, report.ofLastVictim) ? report.ofLastVictim : undefined,
      };
      report.group = { seen, micros };
      return [seen];
    }
    const reaped = REAPED.exec(text);
    if (reaped === null) return [];
    const pid = Number(reaped[1] ?? reaped[3]);
    if (micros - (killed.get(pid) ?? Number.NEGATIVE_INFINITY) <= REAPED_MICROS) return [];
    return [{ ...base, kind: 'kernel-reaped', pid, comm: reaped[2] ?? reaped[4] ?? '' }];
  };
}

/** Notes that the chosen process was ending already. A group kill has more of them, behind its first victim. */
function spareChoice(report: Report): void {
  const spared = report.choice?.taken === false ? report.choice : undefined;
  report.ofLastVictim = spared?.context;
  if (spared === undefined) return;
  if (spared.context !== undefined) spared.context.spared = true;
  report.choice = undefined;
}

/** Whether a group holds the victim of a report. Else the lines of its own first victim are not in the log. */
function isVictimIn(group: string, report: KernelOomContext | undefined): boolean {
  const victims = report?.taskMemcg;
  return victims !== undefined && `${victims}/`.startsWith(`${group.replace(/\/$/, '')}/`);
}

/** Tells of each report in turn whether the kernel is certain to print the next one. */
function createReportCounter(): (micros: number) => boolean {
  const reports: number[] = [];
  return (micros) => {
    while (micros - (reports[0] ?? micros) > REPORTS_MICROS) reports.shift();
    return reports.push(micros) < REPORTS_LIMIT;
  };
}

function killIn(text: string, { choice }: Report): Scoped | undefined {
  const found = KILLED.exec(text);
  if (found !== null) return whoOf(found);
  const old = OLD_KILLED.exec(text);
  // Without a choice in the log, nobody knows the scope of the kill.
  if (old === null || choice === undefined) return undefined;
  return { scope: choice.scope, pid: Number(old[1]), comm: old[2] ?? '' };
}

/** The choice in words. Linux 5.0, and vendor kernels with its summary, have both. */
function readChoice(
  report: Report,
  base: Base,
  micros: number,
  { scope, ...who }: Scoped,
  invocation: Invocation,
): OomObservation[] {
  const { choice, limit } = report;
  const known = choice?.taken === false && choice.pid === who.pid ? choice.context : undefined;
  const context =
    known ??
    (scope === 'global' || limit !== undefined
      ? { ...base, ...contextOfOld(scope, limit?.cgroups, who), byHand: invocation.take() }
      : undefined);
  report.choice = { pid: who.pid, scope, micros, context, certain: true, taken: false };
  report.limit = report.group = undefined;
  return context === undefined || known !== undefined ? [] : [context];
}

/** A kill, and what its report said. RHEL 8.1 logs the limit, and then the kill without a choice. */
function readKill(
  report: Report,
  base: Base,
  micros: number,
  { scope, ...who }: Scoped,
  invocation: Invocation,
): OomObservation[] {
  const { choice, limit, group } = report;
  const found: OomObservation[] = [];
  let context = carryOut(choice, { scope, ...who }, micros);
  if (choice === undefined && limit !== undefined && scope === 'memcg') {
    context = { ...limit.base, ...contextOfOld(scope, limit.cgroups, who), byHand: invocation.take() };
    report.choice = { pid: who.pid, scope, micros, context, certain: true, taken: true };
    found.push(context);
  }
  report.limit = undefined;
  report.ofLastVictim = context;
  const isOfGroup = group !== undefined && micros - group.micros <= SAME_OOM_MICROS;
  found.push({
    ...base,
    kind: 'kernel-killed',
    scope,
    ...who,
    context,
    group: isOfGroup ? group.seen : undefined,
  });
  return found;
}

/** The report that a kill belongs to. The kernel prints the first victim of a group kill once more behind the group. */
function carryOut(
  choice: Choice | undefined,
  { pid, scope }: Scoped,
  micros: number,
): KernelOomContext | undefined {
  if (choice === undefined) return undefined;
  const isNear = micros - choice.micros <= SAME_OOM_MICROS;
  const isNext =
    !choice.taken && (choice.pid === pid || (choice.certain && isNear)) && choice.scope === scope;
  const isAgain = choice.taken && choice.pid === pid && isNear;
  // What follows a kill of another process does not belong to this choice.
  choice.taken = true;
  return isNext || isAgain ? choice.context : undefined;
}
