import { describe, expect, it } from 'vitest';
import {
  findVictim,
  judgeCapture,
  loadCapture,
  renumber,
  withExpected,
  withLines,
} from '../../../../fixtures/evidence/load-capture.ts';
import { leaveOnly } from '../../../../fixtures/evidence/take-away.ts';
import type { Outcome } from '../../../../../lab/model/declared/scenario.ts';
import { Story } from '../../../../fixtures/told/story.ts';

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

describe('a container that is asked to stop and lives', () => {
  const asked = (expected: Partial<Outcome>, tell: (story: Story) => unknown) => {
    const story = new Story();
    tell(story);
    return judgeCapture(story.capture({ killer: 'none', ...expected }));
  };
  const ignores = (story: Story): unknown => story.heard(6, 60).kubeletStops(6, undefined, 60).lives(28);

  it('survives, where the scenario says so', () => {
    expect(asked({ survives: 'stop', survivesSeconds: 20 }, ignores)).toMatchObject({
      verdict: 'passed',
      attribution: { killer: 'none' },
    });
  });

  it('is not known to live where the scenario does not say so', () => {
    expect(asked({ survivesSeconds: 20 }, ignores).verdict).toBe('inconclusive');
  });

  it('fails the cell when nobody has asked', () => {
    expect(asked({ survives: 'stop', survivesSeconds: 10 }, (story) => story.lives(28))).toMatchObject({
      verdict: 'failed',
      mismatches: [{ field: 'survives', observed: 'nobody asked it to' }],
    });
  });

  it('is open when it was not watched for long enough after the request', () => {
    expect(asked({ survives: 'stop', survivesSeconds: 25 }, ignores)).toMatchObject({
      verdict: 'inconclusive',
      note: expect.stringContaining('watched for') as string,
    });
  });

  it('is open when no sign of life is later than the request', () => {
    const early = (story: Story): unknown => story.lives(5).heard(6, 60).kubeletStops(6, undefined, 60);
    expect(asked({ survives: 'stop', survivesSeconds: 2 }, early).verdict).not.toBe('passed');
  });
});
