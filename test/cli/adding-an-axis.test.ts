import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListResult, Rejudged, RunResult } from '../../lab/model/saved/formats.ts';
import { copyProject, type ProjectCopy } from './support/project-copy.ts';
import { PROJECT, runProgram } from './support/run-cli.ts';

/** The file of a made-up axis, as docs/adding-an-axis.md shows it. */
const FILE = readFileSync(join(PROJECT, 'test/fixtures/made-up-axis/cni.ts'), 'utf8');
/** A program that prints what the default world is made of. */
const PRINT_WORLD = 'test/fixtures/made-up-axis/print-world.ts';
const DATA = `  cni:
    about: who gives pods their network
    values: [bridge, cilium@1.16.0, cilium@1.10.0]
    patterns: ['(bridge|cilium)@\\d+\\.\\d+\\.\\d+']
    example: cilium@1.17.1
`;
const RULE = `  - id: cilium-needs-a-new-kernel
    when: { cni: ['cilium*'], cniVersion: ['<1.14'], kernelVersion: ['<6.12'] }
    reason: made up
    source: docs/adding-an-axis.md
    proof: predicted
`;

/** The program that its values name. */
const COMPONENT = `  cilium:
    about: made up
    license: Apache-2.0
    versions: { '1.17.1': 1.17.1, '1.16.0': 1.16.0, '1.10.0': 1.10.0 }
    sources:
      - kind: local
        folder: provision/guest/witness
        go: 1.26.8
        binaries: { cilium: '' }

`;

let folder: string;
let project: ProjectCopy;

/** Changes a file of the copy where a text stands exactly once. */
function replace(path: string, text: string, by: string): void {
  const parts = readFileSync(join(project.dir, path), 'utf8').split(text);
  expect(parts, `${text} in ${path}`).toHaveLength(2);
  project.change(path, parts.join(by));
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-cli-'));
  project = copyProject(folder);
  // One file, its line in the list, and data.
  project.change('lab/model/axes/cni.ts', FILE.replaceAll('../../../lab/model/', '../'));
  replace('lab/model/axes/axes.ts', '  knobs,\n] as const;', '  knobs,\n  cni,\n] as const;');
  replace(
    'lab/model/axes/axes.ts',
    'import { cgroup }',
    "import { cni } from './cni.ts';\nimport { cgroup }",
  );
  replace('matrix.yaml', '\n# What each suite ships', `${DATA}\n# What each suite ships`);
  replace('matrix.yaml', '\nrules:\n', `\nrules:\n${RULE}`);
  replace('components.yaml', '\n  witness:\n', `\n${COMPONENT}  witness:\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function list(...words: string[]): Promise<ListResult> {
  const { stdout, stderr } = await project.run(['list', ...words, '--json']);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as ListResult;
}

describe('an axis that was added in one file', () => {
  it('varies, and its rules refuse', async () => {
    const { cells, skipped } = await list('cni=*', 'plain-exit');
    expect(
      cells.map(({ address, variant }) => [address, (variant as Record<string, string>)['cni']]),
    ).toEqual([
      ['default/plain-exit', 'bridge'],
      ['cilium@1.16.0/plain-exit', 'cilium@1.16.0'],
    ]);
    expect(skipped).toMatchObject([
      { address: 'cilium@1.10.0/plain-exit', rule: 'cilium-needs-a-new-kernel' },
    ]);
  });

  it('is known by name, by pattern and beside others', async () => {
    const { cells } = await list('v1_cilium@1.17.1/plain-exit');
    expect(cells).toMatchObject([
      { address: 'v1_cilium@1.17.1/plain-exit', variant: { cgroup: 'v1', cni: 'cilium@1.17.1' } },
    ]);
    const { stderr } = await project.run(['list', 'cni=cilum@1.16.0']);
    expect(stderr).toContain(
      'cni has no value "cilum@1.16.0" (did you mean "cilium@1.16.0", or an exact one like cilium@1.17.1?)',
    );
  });

  it('is covered in pairs', async () => {
    const { cells, pairwise } = await list('cni=*', 'cgroup=*', 'os=*', 'plain-exit', '--pairwise');
    expect(pairwise?.covered).toBe(pairwise?.pairs);
    expect(cells.map(({ address }) => address).join(' ')).toMatch(/\bv1_cilium@1\.16\.0\//);
  });

  it('has its default in every saved file that lacks it', async () => {
    cpSync(join(PROJECT, 'test/fixtures/run-from-before'), join(project.home, 'runs'), { recursive: true });
    const report = await project.run(['report', '--json']);
    const { cells } = JSON.parse(report.stdout) as RunResult;
    expect(cells).toMatchObject([{ variant: { knobs: 'none', cni: 'bridge' } }]);
    expect((await project.run(['why', cells[0]!.address])).status).toBe(0);
    const judged = await project.run(['judge', 'latest', '--json']);
    expect((JSON.parse(judged.stdout) as Rejudged).cells).toMatchObject([{ verdict: 'passed', changed: [] }]);
  });

  it('leaves the worlds of today what they are, so that none is built again', async () => {
    project.change(PRINT_WORLD, readFileSync(join(PROJECT, PRINT_WORLD), 'utf8'));
    const worldIn = async (dir: string): Promise<unknown> => {
      const tsx = ['--import', 'tsx', join(dir, PRINT_WORLD), dir];
      const { stdout, stderr } = await runProgram(process.execPath, tsx);
      expect(stderr).toBe('');
      return JSON.parse(stdout);
    };
    const today = await worldIn(PROJECT);
    expect(today).toMatchObject({
      key: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      inputs: { name: '"default"' },
    });
    expect(await worldIn(project.dir)).toEqual(today);
  });

  it('refuses data that it cannot read', async () => {
    const matrix = readFileSync(join(project.dir, 'matrix.yaml'), 'utf8');
    project.change('matrix.yaml', matrix.replace('cilium@1.10.0]', 'calico]'));
    const { status, stderr } = await project.run(['list']);
    project.change('matrix.yaml', matrix);
    expect(stderr).toContain(
      'axes.cni.values.2: expected a value that the axis cni can read, received "calico"',
    );
    expect(status).toBe(2);
  });
});
