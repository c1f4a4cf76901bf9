import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FIRST_SCENARIO, projectSkeleton } from '../../../lab/plan/config/project-skeleton.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const WORKFLOW = '.github/workflows/whodunit.yml';
const SKELETON = projectSkeleton().find(({ path }) => path === WORKFLOW)?.text ?? '';

/** The workflows that somebody copies into a repository of their own. */
const OWN = {
  'whodunit init': SKELETON,
  'examples/gate': read('examples/gate/.github/workflows/death-gate.yml'),
  'examples/own-project': read(`examples/own-project/${WORKFLOW}`),
};

interface Job {
  readonly container: { readonly image: string; readonly options: string };
}
const jobOf = (text: string): Job | undefined =>
  Object.values((parse(text) as { readonly jobs: Readonly<Record<string, Job>> }).jobs)[0];

const VERSION = (JSON.parse(read('package.json')) as { readonly version: string }).version;
const CONTAINER = /docker run ([^]*?) (debian:\d+)\n/.exec(read('docs/ci.md').replaceAll('\\\n', ''));

describe('a workflow for a repository of somebody else', () => {
  it.each(Object.entries(OWN))('has the container of docs/ci.md: %s', (_, text) => {
    const words = CONTAINER?.[1]?.split(/\s+/);
    expect(jobOf(text)?.container.options.split(' ')).toEqual(words);
    expect(jobOf(text)?.container.image).toBe(CONTAINER?.[2]);
  });

  it.each(Object.entries({ ...OWN, action: read('action/action.yml') }))(
    'has the oldest Node that is supported: %s',
    (_, text) => {
      const oldest = /"node": ">=(\d+)"/.exec(read('package.json'))?.[1];
      expect([...text.matchAll(/node-version: (\S+)/g)].map(([, version]) => version)).toEqual([oldest]);
    },
  );

  it('takes a tarball of this version: no registry has one', () => {
    const { devDependencies } = JSON.parse(read('examples/own-project/package.json')) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    expect(devDependencies['whodunit']).toBe(`file:whodunit-${VERSION}.tgz`);
    expect(OWN['examples/gate']).toContain(`/download/v${VERSION}/whodunit-${VERSION}.tgz\n`);
    expect(OWN['examples/gate']).not.toMatch(/npm install .*whodunit$/m);
  });

  it('is the one that init writes: examples/own-project', () => {
    expect(OWN['examples/own-project']).toBe(SKELETON);
    expect(SKELETON).toContain(`npx whodunit run ${FIRST_SCENARIO}`);
  });
});
