import { describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import {
  cellSchema,
  type Attribution,
  type CellResult,
  type EvidenceRef,
} from '../../../../lab/model/saved/formats.ts';
import { explainCell } from '../../../../lab/report/terminal/explain-cell.ts';
import { judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';

const ref = (line: number, text: string, source = 'kmsg'): EvidenceRef => ({
  source,
  at: `2025-04-12T14:02:${String(line).padStart(2, '0')}.500Z`,
  file: `node-1/${source}.log`,
  line,
  text,
});

/** A cell whose end came by steps, beside which other things happened. */
function cell(attribution: Partial<Attribution> = {}, changes: Partial<CellResult> = {}): CellResult {
  return cellSchema.parse({
    address: 'default/oom',
    variant: { ...DEFAULT_VARIANT },
    scenario: 'oom',
    verdict: 'passed',
    expected: { killer: 'memcg-oom', level: ['pod'] },
    attribution: {
      killer: 'memcg-oom',
      how: 'group-kill',
      level: 'pod',
      process: 'init',
      victim: 'eater/eater pid 812 (eater)',
      confidence: 'proven',
      because: [],
      ...attribution,
    },
    claims: [{ layer: 'api', says: 'OOMKilled, exit 137', agrees: true }],
    mismatches: [],
    timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 3 },
    evidence: 'cells/default/oom',
    ...changes,
  });
}

/** The lines from a heading to the next empty line. */
function sectionOf(text: string, heading: string): string[] {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith(heading));
  if (at < 0) return [];
  const end = lines.indexOf('', at);
  return lines.slice(at + 1, end < 0 ? undefined : end);
}

describe('the page of a captured cell', () => {
  const capture = loadCapture('oom-single-container');
  const { address, variant, scenario, expected } = capture.record;
  const judged = judgeCapture(capture);
  const { attribution } = judged;
  const result: CellResult = {
    address,
    variant,
    scenario,
    expected,
    evidence: `cells/${address}`,
    timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 3 },
    ...judged,
  };

  it('names killer, level, proof with file and line, and who said what', () => {
    const text = explainCell(result);
    expect(text).toContain('killer    memcg-oom (group-kill) at pod level, proven');
    expect(text).toMatch(/victim {4}eater\/eater pid \d+ \(memory-eater\)/);
    expect(text).toMatch(/node-1\/kmsg\.log:\d+ .*Killed process \d+/);
    expect(text).toMatch(/oom-kill:constraint=CONSTRAINT_MEMCG, …, oom_memcg=…\/pod\w+….slice/);
    expect(text).toMatch(/right {2}api +OOMKilled, exit 137/);
    expect(text).toContain('evidence  cells/default/oom-single-container');
    expect(text).toMatch(/^open {6}less \+\d+ cells\/default\/oom-single-container\/node-1\//m);
  });

  it('says what to do, and never cuts off which process it was', () => {
    const summary = attribution.because.find((ref) => ref.text.startsWith('oom-kill:'));
    const long = { ...summary!, text: summary!.text.replace('task=', `${'x'.repeat(200)},task=`) };
    const text = explainCell({
      ...result,
      attribution: { ...attribution, chain: undefined, because: [long] },
    });
    expect(text).toMatch(/oom-kill:.*…,task=memory-eater,pid=\d+,uid=0$/m);
    expect(text).toMatch(/^do {8}raise limits\.memory/m);
  });

  it('fits a terminal: no line is much wider than its texts', () => {
    for (const line of explainCell(result).split('\n')) expect(line.length).toBeLessThan(230);
  });
});

describe('the page of a judged cell', () => {
  it('tells the end step by step, and beside it only the proof that is no step', () => {
    const chain = [
      { step: 'cause' as const, ...ref(1, 'out of memory') },
      { step: 'signal' as const, ...ref(2, 'Killed process 812') },
      { step: 'end' as const, ...ref(3, 'pid 812 ended', 'trace') },
      { step: 'end' as const, ...ref(3, 'exit 137', 'tasks') },
      { step: 'consequence' as const, ...ref(4, 'eater terminated OOMKilled', 'pod') },
    ];
    const because = [ref(2, 'Killed process 812'), ref(9, 'oom_kill 1', 'cgroup')];
    const text = explainCell(cell({ chain, because }));
    expect(sectionOf(text, 'step by step')).toEqual([
      '  cause        node-1/kmsg.log:1   14:02:01.500  kmsg   out of memory',
      '  signal       node-1/kmsg.log:2   14:02:02.500  kmsg   Killed process 812',
      '  end          node-1/trace.log:3  14:02:03.500  trace  pid 812 ended',
      '               node-1/tasks.log:3  14:02:03.500  tasks  exit 137',
      '  consequence  node-1/pod.log:4    14:02:04.500  pod    eater terminated OOMKilled',
    ]);
    expect(sectionOf(text, 'proven by')).toEqual(['  node-1/cgroup.log:9  14:02:09.500  cgroup  oom_kill 1']);
    expect(text).not.toContain('because');
    expect(text).toContain('open      less +2 cells/default/oom/node-1/kmsg.log');
    const whole = explainCell(cell({ chain, because: because.slice(0, 1) }));
    expect(whole).not.toContain('proven by');
  });

  it('has no steps to an end for a container that lives, but all that shows it', () => {
    const chain = [{ step: 'end' as const, ...ref(1, 'oom_kill 0', 'cgroup') }];
    const because = [ref(1, 'oom_kill 0', 'cgroup'), ref(2, 'running', 'pod')];
    const text = explainCell(cell({ killer: 'none', how: undefined, level: undefined, chain, because }));
    expect(sectionOf(text, 'because')).toEqual([
      '  node-1/cgroup.log:1  14:02:01.500  cgroup  oom_kill 0',
      '  node-1/pod.log:2     14:02:02.500  pod     running',
    ]);
    expect(text).not.toContain('step by step');
  });

  it('lists the proof of an older result, which has no chain', () => {
    const text = explainCell(cell({ because: [ref(2, 'Killed process 812')] }));
    expect(sectionOf(text, 'because')).toEqual([
      '  node-1/kmsg.log:2  14:02:02.500  kmsg  Killed process 812',
    ]);
    expect(text).not.toMatch(/step by step|also seen|excluded|memory {4}/);
  });

  it('shows the figures with their share, as far as they were read', () => {
    const MIB = 1024 * 1024;
    const because = [ref(7, 'peak', 'cgroup'), ref(9, 'memory.max', 'cgroup'), ref(7, 'memory', 'cgroup')];
    const memory = (figures: Attribution['figures']): string | undefined =>
      /^memory .*$/m.exec(explainCell(cell({ figures })))?.[0];
    expect(memory({ limitBytes: 128 * MIB, peakBytes: 127 * MIB, because })).toBe(
      'memory    peak 127.0 MiB, limit 128.0 MiB (99 %)   node-1/cgroup.log:7, :9',
    );
    expect(memory({ limitBytes: 128 * MIB, peakBytes: MIB, readBeforeEndMs: 13_600, because })).toBe(
      'memory    at least 1.0 MiB, last read 13.6 s before the end, limit 128.0 MiB   node-1/cgroup.log:7, :9',
    );
    expect(memory({ peakBytes: 2048 * MIB, because: [] })).toBe('memory    peak 2.0 GiB');
    expect(memory({ limitBytes: 0, peakBytes: MIB, because: [] })).toBe(
      'memory    peak 1.0 MiB, limit 0.0 MiB',
    );
    expect(memory({ because: [] })).toBeUndefined();
  });

  it('shows what else happened, marks what nothing explains, and cuts long lists of records', () => {
    const findings = [
      {
        what: 'the OOM killer took a worker, pid 843',
        explained: true,
        because: [ref(5, 'Killed process 843')],
      },
      {
        what: 'SIGTERM to pid 812 from pid 99',
        explained: false,
        because: [1, 2, 3, 4, 5].map((line) => ref(line, `line ${line}`)),
      },
    ];
    expect(sectionOf(explainCell(cell({ findings })), 'also seen')).toEqual([
      '  the OOM killer took a worker, pid 843',
      '    node-1/kmsg.log:5  14:02:05.500  kmsg  Killed process 843',
      '  unexplained: SIGTERM to pid 812 from pid 99',
      '    node-1/kmsg.log:1  14:02:01.500  kmsg  line 1',
      '    node-1/kmsg.log:2  14:02:02.500  kmsg  line 2',
      '    node-1/kmsg.log:3  14:02:03.500  kmsg  line 3',
      '    and 2 more records',
    ]);
  });

  it('says of an unknown killer what it was not, what it may have been, and what would decide it', () => {
    const unknown = {
      killer: 'unknown' as const,
      how: undefined,
      level: undefined,
      confidence: 'none' as const,
      excluded: [{ what: 'an OOM kill', by: 'the kernel counts none, and its log is whole' }],
      open: [{ what: 'a signal from outside', why: 'there is no trace', wanted: 'the witness of node-1' }],
    };
    const text = explainCell(cell(unknown, { verdict: 'inconclusive', note: 'no record explains the end' }));
    expect(text).toContain('killer    unknown (proof is missing)\n');
    expect(text).toMatch(/^do {8}collect what would decide it/m);
    expect(sectionOf(text, 'excluded')).toEqual([
      '  an OOM kill: the kernel counts none, and its log is whole',
    ]);
    expect(sectionOf(text, 'not excluded')).toEqual([
      '  a signal from outside: there is no trace',
      '    would decide it: the witness of node-1',
    ]);
    expect(text).toContain('expected  memcg-oom, at pod level: not decided');
  });

  it('names what is not excluded once, those with one reason together', () => {
    const why = 'there is no trace';
    const open = [
      { what: 'a signal from outside', why, wanted: 'a trace' },
      { what: 'a signal of its own', why, wanted: 'a trace' },
      { what: 'an OOM kill', why: 'the log has a gap', wanted: 'the kernel log' },
      { what: 'an end of its own', why, wanted: 'the log of the program' },
    ];
    const doubts = [
      'nobody traced the signal',
      `not excluded: a signal from outside, a signal of its own, an end of its own (${why})`,
      'not excluded: an OOM kill (the log has a gap)',
    ];
    const text = explainCell(cell({ confidence: 'likely', doubts, open }));
    expect(text).toContain('\ndoubt     nobody traced the signal; 4 others are not excluded\n');
    expect(sectionOf(text, 'not excluded')).toEqual([
      '  a signal from outside, a signal of its own, an end of its own: there is no trace',
      '    would decide it: a trace; the log of the program',
      '  an OOM kill: the log has a gap',
      '    would decide it: the kernel log',
    ]);
  });

  it('keeps a doubt whose killers no list has', () => {
    const doubts = ['not excluded: a made-up end (nobody saw it)'];
    expect(explainCell(cell({ confidence: 'likely', doubts }))).toContain(
      '\ndoubt     not excluded: a made-up end (nobody saw it)\n',
    );
  });

  it('says what was expected in words, and that it holds', () => {
    const expected = { killer: 'external-signal', exitCode: [137], withinSeconds: 30, then: 'stays-dead' };
    expect(explainCell(cell({}, { expected }))).toContain(
      'expected  external-signal, exit code 137, within 30 s, stays dead: all of it holds',
    );
    const or = [{ killer: 'runtime-lost', how: ['runtime-restarted'] }];
    expect(explainCell(cell({}, { expected: { killer: 'none', survivesSeconds: 30, or } }))).toContain(
      'expected  none, alive for 30 s, or runtime-lost by runtime-restarted: all of it holds',
    );
  });

  it('marks the layer that was wrong, and names the field of each expectation that was missed', () => {
    const text = explainCell(
      cell(
        {},
        {
          verdict: 'failed',
          claims: [{ layer: 'api', says: 'Error, exit 137', agrees: false }],
          mismatches: [
            { field: 'reason', expected: 'OOMKilled', observed: 'Error' },
            { field: 'then', expected: 'the container is restarted', observed: 'it was not restarted' },
          ],
        },
      ),
    );
    expect(text).toMatch(/WRONG {2}api/);
    expect(text).toContain('expected  reason: OOMKilled\nobserved  reason: Error\n');
    expect(text).toContain(
      'expected  then: the container is restarted\nobserved  then: it was not restarted\n',
    );
    expect(text).not.toContain('all of it holds');
  });

  it('names no folder when nothing was saved', () => {
    expect(explainCell(cell({ because: [ref(2, 'x')] }), '')).not.toMatch(/^(?:evidence|open) /m);
  });
});

describe('the page of a cell that was interrupted', () => {
  const interrupted = { verdict: 'interrupted', note: 'interrupted by SIGINT' } as const;

  it('says how far its killer can be believed, and that nothing was compared', () => {
    const text = explainCell(cell({ because: [ref(2, 'Killed process 812')] }, interrupted));
    expect(text).toContain(
      'killer    memcg-oom (group-kill) at pod level, proven; from what was seen before the cell was interrupted\n',
    );
    expect(text).toContain('note      interrupted by SIGINT\n');
    expect(text).toContain('expected  memcg-oom, at pod level: not decided\n');
  });

  it('has no killer, victim or advice when nothing was seen, but what to run', () => {
    const nothing = {
      killer: 'unknown' as const,
      how: undefined,
      level: undefined,
      confidence: 'none' as const,
    };
    expect(explainCell(cell(nothing, { ...interrupted, claims: [] }), '')).toBe(
      [
        'default/oom: interrupted',
        '',
        'note      interrupted by SIGINT',
        'expected  memcg-oom, at pod level: not observed',
        'try       npx whodunit run default/oom',
        '',
      ].join('\n'),
    );
    const lost = cell(nothing, { verdict: 'inconclusive', note: 'the world did not come up', claims: [] });
    expect(explainCell(lost)).toContain('default/oom: inconclusive\n\nnote      the world did not come up\n');
  });
});

describe('the page of a skipped cell', () => {
  const skipped = (note: string | undefined): string =>
    explainCell(
      cell(
        { killer: 'unknown', how: undefined, level: undefined, victim: '', confidence: 'none' },
        { verdict: 'skipped', claims: [], expected: {}, evidence: '', note },
      ),
    );

  it('has the rule, the reason, its source and what to try, and no killer', () => {
    expect(skipped('v1-needs-memcg: no MEMCG_V1 (since 6.11) (https://a.test/x)')).toBe(
      [
        'default/oom: skipped',
        '',
        'rule      v1-needs-memcg',
        'reason    no MEMCG_V1 (since 6.11)',
        'source    https://a.test/x',
        'try       npx whodunit list scenario=oom set=full   (where this scenario can run)',
        '',
      ].join('\n'),
    );
  });

  it('has what was seen of a world that could not start, as declared', () => {
    const text = skipped('no-pods: kubelet refuses (https://a.test/x); seen: kubelet: (v1) refused');
    expect(text).toContain('source    https://a.test/x\nseen      kubelet: (v1) refused\n');
  });

  it('has the note as it is when it is of another make', () => {
    expect(skipped('somebody said so')).toContain('\nnote      somebody said so\ntry ');
    expect(skipped(undefined)).toContain('\nnote      no reason was saved\n');
  });
});
