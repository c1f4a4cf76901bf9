import { describe, expect, it } from 'vitest';
import { parseSamples } from '../../../lab/evidence/samples.ts';
import { ALONE, type JournalContext } from '../../../lab/evidence/journal.ts';
import type { Covered } from '../../../lab/model/evidence/observation.ts';
import { everySecond, sampleLines } from '../../fixtures/evidence/samples.ts';

const FILE = 'node-1/samples.jsonl';
const RUNS = everySecond((second) => `zombies ${second}\npids 7\n`);
const parse = (lines: readonly string[], context: JournalContext = ALONE) =>
  parseSamples(lines.map((line) => `${line}\n`).join(''), FILE, context);
const whysOf = (lines: readonly string[]): string[] =>
  parse(lines).flatMap((observation) => (observation.kind === 'lost' ? [observation.why] : []));

describe('what samplers printed', () => {
  it('is read run by run, each with its line', () => {
    const found = parse(sampleLines(RUNS));
    expect(found).toHaveLength(RUNS.length);
    expect(found[0]).toMatchObject({
      kind: 'sampler-ran',
      sampler: 'zombies',
      tookMs: 100,
      values: { zombies: 4, pids: 7 },
      problem: undefined,
      at: 1_760_000_004_000,
      node: 'node-1',
      ref: { source: 'samples', file: FILE, line: 2, text: 'zombies: zombies 4, pids 7' },
    });
  });

  it('may be nothing: there is nothing to measure yet', () => {
    expect(parse(sampleLines([{ at: 4, out: '\n' }]))).toMatchObject([{ values: {}, problem: undefined }]);
  });

  it('is dated by the clock that nobody steps, and tells what it covers', () => {
    const covered: Covered[] = [];
    parse(sampleLines(RUNS), {
      onCovered: (span) => covered.push(span),
      dateEntry: ({ monoMicros = 0, bootId }) => (bootId.includes('-') ? undefined : monoMicros / 1000),
    });
    expect(covered).toMatchObject([{ source: 'samples', from: 300_000, to: 330_000, records: 28 }]);
  });

  it.each([
    ['zombies', 'which is not "<measure> <number>"'],
    ['zombies 1 2', 'which is not "<measure> <number>"'],
    ['zombies 0x10', 'which is not "<measure> <number>"'],
    ['zombies NaN', 'which is not "<measure> <number>"'],
    ['zombies 4194305', 'which is not between 0 and 4194304'],
    ['forks-refused 3', 'which no sampler measures'],
    [`${'x'.repeat(500)} 1`, `"${'x'.repeat(80)}…", which is not a measure`],
  ])('that is "%.20s" is junk', (out, why) => {
    const [run] = parse(sampleLines([{ at: 4, out: `pids 1\n${out}\n` }]));
    expect(run).toMatchObject({ kind: 'sampler-ran', values: {} });
    expect(run?.kind === 'sampler-ran' ? run.problem : '').toContain(why);
  });
});

describe('a stream of samples', () => {
  const lines = sampleLines(RUNS);

  it('is whole from its start to its stop', () => {
    expect(whysOf(lines)).toEqual([]);
    expect(whysOf([...lines, ...sampleLines([], 'other')])).toEqual([]);
  });

  it('lacks what is not there: the start, a run, the stop, and the runs that the stop promises', () => {
    expect(whysOf(lines.slice(1))).toEqual(['the start of sampler zombies is missing']);
    expect(whysOf(lines.filter((_, index) => index !== 3))).toEqual(
      Array.from({ length: 2 }, () => 'samples records 3 to 3 are missing'),
    );
    expect(whysOf(lines.slice(0, -1))).toEqual(['sampler zombies was cut short: its last runs are missing']);
    expect(whysOf(lines.filter((_, index) => index !== lines.length - 2))).toEqual([
      'sampler zombies was cut short: its last runs are missing',
    ]);
  });

  it('may end in the middle of a line; any other broken line is lost', () => {
    const cut = parseSamples(lines.join('\n').slice(0, -5), FILE, ALONE);
    expect(cut.flatMap((observation) => (observation.kind === 'lost' ? [observation.why] : []))).toEqual([
      'sampler zombies was cut short: its last runs are missing',
    ]);
    expect(whysOf([...lines, 'what?'])).toEqual(['a line is not a record of a sampler']);
  });
});
