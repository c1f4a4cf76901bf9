import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatBlock } from '../../../../bin/format-block.ts';
import { trimFiles } from '../../../../bin/trim-files.ts';
import { renderWhoGetsKilled } from '../../../../bin/who-gets-killed.ts';
import { readDeath } from '../../../../lab/commands/saved/read-death.ts';
import { parseWaysToDie } from '../../../../bin/docs/parse-ways-to-die.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { findBlock } from '../../../../bin/docs/marked-block.ts';
import { findWrongWords, type RecordedDeath } from '../../../../lab/report/words/recorded-death.ts';
import { renderDeaths } from '../../../../lab/report/markdown/render-deaths.ts';
import { renderPlaces } from '../../../../bin/docs/render-places.ts';
import { CAPTURES_FOLDER, loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { configWith, PROJECT, readProjectText } from '../../project-files.ts';

const CONFIG = configWith();
const WAYS_FILE = 'docs/ways-to-die.yaml';
const PAGE = 'docs/measured/who-gets-killed.md';

const read = (name: string): RecordedDeath => readDeath(join(CAPTURES_FOLDER, name), CONFIG.matrix);

/** The fields of the only row. */
function rowOf(...deaths: RecordedDeath[]): string[] {
  const rows = renderDeaths(deaths)
    .split('\n')
    .filter((line) => /^\| \[?`(?:'|default|v1)/.test(line));
  expect(rows).toHaveLength(1);
  return (rows[0] ?? '').split(/ ?\| ?/).slice(1, -1);
}

describe('the row of an end', () => {
  it('marks the reason Error of an OOM kill, and has what the kernel said', () => {
    expect(rowOf(read('cron-job-oom--v1-told-of-the-sandbox'))).toEqual([
      '`v1/cron-job-oom`',
      'single-process, pod level, failed',
      '137, `Error` ✗, `Failed`',
      '-',
      'exit 137, its shim is gone',
      '`SIGKILL`, `CONSTRAINT_MEMCG`, `oom_kill +1`',
      '1 (2026-11-21)',
    ]);
  });

  it('quotes an address for the shell, and links the evidence where there is a page for it', () => {
    const [address] = rowOf({ ...read('memory-stall--min-ttl'), link: '../there' });
    expect(address).toBe("[`'default/memory-stall[guard=min-ttl]'`](../there)");
  });

  it('stands once for cells that say the same, with the date of the latest', () => {
    const death = read('sigkill-from-node');
    const later = { ...death, record: { ...death.record, startedAt: '2027-01-02T00:00:00.000Z' } };
    expect(rowOf(later, death).at(-1)).toBe('1 (2027-01-02)');
  });
});

describe('a cell without an end', () => {
  it.each(['config-missing', 'containerd-restart'])('is only counted: %s', (name) => {
    const [first, ...rest] = renderDeaths([read(name)]).split('\n');
    expect(first).toContain('; 1 cell in which the victim lived on or never started left out.');
    expect(rest).toEqual([]);
  });
});

describe('what the API says is wrong', () => {
  it.each([
    ['memory-stall--min-ttl', 'Error of an OOM kill', { reason: true, exitCode: false }],
    ['worker-oom-then-delete--v1', 'OOMKilled of a deletion', { reason: true, exitCode: false }],
    ['eviction-empty-dir', 'an exit code that the kubelet made up', { reason: false, exitCode: true }],
    ['shim-killed', 'an exit code that containerd made up', { reason: false, exitCode: true }],
    ['oom-single-container', 'nothing', { reason: false, exitCode: false }],
    ['sigkill-from-node', 'nothing', { reason: false, exitCode: false }],
    ['exit-137', 'nothing', { reason: false, exitCode: false }],
    [
      'container-init-oom',
      'nothing: it never called the container ended',
      { reason: false, exitCode: false },
    ],
  ])('in %s: %s', (name, _, wrong) => {
    expect(findWrongWords(read(name))).toEqual(wrong);
  });

  it('is not known of a reason whose killer is unknown', () => {
    const death = read('memory-stall--min-ttl');
    const attribution = { ...death.attribution, killer: 'unknown' as const };
    expect(findWrongWords({ ...death, attribution }).reason).toBe(false);
  });
});

describe('the table of ends', () => {
  it('leaves out who lived, and says so', () => {
    const text = renderDeaths([read('within-limits'), read('exit-one')]);
    expect(text).toContain('**1 end, 0 with a reason or an exit code that is wrong (✗)**; 1 cell in which');
    expect(text).not.toContain('default/within-limits');
  });

  it('has the versions that the nodes printed, else those that the variant asks for', () => {
    const asked = read('oom-single-container--containerd-2.1.4');
    expect(renderDeaths([asked])).toContain(
      '| 1 | `containerd-2.1.4` | 1.34 | 2.1.4 | runc 1.1.5 | 6.1 | v2 | the variant |',
    );
    const versions = { kubelet: '1.34.2', containerd: '2.1.4', runc: '1.1.5+ds1', kernel: '6.1.0-56' };
    const text = renderDeaths([asked, { ...asked, versions, isReadBack: true }]);
    expect(text).toContain(
      '| 2 | `containerd-2.1.4` | 1.34.2 | 2.1.4 | runc 1.1.5+ds1 | 6.1.0-56 | v2 | the nodes |',
    );
  });

  it('can have the versions of a new capture, which trimming keeps', () => {
    const { record, files } = loadCapture('exit-one');
    const kept = trimFiles(new Map([...files, ['effective.json', '{}']]), record);
    expect(kept.get('effective.json')).toBe('{}');
  });

  it('names the cells that nobody observed', () => {
    const death = { ...read('exit-one'), words: undefined };
    const text = renderDeaths([death], [{ address: 'v1/x', why: 'skipped, a rule' }]);
    expect(text).toContain('- `v1/x`: skipped, a rule\n- `default/exit-one`: passed, there was no victim');
  });
});

describe('the table of places', () => {
  it('has worlds of the first scenario, whole addresses of others, and rules', () => {
    const place = {
      axis: 'cgroup',
      value: 'v1',
      isRecorded: false,
      address: undefined,
      refusedBy: undefined,
    } as const;
    const text = renderPlaces([
      {
        way: { row: 7, name: 'a | b', scenarios: ['one', 'two'] },
        places: [
          { ...place, value: 'v2', isRecorded: true },
          { ...place, address: 'v1/one' },
          { ...place, axis: 'runtime', value: 'runsc', address: 'runsc@1/two' },
          { ...place, axis: 'runtime', value: 'other', refusedBy: 'some-rule' },
        ],
      },
    ]);
    expect(text.split('\n').at(-1)).toBe(
      '| 7 | a \\| b | cgroup v2 | `one` | `v1` | `runsc@1/two`, other: no, `some-rule` |',
    );
  });
});

describe('docs/measured/who-gets-killed.md', () => {
  const page = readProjectText(PAGE);

  it('is as the captures have it: else run `npm run docs`', async () => {
    const blocks = renderWhoGetsKilled(CONFIG, parseWaysToDie(WAYS_FILE, readProjectText(WAYS_FILE)));
    for (const [name, text] of Object.entries(blocks))
      expect(findBlock(page, name)).toBe(await formatBlock(text, join(PROJECT, PAGE)));
  });

  it('has only addresses that `whodunit run` takes for one cell', () => {
    const ends = findBlock(page, 'ends') ?? '';
    const addresses = [...ends.matchAll(/^\| \[`'?([^`']+)'?`\]/gm)].map(([, address = '']) => address);
    expect(addresses.length).toBeGreaterThan(50);
    const wrong = [...new Set(addresses)].filter((address) => {
      const { cells, skipped } = planCells(CONFIG, [address]);
      return cells.length !== 1 || skipped.length > 0 || cells[0]?.address !== address;
    });
    expect(wrong).toEqual([]);
  });
});
