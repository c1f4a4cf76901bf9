import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The root of the project. */
export const PROJECT = resolve(import.meta.dirname, '../..');
/** The cache shared by all lab tests, so that nothing is built twice. */
export const CACHE = resolve(process.env['WHODUNIT_CACHE'] ?? join(PROJECT, '.lab/cache'));

/** Outcome of one command. */
export interface Finished {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and with what environment a program runs. */
export interface ProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** A state folder of its own, and the real CLI in it. */
export interface TestLab {
  readonly home: string;
  run(...words: string[]): Promise<Finished>;
  start(...words: string[]): { child: ChildProcess; finished: Promise<Finished> };
  remove(): void;
}

/** Makes a state folder and returns the CLI bound to it. Programs in its folder `tools` come before those of the host. */
export function createTestLab(): TestLab {
  return openTestLab(mkdtempSync(join(tmpdir(), 'whodunit-test-')));
}

/** Returns the CLI bound to a state folder, which need not exist yet. */
export function openTestLab(home: string): TestLab {
  const PATH = [join(home, 'tools'), process.env['PATH']].join(':');
  const env = { ...process.env, PATH, WHODUNIT_HOME: home, WHODUNIT_CACHE: CACHE };
  return bindCli(home, [process.execPath, join(PROJECT, 'bin/whodunit.mjs')], { env, cwd: PROJECT });
}

/** Returns the CLI in another user's copy of the project, with the state folder that it has there by default. */
export function createLabOf(user: { name: string; project: string; env: NodeJS.ProcessEnv }): TestLab {
  const words = ['runuser', '-u', user.name, '--', process.execPath, 'bin/whodunit.mjs'];
  return bindCli(join(user.project, '.lab'), words, { env: user.env, cwd: user.project });
}

function bindCli(home: string, command: readonly string[], options: ProgramOptions): TestLab {
  const [program = '', ...before] = command;
  const start = (...words: string[]): { child: ChildProcess; finished: Promise<Finished> } => {
    const child = spawn(program, [...before, ...words], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      process.stderr.write(chunk);
    });
    const finished = new Promise<Finished>((done) => {
      child.once('close', (status) => done({ status: status ?? -1, stdout, stderr }));
    });
    return { child, finished };
  };
  return {
    home,
    start,
    run: (...words) => start(...words).finished,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Settings of whoever runs the test. */
const PERSONAL =
  /^(HOME|USER|LOGNAME|SHELL|MAIL|PWD|OLDPWD|TMPDIR|INIT_CWD|TEST|NODE$|NODE_ENV|NODE_OPTIONS|GO(PATH|CACHE|MODCACHE|ENV)|(XDG|WHODUNIT|LIBVIRT|SUDO|VITEST|npm)_)/;

/** The environment without those settings: what remains (certificates, proxies) describes the host. */
export function environmentOfHost(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([variable]) => !PERSONAL.test(variable)));
}

/** Runs a program of the host; the status is returned, never thrown. */
export function hostCommand(
  program: string,
  args: readonly string[],
  options: Partial<ProgramOptions> = {},
): Promise<Finished> {
  return new Promise((done) => {
    execFile(program, [...args], { maxBuffer: 64 * 1024 * 1024, ...options }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      done({ status, stdout, stderr });
    });
  });
}

/** Whether anything listens on a port of 127.0.0.1. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}

/** Leases that nobody has released, from the book itself. */
export function readOpenLeases(home: string): string[] {
  const file = join(home, 'leases.jsonl');
  if (!existsSync(file)) return [];
  const open = new Map<string, string>();
  for (const line of readFileSync(file, 'utf8').trim().split('\n').filter(Boolean)) {
    const entry = JSON.parse(line) as {
      op: string;
      id?: string;
      lease?: { id: string; kind: string; target: string };
    };
    if (entry.lease !== undefined) open.set(entry.lease.id, `${entry.lease.kind} ${entry.lease.target}`);
    else if (entry.id !== undefined) open.delete(entry.id);
  }
  return [...open.values()];
}
