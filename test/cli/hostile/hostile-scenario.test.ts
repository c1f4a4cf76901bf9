import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT } from '../support/run-cli.ts';
import { copyProject, type ProjectCopy } from '../support/project-copy.ts';

const SECRET = 'the-secret-of-the-host';
const FOLDER = 'scenarios/from-a-stranger';

let base: string;
let project: ProjectCopy;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'whodunit-stranger-'));
  project = copyProject(base);
  writeFileSync(join(base, 'secret'), `${SECRET}\n`);
});
afterAll(() => rmSync(base, { recursive: true }));
afterEach(() => rmSync(join(project.dir, FOLDER), { recursive: true, force: true }));

/** What a stranger puts in the place of a file of a scenario, and what is said of it. */
const TRAPS: readonly (readonly [string, string, (path: string) => void])[] = [
  [
    'a link to a file of the host',
    'a link to what is outside of the project',
    (path) => symlinkSync(join(base, 'secret'), path),
  ],
  [
    'a link to a hidden file of the project',
    'a link to what is hidden, or in a hidden folder of the project',
    (path) => {
      mkdirSync(join(project.dir, '.lab'), { recursive: true });
      writeFileSync(join(project.dir, '.lab/key'), `${SECRET}\n`);
      symlinkSync(join(project.dir, '.lab/key'), path);
    },
  ],
  ['a link to itself', 'a link that leads in a circle', (path) => symlinkSync(path, path)],
  ['a link to its own folder', 'a folder', (path) => symlinkSync('..', path)],
  ['a pipe', 'a pipe, socket or device', (path) => void execFileSync('mkfifo', [path])],
  ['a link to a device without an end', 'a pipe, socket or device', (path) => symlinkSync('/dev/zero', path)],
  [
    'a file of a terabyte without content',
    '1099511627776 bytes',
    (path) => void execFileSync('truncate', ['-s', '1T', path]),
  ],
];

describe('a scenario of a stranger', () => {
  it.each(TRAPS)('with %s is refused as such, and nothing of it is read', async (_, said, make) => {
    const folder = join(project.dir, FOLDER);
    cpSync(join(PROJECT, 'scenarios/cpu-limit'), folder, { recursive: true });
    for (const file of ['samplers/usage.sh', 'manifests/pod.yaml']) {
      rmSync(join(folder, file));
      make(join(folder, file));
    }
    const { status, stdout, stderr } = await project.run(['list', basename(FOLDER)]);
    for (const file of ['samplers/usage.sh', 'manifests/pod.yaml'])
      expect(stderr).toContain(`${FOLDER}/${file}: expected a text file (UTF-8), received ${said}`);
    expect(stdout + stderr).not.toContain(SECRET);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  it.each(TRAPS)('with %s stops nobody who does not choose it', async (_, said, make) => {
    const folder = join(project.dir, FOLDER);
    cpSync(join(PROJECT, 'scenarios/cpu-limit'), folder, { recursive: true });
    rmSync(join(folder, 'samplers/usage.sh'));
    make(join(folder, 'samplers/usage.sh'));
    const { status, stdout, stderr } = await project.run(['list', 'oom-single-container']);
    expect(stderr).toContain(`scenario ${basename(FOLDER)} is broken and left out`);
    expect(stderr).toContain(`received ${said}`);
    expect(stdout + stderr).not.toContain(SECRET);
    expect(stdout).toContain('default/oom-single-container');
    expect(status).toBe(0);
  });
});

describe('a file of the host that a file of the project names', () => {
  const BUG = 'bugs/gvisor-limit-not-enforced.yaml';
  const OUTSIDE = 'is outside of the project';
  const HIDDEN = 'is hidden, or in a hidden folder of the project';

  /** Replaces a piece of a file, which must be there. */
  const replace = (path: string, piece: string | RegExp, other: string): void => {
    const text = readFileSync(join(project.dir, path), 'utf8');
    expect(text).toMatch(piece);
    project.change(path, text.replace(piece, other));
  };
  afterEach(() => {
    for (const part of ['scenarios', 'bugs', 'matrix.yaml', 'components.yaml']) project.restore(part);
    for (const part of ['out', '.lab']) rmSync(join(project.dir, part), { recursive: true, force: true });
  });

  it('is refused in a scenario, in the matrix and in the catalogue, all in one message', async () => {
    mkdirSync(join(project.dir, 'out'));
    mkdirSync(join(project.dir, '.lab'), { recursive: true });
    writeFileSync(join(project.dir, '.lab/key'), SECRET);
    // The path lies in the project, what lies beside it is a link.
    for (const name of ['containerd', 'ctr']) writeFileSync(join(project.dir, 'out', name), '');
    symlinkSync(join(base, 'secret'), join(project.dir, 'out/containerd-shim-runc-v2'));
    project.change(
      `${FOLDER}/scenario.yaml`,
      readFileSync(join(PROJECT, 'scenarios/plain-exit/scenario.yaml'), 'utf8')
        .replace(/^name: .*$/m, 'name: from-a-stranger')
        .concat(
          'images:\n  - image: whodunit.local/a:1\n    component: gvisor\n',
          `    version: file:${join(base, 'secret')}\n`,
          '    also: [{ component: containerd, version: file:.lab/key }]\n',
        ),
    );
    const manifests = join(project.dir, FOLDER, 'manifests');
    cpSync(join(PROJECT, 'scenarios/plain-exit/manifests'), manifests, { recursive: true });
    replace(`${FOLDER}/manifests/pod.yaml`, /image: .*/, 'image: whodunit.local/a:1');
    replace(
      'matrix.yaml',
      /^sets:\n/m,
      'sets:\n  hostile:\n    about: files of the host\n    blocks:\n' +
        '      - variants: { kernel: ["file:/boot/no-such-kernel"], containerd: ["file:./out/containerd"] }\n' +
        '        scenarios: [from-a-stranger]\n',
    );
    replace('components.yaml', '  containerd: apt\n', '  containerd: file:../secret\n');
    const { status, stdout, stderr } = await project.run(['list', 'set=hostile']);
    const secret = join(base, 'secret');
    expect(stderr.split('\n')).toEqual([
      'error LAB_USAGE: 5 local builds cannot be taken',
      `  kernel=file:/boot/no-such-kernel: /boot/no-such-kernel ${OUTSIDE}`,
      `  containerd=file:./out/containerd: ${join(project.dir, 'out/containerd-shim-runc-v2')} ${OUTSIDE}`,
      `  gvisor file:${secret} of from-a-stranger: ${secret} ${OUTSIDE}`,
      `  containerd file:.lab/key of from-a-stranger: ${join(project.dir, '.lab/key')} ${HIDDEN}`,
      `  containerd file:../secret of components.yaml: ${secret} ${OUTSIDE}`,
      `  try: copy what you trust into ${project.dir}; any path may be typed as a word of the command`,
      '',
    ]);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  it('is refused in a bug, and taken when a person types it', async () => {
    replace(BUG, 'runsc@20230927 }', `runsc@file:${join(base, 'secret')} }`);
    // A local build is no version, so that nothing is first beside it.
    replace(BUG, /^firstGood: .*\n/m, '');
    const secret = join(base, 'secret');
    const asIs = await project.run(['repro', 'gvisor-limit-not-enforced', '--dry-run']);
    expect(asIs.stderr).toContain(`runtime=runsc@file:${secret}: ${secret} ${OUTSIDE}`);
    expect(asIs.status).toBe(2);
    const built = join(base, 'built');
    for (const name of ['runsc', 'containerd-shim-runsc-v1']) cpSync('/bin/true', join(built, name));
    const typed = ['--affected', `runtime=runsc@file:${built}`];
    const asked = await project.run(['repro', 'gvisor-limit-not-enforced', '--dry-run', ...typed]);
    expect(asked.stderr).toBe('');
    expect(asked.status).toBe(0);
  });
});
