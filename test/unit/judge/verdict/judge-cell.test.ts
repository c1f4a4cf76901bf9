import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inAnyOrder } from '../../../fixtures/evidence/change-capture.ts';
import {
  answerFor,
  captureNames,
  findVictim,
  judgeCapture,
  loadCapture,
  renumber,
  simpleCaptureNames,
  withExpected,
  withLines,
} from '../../../fixtures/evidence/load-capture.ts';
import { cases } from '../../../fixtures/properties.ts';

const OOM_LINE = /Memory cgroup out of memory: Killed process/;
const KMSG = 'node-1/kmsg.log';
const WITNESS = 'node-1/witness.jsonl';

describe('every captured cell', () => {
  it.each(captureNames())('%s is judged as its expected.json says', (name) => {
    const capture = loadCapture(name);
    expect(answerFor(capture)).toEqual(capture.expected);
    expect(judgeCapture(capture).attribution.because.length).toBeGreaterThan(0);
  });

  it.each(captureNames())('%s is judged the same with the lines of every file in another order', (name) => {
    const capture = loadCapture(name);
    const inOrder = pick(judgeCapture(capture).attribution);
    fc.assert(
      fc.property(inAnyOrder(capture), (changed) => {
        expect(pick(judgeCapture(changed).attribution)).toEqual(inOrder);
      }),
      { numRuns: cases(30) },
    );
  });

  it.each(simpleCaptureNames())('%s is no longer proven once a decisive record is gone', (name) => {
    const capture = loadCapture(name);
    const proof = judgeCapture(capture).attribution;
    expect(proof.confidence).toBe('proven');
    const decisive = proof.because.filter((ref) => ['kmsg', 'trace', 'cgroup'].includes(ref.source));
    expect(decisive.length).toBeGreaterThan(0);
    for (const ref of decisive) {
      const dropped = withLines(capture, ref.file, (lines) =>
        lines.filter((_, index) => index + 1 !== ref.line),
      );
      const judged = judgeCapture(dropped);
      expect(judged.attribution.confidence, `without ${ref.file}:${ref.line}`).not.toBe('proven');
      expect(judged.verdict, `without ${ref.file}:${ref.line}`).toBe('inconclusive');
    }
  });
});

function pick(attribution: { killer: string; level?: string | undefined; confidence: string }): object {
  return { killer: attribution.killer, level: attribution.level, confidence: attribution.confidence };
}

describe('an out-of-memory kill', () => {
  const capture = loadCapture('oom-single-container');

  it('is named by the kernel line: one changed line of the kernel log changes the answer', () => {
    const global = withLines(capture, KMSG, (lines) =>
      lines.map((line) =>
        line
          .replace('Memory cgroup out of memory: Killed', 'Out of memory: Killed')
          .replace(/CONSTRAINT_MEMCG(.*)oom_memcg=[^,]*,/, 'CONSTRAINT_NONE$1global_oom,'),
      ),
    );
    expect(judgeCapture(global).attribution).toMatchObject({ killer: 'global-oom', level: 'node' });
    const container = withLines(capture, KMSG, (lines) =>
      lines.map((line) => line.replace(/oom_memcg=[^,]*,task_memcg=([^,]*)/, 'oom_memcg=$1,task_memcg=$1')),
    );
    expect(judgeCapture(container).attribution).toMatchObject({ killer: 'memcg-oom', level: 'container' });
  });

  it('is not concluded from exit code 137 and the reason OOMKilled', () => {
    const bare = withLines(
      withLines(capture, KMSG, (lines) => renumber(lines.filter((line) => !/oom|out of memory/i.test(line)))),
      WITNESS,
      (lines) => renumber(lines.filter((line) => !/"oom_kill":"[1-9]|"oom":"[1-9]|"signal"/.test(line))),
    );
    const judged = judgeCapture(bare);
    expect(judged.attribution.killer).not.toBe('memcg-oom');
    expect(judged.claims.find((claim) => claim.layer === 'api')).toMatchObject({
      says: 'OOMKilled, exit 137',
      agrees: false,
    });
    expect(judged.verdict).not.toBe('passed');
  });

  it('is still found, as likely, when the summary line was rate-limited away', () => {
    const limited = withLines(capture, KMSG, (lines) =>
      renumber(lines.filter((line) => !/oom-kill:/.test(line))),
    );
    expect(judgeCapture(limited).attribution).toMatchObject({ killer: 'memcg-oom', level: 'pod' });
  });

  it('is likely, and no verdict, while the kernel log is missing', () => {
    const judged = judgeCapture(withLines(capture, KMSG, undefined));
    expect(judged.attribution).toMatchObject({ killer: 'memcg-oom', confidence: 'likely' });
    expect(judged.verdict).toBe('inconclusive');
  });

  it('is unknown when only a counter rose and no limit of the pod was hit', () => {
    const odd = withLines(withLines(capture, KMSG, undefined), WITNESS, (lines) =>
      lines.map((line) => line.replace('"oom":"1"', '"oom":"0"')),
    );
    expect(judgeCapture(odd).attribution).toMatchObject({ killer: 'unknown', confidence: 'none' });
  });

  it('at another level than expected fails, and says both', () => {
    const judged = judgeCapture(withExpected(capture, { killer: 'memcg-oom', level: ['qos'] }));
    expect(judged.verdict).toBe('failed');
    expect(judged.mismatches).toEqual([{ field: 'level', expected: 'qos level', observed: 'pod level' }]);
  });

  it('that took too long, with another reason and without the sequel, fails on each of them', () => {
    const expected = {
      killer: 'memcg-oom',
      withinSeconds: 2,
      reason: ['Error'],
      exitCode: [1],
      then: 'stays-dead',
    };
    const judged = judgeCapture(withExpected(capture, expected));
    expect(judged.mismatches.map((each) => each.field)).toEqual([
      'reason',
      'exitCode',
      'withinSeconds',
      'then',
    ]);
  });

  it('makes the API a wrong witness when the API says Error', () => {
    const claimed = withLines(capture, 'pods.jsonl', (lines) =>
      lines.map((line) => line.replace('OOMKilled', 'Error')),
    );
    const judged = judgeCapture(claimed);
    expect(judged.attribution.killer).toBe('memcg-oom');
    expect(judged.claims.at(-1)).toEqual({ layer: 'api', says: 'Error, exit 137', agrees: false });
  });
});

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
    expect(judgeCapture(kernel).attribution.killer).toBe('memcg-oom');
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
