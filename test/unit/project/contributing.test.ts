import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatError, InternalError } from '../../../lab/model/errors/errors.ts';
import { PROJECT, readProjectText } from '../project-files.ts';

/** What a contributor and a host of repositories find: pages, forms, workflows. Nothing else reads them before they are pushed. */

const FORMS = readdirSync(join(PROJECT, '.github/ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');
const WORKFLOWS = readdirSync(join(PROJECT, '.github/workflows'));
const packageJson = JSON.parse(readProjectText('package.json')) as {
  files: string[];
  scripts: Record<string, string>;
};

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string; readonly value?: string; readonly options?: unknown[] };
}
interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly Field[];
}
interface Workflow {
  readonly on: unknown;
  readonly permissions: unknown;
  readonly jobs: Record<string, { readonly steps: readonly { readonly uses?: string }[] }>;
}

describe('a bug of whodunit', () => {
  it.each([
    ['an error of ours', new InternalError('two ends of one pod')],
    ['any other error', new TypeError('x is undefined')],
  ])('says where it is reported, when it is %s', (_, error) => {
    const [, page = ''] = /report it .* (\S+\.md) of the project/.exec(formatError(error)) ?? [];
    expect(readProjectText(page)).toContain('## Report a bug');
    expect(packageJson.files).toContain(page);
  });

  it('has a form for each kind, to which the page of bugs leads', () => {
    const page = readProjectText('SUPPORT.md');
    expect(FORMS.length).toBeGreaterThanOrEqual(3);
    for (const form of FORMS) expect(page).toContain(`(.github/ISSUE_TEMPLATE/${form})`);
  });
});

describe.each(FORMS)('the form %s', (name) => {
  const form = parse(readProjectText(`.github/ISSUE_TEMPLATE/${name}`)) as Form;

  it('is one that GitHub takes', () => {
    expect(form.name).toBeTruthy();
    expect(form.description).toBeTruthy();
    for (const { type, id, attributes } of form.body) {
      expect(['markdown', 'textarea', 'input', 'dropdown', 'checkboxes']).toContain(type);
      if (type === 'markdown') expect(attributes.value).toBeTruthy();
      else expect(attributes.label, id).toBeTruthy();
      if (['dropdown', 'checkboxes'].includes(type)) expect(attributes.options?.length).toBeGreaterThan(0);
    }
    const ids = form.body.flatMap(({ id }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe.each(WORKFLOWS)('the workflow %s', (name) => {
  const workflow = parse(readProjectText(`.github/workflows/${name}`)) as Workflow;

  it('has read-only permissions, and takes each action by its major version, but for ours', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const used = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    for (const action of used) expect(action).toMatch(/^([\w-]+\/[\w-]+@v\d+|\.\/action)$/);
  });
});

describe('the workflow of pull requests', () => {
  it('runs every part of npm test but the nightly ones', () => {
    const text = readProjectText('.github/workflows/test.yml');
    const [, inMatrix = ''] = /parts: \[(.*)\]/.exec(text) ?? [];
    const [, withMachines = ''] = /npm test -- ([a-z ]+)$/m.exec(text) ?? [];
    const run = new Set(`${inMatrix} ${withMachines}`.split(/[ ,]+/));
    const [, parts = ''] = /const PARTS = \{\n([\s\S]*?)^\};/m.exec(readProjectText('bin/test.mjs')) ?? [];
    const known = [...parts.matchAll(/^ {2}(\w+): /gm)].map(([, part = '']) => part);
    expect([...run].sort()).toEqual(known.filter((part) => !['nightly', 'captures'].includes(part)).sort());
  });
});

describe('CONTRIBUTING.md', () => {
  const page = readProjectText('CONTRIBUTING.md');

  it('names only scripts of npm and tests that there are', () => {
    const scripts = [...page.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script);
    expect(scripts.filter((script) => !(script in packageJson.scripts))).toEqual([]);
    const tests = [...page.matchAll(/npm test -- (test\/[\w./-]+)/g)].map(([, path = '']) => path);
    expect(tests.length).toBeGreaterThan(2);
    expect(tests.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
  });
});

describe('.editorconfig', () => {
  it('says what prettier says', () => {
    const { printWidth } = JSON.parse(readProjectText('.prettierrc.json')) as { printWidth: number };
    expect(readProjectText('.editorconfig')).toContain(`\nmax_line_length = ${printWidth}\n`);
  });
});
