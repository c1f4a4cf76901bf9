import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findVictim,
  judgeCapture,
  loadCapture,
  withExpected,
  withLines,
} from '../../../fixtures/evidence/load-capture.ts';
import { cases } from '../../../fixtures/properties.ts';
import { leaveOnly } from '../../../fixtures/evidence/take-away.ts';

const KMSG = 'node-1/kmsg.log';
const WITNESS = 'node-1/witness.jsonl';

describe('a survivor', () => {
  const capture = loadCapture('within-limits');

  it('fails a cell that expected a kill, and says what it used', () => {
    const judged = judgeCapture(withExpected(capture, { killer: 'memcg-oom', withinSeconds: 20 }));
    expect(judged.mismatches[0]?.observed).toBe('alive after 21 s, memory 67 MiB, limit 128 MiB');
    expect(judged.verdict).toBe('failed');
  });

  it('is inconclusive when it was watched for less than promised', () => {
    const judged = judgeCapture(withExpected(capture, { killer: 'none', survivesSeconds: 60 }));
    expect(judged).toMatchObject({ verdict: 'inconclusive', note: 'watched for 21 s of 60 s' });
  });

  it('is inconclusive when the witness was cut short', () => {
    const judged = judgeCapture(withLines(capture, WITNESS, (lines) => lines.slice(0, -1)));
    expect(judged.verdict).toBe('inconclusive');
    expect(judged.attribution.confidence).toBe('likely');
  });
});

describe('a container that runs on after an OOM kill in it', () => {
  it('is no survivor of nothing where the runtime told of the kill and no kernel log names the process', () => {
    const whole = loadCapture('oom-group-after-reload');
    const alone = leaveOnly(whole, ['pods', 'containerd', 'tasks', 'cri'], 'absent') ?? whole;
    const { killer, open } = judgeCapture(alone).attribution;
    expect(killer).toBe('unknown');
    expect(open?.[0]).toMatchObject({ what: 'an OOM kill of a child', wanted: 'the kernel log' });
  });
});

describe('a container of which the runtime told an OOM and nothing was killed', () => {
  const capture = loadCapture('within-limits--v1');
  const { containerId } = findVictim(capture);
  // containerd tells of a cgroup v1 at its limit, also where the OOM kill of that cgroup is disabled.
  const said = `level=info msg=\\"TaskOOM event &TaskOOM{ContainerID:${containerId},XXX_unrecognized:[],}\\"`;
  const told = withLines(capture, 'node-1/containerd.jsonl', (lines) => {
    const started = lines.findIndex(
      (line) => line.includes('StartContainer for') && line.includes('returns'),
    );
    const line = (lines[started] ?? '').replace(/level=info msg=.*?successfully\\"/, said);
    expect(line).toContain('TaskOOM');
    return lines.toSpliced(started + 1, 0, line);
  });

  it('survived, says the whole log of the kernel', () => {
    expect(judgeCapture(told).attribution.killer).toBe('none');
  });

  it('survived, says its own counter where the log of the kernel is gone', () => {
    const gone = leaveOnly(told, ['pods', 'containerd', 'tasks', 'cri', 'witness'], 'absent') ?? told;
    expect(judgeCapture(gone).attribution.killer).toBe('none');
  });

  it('is unknown where neither is there', () => {
    const gone = leaveOnly(told, ['pods', 'containerd', 'tasks', 'cri'], 'absent') ?? told;
    expect(judgeCapture(gone).attribution.killer).toBe('unknown');
  });
});

describe('an end by itself', () => {
  const capture = loadCapture('plain-exit');

  it('is proven for exit 3, and only likely for a 137 that no signal explains', () => {
    expect(judgeCapture(capture).attribution).toMatchObject({ killer: 'self-exit', confidence: 'proven' });
    const code = withLines(capture, 'pods.jsonl', (lines) =>
      lines.map((line) => line.replace('"exitCode":3', '"exitCode":137')),
    );
    expect(judgeCapture(code).attribution).toMatchObject({ killer: 'self-exit', confidence: 'likely' });
  });
});

describe('a deletion', () => {
  const capture = loadCapture('api-deletion');

  it('is not the cause of a death that came before it', () => {
    const later = withLines(capture, 'pods.jsonl', (lines) =>
      lines.map((line) =>
        line.replace(/"deletionTimestamp":"[^"]*"/, '"deletionTimestamp":"2025-10-09T08:55:00Z"'),
      ),
    );
    expect(judgeCapture(later).attribution.killer).not.toBe('api-deletion');
  });

  it('gives way to a probe failure that kubelet named', () => {
    const probe = withLines(capture, 'events.jsonl', (lines) =>
      lines.map((line) =>
        line.replace('Stopping container eater', 'Container eater failed liveness probe, will be restarted'),
      ),
    );
    expect(judgeCapture(probe).attribution.killer).toBe('liveness-probe');
  });
});

describe('a cell without a verdict', () => {
  const capture = loadCapture('oom-single-container');

  it('is interrupted when it was cut short', () => {
    const cut = { ...capture, record: { ...capture.record, interrupted: 'Ctrl-C' } };
    expect(judgeCapture(cut)).toMatchObject({ verdict: 'interrupted', note: 'Ctrl-C' });
  });

  it('says that no pod matched', () => {
    const victim = { ...capture.record.victim, selector: 'app=nobody' };
    const judged = judgeCapture({ ...capture, record: { ...capture.record, victim } });
    expect(judged).toMatchObject({ verdict: 'inconclusive', note: 'no pod in default matches app=nobody' });
  });

  it('never throws and never passes on garbage', () => {
    const garbage = fc
      .array(fc.oneof(fc.string(), fc.json()), { maxLength: 20 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(garbage, fc.constantFrom(...capture.files.keys()), (content, path) => {
        const files = new Map(capture.files).set(path, content);
        const judged = judgeCapture({ ...capture, files });
        if (path === KMSG || path === WITNESS || path === 'pods.jsonl')
          expect(judged.verdict).toBe('inconclusive');
      }),
      { numRuns: cases(200) },
    );
  });
});
