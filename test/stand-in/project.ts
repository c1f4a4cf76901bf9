import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { PROJECT } from '../cli/support/run-cli.ts';

const PARTS = [
  'bin',
  'lab',
  'provision',
  'stacks',
  'scenarios',
  'bugs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'matrix.yaml',
  'components.yaml',
  'cdktf.json',
];

/**
 * Copies the project into a folder. Its components come from Go modules alone: nothing is downloaded in a rehearsal.
 *
 * @returns the copy.
 */
export function prepareProject(folder: string): string {
  const dir = join(folder, 'project');
  mkdirSync(dir);
  for (const part of PARTS) cpSync(join(PROJECT, part), join(dir, part), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(dir, 'node_modules'));
  const catalogue = join(dir, 'components.yaml');
  const document = parseDocument(readFileSync(catalogue, 'utf8'));
  for (const { value } of (document.get('components') as YAMLMap<unknown, YAMLMap>).items) {
    const sources = value?.get('sources') as YAMLSeq<YAMLMap>;
    const others = sources.items.filter((source) => source.get('kind') !== 'release');
    // What is only a release, or a build of the user, keeps it: its versions are those of the release.
    if (others.some((source) => source.get('kind') !== 'file')) sources.items = others;
  }
  writeFileSync(catalogue, document.toString());
  return dir;
}
