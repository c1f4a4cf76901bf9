import { describe, expect, it } from 'vitest';
import {
  findVictim,
  judgeCapture,
  loadCapture,
  renumber,
  withExpected,
  withLines,
} from '../../../../fixtures/evidence/load-capture.ts';
import { killerOf, restartContainer } from '../../judge-story.ts';
import { CAST, NEXT, scopeOf } from '../../../../fixtures/told/cast.ts';
import { Story } from '../../../../fixtures/told/story.ts';

const OOM_LINE = /Memory cgroup out of memory: Killed process/;

const KMSG = 'node-1/kmsg.log';

const WITNESS = 'node-1/witness.jsonl';

describe('a kill that only looks like an OOM', () => {
  const capture = loadCapture('sigkill-from-node');

  it('is not believed when a program wrote the kernel line into /dev/kmsg', () => {
    const { pid, comm, aliveMicros } = findVictim(capture);
    const text = `Memory cgroup out of memory: Killed process ${pid} (${comm}) total-vm:1kB, anon-rss:1kB`;
    const spoof = withLines(
      capture,
      KMSG,
      (lines) => renumber([...lines, `12,0,${aliveMicros},-;${text}`]), // facility 1: written by a program
    );
    expect(judgeCapture(spoof).attribution.killer).toBe('external-signal');
    const kernel = withLines(spoof, KMSG, (lines) => lines.map((line) => line.replace(/^12,/, '4,')));
    // The kernel's own line and its trace name two killers of one process.
    expect(judgeCapture(kernel).attribution.killer).toBe('unknown');
  });

  it('is not blamed on an OOM of another pod in the same second', () => {
    const beside = loadCapture('sigkill-beside-an-oom');
    expect([...beside.files.get(KMSG)!.matchAll(new RegExp(OOM_LINE, 'g'))]).toHaveLength(1);
    expect(judgeCapture(beside).attribution.killer).toBe('external-signal');
  });

  it('is not blamed on an OOM whose summary names another container, even under the same pid', () => {
    const beside = withLines(loadCapture('sigkill-beside-an-oom'), KMSG, (lines) =>
      lines.map((line) => line.replace('pid=901', 'pid=812').replace('process 901', 'process 812')),
    );
    expect(judgeCapture(beside).attribution.killer).toBe('external-signal');
  });

  it('is not blamed on an older OOM of a process that had the same pid', () => {
    const { pid, aliveMicros } = findVictim(capture);
    const text = `Memory cgroup out of memory: Killed process ${pid} (x) total-vm:1kB`;
    const older = withLines(capture, KMSG, (lines) =>
      renumber([`3,0,${aliveMicros - 60_000_000},-;${text}`, ...lines]),
    );
    expect(judgeCapture(older).attribution.killer).toBe('external-signal');
  });

  it('is unknown without the trace, whatever the exit code', () => {
    const blind = withLines(capture, WITNESS, (lines) =>
      renumber([
        ...lines.slice(0, 1),
        '{"seq":2,"at":1760000000001,"mono":300001000,"kind":"lost","source":"trace","why":"no tracefs"}',
        ...lines.slice(1).filter((line) => !/"kind":"(signal|exit)"/.test(line)),
      ]),
    );
    const judged = judgeCapture(blind);
    expect(judged.attribution).toMatchObject({ killer: 'unknown', confidence: 'none' });
    expect(judged.verdict).toBe('inconclusive');
    expect(judged.note).toContain('no tracefs');
  });

  it('is a self-signal when the sender lives in the container', () => {
    const inside = withLines(capture, WITNESS, (lines) => {
      const { cgroup } = findVictim(capture);
      return lines.map((line) => line.replace('"/system.slice/ssh.service"', JSON.stringify(cgroup)));
    });
    expect(judgeCapture(inside).attribution.killer).toBe('self-signal');
  });

  it('is still an external signal when the sender calls itself runc', () => {
    const disguised = withLines(capture, WITNESS, (lines) =>
      lines.map((line) => line.replace('"senderComm":"bash"', '"senderComm":"runc"')),
    );
    expect(judgeCapture(disguised).attribution.killer).toBe('external-signal');
  });

  it('fails a cell that expected an OOM kill', () => {
    const judged = judgeCapture(
      withExpected(capture, { killer: 'memcg-oom', level: ['pod'], withinSeconds: 60 }),
    );
    expect(judged.verdict).toBe('failed');
    expect(judged.mismatches).toEqual([
      {
        field: 'killer',
        expected: 'container "sleeper" killed by memcg-oom at pod level within 60 s',
        observed: 'container "sleeper" ended by external-signal after 0.1 s (Error, exit 137)',
      },
    ]);
  });
});

describe('one changed fact is another way, or a weaker proof', () => {
  it('a container named like a kernel message kills nobody', () => {
    const name = 'Memory cgroup out of memory: Killed process 812 (main) total-vm:1kB';
    const capture = loadCapture('api-delete');
    const files = new Map(
      [...capture.files].map(([path, content]) => [
        path,
        content.replaceAll('"comm":"sleeper"', `"comm":"${name}"`),
      ]),
    );
    expect(judgeCapture({ ...capture, files }).attribution.killer).toBe('api-deletion');
  });
});

describe('what is said of a later end', () => {
  it('an OOM kill of the next container is none of the one that exited', () => {
    const story = new Story().exit(6);
    restartContainer(story, 1).cgroup(7, scopeOf(NEXT.id)).process(7, 950, 1, 'main', scopeOf(NEXT.id));
    // The clock of the kernel's log runs a little apart from that of the counters.
    for (const file of ['memory.events', 'memory.events.local'])
      story.values(15, CAST.slice, file, { oom: 1, oom_kill: 1 });
    const limit = `oom_memcg=${CAST.slice},task_memcg=${scopeOf(NEXT.id)},task=main,pid=950,uid=0`;
    story.kernel(
      15.01,
      `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,${limit}`,
    );
    story.kernel(15.01, 'Memory cgroup out of memory: Killed process 950 (main) total-vm:1kB, anon-rss:1kB');
    expect(killerOf(story)).toBe('self-exit');
  });
});
