import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyProject, type ProjectCopy } from './support/project-copy.ts';
import { outcomeSchema } from '../../lab/model/declared/outcome.ts';
import { PROJECT, runCli } from './support/run-cli.ts';

const isRoot = process.getuid?.() === 0;

let folder: string;
let home: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-bad-files-'));
  home = join(folder, 'state');
});
afterAll(() => {
  // Nothing was started: no lock, no lease, no world, not even the folder for them.
  const isLeft = existsSync(home);
  rmSync(folder, { recursive: true });
  expect(isLeft).toBe(false);
});

describe('files that are wrong', () => {
  const EATER = 'scenarios/oom-single-container/scenario.yaml';
  const QUITTER = 'scenarios/plain-exit/scenario.yaml';
  const HELP = '  try: docs/schemas/ of whodunit says what the files may contain';
  let project: ProjectCopy;
  beforeAll(() => {
    project = copyProject(folder);
  });

  /** Runs with changed files, and puts them back. */
  async function runWith(changes: Record<string, string | undefined>, words: readonly string[]) {
    for (const [path, text] of Object.entries(changes)) project.change(path, text);
    try {
      return await project.run(words);
    } finally {
      for (const path of ['matrix.yaml', 'scenarios', 'bugs']) project.restore(path);
    }
  }
  /** `line:column` of a piece of a text. */
  const placeOf = (text: string, piece: string): string => {
    const before = text.slice(0, text.indexOf(piece));
    return `${before.split('\n').length}:${before.length - before.lastIndexOf('\n')}`;
  };
  const shipped = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');

  it('are no problem before they are changed', async () => {
    expect(await runWith({}, ['list'])).toMatchObject({ status: 0, stderr: '' });
  });

  it('are told by file and field, with the nearest name: an unknown field', async () => {
    const text = shipped(QUITTER).replace('withinSeconds:', 'withinSecond:');
    const { status, stderr } = await runWith({ [QUITTER]: text }, ['run', 'plain-exit']);
    expect(stderr).toBe(
      [
        'error LAB_CONFIG: one problem in the configuration',
        `  ${QUITTER}:${placeOf(text, 'withinSecond')}: expect.withinSecond: expected one of the fields ` +
          `${Object.keys(outcomeSchema.shape).join(', ')}, received the unknown field "withinSecond" ` +
          '(did you mean "withinSeconds"?)',
        HELP,
        '',
      ].join('\n'),
    );
    expect(status).toBe(2);
  });

  it('are told by line and column: broken YAML', async () => {
    const { status, stderr } = await runWith({ [EATER]: 'formatVersion: 1\nname: [oom\n' }, [
      'run',
      'oom-single-container',
    ]);
    const [first, second, ...rest] = stderr.split('\n');
    expect(first).toBe('error LAB_CONFIG: one problem in the configuration');
    expect(second).toBe(
      `  ${EATER}:3:1: expected the end of what was opened: a quote, ], }, or the : or comma between two values, received the end of the file`,
    );
    expect(rest).toEqual([HELP, '']);
    expect(status).toBe(2);
  });

  it('are told by folder: a scenario without manifests', async () => {
    const { status, stderr } = await runWith({ 'scenarios/within-limits/manifests': undefined }, ['run']);
    expect(stderr).toBe(
      [
        'error LAB_CONFIG: one problem in the configuration',
        '  scenarios/within-limits/manifests: expected Kubernetes objects, received nothing',
        HELP,
        '',
      ].join('\n'),
    );
    expect(status).toBe(2);
  });

  it('are told before anything starts: an image of a component that there is not', async () => {
    const images = 'images: [{ image: whodunit.local/a:1, component: workload, version: latest }]';
    const pod = 'scenarios/plain-exit/manifests/pod.yaml';
    const changes = {
      [QUITTER]: `${shipped(QUITTER)}${images}\n`,
      [pod]: shipped(pod).replace(/image: .*/, 'image: whodunit.local/a:1'),
    };
    const { status, stderr } = await runWith(changes, ['run', 'plain-exit']);
    expect(stderr).toBe(
      [
        'error LAB_CONFIG: one problem in the configuration',
        `  ${QUITTER}:${placeOf(changes[QUITTER] ?? '', 'component: workload')}: images.0.component: expected the name of a component in components.yaml, received "workload" ` +
          '(did you mean "workloads"?)',
        HELP,
        '',
      ].join('\n'),
    );
    expect(status).toBe(2);
  });

  it('are told before anything starts: what is measured and what varies', async () => {
    const folder = (name: string): string => `scenarios/${name}/scenario.yaml`;
    const edits: readonly (readonly [path: string, from: string | RegExp, to: string, told: string])[] = [
      [
        folder('leaked-units'),
        'measure: units-left',
        'measure: unit-left',
        'expect.measures.0.measure: expected one of .*, received "unit-left" \\(did you mean "units-left"\\?\\)',
      ],
      [
        folder('dying-cgroups'),
        /atLeast: \d+/,
        'atLeast: 400 cgroups',
        'atLeast: expected only a number, in the unit of the measure, received "400 cgroups"',
      ],
      [
        folder('slow-pull'),
        /reason: the slow image takes.*/,
        '',
        'expect.measures.0.reason: expected text, received nothing',
      ],
      [
        'scenarios/supercronic-lost-status/samplers/jobs.sh',
        /[^]*/,
        'echo "job-ended 3"\n',
        'expected a script that prints .*, received a script without the name of a measure \\(did you mean "jobs-ended"\\?\\)',
      ],
      [
        folder('supercronic-zombies'),
        'component: tini, version: 0.19.0',
        'component: tini, version: 0.19.1',
        'images.0.also.0.version: expected a version of tini .*, such as 0.19.0, received "0.19.1"',
      ],
      [
        'scenarios/within-limits/manifests/pod.yaml',
        /memory: \w+/,
        'memory: 64MiB',
        'memory: expected an amount such as 64Mi or 500m, received "64MiB" \\(did you mean "64Mi"\\?\\)',
      ],
    ];
    const changes = edits.map(([path, from, to]) => [path, shipped(path).replace(from, to)] as const);
    const chosen = edits.map(([path]) => path.split('/')[1] ?? '');
    const { status, stdout, stderr } = await runWith(Object.fromEntries(changes), ['run', ...chosen]);
    for (const [path, , , told] of edits)
      expect(stderr).toMatch(new RegExp(`^  ${path}(:\\d+:\\d+)?: .*${told}`, 'm'));
    expect(stderr).toMatch(/^error LAB_CONFIG: \d+ problems in the configuration\n/);
    expect([status, stdout]).toEqual([2, '']);
  });

  it('are told before anything starts: a bug that compares a variant with itself', async () => {
    const bug = 'bugs/driver-mismatch-kill-loop.yaml';
    const text = shipped(bug).replace(
      'affected: { drivers: systemd+cgroupfs }',
      'affected: { drivers: systemd+systemd }',
    );
    const { status, stdout, stderr } = await runWith({ [bug]: text }, ['repro', 'driver-mismatch-kill-loop']);
    expect(stderr).toMatch(/^error LAB_CONFIG: /);
    expect(stderr).toContain('fixed: expected another variant than affected, received ');
    expect([status, stdout]).toEqual([2, '']);
  });

  it('are told all at once', async () => {
    const changes = {
      [EATER]: 'name: [oom\n',
      [QUITTER]: shipped(QUITTER).replace('killer: self-exit', 'killer: self-exits'),
      'scenarios/within-limits/manifests': undefined,
      'matrix.yaml': shipped('matrix.yaml').replace('values: [v2, v1]', 'values: [v1, v2]'),
    };
    const { status, stderr } = await runWith(changes, ['bake']);
    const files = stderr.split('\n').map((line) => /^ {2}([^ :]+)[\d:]*: /.exec(line)?.[1]);
    expect(stderr).toContain('error LAB_CONFIG: 4 problems in the configuration');
    expect(stderr).toContain('received "self-exits" (did you mean "self-exit"?)');
    expect(files.slice(1, 5)).toEqual([EATER, QUITTER, 'scenarios/within-limits/manifests', 'matrix.yaml']);
    expect(status).toBe(2);
  });
});

describe('a host that is too small', () => {
  it.skipIf(!isRoot).each([['up'], ['run', 'plain-exit']])(
    'is told before anything is started: %s',
    async (...words) => {
      const small = join(folder, 'small');
      mkdirSync(small);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'whodunit-test', small]);
      try {
        const { status, stdout, stderr } = await runCli(small, words);
        expect(stderr).toMatch(/error LAB_HOST: this host is not ready, .*; nothing was started\n/);
        expect(stderr).toContain(` MiB free at ${small}, `);
        expect(stderr).toContain('    fix: free some disk');
        expect(stdout).toBe('');
        expect(status).toBe(3);
        expect(readdirSync(small)).not.toContain('leases.jsonl');
        expect(readdirSync(small)).not.toContain('worlds');
        expect(readdirSync(small)).not.toContain('runs');
      } finally {
        execFileSync('umount', [small]);
        rmSync(small, { recursive: true });
      }
    },
  );
});
