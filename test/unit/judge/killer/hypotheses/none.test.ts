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
