import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERBS } from '../../lab/commands/line/verbs.ts';
import { copySmallProject, type ProjectCopy } from './support/project-copy.ts';
import { PROJECT, type Ended } from './support/run-cli.ts';
import { listVerbLines, SAVED_CELL, SAVED_RUN, VERB_LINES } from './support/verb-lines.ts';

/** Nobody: root is stopped by no mode. */
const USER = 65534;

/** Why the faults cannot be made here; undefined when they can. */
const lacking = [
  ...(process.getuid?.() === 0 ? [] : ['root, who can give a file to somebody else']),
  ...['setpriv', 'unshare', 'mount'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined),
  ...(spawnSync('unshare', ['-m', 'true']).status === 0 ? [] : ['mount namespaces']),
];

const MKFS = '/usr/sbin/mkfs.ext4 -q';
/** Whether no file can be mounted as a disk here. */
const lacksLoop = spawnSync('losetup', ['-f']).status !== 0 || !existsSync('/usr/sbin/mkfs.ext4');

/** What is wrong with the host while every verb is run once. */
interface Fault {
  /** Made as root; the state folder is that of `USER`. */
  readonly make?: (state: string, folder: string) => void;
  /** Whether each line is started on its own, because the launcher refuses it. */
  readonly byLauncher?: true;
  /** Shell words around the program, in a mount namespace of its own. */
  readonly around?: (state: string) => string;
  readonly env?: (state: string, folder: string) => NodeJS.ProcessEnv;
  /** Verbs that need what is refused: each of their errors has all of this. */
  readonly refuses: readonly string[];
  readonly says: readonly RegExp[];
}

const ALL = VERBS.map(({ name }) => name).filter((name) => name !== 'mcp');

const FAULTS: Readonly<Record<string, Fault>> = {
  'a state folder that a command of root has left': {
    make: (state) => {
      give(state, 0);
      chmodSync(state, 0o700);
    },
    refuses: [
      'down',
      'status',
      'why',
      'report',
      'judge',
      'runs',
      'events',
      'history',
      'export',
      'cache',
      'gc',
    ],
    says: [/LAB_(ACCESS|STATE_FOLDER|LOCK)/, /root \(uid 0\)|user 0/, /sudo chown -R "\$USER" \.lab/],
  },
  'a saved run of somebody else': {
    make: (state) => {
      give(join(state, 'runs', SAVED_RUN), 0);
      chmodSync(join(state, 'runs', SAVED_RUN), 0o700);
    },
    refuses: ['judge', 'events', 'export'],
    says: [
      /LAB_ACCESS/,
      /belongs to root \(uid 0\), mode 0700; you are \w+ \(uid 65534\)/,
      /sudo chown -R "\$USER"/,
    ],
  },
  'a saved run that only lacks the mode': {
    make: (state) => chmodSync(join(state, 'runs', SAVED_RUN), 0),
    refuses: ['judge', 'events', 'export'],
    says: [/LAB_ACCESS/, /try: chmod -R u\+rwX \.lab\/runs\//],
  },
  'a working directory that is gone': {
    around: (state) => `mkdir ${state}/gone && cd ${state}/gone && rmdir ${state}/gone &&`,
    byLauncher: true,
    refuses: ALL,
    says: [/LAB_ACCESS: the working directory was removed/, /uv_cwd/, /try: cd ~/],
  },
  'a file as the state folder': {
    env: () => ({ WHODUNIT_HOME: '/etc/passwd' }),
    refuses: ALL,
    says: [/LAB_ACCESS: \/etc\/passwd is a file/, /try: .*WHODUNIT_HOME=<folder>/],
  },
  'a file in place of the saved runs': {
    make: (state) => {
      rmSync(join(state, 'runs'), { recursive: true });
      writeFileSync(join(state, 'runs'), '');
    },
    refuses: ALL,
    says: [/LAB_ACCESS: \S*runs is a file, and a folder is needed there/],
  },
  'a state folder below a file': {
    env: () => ({ WHODUNIT_HOME: '/etc/passwd/below' }),
    refuses: ALL,
    says: [/LAB_ACCESS: \/etc\/passwd is a file/, /try: .*WHODUNIT_HOME=<folder>/],
  },
  'links that lead in a circle': {
    make: (_, folder) => {
      symlinkSync(join(folder, 'two'), join(folder, 'one'));
      symlinkSync(join(folder, 'one'), join(folder, 'two'));
    },
    env: (_, folder) => ({ WHODUNIT_HOME: join(folder, 'one') }),
    refuses: ALL,
    says: [/LAB_ACCESS: the links on the way to .*one lead in a circle/, /try: namei/],
  },
  'a name that is too long': {
    env: (_, folder) => ({ WHODUNIT_HOME: join(folder, 'x'.repeat(300)) }),
    refuses: ALL,
    says: [/LAB_ACCESS: a path is too long/, /try: name a shorter one/],
  },
  'a disk that is read-only': {
    around: (state) => `mount --bind ${state} ${state} && mount -o remount,ro,bind ${state} &&`,
    refuses: ['gc', 'report'],
    says: [/LAB_(DISK|LOCK)/, /try: findmnt -T .*WHODUNIT_HOME=<folder>/],
  },
  'a disk that is full': {
    around: (state) =>
      `mount -t tmpfs -o size=1m,uid=${USER},gid=${USER},mode=700 tmpfs ${state}/runs/../full && ` +
      `cp -r ${state}/runs ${state}/full/ && chown -R ${USER} ${state}/full && ` +
      `(cat /dev/zero >${state}/full/fill 2>/dev/null; true) &&`,
    make: (state) => mkdirSync(join(state, 'full')),
    env: (state) => ({ WHODUNIT_HOME: join(state, 'full') }),
    refuses: ['report', 'gc'],
    says: [/LAB_(DISK|LOCK)/, /ENOSPC/, /try: free some disk/],
  },
};

let folder: string;
let project: ProjectCopy;

function give(path: string, uid: number): void {
  execFileSync('chown', ['-R', '-h', `${uid}:${uid}`, path]);
}

/** The state folder of the clone as it is without any fault. */
function makeState(): string {
  const state = join(project.dir, '.lab');
  for (const part of ['runs', 'worlds', 'full', 'gone', 'cache', 'lock', 'leases.jsonl', 'history.jsonl'])
    rmSync(join(state, part), { recursive: true, force: true });
  mkdirSync(state, { recursive: true, mode: 0o700 });
  cpSync(join(PROJECT, 'test/fixtures/run-from-before'), join(state, 'runs'), { recursive: true });
  mkdirSync(join(state, 'worlds'));
  give(state, USER);
  chmodSync(state, 0o700);
  return state;
}

/** Runs a line of a shell as `USER`, in its clone. */
function runAsUser(around: string, program: readonly string[], env: NodeJS.ProcessEnv): Ended {
  const quoted = program.map((word) => `'${word}'`).join(' ');
  const line = `${around} exec setpriv --reuid=${USER} --regid=${USER} --clear-groups env PATH=/nonexistent ${quoted}`;
  const { status, stdout, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', line], {
    cwd: project.dir,
    env: {
      ...process.env,
      npm_lifecycle_event: undefined,
      WHODUNIT_HOME: undefined,
      WHODUNIT_CACHE: undefined,
      HOME: folder,
      ...env,
    },
    encoding: 'utf8',
    input: '',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status: status ?? 255, stdout, stderr };
}

/** How a line ended. */
interface LineEnd extends Ended {
  readonly words: readonly string[];
}

function runLines(lines: readonly (readonly string[])[], fault: Fault): LineEnd[] {
  const state = makeState();
  fault.make?.(state, folder);
  const around = fault.around?.(state) ?? '';
  const env = fault.env?.(state, folder) ?? {};
  if (fault.byLauncher === true)
    return lines.map((words) => ({
      words,
      ...runAsUser(around, [process.execPath, join(project.dir, 'bin/whodunit.mjs'), ...words], env),
    }));
  writeFileSync(join(folder, 'lines.json'), JSON.stringify(lines));
  const driver = [
    process.execPath,
    join(PROJECT, 'test/cli/support/run-lines.mjs'),
    project.dir,
    join(folder, 'lines.json'),
  ];
  const { stdout, stderr } = runAsUser(around, driver, env);
  try {
    return JSON.parse(stdout) as LineEnd[];
  } catch {
    throw new Error(`the driver broke: ${stdout}\n${stderr}`);
  }
}

/** What nobody should read of a fault of the host. */
const BUG = /this is a bug|LAB_INTERNAL|\n\s+at \w/;

describe.skipIf(lacking.length > 0)(
  `a fault of the host${lacking.length > 0 ? ` (skipped: no ${lacking.join(', ')})` : ''}`,
  () => {
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'whodunit-faults-'));
      chmodSync(folder, 0o755);
      project = copySmallProject(folder);
      give(project.dir, USER);
      chownSync(folder, USER, USER);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('is tried with every verb', () => {
      expect(Object.keys(VERB_LINES).sort()).toEqual(VERBS.map(({ name }) => name).sort());
    });

    it.each(Object.entries(FAULTS))(
      'is no bug of whodunit, and has the line that mends it: %s',
      (_, fault) => {
        const lines = listVerbLines().filter(([name]) => name !== 'mcp');
        const ends = runLines(lines, fault);
        expect(ends).toHaveLength(lines.length);
        const wrong = ends.filter(({ status, stderr }) => ![0, 2, 3].includes(status) || BUG.test(stderr));
        expect(wrong).toEqual([]);
        for (const name of fault.refuses) {
          const errors = ends.filter(({ words, status }) => words[0] === name && status === 3);
          expect(errors.length, `${name} is refused`).toBeGreaterThan(0);
          for (const { words, stderr } of errors)
            for (const text of fault.says) expect(stderr, words.join(' ')).toMatch(text);
        }
      },
    );

    /** Single lines with what is refused to them, through the launcher. */
    it.each<[string, string, readonly string[], Fault['around'] | undefined, RegExp]>([
      [
        'too few open files',
        'ulimit',
        ['scenarios'],
        () => 'ulimit -n 30 &&',
        /LAB_ACCESS: this process may not open more files than 30[^]*try: ulimit -n/,
      ],
      [
        'too few open files to start the compiler of the sources',
        'ulimit',
        ['scenarios'],
        (state) => `rm -rf ${state}/program && ulimit -n 23 &&`,
        /LAB_ACCESS: this process may not open more files[^]*try: ulimit -n/,
      ],
      [
        'a folder for an archive that is not there',
        'export',
        ['export', SAVED_RUN, '--out', '/nonexistent/dir/x.tar.gz'],
        undefined,
        /LAB_ACCESS: the folder \/nonexistent does not exist[^]*try: mkdir -p \/nonexistent\/dir/,
      ],
      [
        'a folder for an archive that is of root',
        'export',
        ['export', SAVED_CELL, '--out', '/etc/x.tar.gz'],
        undefined,
        /LAB_ACCESS: \/etc may not be written[^]*root \(uid 0\)[^]*try: name a place of your own/,
      ],
      [
        'an archive in a file',
        'export',
        ['export', SAVED_RUN, '--out', '/etc/passwd/x.tar.gz'],
        undefined,
        /LAB_ACCESS: \/etc\/passwd is a file/,
      ],
      [
        'files that may not become as large',
        'report',
        ['report', SAVED_RUN],
        () => 'ulimit -f 0 &&',
        /LAB_DISK: a file may not become so large: \S*junit\.xml[^]*EFBIG[^]*try: ulimit -f unlimited/,
      ],
      [
        'folders of other processes',
        'judge',
        ['judge', '/proc/1'],
        undefined,
        /LAB_ACCESS: \/proc\/1\S* may not be read[^]*root \(uid 0\)/,
      ],
    ])('is said of %s', (_, __, words, around, says) => {
      const state = makeState();
      const program = [process.execPath, join(project.dir, 'bin/whodunit.mjs'), ...words];
      const { status, stderr } = runAsUser(around?.(state) ?? '', program, {});
      expect(stderr).toMatch(says);
      expect(stderr).not.toMatch(BUG);
      expect(status).toBe(3);
    });

    it.skipIf(lacksLoop)('is said of a disk that cannot read what is on it', () => {
      const state = makeState();
      const pods = join('runs', SAVED_RUN, 'cells', SAVED_CELL, 'pods.jsonl');
      appendFileSync(join(state, pods), '\n'.repeat(4_000_000));
      const [image, disk] = [join(folder, 'disk.img'), join(folder, 'disk')];
      mkdirSync(disk);
      // A disk whose end is lost while it is mounted.
      const around =
        `truncate -s 16M ${image} && ${MKFS} ${image} && mount -o loop ${image} ${disk} && ` +
        `cp -r ${state}/runs ${disk}/ && chown -R ${USER} ${disk} && ` +
        `dd of=${disk}/${pods} oflag=nocache conv=notrunc,fdatasync count=0 status=none && ` +
        `truncate -s 2M ${image} &&`;
      const program = [process.execPath, join(project.dir, 'bin/whodunit.mjs'), 'judge', SAVED_RUN];
      const { status, stderr } = runAsUser(around, program, { WHODUNIT_HOME: disk });
      expect(stderr).toMatch(
        /LAB_DISK: the disk cannot read or write \S*pods\.jsonl[^]*EIO[^]*try: read what the kernel says/,
      );
      expect(status).toBe(3);
    });

    it('is said in JSON too, by the program and by what starts it', () => {
      makeState();
      const whodunit = [process.execPath, join(project.dir, 'bin/whodunit.mjs')];
      for (const [around, words] of [
        ['', ['export', SAVED_RUN, '--out', '/nonexistent/x.tar.gz', '--json']],
        ['ulimit -n 30 &&', ['scenarios', '--json']],
      ] as const) {
        const { status, stdout } = runAsUser(around, [...whodunit, ...words], {});
        const { error } = JSON.parse(stdout) as { error: object };
        expect(error).toMatchObject({ code: 'LAB_ACCESS', exitCode: 3 });
        expect(status).toBe(3);
      }
    });

    it('is said of scenarios that may not be written, by `new`', () => {
      makeState();
      give(join(project.dir, 'scenarios'), 0);
      const program = [process.execPath, join(project.dir, 'bin/whodunit.mjs'), 'new', 'scenario', 'mine'];
      const { status, stderr } = runAsUser('', program, {});
      give(join(project.dir, 'scenarios'), USER);
      expect(stderr).toMatch(
        /LAB_ACCESS: \S*scenarios may not be written[^]*try: sudo chown -R "\$USER" scenarios/,
      );
      expect(status).toBe(3);
      expect(existsSync(join(project.dir, 'scenarios/mine'))).toBe(false);
    });
  },
);
