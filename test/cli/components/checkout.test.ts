import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../lab/drivers/programs/command.ts';
import { parseComponents, type Artifact } from '../../../lab/model/components/components.ts';
import { ensureComponents } from '../../../provision/components/components.ts';
import { createQuietHost, quietProgress } from '../../quiet-host.ts';

const GO = execFileSync('go', ['env', 'GOVERSION']).toString().trim().slice(2);

const catalogue = parseComponents(`
formatVersion: 1
debian: { archive: 'http://mirror.test/debian/', security: 'http://mirror.test/debian-security/' }
components:
  tool:
    about: a program of a module
    versions: {}
    sources:
      - kind: gomod
        module: example.test/tool
        below: 2.0.0
        go: ${GO}
        binaries: { tool: '', other: other }
        ldflags: ['-X main.version=one-{version}']
      - kind: gomod
        module: example.test/tool
        from: 2.0.0
        go: ${GO}
        binaries: { tool: '' }
        ldflags: ['-X main.version=two-{version}']
      - { kind: file, programs: [tool] }
  generated:
    about: a program of which a part is generated
    versions: {}
    generated: { file: made.go, hint: name the branch with it }
    sources:
      - { kind: gomod, module: example.test/tool, go: ${GO}, binaries: { tool: '' } }
      - { kind: file, programs: [tool] }
  plain: { about: programs of somebody, versions: {}, sources: [{ kind: file, programs: [plain] }] }
`);

const MAIN = (says: string): string => `package main

var version = "none"

func main() { println("${says}", version) }
`;

let folder: string;
let checkout: string;
let builds: number;

const git = (...words: string[]): string =>
  execFileSync('git', ['-C', checkout, '-c', 'user.name=x', '-c', 'user.email=x@example.test', ...words], {
    encoding: 'utf8',
  }).trim();
const write = (name: string, text: string): void => writeFileSync(join(checkout, name), text);
const commit = (says: string): void => {
  write('main.go', MAIN(says));
  git('add', '--all');
  git('commit', '--quiet', '--message', says);
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'checkout-'));
  checkout = join(folder, 'tool');
  builds = 0;
  mkdirSync(checkout);
  git('init', '--quiet');
  write('go.mod', 'module example.test/tool\n\ngo 1.21\n');
  write('.gitignore', 'ignored\n');
  commit('first');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ensure = async (version: string, name = 'tool'): Promise<Artifact> => {
  const host = createQuietHost(folder, {
    run: runCommand,
    progress: {
      ...quietProgress,
      step: (title, work) => {
        if (title.includes(' from gomod ')) builds += 1;
        return work(() => undefined);
      },
    },
  });
  const [artifact] = await ensureComponents(host, catalogue, [{ name, version }]);
  if (artifact === undefined) throw new Error('nothing was made');
  return artifact;
};

/** What the built program prints. */
const say = ({ files }: Artifact): string => {
  const path = files['tool'] ?? '';
  const printed = join(folder, 'printed');
  execFileSync('sh', ['-c', `"${path}" 2>"${printed}"`]);
  return readFileSync(printed, 'utf8').trim();
};

describe('a checkout', () => {
  it('is built once for each tree, and named by it', async () => {
    const first = await ensure('git:./tool');
    const tree = git('rev-parse', 'HEAD^{tree}').slice(0, 12);
    expect([first.version, say(first)]).toEqual([`git:tool@tree:${tree}`, 'first one-0.0.0']);
    expect(await ensure(`git:${checkout}`)).toEqual(first);
    commit('second');
    const second = await ensure('git:./tool');
    expect([say(second), builds]).toEqual(['second one-0.0.0', 2]);
    expect(await ensure('git:./tool#HEAD~1')).toEqual(first);
    expect(builds).toBe(2);
  });

  it('is dirty with work that is not committed, new files included, and takes nothing that git ignores', async () => {
    const clean = await ensure('git:./tool');
    write('ignored', 'x');
    expect(await ensure('git:./tool')).toEqual(clean);
    write('more.go', 'package main\n\nfunc init() { print("more ") }\n');
    const dirty = await ensure('git:./tool');
    expect(dirty.version).toMatch(/^git:tool@tree:[0-9a-f]{12}-dirty$/);
    expect(say(dirty)).toBe('more first one-0.0.0');
    expect(await ensure('git:./tool#HEAD')).toEqual(clean);
  });

  it('stays as it was: its index, its objects and its files', async () => {
    write('staged.go', 'package main\n');
    git('add', 'staged.go');
    write('new.go', 'package main\n');
    const look = (): unknown => [
      git('status', '--porcelain'),
      git('count-objects', '-v'),
      readdirSync(checkout),
      statSync(join(checkout, 'main.go')).mtimeMs,
    ];
    const before = look();
    await ensure('git:./tool');
    expect(look()).toEqual(before);
  });

  it('is built as the release before it is: its source, its flags', async () => {
    git('tag', 'v2.1.0');
    commit('later');
    expect(say(await ensure('git:./tool'))).toBe('later two-2.1.0');
  });

  it('may be below the top of its repository, and brings its own modules along', async () => {
    const inner = join(checkout, 'part');
    mkdirSync(join(inner, 'vendor', 'example.test', 'lib'), { recursive: true });
    write('part/go.mod', 'module example.test/tool\n\ngo 1.21\n\nrequire example.test/lib v1.0.0\n');
    write('part/vendor/modules.txt', '# example.test/lib v1.0.0\n## explicit\nexample.test/lib\n');
    write('part/vendor/example.test/lib/lib.go', 'package lib\n\nconst Word = "vendored"\n');
    write('part/main.go', 'package main\n\nimport "example.test/lib"\n\nfunc main() { println(lib.Word) }\n');
    const artifact = await ensure('git:./tool/part');
    expect([artifact.version.slice(0, 14), say(artifact)]).toEqual(['git:part@tree:', 'vendored']);
  });

  it('is the one that is named, also inside a hook of another repository', async () => {
    const before = process.env['GIT_DIR'];
    process.env['GIT_DIR'] = join(folder, 'elsewhere');
    try {
      expect((await ensure('git:./tool')).version).toMatch(/^git:tool@tree:[0-9a-f]{12}$/);
    } finally {
      if (before === undefined) delete process.env['GIT_DIR'];
      else process.env['GIT_DIR'] = before;
    }
  });

  it.each([
    ['git:./nowhere', 'tool', /cannot be read: .*nowhere/],
    ['git:./tool#v9', 'tool', /has no v9/],
    ['git:./tool#--all', 'tool', /has no --all/],
    ['1.0.0@git:./tool', 'tool', /has no version/],
    ['git:./tool', 'plain', /cannot be built from a checkout/],
    ['git:./tool', 'generated', /has no made\.go/],
    ['git:./tool#HEAD', 'generated', /has no made\.go/],
  ])('is refused as %s of %s', async (version, name, message) => {
    await expect(ensure(version, name)).rejects.toMatchObject({
      code: 'LAB_USAGE',
      message: expect.stringMatching(message) as string,
    });
  });

  it('is built where what is generated is there', async () => {
    write('made.go', 'package main\n');
    expect((await ensure('git:./tool', 'generated')).version).toMatch(/^git:tool@tree:/);
  });

  it('is refused when it is the source of something else', async () => {
    write('go.mod', 'module example.test/another\n\ngo 1.21\n');
    await expect(ensure('git:./tool')).rejects.toThrow(
      'is not a checkout of tool: it is the module example.test/another',
    );
    rmSync(join(checkout, 'go.mod'));
    await expect(ensure('git:./tool')).rejects.toThrow('it has no go.mod');
    rmSync(join(checkout, '.git'), { recursive: true });
    await expect(ensure('git:./tool')).rejects.toThrow('cannot be read: fatal: not a git repository');
  });

  it('that does not compile says what the compiler said', async () => {
    write('main.go', 'package main\n\nfunc main() { undefinedThing() }\n');
    await expect(ensure('git:./tool')).rejects.toThrow(/undefined: undefinedThing/);
  });
});
