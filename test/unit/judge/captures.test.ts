import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trimFiles } from '../../../bin/trim-files.ts';
import {
  addOomOfAnotherPod,
  addSignal,
  dropLines,
  KILLED,
  SUMMARY,
  unrelatedLines,
} from '../../fixtures/evidence/change-capture.ts';
import {
  answerFor,
  captureNames,
  findVictim,
  judgeCapture,
  loadCapture,
  realCaptureNames,
  renumber,
  simpleCaptureNames,
  withLines,
} from '../../fixtures/evidence/load-capture.ts';
import { cases } from '../../fixtures/properties.ts';

const KMSG = 'node-1/kmsg.log';
const WITNESS = 'node-1/witness.jsonl';
const OOMS = ['oom-single-container', 'cron-job-oom'];

describe('in every capture', () => {
  it.each(simpleCaptureNames())(
    '%s: records about others may all be lost without changing the killer',
    (name) => {
      const capture = loadCapture(name);
      const { killer, level } = judgeCapture(capture).attribution;
      const others = unrelatedLines(capture);
      const lost = fc.record(
        Object.fromEntries([...others].map(([path, lines]) => [path, fc.subarray(lines)])),
      );
      fc.assert(
        fc.property(lost, fc.boolean(), (dropped, neverWritten) => {
          const changed = dropLines(capture, dropped, neverWritten);
          const judged = judgeCapture(changed);
          // Nobody can tell whether a lost record was the signal that would make an end of its own somebody's work.
          const mayBeOther = killer === 'self-exit' && judged.attribution.killer === 'unknown';
          if (mayBeOther) expect(neverWritten).toBe(false);
          else
            expect(judged.attribution).toMatchObject({ killer, ...(level === undefined ? {} : { level }) });
          expect(judged.verdict).not.toBe('failed');
          // As if they had never been written, they are not even missed.
          if (neverWritten) expect(judged.verdict).toBe('passed');
        }),
        { numRuns: cases(25) },
      );
    },
  );

  it.each(captureNames())('%s: a file that ends early never makes somebody else the killer', (name) => {
    const capture = loadCapture(name);
    const { killer } = judgeCapture(capture).attribution;
    const paths = [...capture.files.keys()].filter((path) => !path.endsWith('.json'));
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.double({ min: 0, max: 1, noNaN: true }), (path, part) => {
        const content = capture.files.get(path) ?? '';
        const files = new Map(capture.files).set(path, content.slice(0, Math.floor(content.length * part)));
        const judged = judgeCapture({ ...capture, files });
        expect([killer, 'unknown']).toContain(judged.attribution.killer);
        if (judged.attribution.killer === 'unknown') expect(judged.verdict).toBe('inconclusive');
      }),
      { numRuns: cases(25) },
    );
  });

  it.each(captureNames())('%s: bytes in the middle of a file never make somebody else the killer', (name) => {
    const capture = loadCapture(name);
    const { killer } = judgeCapture(capture).attribution;
    const paths = [...capture.files.keys()].filter((path) => !path.endsWith('.json'));
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 });
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.nat(), bytes, (path, place, noise) => {
        const content = capture.files.get(path) ?? '';
        const at = place % (content.length + 1);
        const broken = content.slice(0, at) + Buffer.from(noise).toString('latin1') + content.slice(at);
        const judged = judgeCapture({ ...capture, files: new Map(capture.files).set(path, broken) });
        expect([killer, 'unknown']).toContain(judged.attribution.killer);
      }),
      { numRuns: cases(20) },
    );
  });

  it.each(captureNames())('%s: every proof stands at the file and line that it names', (name) => {
    const capture = loadCapture(name);
    for (const ref of judgeCapture(capture).attribution.because) {
      const line = (capture.files.get(ref.file) ?? '').split('\n')[(ref.line ?? 0) - 1] ?? '';
      expect(line, `${ref.file}:${ref.line ?? ''} ${ref.text}`).not.toBe('');
      // Sizes in MiB and the time since the signal are worked out, and the id of a boot stands in the first record of
      // its stream; everything else is in the line itself.
      const said = ref.text.replace(/[\d.]+ (?:ms|MiB)|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '');
      const words = said.match(/\d{2,}|OOMKilled|Killed process/g) ?? [];
      expect(words.filter((word) => !line.includes(word))).toEqual([]);
    }
  });

  it.each(realCaptureNames())('%s: trimming it once more changes nothing that the judge says', (name) => {
    const capture = loadCapture(name);
    const again = { ...capture, files: trimFiles(capture.files, capture.record) };
    expect(answerFor(again)).toEqual(capture.expected);
    for (const content of again.files.values()) expect(content).not.toMatch(/managedFields|"env":/);
  });
});

describe.each(OOMS)('the kernel log of %s', (name) => {
  const capture = loadCapture(name);
  const judged = judgeCapture(capture).attribution;

  it('decides alone: another container in its one summary line, and nothing is proven', () => {
    const other = withLines(capture, KMSG, (lines) =>
      lines.map((line) =>
        SUMMARY.test(line)
          ? line.replace(/(task_memcg=.*cri-containerd-)[0-9a-f]{64}/, `$1${'0'.repeat(64)}`)
          : line,
      ),
    );
    expect(judged.confidence).toBe('proven');
    expect(judgeCapture(other).attribution.confidence).not.toBe('proven');
  });

  it('tells the level: another limit in its one summary line is another level', () => {
    const container = withLines(capture, KMSG, (lines) =>
      lines.map((line) => line.replace(/oom_memcg=[^,]*,task_memcg=([^,]*)/, 'oom_memcg=$1,task_memcg=$1')),
    );
    expect(judged.level).toBe('pod');
    expect(judgeCapture(container).attribution.level).toBe('container');
  });

  it('says it twice and the counter counts two, though one process died: a group kill', () => {
    const { pid } = findVictim(capture);
    const lines = (capture.files.get(KMSG) ?? '').split('\n').filter((line) => KILLED.test(line));
    expect(lines.every((line) => line.includes(`Killed process ${pid} `))).toBe(true);
    expect(lines).toHaveLength(2);
    const claim = judgeCapture(capture).claims.find((each) => each.layer === 'cgroup');
    expect(claim?.says).toMatch(/oom_kill went from 0 to 2/);
  });

  it('is no proof without its kills: the same lines written by a program are not believed', () => {
    const spoofed = withLines(capture, KMSG, (lines) =>
      // Facility 1, the one that every write to /dev/kmsg gets.
      lines.map((line) => (SUMMARY.test(line) || KILLED.test(line) ? line.replace(/^\d+,/, '14,') : line)),
    );
    expect(judgeCapture(spoofed).attribution.confidence).not.toBe('proven');
    expect(judgeCapture(spoofed).claims[0]).toMatchObject({ layer: 'kernel', says: /^no OOM kill/ });
  });
});

describe('a kill -9 from the node', () => {
  const capture = loadCapture('sigkill-from-node');

  it('stays one when another pod runs out of memory in the same second', () => {
    const beside = addOomOfAnotherPod(capture, loadCapture('oom-single-container'));
    expect(beside.files.get(KMSG)).toMatch(KILLED);
    expect(judgeCapture(beside)).toMatchObject({
      attribution: { killer: 'external-signal', confidence: 'proven' },
      // Nobody had declared the other death.
      mismatches: [
        {
          field: 'nobodyElseDies',
          observed: expect.stringMatching(/^node-1\/process\/\S+: .*OOM/) as string,
        },
      ],
      verdict: 'failed',
    });
  });

  it('is proven by the sender, by our own record of it, and by what it did', () => {
    const { because } = judgeCapture(capture).attribution;
    expect(because.map((each) => each.source)).toEqual(['trace', 'stimulus', 'trace', 'pod']);
    expect(because[0]?.text).toMatch(
      /^SIGKILL to pid \d+ \(sleeper\) from pid \d+ \(bash\) in \/system\.slice\//,
    );
    expect(because[1]).toMatchObject({ file: 'cell.json' });
    expect(because[2]?.text).toMatch(/ended [\d.]+ ms after SIGKILL$/);
  });

  it('of somebody else does not cite what we did', () => {
    const stimuli = capture.record.stimuli.map((each) => ({
      ...each,
      detail: each.detail.replace(/sent by pid \d+/, 'sent by pid 4'),
    }));
    const { because } = judgeCapture({ ...capture, record: { ...capture.record, stimuli } }).attribution;
    expect(because.map((each) => each.source)).toEqual(['trace', 'trace', 'pod']);
  });
});

describe('an end after a stop signal', () => {
  const capture = loadCapture('plain-exit');
  const runtime = { senderPid: 4242, senderComm: 'runc', senderCgroup: '/system.slice/containerd.service' };
  const person = { senderPid: 4242, senderComm: 'bash', senderCgroup: '/system.slice/ssh.service' };

  it('is not its own when the runtime had sent the STOPSIGNAL of the image', () => {
    const stopped = addSignal(loadCapture('exit-one'), 3, 500_000, runtime);
    expect(judgeCapture(stopped).attribution).toMatchObject({ killer: 'runtime-stop', confidence: 'likely' });
    // Here kubelet and events said too little to tell that nobody asked them.
    expect(judgeCapture(addSignal(capture, 3, 500_000, runtime)).attribution.killer).toBe('unknown');
  });

  it('is not proven to be its own when somebody had interrupted it', () => {
    const interrupted = addSignal(capture, 2, 500_000, person);
    expect(judgeCapture(interrupted).attribution).toMatchObject({
      killer: 'external-signal',
      confidence: 'likely',
    });
  });

  it('is its own when the signal means nothing of that kind', () => {
    const rotated = addSignal(capture, 10, 3_000_000, person);
    expect(judgeCapture(rotated).attribution).toMatchObject({ killer: 'self-exit', confidence: 'likely' });
    const answered = addSignal(capture, 10, 500_000, person);
    expect(judgeCapture(answered).attribution).toMatchObject({
      killer: 'external-signal',
      confidence: 'likely',
    });
  });

  it('is its own when its own timer rang while a stranger was on the CPU', () => {
    const rang = addSignal(capture, 15, 500_000, { ...person, code: -2 });
    expect(judgeCapture(rang).attribution.killer).not.toBe('external-signal');
  });
});

describe('a survivor', () => {
  const capture = loadCapture('within-limits');

  it('is none when the trace saw it end, whatever the API still says', () => {
    const { pid, cgroup } = findVictim(capture);
    const dead = withLines(capture, WITNESS, (lines) => {
      const stop = JSON.parse(lines.at(-1) ?? '{}') as { at: number; mono: number };
      const exit = { seq: 0, at: stop.at, mono: stop.mono, kind: 'exit', pid, comm: 'memory-eater', cgroup };
      return renumber([...lines.slice(0, -1), JSON.stringify(exit), ...lines.slice(-1)]);
    });
    expect(judgeCapture(dead)).toMatchObject({
      attribution: { killer: 'unknown' },
      verdict: 'inconclusive',
    });
  });

  it('is only likely when its counters were not read after the promised time', () => {
    const { containerId } = findVictim(capture);
    const early = withLines(capture, WITNESS, (lines) => {
      const own = lines.filter((line) => line.includes(containerId) && line.includes('memory.events'));
      return renumber(lines.filter((line) => !own.slice(2).includes(line)));
    });
    expect(judgeCapture(early).attribution).toMatchObject({ killer: 'none', confidence: 'likely' });
  });
});
