import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findIndexed, keepIndexed, stampProject } from '../../../../lab/drivers/project/project-index.ts';

let folder: string;
let project: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-index-'));
  project = join(folder, 'project');
  for (const path of ['scenarios/one/manifests', 'bugs', 'provision/kubernetes-api'])
    mkdirSync(join(project, path), { recursive: true });
  for (const path of FILES) writeFileSync(join(project, path), 'before');
});
afterEach(() => rmSync(folder, { recursive: true }));

const FILES = [
  'matrix.yaml',
  'components.yaml',
  'scenarios/one/scenario.yaml',
  'scenarios/one/manifests/pod.yaml',
  'bugs/one.yaml',
  'provision/kubernetes-api/definitions.json',
];

/** Writes a file so late that its time differs: before Linux 6.13 file systems count in steps of 4 to 10 ms. */
function writeLater(file: string, text: string): void {
  const timeOf = (): bigint => statSync(file, { bigint: true }).ctimeNs;
  const before = timeOf();
  do writeFileSync(file, text);
  while (timeOf() === before);
}

/** As if the files had not been changed for long. */
const settled = (): ReturnType<typeof stampProject> => ({
  ...stampProject({ projectDir: project }),
  changedAtMs: 0,
});

describe('what was worked out of the files of a project', () => {
  it('is found as long as no file has changed', () => {
    const index = join(folder, 'index');
    keepIndexed('config', settled(), { scenarios: ['one'] }, index);
    expect(findIndexed('config', settled(), index)).toEqual({ scenarios: ['one'] });
    expect(findIndexed('other', settled(), index)).toBeUndefined();
  });

  it('is found in memory by sources that no program was written of, as a value of its own each time', () => {
    keepIndexed('config', settled(), { scenarios: ['one'] });
    const found = findIndexed('config', settled());
    expect(found).toEqual({ scenarios: ['one'] });
    expect(findIndexed('config', settled())).not.toBe(found);
    expect(findIndexed('other', settled())).toBeUndefined();
    writeLater(join(project, 'matrix.yaml'), 'after!');
    expect(findIndexed('config', settled())).toBeUndefined();
  });

  it.each([
    ...FILES.map((file) => [`${file} is written`, () => writeLater(join(project, file), 'after!')] as const),
    [
      'a file is written with its old size and its old time',
      () => {
        const file = join(project, 'matrix.yaml');
        writeLater(file, 'beFore');
        utimesSync(file, 1, 1);
      },
    ],
    ['a file is added', () => writeFileSync(join(project, 'bugs/two.yaml'), '')],
    ['a file is removed', () => rmSync(join(project, 'bugs/one.yaml'))],
    ['a file is renamed', () => renameSync(join(project, 'bugs/one.yaml'), join(project, 'bugs/two.yaml'))],
    [
      'a file is put in its place with the same text',
      () => {
        writeFileSync(join(project, 'new'), readFileSync(join(project, 'matrix.yaml')));
        renameSync(join(project, 'new'), join(project, 'matrix.yaml'));
      },
    ],
  ] as const)('is worked out again after %s', (_, change) => {
    const index = join(folder, 'index');
    keepIndexed('config', settled(), 'old', index);
    change();
    expect(findIndexed('config', settled(), index)).toBeUndefined();
  });

  it.each(['', '{', 'another state\n"evil"', '\n"evil"'])('is not taken from a file with %j', (text) => {
    const index = join(folder, 'index');
    mkdirSync(index);
    writeFileSync(join(index, 'config.json'), text);
    expect(findIndexed('config', settled(), index)).toBeUndefined();
  });

  it('is not taken from a file that is broken off', () => {
    const index = join(folder, 'index');
    keepIndexed('config', settled(), { long: 'x'.repeat(100) }, index);
    const file = join(index, 'config.json');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -5));
    expect(findIndexed('config', settled(), index)).toBeUndefined();
  });

  it('is not kept while a file may still change within the same time, nor where nothing can be written', () => {
    const index = join(folder, 'index');
    keepIndexed('config', stampProject({ projectDir: project }), 'old', index);
    writeFileSync(join(folder, 'file'), '');
    keepIndexed('config', settled(), 'old', join(folder, 'file', 'index'));
    expect(findIndexed('config', settled(), index)).toBeUndefined();
  });
});
