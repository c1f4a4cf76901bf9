import { parseKmsg } from '../../../lab/evidence/kmsg.ts';
import type { Observation } from '../../../lab/model/evidence/observation.ts';

export const ID = '5f3c9d2a7be14086a1d0c4b8e96f27310d4a5be8c7f1920364ad5e8b7c6f1a02';
export const POD = '/kubepods/burstable/pod6f1d2c3b-4a59-4687-9a0b-1c2d3e4f5a6b';
export const SLICE = '/kubepods.slice/kubepods-pod6f1d2c3b_4a59_4687_9a0b_1c2d3e4f5a6b.slice';
export const SIZES = 'total-vm:20255kB, anon-rss:46616kB, file-rss:1368kB';

/** Parses texts as records that follow each other; a number is a pause in milliseconds. */
export function kernel(...texts: readonly (string | number)[]): readonly Observation[] {
  let micros = 1_000_000;
  let seq = 0;
  const records = texts.flatMap((text) => {
    if (typeof text === 'number') {
      micros += text * 1000;
      return [];
    }
    seq += 1;
    micros += 10;
    return [/^\d,/.test(text) ? text : `4,${seq},${micros},-;${text}`];
  });
  return parseKmsg(records.map((record) => `${record}\n`).join(''), 'node-1/kmsg.log', (at) => at / 1000);
}

/** What each kill line says, with its report and its group. */
export const killsOf = (found: readonly Observation[]) =>
  found
    .filter((observation) => observation.kind === 'kernel-killed')
    .map(({ pid, comm, scope, context, group }) => ({
      pid,
      comm,
      scope,
      cgroup: context?.taskMemcg,
      limit: context?.oomMemcg,
      line: context?.ref.line,
      group: group?.ref.line,
    }));

export const summary = (pid: number, comm = 'x'): string =>
  `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=${ID},mems_allowed=0,oom_memcg=${POD},task_memcg=${POD}/${ID},task=${comm},pid=${pid},uid=0`;
export const kill = (pid: number, comm = 'x'): string =>
  `Memory cgroup out of memory: Killed process ${pid} (${comm}) ${SIZES}, shmem-rss:0kB, UID:0 pgtables:100kB oom_score_adj:0`;
export const skipped = (pid: number): string =>
  `Memory cgroup out of memory: OOM victim ${pid} (x) is already exiting. Skip killing the task`;
export const tasks = (cgroup: string): string =>
  `Tasks in ${cgroup} are going to be killed due to memory.oom.group set`;
export const limited = `Task in ${POD}/${ID} killed as a result of limit of ${POD}`;
