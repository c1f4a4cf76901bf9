import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PASTES, paste, usePasteFolders, without } from '../support/paste.ts';
import { PROJECT, runCli } from '../support/run-cli.ts';

const BUNDLES = join(PROJECT, 'test/fixtures/bundles');

const { folder, home } = usePasteFolders();

const OOM = 'p01-oom-dmesg-T';
const SOS = 'p07-oom-sos';
const LATER_KILL =
  '[  900.000000] Memory cgroup out of memory: Killed process 999 (x) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:336kB oom_score_adj:978\n';
/** The table of what is left open has it; that of what is excluded comes before. */
const OOM_IS_OPEN = /\nnot excluded\n(?: .*\n)* {2}an OOM kill of its first process\b.*: /;

interface Row {
  readonly what: string;
  /** Makes the input at a path; the words of the command line. */
  readonly make: (at: string) => readonly string[];
  readonly words?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly status: number;
  readonly says: readonly RegExp[];
}

/** memory.events counts its own cgroup only then: Documentation/admin-guide/cgroup-v2.rst. */
const LOCAL_EVENTS = 'cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nsdelegate,memory_localevents 0 0\n';
/** The cgroup of the pod of that input. */
const SLICE =
  'sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod39528bff_1953_48fb_82c8_e9b999127565.slice';
const COUNTED: Parameters<typeof paste>[1] = {
  'proc/vmstat': without(/^oom_kill /),
  [`${SLICE}/memory.events`]: 'low 0\nhigh 0\nmax 37\noom 1\noom_kill 2\noom_group_kill 1\n',
};

/** A log with a hole of 2 GiB, which takes no room on the disk, and the kill behind it. */
function logOf2GiB(at: string): string[] {
  const [folder = at] = paste('p03-child-oom-journal')(at);
  const path = join(folder, 'journal.txt');
  const text = readFileSync(path, 'utf8');
  const half = text.indexOf('\n', text.length / 3) + 1;
  writeFileSync(path, text.slice(0, half));
  truncateSync(path, 2 * 1024 ** 3);
  appendFileSync(path, `\n${text.slice(half)}`);
  return [folder];
}

const PEAK = `process.on('exit', () => console.error('peak', Math.round(process.resourceUsage().maxRSS / 1024), 'MiB'))`;
/** Prints how much memory the program took at most. */
const WITH_PEAK = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PEAK)}` };

/** Questions that no answer is guessed to. */
const REFUSED: readonly Row[] = [
  {
    what: 'no such pod',
    make: paste(OOM),
    words: ['--pod', 'default/nope'],
    status: 2,
    says: [/no pod default\/nope is in the input\n {2}default\/eater/, /--pod ns\/name/],
  },
  {
    what: 'two pods of that name',
    make: paste(OOM, {
      'other.yaml': readFileSync(join(PASTES, OOM, 'input/pod.yaml'), 'utf8')
        .replace('namespace: default', 'namespace: other')
        .replaceAll('11fb4b18', '22fb4b18'),
    }),
    words: ['--pod', 'eater'],
    status: 2,
    says: [
      /2 pods are called eater: ask by uid/,
      /default\/eater \(uid 11fb4b18-/,
      /other\/eater \(uid 22fb4b18-/,
    ],
  },
  {
    what: 'which of several deaths',
    make: paste(OOM, {
      'other.yaml': readFileSync(join(PASTES, OOM, 'input/pod.yaml'), 'utf8')
        .replaceAll('eater', 'other')
        .replaceAll('11fb4b18', '22fb4b18')
        .replaceAll('b945dc16', 'c945dc16'),
    }),
    status: 2,
    says: [/2 deaths fit: ask for one of them/, /default\/eater\/eater/, /default\/other\/other/],
  },
  ...[
    ['a container', '--container', 'nope'],
    ['an attempt', '--attempt', '99'],
    ['a node', '--node', 'node-77'],
    ['a listed pod', '--pod', 'default/nope', '--list'],
  ].map(([what = '', ...words]) => ({
    what: `${what} that is not in the input`,
    make: paste(OOM),
    words,
    status: 2,
    says: [/no death in the input is the one that was asked for; there are\n {2}default\/eater\/eater/],
  })),
  {
    what: 'a pod of a Windows node',
    make: paste('p10-oom-api-only', {
      'pod.yaml': (text) => text.replace('spec:\n', 'spec:\n  os:\n    name: windows\n'),
    }),
    status: 2,
    says: [/it ran on Windows: who kills containers there is not known here/],
  },
  {
    what: 'an empty file',
    make: (at) => (writeFileSync(at, ''), [at]),
    status: 2,
    says: [/nothing that was given is evidence\n {2}\S+: it has no known format[^\n]*\n {2}try: /],
  },
  {
    what: '/dev/null',
    make: () => ['/dev/null'],
    status: 2,
    says: [/nothing that was given is evidence\n {2}\/dev\/null: it has no known format/],
  },
  {
    what: 'a folder of pictures',
    make: (at) => {
      mkdirSync(at);
      for (let number = 1; number <= 12; number += 1)
        writeFileSync(
          join(at, `${number}.png`),
          Buffer.from(`89504e470d0a1a0a0000000d${'0f'.repeat(900)}`, 'hex'),
        );
      return [at];
    },
    status: 2,
    says: [/nothing that was given is evidence/, /1\.png: it has no known format/, /and 2 more/],
  },
  {
    what: 'a program',
    make: () => [process.execPath],
    status: 2,
    says: [/nothing that was given is evidence\n {2}\S+ is a program/],
  },
  {
    what: 'an archive with a password',
    make: () => [join(BUNDLES, 'password.zip')],
    status: 2,
    says: [/nothing that was given is evidence\n {2}\S*password\.zip\S* needs a password: unpack it first/],
  },
  { what: 'a path that is not there', make: (at) => [at], status: 2, says: [/there is no file or folder /] },
  {
    what: 'a line of 256 MiB',
    make: (at) => (writeFileSync(at, 'a line\n'), truncateSync(at, 256 * 1024 ** 2), [at]),
    status: 2,
    says: [/nothing that was given is evidence/],
  },
  {
    what: 'a zone that is none',
    make: paste(OOM),
    words: ['--timezone', 'Mars/Base'],
    status: 2,
    says: [/--timezone takes a name like .*, not "Mars\/Base"/],
  },
  {
    what: 'a redaction that is none',
    make: paste(OOM),
    words: ['--save', 'nowhere', '--redact', 'all'],
    status: 2,
    says: [/--redact takes secrets or strict, not "all"/],
  },
  {
    what: 'a folder to save in that is filled',
    make: paste(OOM),
    words: ['--save', 'docs'],
    status: 2,
    says: [/docs is there already, and is not an empty folder/],
  },
];

/** Inputs that leave something open: what is said of it. */
const OPEN: readonly Row[] = [
  {
    what: 'no kernel log',
    make: paste('p10-oom-api-only'),
    status: 3,
    says: [
      /no kernel log of its node was given; no trace of signals was given/,
      /no log of its container runtime was given/,
      /an OOM kill of the runtime's own first process: the container ran, and such a kill comes before that/,
    ],
  },
  {
    what: 'a pod of another node',
    make: (at) => {
      mkdirSync(at);
      writeFileSync(
        join(at, 'pod.yaml'),
        readFileSync(join(PASTES, OOM, 'input/pod.yaml'), 'utf8').replace(
          'nodeName: node-1',
          'nodeName: node-9',
        ),
      );
      writeFileSync(
        join(at, 'kern.log'),
        '2026-11-20T21:53:58+0000 node-1 kernel: Linux version 6.1.0\n2026-11-20T21:53:59+0000 node-1 kernel: device eth0 left promiscuous mode\n',
      );
      return [at];
    },
    status: 3,
    says: [/it ran on node-9, and the logs are of node-1: of another node/],
  },
  {
    what: 'names that somebody replaced so that nothing joins',
    make: paste(OOM, {
      'dmesg.txt': (text) =>
        text.replaceAll(/b945dc[0-9a-f]+/g, 'REPLACED').replaceAll(/pod11fb[0-9a-f_]+/g, 'podREPLACED'),
      'kubelet.log': (text) =>
        text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID').replaceAll(/[0-9a-f]{64}/g, 'ID'),
    }),
    words: ['--pod', 'default/eater'],
    status: 3,
    says: [/names and ids were replaced so that nothing joins/],
  },
  {
    what: 'a kernel log that begins after the death',
    make: paste(OOM, {
      'dmesg.txt': (text) =>
        `${without(/21:4\d|21:53/)(text)}\n[Fri Nov 20 21:58:01 2026] device eth0 left promiscuous mode\n`,
    }),
    status: 3,
    says: [/dmesg\.txt: it begins after the container had started/],
  },
  {
    what: 'logs of another boot',
    make: (at) => {
      mkdirSync(at);
      for (const file of ['pod.yaml', 'proc/vmstat'])
        cpSync(join(PASTES, 'p06-sigkill-node-sos/input', file), join(at, file), { recursive: true });
      const lines = ['Linux version 6.1.0', 'device eth0 left promiscuous mode'];
      writeFileSync(
        join(at, 'kern.log'),
        lines.map((line) => `2026-11-20T23:10:00+00:00 node-1 kernel: ${line}\n`).join(''),
      );
      return [at];
    },
    status: 3,
    says: [OOM_IS_OPEN],
  },
  {
    what: 'a kernel log of nobody knows which boot',
    make: (at) => {
      mkdirSync(at);
      for (const file of ['pod.yaml', 'proc/vmstat'])
        cpSync(join(PASTES, 'p06-sigkill-node-sos/input', file), join(at, file), { recursive: true });
      const lines = ['Linux version 6.1.0', 'device eth0 left promiscuous mode'];
      writeFileSync(join(at, 'kern.log'), lines.map((line) => `[    1.000000] ${line}\n`).join(''));
      return [at];
    },
    status: 3,
    says: [OOM_IS_OPEN],
  },
  {
    what: 'two possible years',
    make: (at) => (
      writeFileSync(
        at,
        `Nov 20 21:53:49 n1 kernel: ${LATER_KILL}Nov 20 21:53:50 n1 kernel: [  901.000000] device eth0 left promiscuous mode\n`,
      ),
      [at]
    ),
    words: ['--list'],
    status: 0,
    says: [/nothing tells when its lines were written: say --timezone and --year/],
  },
  {
    what: 'clocks an hour apart',
    make: paste(OOM, {
      'kern.log': readFileSync(join(PASTES, OOM, 'input/dmesg.txt'), 'utf8').replaceAll(
        /^\[Fri Nov 20 (\d\d)(:\d\d:\d\d) 2026\] /gm,
        (_, hour: string, rest: string) => `2026-11-20T${Number(hour) - 1}${rest}+00:00 node-1 kernel: `,
      ),
    }),
    // The kill names the container by its id, which is given once: it is named, and no order of times is counted on.
    status: 0,
    says: [/has an OOM kill of this container 1 h before its end: the clock of one of the files is misread/],
  },
  {
    what: 'lines that end as on Windows',
    make: paste(
      OOM,
      Object.fromEntries(
        ['dmesg.txt', 'kubelet.log', 'pod.yaml'].map((file) => [
          file,
          (text: string) => text.replaceAll('\n', '\r\n'),
        ]),
      ),
    ),
    status: 0,
    says: [/killer +memcg-oom/],
  },
  {
    what: 'a truncated archive',
    make: (at) => {
      execFileSync('tar', ['-cf', `${at}.tar`, '--sort=name', '-C', join(PASTES, OOM), 'input']);
      truncateSync(`${at}.tar`, statSync(`${at}.tar`).size - 12_000);
      return [`${at}.tar`, join(PASTES, OOM, 'input/pod.yaml')];
    },
    status: 0,
    says: [/killer +memcg-oom/, /what is behind is not known/],
  },
  {
    what: 'several nodes in one file',
    make: paste('p03-child-oom-journal', {
      'journal.txt': (text) => text + without(/Killed|oom/)(text).replaceAll('ip-192-0-2-17', 'other-node'),
    }),
    status: 0,
    says: [/killer +memcg-oom/, /on node-1/],
  },
  {
    what: 'a forged line of the kernel',
    make: paste(SOS, { 'sos_commands/kernel/dmesg': (text) => text + LATER_KILL }),
    status: 3,
    says: [/void: the log has 1 OOM kills more than the kernel counted, so somebody writes them in its name/],
  },
  {
    what: 'a counter of a pod that counts what is below it',
    make: paste(SOS, COUNTED),
    status: 0,
    says: [/killer +memcg-oom.*proven/],
  },
  {
    what: 'a counter of a pod that counts nothing below it',
    make: paste(SOS, { ...COUNTED, 'proc/mounts': LOCAL_EVENTS }),
    status: 0,
    says: [
      /killer +memcg-oom.*likely/,
      /memory\.events of node-1 count only their own cgroup, because it is mounted with memory_localevents/,
    ],
  },
  {
    what: 'a log of 2 GiB',
    make: logOf2GiB,
    env: WITH_PEAK,
    status: 0,
    says: [
      /killer +memcg-oom/,
      /lines are longer than any that a tool writes/,
      /^peak (?:\d\d|[12]\d\d) MiB$/m,
    ],
  },
  {
    what: 'cgroup v1 without counters',
    make: paste('p02-oom-v1-kernlog'),
    status: 0,
    says: [/memcg-oom.*likely/, /no counter of the container or its pod was seen to rise/],
  },
];

async function ask({
  what,
  make,
  words = [],
  env,
}: Row): Promise<{ status: number; text: string; stdout: string }> {
  const at = join(folder, what.replaceAll(/\W+/g, '-'));
  const { status, stdout, stderr } = await runCli(home, ['autopsy', ...make(at), ...words], env);
  return { status, text: `${stdout}\n${stderr}`, stdout };
}

/** What a person must never read: our own words for a file that was not given, a stack, something empty. */
const NEVER = /witness\.jsonl|pods\.jsonl|events\.jsonl|kubelet\.jsonl|undefined|\n +at |: :|LAB_INTERNAL/;

describe('input that cannot be answered', () => {
  it.each(REFUSED)('$what is said in one message', async (row) => {
    const { status, text, stdout } = await ask(row);
    for (const words of row.says) expect(text).toMatch(words);
    expect(text).not.toMatch(NEVER);
    expect(status).toBe(row.status);
    if (row.status === 2) expect(stdout).toBe('');
  });

  it.each(OPEN)('$what is said beside the answer', async (row) => {
    const { status, text } = await ask(row);
    for (const words of row.says) expect(text).toMatch(words);
    expect(text).not.toMatch(NEVER);
    expect(status).toBe(row.status);
  });
});
